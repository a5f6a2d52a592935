noinst_LIBRARIES += %D%/libtrain.a
%C%_libtrain_a_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
%C%_libtrain_a_SOURCES = \
	%D%/metrics.c %D%/metrics.h \
	%D%/progress.c %D%/progress.h \
	%D%/rundir.c %D%/rundir.h
