bin_PROGRAMS += tutti-shard
tutti_shard_SOURCES = %D%/tutti-shard.c
tutti_shard_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tutti_shard_LDADD = $(TT_FLOOR_5)

noinst_LIBRARIES += %D%/libcmd.a
%C%_libcmd_a_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
%C%_libcmd_a_SOURCES = \
	%D%/common.c %D%/common.h \
	%D%/eval_modes.c %D%/eval_modes.h \
	%D%/train_modes.c %D%/train_modes.h

bin_PROGRAMS += tutti-train tutti-eval
tutti_train_SOURCES = %D%/tutti-train.c
tutti_train_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
tutti_train_LDADD = %D%/libcmd.a $(TT_FLOOR_6)
tutti_eval_SOURCES = %D%/tutti-eval.c
tutti_eval_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(MPI_CFLAGS)
tutti_eval_LDADD = %D%/libcmd.a $(TT_FLOOR_6)
bin_PROGRAMS += tutti-ckpt
tutti_ckpt_SOURCES = %D%/tutti-ckpt.c
tutti_ckpt_LDADD = src/ckpt/libckpt.a src/io/libio.a $(TT_FLOOR_2)
