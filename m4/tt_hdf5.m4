# TT_HDF5
# -------
# Parallel HDF5 >= 1.10.  Proved by compiling against H5pubconf.h and linking
# the MPI driver: wrappers and .pc files have other names on every system, and
# HDF5 2.x has no wrapper's text to parse.  Comes after TT_MPI, whose flags its
# header needs: where several MPIs have an HDF5 each, ours is asked for first.
AC_DEFUN([TT_HDF5], [
  AC_REQUIRE([TT_LIB_FUNCTIONS])
  AC_ARG_VAR([H5PCC], [parallel HDF5 compiler wrapper, asked last])
  tt_save_hdf5_CPPFLAGS=$CPPFLAGS tt_save_hdf5_LIBS=$LIBS
  CPPFLAGS="$CPPFLAGS $MPI_CFLAGS" LIBS="$LIBS $MPI_LIBS"
  m4_define([TT_HDF5_PROLOGUE], [[#include <hdf5.h>
#ifndef H5_HAVE_PARALLEL
#error "this HDF5 is serial"
#endif
#if H5_VERS_MAJOR == 1 && H5_VERS_MINOR < 10
#error "HDF5 1.10 is needed"
#endif]])
  m4_define([TT_HDF5_BODY],
    [[H5Pset_fapl_mpio(0, MPI_COMM_WORLD, MPI_INFO_NULL);
      return H5Pset_all_coll_metadata_ops(0, 1);]])
  AS_IF([test -z "$HDF5_LIBS"], [TT_HDF5_WRAPPER])
  TT_LIB([hdf5], [HDF5], [required],
    [parallel HDF5 >= 1.10: Debian libhdf5-openmpi-dev; module load hdf5-parallel; spack load hdf5+mpi],
    [hdf5-$tt_have_mpi hdf5-mpi hdf5 -lhdf5_$tt_have_mpi -lhdf5],
    [TT_HDF5_PROLOGUE], [TT_HDF5_BODY])
  AS_IF([test "x$tt_have_hdf5" = xno && test -n "$tt_h5pcc_libs"],
    [AC_MSG_CHECKING([for hdf5 by $H5PCC])
     tt_cflags=$tt_h5pcc_libs tt_libs=$tt_h5pcc_libs
     TT_LINK([TT_HDF5_PROLOGUE], [TT_HDF5_BODY], [tt_have_hdf5=yes])
     AC_MSG_RESULT([$tt_have_hdf5])
     AS_IF([test $tt_have_hdf5 = yes],
       [HDF5_CFLAGS=`echo "$tt_cflags" | tr ' ' '\n' | grep '^-[[ID]]' | tr '\n' ' '`
        TT_RPATH([HDF5_LIBS], [$tt_libs])
        tt_missing=`echo "$tt_missing" | sed '/^    hdf5:/d'`])])
  CPPFLAGS=$tt_save_hdf5_CPPFLAGS LIBS=$tt_save_hdf5_LIBS
])

# What h5pcc would add to the compiler, for when nothing else answers.
AC_DEFUN([TT_HDF5_WRAPPER], [
  tt_path=$PATH
  AS_CASE([$with_hdf5], [/*], [tt_path=$with_hdf5/bin])
  TT_PROG([H5PCC], [h5pcc h5pcc.openmpi h5pcc.mpich], [$tt_path])
  tt_h5pcc_libs=
  AS_IF([test -n "$H5PCC"],
    [tt_h5pcc_libs=`$H5PCC -show 2>/dev/null | sed 's/^[[^ ]]* *//'`])
])
