#!/usr/bin/env python3
"""sdist.py NAME FOLDER PATHS.. - packs source files as FOLDER/NAME.tar.gz, with what pip needs to build them. Called by make sdist. Equal files, equal bytes."""
import gzip
import io
import os
import sys
import tarfile

PYPROJECT = """[build-system]
requires = []
build-backend = "backend"
backend-path = ["simulator/lib/package"]

[project]
name = "hotset"
version = "%s"
requires-python = ">=3.10"
dependencies = ["numpy"]
"""


def files(paths):
    for path in paths:
        if not os.path.isdir(path):
            yield path
        for folder, inner, names in os.walk(path):
            inner[:] = sorted(name for name in inner if name != "__pycache__")
            yield from (os.path.join(folder, name) for name in sorted(names) if not name.endswith(".pyc"))


def main():
    name, out, *paths = sys.argv[1:]
    version = name.partition("-")[2]
    made = {"pyproject.toml": PYPROJECT % version, "PKG-INFO": "Metadata-Version: 2.1\nName: hotset\nVersion: %s\n" % version}
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, name + ".tar.gz")
    with open(path, "wb") as f, gzip.GzipFile("", "wb", mtime=0, fileobj=f) as z, tarfile.open(fileobj=z, mode="w", format=tarfile.PAX_FORMAT) as t:
        for one in [*made, *files(paths)]:
            data = made[one].encode() if one in made else open(one, "rb").read()
            entry = tarfile.TarInfo("%s/%s" % (name, one))
            entry.size, entry.mode = len(data), 0o755 if one not in made and os.access(one, os.X_OK) else 0o644
            t.addfile(entry, io.BytesIO(data))
    print(path)


if __name__ == "__main__":
    main()
