# Inspect: build, test, install.
#
#   make                 build/inspect and what it needs
#   make demo            check one example with a bug and its repaired version
#   make test            everything: format, unit tests, program tests, command tests, again with sanitizers
#   make bench           speed, memory and growth; checks ratios measured in one run
#   make install         PREFIX=/usr/local DESTDIR=
#   make SANITIZE=1 …    the same into build-sanitize/, the tool with AddressSanitizer and UBSan; with CHECKS=2 slower yet
#   make V=1 …           show the commands
#
# `make help` lists all targets.

LLVM := 19

ifeq ($(origin CC),default)
CC := gcc
endif
PREFIX ?= /usr/local
DESTDIR ?=

Q := @
say = @echo "  $(1) $@"
ifdef V
Q :=
say =
endif

ifdef SANITIZE
# Invariants that cost more than the code around them (src/common/invariant.h), and a slow second opinion after every
# execution (src/order/second_opinion.h).  CHECKS=2: whole structures as well, into a folder of their own.
CHECKS := 1
B := build-sanitize$(if $(filter-out 1,$(CHECKS)),-checks$(CHECKS))
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else
CHECKS := 0
B := build$(if $(filter-out 0,$(CHECKS)),-checks$(CHECKS))
SANITIZERS :=
endif

WARNINGS := -Wall -Wextra -Werror
CFLAGS ?= -O2 -g
COMMON_FLAGS := -std=gnu17 $(WARNINGS) -Isrc -Iinclude -DLLVM_MAJOR=$(LLVM) -MMD -MP
TOOL_FLAGS = $(COMMON_FLAGS) $(CFLAGS) $(SANITIZERS) -DCHECKS=$(CHECKS) -fPIE -ffunction-sections
# Asked only when a recipe needs them: on a fresh machine `make deps` comes first.
LLVM_CONFIG := llvm-config-$(LLVM)
LLVM_FLAGS = -isystem $(shell $(LLVM_CONFIG) --includedir)
LLVM_LIBS = -L$(shell $(LLVM_CONFIG) --libdir) -lLLVM-$(LLVM)
# The runtime lives inside the program under test: no libc shortcuts, no canary
# (it would be read through another thread's TLS), no state outside its mapping.
# Its debug information is linked into every program that is checked: lines will do, for call stacks in
# reports; RUNTIME_DEBUG=-g has the rest, for a debugger.
RUNTIME_DEBUG := -g1
RUNTIME_FLAGS := $(COMMON_FLAGS) -DCHECKS=$(CHECKS) -O2 $(RUNTIME_DEBUG) -fPIC -fno-builtin -fno-builtin-malloc -fno-builtin-calloc \
	-fno-stack-protector -fstack-clash-protection -fcf-protection=none -fno-omit-frame-pointer -fno-common \
	-mfsgsbase -fno-reorder-functions -fno-tree-slp-vectorize
# Its code is in a section of its own, by which a fault in it is known (process.c).
RUNTIME_SECTION := objcopy --rename-section .text=inspect_runtime

