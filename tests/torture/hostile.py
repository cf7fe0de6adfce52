"""hostile.py - inputs made to hurt: folders that lie, archives that explode, deep or self-referring texts, names that are code elsewhere."""
import gzip
import html.parser
import json
import lzma
import os
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree
import warnings
import zipfile
import zlib

warnings.simplefilter("ignore")  # zipfile warns of the lies that are wanted here
EVIL = ["\"><script>alert(1)</script>", "'; system(\"touch PWNED\"); '", "`touch PWNED`", "$(touch PWNED)", "a\nset output 'PWNED'\nb", "</text><script>x</script>",
        "&amp;&lt;<!--", "\" onload=\"alert(1)", "x\\\n!touch PWNED", "{/:Bold x} @^_%s%n\\n", "]]></style>", "\u202e\u0007\u001b[31m", "'''\nimport os; os.mknod('PWNED')\n'''"]


class Case:
    """prepare(folder) makes the input there and returns the command line; judge says what is wrong with the run."""

    def __init__(self, name, prepare, codes=(1, 2, 3, 4, 5), check=None, outside=False):
        self.name, self.prepare, self.codes, self.check, self.outside = name, prepare, codes, check, outside

    def judge(self, r, folder, kept):
        text = r.err.decode("utf-8", "replace")
        if r.code == 124:
            return "hangs"
        if r.code >= 126 or r.code == 70 or "internal error" in text:
            return "crashes with exit code %d: %s" % (r.code, text.strip()[:150])
        if r.code not in self.codes:
            return "exit code %d, expected one of %s: %s" % (r.code, self.codes, text.strip()[:150])
        if r.code and not re.search(r"^hotset: .{10,}", text, re.M):
            return "exit code %d without a sentence" % r.code
        for at, folders, files in os.walk(folder):
            for name in folders + files:
                path = os.path.relpath(os.path.join(at, name), folder)
                if name == "PWNED":
                    return "a text of the input was executed: it made %s" % path
                if ".tmp-" in name or (r.code and path.split("/")[0].startswith("out") and path not in kept and not name.endswith(".partial")):
                    return "exit code %d, but %s is left behind" % (r.code, path)
        return self.check(r, folder) if self.check else None


def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.islink(path) or os.path.exists(path):
        os.remove(path)
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape"))


