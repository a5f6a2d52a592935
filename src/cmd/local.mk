bin_PROGRAMS += tutti-shard
tutti_shard_SOURCES = %D%/tutti-shard.c
tutti_shard_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tutti_shard_LDADD = $(TT_FLOOR_5)
