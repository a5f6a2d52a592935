# Tests of src/device.
check_LIBRARIES += %D%/libcases.a
%C%_libcases_a_SOURCES = %D%/cases.c %D%/cases.h
TT_DEVICE_TEST_LIBS = %D%/libcases.a tests/lib/libtap.a \
	src/device/libdevice.a $(TT_DEVICE_LIBS) $(TT_FLOOR_1)
check_PROGRAMS += %D%/grad.t %D%/kernels.t
%C%_grad_t_SOURCES = %D%/grad.c
%C%_grad_t_LDADD = $(TT_DEVICE_TEST_LIBS)
%C%_kernels_t_SOURCES = %D%/kernels.c
%C%_kernels_t_LDADD = $(TT_DEVICE_TEST_LIBS)
check_PROGRAMS += %D%/math.t
%C%_math_t_SOURCES = %D%/math.c
%C%_math_t_LDADD = $(TT_DEVICE_TEST_LIBS)