def npy(kind, shape, data=b""):
    head = ("{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }" % (kind, shape)).encode()
    head += b" " * ((-len(head) - 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data


def edit(path, change):
    d = json.load(open(path))
    d.pop("checksum", None)
    change(d)
    put(path, json.dumps(d))


def walk(d, at=()):
    """Every place of a document."""
    yield at
    for key in d if isinstance(d, dict) else range(len(d)) if isinstance(d, list) else ():
        yield from walk(d[key], at + (key,))


def set_at(d, at, value):
    for key in at[:-1]:
        d = d[key]
    d[at[-1]] = value


READERS = {"P": [["verify", "D"], ["simulate", "D", "--graph", "../in/G", "--epochs", "1", "--quiet"],
                 ["explain", "D", "--graph", "../in/G", "--vertex", "1", "--quiet"], ["diff", "D", "../in/P2", "--graph", "../in/G"],
                 ["export", "D", "--graph", "../in/G", "--to", "npy", "--simulate-epochs", "0", "-o", "out", "--quiet"], ["report", "D", "-o", "out"],
                 ["execute", "D", "--graph", "../in/G", "--epochs", "1", "--quiet"]],
           "T": [["plan", "--graph", "../in/G", "--server", "../in/solo.json", "--trace", "D", "--policy", "hotset", "--budget", "60", "--simulate-epochs", "0",
                  "-o", "out", "--quiet"]],
           "G": [["graph", "info", "D", "--verify"], ["plan", "--graph", "D", "--server", "../in/solo.json", "--policy", "hotset", "--budget", "60", "--batch", "2",
                                                      "--fanout", "2,2", "--simulate-epochs", "0", "-o", "out", "--quiet"],
                 ["graph", "relabel", "D", "-o", "out", "--quiet"], ["graph", "import", "D", "-o", "out", "--quiet"]]}
DOCUMENT = {"P": "plan.json", "T": "trace.json", "G": "graph.json"}
VALUES = [-1, 0, 2 ** 31, 2 ** 53, 2 ** 62, 2 ** 63 - 1, 1e308, -0.5, None, True, "", "../../../../etc/passwd", "/etc/passwd", "a\x00b", "x" * 5000, [], {}, [0] * 3000,
          {"file": "../in/solo.json"}]
ANY = (0, 1, 2, 3, 4, 5)


def folders(base, random):
    """Folders whose document, file names or arrays lie."""
    for kind, readers in READERS.items():
        source, document = os.path.join(base, kind), json.load(open(os.path.join(base, kind, DOCUMENT[kind])))
        places = [at for at in walk(document) if at]
        lies = [(at, v) for at in places for v in VALUES]
        random.shuffle(lies)

        def lie(folder, kind=kind, source=source, at=None, value=None, reader=None):
            shutil.copytree(source, folder + "/D")
            edit(folder + "/D/" + DOCUMENT[kind], lambda d: set_at(d, at, value))
            return reader

        def damage(folder, kind=kind, source=source, name=None, how=None, reader=None):
            shutil.copytree(source, folder + "/D")
            path = folder + "/D/" + name
            os.remove(path)
            how(path)
            return reader

        arrays = sorted(n for n in os.listdir(source) if n.endswith(".npy"))
        harms = {"a folder": os.mkdir, "a pipe": os.mkfifo, "a link to /dev/zero": lambda p: os.symlink("/dev/zero", p),
                 "a link to itself": lambda p: os.symlink(os.path.basename(p), p), "a link to /etc/passwd": lambda p: os.symlink("/etc/passwd", p),
                 "a header of terabytes": lambda p: put(p, npy("<u4", 2 ** 42, b"\0" * 64)), "a header beyond 64 bits": lambda p: put(p, npy("<i8", 2 ** 64 - 1)),
                 "a negative shape": lambda p: put(p, npy("<u4", -5)), "floats": lambda p: put(p, npy("<f4", 2, struct.pack("<2f", float("nan"), 1e30))),
                 "empty": lambda p: put(p, b""), "half a header": lambda p: put(p, npy("<u4", 3)[:20]), "ids beyond": lambda p: put(p, npy("<u4", 2, b"\xff" * 8)),
                 "objects": lambda p: put(p, npy("|O", 2, b"\0" * 16)), "deep": lambda p: put(p, b"[" * 100000)}
        for name in arrays + [DOCUMENT[kind]]:
            for how in harms:
                for reader in readers:
                    yield Case("%s: %s is %s" % (DOCUMENT[kind], re.sub(r"\d+", "N", name), how),
                               lambda f, n=name, h=harms[how], r=reader, d=damage: d(f, name=n, how=h, reader=r), codes=ANY if kind == "P" else ANY)
        for at, value in lies:
            reader = random.choice(readers)
            yield Case("%s: %s is %s" % (DOCUMENT[kind], ".".join("N" if isinstance(k, int) else k for k in at), json.dumps(value)[:30]),
                       lambda f, a=at, v=value, r=reader, l=lie: l(f, at=a, value=v, reader=r), codes=ANY, check=no_passwd)


def no_passwd(r, folder):
    said = r.out + r.err
    return "the content of /etc/passwd is shown" if b"root:x:" in said or b"root:*:" in said else None


def bombs():
    """Archives that unpack to much more than they are."""
    def gz(folder, text, times):
        c = zlib.compressobj(9, zlib.DEFLATED, 31)
        data = b"".join(c.compress(text * 65536) for _ in range(times)) + c.flush()
        put(folder + "/b.txt.gz", data)
        return ["graph", "import", "b.txt.gz", "-o", "out", "--quiet", "--memory", "64MiB"]

    def archive(folder, names, size, claim=None, npz="indptr.npy"):
        with zipfile.ZipFile(folder + "/b.npz", "w", zipfile.ZIP_DEFLATED) as z:
            for name in names:
                z.writestr(name, npy("<i8", size // 8) + b"\0" * (size - 128))
        if claim:
            data = bytearray(open(folder + "/b.npz", "rb").read())
            for mark, offset in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
                at = data.find(mark)
                while at >= 0:
                    data[at + offset:at + offset + 4] = struct.pack("<I", claim)
                    at = data.find(mark, at + 1)
            put(folder + "/b.npz", bytes(data))
        return ["graph", "import", "b.npz", "-o", "out", "--quiet", "--memory", "64MiB"]

    yield Case("gzip of 64 MiB of blanks", lambda f: gz(f, b" ", 1024), codes=(3, 5))
    yield Case("gzip of one line of 64 MiB", lambda f: gz(f, b"7", 1024), codes=(3, 5))
    yield Case("gzip of 64 MiB of empty lines", lambda f: gz(f, b"\n", 1024), codes=(3, 5))
    yield Case("gzip of 8 million equal arcs", lambda f: gz(f, b"0 1\n", 128), codes=(0, 5))
    yield Case("gzip within gzip", lambda f: (put(f + "/b.txt.gz", gzip.compress(gzip.compress(b"0 1\n"))), ["graph", "import", "b.txt.gz", "-o", "out"])[1], codes=(3,))
    def xz(folder, text, times):
        put(folder + "/b.txt.xz", lzma.compress(text * 65536 * times, preset=0))
        return ["graph", "import", "b.txt.xz", "-o", "out", "--quiet", "--memory", "64MiB"]

    yield Case("xz of one line of 64 MiB", lambda f: xz(f, b"7", 1024), codes=(3, 4, 5))
    yield Case("xz of 8 million equal arcs", lambda f: xz(f, b"0 1\n", 128), codes=(0, 4, 5))
    yield Case("npz that unpacks to 512 MiB", lambda f: archive(f, ["indptr.npy", "indices.npy"], 256 << 20), codes=(3, 5))
    for claim in (0xffffffff, 0xfffffff0, 1, 0):
        yield Case("npz whose sizes lie (%d)" % claim, lambda f, c=claim: archive(f, ["indptr.npy", "indices.npy"], 4096, c), codes=(3, 5))
    yield Case("npz with names that climb", lambda f: archive(f, ["../indptr.npy", "/indices.npy", "../../x"], 4096), codes=(3, 5), outside=True)
    yield Case("npz with one name twice", lambda f: archive(f, ["indptr.npy", "indptr.npy", "indices.npy"], 4096), codes=ANY)


def texts():
    """XML and JSON that explode, nest or refer to files."""
    laughs = "<!DOCTYPE x [<!ENTITY a \"ha\">" + "".join("<!ENTITY %s \"%s\">" % (chr(98 + i), ("&%s;" % chr(97 + i)) * 10) for i in range(20)) + "]>"
    xml = {"billion laughs": laughs + "<topology><object type=\"Machine\"><info name=\"x\" value=\"&t;\"/></object></topology>",
           "external entity": "<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><topology><object type=\"Machine\" name=\"&a;\"/></topology>",
           "a million open tags": "<topology>" + "<object type=\"Machine\">" * 1000000, "a million attributes": "<topology " + "".join("a%d=\"1\" " % i for i in range(1000000)) + "/>",
           "a tag of 20 MB": "<topology a=\"" + "x" * 20000000 + "\"/>", "never closed": "<topology><!-- ", "numeric references": "<topology>&#0;&#x110000;&#99999999999;</topology>",
           "nccl nested": "<system version=\"1\">" + "<cpu><pci>" * 50000}
    for name, text in xml.items():
        for suffix in ("", " with a declaration"):
            yield Case("XML: %s%s" % (name, suffix),
                       lambda f, t=text, s=suffix: (put(f + "/x.xml", ("<?xml version=\"1.0\"?>\n" if s else "") + t), ["server", "import", "x.xml", "-o", "out.json"])[1],
                       codes=(3, 5), check=no_passwd)
    data = {"nested lists": "[" * 1000000, "nested objects": "{\"a\":" * 1000000, "closed nesting": "[" * 5000 + "]" * 5000, "a number of 10 MB": "1" * 10000000,
            "1e400": "{\"schema\": \"server/1\", \"name\": 1e400}", "NaN": "{\"schema\": \"server/1\", \"gpus\": NaN}", "not UTF-8": b"{\"schema\": \"\xff\xfe\"}",
            "a NUL": b"{\"schema\": \"a\\u0000b\", \"name\": \"\\u0000\"}", "a string of 50 MB": "{\"schema\": \"" + "x" * 50000000 + "\"}", "nothing": "", "a byte order mark": b"\xef\xbb\xbf{}",
            "keys twice": "{\"schema\": \"server/1\", \"schema\": \"plan/1\"}"}
    for name, text in data.items():
        for args in (["server", "show", "x.json"], ["report", "x.json", "-o", "out"], ["plan", "--graph", "../in/G", "--server", "x.json", "-o", "out"], ["verify", "D"],
                     ["simulate", "../in/P", "--graph", "../in/G", "--epochs", "1", "--server", "../in/solo.json", "--calibration", "x.json", "--quiet"], ["graph", "info", "D"]):
            def make(f, t=text, a=args):
                put(f + "/x.json", t)
                put(f + "/D/plan.json", t)
                put(f + "/D/graph.json", t)
                return a
            yield Case("JSON: %s, %s" % (name, " ".join(args[:2]) if args[0] in ("server", "graph") else args[0]), make, codes=(1, 2, 3, 5))


class Tags(html.parser.HTMLParser):
    """Finds tags and handlers that only an input can have brought: a script of an alert, an on.. attribute, a tag x."""

    def __init__(self):
        super().__init__()
        self.bad, self.script = None, False

    def handle_starttag(self, tag, attributes):
        self.script = tag == "script"
        for name, value in attributes:
            if name.startswith("on") and "alert" in (value or ""):
                self.bad = "the handler %s" % name

    def handle_data(self, data):
        if self.script and data.strip() in ("alert(1)", "x"):
            self.bad = "a script"

    def handle_endtag(self, tag):
        self.script = False


def pictures(r, folder):
    """Every SVG is XML; no page has a tag or a handler of the input; loaders are Python; scripts are shell."""
    for at, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(at, name)
            if name.endswith(".svg"):
                try:
                    xml.etree.ElementTree.parse(path)
                except xml.etree.ElementTree.ParseError as e:
                    return "%s is no XML: %s" % (name, e)
            if name.endswith((".svg", ".html")):
                found = Tags()
                found.feed(open(path, errors="replace").read())
                if found.bad:
                    return "%s holds %s of the input" % (name, found.bad)
            if name.endswith(".py"):
                try:
                    compile(open(path).read(), name, "exec")
                except (SyntaxError, ValueError) as e:
                    return "%s is no Python: %s" % (name, e)
            if name.endswith(".sh") and subprocess.run(["bash", "-n", path], stderr=subprocess.DEVNULL).returncode:
                return "%s is no shell script" % name
    if r.out.lstrip().startswith(b"<svg") or r.out.lstrip().startswith(b"<?xml"):
        try:
            xml.etree.ElementTree.fromstring(r.out.decode("utf-8", "replace"))
        except xml.etree.ElementTree.ParseError as e:
            return "standard output is no XML: %s" % e
        if b"<script" in r.out:
            return "the picture holds a script of the input"
    if b"\x1b[31m" in r.out + r.err:
        return "an escape sequence of the input reaches the terminal"
    return None


def rename_all(d, text):
    """Texts for people in a document, everywhere."""
    for key, value in list(d.items()) if isinstance(d, dict) else enumerate(d):
        if isinstance(value, (dict, list)):
            rename_all(value, text)
        elif isinstance(value, str) and key in ("name", "description", "server", "graph", "policy", "model", "source", "title", "gpu", "text", "label", "limited_by"):
            d[key] = text


def names(hotset):
    """Texts that reach gnuplot, HTML, SVG, Python and shell."""
    def server(folder, text, args):
        d = json.load(open(folder + "/../in/solo.json"))
        d.update(name=text, description=text)
        for g in d["gpus"]:
            g["name"] = g["model"] = text
        put(folder + "/e.json", json.dumps(d))
        return args

    def drawn(folder, text, source, title):
        d = json.load(open(folder + "/../in/" + source))
        d.pop("checksum", None)
        rename_all(d, text)
        put(folder + "/e.json", json.dumps(d))
        return ["report", "e.json", "-o", "out", "--quiet"] + (["--title", text] if title else [])

    def exported(folder, text, to):
        place = folder + "/" + text.replace("/", "_").replace("\0", "")
        shutil.copytree(folder + "/../in/P", place)
        shutil.copytree(folder + "/../in/G", place + "G")
        edit(place + "G/graph.json", lambda d: d.update(name=text))
        return ["export", os.path.basename(place), "--graph", os.path.basename(place) + "G", "--to", to, "--simulate-epochs", "0", "-o", "out", "--quiet"] + (
            ["--hbm-gbps", "300", "--pcie-gbps", "8"] if to == "ugache" else [])

    for text in EVIL:
        for args in (["server", "show", "e.json"], ["server", "show", "e.json", "--svg", "out.svg"], ["server", "diff", "e.json", "siton"],
                     ["compare", "--graph", "../in/G", "--server", "e.json", "--policy", "legion,hotset", "--budget", "60", "--fanout", "2", "--batch", "2", "-o", "out.json", "--quiet"]):
            yield Case("a server named %r: %s" % (text[:24], args[0] if args[0] != "server" else " ".join(args[:2])), lambda f, t=text, a=args: server(f, t, a), codes=ANY, check=pictures)
        for source in ("R.json", "S.json", "E.json"):
            yield Case("texts of %s are %r" % (source, text[:24]), lambda f, t=text, s=source: drawn(f, t, s, True), codes=ANY, check=pictures)
        for to in ("dgl", "quiver", "legion", "gnnlab", "npy", "ugache"):
            yield Case("a plan in a folder named %r for %s" % (text[:24], to), lambda f, t=text, x=to: exported(f, t, x), codes=ANY, check=pictures)
    yield Case("shell completion", lambda f: ["help", "--completion"], codes=(0,),
               check=lambda r, f: "bash cannot read it" if subprocess.run(["bash", "-n"], input=r.out).returncode else None)


def mixed(lists):
    """One of each list in turn."""
    live = [iter(x) for x in lists]
    while live:
        for one in list(live):
            item = next(one, None)
            if item is None:
                live.remove(one)
            else:
                yield item


def cases(hotset, base, random):
    few = list(folders(base, random))
    random.shuffle(few)
    shuffled = []
    for more in (texts(), names(hotset)):
        more = list(more)
        random.shuffle(more)
        shuffled.append(more)
    return mixed([few, bombs()] + shuffled)
