"""Every public class, function and method of the package has a docstring and annotations for all it takes and gives; prints those without. Needs nothing else.

    python3 tests/lib/check_docs.py build/lib/hotset
"""
import ast
import os
import sys

for folder, _, names in os.walk(sys.argv[1]):
    for name in sorted(names):
        if not name.endswith(".py"):
            continue
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as f:
            tree = ast.parse(f.read())
        if not ast.get_docstring(tree):
            print("%s: no docstring" % path)
        open_, example = [(tree, True)], os.path.basename(folder) == "examples"
        while open_:
            at, public = open_.pop()
            for of in ast.iter_child_nodes(at):
                if not isinstance(of, (ast.ClassDef, ast.FunctionDef)):
                    continue
                shown = public and not of.name.startswith("_")
                setter = any(isinstance(d, ast.Attribute) for d in of.decorator_list)
                if shown and not setter and not example and not ast.get_docstring(of):
                    print("%s:%d: %s has no docstring" % (path, of.lineno, of.name))
                if isinstance(of, ast.FunctionDef):
                    words = of.args.posonlyargs + of.args.args + of.args.kwonlyargs + [a for a in (of.args.vararg, of.args.kwarg) if a]
                    for a in words:
                        if a.annotation is None and a.arg not in ("self", "cls"):
                            print("%s:%d: %s of %s has no annotation" % (path, of.lineno, a.arg, of.name))
                    if of.returns is None and of.name != "__init__":
                        print("%s:%d: what %s returns has no annotation" % (path, of.lineno, of.name))
                else:
                    open_.append((of, shown))
