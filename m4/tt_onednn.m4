# TT_ONEDNN
# ---------
# oneDNN 2.6 or 3.x: its convolutions and its sgemm are the fast ones on CPUs.
# It has no .pc file before 3.x.
AC_DEFUN([TT_ONEDNN], [
  TT_LIB([onednn], [DNNL], [optional],
    [oneDNN >= 2.6: Debian libdnnl-dev; module load oneDNN; spack load onednn],
    [dnnl -ldnnl], [[#include <oneapi/dnnl/dnnl.h>
#if DNNL_VERSION_MAJOR < 2 || \
    (DNNL_VERSION_MAJOR == 2 && DNNL_VERSION_MINOR < 6)
#error "oneDNN 2.6 is needed"
#endif]], [[float x = 1;
      return dnnl_sgemm('N', 'N', 1, 1, 1, 1, &x, 1, &x, 1, 0, &x, 1);]])
  AS_IF([test $tt_have_onednn = yes],
    [AC_DEFINE([HAVE_DNNL], [1], [Define if oneDNN is there.])])
  # Primitives are described otherwise since 3.0; sgemm is the same.
  tt_have_onednn2=no
  AS_IF([test $tt_have_onednn = yes],
    [tt_cflags=$DNNL_CFLAGS tt_libs=$DNNL_LIBS
     TT_LINK([[#include <oneapi/dnnl/dnnl.h>]],
       [[dnnl_convolution_desc_t conv;
         return conv.primitive_kind == dnnl_undefined_primitive;]],
       [tt_have_onednn2=yes])])
  AM_CONDITIONAL([HAVE_DNNL2], [test $tt_have_onednn2 = yes])
])
