check_PROGRAMS += %D%/block.t
%C%_block_t_SOURCES = %D%/block.c
%C%_block_t_LDADD = tests/lib/libtap.a src/layout/liblayout.a $(TT_FLOOR_1)

check_PROGRAMS += %D%/order.t
%C%_order_t_SOURCES = %D%/order.c
%C%_order_t_LDADD = tests/lib/libtap.a src/layout/liblayout.a $(TT_FLOOR_1)

check_PROGRAMS += %D%/lanes.t
%C%_lanes_t_SOURCES = %D%/lanes.c
%C%_lanes_t_LDADD = tests/lib/libtap.a src/layout/liblayout.a $(TT_FLOOR_1)

check_PROGRAMS += %D%/match.t
%C%_match_t_SOURCES = %D%/match.c
%C%_match_t_LDADD = tests/lib/libtap.a src/layout/liblayout.a $(TT_FLOOR_1)

check_PROGRAMS += %D%/score.t
%C%_score_t_SOURCES = %D%/score.c
%C%_score_t_LDADD = tests/lib/libtap.a src/layout/liblayout.a $(TT_FLOOR_1)
