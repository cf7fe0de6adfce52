# ptx.mk - the CUDA backend as nvcc compiles it (PTX), executed on the CPU by an interpreter that stands in libcudart's place (README.md). The objects made
# here come first in the link. Included by tests/tests.mk; nothing is built where nvcc is not.
PTX          := $(BUILD)/ptx
PTX_ARCH     ?= 75
PTX_CU       := $(wildcard tests/ptx/*.cu)
PTX_CUDA     := $(CUDA_ALL) simulator/lib/hotset_cuda.cu simulator/lib/hotset_store.cu simulator/lib/hotset_sampler.cu
PTX_RUNTIME  := $(patsubst %.c,$(PTX)/%.o,$(addprefix tests/ptx/,parse.c exec.c access.c grid.c memory.c order.c cudart.c report.c))
PTX_PLANNED  := $(PTX)/tests/ptx/planned.o
PTX_OBJECTS  := $(CUDA_ALL:%.cu=$(PTX)/%.o) $(EMU_C:%=$(PTX)/%) $(PTX_RUNTIME)
PTX_PROGRAMS := $(if $(NVCC),$(addprefix $(PTX)/,hotset equiv sampling gather store sampler small faults))
PTX_TESTS    := $(filter-out %/hotset %/faults,$(PTX_PROGRAMS))
PTX_SCRIPTS  := $(wildcard tests/ptx/*.sh)
PTX_NVCC     := -O3 -std=c++17 -gencode arch=compute_$(PTX_ARCH),code=compute_$(PTX_ARCH) --compress-mode none -lineinfo -cudart shared -I. -DHOTSET_CUDA
PTX_INCLUDE  := $(if $(NVCC),-isystem $(patsubst %/bin/nvcc,%/include,$(realpath $(NVCC))))

$(PTX_CUDA:%.cu=$(PTX)/%.o) $(PTX_CU:%.cu=$(PTX)/%.o): $(PTX)/%.o: %.cu $(BUILD)/gen/flags
	@mkdir -p $(dir $@)
	$(call say,NVCC)
	$(Q)$(NVCC) $(PTX_NVCC) -MMD -MF $(@:.o=.d) -c $< -o $@
$(PTX_PLANNED): PTX_INCLUDE += -I$(LIB)
$(PTX_PLANNED): $(LIB)/hotset.h
$(PTX_RUNTIME) $(PTX_PLANNED): $(PTX)/%.o: %.c $(BUILD)/gen/flags
	@mkdir -p $(dir $@)
	$(call say,CC  )
	$(Q)$(CC) $(CFLAGS) -std=gnu11 -Wall -Wextra -I. $(PTX_INCLUDE) $(SANITIZE) -MMD -MP -c $< -o $@
$(EMU_C:%=$(PTX)/%): $(PTX)/%.o: %.c $(BUILD)/gen/flags
	@mkdir -p $(dir $@)
	$(call say,CC  )
	$(Q)$(CC) $(CFLAGS) $(HS_CFLAGS) -DHOTSET_CUDA -MMD -MP -c $< -o $@
STORE_CUDA   := $(addprefix $(PTX)/simulator/lib/hotset_,cuda.o store.o sampler.o)
PTX_LIBS      = $(filter-out $(CUDA_LIBS),$(HS_LIBS)) -lstdc++ -lpthread
$(PTX)/equiv $(PTX)/sampling: $(PTX)/%: tests/equiv/%.c $(PTX_OBJECTS) $(BUILD)/libhotset_core.a
	$(call say,LINK)
	$(Q)$(CC) $(TEST_CFLAGS) -DHOTSET_CUDA -DHOTSET_PTX $(LDFLAGS) $< $(PTX_OBJECTS) $(BUILD)/libhotset_core.a $(PTX_LIBS) -o $@
$(PTX)/small: tests/ptx/small.c $(PTX)/tests/ptx/draws.o $(PTX_OBJECTS) $(BUILD)/libhotset_core.a
	$(call say,LINK)
	$(Q)$(CC) $(TEST_CFLAGS) -DHOTSET_CUDA $(LDFLAGS) $< $(PTX)/tests/ptx/draws.o $(PTX_OBJECTS) $(BUILD)/libhotset_core.a $(PTX_LIBS) -o $@
$(PTX)/hotset: $(BUILD)/planner/main.o $(PTX_OBJECTS) $(BUILD)/libhotset_core.a
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(HS_CFLAGS) $(LDFLAGS) $< $(PTX_OBJECTS) $(BUILD)/libhotset_core.a $(PTX_LIBS) -o $@
$(PTX)/gather: tests/ptx/gather.c tests/lib/gather_cases.h $(PTX)/simulator/lib/hotset_cuda.o $(PTX_RUNTIME) $(LIB)/libhotset.a $(LIB)/hotset.h
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(WARN) -std=gnu11 -I. -I$(LIB) $(PTX_INCLUDE) -MMD -MP $(LDFLAGS) $< $(PTX)/simulator/lib/hotset_cuda.o $(PTX_RUNTIME) $(LIB)/libhotset.a $(LIBS_JANSSON) -lstdc++ -lm -lpthread -o $@
PTX_ROUNDED  := $(BUILD)/base/rounded.o $(BUILD)/base/precision.o
$(PTX)/store $(PTX)/sampler: $(PTX)/%: tests/ptx/%.c tests/lib/gather_cases.h $(PTX_PLANNED) $(STORE_CUDA) $(PTX_RUNTIME) $(PTX_ROUNDED) $(LIB)/libhotset.a $(LIB)/hotset.h
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(WARN) -std=gnu11 -I. -I$(LIB) $(PTX_INCLUDE) -MMD -MP $(LDFLAGS) $< $(PTX_PLANNED) $(STORE_CUDA) $(PTX_RUNTIME) $(PTX_ROUNDED) $(LIB)/libhotset.a $(LIBS_JANSSON) -lstdc++ -lm -lpthread -o $@
# libhotset_cuda on the interpreter, for Python: HOTSET_CUDA_LIBRARY (tests/lib/store.sh). Its runtime is its own, also beside the one that torch loads.
$(STORE_CUDA): PTX_NVCC += -Xcompiler -fPIC
$(PTX)/libhotset_cuda.so: $(STORE_CUDA) $(PTX_RUNTIME)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) -std=gnu11 -fPIC -I. $(PTX_INCLUDE) $(LDFLAGS) -shared -Wl,-Bsymbolic $(patsubst $(PTX)/%.o,%.c,$(PTX_RUNTIME)) $(STORE_CUDA) -lstdc++ -lm -lpthread -o $@
$(PTX)/faults: $(PTX)/tests/ptx/faults.o $(PTX_RUNTIME)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lstdc++ -lm -lpthread -o $@
-include $(PTX_OBJECTS:.o=.d) $(PTX_PLANNED:.o=.d) $(PTX)/tests/ptx/faults.d $(PTX)/tests/ptx/draws.d $(PTX)/small.d $(PTX)/simulator/lib/hotset_cuda.d $(PTX)/simulator/lib/hotset_store.d $(PTX)/simulator/lib/hotset_sampler.d $(PTX)/store.d $(PTX)/sampler.d $(PTX)/equiv.d $(PTX)/sampling.d $(PTX)/gather.d

ptx-check: $(BUILD)/hotset $(PTX_PROGRAMS) $(if $(NVCC),$(PTX)/libhotset_cuda.so) ## run what nvcc makes of the CUDA code on the CPU, and hold it against the reference (build/ptx; needs nvcc, no GPU)
	@[ -n "$(NVCC)" ] || { echo "ptx-check: skipped, nvcc was not found"; exit 0; }; \
		rm -f $(PTX)/coverage.txt; HOTSET_PTX_COVERAGE=$(abspath $(PTX)/coverage.txt) $(TEST_RUN) $(PTX_TESTS) $(PTX_SCRIPTS) && tests/ptx/coverage.py $(PTX)/coverage.txt
PTX_MAINS := $(addprefix $(PTX)/,equiv.o sampling.o gather.o store.o sampler.o)
$(PTX)/equiv.o $(PTX)/sampling.o: $(PTX)/%.o: tests/equiv/%.c $(BUILD)/gen/flags
	$(Q)$(CC) $(TEST_CFLAGS) -DHOTSET_CUDA -DHOTSET_PTX -c $< -o $@
$(PTX)/gather.o $(PTX)/store.o $(PTX)/sampler.o: $(PTX)/%.o: tests/ptx/%.c $(BUILD)/gen/flags
	$(Q)$(CC) $(CFLAGS) -std=gnu11 -I. -I$(LIB) $(PTX_INCLUDE) -c $< -o $@
ptx-mutants: $(PTX_PROGRAMS) $(PTX_MAINS) $(PTX_PLANNED) ## compile faulty CUDA code and see that ptx-check's programs notice each fault (some minutes)
	@tests/ptx/mutants.py --nvcc "$(NVCC) $(PTX_NVCC)" --cc "$(CC) $(LDFLAGS)" --build $(PTX) --objects "$(PTX_OBJECTS)" --libs "$(BUILD)/libhotset_core.a $(PTX_LIBS)" \
		--gather-libs "$(PTX_ROUNDED) $(LIB)/libhotset.a $(LIBS_JANSSON) -lstdc++ -lm -lpthread" --equiv $(PTX)/equiv.o --sampling $(PTX)/sampling.o --gather $(PTX)/gather.o --store "$(PTX)/store.o $(PTX_PLANNED)" --sampler "$(PTX)/sampler.o $(PTX_PLANNED)" \
		--main $(BUILD)/planner/main.o --hotset $(BUILD)/hotset $(PTX_MUTANTS)
ptx-kernels: $(PTX_PROGRAMS) ## per kernel: instructions, active lanes, bytes per sector, bank conflicts, of one run of every operation on 100000 vertices
	@rm -f $(PTX)/counts.txt; export HOTSET=$(abspath $(BUILD)/hotset) HOTSET_PTX_COUNTS=$(abspath $(PTX)/counts.txt); \
		for op in column_sum sort_hottest scan cslp sweep pagerank_step count search tally push; do $(PTX)/equiv cuda $$op 100000 >/dev/null || exit 1; done; \
		$(PTX)/sampling >/dev/null && $(PTX)/gather >/dev/null && $(PTX)/store >/dev/null && $(PTX)/sampler >/dev/null && tests/ptx/kernels.py $(PTX)/counts.txt
# The scripts print the numbers for the picture as "# row rule counted; rule entries offsets".
ptx-lines: $(BUILD)/hotset $(PTX)/hotset $(PTX)/gather ## draw tests/ptx/lines.svg: lines of host memory that warps ask for, against the line rule
	@$(PTX)/gather lines >$(PTX)/lines-gather.txt && HOTSET=$(abspath $(BUILD)/hotset) BUILD=$(BUILD) tests/ptx/lines.sh | sed -n 's/^# \([0-9].*\);/\1/p' >$(PTX)/lines-plan.txt && \
		gnuplot -e "gather='$(PTX)/lines-gather.txt'; plan='$(PTX)/lines-plan.txt'; out='tests/ptx/lines.svg'" tests/ptx/lines.gp && cat $(PTX)/lines-plan.txt
.PHONY: ptx-check ptx-mutants ptx-kernels ptx-lines
