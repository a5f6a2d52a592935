#!/bin/sh
# tutti-shard packs tables: cells by od, statistics by awk, errors by line.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
# shellcheck source=tests/lib/shard.sh
. "${top_srcdir:-.}/tests/lib/shard.sh"

# Quotes, a line break and a doubled quote in quotes, CRLF, blanks, an empty
# line, missing numbers and a missing category.
{
    printf 'age, "the ""city""",height,sick\r\n'
    printf '30,"Ulm, Do",1.5,no\r\n'
    printf '40,"a\nb",NA,yes\r\n\r\n'
    printf ' ,Bonn , -2e1 ,no\r\n'
    printf '20,,3.5,"yes"'
} >t.csv

pack --csv=t.csv --label=sick --out=t
is "status" $? 0
is "samples" "$(value t samples)" 4
is "classes" "$(list t class_names)" "no yes"
is "labels" "$(raw t y d4 4)" "0 1 0 1"
is "label" "$(value t label)" sick
# age | Bonn, Ulm Do, a\nb (by bytes) | height; means 30 and -5
is "cells" "$(raw t x f4 20)" \
    "30 0 1 0 1.5 40 0 0 1 -5 30 1 0 0 -20 20 0 0 0 3.5"
is "dictionary" "$(list t categories)" 'Bonn Ulm Do a\nb'
is "missing: age" "$(value t missing)" 1
is "missing: city" "$(value t missing 2)" 1
ok "missing values are told" grep -q "column 'height': 1 missing" err
near "fill is the mean: age" "$(value t fill)" 30
near "fill is the mean: height" "$(value t fill 3)" -5
# ages 30 40 20: variance 200/3
near "scale of age is 1/std" "$(list t scale | cut -d ' ' -f 1)" 0.122474487
near "shift of age" "$(list t shift | cut -d ' ' -f 1)" -3.67423461
is "categories are not scaled" "$(list t scale | cut -d ' ' -f 2-4)" \
    "1.0 1.0 1.0"

pack --csv=t.csv --label=age --drop=sick --missing=mean --out=no
is "a label must be there: status" $? 1
ok "a label must be there: line" grep -q "t.csv:6: column 'age' is empty" err

# The same table, semicolons, packed; a second file with its header.
printf 'a;b\n1;x\n2;y\n' >p1.csv
printf 'a;b\n3;x\n' | gzip >p2.csv.gz
if "$shard" --version | grep -q zstd && zstd -q p1.csv -o p3.csv.zst; then
    rm p1.csv
else
    mv p1.csv p3.csv
fi
pack --csv='p*.csv*' --label=b --out=p
is "semicolons, gzip, zstd, several files" "$(raw p x f4 3)" "3 1 2"
is "their labels" "$(raw p y d4 3)" "0 0 1"

printf '5\t"six\n7\teight"\n' >u.tsv
pack --csv=u.tsv --header=no --label=2 --out=u
is "quotes in tab-separated text are text" \
    "$(grep -cE '"\\"six"|"eight\\""' u/index.json)" 2

# Values instead of classes; numbers as classes in the order of numbers.
printf 'x,y\n1,0.5\n2,-1.25\n3,10\n' >r.csv
pack --csv=r.csv --label=y --out=r
is "fractions are values" "$(raw r y f4 3)" "0.5 -1.25 10"
printf 'x,y\n1,10\n2,9\n3,10\n' >c.csv
pack --csv=c.csv --label=y --out=c
is "whole numbers are classes" "$(list c class_names)" "9 10"
is "in their order" "$(raw c y d4 3)" "1 0 1"
pack --csv=c.csv --label=2 --task=regress --out=c2
is "or values where asked" "$(raw c2 y f4 3)" "10 9 10"
pack --csv=c.csv --drop=y --out=c3
is "no label" "$(value c3 y_offset)" ""

