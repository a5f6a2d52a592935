# shellcheck shell=sh
# shard.sh - what tests of tutti-shard share; source it after tap.sh.
here=$(pwd)
shard=$here/tutti-shard
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d "${TMPDIR:-/tmp}/tt-shard-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# value DIR KEY [N]: the N-th (first) number or word of KEY in the index.
value()
{
    tr -d ' \n' <"$1/index.json" |
        grep -o "\"$2\":\[*[^],}]*" | sed -n "${3:-1}p" |
        sed 's/^[^:]*:\[*//; s/"//g'
}

# list DIR KEY [N]: the N-th (first) array called KEY, blanks between.
list()
{
    tr -d ' \n' <"$1/index.json" | grep -o "\"$2\":\[[^]]*\]" |
        sed -n "${3:-1}p" |
        sed 's/^[^[]*\[//; s/\]$//; s/[",]/ /g; s/  */ /g; s/^ //; s/ $//'
}

# raw DIR x|y TYPE COUNT [SHARD]: numbers from a shard, read by od; TYPE is
# od's: u1, d4, f4.
raw()
{
    file=$(value "$1" file "${5:-1}")
    offset=$(value "$1" "$2_offset" "${5:-1}")
    bytes=$(($4 * ${3#?}))
    od -A n -v -t "$3" -j "$offset" -N "$bytes" "$1/$file" | xargs
}

# pack FLAGS...: run it, what it says goes to out and err; a failure is told.
pack()
{
    "$shard" "$@" >out 2>err || {
        set -- $?
        sed "s/^/# status $1: /" err
        return "$1"
    }
}

# fails NAME STATUS TEXT FLAGS...: exit status, and TEXT in the one message.
fails()
{
    case=$1
    want=$2
    text=$3
    shift 3
    "$shard" "$@" >out 2>err
    is "$case: status" $? "$want"
    ok "$case: says why" grep -q -- "$text" err
    grep -q -- "$text" err || sed 's/^/# /' err
    is "$case: one line on stderr" "$(grep -c '^tutti-shard: ' err)" 1
}

# near NAME GOT WANTED: equal to 6 digits.
near()
{
    ok "$1 ($2)" "${AWK:-awk}" -v a="$2" -v b="$3" 'BEGIN {
        d = a - b; if (d < 0) d = -d
        m = b < 0 ? -b : b
        exit !(a != "" && d <= 1e-6 * (m + 1e-3)) }'
}
