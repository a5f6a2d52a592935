#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# peer.sh - measure PyTorch on what we measure ourselves.
#
#     bench/peer.sh                       mlp, and gpt2 with 1 and 2 threads
#     bench/peer.sh NAME [ARGUMENT ...]   one of mlp, gpt2, shakespeare
#
# Prints "what<TAB>value<TAB>unit" lines.  Without a python3 that has PyTorch
# ($PYTHON, else python3, else /usr/bin/python3) it says so and succeeds: a
# bench goes on without its peer.
here=${0%/*}

find_python()
{
    for python in "${PYTHON:-python3}" /usr/bin/python3; do
        "$python" -c 'import torch' >/dev/null 2>&1 && return 0
    done
    echo "peer: skipped, no python3 with PyTorch (Debian: python3-torch)"
    return 1
}

# peer NAME [ARGUMENT ...]
peer()
{
    script=$here/peer-$1.py
    if test ! -f "$script"; then
        echo "peer.sh: no peer called $1: mlp, gpt2, shakespeare" >&2
        exit 2
    fi
    shift
    "$python" -B "$script" "$@"
}

find_python || exit 0
if test $# -gt 0; then
    peer "$@"
else
    peer mlp && peer gpt2 1 && peer gpt2 2
fi
