"""docs.py FOLDER: follows every link of the manual's pages; a line per finding."""
import html.parser
import os
import sys
import urllib.parse


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.sources, self.open = set(), [], [], []

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        if "id" in named:
            self.ids.add(named["id"])
        if tag == "a":
            self.links.append(named.get("href", ""))
        self.sources += [v for k, v in attrs if k == "src" or (tag == "link" and k == "href")]
        if tag in ("table", "pre", "dl", "details", "nav", "main"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in ("table", "pre", "dl", "details", "nav", "main") and (not self.open or self.open.pop() != tag):
            print(f"</{tag}> closes nothing")


folder = sys.argv[1]
pages = {}
for name in sorted(os.listdir(folder)):
    if name.endswith(".html"):
        pages[name] = Reader()
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            pages[name].feed(f.read())
for name, page in pages.items():
    for link in page.links:
        if link.startswith(("https:", "http:")):
            continue
        target, _, anchor = urllib.parse.unquote(link).partition("#")
        if (target or name) not in pages:
            print(f"{name} links to {link}, which is not there")
        elif anchor and anchor not in pages[target or name].ids:
            print(f"{name} links to {link}, which has no such heading")
    for source in page.sources:
        if not os.path.isfile(os.path.join(folder, source)):
            print(f"{name} needs {source}, which is not there")
    if page.open:
        print(f"{name} leaves {page.open} open")
if len(pages) < 60:
    print(f"only {len(pages)} pages")
