# tests.mk - everything that judges hotset. Included by the Makefile; `make help` lists the targets.
FUZZ_SECONDS ?= 60
FUZZ_LENGTH  ?= 65536
FUZZ_SANITIZER ?= address
TEST_JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
CLANG        ?= clang
JUDGE        ?= ../shared/judge/check-all
CMOCKA       ?= -lcmocka

TEST_SOURCES  := $(wildcard tests/unit/test_*.c tests/oracle/test_*.c tests/property/test_*.c)
TEST_PROGRAMS := $(TEST_SOURCES:%.c=$(BUILD)/%)
UNIT_PROGRAMS := $(filter $(BUILD)/tests/unit/%,$(TEST_PROGRAMS))
EQUIV_PROGRAM := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/equiv/*.c))
RIVAL_PROGRAM := $(BUILD)/tests/rivals/ours
LIB_PROGRAMS  := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/lib/test_*.c))
include tests/emulated/emulated.mk
include tests/ptx/ptx.mk
FUZZ_SOURCES  := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_REPLAYS  := $(FUZZ_SOURCES:tests/fuzz/%.c=$(BUILD)/tests/fuzz/replay_%)
FUZZERS       := $(FUZZ_SOURCES:tests/fuzz/%.c=$(BUILD)/tests/fuzz/%)
TEST_SCRIPTS  := tests/lint/lint tests/golden/golden $(wildcard tests/cli/*.sh tests/lib/*.sh tests/oracle/*.sh tests/property/*.sh tests/emulated/*.sh \
                 tests/torture/*.sh tests/mutants/*.sh tests/package/*.sh) $(PTX_SCRIPTS)
TEST_CFLAGS    = $(CFLAGS) -O1 $(HS_CFLAGS) -Itests -MMD -MP
TEST_RUN       = HOTSET=$(abspath $(BUILD)/hotset) BUILD=$(BUILD) CC="$(CC)" TEST_JOBS=$(TEST_JOBS) tests/run

test-programs: $(BUILD)/hotset tests-cmocka $(TEST_PROGRAMS) $(LIB_PROGRAMS) $(EQUIV_PROGRAM) $(RIVAL_PROGRAM) $(FUZZ_REPLAYS) ## build every test program but those of the CUDA code, run none

# The suite in tiers: tests/tiers says which programs have a short part and which a rest. What has no short part is not built for `make test`.
REST_ONLY  := $(shell awk '!/^\#/ && $$2 == "-" { print $$1 }' tests/tiers)
TEST_BUILT := $(TEST_PROGRAMS) $(LIB_PROGRAMS) $(EQUIV_PROGRAM) $(filter-out %/hotset,$(EMU_PROGRAMS)) $(PTX_TESTS) $(FUZZ_REPLAYS)
TEST_SHORT := $(filter-out $(REST_ONLY),$(TEST_SCRIPTS)) $(filter-out $(REST_ONLY:%=$(BUILD)/%),$(TEST_BUILT))
# Where make was given no -j, tests are built by as many jobs as run them.
ifneq ($(and $(filter 0,$(MAKELEVEL)),$(filter test test-all test-times check,$(MAKECMDGOALS))),)
MAKEFLAGS := $(MAKEFLAGS) -j$(TEST_JOBS)
endif

test: $(BUILD)/hotset tests-cmocka $(filter $(BUILD)/%,$(TEST_SHORT)) $(RIVAL_PROGRAM) $(filter %/faults,$(PTX_PROGRAMS)) lib ## the short tier: lint, units, goldens, a small case of everything; the last line counts (under 5 minutes on two cores)
	@TEST_TIERS=short $(TEST_RUN) $(TEST_SHORT)

test-all: test-programs $(EMU_PROGRAMS) $(PTX_PROGRAMS) lib ## every test: the short tier, then the rest, nothing twice; the last line counts both (under 25 minutes)
	@TEST_TIERS="short rest" $(TEST_RUN) $(TEST_SCRIPTS) $(TEST_BUILT)

test-times: test-programs $(EMU_PROGRAMS) $(PTX_PROGRAMS) lib ## run every test and write its seconds of the processor into tests/tiers
	@TEST_TIERS="short rest" TEST_TIMES=$(BUILD)/times $(TEST_RUN) $(TEST_SCRIPTS) $(TEST_BUILT)
	@awk 'NR == FNR { time[$$1] = $$2 " " $$3; next } $$1 in time { split(time[$$1], t, " "); printf "%-44s %6s %6s\n", $$1, t[1], t[2]; delete time[$$1]; next } { print } \
		END { for (p in time) { split(time[p], t, " "); printf "%-44s %6s %6s\n", p, t[1], t[2] } }' $(BUILD)/times tests/tiers >$(BUILD)/tiers
	@{ grep '^#' $(BUILD)/tiers; grep -v '^#' $(BUILD)/tiers | sort; } >tests/tiers

test-packages: $(BUILD)/hotset lib ## test the wheel and the Debian package in empty environments (needs pip and a package index)
	@PACKAGE_TESTS=1 $(TEST_RUN) tests/package/package.sh

test-installs: $(BUILD)/hotset lib ## test the runtimes' install lines of planner/RUNTIMES.md in empty environments (needs pip, a package index, 10 GB)
	@INSTALL_TESTS=1 $(TEST_RUN) tests/package/installs.sh

# What the sanitizers run: everything that is a program of ours, not the scripts about files and manuals.
test-core: $(BUILD)/hotset tests-cmocka $(UNIT_PROGRAMS) $(LIB_PROGRAMS) $(FUZZ_REPLAYS)
	@$(TEST_RUN) tests/golden/golden $(UNIT_PROGRAMS) $(LIB_PROGRAMS) $(FUZZ_REPLAYS)

check: $(BUILD)/hotset tests-cmocka $(UNIT_PROGRAMS) ## of the short tier lint, goldens and the units whose code changed (ALL=1: every unit), under a minute when built
	@TEST_TIERS=short $(if $(ALL),,TEST_KNOWN=$(BUILD)/known) $(TEST_RUN) tests/lint/lint tests/golden/golden $(UNIT_PROGRAMS)

judge: $(BUILD)/hotset ## the independent checks in ../shared/judge where that folder is (CHECK_PART chooses one)
	@if [ -x $(JUDGE) ]; then $(JUDGE) $(abspath $(BUILD)/hotset) $(CHECK_PART); else echo "judge: skipped, there is no $(JUDGE)"; fi

lint: $(BUILD)/hotset ## check floors, headers, names, sizes
	@$(TEST_RUN) tests/lint/lint

format: ## put every C and CUDA source into the form of .clang-format (clang-format 14)
	@git ls-files -co --exclude-standard '*.c' '*.h' '*.cu' '*.cuh' | xargs clang-format -i

equiv: $(EQUIV_PROGRAM) ## compare every operation on every backend with the reference
	@$(TEST_RUN) $(EQUIV_PROGRAM)

BENCH_OUT ?= $(BUILD)/bench.json
bench: $(BUILD)/hotset ## time operations and stages against this machine's memory; BENCH="--only sample" chooses, BENCH_OUT names the result
	@$(BUILD)/hotset bench $(BENCH) -o $(BENCH_OUT) && echo "bench: kept as $(BENCH_OUT); set a later run beside it with make bench-compare"
bench-compare: $(BUILD)/hotset ## time again and set the result beside BENCH_OUT
	@$(BUILD)/hotset bench $(BENCH) --against $(BENCH_OUT)

validation-given: $(BUILD)/hotset ## rerun the commands behind predictions that a validation case stores, at every size it names (20 s)
	@GIVEN=all HOTSET=$(abspath $(BUILD)/hotset) tests/cli/validate_given.sh

# Rivals that are not installed are skipped; the programs to run them with are named here.
RIVALS_PYTHON    ?= python3
GRAPHBOLT_PYTHON ?= $(RIVALS_PYTHON)
GAPBS            ?=
RIVALS           ?=
ARCHS ?= 80 90 100
kernel-resources: ## registers, shared memory and occupancy of every CUDA kernel, as nvcc reports them (ARCHS="80 90 100"); after ptx-kernels what it did, too
	@[ -n "$(NVCC)" ] || { echo "kernel-resources: nvcc was not found"; exit 1; }
	@python3 tests/equiv/kernel_resources.py $(NVCC) $(ARCHS) -- $(BUILD)/ptx/counts.txt $(CUDA_SOURCES)

bench-libraries: $(BUILD)/tests/rivals/libraries ## time what is written by hand beside the library that does the same (base/LIBRARIES.md; needs libexpat1-dev and libssl-dev)
	@$<
$(BUILD)/tests/rivals/libraries: HS_LIBS += -lexpat -lcrypto

bench-rivals: $(BUILD)/hotset $(RIVAL_PROGRAM) ## run hotset and the rivals found here in turn, print ratios (RIVALS_PYTHON, GRAPHBOLT_PYTHON, GAPBS name them)
	@tests/rivals/run.py --hotset $(BUILD)/hotset --ours $(RIVAL_PROGRAM) --work $(BUILD)/rivals --out $(BUILD)/rivals.json \
		--python "$(RIVALS_PYTHON)" --graphbolt-python "$(GRAPHBOLT_PYTHON)" --gapbs "$(GAPBS)" $(RIVALS)

cells: $(BUILD)/hotset ## whether a rival's epoch is shorter than the default's, on four servers: CELLS="GRAPH[:BATCH] .." (planner/BENCH.md)
	@tests/cells/cells.py $(abspath $(BUILD)/hotset) $(CELLS)

ACCURACY_PYTHON ?= python3
accuracy: $(BUILD)/hotset lib ## train on eight replicas as plans say, and compare accuracy (torch; ACCURACY_PYTHON names a Python that has it; ACCURACY="--seeds 3")
	@ACCURACY_PYTHON="$(ACCURACY_PYTHON)" ACCURACY='$(ACCURACY)' TEST_TIMEOUT=7200 HOTSET=$(abspath $(BUILD)/hotset) tests/accuracy/accuracy.sh

SANITIZED = CUDA_SOURCES= NVCC= OPT="-O1"
asan: ## unit, golden and corpus tests under the address and undefined-behaviour sanitizers (build/asan)
	@ASAN_OPTIONS=detect_leaks=1:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1 $(MAKE) --no-print-directory BUILD=$(BUILD)/asan $(SANITIZED) \
		SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer" test-core

tsan: ## unit tests under the thread sanitizer (clang and its OpenMP; gcc's libgomp gives false alarms) (build/tsan)
	@if ! command -v $(CLANG) >/dev/null; then echo "tsan: skipped, $(CLANG) is not installed (apt-get install clang libomp-dev)"; \
	else TEST_TIMEOUT=3600 TSAN_OPTIONS=ignore_noninstrumented_modules=1 $(MAKE) --no-print-directory BUILD=$(BUILD)/tsan CC=$(CLANG) $(SANITIZED) \
		SANITIZE="-fsanitize=thread" test-core; fi

fuzz: ## fuzz every reader for FUZZ_SECONDS=60 each with clang's libFuzzer; many short inputs: FUZZ_SANITIZER= FUZZ_LENGTH=256 (build/fuzz)
	@if ! command -v $(CLANG) >/dev/null; then echo "fuzz: skipped, $(CLANG) is not installed (apt-get install clang libomp-dev)"; \
	else $(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz CC=$(CLANG) $(SANITIZED) SANITIZE="-fsanitize=fuzzer-no-link$(FUZZ_SANITIZER:%=,%)" fuzz-here; fi
fuzz-here: $(FUZZERS)
	@rm -f $(BUILD)/found/*-*; for f in $(FUZZERS); do name=$$(basename $$f); name=$${name#fuzz_}; echo "== $$name"; mkdir -p $(BUILD)/found/$$name; \
	$$f -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=4096 -timeout=20 -max_len=$(FUZZ_LENGTH) -print_final_stats=0 -artifact_prefix=$(BUILD)/found/$$name- \
		$(BUILD)/found/$$name tests/fuzz/corpus/$$name 2>&1 | grep -E '^(Done|SUMMARY|==|code|.*still held|.*written|.*not read)' | sed 's/^/   /'; \
	if ls $(BUILD)/found/$$name-* >/dev/null 2>&1; then echo "fuzz: $$name failed; the inputs are $(BUILD)/found/$$name-*"; exit 1; fi; done

TORTURE_SECONDS ?= 3300
torture: $(BUILD)/hotset ## failing allocations and calls, full disks, kills, hostile inputs, for TORTURE_SECONDS=3300; TORTURE="--attack kill" chooses
	@CC="$(CC)" tests/torture/torture.py --hotset $(BUILD)/hotset --seconds $(TORTURE_SECONDS) --long $(TORTURE)

valgrind: $(BUILD)/hotset ## every command once under valgrind's memcheck, with one thread and with two (about ten minutes)
	@tests/torture/memcheck.py --hotset $(BUILD)/hotset $(MEMCHECK)

mutants: ## apply small faults one by one and list those that no test notices; continues where it stopped (build/mutants; hours)
	@CC="$(CC)" nice -n 10 tests/mutants/run.py --work $(BUILD)/mutants $(MUTANTS)

include tests/aarch64.mk
include tests/compilers/compilers.mk

cover: ## lines that the tests reach, per folder (gcov; build/cover)
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/cover CUDA_SOURCES= NVCC= OPT="-O0" SANITIZE="--coverage" test-all || true
	@tests/cover $(BUILD)/cover

tests-cmocka:
	@echo '#include <stdarg.h>%#include <stddef.h>%#include <stdint.h>%#include <setjmp.h>%#include <cmocka.h>' | tr % '\n' | $(CC) -E -x c - >/dev/null 2>&1 || \
	{ echo "make test needs the library cmocka, which is not installed; install it with: apt-get install libcmocka-dev"; exit 1; }

$(TEST_PROGRAMS): $(BUILD)/%: %.c $(BUILD)/libhotset_core.a | tests-cmocka
	@mkdir -p $(dir $@)
	$(call say,LINK)
	$(Q)$(CC) $(TEST_CFLAGS) $(LDFLAGS) $< $(BUILD)/libhotset_core.a $(CMOCKA) $(HS_LIBS) -o $@
# A user's program: the public header, the static library, nothing of the core.
$(LIB_PROGRAMS): $(BUILD)/%: %.c tests/unit/unit.h $(wildcard tests/lib/*.h) $(LIB)/libhotset.a $(LIB)/hotset.h | tests-cmocka
	@mkdir -p $(dir $@)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(WARN) $(SANITIZE) -std=gnu11 -I. -I$(LIB) $(LDFLAGS) $< $(LIB)/libhotset.a $(CMOCKA) $(LIBS_JANSSON) -pthread -o $@
$(BUILD)/tests/equiv/%: tests/equiv/%.c $(BUILD)/libhotset_core.a
	@mkdir -p $(dir $@)
	$(call say,LINK)
	$(Q)$(CC) $(TEST_CFLAGS) $(LDFLAGS) $< $(BUILD)/libhotset_core.a $(HS_LIBS) -o $@
$(BUILD)/tests/rivals/%: tests/rivals/%.c tests/rivals/pull.h $(BUILD)/libhotset_core.a
	@mkdir -p $(dir $@)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(HS_CFLAGS) -MMD -MP $(LDFLAGS) $< $(BUILD)/libhotset_core.a $(HS_LIBS) -o $@
$(FUZZ_REPLAYS): $(BUILD)/tests/fuzz/replay_%: tests/fuzz/%.c tests/fuzz/replay.c tests/fuzz/fuzz.h $(BUILD)/libhotset_core.a
	@mkdir -p $(dir $@)
	$(call say,LINK)
	$(Q)$(CC) $(filter-out -MMD -MP,$(TEST_CFLAGS)) $(LDFLAGS) $< tests/fuzz/replay.c $(BUILD)/libhotset_core.a $(HS_LIBS) -o $@
$(FUZZERS): $(BUILD)/tests/fuzz/%: tests/fuzz/%.c tests/fuzz/fuzz.h $(BUILD)/libhotset_core.a
	@mkdir -p $(dir $@)
	$(call say,LINK)
	$(Q)$(CC) $(filter-out -MMD -MP,$(TEST_CFLAGS)) -DFUZZ_ONE_FORMAT -fsanitize=fuzzer$(FUZZ_SANITIZER:%=,%) $(LDFLAGS) $< $(BUILD)/libhotset_core.a $(HS_LIBS) -o $@

.PHONY: accuracy cells format bench bench-compare bench-libraries bench-rivals kernel-resources test test-all test-times test-packages test-installs test-core check judge lint equiv asan tsan fuzz fuzz-here torture valgrind mutants cover tests-cmocka validation-given
