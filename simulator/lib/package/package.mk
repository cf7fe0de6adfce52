# package.mk - `make wheel` and `make deb`: hotset for pip and for Debian. Included by the Makefile.
#
# Packages are handed to others, so they are linked without GLPK, which is GPL-3: policy exact and --bound answer "absent" in them. WITH_GLPK=1 links it;
# such a package may be distributed under the GPL-3 only. One object differs; all others are those of $(BUILD)/hotset.
PACKAGE      := $(BUILD)/package$(if $(WITH_GLPK),/with-glpk)
PACKAGE_HERE := simulator/lib/package
PACKAGE_LIBS  = $(LIBS_METIS) $(if $(WITH_GLPK),$(LIBS_GLPK)) -lm $(CUDA_LIBS)
PACKAGE_OBJECTS = $(sort $(BUILD)/planner/main.o $(filter-out %/optimum_glpk.o,$(OBJECTS))) $(PACKAGE)/optimum_glpk.o
PACKAGE_PYTHON ?= python3
# Small libraries that the wheel links statically. $(CC) finds the archives, and their licence texts by them.
WHEEL_STATIC ?= libjansson.a libz.a $(if $(LIBS_ZSTD),libzstd.a) $(if $(LIBS_XZ),liblzma.a)

# The CUDA runtime is linked in, so its licence text must go along: of the toolkit, or of one whose parts pip laid.
CUDA_LICENCE := $(if $(CUDA_DEFINE),$(firstword $(wildcard $(CUDA_HOME)/EULA.txt $(CUDA_HOME)/dist-info/nvidia_cuda_runtime-*/licenses/License.txt)))

# What can fail is checked before anything is compiled.
wheel: ## build a wheel for pip in build/package (WITH_GLPK=1: with GLPK, under the GPL-3)
	$(Q)$(PACKAGE_PYTHON) $(PACKAGE_HERE)/wheel.py --check $(foreach a,$(WHEEL_STATIC) libmetis.so libgomp.so,$$($(CC) -print-file-name=$a))
ifeq ($(if $(CUDA_DEFINE),$(CUDA_LICENCE),none needed),)
	@echo "make wheel: the licence of the CUDA runtime is not below $(CUDA_HOME) (EULA.txt), so this wheel is built without CUDA"
	$(Q)$(MAKE) --no-print-directory wheel-packed NVCC= BUILD=$(BUILD)/without-cuda PACKAGE=$(PACKAGE)
else
	$(Q)$(MAKE) --no-print-directory wheel-packed
endif
WHEEL_CUDA = $(if $(LIB_CUDA),$(PACKAGE)/wheel/libhotset_cuda.so.$(LIB_MAJOR))
wheel-packed: $(WHEEL_CUDA) $(PACKAGE)/wheel/hotset-bin $(PACKAGE)/wheel/libhotset.so.$(LIB_MAJOR) lib
	$(Q)$(PACKAGE_PYTHON) $(PACKAGE_HERE)/wheel.py --version $(VERSION)$(if $(WITH_GLPK),+glpk) --program $(PACKAGE)/wheel/hotset-bin \
		--library $(PACKAGE)/wheel/libhotset.so.$(LIB_MAJOR) --package $(LIB)/hotset $(WHEEL_CUDA:%=--library-cuda %) --beside $(LIB)/hotset.h $(LIB_CUDA_OWN:%=$(LIB)/%) \
		--script $(PACKAGE_HERE)/hotset_program.py --licence LICENSE --static $(foreach a,$(WHEEL_STATIC),$$($(CC) -print-file-name=$a)) \
		$(CUDA_LICENCE:%=--cuda %) $(if $(WITH_GLPK),--glpk) $(if $(WHEEL_PLAIN),--plain) --tools $(BUILD)/package/tools --output $(PACKAGE)

# Everything that a build reads, and what pip asks for: pyproject.toml and PKG-INFO are of the archive alone.
SDIST := hotset-$(VERSION)
sdist: ## pack the sources in build/package/hotset-VERSION.tar.gz, which pip builds and installs
	$(Q)$(PACKAGE_PYTHON) $(PACKAGE_HERE)/sdist.py $(SDIST) $(BUILD)/package Makefile LICENSE README.md $(FLOORS)

deb: $(PACKAGE)/deb/hotset-bin lib ## build a Debian package in build/package (WITH_GLPK=1: with GLPK, under the GPL-3)
	$(Q)rm -rf $(PACKAGE)/deb/root && $(MAKE) --no-print-directory -s install DESTDIR=$(PACKAGE)/deb/root PREFIX=/usr >/dev/null
	$(Q)install -m 755 $(PACKAGE)/deb/hotset-bin $(PACKAGE)/deb/root/usr/bin/hotset
	$(Q)$(PACKAGE_HERE)/deb.sh $(PACKAGE)/deb/root $(VERSION)$(if $(WITH_GLPK),+glpk) $(PACKAGE)

# The define of the Makefile's own objects is taken back: this one file has it only where WITH_GLPK asks.
$(PACKAGE)/optimum_glpk.o: planner/optimum/optimum_glpk.c $(BUILD)/gen/flags
	@mkdir -p $(dir $@)
	@[ -z "$(WITH_GLPK)" ] || [ -n "$(LIBS_GLPK)" ] || { echo "make: WITH_GLPK=1 needs GLPK, and glpk.h was not found (apt-get install libglpk-dev)" >&2; exit 1; }
	$(call say,CC  )
	$(Q)$(CC) $(CFLAGS) $(filter-out -DHOTSET_GLPK,$(HS_CFLAGS)) $(if $(WITH_GLPK),-DHOTSET_GLPK) -c $< -o $@
$(PACKAGE)/wheel/hotset-bin: $(PACKAGE_OBJECTS)
	@mkdir -p $(dir $@)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(HS_CFLAGS) $(LDFLAGS) -s $^ $(WHEEL_STATIC:%=-l:%) $(PACKAGE_LIBS) -o $@
$(PACKAGE)/wheel/libhotset.so.$(LIB_MAJOR): $(LIB_OBJECTS)
	@mkdir -p $(dir $@)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(SANITIZE) -shared -s -Wl,-soname,$(notdir $@) -Wl,--gc-sections -Wl,--exclude-libs,ALL $(LDFLAGS) $^ \
		$(filter -l:libjansson.a,$(WHEEL_STATIC:%=-l:%)) $(if $(filter libjansson.a,$(WHEEL_STATIC)),,$(LIBS_JANSSON)) -pthread -o $@
$(PACKAGE)/wheel/libhotset_cuda.so.$(LIB_MAJOR): $(LIB_CUDA_OBJECTS)
	@mkdir -p $(dir $@)
	$(call say,LINK)
	$(Q)$(CC) -shared -s -Wl,-soname,$(notdir $@) -Wl,--exclude-libs,ALL $(LDFLAGS) $^ $(CUDA_LIBS) -o $@
$(PACKAGE)/deb/hotset-bin: $(PACKAGE_OBJECTS)
	@mkdir -p $(dir $@)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(HS_CFLAGS) $(LDFLAGS) -s $^ $(LIBS_JANSSON) $(LIBS_ZLIB) $(LIBS_ZSTD) $(LIBS_XZ) $(PACKAGE_LIBS) -o $@
.PHONY: wheel wheel-packed sdist deb
