# TT_BLAS
# -------
# A CBLAS with 32-bit integers.  OpenBLAS first: of the free ones it is the fast
# one, and src/device asks it how many threads it uses.
AC_DEFUN([TT_BLAS], [
  TT_LIB([blas], [BLAS], [required],
    [a CBLAS: Debian libopenblas-dev; module load openblas; spack load openblas],
    [openblas -lopenblas flexiblas blis cblas -lblis -lcblas,-lblas -lcblas -lblas],
    [[#include <cblas.h>]],
    [[float x = 1;
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, 1, 1, 1, 1, &x, 1,
                  &x, 1, 0, &x, 1);]])
  AS_IF([test "x$tt_have_blas" = xyes],
    [tt_cflags=$BLAS_CFLAGS tt_libs=$BLAS_LIBS
     TT_LINK([[#include <cblas.h>]], [[openblas_set_num_threads(1);]],
       [tt_have_blas=openblas
        AC_DEFINE([HAVE_OPENBLAS], [1], [Define if the CBLAS is OpenBLAS.])])])
])
