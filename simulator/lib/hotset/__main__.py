"""python -m hotset: the program hotset."""
import os
import sys

from ._library import _program

if __name__ == "__main__":
    program = _program()
    os.execvp(program, ["hotset", *sys.argv[1:]])
