noinst_LIBRARIES += %D%/libconfig.a
%C%_libconfig_a_SOURCES = \
	%D%/check.c \
	%D%/config_priv.h \
	%D%/job.c %D%/job.h \
	%D%/others.c \
	%D%/tables.c
