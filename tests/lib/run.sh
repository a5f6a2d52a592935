#!/bin/sh
# run.sh PROGRAM - run a serial test under a time limit.  Seconds:
# TUTTI_TEST_TIMEOUT, else 120.
exec timeout -k 5 "${TUTTI_TEST_TIMEOUT:-120}" "$@"
