"""_result.py - what a command answered: the document, a table, a picture."""
from __future__ import annotations

import functools
import html
import json
import os
import warnings
from typing import Any, Dict, Iterator, List, Optional, Tuple

from ._library import Path
from ._program import document
from ._picture import Picture, bars, lines

#: Where the rows of a document are, which of their columns a short table shows, and what the picture draws: over x, or else a bar per label.
_SHAPES: Dict[str, Tuple[str, List[str], Optional[str], str, str]] = {
    "results": ("rows", ["policy", "server", "budget", "reach", "simulated.feature_hit_rate", "simulated.topology_hit_rate", "simulated.total_transactions",
                         "simulated.prediction_error", "simulated.epoch_time.seconds", "status", "reason"], "budget_bytes", "simulated.total_transactions", "policy"),
    "plan": ("gpus", ["id", "clique", "budget_bytes", "train.count", "topology.count", "feature.count", "feature_rows.own", "feature_rows.peer",
                      "feature_rows.host"], None, "feature_rows.host", "id"),
    "size": ("candidates", ["server", "gpus", "budget_bytes", "feature_hit_rate", "transactions", "epoch_seconds", "meets"], "budget_bytes", "feature_hit_rate",
             "server"),
    "advice": ("levers", ["name", "possible", "alone.transactions_saved", "alone.seconds_saved", "asks"], None, "alone.transactions_saved", "name"),
    "validation": ("cases", ["name", "quantity", "points", "within", "tolerance", "worst", "verdict"], None, "worst", "name"),
    "batches": ("gpus", ["id", "batches", "seeds", "vertices", "expanded", "edges"], None, "vertices", "id"),
    "observation": ("gpus", [], None, "", "id"),
    "refresh": ("gpus", ["id", "feature.to_load", "topology.to_load", "feature.kept", "topology.kept", "seconds_to_load"], None, "seconds_to_load", "id"),
    "drift": ("schemes", ["scheme", "feature_hit_rate", "topology_hit_rate", "total_transactions", "bytes_loaded", "seconds_loading", "seconds_saved"],
              "window", "feature_hit_rate", "scheme"),
    "curve": ("parts", ["unit", "table", "name", "rows", "requests", "knee.share", "knee.hit_rate"], "share", "hit_rate", "name"),
    "what-if": ("inputs", ["name", "now", "low.value", "high.value", "low.epoch_seconds", "high.epoch_seconds", "low.decision", "high.decision"], None,
                "high.epoch_seconds", "name"),
}


#: Headings where a column's own name is not what the terminal says.
_WORDS = {"simulated.feature_hit_rate": "feat. hits", "simulated.topology_hit_rate": "topo. hits", "simulated.total_transactions": "all trans.",
          "simulated.prediction_error": "prediction", "simulated.epoch_time.seconds": "epoch"}


def _heading(name: str) -> str:
    return _WORDS.get(name) or name.replace("_", " ").replace(".", " ")


class Places(Dict[str, Any]):
    """Rows or visits by place: own memory, peers, host. "local", which documents say for own, works for one more version."""

    def __missing__(self, name: str) -> Any:
        if name != "local":
            raise KeyError(name)
        return self._old(3)

    def get(self, name: str, default: Any = None) -> Any:
        """As [name], or default."""
        return self._old(3) if name == "local" else super().get(name, default)

    def _old(self, level: int) -> Any:
        warnings.warn("[\"local\"] is [\"own\"] now; it will be gone in the next version", DeprecationWarning, stacklevel=level)
        return self["own"]


