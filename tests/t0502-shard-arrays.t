#!/bin/sh
# tutti-shard packs NPY arrays made by hand, and HDF5 files by others, which
# h5dump reads too.
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:-.}/tests/lib/tap.sh"
# shellcheck source=tests/lib/shard.sh
. "${top_srcdir:-.}/tests/lib/shard.sh"

# npy FILE TYPE SHAPE [ORDER]: the head of a version 1.0 file, 80 bytes.
npy()
{
    printf '\223NUMPY\001\000\106\000' >"$1"
    printf '%-69s\n' "{'descr': '$2', 'fortran_order': ${4:-False}, 'shape': ($3), }" \
        >>"$1"
}

npy x.npy '<f4' '3, 2'
printf '\0\0\200\077\0\0\0\300\0\0\200\076' >>x.npy # 1 -2 0.25
printf '\0\0\300\177\0\0\0\101\0\0\100\100' >>x.npy # nan 8 3
npy y.npy '|u1' '3,'
printf '\002\000\001' >>y.npy
pack --npy=x.npy --labels=y.npy --out=n
is "npy: status" $? 0
is "npy: labels" "$(raw n y d4 3)" "2 0 1"
# the mean of -2 and 3 stands for the missing number
is "npy: numbers, the missing one the mean" "$(raw n x f4 6)" "1 -2 0.25 0.5 8 3"
fails "npy: missing refused" 1 "place 1 misses 1 numbers" \
    --npy=x.npy --missing=refuse --out=b

npy be.npy '>i2' '2, 1, 2, 1'
printf '\001\002\377\377\0\001\0\002' >>be.npy
npy wide.npy '<f8' '2, 2'
printf '\0\0\0\0\0\0\370\077\0\0\0\0\0\0\0\300' >>wide.npy # 1.5 -2
printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\360\077' >>wide.npy   # 0 1
gzip wide.npy
pack --npy=be.npy --labels=wide.npy.gz --out=w
is "big endian, packed as it is" "$(raw w x d2 4)" "258 -1 1 2"
is "type" "$(value w dtype)" i16
is "shape" "$(list w shape)" "1 2 1"
is "labels of two values" "$(raw w y f4 4)" "1.5 -2 0 1"
is "no classes" "$(value w classes)" ""

npy col.npy '<i8' '3, 1'
printf '\003\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\001\0\0\0\0\0\0\0' >>col.npy
pack --npy=x.npy --labels=col.npy --out=col
is "labels in a column" "$(raw col y d4 3)" "3 0 1"
is "classes" "$(value col classes)" 4

# one image of 3 channels, 2 x 3 pixels
npy chw.npy '|u1' '1, 3, 2, 3'
printf '\001\002\003\004\005\006\013\014\015\016\017\020' >>chw.npy
printf '\025\026\027\030\031\032' >>chw.npy
pack --npy=chw.npy --channels=first --out=hwc
is "channels first: shape" "$(list hwc shape)" "2 3 3"
is "channels first: pixels" "$(raw hwc x u1 18)" \
    "1 11 21 2 12 22 3 13 23 4 14 24 5 15 25 6 16 26"
is "channels first: a mean for each" "$(list hwc mean)" "3.5 13.5 23.5"
fails "channels first of rows" 1 "images of three axes" \
    --npy=x.npy --channels=first --out=b

npy f.npy '<f4' '3, 2' True
fails "column order" 1 "column by column" --npy=f.npy --out=b
npy o.npy '|O' '3,'
fails "objects" 1 "objects and texts" --npy=o.npy --out=b
npy rec.npy '<f4' '3, 2'
sed "s/'<f4'/[('a']/" rec.npy >rec2.npy
fails "records" 1 "are records" --npy=rec2.npy --out=b
fails "no NPY file" 1 "not an NPY file" --npy="$0" --out=b 2>/dev/null ||
    true
head -c 90 x.npy >cut.npy
fails "truncated" 1 "cut.npy: has 90 bytes, too few for the 3 samples" --npy=cut.npy --out=b
npy neg.npy '|i1' '3,'
printf '\001\377\001' >>neg.npy
fails "negative label" 1 "sample 1 has label -1" \
    --npy=x.npy --labels=neg.npy --out=b
printf 'PK\003\004zip' >x.npz
fails "npz" 1 "packed with zip" --npy=x.npz --out=b

# HDF5 files of several shards, as if by others: chunked across the batches,
# a second file, labels.
"${AWK:-awk}" 'BEGIN { for (i = 0; i < 500; i++) print i "," i % 7 "," i % 3 }' \
    >t.csv
pack --csv=t.csv --header=no --label=3 --shard-bytes=4000 --out=t
is "a set of shards" "$(echo t/shard-*.h5 | wc -w | xargs)" 2
pack --hdf5='t/shard-*.h5' --x=/x --y=/y --out=h5
is "HDF5: samples of two files" "$(raw h5 x f4 1000)" \
    "$("${AWK:-awk}" 'BEGIN { for (i = 0; i < 500; i++) print i, i % 7 }' |
        xargs)"
