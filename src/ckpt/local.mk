noinst_LIBRARIES += %D%/libckpt.a
%C%_libckpt_a_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_libckpt_a_SOURCES = %D%/ckpt.h
