# Tests of src/io.
check_PROGRAMS += %D%/path.t %D%/h5.t
%C%_path_t_SOURCES = %D%/path.c
%C%_path_t_LDADD = tests/lib/libtap.a src/io/libio.a $(TT_FLOOR_1)
%C%_h5_t_SOURCES = %D%/h5.c
%C%_h5_t_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_h5_t_LDADD = tests/lib/libtap.a src/io/libio.a $(TT_FLOOR_1) $(HDF5_LIBS) \
	$(MPI_LIBS)
