# TT_CUDA
# -------
# NVIDIA's compiler and libraries.  Probed and reported; nothing is built with
# them yet.  A login node has the toolkit and no driver, so no test program is
# run.
AC_DEFUN([TT_CUDA], [
  AC_REQUIRE([TT_LIB_FUNCTIONS])
  TT_ARG_WITH([cuda], [CUDA])
  AC_ARG_VAR([NVCC], [CUDA compiler])
  tt_have_cuda=no
  tt_path=$PATH:$CUDA_HOME/bin:/usr/local/cuda/bin
  AS_IF([test -n "$tt_prefix"], [tt_path=$tt_prefix/bin])
  AS_IF([test "x$with_cuda" != xno],
    [TT_PROG([NVCC], [nvcc], [$tt_path])
     AC_MSG_CHECKING([for cuda])
     tt_cuda=${NVCC%/bin/nvcc}
     for tt_try in given -L$tt_cuda/lib64,-lcudart -lcudart; do
       tt_flags $tt_try "$tt_cuda" "$CUDA_CFLAGS" "$CUDA_LIBS" || continue
       TT_LINK([[#include <cuda_runtime.h>]], [[cudaDeviceReset();]],
         [tt_have_cuda=yes; break])
     done
     AC_MSG_RESULT([$tt_have_cuda])])
  AS_CASE([$tt_have_cuda:$with_cuda],
    [yes:*], [CUDA_CFLAGS=$tt_cflags
              TT_RPATH([CUDA_LIBS], [$tt_libs])],
    [no:auto|no:no], [],
    [AS_VAR_APPEND([tt_missing], ["
    cuda: Debian nvidia-cuda-toolkit (non-free); module load cuda; spack load cuda"])])
])

# TT_CUBLAS, TT_NCCL
# ------------------
# cuBLAS lies beside CUDA; NCCL may have a prefix of its own.
AC_DEFUN([TT_CUBLAS], [
  tt_save_cuda_CPPFLAGS=$CPPFLAGS
  CPPFLAGS="$CPPFLAGS $CUDA_CFLAGS"
  AS_IF([test $tt_have_cuda = no && test -z "$with_cublas"], [with_cublas=no])
  TT_LIB([cublas], [CUBLAS], [optional],
    [part of the CUDA toolkit], [-L$tt_cuda/lib64,-lcublas -lcublas],
    [[#include <cublas_v2.h>]], [[cublasHandle_t h; cublasCreate(&h);]])
  CPPFLAGS=$tt_save_cuda_CPPFLAGS
])

AC_DEFUN([TT_NCCL], [
  tt_save_cuda_CPPFLAGS=$CPPFLAGS
  CPPFLAGS="$CPPFLAGS $CUDA_CFLAGS"
  AS_IF([test $tt_have_cuda = no && test -z "$with_nccl"], [with_nccl=no])
  TT_LIB([nccl], [NCCL], [optional],
    [Debian libnccl-dev (non-free); module load NCCL; spack load nccl],
    [nccl -L$tt_cuda/lib64,-lnccl -lnccl],
    [[#include <nccl.h>]], [[int v; ncclGetVersion(&v);]])
  CPPFLAGS=$tt_save_cuda_CPPFLAGS
])
