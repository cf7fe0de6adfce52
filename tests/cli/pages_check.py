#!/usr/bin/env python3
"""Checks what a page may run. usage: pages_check.py PAGE [SCRIPT ..]

The page holds exactly one script, its Content-Security-Policy allows this text alone (by its SHA-256) and nothing from elsewhere, and no element has a
handler, a source or a link that leads outside. With scripts given, writes PAGE with them at the end and without the policy to measured.html beside it.
"""
import base64
import hashlib
import html.parser
import os
import re
import sys


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.scripts, self.policies, self.wrong, self.inside = [], [], [], False

    def handle_starttag(self, tag, attributes):
        has = dict(attributes)
        if tag == "script":
            self.inside = True
            self.scripts.append("")
            if has: self.wrong.append("a script with attributes")
        if tag == "meta" and has.get("http-equiv", "").lower() == "content-security-policy": self.policies.append(has["content"])
        if tag in ("iframe", "object", "embed", "base", "link", "form", "img", "animate", "set", "foreignobject"): self.wrong.append("element " + tag)
        for name, value in attributes:
            if name.startswith("on"): self.wrong.append(f"the handler {name} of {tag}")
            if name in ("href", "src", "xlink:href", "action", "formaction", "srcset", "data", "poster") and re.match(r"\s*(\w+:|//)", value or ""):
                self.wrong.append(f"{name} leads to {value}")

    def handle_data(self, data):
        if self.inside: self.scripts[-1] += data

    def handle_endtag(self, tag):
        if tag == "script": self.inside = False


def main(path, added):
    text = open(path, newline="").read()
    page = Page()
    page.feed(text)
    if len(page.scripts) != 1 or text.count("<script") != 1: page.wrong.append(f"{len(page.scripts)} scripts")
    else:
        known = base64.b64encode(hashlib.sha256(page.scripts[0].encode()).digest()).decode()
        wanted = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{known}'"
        if page.policies != [wanted]: page.wrong.append(f"policy {page.policies}, expected {wanted}")
        for word in ("fetch(", "XMLHttpRequest", "WebSocket", "import", "eval(", "innerHTML", "http", "document.write", "Function("):
            if word in page.scripts[0]: page.wrong.append(f"the script says {word}")
    if "@import" in text or re.search(r"url\((?!#)", text): page.wrong.append("the style refers to a file")
    if added:
        text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
        own = "".join("<script>" + open(a).read().replace("</script", "<\\/script") + "</script>" for a in added)
        open(os.path.join(os.path.dirname(path), "measured.html"), "w").write(text.replace("</body>", own + "</body>"))
    print("\n".join(page.wrong))
    return len(page.wrong) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
