"""_old.py - modules that were public, found by their old names for one more version."""
from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import warnings
from types import ModuleType
from typing import Any, Optional, Sequence

MOVED = {"batches", "batches_types", "face", "graphs", "loaded", "lookup", "observed", "orders", "picture", "pyg_hetero", "recorder", "result", "rows", "running",
         "topology", "torch_draw"}


class _Old(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Hands the module out that a name had."""

    def find_spec(self, name: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None) -> Optional[importlib.machinery.ModuleSpec]:
        """Of a moved module."""
        package, _, last = name.rpartition(".")
        return importlib.machinery.ModuleSpec(name, self) if package == "hotset" and last in MOVED else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """The module, under its own name."""
        last = spec.name.rpartition(".")[2]
        warnings.warn("%s is private and will be gone in the next version; its names are those of hotset, hotset.pyg and hotset.torch_rows" % spec.name,
                      DeprecationWarning, stacklevel=2)
        module = importlib.import_module("hotset._" + last)
        self._own = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It has run already."""
        module.__spec__ = self._own


def old(name: str) -> Any:
    """The module of that old name, for an attribute of the package; AttributeError: there was none."""
    if name not in MOVED:
        raise AttributeError("module 'hotset' has no attribute %r" % name)
    return importlib.import_module("hotset." + name)


sys.meta_path.append(_Old())
