#!/bin/sh
# tutti-shard killed and run again, run twice, and run on several ranks, writes
# the same files.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
# shellcheck source=tests/lib/shard.sh
. "${top_srcdir:-.}/tests/lib/shard.sh"

"${AWK:-awk}" 'BEGIN { for (i = 0; i < 300000; i++) print i, i * 7919 % 10007,
    i * i % 65537 }' >text
gzip -k text
"${AWK:-awk}" 'BEGIN { print "a,b,c"; for (i = 0; i < 20000; i++)
    print i % 11 == 3 ? "" : i % 997 "," "k" i % 5 "," i % 3 }' |
    sed 's/^,/NA,/' >t.csv
flags='--text=text --valid=10% --shard-bytes=64KiB'

# shellcheck disable=SC2086
pack $flags --out=whole
shards=$(echo whole/train/*.h5 | wc -w | xargs)
ok "many shards ($shards)" test "$shards" -gt 20
cat whole/*/shard-*.h5 >/dev/null
is "all bytes are in some shard" \
    "$(($(value whole/train samples) + $(value whole/valid samples)))" \
    "$(wc -c <text | xargs)"

# kill_at COUNT: start, kill -9 once so many shards are there.
kill_at()
{
    # shellcheck disable=SC2086
    "$shard" $flags --out=killed >out 2>err &
    pid=$!
    while kill -0 $pid 2>/dev/null; do
        have=$(find killed/train -name 'shard-*.h5' 2>/dev/null | wc -l)
        test "$have" -ge "$1" && kill -9 $pid && break
    done
    wait $pid 2>/dev/null
}

for count in 1 5 12; do
    kill_at $count
    ok "killed at $count: no index" test ! -e killed/train/index.json
    fails "killed at $count: no set" 1 "did not finish" --describe=killed/train
done
have=$(echo killed/train/shard-*.h5 | wc -w | xargs)
ok "killed in the middle ($have shards)" test "$have" -lt "$shards"
old=$(stat -c %i killed/train/shard-00000.h5)
truncate -s 3000 killed/train/shard-00001.h5
fails "other flags do not mix with it" 1 "unfinished work of another command" \
    --text=text --valid=10% --shard-bytes=128KiB --out=killed
# shellcheck disable=SC2086
pack $flags --out=killed
is "it goes on: status" $? 0
ok "it goes on: same files" diff -r whole killed
is "it goes on: finished shards stay" "$(stat -c %i killed/train/shard-00000.h5)" \
    "$old"

# shellcheck disable=SC2086
pack $flags --out=killed
is "again: status" $? 0
ok "again: nothing to do" grep -q "packed already" err
fails "another set is not packed over" 1 "--force packs over it" \
    --text=text --valid=10% --out=killed
pack --text=text --valid=10% --out=killed --force
is "--force: status" $? 0
is "--force: the old shards are gone" "$(echo killed/train/*.h5)" \
    killed/train/shard-00000.h5

pack --text=text --out=above
fails "parts below another set" 1 "--force packs over it" \
    --text=text --valid=10% --out=above
pack --text=text --valid=10% --out=above --force
ok "--force: the set above is gone" test ! -e above/index.json

# Thousands of files.
mkdir many
"${AWK:-awk}" 'BEGIN { for (i = 0; i < 3000; i++) {
    file = sprintf("many/%04d.txt", i); printf "file %d\n", i >file
    close(file) } }'
pack --text=many --out=m
is "3000 files" "$(tail -c +$(($(value m x_offset) + 1)) m/shard-00000.h5 |
    head -c "$(value m samples)" | cksum)" "$(cat many/*.txt | cksum)"

# A file that may not grow is a full disk.
(
    trap '' XFSZ
    ulimit -f 16
    # shellcheck disable=SC2086
    exec "$shard" $flags --out=full >out 2>err
)
is "full disk: status" $? 1
ok "full disk: says why" grep -q "shard-00000.h5.*tmp: no room for .*: File too" err
is "full disk: nothing half written" "$(find full -type f)" full/packing

mkdir lock
exec 9>lock/packing
flock -n 9 && fails "somebody else is packing there" 1 "another tutti-shard" \
    --text=text --out=lock
exec 9>&-

# shellcheck disable=SC2086
test -z "$MPIEXEC" || for n in 1 2 3; do
    rm -rf t gz csv
    $MPIEXEC $MPIEXEC_FLAGS -n $n "$shard" $flags --out=t >out 2>err
    is "$n ranks: status" $? 0
    ok "$n ranks: text" diff -r whole t
    $MPIEXEC $MPIEXEC_FLAGS -n $n "$shard" --text='text*' --out=gz \
        --shard-bytes=256KiB >out 2>err
    $MPIEXEC $MPIEXEC_FLAGS -n $n "$shard" --csv='t*.csv' --label=c --out=csv \
        --split=train:0.7,valid:0.2,test:0.1 --shard-bytes=50KB >out 2>err
    test $n = 1 && mv gz gz1 && mv csv csv1 && continue
    ok "$n ranks: two files, one packed" diff -r gz1 gz
    ok "$n ranks: a table" diff -r csv1 csv
    $MPIEXEC $MPIEXEC_FLAGS -n $n "$shard" --csv=t.csv --label=x --out=bad \
        >out 2>err
    is "$n ranks: a failure: status" $? 1
    is "$n ranks: a failure: one message" "$(grep -c "no column 'x'" err)" 1
done
tap_done
