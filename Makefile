# hotset: cache planner and simulator for multi-GPU GNN training. `make help` lists the targets.
.DEFAULT_GOAL := all
BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= cc
NVCC    ?= $(firstword $(wildcard $(shell command -v nvcc 2>/dev/null) /usr/local/cuda/bin/nvcc))
NM      ?= nm
OBJCOPY ?= objcopy
OPT     ?= -O3
# -fstack-usage: lint reads from OBJECT.su how large the frames of functions are (STACK_FRAME_MOST in base/threads.h).
FRAMES  := $(if $(shell echo | $(CC) -fstack-usage -E -x c - 2>/dev/null),-fstack-usage)
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith -Wundef $(FRAMES)
CFLAGS  ?= $(OPT) -g
# -ffp-contract=off: no fused multiply-add, so that plans are the same bytes on machines that have it (Arm) and that have not.
HS_CFLAGS = -std=gnu11 -fopenmp -ffp-contract=off -I. -I$(BUILD)/gen $(WARN) $(SANITIZE) $(CUDA_DEFINE) $(GLPK_DEFINE) $(PACKED_DEFINES)
HS_LIBS   = $(LIBS_JANSSON) $(LIBS_METIS) $(LIBS_GLPK) $(LIBS_ZLIB) $(LIBS_ZSTD) $(LIBS_XZ) -lm $(CUDA_LIBS)
LIBS_JANSSON ?= -ljansson
LIBS_METIS   ?= -lmetis
LIBS_ZLIB    ?= -lz
# What unpacks .zst and .xz is built in where its header is; without it such a file is refused. `make LIBS_ZSTD= LIBS_XZ=` leaves it out.
has_header    = $(shell echo '\#include <$1>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
LIBS_ZSTD    ?= $(if $(call has_header,zstd.h),-lzstd)
LIBS_ZSTD    := $(LIBS_ZSTD)
LIBS_XZ      ?= $(if $(call has_header,lzma.h),-llzma)
LIBS_XZ      := $(LIBS_XZ)
PACKED_DEFINES := $(if $(LIBS_ZSTD),-DHOTSET_ZSTD) $(if $(LIBS_XZ),-DHOTSET_XZ)
# GLPK (GPL-3) is built in where its header is; without it policy exact answers "absent". `make LIBS_GLPK=` leaves it out.
LIBS_GLPK    ?= $(if $(call has_header,glpk.h),-lglpk)
LIBS_GLPK    := $(LIBS_GLPK)
GLPK_DEFINE  := $(if $(LIBS_GLPK),-DHOTSET_GLPK)
# Open MPI: only its header is needed here, the library is opened at run time under mpirun. `make MPI=` leaves it out.
MPI          ?= $(or $(shell pkg-config --cflags ompi-c 2>/dev/null),$(shell mpicc --showme:compile 2>/dev/null))
MPI          := $(MPI)
MPI_CFLAGS   := $(if $(MPI),-DHOTSET_MPI $(patsubst -I%,-isystem %,$(MPI)))
VERSION := 0.3.0
# `make V=1` shows the commands.
Q       := $(if $(V),,@)
say      = $(if $(V),,@echo '  $1  $@')

FLOORS  := base kernels hwprofiles traces reports simulator planner
SOURCES := $(filter-out planner/main.c,$(foreach d,$(FLOORS),$(wildcard $d/*.c $d/*/*.c)))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o) $(GENERATED:%.c=%.o)

