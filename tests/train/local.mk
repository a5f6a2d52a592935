# Tests of src/train.
TRAIN_TEST_LDADD = tests/lib/libtap.a src/train/libtrain.a src/io/libio.a \
	src/job/libjob.a $(TT_FLOOR_1)
check_PROGRAMS += %D%/metrics.t %D%/progress.t %D%/rundir.t
%C%_metrics_t_SOURCES = %D%/metrics.c
%C%_metrics_t_LDADD = $(TRAIN_TEST_LDADD)
%C%_progress_t_SOURCES = %D%/progress.c
%C%_progress_t_LDADD = $(TRAIN_TEST_LDADD)
%C%_rundir_t_SOURCES = %D%/rundir.c
%C%_rundir_t_LDADD = $(TRAIN_TEST_LDADD)
