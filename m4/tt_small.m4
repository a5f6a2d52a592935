# TT_JANSSON, TT_YAML, TT_XXHASH, TT_HWLOC, TT_ZLIB, TT_ZSTD
# ----------------------------------------------------------
# The small libraries, all with .pc files; the linker flag is for prefixes that
# lost theirs.
AC_DEFUN([TT_JANSSON], [
  TT_LIB([jansson], [JANSSON], [required],
    [Debian libjansson-dev; module load jansson; spack load jansson],
    [jansson -ljansson], [[#include <jansson.h>]],
    [[json_decref(json_integer(1));]])
])

AC_DEFUN([TT_YAML], [
  TT_LIB([yaml], [YAML], [required],
    [libyaml: Debian libyaml-dev; module load libyaml; spack load libyaml],
    [yaml-0.1 -lyaml], [[#include <yaml.h>]],
    [[yaml_parser_t parser; yaml_parser_initialize(&parser);]])
])

# XXH3, which old releases lack.
AC_DEFUN([TT_XXHASH], [
  TT_LIB([xxhash], [XXHASH], [required],
    [xxHash >= 0.8: Debian libxxhash-dev; module load xxHash; spack load xxhash],
    [libxxhash -lxxhash], [[#include <xxhash.h>]],
    [[return (int)XXH3_64bits("", 0);]])
])

AC_DEFUN([TT_HWLOC], [
  TT_LIB([hwloc], [HWLOC], [required],
    [hwloc >= 2: Debian libhwloc-dev; module load hwloc; spack load hwloc],
    [hwloc -lhwloc], [[#include <hwloc.h>
#if HWLOC_API_VERSION < 0x20000
#error "hwloc 2 is needed"
#endif]], [[hwloc_topology_t topology; hwloc_topology_init(&topology);]])
])

AC_DEFUN([TT_ZLIB], [
  TT_LIB([zlib], [Z], [required],
    [Debian zlib1g-dev; module load zlib; spack load zlib],
    [zlib -lz], [[#include <zlib.h>]], [[gzclose(gzopen("", "r"));]])
])

AC_DEFUN([TT_ZSTD], [
  TT_LIB([zstd], [ZSTD], [optional],
    [Debian libzstd-dev; module load zstd; spack load zstd],
    [libzstd -lzstd], [[#include <zstd.h>]], [[ZSTD_freeDCtx(ZSTD_createDCtx());]])
  AS_IF([test $tt_have_zstd = yes],
    [AC_DEFINE([HAVE_ZSTD], [1], [Define if .zst files can be read.])])
])
