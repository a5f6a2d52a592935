#!/bin/sh
# Every installed program says what it is, and refuses what it does not know.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
test -n "$TUTTI_PROGRAMS" || skip_all "no programs"

for prog in $TUTTI_PROGRAMS; do
    out=$("./$prog" --help 2>&1)
    is "$prog --help: status" $? 0
    has "$prog --help names the program" "$out" "$prog"
    out=$("./$prog" --version 2>&1)
    is "$prog --version: status" $? 0
    has "$prog --version has the number" "$out" "$TUTTI_VERSION"
    out=$("./$prog" --no-such-flag 2>/dev/null)
    is "$prog --no-such-flag: status" $? 2
    is "$prog --no-such-flag: nothing on stdout" "$out" ""
    out=$("./$prog" --no-such-flag 2>&1)
    has "$prog --no-such-flag: the message names it" "$out" no-such-flag
done
tap_done
