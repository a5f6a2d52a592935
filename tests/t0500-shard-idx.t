#!/bin/sh
# tutti-shard packs IDX files; contents by od, statistics by hand.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
# shellcheck source=tests/lib/shard.sh
. "${top_srcdir:-.}/tests/lib/shard.sh"

# Four images of 2 x 3 and their labels.
printf '\0\0\010\003\0\0\0\004\0\0\0\002\0\0\0\003' >images
printf '\001\002\003\004\005\006\377\0\377\0\377\0' >>images
printf '\012\012\012\012\012\012\0\0\0\0\0\001' >>images
printf '\0\0\010\001\0\0\0\004\002\0\001\002' >labels

pack --idx=images --labels=labels --out=all
is "status" $? 0
is "kind" "$(value all kind)" rows
is "samples" "$(value all samples)" 4
is "an image has a channel" "$(list all shape)" "2 3 1"
is "images stay bytes" "$(value all dtype)" u8
is "labels are i32" "$(value all dtype 2)" i32
is "classes" "$(value all classes)" 3
is "images" "$(raw all x u1 24)" \
    "1 2 3 4 5 6 255 0 255 0 255 0 10 10 10 10 10 10 0 0 0 0 0 1"
is "labels" "$(raw all y d4 4)" "2 0 1 2"
stats=$(raw all x u1 24 | "${AWK:-awk}" '{
    for (i = 1; i <= NF; i++) { s += $i; q += $i * $i }
    m = s / NF; d = sqrt(q / NF - m * m)
    printf "%.9g %.9g %.9g %.9g", m, d, 1 / d, -m / d }')
near "mean" "$(list all mean)" "${stats%% *}"
near "std" "$(list all std)" "$(echo "$stats" | cut -d ' ' -f 2)"
near "scale is 1/std" "$(list all scale)" "$(echo "$stats" | cut -d ' ' -f 3)"
near "shift is -mean/std" "$(list all shift)" "${stats##* }"
is "the file is as long as the index says" \
    "$(wc -c <all/shard-00000.h5 | xargs)" "$(value all bytes)"
if command -v h5dump >/dev/null; then
    is "h5dump reads it" \
        "$(h5dump -d /y -y -w 0 all/shard-00000.h5 | grep '2, 0' | xargs)" \
        "2, 0, 1, 2"
fi
is "nothing else is left" "$(echo all/* all/.[a-z]*)" "all/index.json all/shard-00000.h5 all/.[a-z]*"

pack --idx=images --labels=labels --out=raw --standardize=no
near "unstandardised bytes become 0 .. 1" "$(list raw scale)" 0.00392156862745
is "without shift" "$(list raw shift)" 0.0

gzip -k images labels
pack --idx=images.gz --labels=labels.gz --out=gz
is "gzip: images" "$(raw gz x u1 24)" "$(raw all x u1 24)"
is "gzip: labels" "$(raw gz y d4 4)" "$(raw all y d4 4)"

pack --idx=images --labels=labels --out=small --shard-bytes=20
is "small shards" "$(echo small/*)" \
    "small/index.json small/shard-00000.h5 small/shard-00001.h5"
is "second shard" "$(raw small x u1 12 2)" "10 10 10 10 10 10 0 0 0 0 0 1"

# Values of 4 bytes, big endian: 1.5 -2.0, 0.25 8.0; labels of 2 bytes.
printf '\0\0\015\002\0\0\0\002\0\0\0\002' >floats
printf '\077\300\0\0\300\0\0\0\076\200\0\0\101\0\0\0' >>floats
printf '\0\0\013\001\0\0\0\002\0\001\001\004' >shorts
pack --idx=floats --labels=shorts --out=f4
is "floats" "$(raw f4 x f4 4)" "1.5 -2 0.25 8"
is "short labels" "$(raw f4 y d4 2)" "1 260"
is "a mean for each feature" "$(list f4 mean)" "0.875 3.0"
pack --idx=floats --labels=shorts --out=f4r --task=regress
is "labels as values" "$(raw f4r y f4 2)" "1 260"
is "labels as values have no classes" "$(value f4r classes)" ""

pack --idx=images --out=nolabel
is "without labels: status" $? 0
is "without labels: no y" "$(value nolabel y_offset)" ""

# A test set after a train set: statistics and classes of that.
pack --idx=images --labels=labels --out=like --like=all \
    --classes=a,b,c
is "--like keeps the mean" "$(list like mean)" "$(list all mean)"

pack --idx=images --labels=labels --out=named --classes=a,b,c,d
is "class names" "$(list named class_names)" "a b c d"

head -c 30 images >"cut"
fails "truncated" 1 "cut: has 30 bytes, too few for the 4 samples" --idx=cut --labels=labels --out=bad
ok "truncated: no set" test ! -e bad/index.json
head -c 30 images.gz >cut.gz
fails "truncated gzip" 1 "truncated" --idx=cut.gz --labels=labels --out=bad2
printf 'a,b,c\n1,2,3\n' >table
fails "wrong magic" 1 "table: not an IDX file" --idx=table --out=bad3
printf '\0\0\010\001\0\0\0\003\002\0\001' >three
fails "label count" 1 "three: 3 labels, but images has 4 samples" \
    --idx=images --labels=three --out=bad4
fails "images as labels" 1 "has 3 axes, labels have one" \
    --idx=images --labels=images --out=bad5
fails "no file" 1 "nothere: No such file" --idx=nothere --out=bad6
fails "too few class names" 1 "label 2, but --classes names only 2" \
    --idx=images --labels=labels --classes=a,b --out=bad7
fails "no --out" 1 "no --out" --idx=images
fails "nothing to pack" 1 "nothing to pack" --out=bad8
fails "two kinds" 1 "one kind of files" --idx=images --text=images --out=bad9
fails "unknown flag" 2 "did you mean --labels" --label5=x
tap_done