is "HDF5: labels" "$(raw h5 y d4 500)" \
    "$("${AWK:-awk}" 'BEGIN { for (i = 0; i < 500; i++) print i % 3 }' | xargs)"
is "HDF5: classes" "$(value h5 classes)" 3
if command -v h5repack >/dev/null; then
    mkdir c
    h5repack -l /x:CHUNK=37x1 -f /x:GZIP=1 t/shard-00000.h5 c/a.h5
    h5repack -l /x:CHUNK=11x2 -f /x:SHUF t/shard-00001.h5 c/b.h5
    pack --hdf5=c --x=/x --y=/y --out=hc --shard-bytes=700
    cat_x()
    {
        for n in $(seq "$(echo "$1"/shard-*.h5 | wc -w)"); do
            raw "$1" x f4 $((2 * $(value "$1" samples $((n + 1))))) "$n"
        done | xargs
    }
    is "HDF5: chunked and packed" "$(cat_x hc)" "$(raw h5 x f4 1000)"
fi
fails "HDF5: shapes differ" 1 "differs from that in h5/shard-00000.h5" \
    --hdf5='[hn]*/shard-00000.h5' --x=/x --out=b
exec 8<h5/shard-00000.h5
if flock -n -x 8; then
    fails "HDF5: being written" 1 "is open for writing" \
        --hdf5=h5/shard-00000.h5 --out=b
fi
exec 8<&-

# same FILE DATASET TYPE: packed and read by od as h5dump prints it, to 6
# digits (TYPE is od's).
same()
{
    rm -rf h
    "$shard" --hdf5="$data/$1" --x="$2" --out=h >out 2>err || sed 's/^/# /' err
    h5dump -y -w 0 -d "$2" "$data/$1" | sed -n '/DATA {/,/}/p' |
        grep -v '[{}]' | tr -d ',' | tr ' ' '\n' | grep . >wanted
    raw h x "$3" "$(wc -l <wanted)" | tr ' ' '\n' >got
    ok "$1 $2" "${AWK:-awk}" -v got=got '{
        if ((getline v <got) <= 0) { bad++; exit }
        d = v - $1; if (d < 0) d = -d
        m = v < 0 ? -v : v
        if (d > 1e-5 * m + 1e-6) bad++ }
        END { exit !(NR > 0 && bad + 0 == 0) }' wanted
}

data=$TUTTI_TEST_DATA/hdf5
if test -r "$data/h5wasm_compressed.h5" && command -v h5dump >/dev/null; then
    fails "no such dataset" 1 "no dataset /nothere (/ holds: " \
        --hdf5="$data/h5wasm_compressed.h5" --x=/nothere --out=b
    for file in "$data"_broken/*; do
        fails "broken: $(basename "$file")" 1 "$(basename "$file"): " \
            --hdf5="$file" --x=/x --out=b
    done
    fails "compound" 1 "is a compound" \
        --hdf5="$data/h5py_compound-dtype-complex.h5" --x=/c16 --out=b
    fails "ragged" 1 "is ragged" \
        --hdf5="$data/jhdf_test_vlen_datasets_latest.hdf5" \
        --x=/vlen_int32_data --out=b
    same h5wasm_compressed.h5 /gzip_shuffle f8
    same h5wasm_compressed.h5 /scaleoffset f8
    same h5src_le_data.h5 /Fletcher_float_data_be f4
    same h5src_le_data.h5 /Nbit_float_data_be f4
    same h5src_le_data.h5 /Scale_offset_short_data_be d2
    same h5src_le_data.h5 /Scale_offset_long_long_data_le d8
    same pyfive_dataset_datatypes.hdf5 /int32_big d4
    same pyfive_dataset_datatypes.hdf5 /uint08_little u1
    same pyfive_dataset_datatypes.hdf5 /float64_big f8
    same pyfive_resizable.hdf5 /dataset1 f8
    same pyfive_resizable.hdf5 /dataset3 d2
    same jhdf_fixed_array_paged_datasets.hdf5 /fixed_array/int16_five_page d2
    same jhdf_fixed_array_paged_datasets.hdf5 \
        /filtered_fixed_array/int16_two_page d2
    same phono3py_kappa_si.hdf5 /group_velocity f8
    fails "too many axes or none" 1 "axes" \
        --hdf5="$data/phono3py_kappa_si.hdf5" --x=/boundary_mfp --out=b
    pack --hdf5="$data/phono3py_kappa_si.hdf5" --x=/frequency \
        --y=/grid_point --task=regress --out=kappa
    is "x and y of one file" "$(raw kappa y f4 56)" \
        "$(h5dump -y -w 0 -d /grid_point "$data/phono3py_kappa_si.hdf5" |
            sed -n '/DATA {/,/}/p' | grep -v '[{}]' | tr -d ',' | xargs)"
    fails "rows differ" 1 "/kappa has 5 rows, but /frequency has 56" \
        --hdf5="$data/phono3py_kappa_si.hdf5" --x=/frequency --y=/kappa --out=b
else
    ok "HDF5 by others # SKIP no TUTTI_TEST_DATA or no h5dump" true
fi
tap_done
