#!/bin/sh
# run.sh PROGRAM - run a serial test under a time limit.  Seconds:
# TUTTI_TEST_TIMEOUT, else 300.  Tests change directory: name them by full path.
case $1 in
/*) prog=$1 ;;
*) prog=$PWD/$1 ;;
esac
shift
test -x "$prog" || set -- "$prog" "$@"
test -x "$prog" || prog="sh"
exec timeout -k 5 "${TUTTI_TEST_TIMEOUT:-300}" "$prog" "$@"
