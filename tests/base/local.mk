check_PROGRAMS += %D%/err.t
%C%_err_t_SOURCES = %D%/err.c
%C%_err_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_1)