# Three programs: the tool, the instrumentor (which uses LLVM) and the runtime, which is linked into programs.
GUEST_SOURCE := src/execute/bytes.c
INSTRUMENT_SOURCES := $(wildcard src/build/instrument/*.c src/build/instrument/*/*.c)
RUNTIME_SOURCES := $(wildcard src/runtime/*/*.c src/runtime/*/*.S) src/wire/conflict.c
TOOL_SOURCES := $(filter-out $(INSTRUMENT_SOURCES) src/runtime/% src/cluster/mpi/% $(GUEST_SOURCE),$(wildcard src/*/*.c src/*/*/*.c))
UNIT_SOURCES := $(wildcard tests/unit/*.c)

object = $(patsubst %,$(B)/$(1)/%.o,$(basename $(2)))
MAIN_OBJECT := $(call object,tool,src/cli/main.c)
LIBRARY_OBJECTS := $(filter-out $(MAIN_OBJECT),$(call object,tool,$(TOOL_SOURCES)))
INSTRUMENT_OBJECTS := $(call object,tool,$(INSTRUMENT_SOURCES))
RUNTIME_OBJECTS := $(call object,runtime,$(RUNTIME_SOURCES))
UNIT_TESTS := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(UNIT_SOURCES))

# One plugin for each MPI whose compiler is here, or none.  One that has no name of its own is asked what it is: all
# but Open MPI are relatives of MPICH, started in the same way.
MPI_COMPILERS := $(strip $(foreach mpi,openmpi mpich,$(if $(shell command -v mpicc.$(mpi)),$(mpi))))
MPI_COMPILER = mpicc.$*
ifeq ($(MPI_COMPILERS),)
ifneq ($(shell command -v mpicc),)
MPI_COMPILERS := $(if $(findstring OPEN_MPI,$(shell mpicc -E -dM -include mpi.h -xc /dev/null 2>&1)),openmpi,mpich)
MPI_COMPILER = mpicc
endif
endif
MPI_PLUGINS := $(MPI_COMPILERS:%=$(B)/inspect-mpi-%.so)

.PHONY: all
all: $(B)/inspect $(B)/inspect-cc $(B)/inspect-c++ $(B)/inspect-instrument $(B)/libinspect-runtime.a $(MPI_PLUGINS)

.DELETE_ON_ERROR:

# Its code runs in the program's processes as well, at the same address and without a C library (src/wire/guest.h).  So it is
# at an address that nobody else uses; the compiler's own startup files for that can only be at a low one.
startup = $(shell $(CC) -print-file-name=$(1))
FIXED_ADDRESS := -no-pie -nostartfiles -Wl,--no-relax,-Ttext-segment=0x140000000000
GUEST_OBJECT := $(call object,tool,$(GUEST_SOURCE))
$(GUEST_OBJECT): TOOL_FLAGS += -fno-builtin -fno-tree-loop-distribute-patterns

ifdef SANITIZE
$(B)/inspect: $(MAIN_OBJECT) $(B)/libinspect.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(SANITIZERS) $(LDFLAGS) -o $@ $^ -ldw -lelf
else
$(B)/inspect: $(MAIN_OBJECT) $(GUEST_OBJECT) $(B)/libinspect.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(FIXED_ADDRESS) -o $@ $(call startup,Scrt1.o) $(call startup,crti.o) \
		$(call startup,crtbeginS.o) $^ -ldw -lelf $(call startup,crtendS.o) $(call startup,crtn.o)
endif

$(B)/inspect-cc $(B)/inspect-c++: | $(B)/inspect
	$(Q)ln -sf inspect $@

$(B)/inspect-instrument: $(INSTRUMENT_OBJECTS) $(B)/libinspect.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(SANITIZERS) $(LDFLAGS) -o $@ $^ $(LLVM_LIBS)

# All of the tool but main(): what the instrumentor and the unit tests link with.
$(B)/libinspect.a: $(LIBRARY_OBJECTS)
	@rm -f $@
	$(call say,AR)
	$(Q)ar qcs $@ $^

# All of it goes into each program, so it is linked once, here: one object is read faster than many.
# Afterwards what its headers declare for itself is no name that a program could clash with; what takes the place of
# a library's function stays, and gives way to a program's own where that is an ordinary name for a program.
RUNTIME_NAMES := objcopy --localize-hidden --wildcard $(addprefix --weaken-symbol=, \
	'sem_*' 'thrd_*' 'mtx_*' 'cnd_*' 'tss_*' call_once time clock sleep usleep nanosleep clock_gettime clock_nanosleep \
	gettimeofday timespec_get getcpu sched_getcpu sched_yield syscall on_exit quick_exit)

# So do all functions of these files, which make system calls.
SYSTEM_OBJECTS := $(call object,runtime,$(addprefix src/runtime/process/,system.c stdio.c mappings.c library.c))

$(B)/inspect-runtime.o: $(RUNTIME_OBJECTS) Makefile
	$(call say,LD)
	$(Q)ld -r --force-group-allocation -o $@ $(RUNTIME_OBJECTS)
	$(Q)nm -g --defined-only $(SYSTEM_OBJECTS) | awk '$$2 == "T" { print $$3 }' >$@.weak
	$(Q)$(RUNTIME_NAMES) --weaken-symbols=$@.weak $@

$(B)/libinspect-runtime.a: $(B)/inspect-runtime.o
	@rm -f $@
	$(call say,AR)
	$(Q)ar qcs $@ $^

$(B)/inspect-mpi-%.so: src/cluster/mpi/plugin.c Makefile
	@mkdir -p $(@D)
	$(call say,MPICC)
	$(Q)$(MPI_COMPILER) $(COMMON_FLAGS) $(CFLAGS) -MF $@.d -fPIC -shared -o $@ $<

$(INSTRUMENT_OBJECTS): TOOL_FLAGS += $(LLVM_FLAGS)

$(B)/tool/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(TOOL_FLAGS) -c -o $@ $<

# Exceptions of C++ may leave a routine that is run once.
$(B)/runtime/src/runtime/sync/once.o: RUNTIME_FLAGS += -fexceptions

$(B)/runtime/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(RUNTIME_FLAGS) -c -o $@ $<
	$(Q)$(RUNTIME_SECTION) $@

$(B)/runtime/%.o: %.S Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(RUNTIME_FLAGS) -c -o $@ $<
	$(Q)$(RUNTIME_SECTION) $@

$(B)/tests/unit/%: tests/unit/%.c $(B)/libinspect.a
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(TOOL_FLAGS) -MF $@.d -o $@ $< $(WRAPPERS) $(B)/libinspect.a -ldw -lelf

# Tests of the wrappers of the C library have these, and hooks of their own.
WRAPPED_TESTS := $(filter-out %/wrap_table,$(filter $(B)/tests/unit/wrap_%,$(UNIT_TESTS)))
WRAPPER_OBJECTS := $(filter $(B)/runtime/src/runtime/libc/% %/memory/arguments.o,$(RUNTIME_OBJECTS))
$(WRAPPED_TESTS): $(WRAPPER_OBJECTS)
$(WRAPPED_TESTS): WRAPPERS = $(WRAPPER_OBJECTS)
$(WRAPPED_TESTS): TOOL_FLAGS += -fno-builtin

$(B)/tests/json: tests/cli/json.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(TOOL_FLAGS) -MF $@.d -o $@ $<

$(B)/bench/measure: bench/measure.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(TOOL_FLAGS) -MF $@.d -o $@ $<

$(B)/bench/simulate $(B)/bench/pingpong: $(B)/bench/%: bench/%.c $(B)/libinspect.a
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(TOOL_FLAGS) -MF $@.d -o $@ $< $(B)/libinspect.a -ldw -lelf

-include $(shell find $(B) -name '*.d' 2>/dev/null)

##@ Checking

.PHONY: deps
deps: ## name what is missing to build and test, and install it unless INSPECT_NO_INSTALL=1 (Debian, Ubuntu)
	@LLVM=$(LLVM) tools/deps.sh

.PHONY: demo
demo: ## check one example with a bug and its repaired version
	@$(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory all
	@tools/demo.sh $(B)/inspect

# What can be said of the sources without building them.
SOURCE_CHECKS := check-format check-layers check-headers check-mutations test-tools

# What a person runs before each commit: a part of everything, in under a minute on two cores.
CHECK_COMMANDS := missing_file no_main does_not_compile usage help_and_version cc cxx refused_function replay \
	damaged_trace json warnings quiet_and_streams

.PHONY: check
check: ## before each commit, in a minute: sources, unit tests, and a part of all other tests
	@$(MAKE) --no-print-directory all $(B)/tests/json $(UNIT_TESTS) $(RANDOM_DRIVER) $(RANDOM_PROGRAM) $(STRUCTURED_DRIVER)
	@$(MAKE) --no-print-directory check-format check-layers check-headers check-mutations check-man check-runtime-names \
		check-guest
	@$(MAKE) --no-print-directory test-unit
	@tests/run.sh --inspect=$(B)/inspect --every=20
	@tests/cli/run.sh --inspect=$(B)/inspect --json=$(B)/tests/json $(CHECK_COMMANDS)
	@$(MAKE) --no-print-directory test-random RANDOM_PROGRAMS=100
	@$(MAKE) --no-print-directory test-structured STRUCTURED_PROGRAMS=60

# Each step that uses what the one before made is a make of its own, so that -j is safe.
.PHONY: test
test: ## everything, with the plain tool and with the sanitized one
	@$(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory $(SOURCE_CHECKS)
	@$(MAKE) --no-print-directory test-once
ifndef SANITIZE
	@$(MAKE) --no-print-directory test-once SANITIZE=1
endif

.PHONY: test-once
test-once: ## unit, runtime, program, build and command tests with one build
	@$(MAKE) --no-print-directory all $(B)/tests/json $(UNIT_TESTS)
	@$(MAKE) --no-print-directory check-runtime-state
	@$(MAKE) --no-print-directory check-runtime-names
ifndef SANITIZE
	@$(MAKE) --no-print-directory check-guest
endif
	@$(MAKE) --no-print-directory check-man
	@$(MAKE) --no-print-directory test-unit
	@$(MAKE) --no-print-directory test-programs
	@$(MAKE) --no-print-directory test-stateful
	@$(MAKE) --no-print-directory -j2 --output-sync=target test-build test-cli test-cluster
	@$(MAKE) --no-print-directory test-random
	@$(MAKE) --no-print-directory test-structured
	@$(MAKE) --no-print-directory test-random-cluster

.PHONY: test-tools
test-tools: ## what tools/deps.sh says and installs; that make lint can fail
	@tests/tools/run.sh

.PHONY: test-unit
test-unit: $(UNIT_TESTS) ## unit tests
	@tests/unit.sh $(UNIT_TESTS)

.PHONY: test-programs
test-programs: all ## expected verdicts and counts of tests/programs and examples
	@tests/run.sh --inspect=$(B)/inspect $(if $(SANITIZE),--every=5)
ifndef SANITIZE
	@tests/run.sh --inspect=$(B)/inspect --option=--search-place=inside --every=6
endif

# Not all of them: where variables of one thread that others touch share a piece of its stack with
# variables that they do not touch, counts depend on the layout of the function.
STATEFUL_TESTS := $(addprefix tests/programs/,api_once.c atomics.c await.c by_value.c cond_broadcast.c copy_between.c \
	cxx_containers.cpp cxx_exceptions.cpp cxx_once.cpp exit_handlers.c function_pointers.c heap.c libc_between.c \
	libc_calls.c libc_print.c libc_sort.c libc_string.c lock_counter.c memory_correct.c nested_creation.c)

.PHONY: test-stateful
test-stateful: all ## some of them once more, built with --stateful
	@tests/run.sh --inspect=$(B)/inspect --build=--stateful $(if $(SANITIZE),--every=5) $(STATEFUL_TESTS)

.PHONY: test-build
test-build: all ## tests of the compiler driver
	@for script in $(wildcard tests/build/*.sh); do INSPECT=$(CURDIR)/$(B)/inspect bash $$script || exit 1; done

.PHONY: test-cli
test-cli: all $(B)/tests/json ## behaviour of the command: errors, interrupts, replay, leftovers
	@tests/cli/run.sh --inspect=$(B)/inspect --json=$(B)/tests/json

.PHONY: test-cluster
test-cluster: all ## several workers, checkpoints: the same results whatever happens to them
	@for script in $(wildcard tests/cluster/*.sh); do $$script --inspect=$(B)/inspect || exit 1; done

# tests/random: programs that are drawn at random, every search against the oracle.
RANDOM_DRIVER := $(B)/tests/random/driver
RANDOM_PROGRAM := $(B)/tests/random/program
RANDOM_TESTS := $(RANDOM_DRIVER) --inspect=$(B)/inspect --program=$(RANDOM_PROGRAM) \
	$(addprefix --kept=,$(wildcard tests/random/kept/*.txt))

$(RANDOM_DRIVER): $(addprefix tests/random/,driver.c generate.c search.c compare.c model.c shrink.c text.c \
		harness.h hidden.h text.h instructions.def)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(COMMON_FLAGS) $(CFLAGS) -MF $@.d -o $@ $(filter %.c,$^)

RANDOM_CLUSTER := $(B)/tests/random/cluster

$(RANDOM_CLUSTER): $(addprefix tests/random/,cluster.c cluster_text.c generate.c text.c cluster.h harness.h text.h \
		instructions.def) $(B)/libinspect.a
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(TOOL_FLAGS) -MF $@.d -o $@ $(filter %.c %.a,$^) -ldw -lelf

# The program's hidden part is native code, which Inspect does not see.
$(B)/tests/random/%.o: tests/random/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(COMMON_FLAGS) -O2 -g -fPIC -c -o $@ $<

$(RANDOM_PROGRAM): tests/random/program.c $(B)/tests/random/text.o $(B)/tests/random/hidden.o \
		tests/random/hidden.h tests/random/text.h tests/random/instructions.def \
		$(B)/inspect $(B)/inspect-instrument $(B)/libinspect-runtime.a
	$(call say,INSPECT)
	$(Q)$(B)/inspect cc -o $@ $(filter %.c %.o,$^)
	$(Q)$(B)/inspect cc --stateful -o $@-stateful $(filter %.c %.o,$^)

.PHONY: test-random
test-random: all $(RANDOM_DRIVER) $(RANDOM_PROGRAM) ## random programs: every search against the oracle
	@$(RANDOM_TESTS) --oracle=500 --programs=$(or $(RANDOM_PROGRAMS),$(if $(SANITIZE),100,2000))

.PHONY: test-random-cluster
test-random-cluster: all $(RANDOM_CLUSTER) $(RANDOM_PROGRAM) ## random programs: several workers against one search
	@$(RANDOM_CLUSTER) --program=$(RANDOM_PROGRAM) --kept=tests/random/kept/cluster.txt \
		--programs=$(or $(RANDOM_PROGRAMS),$(if $(SANITIZE),30,200))

.PHONY: soak
soak: all $(RANDOM_DRIVER) $(RANDOM_PROGRAM) ## the same with new programs until stopped, or for SOAK_SECONDS
	@$(RANDOM_TESTS) --programs=0 --from=$(or $(SOAK_FROM),$(shell date +%s)000) --failures=1000000 \
		$(if $(SOAK_SECONDS),--seconds=$(SOAK_SECONDS)) $(if $(SOAK_SIZE),--size=$(SOAK_SIZE))

# tests/structured: programs with loops and functions, drawn as trees, against an oracle that knows nothing of Inspect.
STRUCTURED_DRIVER := $(B)/tests/structured/driver
STRUCTURED_TESTS := $(STRUCTURED_DRIVER) --inspect=$(B)/inspect --include=include \
	--known=tests/structured/known.txt $(addprefix --kept=,$(wildcard tests/structured/kept/*.txt))

$(STRUCTURED_DRIVER): $(wildcard tests/structured/*.[ch] tests/structured/*.def)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(COMMON_FLAGS) $(CFLAGS) -MF $@.d -o $@ $(filter %.c,$^)

.PHONY: test-structured
test-structured: all $(STRUCTURED_DRIVER) ## structured random programs: every search against an independent oracle
	@$(STRUCTURED_TESTS) --programs=$(or $(STRUCTURED_PROGRAMS),$(if $(SANITIZE),150,2000))

.PHONY: soak-structured
soak-structured: all $(STRUCTURED_DRIVER) ## the same with new programs until stopped, or for SOAK_SECONDS
	@$(STRUCTURED_TESTS) --programs=0 --from=$(or $(SOAK_FROM),$(shell date +%s)000) --failures=1000000 \
		$(if $(SOAK_SECONDS),--seconds=$(SOAK_SECONDS))

.PHONY: mutate
mutate: ## break the searches on purpose: does test-random notice?
	@tests/mutations/run.sh searches

.PHONY: mutations
mutations: ## bring old mistakes back, one by one: is each noticed within five minutes?
	@tests/mutations/run.sh mistakes

.PHONY: check-mutations
check-mutations: ## fail if one of both no longer applies to the sources
	@tests/mutations/run.sh --check

.PHONY: check-runtime-state
check-runtime-state: $(RUNTIME_OBJECTS) ## the runtime may keep no state in .data or .bss
	@tools/check-runtime-state.sh $^

.PHONY: check-runtime-names
check-runtime-names: $(B)/inspect-runtime.o ## … nor have names that a program could use
	@CC=$(CC) tools/check-runtime-names.sh $<

.PHONY: check-guest
check-guest: $(LIBRARY_OBJECTS) $(GUEST_OBJECT) ## the search needs no C library where it runs inside the program
	@CC=$(CC) tools/check-guest.sh $^

.PHONY: check-man
check-man: all ## the man page lists the options that the command has
	@if test -x docs/man-options; then docs/man-options $(B)/inspect; fi

.PHONY: bench
bench: ## speed, memory, growth; writes bench/results.json and growth.svg
	@$(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory all $(B)/bench/measure
	@bench/run.sh $(B)/inspect $(B)/bench/measure

.PHONY: bench-cluster
bench-cluster: ## speedup, balance, prediction; writes bench/speedup.txt and docs/speedup.svg
	@$(MAKE) --no-print-directory all $(B)/bench/simulate $(B)/bench/pingpong
	@bench/cluster.sh $(B)

CLANG_FORMAT := clang-format-$(LLVM)
FORMATTED = $(shell find src include tests examples bench -name '*.[ch]' -o -name '*.inc' -o -name '*.cpp' 2>/dev/null)

.PHONY: format
format: ## rewrite the sources in our format
	$(Q)$(CLANG_FORMAT) -i $(FORMATTED)

.PHONY: check-format
check-format: ## fail if a source is not in our format
	@$(CLANG_FORMAT) --dry-run --Werror $(FORMATTED)

.PHONY: check-layers
check-layers: ## fail if a file of src includes one of a higher folder, or a folder is crowded
	@tools/check-layers.sh

# Each header alone, and once more, as it is compiled where it is used: what the tool and the runtime share both ways,
# what goes into programs as C and as C++.  One that passed is not looked at again before it changes.
HEADERS := $(sort $(shell find src include -name '*.h'))
PROGRAM_HEADERS := include/inspect.h src/build/override/pthread.h
INSTRUMENT_HEADERS := $(filter src/build/instrument/%,$(HEADERS))
RUNTIME_HEADERS := $(filter src/runtime/% src/wire/%,$(HEADERS))
TOOL_HEADERS := $(filter-out src/runtime/% $(PROGRAM_HEADERS),$(HEADERS))

checked = $(patsubst %,$(B)/headers/$(1)/%.ok,$(2))
CHECKED_HEADERS := $(call checked,tool,$(TOOL_HEADERS)) $(call checked,runtime,$(RUNTIME_HEADERS)) \
	$(call checked,c,$(PROGRAM_HEADERS)) $(call checked,c++,$(PROGRAM_HEADERS))
$(call checked,tool,$(INSTRUMENT_HEADERS)): TOOL_FLAGS += $(LLVM_FLAGS)
check_header = $(Q)mkdir -p $(@D) && printf '\#include "%s"\n' $< $< | $(1) -I. -MF $@.d -MT $@ -fsyntax-only -Wfatal-errors - && touch $@

$(B)/headers/tool/%.ok: % Makefile
	$(call check_header,$(CC) $(TOOL_FLAGS) -xc)

$(B)/headers/runtime/%.ok: % Makefile
	$(call check_header,$(CC) $(RUNTIME_FLAGS) -xc)

$(B)/headers/c/%.ok: % Makefile
	$(call check_header,$(CC) -std=c99 $(WARNINGS) -MMD -MP -xc)

$(B)/headers/c++/%.ok: % Makefile
	$(call check_header,$(CC) -std=c++98 $(WARNINGS) -MMD -MP -xc++)

.PHONY: check-headers
check-headers: $(CHECKED_HEADERS) ## fail if a header does not compile alone
	@:

# clang-tidy for each file with the flags it is compiled with, as far as clang knows them, and cppcheck for all of them.
# A file that passed is not looked at again before it or a header of it changes.
LINT_SOURCES := $(filter-out src/cluster/mpi/%,$(wildcard src/*/*.c src/*/*/*.c))
LINT_FLAGS := $(filter-out -MMD -MP,$(COMMON_FLAGS))
LINTED := $(patsubst %.c,$(B)/lint/%.ok,$(LINT_SOURCES))
$(filter $(B)/lint/src/build/instrument/%,$(LINTED)): LINT_FLAGS += $(LLVM_FLAGS)
$(filter $(B)/lint/src/runtime/% $(B)/lint/src/wire/conflict%,$(LINTED)): LINT_FLAGS += -fno-builtin -mfsgsbase

