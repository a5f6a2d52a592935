noinst_LIBRARIES += %D%/libio.a
%C%_libio_a_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_libio_a_SOURCES = \
	%D%/h5.c %D%/h5.h %D%/h5_info.c %D%/h5_priv.h \
	%D%/path.c %D%/path.h
