#!/usr/bin/env bash
# The wheel in an empty virtual environment, and the Debian package in an empty system: plan, simulate, gather. `make test-packages` runs it; it needs pip with
# a package index, and debootstrap as root for the empty system.
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
    strings -a "$in"/hotset/hotset-bin "$in"/hotset/libhotset.so.2 | grep -F "$root" | none "no folder of the build machine is in it"
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
