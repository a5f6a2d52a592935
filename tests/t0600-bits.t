#!/bin/sh
# One job file on 1, 2, 3 and 4 ranks: the same weights, moments and
# evaluation, bit for bit; and over a stop and a resume on other ranks.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
# shellcheck source=tests/lib/train.sh
. "${top_srcdir:-.}/tests/lib/train.sh"

common='train: {length: 10 steps, global-batch: 24, micro-batch: 2, lanes: 4,
  threads: 1}
checkpoint: {every: 5 steps}
eval: {every: 5 steps}'
cat >mlp.yaml <<EOF
run: {dir: mlp}
model: {family: mlp, widths: [33, 17], norm: batch, dropout: 0.1}
data: {train: {synthetic: {samples: 130, features: 11, classes: 5}},
  valid: 10 %}
optimizer: {name: adamw, lr: 1e-2, clip-norm: 0.5}
$common
EOF
cat >cnn.yaml <<EOF
run: {dir: cnn}
model: {family: cnn, net: [{conv: 6}, {norm: batch}, {act: relu},
  {pool: max}, {conv: 9, stride: 2, pad: 1}, {act: gelu}, {pool: avg},
  flatten, {dropout: 0.2}, {dense: auto}]}
data: {train: {synthetic: {samples: 130, images: [13, 11, 2], classes: 4}},
  valid: 10 %}
optimizer: {name: sgd, lr: 1e-2, momentum: 0.9, weight-decay: 0.01}
$common
EOF
cat >gpt2.yaml <<EOF
run: {dir: gpt2}
model: {family: gpt2, layers: 2, hidden: 24, heads: 3, context: 12,
  dropout: 0.1}
data: {train: {synthetic: {tokens: 2000, vocab: 70}}, valid: 10 %}
optimizer: {name: adam, lr: 1e-3}
schedule: {name: cosine, warmup: 2}
$common
EOF

evaluation() # evaluation DIR STEP
{
    sed -n 's/.*"eval_loss": *\([^,]*\).*/\1/p' \
        "$(printf '%s/checkpoints/step-%08d/manifest.json' "$1" "$2")"
}

for model in mlp cnn gpt2; do
    for ranks in 1 2 3 4; do
        ok "$model: trains on $ranks" train $ranks $model.yaml \
            --run.dir=$model-$ranks
        test "$ranks" -eq 3 &&
            ok "$model: 3 ranks are warned of" says "about 67 % of"
        test "$ranks" -eq 1 && losses $model-1 >one && continue
        for step in 5 10; do
            is "$model: $ranks ranks, tensors of step $step" \
                "$(root $model-$ranks $step)" "$(root $model-1 $step)"
        done
        is "$model: $ranks ranks, losses that differ" \
            "$(losses $model-$ranks | join - one | awk '$2 != $3')" ""
        is "$model: $ranks ranks, evaluation" "$(evaluation $model-$ranks 10)" \
            "$(evaluation $model-1 10)"
    done
    ok "$model: there are losses to compare" test -s one
    ok "$model: there is something to compare" test -n "$(root $model-1 10)"

    # stopped after 5 steps, gone on with on other ranks
    rm -rf $model-h
    mkdir -p $model-h/checkpoints
    cp -r $model-4/checkpoints/step-00000005 $model-h/checkpoints/
    ok "$model: goes on" train 2 $model.yaml --run.dir=$model-h
    ok "$model: says where from" says "from step 5"
    is "$model: resumed, the same bits" "$(root $model-h 10)" \
        "$(root $model-1 10)"
done

# more ranks than lanes: near, not equal
ok "more ranks than lanes" train 4 mlp.yaml --run.dir=mlp-l2 --train.lanes=2
ok "and it says so" says "are more than train.lanes: 2"

ok "any order" train 3 mlp.yaml --run.dir=mlp-any --parallel.order=any
tap_done
