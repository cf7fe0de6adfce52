"""hotset_program.py - the command `hotset` of the wheel. It starts the program inside the package hotset, which is not imported for that: no NumPy needed."""
import importlib.util
import os
import sys


def main():
    program = os.path.join(importlib.util.find_spec("hotset").submodule_search_locations[0], "hotset-bin")
    os.execv(program, ["hotset", *sys.argv[1:]])
