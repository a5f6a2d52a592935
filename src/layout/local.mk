noinst_LIBRARIES += %D%/liblayout.a
%C%_liblayout_a_SOURCES = \
	%D%/block.c %D%/block.h \
	%D%/lanes.c %D%/lanes.h \
	%D%/match.c %D%/match.h \
	%D%/order.c %D%/order.h \
	%D%/score.c %D%/score.h
