noinst_LIBRARIES += %D%/libplan.a
%C%_libplan_a_SOURCES = \
	%D%/build.c %D%/build.h \
	%D%/match.c %D%/match.h
