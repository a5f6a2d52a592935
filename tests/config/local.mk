# Tests of src/config.
check_PROGRAMS += %D%/job.t
%C%_job_t_SOURCES = %D%/job.c
%C%_job_t_LDADD = tests/lib/libtap.a src/config/libconfig.a $(TT_FLOOR_2)

check_PROGRAMS += %D%/again.t
%C%_again_t_SOURCES = %D%/again.c
%C%_again_t_LDADD = tests/lib/libtap.a src/config/libconfig.a $(TT_FLOOR_2)
