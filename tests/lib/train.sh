# shellcheck shell=sh
# train.sh - what the tests of tutti-train have in common; source it after
# tap.sh.  Everything happens in a folder of its own.
top=$(cd "${top_srcdir:-.}" && pwd)
export top
bin=$(cd "${top_builddir:-.}" && pwd)
test -n "$MPIEXEC" || skip_all "no MPI launcher"
work=$(mktemp -d "${TMPDIR:-/tmp}/tutti-train-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# train RANKS JOB FLAGS...: output in ./log, the exit status is train's.  One
# rank is started by hand, without a launcher.
train()
{
    ranks=$1
    shift
    if test "$ranks" -eq 1; then
        timeout 120 "$bin/tutti-train" "$@" >log 2>&1
        return
    fi
    # shellcheck disable=SC2086
    timeout 120 $MPIEXEC $MPIEXEC_FLAGS -n "$ranks" "$bin/tutti-train" "$@" \
        >log 2>&1
}

# root DIR STEP: the hash of a checkpoint's tensors.
root()
{
    sed -n 's/.*"root": *"\([0-9a-f]*\)".*/\1/p' \
        "$(printf '%s/checkpoints/step-%08d/manifest.json' "$1" "$2")"
}

# losses DIR: the loss of each step as metrics.jsonl has it, the last line of a
# step counts.
losses()
{
    sed -n 's/^{"step":\([0-9]*\),.*"loss":\([^,}]*\).*/\1 \2/p' \
        "$1/metrics.jsonl" | awk '{l[$1] = $2} END {for (s in l) print s, l[s]}' |
        sort
}

# says TEXT: the log has it.
says()
{
    grep -qF -e "$1" log || { sed 's/^/# /' log; return 1; }
}
