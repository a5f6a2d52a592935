noinst_LIBRARIES += %D%/libtrain.a
%C%_libtrain_a_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
%C%_libtrain_a_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
%C%_libtrain_a_SOURCES = \
	%D%/due.c %D%/due.h \
	%D%/loop.c \
	%D%/metrics.c %D%/metrics.h \
	%D%/open.c \
	%D%/progress.c %D%/progress.h \
	%D%/report.c %D%/report.h \
	%D%/run.h \
	%D%/rundir.c %D%/rundir.h \
	%D%/save.c %D%/save.h \
	%D%/source.c %D%/source.h \
	%D%/state.c \
	%D%/summary.c
