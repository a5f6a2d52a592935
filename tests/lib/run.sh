#!/bin/sh
# run.sh PROGRAM - run a serial test under a time limit.  Seconds:
# TUTTI_TEST_TIMEOUT, else 300.  Tests change directory: name them by full path.
case $1 in
/*) prog=$1 ;;
*) prog=$PWD/$1 ;;
esac
shift
if test "${prog%.t}" != "$prog" && head -c 2 "$prog" | grep -q '^#!'; then
    # A script runs whole programs, and MPI leaks a little in each.
    ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
    export ASAN_OPTIONS
    set -- "$prog" "$@"
    prog="sh"
fi
exec timeout -k 5 "${TUTTI_TEST_TIMEOUT:-300}" "$prog" "$@"