# A test set follows its train set.
printf 'city,n,sick\nUlm,1,no\nBonn,3,yes\nUlm,5,no\n' >train.csv
printf 'city,n,sick\nBonn,11,no\nKiel,,yes\n' >test.csv
pack --csv=train.csv --label=sick --out=tr
pack --csv=test.csv --label=sick --like=tr --out=te
is "--like: cells by its dictionary and mean" "$(raw te x f4 6)" \
    "1 0 11 0 0 3"
is "--like: classes" "$(raw te y d4 2)" "0 1"
is "--like: scale" "$(list te scale)" "$(list tr scale)"
is "--like: shift" "$(list te shift)" "$(list tr shift)"
ok "--like: a new category is told" grep -q "warning: column 'city': 'Kiel'" err
printf 'sick,n,city\nno,11,Bonn\nyes,,Kiel\n' >turned.csv
pack --csv=turned.csv --label=sick --like=tr --out=turned
is "--like: columns in another order" "$(raw turned x f4 6)" \
    "$(raw te x f4 6)"
is "--like: their labels" "$(raw turned y d4 2)" "0 1"
printf 'city,m,sick\nBonn,11,no\n' >other.csv
fails "--like: another column" 1 "column 'm' is not in the set" \
    --csv=other.csv --label=sick --like=tr --out=b
fails "--like: a column less" 1 "column 'city' of the set .* is missing" \
    --csv=test.csv --label=sick --drop=city --like=tr --out=b
printf 'city,n,sick\nBonn,11,maybe\n' >test2.csv
fails "--like: a new class" 1 "label 'maybe' is none of the classes" \
    --csv=test2.csv --label=sick --like=tr --out=te2

# Split: exact counts, nothing twice, statistics of the train part only.
"${AWK:-awk}" 'BEGIN { print "i,c"; for (i = 0; i < 150; i++) print i "," i % 3
    }' >s.csv
pack --csv=s.csv --label=c --split=train:0.8,valid:10%,test:0.1 --out=s
is "split: counts" "$(value s/train samples) $(value s/valid samples) $(
    value s/test samples)" "120 15 15"
for part in train valid test; do
    raw s/$part x f4 "$(value s/$part samples)"
done | tr ' ' '\n' | sort -n | uniq >all
is "split: every sample once" "$(wc -l <all | xargs)" 150
mean=$(raw s/train x f4 120 | tr ' ' '\n' |
    "${AWK:-awk}" '{ s += $1 } END { printf "%.9g", s / NR }')
near "split: mean of the train part" "$(list s/train mean)" "$mean"
is "split: valid has the same scale" "$(list s/valid scale)" \
    "$(list s/train scale)"
pack --csv=s.csv --label=c --valid=10% --seed=2 --out=s2
pack --csv=s.csv --label=c --valid=10% --seed=1 --out=s1
ok "split: another seed, other samples" \
    test "$(raw s1/valid x f4 15)" != "$(raw s2/valid x f4 15)"
pack --csv=s.csv --label=c --valid=10% --split-by=end --out=se
is "split by the end" "$(raw se/valid x f4 15 | cut -d ' ' -f 1)" 135

# JSON objects are rows too: keys in any order, some missing, null, booleans.
cat >t.jsonl <<'END'
{"age": 30, "city": "Ulm, \"Do\"", "tags": [1, 2], "ok": true, "sick": "no"}
{"sick": "yes", "age": 4e1, "ok": false, "city": null, "tags": []}

{"city": "a\nb", "ok": true, "sick": "no"}
END
pack --jsonl=t.jsonl --label=sick --drop=tags --out=json
is "jsonl: status" $? 0
# age (missing: 35) | Ulm, "Do" a\nb | false true
is "jsonl: cells" "$(raw json x f4 15)" "30 1 0 0 1 40 0 0 1 0 35 0 1 0 1"
is "jsonl: labels" "$(raw json y d4 3)" "0 1 0"
fails "jsonl: nested" 1 "t.jsonl:1: 'tags' is a list" \
    --jsonl=t.jsonl --label=sick --out=b
printf '{"a": 1, "b": 2}\n{"a": 1, "c": 2}\n' >new.jsonl
fails "jsonl: a new key" 1 "new.jsonl:2: 'c' is not in the first line" \
    --jsonl=new.jsonl --out=b
