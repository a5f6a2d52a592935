# TT_LIB(NAME, VAR, NEED, HINT, TRIES, PROLOGUE, BODY)
# ----------------------------------------------------
# Find one library and set VAR_CFLAGS and VAR_LIBS.  Clusters keep libraries in
# a prefix of their own, so --with-NAME=PREFIX must win over what the system
# has, and a program must find at run time what it was linked with: see
# TT_RPATH.  TRIES are tried in order, each a pkg-config name or linker flags
# joined by commas; a try counts only when the test program links.  NEED is
# required or optional; HINT says where to get it.
AC_DEFUN([TT_LIB], [
  AC_REQUIRE([TT_LIB_FUNCTIONS])
  TT_ARG_WITH([$1], [$2])
  tt_have_$1=no
  AS_IF([test "x$with_$1" != xno], [
    AC_MSG_CHECKING([for $1])
    for tt_try in given $5; do
      tt_flags "$tt_try" "$tt_prefix" "$$2_CFLAGS" "$$2_LIBS" || continue
      TT_LINK([$6], [$7], [tt_have_$1=yes; break])
    done
    AC_MSG_RESULT([$tt_have_$1])])
  AS_IF([test "x$tt_have_$1" = xyes],
    [$2_CFLAGS=$tt_cflags
     TT_RPATH([$2_LIBS], [$tt_libs])],
    [$2_CFLAGS= $2_LIBS=
     AS_CASE([$3:$with_$1],
       [optional:auto|optional:no], [],
       [AS_VAR_APPEND([tt_missing], ["
    $1: $4"])])])
])

# TT_ARG_WITH(NAME, VAR)
# ----------------------
# --with-NAME, and the two variables that answer for it.  "yes" and "check" are
# never taken for a path.
AC_DEFUN([TT_ARG_WITH], [
  AC_ARG_WITH([$1],
    [AS_HELP_STRING([--with-$1@<:@=PREFIX|no@:>@], [where $1 is installed])],
    [], [with_$1=auto])
  AC_ARG_VAR([$2_CFLAGS], [C compiler flags for $1])
  AC_ARG_VAR([$2_LIBS], [linker flags for $1])
  tt_prefix=
  AS_CASE([$with_$1],
    [check], [with_$1=auto],
    [yes|no|auto], [],
    [tt_prefix=$with_$1])
])

# TT_PROG(VAR, NAMES, PATH)
# -------------------------
# The first of NAMES on PATH; what the user set is kept, arguments and all, and
# "no" is none.
AC_DEFUN([TT_PROG], [
  AS_IF([test -z "$$1"], [AC_PATH_PROGS([$1], [$2], [], [$3])])
  AS_IF([test "x$$1" = xno], [$1=])
])

# TT_LINK(PROLOGUE, BODY, IF-LINKS, IF-NOT)
# -----------------------------------------
# Link a test program with tt_cflags and tt_libs.
AC_DEFUN([TT_LINK], [
  tt_save_CPPFLAGS=$CPPFLAGS tt_save_LIBS=$LIBS
  CPPFLAGS="$tt_cflags $CPPFLAGS" LIBS="$tt_libs $LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([$1], [$2])], [tt_links=yes], [tt_links=no])
  CPPFLAGS=$tt_save_CPPFLAGS LIBS=$tt_save_LIBS
  AS_IF([test $tt_links = yes], [$3], [$4])
])

# TT_RPATH(VAR, FLAGS)
# --------------------
# VAR = FLAGS and an rpath for every -L outside the system's own folders: in a
# batch job the module that had the library may not be loaded.
AC_DEFUN([TT_RPATH], [
  $1="$2 `tt_rpath $2`"
])

AC_DEFUN([TT_LIB_FUNCTIONS], [
  AC_ARG_VAR([PKG_CONFIG], [pkg-config program])
  TT_PROG([PKG_CONFIG], [pkg-config pkgconf], [$PATH])
  tt_missing=
# tt_rpath FLAGS: an rpath for each -L.
tt_rpath ()
{
  for tt_word in $[@]; do
    case $tt_word in
    -L/usr/lib* | -L/lib*) ;;
    -L/*) echo "$tt_word" | sed 's/^-L/-Wl,-rpath,/' ;;
    esac
  done | tr '\n' ' '
}

# tt_flags TRY PREFIX CFLAGS LIBS: set tt_cflags and tt_libs, or fail where TRY
# has nothing to offer.
tt_flags ()
{
  case $[1] in
  given)
    test -n "$[4]" || return 1
    tt_cflags=$[3] tt_libs=$[4] ;;
  -*)
    tt_cflags=$[3] tt_libs=
    if test -n "$[2]"; then
      tt_name=`echo "$[1]" | sed 's/.*-l/lib/'`
      tt_cflags="-I$[2]/include $[3]"
      for tt_dir in "$[2]"/lib64 "$[2]"/lib "$[2]"/lib/*; do
        test -f "$tt_dir/$tt_name.so" || test -f "$tt_dir/$tt_name.a" ||
          continue
        tt_libs=-L$tt_dir
        break
      done
      test -n "$tt_libs" || return 1
    fi
    tt_libs="$tt_libs `echo "$[1]" | tr , ' '`" ;;
  *)
    test -n "$PKG_CONFIG" || return 1
    tt_path=$PKG_CONFIG_PATH
    if test -n "$[2]"; then
      tt_path=
      for tt_dir in lib64 lib share; do
        test -f "$[2]/$tt_dir/pkgconfig/$[1].pc" &&
          tt_path=$[2]/$tt_dir/pkgconfig:$PKG_CONFIG_PATH
      done
      test -n "$tt_path" || return 1
    fi
    tt_cflags=`PKG_CONFIG_PATH=$tt_path $PKG_CONFIG --cflags "$[1]" 2>/dev/null` &&
    tt_libs=`PKG_CONFIG_PATH=$tt_path $PKG_CONFIG --libs "$[1]" 2>/dev/null` ;;
  esac
}
])
