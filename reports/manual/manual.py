#!/usr/bin/env python3
"""manual.py HOTSET OUT - builds the manual: the documents below, and a reference from the program's own tables, as HTML with search.

Pages are files beside each other that need no server and no network. manual.mk finds a Python that has the package markdown.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys

import markdown

HERE = "reports/manual"
MODEL = "planner/model/"
PARTS = [
    ("Tutorial", ["reports/manual/tutorial.md"]),
    ("How to", ["planner/GUIDE.md", "planner/WORKLOADS.md", "planner/RUNTIMES.md", "planner/TIERS.md", "planner/RANKS.md", "traces/FILES.md"]),
    ("Reference", ["planner/PREMISES.md", "CHANGELOG.md"]),
    ("Explanation", [MODEL + f + ".md" for f in (
        "README vocabulary cliques sampling hotness transactions legion density estimates optimum assignment memories replay time rates inference "
        "policies sources example").split()]),
    ("Evidence", ["tests/BENCH.md", "planner/BENCH.md", "planner/partition/BENCH.md", "simulator/BENCH.md", "traces/BENCH.md", "kernels/BENCH.md",
                  "tests/SCALE.md", "planner/validation/POINTS.md", "tests/ptx/README.md"]),
    ("Developing", ["CONTRIBUTING.md", "tests/README.md"]),
]
LISTS = ["policies", "hotness", "formats", "exports", "caches", "servers", "drives", "datasets", "backends", "claims"]


def slug(text, _separator="-"):
    """The anchor of a heading, as tests/lint/texts.py has it."""
    return re.sub(r"[^\w\- ]", "", text.replace("`", "").lower()).strip().replace(" ", "-")


def page_of(path):
    return path[:-3].replace("/", "-") + ".html"


class Page:
    def __init__(self, part, name, title, body):
        self.part, self.name, self.title, self.body = part, name, title, body


# ---- documents
def document(part, path, pages, out):
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"^```(\w+) .*$", r"```\1", f.read(), flags=re.M)  # a second word marks blocks for tests
    text = re.sub(r"(?m)^((?!  |[-*|] |\d+\. |\s*$).*)\n(- |\d+\. )", r"\1\n\n\2", text)
    body = markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "sane_lists"],
                             extension_configs={"toc": {"slugify": slug}}, output_format="html5")
    title = re.search(r"^# +(.*)$", text, re.M).group(1)

    def link(match):
        to, words = match.group(1), match.group(2)
        if re.match(r"[a-z]+:", to) or to.startswith("#") or "/" not in to and to.endswith(".html"):
            return match.group(0)
        target, _, anchor = to.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(path), target))
        if target in pages:
            return f'<a href="{page_of(target)}{"#" + anchor if anchor else ""}">{words}</a>'
        return f'{words} <span class="source">({html.escape(target)})</span>' if target not in words else words

    def picture(match):
        target = os.path.normpath(os.path.join(os.path.dirname(path), match.group(1)))
        name = target.replace("/", "-")
        shutil.copyfile(target, os.path.join(out, name))
        return f'src="{name}"'

    body = re.sub(r'<a href="([^"]*)">(.*?)</a>', link, body, flags=re.S)
    body = re.sub(r'src="([^"]*)"', picture, body)
    body = re.sub(r"<code>([^<]*)</code>", lambda m: "<code>" + re.sub(r"(--[a-z][a-z-]*)", r'<span class="option">\1</span>', m.group(1)) + "</code>", body)
    return Page(part, page_of(path), re.sub(r"[`*]", "", title), body)


# ---- the reference: what the program says of itself
def ask(hotset, *words):
    return subprocess.run([hotset, *words], check=True, capture_output=True, text=True).stdout


def roff_text(text):
    text = html.escape(text.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\"), quote=False)
    text = re.sub(r"\\fB(.*?)\\fR", r"<b>\1</b>", text)
    return re.sub(r"\\fI(.*?)\\fR", r"<i>\1</i>", text)


def prose(lines):
    """HTML of a block of a description: paragraphs of what is flush, blocks of what is indented."""
    out, held = [], []

    def end():
        if held:
            block = held[0].startswith("  ")
            out.append("<pre>" + "\n".join(roff_text(h) for h in held) + "</pre>" if block else "<p>" + " ".join(roff_text(h) for h in held) + "</p>")
            held.clear()

    for line in lines:
        if held and (line.startswith("  ") != held[0].startswith("  ") or (len(held[-1]) < 80 and re.search(r"[.:]$", held[-1]))):
            end()
        if line.strip():
            held.append(line)
        else:
            end()
    end()
    return "".join(out)


def roff_body(text, commands):
    """HTML of a page that `hotset help --man` prints: headings, lists of options, blocks."""
    out, listed, term, block, words = [], False, False, None, ""
    for line in text.split("\n"):
        macro, _, rest = line.partition(" ") if line.startswith(".") else ("", "", line)
        if listed and macro in (".SH", ".SS"):
            out.append("</dl>")
            listed = False
        if macro == ".SH":
            words = rest.strip('"').capitalize()
            out.append(f'<h2 id="{slug(words)}">{html.escape(words)}</h2>')
        elif macro == ".SS":
            words = rest.strip('"')
            out.append(f'<h3 id="{slug(words)}">{html.escape(words)}</h3>')
        elif macro == ".TP":
            if not listed:
                out.append("<dl>")
            listed, term = True, True
        elif macro == ".nf":
            block = []
        elif macro == ".fi":
            out.append(prose(block) if words == "Description" else "<pre>" + "\n".join(roff_text(b) for b in block) + "</pre>")
            block = None
        elif block is not None:
            block.append(rest)
        elif macro in (".B", ".I"):
            out.append(f"<b>{roff_text(rest)}</b> ")
        elif macro in (".TH", ".PP"):
            continue
        elif term:
            page = re.search(r"hotset\\-([a-z\\-]+)", rest)
            name = page.group(1).replace("\\-", "-") if page else ""
            shown = roff_text(rest)
            anchor = re.search(r"\\-\\-((?:[a-z0-9]|\\-)+)", rest)
            out.append(f'<dt><a href="command-{name}.html">{shown}</a></dt>' if name in commands else
                       f'<dt id="{anchor.group(1).replace(chr(92), "")}">{shown}</dt>' if anchor else f"<dt>{shown}</dt>")
            term = False
        elif line.strip():
            out.append(f"<dd>{roff_text(rest)}</dd>" if listed else roff_text(line))
    if listed:
        out.append("</dl>")
    return "\n".join(out)


def keys_of(schema, path=""):
    """(key, type, sentence) of every key of a JSON Schema, those of parts with their path."""
    for name, value in schema.get("properties", {}).items():
        kinds = value.get("type", [])
        kinds = kinds if isinstance(kinds, list) else [kinds]
        items = value.get("items", {})
        said = value.get("description", "")
        if "enum" in value:
            kinds = [json.dumps(v) for v in value["enum"]]
        yield f"{path}{name}{'[]' if 'array' in kinds else ''}", " or ".join(kinds), said
        yield from keys_of(value, f"{path}{name}.")
        if isinstance(items, dict):
            yield from keys_of(items, f"{path}{name}[].")


def table(head, rows):
    cells = lambda tag, row: "".join(f"<{tag}>{html.escape(str(c))}</{tag}>" for c in row)
    return f"<table><thead><tr>{cells('th', head)}</tr></thead><tbody>" + "".join(f"<tr>{cells('td', r)}</tr>" for r in rows) + "</tbody></table>"


def reference(hotset):
    commands = ask(hotset, "help", "--commands").split("\n")[:-1]
    names = {c.replace(" ", "-") for c in commands}
    yield Page("Reference", "commands.html", "Commands", "<h1>Commands</h1>" + roff_body(ask(hotset, "help", "--man"), names))
    for command in commands:
        body = roff_body(ask(hotset, "help", "--man", *command.split()), names)
        yield Page("Commands", f"command-{command.replace(' ', '-')}.html", f"hotset {command}", f"<h1>hotset {command}</h1>" + body)
    for what in LISTS:
        rows = next(v for k, v in json.loads(ask(hotset, "list", what, "--json")).items() if isinstance(v, list))
        keys = [k for k in dict.fromkeys(k for r in rows for k in r) if any(isinstance(r.get(k), (str, int, float)) for r in rows)]
        cell = lambda v: "" if v is None or isinstance(v, (list, dict)) else v
        yield Page("Reference", f"list-{what}.html", what.capitalize(), f"<h1>{what.capitalize()}</h1><p>As <code>hotset list {what}</code> prints them.</p>"
                   + table(keys, [[cell(r.get(k)) for k in keys] for r in rows]))
    schemas = [line.split()[0] for line in ask(hotset, "list", "schemas").split("\n") if re.match(r"[a-z-]+/\d", line)]
    for name in schemas:
        schema = json.loads(ask(hotset, "list", "schemas", name, "--json"))
        yield Page("Documents", f"document-{name.replace('/', '-')}.html", name, f"<h1>{name}</h1><p>{html.escape(schema.get('description', ''))} "
                   f"The JSON Schema: <code>hotset list schemas {name} --json</code>.</p>" + table(["key", "type", "meaning"], keys_of(schema)).replace("<table>", '<table class="keys">'))


# ---- man pages, section 7, of documents
def roff_line(text):
    text = re.sub(r"!?\[([^\]\[]*)\]\([^)]*\)", r"\1", text).replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]*)`|\*\*([^*]+)\*\*", lambda m: f"\\fB{m.group(1) or m.group(2)}\\fR", text)
    return "\\&" + text if text.startswith((".", "'")) else text


def aligned(rows):
    """The lines of a table in Markdown as columns."""
    cells = [[re.sub(r"[`*]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", c)).strip() for c in r.strip("|").split(" | ")] for r in rows]
    cells = [r for r in cells if not set("".join(r)) <= set("-|")]
    wide = [max(len(r[n]) for r in cells if n < len(r)) for n in range(max(map(len, cells)))]
    return ["   ".join(c.ljust(wide[n]) for n, c in enumerate(r)).rstrip().replace("\\", "\\e").replace("-", "\\-") for r in cells]


def man_page(path, name, version):
    """The document as roff: headings, paragraphs, items; blocks and tables as they stand."""
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"^<!--.*-->\n", "", f.read(), flags=re.M)
    text = re.sub(r"(?:^\|.*\n)+", lambda m: "```\n" + "\n".join(aligned(m.group(0).strip().split("\n"))) + "\n```\n", text, flags=re.M)
    lines = text.split("\n")
    title = lines[0].lstrip("# ").replace("`", "")
    out, block = [f'.TH {name} 7 "" "hotset {version}" "hotset manual"', ".SH NAME", f"{name.lower()} \\- {roff_line(title)}"], False
    for line in lines[1:]:
        if line.startswith("```"):
            out += [".fi"] if block else [".PP", ".nf"]
            block = not block
            continue
        item, heading = re.match(r"\s*(?:[-*]|\d+\.) +(.*)", line), re.match(r"(#+) +(.*)", line)
        if block:
            out.append(("\\&" if line[:1] in (".", "'") else "") + (line if "\\-" in line else line.replace("\\", "\\e").replace("-", "\\-")))
        elif heading:
            out.append((".SH " if len(heading.group(1)) < 3 else ".SS ") + roff_line(heading.group(2)))
        elif item:
            out += [".IP \\(bu 2", roff_line(item.group(1))]
        else:
            out.append(roff_line(line.strip()) if line.strip() else ".PP")
    return "\n".join(out) + "\n"


# ---- pages
def navigation(pages, here):
    out, parts = [], list(dict.fromkeys(p.part for p in pages))
    for part in parts:
        inside = [p for p in pages if p.part == part]
        is_open = " open" if here and here.part == part else ""
        items = "".join(f'<li><a href="{p.name}"{" aria-current=page" if p is here else ""}>{html.escape(p.title)}</a></li>' for p in inside)
        out.append(f"<details{is_open}><summary>{part}</summary><ul>{items}</ul></details>")
    return "".join(out)


def write(out, pages, page, before, after, version):
    turn = "".join(f'<a rel="{rel}" href="{p.name}">{sign} {html.escape(p.title)}</a>' for rel, sign, p in
                   (("prev", "&larr;", before), ("next", "&rarr;", after)) if p)
    body = re.sub(r"(<table.*?</table>)", r'<div class="wide" tabindex="0">\1</div>', page.body, flags=re.S)
    with open(os.path.join(out, page.name), "w", encoding="utf-8") as f:
        f.write(f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(page.title)} - hotset</title><link rel="stylesheet" href="manual.css"></head><body>
<a class="skip" href="#text">to the text</a>
<header><a class="home" href="index.html">hotset {version}</a>
<form role="search"><input id="search" type="search" placeholder="Search  ( / )" aria-label="Search the manual" autocomplete="off"></form>
<ol id="found" hidden></ol></header>
<div class="columns"><nav aria-label="Contents"><details class="menu" open><summary>Contents</summary>{navigation(pages, page)}</details></nav>
<main id="text">{body}<footer>{turn}</footer></main></div>
<script src="index.js"></script><script src="search.js"></script></body></html>
""")


