noinst_LIBRARIES += %D%/liboptim.a
%C%_liboptim_a_SOURCES = \
	%D%/rule.c %D%/rule.h \
	%D%/schedule.c %D%/schedule.h
