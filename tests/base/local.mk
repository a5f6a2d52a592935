check_PROGRAMS += %D%/err.t
%C%_err_t_SOURCES = %D%/err.c
%C%_err_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_1)

check_PROGRAMS += %D%/clock.t
%C%_clock_t_SOURCES = %D%/clock.c
%C%_clock_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_1)

check_PROGRAMS += %D%/hash.t
%C%_hash_t_SOURCES = %D%/hash.c
%C%_hash_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_1)

check_PROGRAMS += %D%/log.t
%C%_log_t_SOURCES = %D%/log.c
%C%_log_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_1)

check_PROGRAMS += %D%/exact.t
%C%_exact_t_SOURCES = %D%/exact.c
%C%_exact_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_1)
check_PROGRAMS += %D%/units.t
%C%_units_t_SOURCES = %D%/units.c
%C%_units_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_1)

check_PROGRAMS += %D%/doc.t
%C%_doc_t_SOURCES = %D%/doc.c
%C%_doc_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_1)

check_PROGRAMS += %D%/opt.t
%C%_opt_t_SOURCES = %D%/opt.c
%C%_opt_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_1)

check_PROGRAMS += %D%/rng.t
%C%_rng_t_SOURCES = %D%/rng.c
%C%_rng_t_LDADD = tests/lib/libtap.a $(TT_FLOOR_1)
