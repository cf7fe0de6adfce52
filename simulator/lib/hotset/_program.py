"""_program.py - runs the program hotset, which does all planning: keywords become options, what it prints becomes a document, what it says becomes progress
or an exception. It is a process of its own, so that neither a fault in it nor Ctrl-C takes the interpreter down.
"""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from typing import IO, Any, Dict, List, Optional, Tuple, Union

import numpy as np

from ._library import Error, _program

#: What an option takes: True sets a flag, None and False leave the option out, a list is joined by commas, a dict gives NAME=VALUE, an array is handed over
#: as a .npy file and an answer as a .json file; graphs, servers and plans stand for their paths.
Option = Union[None, bool, int, float, str, "os.PathLike[str]", List[Any], Tuple[Any, ...], Dict[Any, Any], "np.ndarray[Any, Any]", Any]


def _text(value: Option, folder: str, name: str = "array") -> str:
    """One value as a word of the command line. Arrays are written below folder, as NAME.npy, and answers as NAME.json."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    answer: Any = value
    if hasattr(answer, "document") and hasattr(answer, "save"):
        path = os.path.join(folder, name + ".json")
        answer.save(path)
        return path
    if hasattr(value, "__array__"):
        path = os.path.join(folder, name + ".npy")
        np.save(path, np.asarray(getattr(value, "cpu", lambda: value)()))
        return path
    if isinstance(value, dict):
        parts = ["%s=%s" % (k if isinstance(k, str) else "%s-%s->%s" % tuple(k), _text(v, folder, "%s%d" % (name, i))) for i, (k, v) in enumerate(value.items())]
        return (";" if any("," in part for part in parts) else ",").join(parts)
    if isinstance(value, (list, tuple)):
        return ",".join(_text(v, folder, "%s%d" % (name, i)) for i, v in enumerate(value))
    return repr(value) if isinstance(value, float) else str(value)


def words_of(options: Dict[str, Option], folder: str) -> List[str]:
    """The options' words: simulate_epochs=4 is --simulate-epochs 4. A name that Python keeps for itself ends in "_". The program knows which there are."""
    words: List[str] = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            words += [option, _text(value, folder, name)]
    return words


def _error(code: int, said: str) -> Error:
    """The sentence of the program. Its last part says what to do."""
    lines = [line for line in said.splitlines() if line.startswith("hotset: ") and not line.startswith("hotset: warning: ")]
    if code < 0:
        return Error(70, "the program was ended by signal %d%s" % (-code, ": " + lines[-1][8:] if lines else ""))
    text = lines[-1][8:] if lines else said.strip() or "the program ended with code %d and said nothing" % code
    return Error(code, text.replace("replace it with --force", "replace it with force=True"))


def _terminal() -> bool:
    """Whether somebody looks: a terminal, or a notebook."""
    return bool(getattr(sys.stderr, "isatty", bool)()) or "ipykernel" in sys.modules


class _Said(threading.Thread):
    """Reads what the program says, and passes it on while it comes."""

    def __init__(self, source: int, show: bool):
        super().__init__(daemon=True)
        self.source, self.show, self.text = source, show, ""
        self.start()

    def run(self) -> None:
        while True:
            try:
                part = os.read(self.source, 4096).decode(errors="replace")
            except OSError:  # a terminal whose other side is closed
                part = ""
            if not part:
                return
            self.text += part
            if self.show:
                sys.stderr.write(part)
                sys.stderr.flush()


def _start(words: List[str], out: IO[bytes], quiet: bool) -> Tuple["subprocess.Popen[bytes]", _Said]:
    """Starts the program. Where somebody looks, a terminal of its own stands between, so that it draws its progress bars."""
    if _terminal() and not quiet:
        import fcntl
        import pty
        import struct
        import termios

        read, write = pty.openpty()
        fcntl.ioctl(write, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    else:
        read, write = os.pipe()
    try:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=write, env=dict(os.environ, HOTSET_PARENT=str(os.getpid()), HOTSET_GIVEN=os.path.join(tempfile.gettempdir(), "hotset-")))
    except OSError as e:
        raise Error(4, "the program hotset cannot be started (%s); $HOTSET names another" % e) from None
    finally:
        os.close(write)
    return process, _Said(read, not quiet)


def run(command: str, *arguments: Option, **options: Option) -> Tuple[bytes, int]:
    """Runs `hotset COMMAND ARGUMENTS OPTIONS --json`: (what it printed, 0 or 1). Error: the program's sentence and exit code.

    Exit code 1, the answer is no, is an error only where no document comes with it. Ctrl-C ends the program, too.
    """
    with tempfile.TemporaryDirectory(prefix="hotset-") as folder, tempfile.TemporaryFile() as out:
        words = [_program(), *command.split(), *(_text(a, folder, "argument%d" % k) for k, a in enumerate(arguments)), *words_of(dict(options, json=True), folder)]
        process, said = _start(words, out, bool(options.get("quiet")))
        try:
            code = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
        finally:
            said.join(5)
            os.close(said.source)
        out.seek(0)
        printed = out.read()
    if code and not (code == 1 and printed):
        raise _error(code, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.text.replace("\r", "\n")))
    return printed, code


def document(command: str, *arguments: Option, **options: Option) -> Dict[str, Any]:
    """The document that the command prints, silently."""
    value: Dict[str, Any] = json.loads(run(command, *arguments, **dict(options, quiet=True))[0])
    return value
