noinst_LIBRARIES += %D%/libio.a
%C%_libio_a_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_libio_a_SOURCES = %D%/path.h %D%/h5.h
