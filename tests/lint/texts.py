#!/usr/bin/env python3
"""texts.py - holds documents against each other and against the sources; prints one finding per line.

Links lead to files and headings that exist, comments cite files of planner/model that exist, no file is longer than a reader takes, and
CHANGELOG.md begins with the version that the Makefile builds.
"""
import os
import re
import subprocess
import sys

MOST_WORDS = {"README.md": 650}
MODEL, MOST_OF_MODEL = "planner/model", 3000
MOST_OF_ALL = 45000  # of all documents together but why.md of goldens
LINK = re.compile(r"\[[^\]\[]*\]\(([^)\s]+)\)")
CITED = re.compile(r"(?:planner/)?\bmodel/([A-Za-z0-9_-]+\.md)")


def slug(heading):
    """The anchor that a heading has, on the web and in the manual."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).strip().replace(" ", "-")


def without_blocks(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def headings(path):
    with open(path, encoding="utf-8") as f:
        return {slug(h) for h in re.findall(r"^#+ +(.*)$", without_blocks(f.read()), re.M)}


def links(path, text):
    for to in LINK.findall(re.sub(r"`[^`\n]*`", "", without_blocks(text))):
        if re.match(r"[a-z]+:", to) or re.fullmatch(r"[a-z0-9-]+\.html", to):  # pages that the manual makes: tests/cli/docs.sh follows them
            continue
        name, _, anchor = to.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if not os.path.exists(target):
            print(f"{path}: links to {to}, which is not there")
        elif anchor and target.endswith(".md") and anchor not in headings(target):
            print(f"{path}: links to {to}, but {target} has no such heading")


def main():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=False).stdout.split("\n")
    total = 0
    for path in sorted(f for f in listed if os.path.isfile(f)):
        document = path.endswith(".md")
        if not document and not re.search(r"\.(c|h|cu|cuh|sh|py|mk)$", path) and os.path.basename(path) != "Makefile":
            continue
        with open(path, encoding="utf-8", errors="replace") as f:
            text = f.read()
        if path != "tests/lint/texts.py":
            for name in set(CITED.findall(text)):
                if not os.path.exists(os.path.join(MODEL, name)):
                    print(f"{path}: cites model/{name}, which is not in {MODEL}")
            if "MODEL.md" in text:
                print(f"{path}: cites MODEL.md; cite the file of {MODEL} that answers the question")
        if not document:
            continue
        links(path, text)
        if not path.startswith("tests/golden/") or not path.endswith("/why.md"):
            total += len(text.split())
        words, most = len(text.split()), MOST_WORDS.get(path, MOST_OF_MODEL if path.startswith(MODEL) else 0)
        if most and words > most:
            print(f"{path}: {words} words, at most {most}")
    if total > MOST_OF_ALL:
        print(f"documents: {total} words together, at most {MOST_OF_ALL}; cut what a reader does not need")
    with open("CHANGELOG.md", encoding="utf-8") as f:
        newest = re.search(r"^## ([0-9.]+)", f.read(), re.M).group(1)
    with open("Makefile", encoding="utf-8") as f:
        version = re.search(r"^VERSION := (.*)$", f.read(), re.M).group(1)
    if newest != version:
        print(f"CHANGELOG.md: begins with {newest}, but the Makefile builds {version}")


if __name__ == "__main__":
    sys.exit(main())
