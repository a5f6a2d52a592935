# Tests of src/plan.
check_PROGRAMS += %D%/match.t
%C%_match_t_SOURCES = %D%/match.c
%C%_match_t_LDADD = tests/lib/libtap.a $(TT_PLAN)
