noinst_LIBRARIES += %D%/libdata.a
%C%_libdata_a_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_libdata_a_SOURCES = \
	%D%/column.c %D%/column.h \
	%D%/feed.h %D%/feed_memory.c %D%/feed_window.c \
	%D%/index.c \
	%D%/keys.c %D%/keys.h \
	%D%/loader.c %D%/loader.h \
	%D%/open.h %D%/open_packed.c %D%/open_synthetic.c \
	%D%/set.c %D%/set.h \
	%D%/shard.c %D%/shard.h \
	%D%/source.c %D%/source.h \
	%D%/store.c %D%/store.h \
	%D%/synthetic.c %D%/synthetic.h \
	%D%/window.c %D%/window.h
