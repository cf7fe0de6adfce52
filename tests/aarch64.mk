# aarch64.mk - hotset for 64-bit Arm (the host of a Grace server): everything but CUDA is cross-compiled into build/aarch64, and its tests
# run under qemu's user emulation. A tool or library that is missing is named, and the rest is skipped. Included by tests.mk.
#
# The arm64 libraries are the system's (dpkg --add-architecture arm64, apt-get install libjansson-dev:arm64 ..), or those of a folder that
# AARCH64_ROOT names: mmdebstrap --variant=extract --arch=arm64 --include=$(AARCH64_PACKAGES) bookworm DIR
AARCH64_CC       ?= aarch64-linux-gnu-gcc
AARCH64_ROOT     ?=
AARCH64_QEMU     ?= $(firstword $(foreach q,qemu-aarch64 qemu-aarch64-static,$(shell command -v $(q) 2>/dev/null)))
AARCH64_PACKAGES := libc6-dev,libgomp1,libgcc-s1,libjansson-dev,libmetis-dev,zlib1g-dev,libzstd-dev,liblzma-dev,libglpk-dev,libcmocka-dev
AARCH64_COMPILER := $(lastword $(AARCH64_CC))
AARCH64_TOOLS    := $(patsubst %gcc,%,$(AARCH64_COMPILER))
AARCH64_COMPILE  := $(AARCH64_CC) $(AARCH64_ROOT:%=--sysroot=%)
AARCH64_LIBS      = $(LIBS_JANSSON) $(LIBS_METIS) $(LIBS_ZLIB) $(LIBS_ZSTD) $(LIBS_XZ)
AARCH64_MAKE      = $(MAKE) --no-print-directory BUILD=$(BUILD)/aarch64 CUDA_SOURCES= NVCC= CC="$(AARCH64_COMPILE)" LD="$(AARCH64_TOOLS)ld" AR="$(AARCH64_TOOLS)ar" \
	NM="$(AARCH64_TOOLS)nm" OBJCOPY="$(AARCH64_TOOLS)objcopy"

# For a shell: whether compiler and libraries are there.
aarch64_ready = { command -v $(AARCH64_COMPILER) >/dev/null && echo 'int main(void) { return 0; }' | $(AARCH64_COMPILE) -x c - $(AARCH64_LIBS) -lm -o /dev/null 2>/dev/null; }

aarch64: ## cross-compile for 64-bit Arm and run the tests under qemu; AARCH64_ROOT=DIR names a folder with arm64 libraries (build/aarch64)
	@if ! command -v $(AARCH64_COMPILER) >/dev/null; then \
		echo "aarch64: skipped, $(AARCH64_COMPILER) is not installed (apt-get install gcc-aarch64-linux-gnu)"; \
	elif ! echo 'int main(void) { return 0; }' | $(AARCH64_COMPILE) -x c - $(AARCH64_LIBS) -lm -o /dev/null 2>/dev/null; then \
		echo "aarch64: skipped, there are no arm64 libraries for $(AARCH64_LIBS) here; make a folder of them by" \
			"'mmdebstrap --variant=extract --arch=arm64 --include=$(AARCH64_PACKAGES) bookworm DIR', and name it: make aarch64 AARCH64_ROOT=DIR"; \
	else $(AARCH64_MAKE) aarch64-here; fi

# In the build of the target. A program that a test starts is started by a script of the emulator. test_oom makes every single allocation
# fail, which takes hours under emulation.
AARCH64_RUN   = $(AARCH64_QEMU) $(AARCH64_ROOT:%=-L %)
AARCH64_TESTS = $(filter-out %/test_oom,$(TEST_PROGRAMS)) $(LIB_PROGRAMS) $(EQUIV_PROGRAM) $(FUZZ_REPLAYS)
$(BUILD)/hotset-emulated: $(BUILD)/hotset
	@printf '#!/bin/sh\nexec %s "$$@"\n' "$(AARCH64_RUN) $(abspath $(BUILD)/hotset)" >$@; chmod +x $@
aarch64-here: all $(BUILD)/hotset-emulated tests-cmocka $(TEST_PROGRAMS) $(LIB_PROGRAMS) $(EQUIV_PROGRAM) $(FUZZ_REPLAYS)
	@if [ -z "$(AARCH64_QEMU)" ]; then echo "aarch64: built, but the tests did not run: qemu-aarch64 is not installed (apt-get install qemu-user)"; \
	else HOTSET=$(abspath $(BUILD)/hotset-emulated) BUILD=$(BUILD) TEST_JOBS=$(TEST_JOBS) tests/run tests/golden/golden && \
	HOTSET=$(abspath $(BUILD)/hotset-emulated) BUILD=$(BUILD) TEST_JOBS=$(TEST_JOBS) TEST_UNDER="$(AARCH64_RUN)" TEST_TIMEOUT=3600 tests/run $(AARCH64_TESTS); fi
.PHONY: aarch64 aarch64-here
