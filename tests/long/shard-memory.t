#!/bin/sh
# tutti-shard packs 2 GiB of text within 1 GiB of address space.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
# shellcheck source=tests/lib/shard.sh
. "${top_srcdir:-.}/tests/lib/shard.sh"

bytes=2147483648
test "$(df -Pk . | "${AWK:-awk}" 'NR == 2 { print int($4 / 1048576) }')" -ge 5 ||
    skip_all "needs 5 GiB in $work"
"${AWK:-awk}" 'BEGIN { for (i = 0; i < 3000; i++) print i, i * 7919 % 10007 }' \
    >piece
yes "$(cat piece)" | head -c $bytes >text

# tokens DIR: the tokens of all shards in order.
tokens()
{
    n=1
    while test -n "$(value "$1" file $n)"; do
        tail -c +$(($(value "$1" x_offset $n) + 1)) \
            "$1/$(value "$1" file $n)" | head -c "$(value "$1" samples \
            $((n + 1)))"
        n=$((n + 1))
    done
}

(
    # shellcheck disable=SC3045
    ulimit -v 1048576
    exec "$shard" --text=text --out=set >out 2>err
)
is "status" $? 0
is "tokens" "$(value set samples)" $bytes
is "the text is there" "$(tokens set | cksum)" "$(cksum <text)"
gzip -1 text
rm -rf set
(
    # shellcheck disable=SC3045
    ulimit -v 1048576
    exec "$shard" --text=text.gz --valid=1% --out=set >out 2>err
)
is "gzip: status" $? 0
is "gzip: tokens" \
    "$(($(value set/train samples) + $(value set/valid samples)))" $bytes
tap_done