$(B)/lint/%.ok: %.c .clang-tidy Makefile
	@mkdir -p $(@D)
	@echo "  LINT $<"
	$(Q)clang-tidy-$(LLVM) --quiet --config-file=.clang-tidy $< -- $(LINT_FLAGS) 2>$@.messages || \
		{ grep -v ' warnings\? generated' $@.messages; exit 1; }
	$(Q)$(CC) $(LINT_FLAGS) -MM -MP -MF $@.d -MT $@ $< && touch $@

.PHONY: lint-cppcheck
lint-cppcheck:
	@mkdir -p $(B)/lint/cppcheck
	$(Q)cppcheck --quiet --enable=warning,performance,portability --std=c11 --error-exitcode=1 --inline-suppr \
		--suppressions-list=tools/cppcheck.suppressions --library=tools/cppcheck.cfg \
		--cppcheck-build-dir=$(B)/lint/cppcheck -j$$(nproc) -Isrc -Iinclude -DLLVM_MAJOR=$(LLVM) $(LINT_SOURCES)

.PHONY: lint
lint: ## look for mistakes in src with clang-tidy and cppcheck (.clang-tidy, tools/cppcheck.suppressions)
	@LLVM=$(LLVM) tools/deps.sh lint
	@$(MAKE) --no-print-directory --keep-going --output-sync=target -j$$(nproc) lint-cppcheck $(LINTED)

