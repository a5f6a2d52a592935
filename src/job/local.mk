noinst_LIBRARIES += %D%/libjob.a
%C%_libjob_a_SOURCES = \
	%D%/job.h \
	%D%/process.c \
	%D%/signals.c \
	%D%/slurm.c
