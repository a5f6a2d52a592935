noinst_LIBRARIES += %D%/liboptim.a
%C%_liboptim_a_SOURCES = %D%/rule.h %D%/schedule.h
