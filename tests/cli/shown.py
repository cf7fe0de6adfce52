"""For screens.py and terminal.py: what a command writes to a terminal of that many rows and columns, and its exit code."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios


def shown(command, folder, rows, columns, **env):
    """env: settings beside those of the environment, of which COLUMNS and NO_COLOR do not count. The progress bar is part of what is written."""
    everything = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")} | {"TERM": "xterm"} | env
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=everything)
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        said += part
    os.close(ours)
    return said.decode().replace("\r\n", "\n"), process.wait()


def plain(text):
    """What of it stays on the screen: without colours, and without what is drawn over."""
    return re.sub(r"\x1b\[[0-9;]*[mK]", "", re.sub(r"[^\n]*\r", "", text))
