#!/usr/bin/env bash
# The wheels (as this machine builds them, and without CUDA) and the source archive in empty virtual environments, for every Python that is here, and the
# Debian package in an empty system: plan, simulate, gather. `make test-packages` runs it; it needs pip with a package index, and debootstrap as root.
. "$(dirname "$0")/../cli/tap"

python=${HOTSET_PYTHON:-python3} build=$root/${BUILD:-build}
mk() { flock "$root/Makefile" make -C "$root" --no-print-directory -s BUILD="${BUILD:-build}" "$@"; }
if [ -z "${PACKAGE_TESTS:-}" ]; then
    skip "the wheel in an empty environment" "make test-packages runs it"
    skip "the Debian package in an empty system" "make test-packages runs it"
    finish
fi

# PROGRAM: makes a plan and its judged mini-batches with it, in the working folder
plans() {
    rm -rf G P B
    env -i PATH=/usr/bin:/bin "$@" graph synth community --vertices 3000 --edges 30000 --feature-dim 8 -o G --quiet >/dev/null &&
        env -i PATH=/usr/bin:/bin "$@" plan --graph G --server dgx-v100 --budget 8% --fanout 10,5 --batch 32 --simulate-epochs 0 -o P --quiet >/dev/null &&
        env -i PATH=/usr/bin:/bin "$@" simulate P --graph G --seed 99 --epochs 1 --export-batches B --quiet >/dev/null &&
        env -i PATH=/usr/bin:/bin "$@" simulate P --graph G --seed 99 --epochs 1 --json --quiet >judged.json
}
cat >replay.py <<'END'
import json
import numpy as np
import hotset
plan, batches = hotset.Plan("P"), hotset.Batches("B")
host = np.random.default_rng(1).random((plan.vertices, 8), np.float32)
for gpu in json.load(open("judged.json"))["rows"][0]["simulated"]["gpus"]:
    rows = hotset.PlannedRows(plan, gpu["id"], host)
    for batch in batches.of(gpu["id"]):
        assert np.array_equal(rows.gather(batch.vertices), host[batch.vertices])
    counts, judged = rows.counts, gpu["feature_rows"]
    assert [counts["own"], counts["peer"], counts["host"]] == [judged["local"], judged["peer"], judged["host"]] and all(counts.values()), (counts, judged)
own = hotset.write_plan("Q", "G", "dgx-v100", feature={0: [1, 2, 3]}, options=["--simulate-epochs", "0"])
assert own.feature_ids(0).tolist() == [1, 2, 3]
print("replayed", hotset.__file__)
END
cat >first.py <<'END'
import numpy as np
import hotset
source = np.arange(20000) // 10
g = hotset.graph((source, (source * 7 + np.arange(20000) % 10 * 13 + 1) % 2000), feature_dim=16, train_share=0.1, quiet=True)
p = hotset.make_plan(g, "dgx-v100:4", budget="5%", num_neighbors=[10, 5], batch_size=64, quiet=True)
print("planned", sum(len(p.feature_ids(gpu)) for gpu in p.gpus), "rows")
END
cat >cuda.py <<'END'
import sys, os, numpy as np, hotset
from hotset import _cuda
try:
    path = _cuda.library()._name
except hotset.MissingError as e:
    print("no libhotset_cuda:", e)
    sys.exit()
assert path.startswith(os.path.dirname(hotset.__file__)), path
plan = hotset.Plan("P")
device, host = type("Device", (), {"name": "cuda", "number": 0}), np.zeros((plan.vertices, 8), np.float32)
try:
    _cuda.CudaRows(plan, plan.gpus[0], host, device)
    print("libhotset_cuda serves a GPU")
except hotset.Error as e:
    print("libhotset_cuda, and no GPU: %s: %s" % (type(e).__name__, e))
END

