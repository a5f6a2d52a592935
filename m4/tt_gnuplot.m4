# TT_GNUPLOT
# ----------
# gnuplot draws curves when the programs run; nothing is linked with it.
AC_DEFUN([TT_GNUPLOT], [
  AC_ARG_WITH([gnuplot],
    [AS_HELP_STRING([--with-gnuplot@<:@=PROGRAM|no@:>@], [the gnuplot program])],
    [], [with_gnuplot=auto])
  AC_ARG_VAR([GNUPLOT], [gnuplot program])
  AS_CASE([$with_gnuplot],
    [no], [GNUPLOT=],
    [yes|auto], [TT_PROG([GNUPLOT], [gnuplot], [$PATH])],
    [GNUPLOT=$with_gnuplot])
  AS_IF([test "x$with_gnuplot" = xyes && test -z "$GNUPLOT"],
    [AS_VAR_APPEND([tt_missing], ["
    gnuplot: Debian gnuplot-nox; module load gnuplot; spack load gnuplot"])])
])
