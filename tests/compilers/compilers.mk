# compilers.mk - builds by several compilers and levels of optimisation write the same bytes. Included by tests.mk.
#
# One build a line: NAME, a colon, compiler and flags. A compiler that is not installed is told and left out.
COMPILERS_OUT  := $(BUILD)/compilers
compilers_make  = $(MAKE) --no-print-directory BUILD=$(COMPILERS_OUT)/$1 CC="$(filter ccache,$(CC)) $2" CUDA_SOURCES= NVCC= OPT="$3" $(COMPILERS_OUT)/$1/hotset
define compilers_one
	@if ! command -v $2 >/dev/null; then echo "compilers: $1 skipped, $2 is not installed"; rm -f $(COMPILERS_OUT)/$1/hotset; \
	else $(call compilers_make,$1,$2,$3) >$(COMPILERS_OUT)/$1.log 2>&1 || { tail -n 20 $(COMPILERS_OUT)/$1.log; exit 1; }; fi
endef

compilers: ## builds by gcc and clang, from -O0 to -O3 -march=native, and for arm64 write the same bytes; AARCH64_ROOT as for aarch64 (build/compilers)
	@mkdir -p $(COMPILERS_OUT)
	$(call compilers_one,gcc-O0,gcc,-O0)
	$(call compilers_one,gcc-O3,gcc,-O3)
	$(call compilers_one,gcc-O3-native,gcc,-O3 -march=native)
	$(call compilers_one,clang-O2,$(CLANG),-O2)
	@if $(aarch64_ready) && [ -n "$(AARCH64_QEMU)" ]; then $(AARCH64_MAKE) $(BUILD)/aarch64/hotset-emulated >$(COMPILERS_OUT)/aarch64.log 2>&1 || { tail -n 20 $(COMPILERS_OUT)/aarch64.log; exit 1; }; \
		mkdir -p $(COMPILERS_OUT)/aarch64 && cp $(BUILD)/aarch64/hotset-emulated $(COMPILERS_OUT)/aarch64/hotset; \
	else echo "compilers: aarch64 skipped, see make aarch64"; rm -f $(COMPILERS_OUT)/aarch64/hotset; fi
	@BUILD=$(BUILD) TEST_TIMEOUT=3600 HOTSET=$(abspath $(COMPILERS_OUT)/gcc-O3/hotset) OTHERS=$(abspath $(COMPILERS_OUT)) tests/run tests/compilers/same_bytes
.PHONY: compilers
