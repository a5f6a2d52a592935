noinst_LIBRARIES += %D%/libckpt.a
%C%_libckpt_a_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_libckpt_a_SOURCES = \
	%D%/blocks.c %D%/blocks.h \
	%D%/ckpt.h \
	%D%/compare.c %D%/compare.h \
	%D%/image.c %D%/image.h \
	%D%/load.c \
	%D%/manifest.c %D%/manifest.h \
	%D%/save.c \
	%D%/side.c %D%/side.h \
	%D%/steps.c %D%/steps.h \
	%D%/tiles.c %D%/tiles.h
