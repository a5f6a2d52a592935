TEST_EXTENSIONS = .t .mpi
T_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/m4/aux/tap-driver.sh
T_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/lib/run.sh
MPI_LOG_DRIVER = $(T_LOG_DRIVER)
MPI_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/lib/run-mpi.sh
AM_TESTS_ENVIRONMENT = \
	export MPIEXEC='$(MPIEXEC)' top_srcdir='$(abs_top_srcdir)' \
	       top_builddir='$(abs_top_builddir)' AWK='$(AWK)' \
	       MPIEXEC_FLAGS="$${MPIEXEC_FLAGS-$(TT_MPIEXEC_FLAGS)}" \
	       TUTTI_PROGRAMS='$(bin_PROGRAMS)' TUTTI_VERSION='$(VERSION)' \
	       TUTTI_TEST_DATA="$${TUTTI_TEST_DATA:-$(abs_top_srcdir)/../shared/data}";
EXTRA_DIST += tests/lib/run.sh tests/lib/run-mpi.sh tests/lib/sum.sh \
	tests/lib/tap.sh

check_LIBRARIES += tests/lib/libtap.a
tests_lib_libtap_a_SOURCES = tests/lib/tap.c tests/lib/tap.h

# What 'make check-long' runs: rooms add to it.
LONG_TESTS =

# Whole-program tests, in the order of the floors.
SCRIPT_TESTS = \
	tests/t0001-floors.t \
	tests/t0002-style.t \
	tests/t0003-programs.t \
	tests/t0004-runner.t \
	tests/t0700-jobs.t
TESTS += $(SCRIPT_TESTS)
EXTRA_DIST += $(SCRIPT_TESTS)

include tests/oracle/local.mk

# A room's test links that room and what is below it, and nothing above: a call
# that runs back up is an undefined symbol here.
include tests/base/local.mk
include tests/layout/local.mk
include tests/device/local.mk
include tests/job/local.mk
include tests/model/local.mk
include tests/optim/local.mk
include tests/config/local.mk
include tests/comm/local.mk
include tests/plan/local.mk
include tests/text/local.mk
include tests/io/local.mk
include tests/exec/local.mk
include tests/data/local.mk
include tests/ckpt/local.mk
include tests/train/local.mk
include tests/cmd/local.mk

include tests/long/local.mk

TESTS += $(check_PROGRAMS)

# Kills, corruptions and long runs at their full count; TUTTI_TEST_TRIES=0.1
# makes a tenth of them.
check-long: all
	TUTTI_TEST_TRIES=$${TUTTI_TEST_TRIES:-1.0} \
	TUTTI_TEST_TIMEOUT=$${TUTTI_TEST_TIMEOUT:-3600} \
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(LONG_TESTS)'
.PHONY: check-long
