#!/usr/bin/env bash
# The stored predictions of case graphbolt-policies are what its commands give. GIVEN=all: also its other cache sizes.
. "$(dirname "$0")/tap"
command -v python3 >/dev/null || { skip "stored predictions" "python3 is not installed"; finish; }
cp "$root/tests/cli/validate_given.py" .
ok "the case" eval '"$HOTSET" validate --show graphbolt-policies >case.json'
ok "its commands give the stored predictions" python3 validate_given.py case.json "${GIVEN:-stored}"
ok "a stored prediction that differs is found" eval 'sed "s/\"predicted\": 1\.4/\"predicted\": 1.5/" case.json >other.json && ! cmp -s case.json other.json && ! python3 validate_given.py other.json stored >said && grep -q "^CLOCK: .*stored 1\.5" said'
finish
