#!/bin/sh
# Bad input: one clear message, once, on all ranks the same status, nothing
# hanging, nothing half written.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
# shellcheck source=tests/lib/train.sh
. "${top_srcdir:-.}/tests/lib/train.sh"

cat >job.yaml <<'EOF'
run: {dir: run}
model: {family: mlp, widths: [16]}
data: {train: {synthetic: {samples: 64, features: 6, classes: 3}}}
train: {length: 4 steps, global-batch: 16, micro-batch: 4}
EOF

# refuses STATUS TEXT FLAGS...: on $ranks ranks; the text is there once.
ranks=1
refuses()
{
    want=$1 text=$2
    shift 2
    train "$ranks" job.yaml "$@"
    got=$?
    if test $got -ne "$want" ||
        test "$(grep -cF -e "$text" log)" -ne 1 || test -e run; then
        echo "# status $got"
        sed 's/^/# /' log
        rm -rf run
        return 1
    fi
}

ok "unknown key" refuses 2 "did you mean" --train.global-bach=16
ok "wrong type" refuses 2 "global-batch" --train.global-batch=many
ok "out of range" refuses 2 "dropout" --model.dropout=1.5
ok "batch that does not divide" refuses 2 "micro-batch" --train.micro-batch=5
ok "lanes that do not divide" refuses 2 "lanes" --train.lanes=3
ok "unset variable" refuses 2 "NO_SUCH_VARIABLE" \
    --run.dir='${NO_SUCH_VARIABLE}/x'
ok "not built yet" refuses 2 "tensor" --parallel.tensor=2
ok "missing data" refuses 1 "no/such/place" --data.train=no/such/place
ok "model that does not fit the data" refuses 1 "gpt2" \
    --model.family=gpt2 --model.layers=1 --model.hidden=8 --model.heads=2 \
    --model.context=4 --model.widths="[]"
ok "window larger than the image" refuses 1 "does not fit" \
    --model.family=cnn --model.widths="[]" \
    --model.net="[{conv: 4, kernel: 9}, flatten, {dense: auto}]" \
    --data.train="{synthetic: {samples: 64, images: [5, 5, 1], classes: 3}}"
ok "cnn line of no kind" refuses 1 "a layer is one of" \
    --model.family=cnn --model.widths="[]" --model.net="[{cnov: 4}]" \
    --data.train="{synthetic: {samples: 64, images: [5, 5, 1], classes: 3}}"
ok "head of the wrong width" refuses 1 "the loss needs 3" \
    --model.family=cnn --model.widths="[]" \
    --model.net="[flatten, {dense: 7}]" \
    --data.train="{synthetic: {samples: 64, images: [5, 5, 1], classes: 3}}"
ok "class weights" refuses 1 "class-weights has 2" --train.class-weights="[1, 2]"
ok "class weights of nothing" refuses 1 "all 0" \
    --train.class-weights="[0, 0, 0]"
ok "batch norm over one value" refuses 1 "batch norm over one value" \
    --model.norm=batch --train.micro-batch=1
ok "a knob without a value" refuses 2 "needs =value: --train.seed" \
    --train.seed 5
ok "no such flag" refuses 2 "there is no flag -x" -x
ok "the program is named" refuses 2 "tutti-train: --train.seed" --train.seed=x
ok "loss that does not fit the targets" refuses 1 "mse" --train.loss=mse
ranks=3
ok "3 ranks: job file" refuses 2 "did you mean" --train.global-bach=16
ok "3 ranks: data" refuses 1 "no/such/place" --data.train=no/such/place
ok "3 ranks: model" refuses 1 "mse" --train.loss=mse

printf 'run: {dir: run}\nrun: {dir: other}\n' >twice.yaml
train 2 twice.yaml
is "duplicate key: status" $? 2
ok "duplicate key: names file and line" says "twice.yaml:2"
train 2 nowhere.yaml
is "missing job file: status" $? 2
ok "missing job file: names it" says "nowhere.yaml"
"$bin/tutti-eval" job.yaml --data=valid 2>log
is "nothing to evaluate on: status" $? 2
ok "nothing to evaluate on: the cure" says "add one"

# a resume that may not be
ok "train" train 1 job.yaml
train 2 job.yaml --train.length="8 steps" --train.seed=2
is "other seed: status" $? 1
ok "other seed: named" says "train.seed"
train 2 job.yaml --train.length="8 steps" --optimizer.lr=0.1
is "other rate without --force: status" $? 1
cp run/job.yaml before.yaml
train 2 job.yaml --train.length="8 steps" --model.widths="[17]"
is "another model: status" $? 1
ok "another model: the knob is named" says "model.widths"
ok "a refused start leaves job.yaml" cmp before.yaml run/job.yaml
ok "other rate with --force" train 2 job.yaml --train.length="8 steps" \
    --optimizer.lr=0.1 --force
tap_done
