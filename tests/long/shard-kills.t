#!/bin/sh
# tutti-shard killed at 40 moments, on 1 to 3 ranks by turns, then left alone:
# the same files as in one go.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
# shellcheck source=tests/lib/shard.sh
. "${top_srcdir:-.}/tests/lib/shard.sh"

"${AWK:-awk}" 'BEGIN { print "a,b,c"; for (i = 0; i < 400000; i++)
    print (i % 11 == 3 ? "" : i % 997) "," "k" i % 5 "," i % 3 }' >t.csv
flags='--csv=t.csv --label=c --split=train:0.8,valid:0.2 --shard-bytes=100KB'

# shellcheck disable=SC2086
pack $flags --out=whole
shards=$(find whole -name 'shard-*.h5' | wc -l)

# run N: in the background, as the leader of its own group.
run()
{
    if test "$1" -eq 1 || test -z "$MPIEXEC"; then
        # shellcheck disable=SC2086
        setsid "$shard" $flags --out=killed >out 2>err &
    else
        # shellcheck disable=SC2086
        setsid $MPIEXEC $MPIEXEC_FLAGS -n "$1" "$shard" $flags --out=killed \
            >out 2>err &
    fi
    pid=$!
}

early=0
kills=0
while test $kills -lt 40 && test ! -e killed/valid/index.json; do
    run $((kills % 3 + 1))
    sleep "$("${AWK:-awk}" -v k=$kills 'BEGIN { print 0.2 + k * 7 % 23 / 20 }')"
    env kill -9 -- -$pid 2>/dev/null
    wait $pid 2>/dev/null
    kills=$((kills + 1))
    # ranks that mpirun started may live on for a moment, beside the next run
    have=$(find killed -name 'shard-*.h5' 2>/dev/null | wc -l)
    if test -e killed/train/index.json && test "$have" -lt "$shards"; then
        early=$((early + 1))
    fi
done
echo "# $kills kills, $have of $shards shards"
is "no index before the last shard" $early 0
sleep 1
# shellcheck disable=SC2086
pack $flags --out=killed
is "left alone: status" $? 0
ok "the same files" diff -r whole killed
is "nothing else is left" "$(find killed -name '.*.tmp' -o -name packing)" ""
tap_done
