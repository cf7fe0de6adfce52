"""hotset_program.py - the command `hotset` of the wheel. It starts the program inside the package hotset, which is not imported for that: no NumPy needed."""
import os
import sys


def main():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hotset", "hotset-bin")  # its own, whatever hotset PYTHONPATH has
    os.execv(program, ["hotset", *sys.argv[1:]])