printf '{"a": 1}\n{"a": 2\n' >cut.jsonl
fails "jsonl: damaged" 1 "cut.jsonl:2: " --jsonl=cut.jsonl --out=b

: >empty.csv
fails "empty" 1 "empty.csv: is empty" --csv=empty.csv --out=b
printf 'a,b\n' >head.csv
fails "a header only" 1 "no samples" --csv=head.csv --header=yes --out=b
printf 'a,b\n1,2\n3\n' >ragged.csv
fails "ragged" 1 "ragged.csv:3: 1 fields, but the first line has 2" \
    --csv=ragged.csv --out=b
printf 'a,b\n1,"x\n3,4\n' >open.csv
fails "open quote" 1 "open.csv:2: a quote is opened and not closed" \
    --csv=open.csv --out=b
fails "unknown label" 1 "no column 'sik': did you mean 'sick'" \
    --csv=t.csv --label=sik --out=b
fails "unknown column to drop" 1 "drop: no column 'agge'" \
    --csv=t.csv --drop=agge --out=b
fails "missing refused" 1 "t.csv:3: column 'height' is empty" \
    --csv=t.csv --missing=refuse --label=sick --out=b
printf 'ham\tfree money\nspam\thello\n' >text.tsv
fails "no numbers: is there a header?" 1 "give --header=yes or --header=no" \
    --csv=text.tsv --out=b
"${AWK:-awk}" 'BEGIN { print "id,y"; for (i = 0; i < 100; i++) print "k" i ",1" }' \
    >ids.csv
fails "too many categories" 1 "more than 64 categories" \
    --csv=ids.csv --label=y --out=b
printf 'a,b\n1,caf\351\n' >latin.csv
fails "no UTF-8" 1 "latin.csv:2: text that is not UTF-8" \
    --csv=latin.csv --label=a --out=b
printf 'a,b,a\n1,2,3\n' >twice.csv
fails "two columns of one name" 1 "twice.csv:1: two columns are called 'a'" \
    --csv=twice.csv --out=b
printf 'a,b\n1,2\n' >q1.csv
printf 'a,c\n1,2\n' >q2.csv
fails "headers differ" 1 "q2.csv:1: column 2 is called 'c', in the first" \
    --csv='q?.csv' --label=a --out=b
ok "no set is left by failures" test ! -e b/index.json

if test -r "$TUTTI_TEST_DATA/images/iris.csv"; then
    data=$TUTTI_TEST_DATA/images
    pack --csv="$data/iris.csv" --skip=1 --header=no --label=5 \
        --classes=setosa,versicolor,virginica --out=iris
    is "iris: samples" "$(value iris samples)" 150
    is "iris: classes" "$(list iris class_names)" "setosa versicolor virginica"
    mean=$("${AWK:-awk}" -F, 'NR > 1 { s += $3 } END { printf "%.9g",
        s / (NR - 1) }' "$data/iris.csv")
    near "iris: mean of column 3" "$(list iris mean | cut -d ' ' -f 3)" "$mean"
    pack --csv="$data/digits.csv.gz" --label=65 --out=digits
    is "digits: cells" "$(raw digits x f4 115008 | cksum)" \
        "$(gzip -dc "$data/digits.csv.gz" | cut -d , -f 1-64 | tr ',' ' ' |
            xargs | cksum)"
    is "digits: labels" "$(raw digits y d4 1797 | cksum)" \
        "$(gzip -dc "$data/digits.csv.gz" | cut -d , -f 65 | xargs | cksum)"
    fails "breast cancer: its first line is no header" 1 \
        "breast_cancer.csv:2: 31 fields, but the first line has 4 (--skip=N" \
        --csv="$data/breast_cancer.csv" --out=b
    pack --csv="$TUTTI_TEST_DATA/textcls/sms_spam.tsv" --header=no \
        --label=1 --out=b
    ok "sms: texts are no categories" grep -q "more than 64 categories" err
else
    ok "real files # SKIP no TUTTI_TEST_DATA" true
fi
tap_done
