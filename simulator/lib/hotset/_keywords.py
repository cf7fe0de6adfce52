"""_keywords.py - says the options of a command where people and editors look: in the signature and the text of its function."""
from __future__ import annotations

import inspect
from typing import Any, Callable, TypeVar

from ._options import WORDS

F = TypeVar("F", bound=Callable[..., Any])


def takes(options: Any) -> Callable[[F], F]:
    """Marks a function whose **options are those of a TypedDict: help() and completion show each of them."""
    def mark(function: F) -> F:
        given = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
        names = [name for name in options.__annotations__ if name not in {p.name for p in given}]
        keywords = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in names]
        function.__signature__ = inspect.Signature([*given, *keywords])  # type: ignore[attr-defined]
        text = inspect.cleandoc(function.__doc__ or "")
        function.__doc__ = "%s\n\nOptions (None: the program's default):\n%s" % (text, "\n".join("    %s: %s" % (name, WORDS[name]) for name in names))
        return function

    return mark
