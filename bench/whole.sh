#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# whole.sh - whole programs, next to PyTorch in the same run where there is one.
#
#     bench/whole.sh [first|gpt2|start|disk ...]     default: all
#
# Prints "what<TAB>value<TAB>unit" lines.
here=$(cd "${0%/*}" && pwd)
bin=$(cd "${top_builddir:-.}" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

put() { printf '%s\t%s\t%s\n' "$1" "$2" "$3"; }

# divide A B: A / B
divide() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.3g", a / b }'; }

# last KEY FILE: its value in the last line that has it.
last()
{
    sed -n "s/.*\"$1\":\\([-+0-9.eE]*\\).*/\\1/p" "$2" | tail -n 1
}

# median: of numbers on stdin
median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# The time between the first and the last line of steps, per step.
step_s()
{
    awk -F'[:,]' '/^{"step"/ {
        s = $2; match($0, /"time":[0-9.]+/)
        t = substr($0, RSTART + 7, RLENGTH - 7)
        if (!n++) { s0 = s; t0 = t }
    } END { if (s > s0) printf "%.6g", (t - t0) / (s - s0) }' "$1"
}

one_core() { if command -v taskset >/dev/null; then taskset -c 0 "$@"; else "$@"; fi; }

first()
{
    cat >first.yaml <<'YAML'
run: {dir: first}
model: {family: mlp, widths: [50], activation: relu}
data: {train: {synthetic: {samples: 1000, features: 10, classes: 2}}}
train: {length: 100000 steps, global-batch: 32, micro-batch: 32, threads: 1}
optimizer: {name: adam, lr: 1e-3}
checkpoint: {every: never}
log: {level: quiet}
YAML
    one_core "$bin/tutti-train" first.yaml || return 1
    ours=$(divide 1 "$(step_s first/metrics.jsonl)")
    put "first example, 100,000 steps" "$ours" steps/s
    peer=$("$here/peer.sh" mlp | sed -n 's/^mlp with DataLoader\t\([^\t]*\).*/\1/p')
    test -n "$peer" || return 0
    put "PyTorch with its loader" "$peer" steps/s
    put "ratio (40 wanted)" "$(divide "$ours" "$peer")" times
}

gpt2()
{
    cat >gpt2.yaml <<'YAML'
run: {dir: gpt2}
model: {family: gpt2, layers: 12, hidden: 768, heads: 12, context: 256,
  vocab: 8192}
data: {train: {synthetic: {tokens: 300000, vocab: 8192}}}
train: {length: 8 steps, global-batch: 4, micro-batch: 4}
optimizer: {name: adamw, lr: 1e-4}
checkpoint: {every: never}
log: {level: quiet}
YAML
    for _ in 1 2; do # in turn: the machine may change its mind
        for threads in 1 2; do
            rm -rf gpt2
            "$bin/tutti-train" gpt2.yaml --train.threads=$threads \
                --run.dir=gpt2 || return 1
            grep -o '"step_s":[-+0-9.e]*' gpt2/metrics.jsonl |
                cut -d: -f2 >>steps$threads
        done
    done
    alone=$(median <steps1)
    s=$(median <steps2)
    put "gpt2 12 x 768, 4 x 256, 1 thread, median step" "$alone" s
    put "matrix products over that time (see kernels for sgemm)" \
        "$(divide 589.5 "$alone")" GFLOP/s
    put "gpt2 12 x 768, 4 x 256, 2 threads, median step" "$s" s
    put "two threads against one (1.8 wanted)" "$(divide "$alone" "$s")" times
}

start()
{
    test -n "$MPIEXEC" || return 0
    for _ in 1 2 3 4 5; do
        rm -rf start
        # shellcheck disable=SC2086
        $MPIEXEC $MPIEXEC_FLAGS -n 2 "$bin/tutti-train" \
            "$here/../jobs/first.yaml" --run.dir=start --log.level=quiet \
            2>/dev/null || return 1
        last after_init_s start/metrics.jsonl
    done >starts || return 1
    put "2 ranks, MPI_Init to first step (0.5 allowed)" "$(median <starts)" s
    for _ in 1 2 3 4 5; do
        rm -rf start
        begin=$(date +%s.%N)
        "$bin/tutti-train" "$here/../jobs/first.yaml" --run.dir=start \
            --log.level=quiet || return 1
        awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { print b - a }'
    done >walls || return 1
    put "first example, 10 epochs, whole process (0.5 allowed)" \
        "$(median <walls)" s
}

# The same step on samples from disk and out of thin air, in turn.
disk()
{
    awk 'BEGIN { srand(1); for (i = 0; i < 40000; i++) {
        for (j = 0; j < 64; j++) printf "%.3f,", rand(); print int(10 * rand())
        } }' >rows.csv
    "$bin/tutti-shard" --csv=rows.csv --header=no --label=65 --out=rows \
        >/dev/null 2>&1 || return 1
    cat >disk.yaml <<'YAML'
run: {dir: disk}
model: {family: mlp, widths: [256, 256]}
data: {train: rows, cache: 1}
train: {length: 3000 steps, global-batch: 128, micro-batch: 128, threads: 1}
checkpoint: {every: never}
log: {level: quiet}
YAML
    for _ in 1 2 3 4 5; do
        rm -rf disk
        "$bin/tutti-train" disk.yaml || return 1
        a=$(step_s disk/metrics.jsonl)
        rm -rf disk
        "$bin/tutti-train" disk.yaml --data.train="{synthetic: \
{samples: 40000, features: 64, classes: 10}}" --data.cache=1GiB || return 1
        divide "$a" "$(step_s disk/metrics.jsonl)"
        echo
    done >ratios || return 1
    put "step on streamed disk data against synthetic (1.03 allowed)" \
        "$(median <ratios)" times
}

test $# -gt 0 || set -- first gpt2 start disk
for what in "$@"; do
    case $what in
    first | gpt2 | start | disk) $what || exit 1 ;;
    *) echo "whole.sh: no bench called $what" >&2; exit 2 ;;
    esac
done
