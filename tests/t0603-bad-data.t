#!/bin/sh
# Bad data through the whole program: one clear message, the same status on
# all ranks, nothing hanging, nothing left behind.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
# shellcheck source=tests/lib/train.sh
. "${top_srcdir:-.}/tests/lib/train.sh"
broken=${TUTTI_TEST_DATA:-/nowhere}/hdf5_broken

cat >job.yaml <<'EOT'
run: {dir: run}
model: {family: mlp, widths: [16]}
data: {train: set, cache: 0}
train: {length: 3 epochs, global-batch: 16, micro-batch: 4}
EOT

# table COLUMNS: 120 rows of numbers and a label.
table()
{
    awk -v n="$1" 'BEGIN {
        srand(7)
        for (i = 0; i < n; i++) printf "c%d,", i
        print "label"
        for (r = 0; r < 120; r++) {
            for (i = 0; i < n; i++) printf "%.3f,", rand()
            print substr("xyz", r % 3 + 1, 1)
        }
    }'
}
for n in 4 3; do
    table $n >table$n.csv
    "$bin/tutti-shard" --csv=table$n.csv --label=label --out=packed$n \
        --shard-bytes=1000 >/dev/null 2>pack.log || sed 's/^/# /' pack.log
done

# refuses WHAT TEXT FLAGS...: status 1 and the text once, on $on each;
# where the run directory is there already, it says that the run failed.
on=3
refuses()
{
    what=$1 text=$2
    shift 2
    for n in $on; do
        rm -rf run
        train "$n" job.yaml "$@"
        is "$what, on $n: status" $? 1
        is "$what, on $n: said once" "$(grep -cF -e "$text" log)" 1
        if test -e run; then
            is "$what, on $n: verdict" "$(head -n 1 run/verdict)" failed
            is "$what, on $n: no lock" "$(ls run/lock 2>/dev/null)" ""
        fi
    done
}

# damaged WHAT TEXT COMMAND: of a set that COMMAND spoilt
damaged()
{
    rm -rf set
    cp -r packed4 set
    eval "$3"
    refuses "$1" "$2"
}
cp -r packed4 set
ok "the set is good" train 1 job.yaml
on="1 3"
"$bin/tutti-shard" --csv=table4.csv --label=label --out=one >/dev/null 2>&1
ok "one file, collectively" train 1 job.yaml --data.train=one --run.dir=silent \
    --data.read=collective --log.level=quiet
is "nothing is said" "$(cat log)" ""
damaged "missing shard" "set/shard-00001.h5: No such file" \
    "rm set/shard-00001.h5"
on=3
damaged "truncated shard" "set/shard-00001.h5: 2000 bytes instead of" \
    "dd if=packed4/shard-00001.h5 of=set/shard-00001.h5 bs=1000 count=2 \
     2>/dev/null"
damaged "empty shard" "set/shard-00001.h5: 0 bytes instead of" \
    ": >set/shard-00001.h5"
damaged "no index" "no index.json" "rm set/index.json"
damaged "half an index" "set/index.json" \
    "head -c 200 packed4/index.json >set/index.json"
# poke FIELD BYTE-OFFSET BYTES: into a shard of set, behind where the field lies
poke()
{
    offset=$(sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" set/index.json |
        head -n 1)
    # shellcheck disable=SC2059 # bytes are written as escapes
    printf "$3" | dd of=set/shard-00001.h5 bs=1 seek=$((offset + $2)) \
        conv=notrunc 2>/dev/null
}
on="1 3"
damaged "changed after packing, to nan" \
    "set/shard-00001.h5: /x: row 2: the sample holds a number that is not" \
    'poke x_offset 32 "\377\377\377\377"'
on=3
damaged "label out of range" "set/shard-00001.h5: /y: row 2: label 77" \
    'poke y_offset 8 "\115\000\000\000"'

refuses "shapes that differ" "packed3/shard-00000.h5: /x: its shape" \
    --data.train="{files: [packed4/shard-00000.h5, packed3/shard-00000.h5],
    x: /x, y: /y}"
refuses "no such dataset" "no dataset /images" \
    --data.train="{files: packed4/*.h5, x: /images, y: /y}"
refuses "no files" "nowhere/*.h5" \
    --data.train="{files: nowhere/*.h5, x: /x, y: /y}"
printf 'label\n1\n' >text.h5
refuses "no HDF5" "text.h5: not an HDF5 file" \
    --data.train="{files: text.h5, x: /x, y: /y}"
refuses "validation of another shape" "data.valid does not fit data.train" \
    --data.train=packed4 --data.valid=packed3
refuses "a share that is no sample" "data.valid" --data.train=packed4 \
    --data.valid="0.1 %"
if test -d "$broken"; then
    for name in h5src_h5clear_status_noclose.h5 jhdf_not_closed.hdf5; do
        refuses "open for writing ($name)" "is open for writing" \
            --data.train="{files: \"$broken/$name\", x: /x, y: /y}"
    done
    for name in h5src_h5clear_fsm_persist_greater.h5 h5src_tfamily00000.h5; do
        refuses "truncated ($name)" "truncated, or its writer" \
            --data.train="{files: \"$broken/$name\", x: /x, y: /y}"
    done
    for name in h5src_bad_offset.h5 h5src_corrupted_name_len.h5 \
        h5src_h5clear_fsm_persist_noclose.h5; do
        refuses "corrupt ($name)" "$name" \
            --data.train="{files: \"$broken/$name\", x: /x, y: /y}"
    done
else
    ok "broken HDF5 files # SKIP no $broken" true
fi
tap_done
