#!/usr/bin/env bash
# The registries that the Makefile writes: a new file is a new plug-in, a helper is none, a copy that was not renamed is told.
. "$(dirname "$0")/tap"
mkdir tree && cp "$root/Makefile" tree/ && mkdir -p tree/planner tree/simulator/lib tree/planner/policies tree/traces/commands
cp "$root"/simulator/lib/{lib.mk,hotset.h} tree/simulator/lib/
cp -r "$root"/simulator/lib/package tree/simulator/lib/
cp "$root"/planner/policies/random.c tree/planner/policies/
cd tree || exit 2
gen() { make BUILD=b NVCC= CC="${CC:-cc}" "b/gen/$1.c" >../.made 2>&1; }

ok "a registry is written" gen policies
ok "it lists the policy" grep -qx '    &policy_random,' b/gen/policies.c
sed 's/policy_random/policy_mine/g' planner/policies/random.c >planner/policies/mine.c
ok "a further file is a further policy" eval 'gen policies && grep -qx "    &policy_mine," b/gen/policies.c'
echo 'int helper(void); int helper(void) { return 0; }' >planner/policies/helper.c
ok "a file without a descriptor is no policy" eval 'gen policies && ! grep -q helper b/gen/policies.c'
cp planner/policies/random.c planner/policies/copied.c
ok "a copy that was not renamed ends make" eval '! gen policies'
ok "and make says what to do" grep -q "planner/policies/copied.c defines policy_random, but a plug-in is named after its file: call it policy_copied" ../.made
rm planner/policies/copied.c
echo 'int nothing(void); int nothing(void) { return 0; }' >traces/commands/cmd_nothing.c
ok "a command file without a command ends make" eval '! gen commands'
ok "and make says what is missing" grep -q "traces/commands/cmd_nothing.c defines no command" ../.made
cd ..
finish