def _by_place(value: Any) -> Any:
    """The same with own, peer, host in every dict of local, peer, host."""
    if isinstance(value, list):
        return [_by_place(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "local" in value and "peer" in value:
        return Places({"own" if name == "local" else name: one for name, one in value.items()})
    return {name: _by_place(one) for name, one in value.items()}


def flat(row: Dict[str, Any], before: str = "") -> Dict[str, Any]:
    """A row without nesting: {"simulated": {"epochs": 8}} becomes {"simulated.epochs": 8}. Lists stay."""
    out: Dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            out.update(flat(value, before + name + "."))
        else:
            out[before + name] = value
    return out


def _scaled(value: float, units: List[Tuple[float, str]]) -> str:
    """Three digits in the largest unit that leaves one before the point."""
    of, unit = next(((of, unit) for of, unit in units if abs(value) >= of), units[-1])
    return "%s %s" % ("%.3g" % (value / of) if abs(value / of) < 1000 else "{:,.0f}".format(value / of), unit)


def _cell(value: Any, name: str = "") -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: ""}[value]
    if isinstance(value, (int, float)) and name.endswith("bytes"):
        return _scaled(value, [(2.0 ** 30, "GiB"), (2.0 ** 20, "MiB"), (2.0 ** 10, "KiB"), (1, "B")])
    if isinstance(value, float):
        kind = name.rpartition(".")[2]
        if kind in ("seconds", "epoch_seconds"):
            return _scaled(value, [(1, "s"), (1e-3, "ms"), (1e-6, "us")])
        if kind in ("hit_rate", "feature_hit_rate", "topology_hit_rate", "prediction_error"):
            return ("%+.2f %%" if kind == "prediction_error" else "%.2f %%") % (100 * value)
        return "{:,.0f}".format(value) if abs(value) >= 1000 else "%.4g" % value
    return "{:,}".format(value) if isinstance(value, int) else str(value)


def _tex(text: str) -> str:
    """Words that LaTeX shows as they are."""
    return "".join({"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}"}.get(c, "\\" + c if c in "&%$#_{}" else c) for c in text)


class Result:
    """What a command of the program answered.

    document: the JSON document, as the program printed it; its "schema" names what it is. rows: the part of it that is a table, one dict per row.
    yes: False where the answer of the command is no (exit code 1), for instance because no candidate meets the target. bool(result) is the same.
    """

    def __init__(self, printed: bytes, code: int = 0):
        self._printed = printed
        self.yes = code == 0
        self._kept: Any = None  # temporary directories that the document names

    @functools.cached_property
    def document(self) -> Dict[str, Any]:
        """The JSON document."""
        found: Dict[str, Any] = json.loads(self._printed)
        return found

    @property
    def _shape(self) -> Tuple[str, List[str], Optional[str], str, str]:
        return _SHAPES.get(str(self.document.get("schema", "")).split("/")[0], ("", [], None, "", ""))

    @property
    def rows(self) -> List[Dict[str, Any]]:
        """The rows of the document; the document itself where it has none. Those of a plan are its GPUs, with what was simulated of each; those of curves are
        the lines of every part, with "sizes", [{"share": of the rows, "hit_rate": ..}, ..]. Places are own, peer and host, where the document says local."""
        found: List[Dict[str, Any]] = _by_place(self._rows())
        return found

    def _rows(self) -> List[Dict[str, Any]]:
        rows = self.document.get(self._shape[0])
        if not isinstance(rows, list):
            return [self.document]
        if self._shape[0] == "parts":
            return [{**{k: v for k, v in {**part, **line}.items() if k not in ("lines", "hit_rate")},
                     "sizes": [{"share": k / self.document["points"], "hit_rate": rate} for k, rate in enumerate(line["hit_rate"]) if rate is not None]}
                    for part in rows for line in part["lines"]]
        counted = {gpu.get("id"): gpu for gpu in (self.document.get("simulated") or {}).get("gpus", [])}
        return [{**row, **counted.get(row.get("id"), {})} for row in rows]

    @property
    def sentence(self) -> str:
        """The answer in a sentence; "" where the document has none."""
        return str(self.document.get("sentence") or "")

    def __bool__(self) -> bool:
        return self.yes

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> Any:
        """A member of the document, with places as rows has them."""
        return _by_place(self.document[name])

    def _table(self) -> Tuple[List[str], List[List[str]]]:
        rows = [flat(row) for row in self.rows]
        if self._shape[0] == "rows":  # of each server and budget the best first, as the terminal has them
            groups = [(row.get("server"), row.get("budget")) for row in rows]
            rows.sort(key=lambda row: (groups.index((row.get("server"), row.get("budget"))), row.get("simulated.total_transactions", float("inf"))))
        wanted = self._shape[1] or [k for k, v in rows[0].items() if not isinstance(v, list)] if rows else []
        names = [name for name in wanted if any(row.get(name) not in (None, "ok") for row in rows)]
        return names, [[_cell(row.get(name), name) for name in names] for row in rows]

    def __repr__(self) -> str:
        names, rows = self._table()
        names = [_heading(name) for name in names]
        if len(rows) == 1 and self._shape[0] != "rows":
            return "\n".join([self.sentence][:bool(self.sentence)] + ["%s: %s" % pair for pair in zip(names, rows[0])])
        wide = [max(map(len, column)) for column in zip(names, *rows)]
        text = ["  ".join(cell.rjust(w) if cell[:1].isdigit() or cell[:1] in ("+", "-") else cell.ljust(w) for cell, w in zip(row, wide)).rstrip() for row in [names, *rows]]
        return "\n".join([self.sentence][:bool(self.sentence)] + text)

    def _repr_html_(self) -> str:
        names, rows = self._table()
        cells = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % html.escape(cell) for cell in row) for row in rows)
        head = "".join("<th>%s</th>" % html.escape(_heading(name)) for name in names)
        try:
            picture = self.plot().svg if self._shape[3] and rows else ""
        except KeyError:  # no row has a number to draw
            picture = ""
        return "<p>%s</p><table><tr>%s</tr>%s</table>%s" % (html.escape(self.sentence), head, cells, picture)

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame, with columns like "simulated.total_transactions". ImportError where pandas is not installed."""
        import pandas  # type: ignore[import-untyped,unused-ignore]

        return pandas.DataFrame([flat(row) for row in self.rows])

    def to_latex(self, columns: Optional[Dict[str, str]] = None, digits: int = 3) -> str:
        """The rows as a LaTeX tabular in the style of the package booktabs.

        columns: {column of to_pandas(): its heading}, in that order; left out, those of the table here. digits: significant ones of numbers with a fraction;
        hit rates and other shares stay shares. Words are set as they are.
        """
        rows, names = [flat(row) for row in self.rows], self._table()[0]
        heads = columns or {name: name.rpartition(".")[2].replace("_", " ") for name in names}
        of_numbers = [any(isinstance(row.get(name), (int, float)) and not isinstance(row.get(name), bool) for row in rows) for name in heads]

        def cell(value: Any) -> str:
            if isinstance(value, float):
                return "%.*g" % (digits, value)
            return "{:,}".format(value).replace(",", "\\,") if isinstance(value, int) and not isinstance(value, bool) else _tex(_cell(value))

        lines_ = [" & ".join(map(_tex, heads.values()))] + [" & ".join(cell(row.get(name)) for name in heads) for row in rows]
        body = "".join(line + " \\\\\n" + ("\\midrule\n" if k == 0 else "") for k, line in enumerate(lines_))
        return "%% needs \\usepackage{booktabs}\n\\begin{tabular}{%s}\n\\toprule\n%s\\bottomrule\n\\end{tabular}\n" % (
            "".join("r" if number else "l" for number in of_numbers), body)

    def bibtex(self) -> str:
        """BibTeX entries of the papers behind the policies of these rows (`hotset list bibtex`)."""
        named = {str(row.get("policy", "")).partition(":")[0] for row in [self.document, *self.rows]}
        return "\n".join(entry["bibtex"] for entry in document("list", "bibtex")["bibtex"] if named & set(entry["policies"]))

    def plot(self, y: Optional[str] = None, x: Optional[str] = None, by: Optional[str] = None, width: Optional[float] = None, **where: Any) -> Picture:
        """A picture of column y: lines over the numbers of column x with one per value of `by`, or a bar per value of `by` where there is no x.

        Notebooks show it; .save("p.svg") writes it. Columns are those of to_pandas(), or of a list inside its rows (as the windows of drift); those left out are
        what the kind of the document suggests. width: inches, as of a column of a paper; text and lines scale with it. where: only rows with these values, as
        server="dgx-v100". KeyError: no row has a number in column y.
        """
        _, _, usual_x, usual_y, usual_by = self._shape
        y, x, by = y or usual_y, x or usual_x, by or usual_by
        rows = self.rows
        if self._shape[0] == "parts" and not where:
            where = {"unit": rows[0]["unit"], "table": "all" if any(row["table"] == "all" for row in rows) else rows[0]["table"]}
        points: Dict[str, List[Tuple[float, float]]] = {}
        for row in map(flat, rows):
            inner = [v for v in row.values() if isinstance(v, list) and v and isinstance(v[0], dict) and x in v[0]]
            for at in [{**row, **part} for part in inner[0]] if inner else [row]:
                if isinstance(at.get(y), (int, float)) and all(at.get(k) == v for k, v in where.items()):
                    points.setdefault(str(at.get(by, "")), []).append((float(at.get(x) or 0) if x else 0.0, float(at[y])))
        if not points:
            raise KeyError("no row %shas a number in column %r" % ("with %s " % where if where else "", y))
        if x and any(len(of) > 1 for of in points.values()):
            return lines({name: sorted(of) for name, of in points.items()}, x, y).wide(width)
        return bars([(name, of[-1][1]) for name, of in points.items()], y).wide(width)

    def save(self, path: Path) -> None:
        """Writes the document to a file, byte for byte as the command line's --json prints it: `hotset report` draws it."""
        part = "%s.%d" % (os.fspath(path), os.getpid())
        with open(part, "wb") as f:
            f.write(self._printed)
        os.replace(part, path)
