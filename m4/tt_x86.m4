# TT_X86_LEVELS
# -------------
# Whether the compiler can make code for the levels x86-64-v3 (AVX2, FMA) and
# x86-64-v4 (AVX-512) beside the plain one: src/device/cpu is compiled for each
# and picks one when it starts.
AC_DEFUN([TT_X86_LEVELS], [
  AC_MSG_CHECKING([whether $CC knows -march=x86-64-v4])
  tt_saved=$CFLAGS
  CFLAGS="$CFLAGS -march=x86-64-v4 -mprefer-vector-width=512 -Werror"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <immintrin.h>]],
    [[return !__builtin_cpu_supports("avx512vl");]])],
    [tt_x86_levels=yes], [tt_x86_levels=no])
  CFLAGS=$tt_saved
  AC_MSG_RESULT([$tt_x86_levels])
  AM_CONDITIONAL([X86_LEVELS], [test $tt_x86_levels = yes])
])
