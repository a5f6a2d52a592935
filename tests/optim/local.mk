# Tests of src/optim.
check_PROGRAMS += %D%/rule.t %D%/schedule.t %D%/update.t
%C%_rule_t_SOURCES = %D%/rule.c
%C%_rule_t_LDADD = tests/lib/libtap.a src/optim/liboptim.a $(TT_FLOOR_2)
%C%_schedule_t_SOURCES = %D%/schedule.c
%C%_schedule_t_LDADD = tests/lib/libtap.a src/optim/liboptim.a $(TT_FLOOR_2)
%C%_update_t_SOURCES = %D%/update.c %D%/torch_values.h
%C%_update_t_LDADD = tests/lib/libtap.a src/optim/liboptim.a $(TT_FLOOR_2)
EXTRA_DIST += %D%/torch_values.py
