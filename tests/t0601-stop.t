#!/bin/sh
# How a run ends: by its length, a signal, the file STOP, early stop, --try;
# and that the same command goes on.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
# shellcheck source=tests/lib/train.sh
. "${top_srcdir:-.}/tests/lib/train.sh"

cat >job.yaml <<'EOF'
run: {dir: run}
model: {family: mlp, widths: [16]}
data: {train: {synthetic: {samples: 500, features: 6, classes: 3, task: blobs}},
  valid: 20 %}
train: {length: 40 steps, global-batch: 16, micro-batch: 4, threads: 1}
eval: {every: 10 steps}
checkpoint: {every: 10 steps, keep: 2}
EOF
status() { echo $?; }

ok "trains to the end" train 1 job.yaml
is "verdict" "$(head -n 1 run/verdict)" "done"
is "step of the verdict" "$(sed -n 2p run/verdict)" "step 40"
ok "again: finished" train 1 job.yaml
ok "again: says so" says "this run is finished (step 40)"
is "keeps the newest and the best, no more than 3" \
    "$(test "$(find run/checkpoints -name 'step-*' | wc -l)" -le 3; status)" 0
ok "the best is marked" test -d run/checkpoints/best/
ok "goes on when length grows" train 2 job.yaml --train.length="50 steps"
is "its step" "$(sed -n 2p run/verdict)" "step 50"
ok "metrics know resumes" grep -q '"event":"resume","step":40' run/metrics.jsonl
is "starts.jsonl has every start that trained" \
    "$(wc -l <run/starts.jsonl | tr -d ' ')" 3

ok "evaluates" sh -c "$bin/tutti-eval job.yaml --data=valid >eval1"
ok "evaluates on 3 ranks" sh -c "$MPIEXEC $MPIEXEC_FLAGS -n 3 \
    $bin/tutti-eval job.yaml --data=valid >eval3 2>/dev/null"
ok "to the same digits" cmp eval1 eval3
is "every held-out sample once" "$(sed -n 's/^samples //p' eval1)" 100

ok "evaluates the training set" sh -c "$bin/tutti-eval job.yaml --data=train \
    >eval1"
is "without what is held out" "$(sed -n 's/^samples //p' eval1)" 400

ok "a try" train 2 job.yaml --try=7 --run.dir=tried
is "leaves nothing" "$(ls -d tried* 2>/dev/null)" ""
ok "a dry run" train 2 job.yaml --dry-run --run.dir=dry
ok "says the memory" says "memory "
is "writes nothing" "$(ls -d dry* 2>/dev/null)" ""

# many at once on one host, as on a login node
for i in 1 2 3 4 5 6 7 8; do
    { "$bin/tutti-train" job.yaml --dry-run >/dev/null 2>&1 || echo $i; } &
done >together
wait
is "8 without a launcher at the same time" "$(cat together)" ""

ok "shows the configuration" sh -c "$bin/tutti-train job.yaml \
    --optimizer.lr=0.5 --show-config >config"
ok "with origins" grep -q 'lr: 0.5 *# --optimizer.lr' config

# damaged checkpoints
ok "a short run" train 1 job.yaml --run.dir=hurt --train.length="20 steps"
for file in hurt/checkpoints/step-*/data.h5; do
    printf x | dd of="$file" bs=1 seek=3000 conv=notrunc 2>/dev/null
    break
done
newest=$(find hurt/checkpoints -name 'step-*' | sort | tail -n 1)
mv "$newest" newest
ok "all damaged: not from scratch" test "$(train 1 job.yaml --run.dir=hurt;
    echo $?)" -eq 1
ok "all damaged: the cure" says "no checkpoint is whole"
mv newest "$newest"
ok "one is whole" train 1 job.yaml --run.dir=hurt --train.length="25 steps"
ok "afresh on request" train 1 job.yaml --run.dir=hurt --resume=none
ok "older ones are put aside" test -d hurt/checkpoints/step-00000025.aside

# a signal: on one rank, all stop at the same step with a checkpoint
long="--train.length=100000000 --checkpoint.every=never --eval.every=never"
# shellcheck disable=SC2086
signal() # signal RANKS WHO SIGNAL DIR: who = a pgrep -f pattern
{
    train "$1" job.yaml $long --run.dir="$4" &
    pid=$!
    for _ in $(seq 100); do
        grep -q '"loss"' "$4/metrics.jsonl" 2>/dev/null && break
        sleep 0.1
    done
    # shellcheck disable=SC2046
    kill -s "$3" $(pgrep -f "tutti-train job.yaml.*--run.dir=$4\$" |
        while read -r p; do
            case $(cat /proc/"$p"/comm) in tutti-train) echo "$p" ;; esac
        done | tail -n "$2")
    wait $pid
}
signal 1 1 TERM term1
is "TERM: exit status" $? 75
is "TERM: verdict" "$(head -n 1 term1/verdict | cut -d' ' -f1)" requeue
is "TERM: the checkpoint is there" \
    "$(find term1/checkpoints -name 'step-*' | wc -l)" 1