##@ Installing

BIN := $(DESTDIR)$(PREFIX)/bin
LIB := $(DESTDIR)$(PREFIX)/lib/inspect
INCLUDE := $(DESTDIR)$(PREFIX)/include
MAN := $(DESTDIR)$(PREFIX)/share/man/man1
DOC := $(DESTDIR)$(PREFIX)/share/doc/inspect

.PHONY: install
install: all ## into PREFIX (default /usr/local), below DESTDIR
	install -d $(BIN) $(LIB) $(MAN) $(DOC)/examples/classic $(DOC)/examples/cluster
	install $(B)/inspect $(BIN)/inspect
	ln -sf inspect $(BIN)/inspect-cc
	ln -sf inspect $(BIN)/inspect-c++
	install $(B)/inspect-instrument $(LIB)/inspect-instrument
	install -m 644 $(B)/libinspect-runtime.a $(LIB)/libinspect-runtime.a
	for plugin in $(MPI_PLUGINS); do install -m 644 $$plugin $(LIB); done
	install -d $(LIB)/override
	install -m 644 src/build/override/pthread.h $(LIB)/override
	if test -f include/inspect.h; then install -d $(INCLUDE) && install -m 644 include/inspect.h $(INCLUDE); fi
	if test -f docs/inspect.1; then install -m 644 docs/inspect.1 $(MAN); fi
	install -m 644 README.md LICENSE $(wildcard docs/*.md) $(DOC)
	install -m 644 $(wildcard examples/*.*) $(DOC)/examples
	install -m 644 $(wildcard examples/classic/*) $(DOC)/examples/classic
	install -m 644 $(wildcard examples/cluster/*) $(DOC)/examples/cluster

.PHONY: uninstall
uninstall: ## remove what install put there
	rm -f $(BIN)/inspect $(BIN)/inspect-cc $(BIN)/inspect-c++ $(INCLUDE)/inspect.h $(MAN)/inspect.1
	rm -rf $(LIB) $(DOC)

.PHONY: clean
clean: ## remove everything that was built
	rm -rf build build-checks* build-sanitize*

.PHONY: help
help: ## this list
	@awk 'BEGIN { FS = ":.*## " } /^##@/ { print "\n" substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' Makefile
