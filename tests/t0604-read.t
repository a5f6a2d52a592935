#!/bin/sh
# However data is read, the same samples come: kept in memory or streamed,
# independently or collectively, through either MPI-IO, as our shards or as
# files by others.  Trained weights tell.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
# shellcheck source=tests/lib/train.sh
. "${top_srcdir:-.}/tests/lib/train.sh"

awk -v OFS=, 'BEGIN { srand(3); print "a,b,c,d,kind"; for (i = 0; i < 403; i++) {
    k = int(3 * rand()); print rand() + k, rand(), k - rand(), rand(), "k" k }
}' >table.csv
ok "packs" sh -c "$bin/tutti-shard --csv=table.csv --label=kind \
    --standardize=no --out=set >/dev/null 2>&1"
cat >job.yaml <<'EOF'
run: {dir: run}
model: {family: mlp, widths: [12]}
data: {train: set, valid: 15 %}
train: {length: 3 epochs, global-batch: 16, micro-batch: 2, threads: 1}
checkpoint: {every: never}
EOF
shard=$(find set -name '*.h5')
foreign="--data.train={files: \"$shard\", x: /x, y: /y}"
newest() # newest DIR: hash of its last checkpoint
{
    find "$1/checkpoints" -name manifest.json | sort | tail -n 1 |
        xargs sed -n 's/.*"root": *"\([0-9a-f]*\)".*/\1/p'
}

ok "from memory" train 1 job.yaml --run.dir=memory
want=$(newest memory)
ok "there is something to compare" test -n "$want"
# same NAME RANKS FLAGS...
same()
{
    name=$1 ranks=$2
    shift 2
    rm -rf run
    ok "$name" train "$ranks" job.yaml "$@"
    is "$name: the same bits" "$(newest run)" "$want"
}
same "streamed" 1 --data.cache=1
same "streamed, 3 ranks" 3 --data.cache=1
same "files by others" 2 "$foreign"
same "files by others, streamed" 3 "$foreign" --data.cache=1
H5_COLL_API_SANITY_CHECK=1
export H5_COLL_API_SANITY_CHECK
for io in ompio romio321; do
    OMPI_MCA_io=$io
    export OMPI_MCA_io
    same "collective, $io" 2 --data.read=collective --data.cache=1
    same "collective, $io, files by others" 3 "$foreign" \
        --data.read=collective --data.cache=1
done
unset OMPI_MCA_io
same "collective, alone, with hints" 1 --data.read=collective --data.cache=1 \
    --io.hints="{cb_buffer_size: 65536}"
is "nothing was written beside the data" "$(find set -newer job.yaml)" ""
tap_done
