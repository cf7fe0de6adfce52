# emulated.mk - the CUDA backend compiled for the CPU (tests/emulated/cuda_runtime.h), so that its logic is tested where no GPU is. The emulated objects
# come first in the link and so stand in for the ones of the archive. Included by tests/tests.mk.
CXX          ?= c++
EMU          := $(BUILD)/emulated
EMU_C        := kernels/backend.o simulator/execute/executor.o
EMU_OBJECTS  := $(CUDA_ALL:%.cu=$(EMU)/%.o) $(EMU_C:%=$(EMU)/%)
EMU_CXXFLAGS  = -std=gnu++17 -O1 -g -fopenmp -I. -isystem tests/emulated $(SANITIZE) -DHOTSET_CUDA -DHOTSET_CUDA_EMULATED -Wall -Wextra -MD -MP
EMU_PROGRAMS := $(if $(shell command -v $(CXX) 2>/dev/null),$(EMU)/hotset $(EMU)/equiv $(EMU)/sampling $(EMU)/gather)

$(CUDA_ALL:%.cu=$(EMU)/%.o): $(EMU)/%.o: %.cu $(BUILD)/gen/flags
	@mkdir -p $(dir $@)
	$(call say,CXX )
	$(Q)$(CXX) -x c++ $(EMU_CXXFLAGS) -c $< -o $@
$(EMU_C:%=$(EMU)/%): $(EMU)/%.o: %.c $(BUILD)/gen/flags
	@mkdir -p $(dir $@)
	$(call say,CC  )
	$(Q)$(CC) $(CFLAGS) $(HS_CFLAGS) -DHOTSET_CUDA -MMD -MP -c $< -o $@
$(EMU)/equiv $(EMU)/sampling: $(EMU)/%: tests/equiv/%.c $(EMU_OBJECTS) $(BUILD)/libhotset_core.a
	$(call say,LINK)
	$(Q)$(CC) $(TEST_CFLAGS) -DHOTSET_CUDA -DHOTSET_CUDA_EMULATED $(LDFLAGS) $< $(EMU_OBJECTS) $(BUILD)/libhotset_core.a $(HS_LIBS) -lstdc++ -o $@
$(EMU)/hotset: $(BUILD)/planner/main.o $(EMU_OBJECTS) $(BUILD)/libhotset_core.a
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(HS_CFLAGS) $(LDFLAGS) $< $(EMU_OBJECTS) $(BUILD)/libhotset_core.a $(HS_LIBS) -lstdc++ -o $@
# libhotset_cuda with warps of 32 threads, against libhotset; words at addresses that no GPU can read end the program.
$(EMU)/warps/hotset_cuda.o: simulator/lib/hotset_cuda.cu tests/emulated/warps/cuda_runtime.h $(BUILD)/gen/flags
	@mkdir -p $(dir $@)
	$(call say,CXX )
	$(Q)$(CXX) -x c++ -std=gnu++17 -O1 -g -I. -isystem tests/emulated/warps $(SANITIZE) -fsanitize=alignment -fsanitize-undefined-trap-on-error -DHOTSET_EMULATED_WARPS -Wall -Wextra -Wno-unknown-pragmas -MD -MP -c $< -o $@
$(EMU)/gather: tests/emulated/gather.c tests/lib/gather_cases.h $(EMU)/warps/hotset_cuda.o $(LIB)/libhotset.a $(LIB)/hotset.h
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(WARN) $(SANITIZE) -std=gnu11 -I. -I$(LIB) $(LDFLAGS) $< $(EMU)/warps/hotset_cuda.o $(LIB)/libhotset.a $(LIBS_JANSSON) -lstdc++ -pthread -o $@
-include $(EMU_OBJECTS:.o=.d) $(EMU)/equiv.d $(EMU)/sampling.d $(EMU)/warps/hotset_cuda.d

emulated: $(EMU_PROGRAMS) ## build the CUDA backend for the CPU and hold it against the reference (build/emulated)
	@$(TEST_RUN) $(if $(EMU_PROGRAMS),$(EMU)/equiv $(EMU)/sampling $(EMU)/gather tests/emulated/same.sh tests/emulated/draws.sh)
.PHONY: emulated
