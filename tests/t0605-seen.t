#!/bin/sh
# Every sample once an epoch, over stops and resumes on other numbers of ranks.
# With a learning rate of 0 the weights stay, so the losses of an epoch's steps
# add up to the loss of the set, which tutti-eval finds by going through it once.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
# shellcheck source=tests/lib/train.sh
. "${top_srcdir:-.}/tests/lib/train.sh"

cat >job.yaml <<'EOT'
run: {dir: run}
model: {family: mlp, widths: [1500, 800]}
data: {train: {synthetic: {samples: 203, features: 6, classes: 3}}}
train: {length: 1 steps, global-batch: 16, micro-batch: 2, threads: 1}
optimizer: {name: sgd, lr: 0}
EOT
awk 'BEGIN {
    srand(7)
    print "a,b,label"
    for (r = 0; r < 203; r++)
        printf "%.3f,%.3f,%s\n", rand(), rand(), substr("xyz", r % 3 + 1, 1)
}' >table.csv
"$bin/tutti-shard" --csv=table.csv --label=label --out=packed \
    --shard-bytes=900 >/dev/null 2>pack.log || sed 's/^/# /' pack.log

# epochs SAMPLES: of how many epochs the mean loss is that of the set, "N of M".
# Steps that metrics.jsonl has not, since there were too many in a second, would
# be missed: models are large enough that there are none.
epochs()
{
    want=$("$bin/tutti-eval" job.yaml --data=train --checkpoint=newest \
        "$@" 2>log | sed -n 's/^loss //p')
    count=$("$bin/tutti-eval" job.yaml --data=train --checkpoint=newest \
        "$@" 2>/dev/null | sed -n 's/^samples //p')
    sed -n 's/^{"step":\([0-9]*\),.*"samples":\([0-9]*\),.*"loss":\([^,}]*\).*/\1 \2 \3/p' \
        run/metrics.jsonl | awk -v count="$count" -v want="$want" '
        { samples[$1] = $2; loss[$1] = $3; if ($1 > last) last = $1 }
        END {
            for (s = 1; s <= last; s++) {
                sum += loss[s] * (samples[s] - samples[s - 1])
                if (samples[s] % count != 0) continue
                off = sum / count - want
                good += off < 1e-7 && off > -1e-7
                epochs++
                sum = 0
            }
            print good + 0, "of", epochs + 0
        }'
}

# plays NAME EPOCHS STEPS FLAGS...: 3, 1, 2 and 4 ranks, to that many steps
plays()
{
    name=$1 want=$2 steps=$3
    shift 3
    rm -rf run
    for part in 3:1 1:2 2:3 4:4; do
        train "${part%:*}" job.yaml "$@" \
            --train.length=$((steps * ${part#*:} / 4)) || says "nothing"
    done
    is "$name" "$(epochs "$@")" "$want of $want"
}

plays "synthetic" 2 26
plays "carried over the end of an epoch" 4 28 --data.last=carry \
    --train.global-batch=29 --train.micro-batch=29
plays "packed, in windows" 2 26 --data.train=packed --data.cache=0 \
    --data.window=500
plays "in memory, a part held out" 2 24 --data.train=packed \
    --data.valid="10 %"
plays "files as they are" 2 26 --data.cache=0 --data.window=700 \
    --data.train="{files: packed/*.h5, x: /x, y: /y}"
tap_done
