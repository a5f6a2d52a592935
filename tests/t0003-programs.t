#!/bin/sh
# Every installed program says what it is, and refuses what it does not know.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
test -n "$TUTTI_PROGRAMS" || skip_all "no programs"

names() { # names TEXT WORD
    case $1 in *"$2"*) return 0 ;; esac
    return 1
}

for prog in $TUTTI_PROGRAMS; do
    help=$("./$prog" --help 2>&1)
    is "$prog --help: status" $? 0
    ok "$prog --help names the program" names "$help" "$prog"
    version=$("./$prog" --version 2>&1)
    is "$prog --version: status" $? 0
    case $version in
    *"$TUTTI_VERSION"*) ok "$prog --version has the number" true ;;
    *) ok "$prog --version has the number" false ;;
    esac
    out=$("./$prog" --no-such-flag 2>/dev/null)
    is "$prog --no-such-flag: status" $? 2
    is "$prog --no-such-flag: nothing on stdout" "$out" ""
    err=$("./$prog" --no-such-flag 2>&1)
    ok "$prog --no-such-flag: the message names it" \
        names "$err" no-such-flag
done
tap_done
