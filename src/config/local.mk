noinst_LIBRARIES += %D%/libconfig.a
%C%_libconfig_a_SOURCES = %D%/job.h
