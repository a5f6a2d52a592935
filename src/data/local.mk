noinst_LIBRARIES += %D%/libdata.a
%C%_libdata_a_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_libdata_a_SOURCES = \
	%D%/index.c \
	%D%/loader.h \
	%D%/set.h \
	%D%/shard.c %D%/shard.h
