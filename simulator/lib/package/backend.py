"""backend.py - what pip calls to build the source archive of `make sdist` (PEP 517): it runs `make wheel`, without auditwheel, because the wheel stays on this machine.

The compiler, make, jansson, zlib and METIS are the machine's; what lacks is a sentence, before anything is compiled.
"""
import glob
import os
import shutil
import subprocess
import sys

NEEDED = {"jansson.h": "libjansson-dev", "zlib.h": "zlib1g-dev", "metis.h": "libmetis-dev"}


def _check():
    for program in ("make", os.environ.get("CC", "cc").split()[0]):
        if not shutil.which(program):
            sys.exit("hotset: %s was not found, which builds it; apt-get install make gcc libc6-dev, or install a wheel" % program)
    for header, package in NEEDED.items():
        run = subprocess.run([*os.environ.get("CC", "cc").split(), "-E", "-x", "c", "-"], input="#include <%s>\n" % header, text=True, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        if run.returncode:
            sys.exit("hotset: %s was not found, which building from source needs; apt-get install %s, or install a wheel" % (header, package))


def build_wheel(folder, config_settings=None, metadata_directory=None):
    _check()
    subprocess.run(["make", "-j%d" % (os.cpu_count() or 1), "wheel", "WHEEL_PLAIN=1", "PACKAGE_PYTHON=" + sys.executable], check=True, stdout=sys.stderr)
    wheel, = glob.glob("build/package/*.whl") + glob.glob("build/without-cuda/package/*.whl")
    shutil.copy(wheel, folder)
    return os.path.basename(wheel)


def build_sdist(folder, config_settings=None):
    sys.exit("hotset: the source archive is made by `make sdist`")
