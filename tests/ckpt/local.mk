# Tests of src/ckpt.
CKPT_TEST = %D%/state.c %D%/state.h
CKPT_TEST_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS) \
	-I$(top_srcdir)/tests
CKPT_TEST_LDADD = tests/lib/libtap.a src/ckpt/libckpt.a src/io/libio.a \
	src/comm/libcomm.a src/job/libjob.a src/layout/liblayout.a $(TT_FLOOR_1) $(TT_IO_LIBS) \
	$(MPI_LIBS)
check_PROGRAMS += %D%/reshape.mpi
%C%_reshape_mpi_SOURCES = %D%/reshape.c $(CKPT_TEST)
%C%_reshape_mpi_CPPFLAGS = $(CKPT_TEST_CPPFLAGS)
%C%_reshape_mpi_LDADD = $(CKPT_TEST_LDADD)
check_PROGRAMS += %D%/damage.mpi
%C%_damage_mpi_SOURCES = %D%/damage.c $(CKPT_TEST)
%C%_damage_mpi_CPPFLAGS = $(CKPT_TEST_CPPFLAGS)
%C%_damage_mpi_LDADD = $(CKPT_TEST_LDADD)
check_PROGRAMS += %D%/faults.mpi
%C%_faults_mpi_SOURCES = %D%/faults.c $(CKPT_TEST)
%C%_faults_mpi_CPPFLAGS = $(CKPT_TEST_CPPFLAGS)
%C%_faults_mpi_LDADD = $(CKPT_TEST_LDADD)
check_PROGRAMS += %D%/steps.mpi
%C%_steps_mpi_SOURCES = %D%/steps.c $(CKPT_TEST)
%C%_steps_mpi_CPPFLAGS = $(CKPT_TEST_CPPFLAGS)
%C%_steps_mpi_LDADD = $(CKPT_TEST_LDADD)
check_PROGRAMS += %D%/format.mpi
%C%_format_mpi_SOURCES = %D%/format.c $(CKPT_TEST)
%C%_format_mpi_CPPFLAGS = $(CKPT_TEST_CPPFLAGS)
%C%_format_mpi_LDADD = $(CKPT_TEST_LDADD)
check_PROGRAMS += %D%/kill.t
%C%_kill_t_SOURCES = %D%/kill.c $(CKPT_TEST)
%C%_kill_t_CPPFLAGS = $(CKPT_TEST_CPPFLAGS)
%C%_kill_t_LDADD = $(CKPT_TEST_LDADD)
check_PROGRAMS += %D%/tool.mpi
%C%_tool_mpi_SOURCES = %D%/tool.c $(CKPT_TEST)
%C%_tool_mpi_CPPFLAGS = $(CKPT_TEST_CPPFLAGS)
%C%_tool_mpi_LDADD = $(CKPT_TEST_LDADD)
check_PROGRAMS += %D%/manifest.t
%C%_manifest_t_SOURCES = %D%/manifest.c
%C%_manifest_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
%C%_manifest_t_LDADD = tests/lib/libtap.a src/ckpt/libckpt.a src/io/libio.a \
	$(TT_FLOOR_1)

# Their number of tries grows in 'make check-long'.
LONG_TESTS += %D%/damage.mpi %D%/kill.t
