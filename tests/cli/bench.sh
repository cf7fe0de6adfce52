#!/usr/bin/env bash
# hotset bench: every case runs, small; the document says what was timed and where; nothing is left behind.
. "$(dirname "$0")/tap"
export TMPDIR=$work

ok "every case runs" eval '"$HOTSET" bench --size 20000 --repeats 1 -o all.json --quiet >table'
names=$("$HOTSET" bench --list | awk 'NR > 2 { print $1 }')
for n in $names; do grep -q "\"name\": \"$n\"" all.json || echo "$n is not in the result"; done | none "every case of --list is in the result"
ok "--list --json is a document with them" test "$("$HOTSET" bench --list --json | grep -c '"name"')" = "$(echo "$names" | wc -l)"
ok "the machine is named" grep -q '"cpu": "..*"' all.json
ok "no share is negative or missing" test "$(grep -c '"share_of_limit": [0-9]' all.json)" = "$(echo "$names" | wc -l)"
ok "--only takes first words" test "$("$HOTSET" bench --only replay,scan --size 20000 --repeats 1 --json --quiet | grep -c '"share_of_limit"')" = 9
ok "two runs side by side" eval '"$HOTSET" bench --only scan --size 20000 --repeats 1 --against all.json --quiet | grep -q "^scan .*x "'
ok "an unknown case is exit code 2" exits 2 "$HOTSET" bench --only sorting
ok "--host measures gathers of rows alone" eval '"$HOTSET" bench --host --json --memory 1GiB --quiet >host.json && grep -q "\"start_seconds\": " host.json && ! grep -q share_of_limit host.json'
ok "its cpu_gather is what a server states" eval 'python3 - "$root/hwprofiles/servers/siton.json" <<\PY >stated.json && "$HOTSET" server show stated.json --json --quiet >shown.json && grep -q "\"cpu_gather\"" shown.json
import json, sys
d = json.load(open(sys.argv[1]))
d["cpu_gather"] = json.load(open("host.json"))["host"]["cpu_gather"]
print(json.dumps(d))
PY'
ok "--host beside a benchmark is exit code 2" exits 2 "$HOTSET" bench --host --only sort
ok "the generated graph is gone" eval '! ls -d hotset-bench* .hotset-bench* 2>/dev/null'
finish
