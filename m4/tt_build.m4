# TT_WARNINGS, TT_ASAN, TT_AS_NEEDED
# --------------------------------
# How everything is compiled and linked.
AC_DEFUN([TT_WARNINGS], [
  TT_CFLAGS="-std=c11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wvla"
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors])])
  AS_IF([test "x$enable_werror" = xyes], [AS_VAR_APPEND([TT_CFLAGS], [" -Werror"])])
  AC_SUBST([TT_CFLAGS])
])

AC_DEFUN([TT_ASAN], [
  AC_ARG_ENABLE([asan], [AS_HELP_STRING([--enable-asan],
    [find memory errors and undefined behaviour at run time (slow)])],
    [], [enable_asan=no])
  AS_IF([test "x$enable_asan" = xyes],
    [tt_asan="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
     AS_VAR_APPEND([TT_CFLAGS], [" $tt_asan -fno-omit-frame-pointer"])
     AS_VAR_APPEND([TT_LDFLAGS], [" $tt_asan"])])
])

# Libraries that a program does not call are not loaded: start-up counts.
AC_DEFUN([TT_AS_NEEDED], [
  AC_MSG_CHECKING([whether the linker knows --as-needed])
  tt_cflags= tt_libs=-Wl,--as-needed
  TT_LINK([], [], [AS_VAR_APPEND([TT_LDFLAGS], [" $tt_libs"])])
  AC_MSG_RESULT([$tt_links])
  AC_SUBST([TT_LDFLAGS])
])

# TT_OPENMP: threads of one rank.  Without OpenMP a rank has one thread, and
# its pragmas are no reason to warn.
AC_DEFUN([TT_OPENMP], [
  AC_OPENMP
  AS_IF([test -z "$OPENMP_CFLAGS"],
    [tt_have_openmp=no OPENMP_CFLAGS=-Wno-unknown-pragmas],
    [tt_have_openmp=yes])
])

# TT_COMPILED_IN: what --version says was compiled in.
AC_DEFUN([TT_COMPILED_IN], [
  tt_features=
  for tt_word in "mpi" "hdf5" "$tt_have_blas" "onednn:$tt_have_onednn" \
                 "openmp:$tt_have_openmp" "zlib" "zstd:$tt_have_zstd"; do
    AS_CASE([$tt_word],
      [*:no], [],
      [AS_VAR_APPEND([tt_features], [" ${tt_word%:yes}"])])
  done
  tt_features=${tt_features# }
  AS_IF([test "x$enable_asan" = xyes], [AS_VAR_APPEND([tt_features], [" asan"])])
  AC_DEFINE_UNQUOTED([TT_FEATURES], ["$tt_features"],
    [What --version says was compiled in.])
])