signal 3 1 USR2 usr3
ok "USR2 on one of 3 ranks: stops all" says "stopped by a signal"
is "USR2: one checkpoint" "$(find usr3/checkpoints -name 'step-*' | wc -l)" 1

# an evaluation that is due when the signal comes: later, and with what follows
# from it
due="--eval.every=1 --checkpoint.every=never"
# shellcheck disable=SC2086
train 1 job.yaml $due --train.length=100000000 --run.dir=due &
pid=$!
for _ in $(seq 100); do
    grep -q '"loss"' due/metrics.jsonl 2>/dev/null && break
    sleep 0.1
done
kill -s TERM "$(sed -n 's/.* pid \([0-9]*\) .*/\1/p' due/lock)"
wait $pid
step=$(sed -n 's/^step //p' due/verdict)
is "stopped: no evaluation any more" \
    "$(grep -c "\"eval\",\"step\":$step," due/metrics.jsonl)" 0
for dir in due undue; do
    # shellcheck disable=SC2086
    ok "on to the end" train 1 job.yaml $due --run.dir=$dir \
        --train.length=$((step + 3))
done
is "resumed: the evaluation is made" \
    "$(grep -c "\"eval\",\"step\":$step," due/metrics.jsonl)" 1
for what in best best_step stale eval_step eval_loss; do
    is "the same $what as undisturbed" \
        "$("$bin/tutti-ckpt" show due $what)" \
        "$("$bin/tutti-ckpt" show undue $what)"
done

# signals while large products are computed, some in a row as Slurm sends them
for i in 1 2 3; do
    # shellcheck disable=SC2086
    train 1 job.yaml $long --run.dir=big$i --model.family=gpt2 \
        --model.layers=2 --model.hidden=128 --model.heads=4 \
        --model.context=256 --model.widths="[]" --train.threads=$i \
        --data.train="{synthetic: {tokens: 100000, vocab: 256}}" &
    pid=$!
    for _ in $(seq 100); do
        grep -q '"loss"' big$i/metrics.jsonl 2>/dev/null && break
        sleep 0.1
    done
    for _ in 1 2 3 4; do
        kill -s TERM "$(sed -n 's/.* pid \([0-9]*\) .*/\1/p' big$i/lock)" \
            2>/dev/null
        sleep 0.02
    done
    wait $pid
    is "TERM within products, $i threads: exit status" $? 75
done

# the file STOP
# shellcheck disable=SC2086
train 2 job.yaml $long --run.dir=stop &
pid=$!
for _ in $(seq 100); do
    grep -q '"loss"' stop/metrics.jsonl 2>/dev/null && break
    sleep 0.1
done
: >stop/STOP
wait $pid
is "STOP: exit status" $? 0
ok "STOP: is taken away" test ! -e stop/STOP
ok "STOP: says so" says "stopped by the file STOP"

# early stop: labels that nothing predicts
ok "early stop" train 1 job.yaml --run.dir=early --train.length="4000 steps" \
    --train.early-stop.patience=3 --optimizer.lr=0.05 \
    --data.train="{synthetic: {samples: 200, features: 6, classes: 3}}"
ok "early stop: says so" says "gets no better"
ok "early stop: again" train 1 job.yaml --run.dir=early \
    --train.length="8000 steps" --train.early-stop.patience=3 \
    --optimizer.lr=0.05 \
    --data.train="{synthetic: {samples: 200, features: 6, classes: 3}}"
ok "early stop: says what would continue it" says "a larger train.early-stop"

# time
ok "a length in time" train 2 job.yaml --run.dir=time \
    --train.length="[1 s, 1000000000 steps]" --eval.every=never
ok "time: says so" says "the time of training is over"

# not finite
train 2 job.yaml --run.dir=nan --optimizer.name=sgd \
    --optimizer.lr=1e30
is "not finite: exit status" $? 1
ok "not finite: names the cure" says "use a smaller optimizer.lr"
is "not finite: verdict" "$(head -n 1 nan/verdict)" failed
tap_done
