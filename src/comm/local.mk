noinst_LIBRARIES += %D%/libcomm.a
%C%_libcomm_a_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
%C%_libcomm_a_SOURCES = \
	%D%/agree.c %D%/agree.h \
	%D%/start.c %D%/start.h \
	%D%/treesum.c %D%/treesum.h \
	%D%/watch.c %D%/watch.h \
	%D%/verdict.c %D%/verdict.h
