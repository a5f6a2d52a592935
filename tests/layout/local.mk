check_PROGRAMS += %D%/block.t
%C%_block_t_SOURCES = %D%/block.c
%C%_block_t_LDADD = tests/lib/libtap.a src/layout/liblayout.a $(TT_FLOOR_1)
