noinst_LIBRARIES += %D%/libdevice.a
%C%_libdevice_a_SOURCES = \
	%D%/op.c %D%/op.h \
	%D%/backend.c %D%/kernels.h %D%/device_priv.h \
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
	%D%/cpu/cpu.c %D%/cpu/cpu_priv.h \
	%D%/cpu/conv_lib_priv.h \
	%D%/cpu/split.c
%C%_libdevice_a_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) $(DNNL_CFLAGS) \
	$(BLAS_CFLAGS)
%C%_libdevice_a_LIBADD = $(%C%_libcpu_base_a_OBJECTS)

if HAVE_DNNL
%C%_libdevice_a_SOURCES += %D%/cpu/gemm_dnnl.c
else
%C%_libdevice_a_SOURCES += %D%/cpu/gemm_cblas.c
endif
if HAVE_DNNL2
%C%_libdevice_a_SOURCES += %D%/cpu/conv_dnnl.c
else
%C%_libdevice_a_SOURCES += %D%/cpu/conv_none.c
endif
EXTRA_DIST += %D%/cpu/gemm_dnnl.c %D%/cpu/gemm_cblas.c \
	%D%/cpu/conv_dnnl.c %D%/cpu/conv_none.c

# The tuned kernels, once per level of the instruction set; their objects go
# into libdevice.a.  Loops may be reordered where "omp simd" says so, never
# elsewhere: no -ffast-math.
TT_CPU_SOURCES = \
	%D%/cpu/level.c \
	%D%/cpu/act.c %D%/cpu/math_priv.h %D%/cpu/philox_priv.h \
	%D%/cpu/attention.c \
	%D%/cpu/colsum.c \
	%D%/cpu/conv.c \
	%D%/cpu/dense.c \
	%D%/cpu/embed.c \
	%D%/cpu/gemm.c %D%/cpu/simd_priv.h \
	%D%/cpu/loss.c %D%/cpu/reduce_priv.h \
	%D%/cpu/norm.c \
	%D%/cpu/pool.c \
	%D%/cpu/range.c \
	%D%/cpu/update.c
TT_CPU_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) -fno-math-errno \
	-fno-trapping-math -ffp-contract=fast

EXTRA_LIBRARIES = %D%/libcpu_base.a
%C%_libcpu_base_a_SOURCES = $(TT_CPU_SOURCES)
%C%_libcpu_base_a_CFLAGS = $(TT_CPU_CFLAGS) -DTT_CPU_LEVEL=base

if X86_LEVELS
EXTRA_LIBRARIES += %D%/libcpu_v3.a %D%/libcpu_v4.a
%C%_libcpu_v3_a_SOURCES = $(TT_CPU_SOURCES)
%C%_libcpu_v3_a_CFLAGS = $(TT_CPU_CFLAGS) -DTT_CPU_LEVEL=v3 -march=x86-64-v3
%C%_libcpu_v4_a_SOURCES = $(TT_CPU_SOURCES)
%C%_libcpu_v4_a_CFLAGS = $(TT_CPU_CFLAGS) -DTT_CPU_LEVEL=v4 \
	-march=x86-64-v4 -mprefer-vector-width=512
%C%_libdevice_a_LIBADD += $(%C%_libcpu_v3_a_OBJECTS) \
	$(%C%_libcpu_v4_a_OBJECTS)
%C%_libdevice_a_SOURCES += %D%/cpu/pick_x86.c
else
%C%_libdevice_a_SOURCES += %D%/cpu/pick_any.c
endif
EXTRA_DIST += %D%/cpu/pick_x86.c %D%/cpu/pick_any.c
