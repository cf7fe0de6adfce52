"""typed_plan.py - libhotset's calls for plans of graphs with several types (hotset_typed_open): every table of rows with the calls of a Plan."""
import ctypes
import os
import weakref

from ._library import Error, _check, _CError, _COptions, _CTable, _lib
from .plan import Plan

_KINDS = ("feature", "topology", "edge_feature")


class _Rows:
    """The rows of a table: borrowed from the typed plan, which it keeps open."""

    def __init__(self, owner, at):
        self.owner, self.at = owner, at


class PlanTable(Plan):
    """One table of a typed plan, with the calls of a Plan over its rows: `vertices` counts them; a row is a vertex of the type, or for edges a position in the
    relation's indices. train_ids are the training vertices of the type; epoch_order is refused, because mini-batches take vertices of all types together.

    kind: "feature", "topology" or "edge_feature". name: the type, or (source, relation, target). exact: rows as on the host, where the type's other table
    holds rounded ones. element: of feature rows on the host, "" where there are none.
    """

    def __init__(self, handle, table, path):
        about, error = _CTable(ctypes.sizeof(_CTable)), _CError()
        _check(_lib.hotset_typed_about(handle.at, table, ctypes.byref(about), ctypes.byref(error)), error)
        self.kind, self.exact, self.trains = _KINDS[about.kind], bool(about.exact), bool(about.train)
        text = [None if x is None else x.decode() for x in (about.source, about.relation, about.type)]
        self.name, self.element = text[2] if text[1] is None else tuple(text), about.element.decode()
        self._read(_Rows(handle, _lib.hotset_typed_rows(handle.at, table)), path)

    def __repr__(self):
        return "<hotset table: %s of %s, %d rows>" % (self.kind, self.name, self.vertices)

    def lookup(self, gpu, kind=None, layout="smallest", threads=0):
        """Plan.lookup over the rows of this table; kind may be left out."""
        return super().lookup(gpu, kind or self._list, layout, threads)

    def lookup_bytes(self, gpu, kind=None, layout="smallest"):
        return super().lookup_bytes(gpu, kind or self._list, layout)

    @property
    def _list(self):
        return "topology" if self.kind == "topology" else "feature"


class _TypedHandle:
    """An open typed plan of the library; it is closed with the last table or array that uses it."""

    def __init__(self, path, options):
        at, error = ctypes.c_void_p(), _CError()
        _check(_lib.hotset_typed_open(os.fsencode(path), ctypes.byref(options), ctypes.byref(at), ctypes.byref(error)), error)
        self.at = at
        self._end = weakref.finalize(self, _lib.hotset_typed_close, at)


class PlanTables:
    """A plan directory of schema plan/2, opened and checked by libhotset. tables: a PlanTable per table, numbered as in hotset.h. (hotset.typed.TypedPlan
    reads the same files with NumPy alone, without the checks.)

        plan = hotset.PlanTables("P")
        papers = plan.find("feature", "paper")
        rows = hotset.PlannedRows(papers, gpu, features_of_papers).gather(batch_papers)
        plan.find("topology", ("author", "writes", "paper")).topology_ids(gpu)

    path, threads, check, memory_limit: as of Plan; the limit holds for each table.
    """

    def __init__(self, path, threads=0, check=True, memory_limit=0):
        self._handle = _TypedHandle(path, _COptions(ctypes.sizeof(_COptions), threads, 0 if check else 3, 0, memory_limit))
        self.path = os.fspath(path)
        self.tables = [PlanTable(self._handle, k, path) for k in range(_lib.hotset_typed_tables(self._handle.at))]
        self.gpus = self.tables[0].gpus if self.tables else []

    def find(self, kind, name, exact=False):
        """The table of a kind. name: a type, or (source, relation, target). KeyError: the plan has none."""
        if kind not in _KINDS:
            raise Error(2, "%r is no kind of rows; expected one of %s" % (kind, ", ".join(_KINDS)))
        text = name if isinstance(name, str) else "%s-%s->%s" % tuple(name)
        at = _lib.hotset_typed_find(self._handle.at, _KINDS.index(kind), text.encode(), int(exact))
        if at < 0:
            raise KeyError("the plan has no table of %s rows of %s%s" % (kind, text, ", exact" if exact else ""))
        return self.tables[at]
