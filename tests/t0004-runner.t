#!/bin/sh
# The MPI runner merges what its sizes print, and tells a hang, a crash and a
# lost plan from a pass.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
lib=$(cd "${top_srcdir:-.}/tests/lib" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# A launcher that runs one copy.
cat >"$tmp/launch" <<'LAUNCH'
#!/bin/sh
test "$1" = -n && n=$2 && shift 2
n=$n exec "$@"
LAUNCH
chmod +x "$tmp/launch"

# gives NAME WANTED, test program on stdin: what the runner makes of it.
gives()
{
    echo '/* nranks: 1 2 */' >"$tmp/prog.c"
    { echo '#!/bin/sh' && cat; } >"$tmp/prog.mpi"
    chmod +x "$tmp/prog.mpi"
    got=$(cd "$tmp" && top_srcdir=. MPIEXEC=./launch MPIEXEC_FLAGS='' \
        TUTTI_TEST_TIMEOUT=1 sh "$lib/run-mpi.sh" ./prog.mpi 2>/dev/null)
    is "$1" "$got" "$2"
}

gives "passes" "ok 1 - a (nranks 1)
ok 2 - a (nranks 2)
1..2" <<'PROG'
echo "ok 1 - a"
echo "1..1"
PROG

gives "a failure at one size" "ok 1 - a (nranks 1)
not ok 2 - a (nranks 2)
not ok 3 - exit status 1 (nranks 2)
1..3" <<'PROG'
if test $n = 1; then echo "ok 1 - a"; else echo "not ok 1 - a"; fi
echo "1..1"
test $n = 1
PROG

gives "a skip at one size" "ok 1 # SKIP too small (nranks 1)
ok 2 - a (nranks 2)
1..2" <<'PROG'
if test $n = 1; then echo "1..0 # SKIP too small"; exit; fi
echo "ok 1 - a"
echo "1..1"
PROG

gives "one test skipped" "ok 1 - a (nranks 1) # SKIP no data
ok 2 - a (nranks 2) # SKIP no data
1..2" <<'PROG'
echo "ok 1 - a # SKIP no data"
echo "1..1"
PROG

gives "a crash" "ok 1 - a (nranks 1)
not ok 2 - no plan, exit status 139 (nranks 1)
ok 3 - a (nranks 2)
1..3" <<'PROG'
echo "ok 1 - a"
test $n = 2 || exit 139
echo "1..1"
PROG

gives "an early end" "ok 1 - a (nranks 1)
not ok 2 - planned 2, ran 1 (nranks 1)
ok 3 - a (nranks 2)
not ok 4 - planned 2, ran 1 (nranks 2)
1..4" <<'PROG'
echo "ok 1 - a"
echo "1..2"
PROG

gives "a hang" "ok 1 - a (nranks 1)
not ok 2 - timed out (nranks 1)
ok 3 - a (nranks 2)
1..3" <<'PROG'
echo "ok 1 - a"
test $n = 2 || exec sleep 60
echo "1..1"
PROG

is "no launcher" "$(MPIEXEC='' sh "$lib/run-mpi.sh" x.mpi)" \
    "1..0 # SKIP no MPI launcher"

printf '# TOTAL: 9\n# PASS:  5\n# SKIP:  2\n# FAIL:  1\n# ERROR: 1\n%s\n' \
    "SKIP: a.t 1 - no GPU here" >"$tmp/log"
is "the sum" "$(sh "$lib/sum.sh" "$tmp/log" 1)" "1 of the skipped for want of a GPU
5 passed, 3 failed, 2 skipped"
ok "a sum with failures fails" eval '! sh "$lib/sum.sh" "$tmp/log" >/dev/null'
: >"$tmp/log"
is "no suite ran" "$(sh "$lib/sum.sh" "$tmp/log")" "0 passed, 1 failed, 0 skipped"
tap_done
