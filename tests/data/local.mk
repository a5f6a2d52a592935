# Tests of src/data.
check_PROGRAMS += %D%/shard.t
%C%_shard_t_SOURCES = %D%/shard.c
%C%_shard_t_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_shard_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_5) $(MPI_LIBS)
