noinst_LIBRARIES += %D%/libdevice.a
%C%_libdevice_a_SOURCES = %D%/op.h %D%/kernels.h
