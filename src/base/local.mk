noinst_LIBRARIES += %D%/libbase.a
%C%_libbase_a_SOURCES = \
	%D%/clock.c %D%/clock.h \
	%D%/doc.c %D%/docread.c %D%/docwrite.c %D%/doc.h \
	%D%/dtype.c %D%/dtype.h \
	%D%/err.c %D%/err.h \
	%D%/exact.c %D%/exact.h \
	%D%/hash.c %D%/hash.h \
	%D%/log.c %D%/log.h \
	%D%/nearest.c \
	%D%/opt.c %D%/optread.c %D%/optunknown.c %D%/optvalue.c \
	%D%/optwrite.c %D%/opt.h %D%/opt_priv.h \
	%D%/rng.c %D%/rng.h \
	%D%/units.c %D%/units.h