# The CUDA backend is built in where nvcc is; the binary still runs on machines without a driver.
CUDA_ALL     := $(wildcard kernels/backends/*.cu kernels/cuda/*.cu simulator/execute/*.cu)
CUDA_SOURCES := $(CUDA_ALL)
ifneq ($(and $(NVCC),$(CUDA_SOURCES)),)
CUDA_HOME   := $(patsubst %/bin/nvcc,%,$(realpath $(NVCC)))
CUDA_DEFINE := -DHOTSET_CUDA
CUDA_LIBDIR := $(firstword $(wildcard $(CUDA_HOME)/lib64 $(CUDA_HOME)/targets/*-linux/lib))
CUDA_LIBS   := -L$(CUDA_LIBDIR) -lcudart_static -lstdc++ -ldl -lrt -lpthread
CUDA_ARCH   ?= all-major
OBJECTS     += $(CUDA_SOURCES:%.cu=$(BUILD)/%.cu.o)
NVCC_FLAGS  := -O3 -std=c++17 -arch=$(CUDA_ARCH) -I. -DHOTSET_CUDA -Xcompiler -Wall,-Wextra
endif

# Registries: tables written by a listing, so that adding a plug-in is adding one file.
REGISTRIES := commands policies graph_formats server_formats caches exports validation_models page_kinds
GENERATED  := $(REGISTRIES:%=$(BUILD)/gen/%.c) $(BUILD)/gen/profiles.c $(BUILD)/gen/validation_cases.c $(BUILD)/gen/figures.c $(BUILD)/gen/export_scripts.c $(BUILD)/gen/size_data.c $(BUILD)/gen/page_script.c $(BUILD)/gen/version.c
OBJECTS    += $(GENERATED:%.c=%.o)
PROFILE_FILES := $(addsuffix .json,$(sort $(basename $(wildcard hwprofiles/servers/*.json)))) # by name, not by file name: "2x3090" before "2x3090-bridge"
DRIVE_FILES   := $(sort $(wildcard hwprofiles/drives/*.json))

SIZE_DATA_FILES  := $(sort $(wildcard planner/decisions/data/*.json))
VALIDATION_FILES := $(sort $(wildcard tests/validation/*.json))
FIGURE_FILES     := $(addsuffix .json,$(sort $(basename $(wildcard planner/claims/figures/*.json))))

# Keeps the old file, and its time, when nothing changed; under a name of its own until then, because two makes may be at work in one build folder.
into = >$1.$$$$ && { cmp -s $1.$$$$ $1 && rm $1.$$$$ || mv $1.$$$$ $1; }

# $1: files, $2: C type, $3: prefix of the descriptor's name, $4: header, $5: name of the table. A plug-in is a file that defines $2 $3NAME, where
# NAME is the file's (without cmd_); a file in the same folder that defines none is what the plug-ins share. One that was copied and not renamed is told.
define write_registry
	@mkdir -p $(dir $@)
	@wrong=; names=; for f in $1; do name=$$(basename $$f .c); name=$${name#cmd_}; \
	found=$$(sed -n 's/^const $2 $3\([A-Za-z0-9_]*\) *=.*/\1/p' $$f); \
	if [ "$$found" = "$$name" ]; then names="$$names $$name"; elif [ -n "$$found" ]; then wrong=1; \
	echo "$$f defines $3$$(echo $$found), but a plug-in is named after its file: call it $3$$name" >&2; \
	elif grep -q "^ *$3$$name *= *{" $$f; then wrong=1; echo "$$f: the line must begin with 'const $2 $3$$name = {', all of it on one line" >&2; \
	else case $$f in */cmd_*) wrong=1; echo "$$f defines no command: it must hold 'const $2 $3$$name = {..}'" >&2;; esac; fi; done; [ -z "$$wrong" ] && \
	{ echo '/* written by the Makefile: every $3 that has a file */'; echo '#include "$4"'; \
	for n in $$names; do echo "extern const $2 $3$$n;"; done; \
	echo '$2 const *const $5[] = {'; for n in $$names; do echo "    &$3$$n,"; done; echo '    0};'; } $(call into,$@)
endef

all: $(BUILD)/hotset ## build build/hotset (with the CUDA backend where nvcc is found)
ifeq ($(CUDA_DEFINE),)
	@echo "hotset: nvcc not found, so the CUDA backend is left out (everything else is built)"
endif
ifeq ($(GLPK_DEFINE),)
	@echo "hotset: glpk.h not found, so policy exact is absent (apt-get install libglpk-dev; everything else is built)"
endif

ifneq ($(words $(PACKED_DEFINES)),2)
	@echo "hotset: zstd.h or lzma.h not found, so files that are compressed by them are refused (apt-get install libzstd-dev liblzma-dev; everything else is built)"
endif
ifeq ($(MPI_CFLAGS),)
	@echo "hotset: Open MPI not found, so runs are not shared under mpirun (apt-get install libopenmpi-dev; everything else is built)"
endif

FORCE:
# Objects depend on the flags they were compiled with: a build with other flags (NVCC=, SANITIZE=..) compiles anew.
$(BUILD)/gen/flags: FORCE
	@mkdir -p $(dir $@)
	@echo '$(CC) $(CFLAGS) $(HS_CFLAGS) $(MPI_CFLAGS) $(NVCC_FLAGS)' $(call into,$@)
$(BUILD)/gen/commands.c: FORCE
	$(call write_registry,$(wildcard $(FLOORS:%=%/commands/cmd_*.c)),struct command,cmd_,base/cmd.h,commands_registered)
$(BUILD)/gen/policies.c: FORCE
	$(call write_registry,$(wildcard planner/policies/*.c),struct policy,policy_,planner/policies/policy.h,policies_registered)
$(BUILD)/gen/graph_formats.c: FORCE
	$(call write_registry,$(wildcard traces/formats/*.c),struct graph_format,graph_format_,traces/formats/graph_format.h,graph_formats_registered)
$(BUILD)/gen/server_formats.c: FORCE
	$(call write_registry,$(wildcard hwprofiles/formats/*.c),struct server_format,server_format_,hwprofiles/formats/server_format.h,server_formats_registered)
$(BUILD)/gen/caches.c: FORCE
	$(call write_registry,$(wildcard simulator/caches/*.c),struct cache,cache_,simulator/caches/cache.h,caches_registered)
$(BUILD)/gen/exports.c: FORCE
	$(call write_registry,$(wildcard planner/exports/*.c),struct export_target,export_target_,planner/exports/export.h,exports_registered)
# A table of documents: C type, files, table of names and texts, a filter of each file (none: as it is). Two tables: files, table of names and texts, table of names.
write_texts = { echo 'const struct $(1) $(3)[] = {'; \
	for f in $(2); do echo "{\"$$(basename $$f .json)\","; $(or $(4),cat) $$f | sed -e 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/\\n"/'; echo '},'; done; \
	echo '{0, 0}};'; }
write_profiles = { $(call write_texts,profile,$(1),$(2)); echo 'const char *const $(3)[] = {'; \
	for f in $(1); do echo "\"$$(basename $$f .json)\","; done; echo '0};'; }
$(BUILD)/gen/profiles.c: FORCE
	@mkdir -p $(dir $@)
	@{ echo '/* written by the Makefile: the shipped profiles of servers and drives */'; echo '#include "hwprofiles/model/profiles.h"'; \
	$(call write_profiles,$(PROFILE_FILES),profiles_shipped,profiles_names); \
	$(call write_profiles,$(DRIVE_FILES),drives_shipped,drives_names); } $(call into,$@)
$(BUILD)/gen/validation_models.c: FORCE
	$(call write_registry,$(wildcard planner/validation/*.c),struct validation_model,validation_model_,planner/validation/validation_model.h,validation_models_registered)
$(BUILD)/gen/page_kinds.c: FORCE
	$(call write_registry,$(wildcard reports/*/*_page.c),struct page_kind,page_kind_,reports/shell/page_kind.h,page_kinds_registered)
$(BUILD)/gen/validation_cases.c: FORCE
	@mkdir -p $(dir $@)
	@{ echo '/* written by the Makefile: the shipped cases */'; echo '#include "planner/validation/validation_case.h"'; \
	$(call write_texts,validation_shipped,$(VALIDATION_FILES),validation_shipped); } $(call into,$@)
$(BUILD)/gen/figures.c: FORCE
	@mkdir -p $(dir $@)
	@{ echo '/* written by the Makefile: the figures of papers */'; echo '#include "planner/claims/paper_figure.h"'; \
	$(call write_texts,paper_figure_file,$(FIGURE_FILES),paper_figure_files); } $(call into,$@)
# Scripts of exports, each one text: a line `from NAME import *` becomes NAME.py, which lies beside it.
SCRIPT_JOIN = awk '/^from [a-z]+ import \*$$/ { printf again++ ? "\n\n" : "\n"; while ((getline line <("planner/exports/scripts/" $$2 ".py")) > 0) print line; next } 1'
$(BUILD)/gen/export_scripts.c: FORCE
	@mkdir -p $(dir $@)
	@{ echo '/* written by the Makefile: the scripts of exports */'; echo '#include "planner/exports/export_script.h"'; \
	$(call write_texts,export_script,$(wildcard planner/exports/scripts/load_*.py planner/exports/scripts/*.sh),export_scripts,$(SCRIPT_JOIN)); } $(call into,$@)
$(BUILD)/gen/size_data.c: FORCE
	@mkdir -p $(dir $@)
	@{ echo '/* written by the Makefile: prices and power */'; echo '#include "planner/decisions/size_money.h"'; \
	$(call write_texts,size_data_file,$(SIZE_DATA_FILES),size_data_files); } $(call into,$@)
# The pages' script without comments and indents, and what the pages' policy knows it by.
PAGE_STYLE  := sed -e '1,/\*\//d' reports/formats/page.css | sed -e ':a;N;$$!ba;s/\n  *//g'
PAGE_SCRIPT := sed -e 's/^ *//; /^\/\//d; /^$$/d' reports/formats/page.js
$(BUILD)/gen/page_script.c: FORCE
	@mkdir -p $(dir $@)
	@{ echo '/* written by the Makefile: the script of pages */'; echo '#include "reports/formats/page_script.h"'; echo 'const char page_script[] ='; \
	$(PAGE_SCRIPT) | sed -e 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/\\n"/'; \
	echo ';'; echo 'const char page_style[] ='; $(PAGE_STYLE) | sed -e 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/\\n"/'; \
	echo ';'; echo "const char page_script_hash[] = \"$$($(PAGE_SCRIPT) | sha256sum | cut -c1-64 | tr a-f A-F | basenc --base16 -d | base64)\";"; } $(call into,$@)
$(BUILD)/gen/version.c: FORCE
	@mkdir -p $(dir $@)
	@echo 'extern const char hotset_version[]; const char hotset_version[] = "$(VERSION)";' $(call into,$@)

$(BUILD)/%.o: %.c $(BUILD)/gen/flags
	@mkdir -p $(dir $@)
	$(call say,CC  )
	$(Q)$(CC) $(CFLAGS) $(HS_CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/base/ranks_mpi.o: private HS_CFLAGS += $(MPI_CFLAGS)
$(BUILD)/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/gen/flags
	$(call say,CC  )
	$(Q)$(CC) $(CFLAGS) $(HS_CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/%.cu.o: %.cu $(BUILD)/gen/flags
	@mkdir -p $(dir $@)
	$(call say,NVCC)
	$(Q)$(NVCC) $(NVCC_FLAGS) -MMD -MF $(@:.o=.d) -c $< -o $@

$(BUILD)/libhotset_core.a: $(OBJECTS)
	@rm -f $@
	@$(AR) rcs $@ $(sort $^)
$(BUILD)/hotset: $(BUILD)/planner/main.o $(BUILD)/libhotset_core.a $(BUILD)/gen/flags
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $(HS_CFLAGS) $(LDFLAGS) $< $(BUILD)/libhotset_core.a $(HS_LIBS) -o $@

install: $(BUILD)/hotset ## install the binary, man pages, completions of bash, zsh and fish, schemas and measured cases below $(DESTDIR)$(PREFIX)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d $(DESTDIR)$(PREFIX)/share/hotset/validation $(DESTDIR)$(PREFIX)/share/hotset/schemas
	install -m 755 $(BUILD)/hotset $(DESTDIR)$(PREFIX)/bin/hotset
	rm -rf $(BUILD)/man && mkdir -p $(BUILD)/man && $(BUILD)/hotset help --man >$(BUILD)/man/hotset.1
	$(BUILD)/hotset help --commands | while read -r c; do $(BUILD)/hotset help --man $$c >"$(BUILD)/man/hotset-$$(echo $$c | tr ' ' -).1" || exit 1; done
	for s in bash zsh fish; do $(BUILD)/hotset help --completion $$s >$(BUILD)/hotset.$$s || exit 1; done
	$(BUILD)/hotset list schemas | sed -n 's|^\([^ ]*\) .* \([^ ]*\.json\) *$$|\1 \2|p' | while read -r s file; do $(BUILD)/hotset list schemas $$s --json >$(BUILD)/$$file && install -m 644 $(BUILD)/$$file $(DESTDIR)$(PREFIX)/share/hotset/schemas || exit 1; done
	install -m 644 $(BUILD)/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(BUILD)/hotset.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/hotset
	install -m 644 $(BUILD)/hotset.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_hotset
	install -m 644 $(BUILD)/hotset.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/hotset.fish
	$(if $(VALIDATION_FILES),install -m 644 $(VALIDATION_FILES) $(DESTDIR)$(PREFIX)/share/hotset/validation)
uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/hotset $(DESTDIR)$(PREFIX)/share/man/man1/hotset.1 $(DESTDIR)$(PREFIX)/share/man/man1/hotset-*.1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions/hotset \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_hotset $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/hotset.fish
	rm -rf $(DESTDIR)$(PREFIX)/share/hotset/validation $(DESTDIR)$(PREFIX)/share/hotset/schemas
clean: ## remove the build folder
	rm -rf $(BUILD)
help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16
.PHONY: all clean help install uninstall FORCE
include simulator/lib/lib.mk
-include reports/manual/manual.mk
include simulator/lib/package/package.mk
-include tests/tests.mk
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
