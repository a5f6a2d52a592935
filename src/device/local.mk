noinst_LIBRARIES += %D%/libdevice.a
%C%_libdevice_a_SOURCES = \
	%D%/op.c %D%/op.h \
	%D%/backend.c %D%/kernels.h \
	%D%/ref/ref.c %D%/ref/ref_priv.h \
	%D%/ref/act.c \
	%D%/ref/attention.c \
	%D%/ref/conv.c \
	%D%/ref/dense.c \
	%D%/ref/embed.c \
	%D%/ref/loss.c \
	%D%/ref/norm.c \
	%D%/ref/pool.c \
	%D%/ref/range.c \
	%D%/ref/update.c \
	%D%/cpu/cpu.c
