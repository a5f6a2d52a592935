# Tests of src/exec.
check_PROGRAMS += %D%/oracle.t
%C%_oracle_t_SOURCES = %D%/oracle.c
%C%_oracle_t_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_oracle_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_4)
