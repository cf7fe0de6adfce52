# lib.mk - libhotset (shared and static), its header and the Python package, in $(BUILD)/lib; hotset.pc is written by install. Included by the Makefile.
#
# The library takes from base and traces the files that keep no state, compiled anew: position-independent, every symbol hidden but those of hotset.h,
# a section per function so that what it does not use is left out (writing files, counting memory). It is built without OpenMP.
LIB_NUMBER   = $(shell sed -n 's/^\#define HOTSET_VERSION_$1 //p' simulator/lib/hotset.h)
LIB_MAJOR   := $(call LIB_NUMBER,MAJOR)
LIB_VERSION := $(LIB_MAJOR).$(call LIB_NUMBER,MINOR).$(call LIB_NUMBER,PATCH)
LIB         := $(BUILD)/lib
LIB_SOURCES := $(wildcard simulator/lib/*.c) $(addprefix base/,doc.c doc_kinds.c doc_parse.c doc_seal.c fields.c file.c machine.c npy.c precision.c premises.c sha256.c sha256_x86.c status.c text.c units.c) traces/recording/assignment.c $(addprefix traces/sampling/,hop_draws.c order.c workload.c workload_times.c)
LIB_OBJECTS := $(LIB_SOURCES:%.c=$(LIB)/obj/%.o)
LIB_CFLAGS   = -std=gnu11 -ffp-contract=off -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -I. $(WARN) $(SANITIZE)
LIB_PYTHON  := $(patsubst simulator/lib/hotset/%,%,$(wildcard simulator/lib/hotset/*.py simulator/lib/hotset/py.typed simulator/lib/hotset/examples/*.py))
LIB_FILES   := $(LIB)/libhotset.so $(LIB)/libhotset.a $(LIB)/hotset.h $(LIB_PYTHON:%=$(LIB)/hotset/%)
# The headers, and sources that build beside them, are for users who have CUDA; libhotset_cuda is built where nvcc is.
LIB_CUDA     := $(if $(NVCC),$(LIB)/libhotset_cuda.so $(LIB)/libhotset_cuda.a)
LIB_CUDA_OWN := hotset_cuda.h hotset_store.h hotset_sampler.h hotset_cuda.cu hotset_store.cu hotset_device.cuh
LIB_FILES    += $(LIB_CUDA_OWN:%=$(LIB)/%) $(LIB_CUDA)

lib: $(LIB_FILES) ## build libhotset for runtimes: .so, .a, hotset.h and the Python package, in build/lib
	@cd $(LIB)/hotset && for f in *.py examples/*.py; do case " $(LIB_PYTHON) " in *" $$f "*) ;; *) rm -f "$$f" ;; esac; done # modules of before
all: lib

$(LIB)/obj/%.o: %.c $(BUILD)/gen/flags
	@mkdir -p $(dir $@)
	$(call say,CC  )
	$(Q)$(CC) $(CFLAGS) $(LIB_CFLAGS) -MMD -MP -c $< -o $@
$(LIB)/libhotset.so.$(LIB_VERSION): $(LIB_OBJECTS)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(SANITIZE) -shared -Wl,-z,defs -Wl,-soname,libhotset.so.$(LIB_MAJOR) -Wl,--gc-sections $(LDFLAGS) $^ $(LIBS_JANSSON) -pthread -o $@
$(LIB)/libhotset.so: $(LIB)/libhotset.so.$(LIB_VERSION)
	@ln -sf libhotset.so.$(LIB_VERSION) $(LIB)/libhotset.so.$(LIB_MAJOR)
	@ln -sf libhotset.so.$(LIB_MAJOR) $@
# One object whose hidden symbols are local, so that nothing of the inside can clash with a user's names.
$(LIB)/libhotset.a: $(LIB_OBJECTS)
	$(call say,AR  )
	$(Q)$(NM) -g --defined-only $(LIB_OBJECTS) | awk '$$2 == "T" && /hotset_/ { print "-u", $$3 }' >$(LIB)/obj/roots
	$(Q)$(LD) -r --gc-sections @$(LIB)/obj/roots $^ -o $(LIB)/obj/libhotset.o
	$(Q)$(OBJCOPY) --localize-hidden $(LIB)/obj/libhotset.o
	$(Q)$(OBJCOPY) --strip-unneeded $(LIB)/obj/libhotset.o
	@rm -f $@
	$(Q)$(AR) rcs $@ $(LIB)/obj/libhotset.o
# In the folder of a user the header lies beside what includes it.
$(LIB)/hotset.h $(LIB_CUDA_OWN:%=$(LIB)/%): $(LIB)/%: simulator/lib/%
	@mkdir -p $(dir $@)
	@sed 's|^#include "simulator/lib/|#include "|' $< >$@
$(LIB_PYTHON:%=$(LIB)/hotset/%): $(LIB)/hotset/%: simulator/lib/hotset/%
	@mkdir -p $(dir $@)
	@cp $< $@
LIB_CUDA_OBJECTS := $(LIB)/obj/hotset_cuda.o $(LIB)/obj/hotset_store.o $(LIB)/obj/hotset_sampler.o
$(LIB_CUDA_OBJECTS): $(LIB)/obj/%.o: simulator/lib/%.cu $(BUILD)/gen/flags
	@mkdir -p $(dir $@)
	$(call say,NVCC)
	$(Q)$(NVCC) $(NVCC_FLAGS) -Xcompiler -fPIC,-fvisibility=hidden -MMD -MF $(@:.o=.d) -c $< -o $@
$(LIB)/libhotset_cuda.so.$(LIB_VERSION): $(LIB_CUDA_OBJECTS)
	$(call say,LINK)
	$(Q)$(CC) -shared -Wl,-z,defs -Wl,-soname,libhotset_cuda.so.$(LIB_MAJOR) -Wl,--exclude-libs,ALL $(LDFLAGS) $^ $(CUDA_LIBS) -o $@
$(LIB)/libhotset_cuda.so: $(LIB)/libhotset_cuda.so.$(LIB_VERSION)
	@ln -sf libhotset_cuda.so.$(LIB_VERSION) $(LIB)/libhotset_cuda.so.$(LIB_MAJOR)
	@ln -sf libhotset_cuda.so.$(LIB_MAJOR) $@
$(LIB)/libhotset_cuda.a: $(LIB_CUDA_OBJECTS)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

LIB_INSTALLED = $(addprefix $(DESTDIR)$(PREFIX)/,include/hotset.h lib/libhotset.so lib/libhotset.so.$(LIB_MAJOR) lib/libhotset.so.$(LIB_VERSION) lib/libhotset.a \
	lib/pkgconfig/hotset.pc $(LIB_PYTHON:%=share/hotset/hotset/%) $(addprefix include/,$(filter %.h,$(LIB_CUDA_OWN))) $(addprefix share/hotset/,$(filter-out %.h,$(LIB_CUDA_OWN))) \
	lib/libhotset_cuda.so lib/libhotset_cuda.so.$(LIB_MAJOR) lib/libhotset_cuda.so.$(LIB_VERSION) lib/libhotset_cuda.a)
install: install-lib
install-lib: lib
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,include lib/pkgconfig share/hotset/hotset/examples)
	install -m 644 simulator/lib/hotset.h $(DESTDIR)$(PREFIX)/include/hotset.h
	install -m 755 $(LIB)/libhotset.so.$(LIB_VERSION) $(DESTDIR)$(PREFIX)/lib/
	cp -P $(LIB)/libhotset.so $(LIB)/libhotset.so.$(LIB_MAJOR) $(DESTDIR)$(PREFIX)/lib/
	install -m 644 $(LIB)/libhotset.a $(DESTDIR)$(PREFIX)/lib/libhotset.a
	sed -e 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(LIB_VERSION)|; s|@JANSSON@|$(LIBS_JANSSON)|' simulator/lib/hotset.pc.in >$(DESTDIR)$(PREFIX)/lib/pkgconfig/hotset.pc
	rm -f $(DESTDIR)$(PREFIX)/share/hotset/hotset/*.py # of an older version
	install -m 644 simulator/lib/hotset/*.py simulator/lib/hotset/py.typed $(DESTDIR)$(PREFIX)/share/hotset/hotset/
	install -m 644 simulator/lib/hotset/examples/*.py $(DESTDIR)$(PREFIX)/share/hotset/hotset/examples/
	install -m 644 $(filter %.h,$(LIB_CUDA_OWN:%=$(LIB)/%)) $(DESTDIR)$(PREFIX)/include/
	install -m 644 $(filter-out %.h,$(LIB_CUDA_OWN:%=$(LIB)/%)) $(DESTDIR)$(PREFIX)/share/hotset/
	if [ -n "$(LIB_CUDA)" ]; then cp -P $(LIB)/libhotset_cuda.so $(LIB)/libhotset_cuda.so.$(LIB_MAJOR) $(LIB)/libhotset_cuda.so.$(LIB_VERSION) $(LIB)/libhotset_cuda.a \
		$(DESTDIR)$(PREFIX)/lib/; fi
uninstall: uninstall-lib
uninstall-lib:
	rm -f $(LIB_INSTALLED)
	rm -rf $(addprefix $(DESTDIR)$(PREFIX)/share/hotset/hotset/,__pycache__ examples/__pycache__)
.PHONY: lib install-lib uninstall-lib