# WHEEL ENVIRONMENT: installs it where there is nothing else but NumPy
installs() { "$python" -m venv "$2" && "$2/bin/pip" install -q --disable-pip-version-check numpy "$1" && [ "$("$2/bin/pip" list 2>/dev/null | grep -cvE '^(Package|---|pip|setuptools|wheel|numpy|hotset) ')" -le 1 ]; }
if ! mk wheel >made 2>&1; then ok "make wheel" cat made '&&' false; else
    wheel=$(sed -n 's/^\([^ ]*\.whl\)$/\1/p' made | tail -n 1) wheel=$root/${wheel#"$root/"}
    ok "make wheel" [ -s "$wheel" ]
    ok "auditwheel gives it a manylinux tag" eval '[[ $wheel == *-manylinux_* ]]'
    ok "it installs where there is only NumPy" installs "$wheel" env
    in=$(echo env/lib/python*/site-packages)
    ok "the command plans and simulates" plans "$PWD/env/bin/hotset"
    mkdir -p other/hotset && touch other/hotset/__init__.py
    ok "the command is its own program where PYTHONPATH has another hotset" eval 'env -i PATH=/usr/bin:/bin PYTHONPATH=$PWD/other env/bin/hotset --version | grep -q "^hotset "'
    ok "import hotset gathers what simulate counts, and makes plans" eval 'env -i PATH=/usr/bin:/bin env/bin/python replay.py >said && grep -q "^replayed $PWD/env/" said'
    ok "arrays, plan, comparison, picture, recording and the next plan, from Python alone" eval 'env -i PATH=/usr/bin:/bin env/bin/python -m hotset.examples.compare >said 2>&1 && grep -q "^rows to load" said && grep -q "<polyline" compare.svg'
    ok "the example is in it" [ -s "$in/hotset/examples/pyg_sage.py" ]
    ok "python -m hotset" eval 'env/bin/python -m hotset --version | grep -q "^hotset "'
    ok "policy exact says in a sentence that GLPK is not in it" eval 'exits 4 env/bin/hotset plan --graph G --server dgx-v100 --budget 8% --policy exact -o X --quiet && grep -q "this build has no GLPK (GPL-3)" .stderr'
    ldd "$in/hotset/hotset-bin" "$in"/hotset/libhotset.so.2 | grep -oE '(/|=> )[^ ]*lib(metis|gomp|jansson|glpk|zstd|lzma|z)[^ ]*' | grep -v "$PWD/env" | none "METIS and libgomp are its own, jansson, zlib, zstd and xz are linked in, GLPK is not there"
    for t in jansson metis gomp zlib zstd lzma; do ls "$in"/hotset-*.dist-info/licenses/ | grep -qi "$t" || echo "$t"; done | none "the licence texts are there"
    for t in GPL-3 Apache-2.0; do grep -q "Version" "$in"/hotset-*.dist-info/licenses/$t.txt || echo $t; done | none "and the licences that they refer to"
    nm -D --defined-only "$in"/hotset/libhotset.so.2 | awk '{ print $3 }' | grep -vE '^(__|_init|_fini|_edata|_end)' | sort -u | diff "$root/tests/lib/symbols" - | none "libhotset shows its own symbols only"
    strings -a "$in"/hotset/hotset-bin "$in"/hotset/libhotset*.so.2 | grep -F "$root" | none "no folder of the build machine is in it"
    ok "and no newer glibc than 2.34 is asked for" eval '[[ $wheel == *-manylinux_2_[0-9]_* || $wheel == *-manylinux_2_[12][0-9]_* || $wheel == *-manylinux_2_3[0-4]_* ]] || { echo "$wheel"; objdump -T "$in"/hotset/hotset-bin | grep GLIBC_2.3[5-9]; false; }'
    cuda() { env -i PATH=/usr/bin:/bin "$1/bin/python" cuda.py; }
    if unzip -l "$wheel" | grep -q libhotset_cuda.so; then
        ok "libhotset_cuda is in it, is found there, and says where there is no GPU" eval 'cuda env | grep -qE "^libhotset_cuda(, and no GPU: MissingError: hotset_store: | serves a GPU)"'
        ok "with the licence of the CUDA runtime" [ -s "$in"/hotset-*.dist-info/licenses/CUDA.txt ]
        ok "a wheel without CUDA" eval 'mk wheel NVCC= BUILD="$build/without-cuda" >made 2>&1 || { cat made; false; }'
        plain=$(sed -n 's/^\([^ ]*\.whl\)$/\1/p' made | tail -n 1)
        ok "installs, and has none" eval 'installs "$plain" plain && ! unzip -l "$plain" | grep -q libhotset_cuda.so && cuda plain | grep -q "^no libhotset_cuda: libhotset_cuda was not found" && plans "$PWD/plain/bin/hotset"'
    else
        skip "libhotset_cuda is in it" "nvcc, or the licence of the CUDA runtime, is not there"
        ok "without CUDA that is said" eval 'cuda env | grep -q "^no libhotset_cuda: libhotset_cuda was not found" && grep -q "^This build has no CUDA" "$in"/hotset-*.dist-info/METADATA'
    fi
    for minor in 10 11 12 13 14; do
        python=
        for one in "python3.$minor" "$(pyenv root 2>/dev/null)/versions/3.$minor".*/bin/python3; do
            "$one" -c 'import venv' 2>/dev/null && python=$one && break
        done
        if [ -z "$python" ]; then
            skip "Python 3.$minor: from pip install to the first plan" "python3.$minor is not installed"
            continue
        fi
        begun=$SECONDS
        ok "Python 3.$minor: it installs, and makes a plan" eval 'installs "$wheel" env-$minor && env -i PATH=/usr/bin:/bin env-$minor/bin/python -W error::DeprecationWarning -W error::SyntaxWarning first.py | grep -q "^planned [1-9]"'
        ok "Python 3.$minor: from pip install to the first plan in under a minute" eval 'echo "$((SECONDS - begun)) s"; [ $((SECONDS - begun)) -lt 60 ]'
    done
    python=${HOTSET_PYTHON:-python3}
    for minor in 10 11 12 13 14; do # the library's own stubs say what each Python has
        if ! "$python" -c 'import mypy' 2>/dev/null; then skip "Python 3.$minor: names and grammar" "mypy is not installed for $python"; else
            ok "Python 3.$minor has the names and the grammar of the package" eval '"$python" -m mypy --python-version 3.$minor --ignore-missing-imports --no-error-summary --cache-dir="$PWD/.mypy" "$in"/hotset/*.py'
        fi
    done
fi
begun=$SECONDS
if ! mk sdist >made 2>&1; then ok "make sdist" cat made '&&' false; else
    archive=$(sed -n 's/^\([^ ]*\.tar\.gz\)$/\1/p' made | tail -n 1) archive=$root/${archive#"$root/"}
    ok "the source archive builds and installs" eval '"$python" -m venv sources && sources/bin/pip install -q --disable-pip-version-check "$archive" >.pip 2>&1 || { tail -n 20 .pip; false; }'
    ok "and plans" eval 'echo "$((SECONDS - begun)) s"; env -i PATH=/usr/bin:/bin sources/bin/python first.py | grep -q "^planned [1-9]" && plans "$PWD/sources/bin/hotset"'
fi
if ! echo '#include <glpk.h>' | ${CC:-cc} -E -x c - >/dev/null 2>&1; then skip "make wheel WITH_GLPK=1" "libglpk-dev is not installed"; else
    ok "make wheel WITH_GLPK=1" eval 'mk wheel WITH_GLPK=1 >made 2>&1 || { cat made; false; }'
    wheel=$(sed -n 's/^\([^ ]*\.whl\)$/\1/p' made | tail -n 1) wheel=$root/${wheel#"$root/"}
    ok "it installs" installs "$wheel" gpl
    ok "policy exact plans with it" env -i PATH=/usr/bin:/bin gpl/bin/hotset plan --graph G --server dgx-v100:2 --budget 8% --policy exact --simulate-epochs 0 -o X --quiet
    in=$(echo gpl/lib/python*/site-packages)
    for t in glpk gmp; do ls "$in"/hotset-*.dist-info/licenses/ | grep -qi "$t" || echo "$t"; done | none "with the texts of GLPK and what it needs"
    ok "it is under the GPL" grep -q '^License-Expression: GPL-3.0-or-later AND ' "$in"/hotset-*.dist-info/METADATA
fi

if ! command -v dpkg-deb >/dev/null; then skip "make deb" "dpkg-deb is not installed"; else
    rm -f "$build"/package/*.deb
    ok "make deb" eval 'mk deb >made 2>&1 || { cat made; false; }'
    deb=$(echo "$build"/package/*.deb)
    for d in libc6 libgomp1 libjansson4 libmetis5 zlib1g libzstd1 liblzma5; do dpkg-deb -f "$deb" Depends | grep -qE "(^|, )$d( \(>= [0-9]|,|\$)" || echo "$d"; done | none "it names what it depends on"
    dpkg-deb -c "$deb" >listed
    dpkg-deb -f "$deb" Depends | grep -iE 'glpk|:' | grep -v '1:1' | none "and nothing of GLPK or of other machines"
    for f in bin/hotset lib/libhotset.so.2 include/hotset.h lib/python3/dist-packages/hotset/__init__.py lib/python3/dist-packages/hotset/examples/pyg_sage.py share/man/man1/hotset.1.gz share/doc/hotset/copyright; do
        grep -q " \./usr/$f" listed || echo "$f"; done | none "the program, library, header, module, manual and licence are in it"
    grep -v ' root/root ' listed | none "its files are root's"
    dpkg -x "$deb" tree
    ok "unpacked, it plans and simulates" plans "$PWD/tree/usr/bin/hotset"
    if ! command -v debootstrap >/dev/null || [ "$(id -u)" != 0 ]; then skip "in an empty system" "debootstrap as root is needed"; else
        site=$(apt-get indextargets --format '$(SITE)' | head -n 1) suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
        ok "an empty system" eval 'debootstrap --variant=minbase "$suite" empty "$site" >.boot 2>&1 || { tail -n 5 .boot; false; }'
        cp "$deb" empty/tmp/hotset.deb
        ok "apt installs it with its dependencies" eval 'chroot empty env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends /tmp/hotset.deb >.apt 2>&1 || { tail -n 5 .apt; false; }'
        ok "it plans and simulates there" eval "chroot empty sh -c \"cd /tmp && hotset graph synth community --vertices 3000 --edges 30000 --feature-dim 8 -o G --quiet && hotset plan --graph G --server dgx-v100 --budget 8% --fanout 10,5 --batch 32 -o P --quiet\" >/dev/null"
        ok "apt removes it" eval 'chroot empty apt-get remove -y hotset >.apt 2>&1; [ ! -e empty/usr/bin/hotset ] && [ ! -e empty/usr/lib/libhotset.so.2 ]'
    fi
fi
finish
