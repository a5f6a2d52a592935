noinst_LIBRARIES += %D%/libexec.a
%C%_libexec_a_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
%C%_libexec_a_SOURCES = \
	%D%/exec.c %D%/exec.h \
	%D%/evaluate.c %D%/list.c %D%/step.c %D%/step.h
