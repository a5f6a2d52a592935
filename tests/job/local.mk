check_PROGRAMS += %D%/slurm.t
%C%_slurm_t_SOURCES = %D%/slurm.c
%C%_slurm_t_LDADD = tests/lib/libtap.a src/job/libjob.a $(TT_FLOOR_1)

check_PROGRAMS += %D%/signals.t
%C%_signals_t_SOURCES = %D%/signals.c
%C%_signals_t_LDADD = tests/lib/libtap.a src/job/libjob.a $(TT_FLOOR_1)
