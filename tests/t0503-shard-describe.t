#!/bin/sh
# tutti-shard tells what is in a set, and shows single samples.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
# shellcheck source=tests/lib/shard.sh
. "${top_srcdir:-.}/tests/lib/shard.sh"

source=$(cd "$here" && cd "${top_srcdir:-.}" && pwd)

# says NAME TEXT: the last output has a line with TEXT, blanks squeezed.
says()
{
    ok "$1" grep -qF -- "$2" squeezed
    grep -qF -- "$2" squeezed || sed 's/^/# /' squeezed
}

# tell FLAGS...: run, keep stdout in out and, squeezed, in squeezed.
tell()
{
    pack "$@"
    tell_status=$?
    tr -s ' ' <out >squeezed
}

printf '\0\0\010\003\0\0\0\002\0\0\0\002\0\0\0\003' >images
printf '\0\377\0\200\0\377\001\001\001\001\001\001' >images.rest
cat images.rest >>images
printf '\0\0\010\001\0\0\0\002\001\0' >labels
tell --idx=images --labels=labels --classes=cat,dog --out=i
says "packing ends with what was packed" "i: 2 samples in 1 shard"
tell --describe=i
is "describe: status" $tell_status 0
says "describe: x" "x u8 (2 x 3 x 1)"
says "describe: y" "y i32, 2 classes"
says "describe: classes" "0 cat 1 50.00 %"
says "describe: statistics" "all 0 255 53.6667 "
tell --show=i:0
is "an image as characters" "$(cat out)" " @ 
+ @
label=dog (class 1)"

printf 'n,c,y\n1,a,0.5\n,b,1.5\n3,a,2.5\n' >t.csv
pack --csv=t.csv --label=y --valid=34% --out=t
tell --describe=t
says "describe: both parts: train" "t/train: 2 samples"
says "describe: both parts: valid" "t/valid: 1 samples"
says "describe: a column" "c=a "
pack --csv=t.csv --label=y --out=u
tell --describe=u
says "describe: missing" "n 1 3 2 1 1"
tell --show=u:1
is "a row as name=value" "$(xargs <out)" "n=2 c=b y=1.5"
fails "beyond the last sample" 1 "has samples 0 to 2, not 3" --show=u:3
fails "no number" 1 "write DIR:N" --show=u

printf 'Once upon a time\001\n' >text
pack --text=text --out=x
tell --show=x:5
is "tokens as text" "$(cat out)" 'upon a time\x01'
mkdir empty
fails "no set" 1 "no index.json there" --describe=empty
fails "no file" 1 "No such file" --describe=nothere
tell --verify=x
says "verify" "x: all of its 1 shards are as packed"
printf X | dd of=x/shard-00000.h5 bs=1 seek=2050 conv=notrunc 2>dd.err
fails "verify: a changed byte" 1 "shard-00000.h5: its checksum is not" \
    --verify=x
truncate -s 100 x/shard-00000.h5
fails "a truncated shard" 1 "has 100 bytes, the index says" --describe=x

if command -v h5repack >/dev/null; then
    "${AWK:-awk}" 'BEGIN { for (i = 0; i < 6000; i++) {
        s = i; for (j = 0; j < 49; j++) s = s "," (i * j) % 97; print s } }' \
        >wide.csv
    pack --csv=wide.csv --header=no --label=1 --task=regress --out=w
    h5repack -l /x:CHUNK=6000x49 -f /x:GZIP=1 w/shard-00000.h5 bad.h5
    tell --describe=bad.h5
    says "chunks: shape" "/x f32 (6000 x 49), chunks of 6000 x 49, 1 filter"
    says "chunks: the warning" "one sample touches 1.1 MiB to get its 196 B"
    says "chunks: the cure" "cure: tutti-shard --hdf5=bad.h5 --x=/x --out=DIR"
    says "chunks: the other cure" "h5repack -l /x:CHUNK=1x49"
    h5repack -l /x:CHUNK=10x49 w/shard-00000.h5 good.h5
    tell --describe=good.h5
    ok "chunks: fine ones are not warned of" test -z "$(grep warning out)"
else
    ok "chunks # SKIP no h5repack" true
fi
# Every option is in the man page, and the man page names no other.
"$shard" --help | grep -o '^ *--[a-z0-9-]*' | tr -d ' ' | sort -u >have
sed 's/\\-/-/g' "$source/doc/tutti-shard.1" | grep -o -- '--[a-z0-9-]*' |
    sort -u >told
is "options and the man page" "$(diff have told)" ""
tap_done
