#!/usr/bin/env python3
"""memcheck.py - runs each flow of flows.py once under valgrind's memcheck, with one thread and with two. TAP: one line per flow and thread count.

A flow fails when memcheck finds an error: a read or write outside its memory, a decision on an uninitialised byte, an uninitialised byte
given to the system (so none reaches a file), or memory that is lost. Errors inside other libraries that cannot be ours are named, with
their reason, in memcheck.supp."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import flows  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FOUND = 99  # an exit code that hotset does not use


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--hotset", required=True, help="the program, built with -g")
    p.add_argument("--only", default="", help="flows whose name holds this text")
    p.add_argument("--threads", default="1,2", help="thread counts")
    a = p.parse_args()
    if not shutil.which("valgrind"):
        print("ok 1 - memcheck # SKIP valgrind is not installed (apt-get install valgrind)\n1..1")
        return 0
    number = failed = 0
    with tempfile.TemporaryDirectory(prefix="hotset-memcheck-") as work:
        hotset = os.path.abspath(a.hotset)
        flows.make_inputs(hotset, ROOT, work + "/in", False)
        for threads in a.threads.split(","):
            env = dict(os.environ, OMP_NUM_THREADS=threads, OMP_WAIT_POLICY="passive", LC_ALL="C", NO_COLOR="1")
            for flow in flows.flows():
                if flow.long or a.only not in flow.name:
                    continue
                place, log = work + "/run", work + "/log"
                shutil.rmtree(place, ignore_errors=True)
                os.makedirs(place)
                args = [threads if flow.args[i - 1] == "--threads" else arg for i, arg in enumerate(flow.args)]
                valgrind = ["valgrind", "-q", "--error-exitcode=%d" % FOUND, "--track-origins=yes", "--leak-check=full", "--errors-for-leak-kinds=definite",
                            "--show-leak-kinds=definite", "--suppressions=" + HERE + "/memcheck.supp", "--log-file=" + log, hotset]
                done = subprocess.run(valgrind + args, cwd=place, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                number += 1
                said = open(log, errors="replace").read() if os.path.exists(log) else ""
                good = done.returncode in (0, 1) and not said.strip()
                print("%s %d - %s, threads: %s" % ("ok" if good else "not ok", number, flow.name, threads), flush=True)
                if not good:
                    failed += 1
                    print("# exit code %d\n%s" % (done.returncode, "\n".join("# " + x for x in (done.stdout.decode("utf-8", "replace")[-600:] + said).split("\n")[:60])))
    print("1..%d" % number)
    return 1 if failed else 0


sys.exit(main())