def plain(body):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", body))).strip()


def sections(page):
    """What search finds: the page, and every part of it that has an anchor."""
    pieces = re.split(r'(?=<(?:h[234]|dt) id=")', page.body)
    for piece in pieces:
        anchor = re.match(r'<(h[234]|dt) id="([^"]+)">(.*?)</\1>', piece, re.S)
        yield {"t": plain(anchor.group(3)) if anchor else page.title, "p": page.title if anchor else "",
               "u": page.name + (f"#{anchor.group(2)}" if anchor else ""), "x": plain(piece[anchor.end():] if anchor else re.sub(r"<h1.*?</h1>", "", piece, flags=re.S))}


def main(hotset, out):
    os.makedirs(out, exist_ok=True)
    version = ask(hotset, "--version").split()[1]
    named = {path for _, paths in PARTS for path in paths}
    pages = []
    for part, paths in PARTS:
        if part == "Reference":
            pages += reference(hotset)
        pages += [document(part, path, named, out) for path in paths]
    order = {p: n for n, p in enumerate(["Tutorial", "How to", "Reference", "Commands", "Documents", "Explanation", "Evidence", "Developing"])}
    pages.sort(key=lambda p: order[p.part])
    start = document("", f"{HERE}/index.md", named, out)
    start.name = "index.html"
    for n, page in enumerate(pages):
        write(out, pages, page, pages[n - 1] if n else None, pages[n + 1] if n + 1 < len(pages) else None, version)
    write(out, pages, start, None, pages[0], version)
    with open(os.path.join(out, "index.js"), "w", encoding="utf-8") as f:
        f.write("const INDEX = " + json.dumps([s for p in pages for s in sections(p)], ensure_ascii=False, separators=(",", ":")) + ";\n")
    os.makedirs(os.path.join(out, "man"), exist_ok=True)
    for path in [p for part, paths in PARTS if part in ("Tutorial", "How to", "Explanation") for p in paths]:
        name = "hotset-" + re.sub(r"^(planner-|reports-manual-|traces-)", "", path[:-3].replace("/", "-")).lower().replace("-readme", "")
        with open(os.path.join(out, "man", name + ".7"), "w", encoding="utf-8") as f:
            f.write(man_page(path, name.upper(), version))
    for name in ("manual.css", "search.js"):
        shutil.copyfile(f"{HERE}/{name}", os.path.join(out, name))
    print(f"{len(pages) + 1} pages in {out}; start with {out}/index.html")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
