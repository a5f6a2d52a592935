#!/bin/sh
# sum.sh LOG [FAILED] - sum what 'make check' printed: "N passed, M failed,
# K skipped"; before it a line for tests that want a GPU.  FAILED is added to
# M.  Fails where M is not 0.
gpu=$(grep -c '^SKIP:.*GPU' "$1")
test "$gpu" -eq 0 || echo "$gpu of the skipped for want of a GPU"
${AWK:-awk} -v failed="${2:-0}" '
    /^# TOTAL:/             { suites++ }
    /^# (PASS|XFAIL):/      { passed += $3 }
    /^# (FAIL|XPASS|ERROR):/ { failed += $3 }
    /^# SKIP:/              { skipped += $3 }
    END {
        if (!suites) failed++
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed != 0
    }' "$1"
