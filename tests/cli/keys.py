"""keys.py HOTSET DOCUMENT FOLDER,.. COMMAND..: every key of a document that its schema (hotset list schemas) gives a kind, with a value of another kind:
the command, on the folder "copy", must refuse it, exit code 3, and name the key. Each folder has such a document; a key is tried in the first that has it.
Prints what is wrong, and keys of the whole document that no row of the table names."""
import copy, json, os, shutil, subprocess, sys

hotset, name, folders, command = sys.argv[1], sys.argv[2], sys.argv[3].split(","), sys.argv[4:]
tried = set()

def wrong_of(s):
    kinds = s.get("type")
    if "enum" in s: return 7
    return None if kinds is None else "x" if "string" not in kinds else 7

def refused(path, value):
    key = ".".join(k for k in path if isinstance(k, str)) + "[]" * isinstance(path[-1], int)
    if key in tried: return
    tried.add(key)
    d = copy.deepcopy(whole)
    at = d
    for step in path[:-1]: at = at[step]
    at[path[-1]] = value
    with open("copy/" + name, "w") as f: json.dump(d, f)
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 3 or key.split(".")[-1].strip("[]") not in run.stderr: print(f"{path} = {value!r}: exit {run.returncode}: {run.stderr.strip()}")

def walk(s, d, path):
    for key in s.get("properties", {}):
        if key not in d: continue
        of, value = s["properties"][key], d[key]
        wrong = wrong_of(of)
        if wrong is not None: refused(path + [key], wrong)
        if isinstance(value, dict): walk(of, value, path + [key])
        elif isinstance(value, list) and value and "items" in of:
            wrong = wrong_of(of["items"])
            if wrong is not None: refused(path + [key, 0], wrong)
            if isinstance(value[0], dict): walk(of["items"], value[0], path + [key, 0])

for folder in folders:
    shutil.rmtree("copy", ignore_errors=True)
    shutil.copytree(folder, "copy")
    whole = json.load(open(os.path.join(folder, name)))
    schema = json.loads(subprocess.run([hotset, "list", "schemas", whole["schema"], "--json"], capture_output=True).stdout)
    whole.pop("checksum", None)  # so that the edit is what is found
    for key in whole:
        if key not in schema["properties"]: print(f"{folder}: {key}: is written, and no row of the table names it")
    walk(schema, whole, [])
assert len(tried) > 20, tried
