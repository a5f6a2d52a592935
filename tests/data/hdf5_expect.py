#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# hdf5_expect.py DIR > hdf5.tsv - what h5py reads from files by others.
#
# One line a dataset: file, dataset, rows, values of a row, FNV-1a hash of the
# values as f32 words (scale_factor, add_offset and the 1/255 of pixels
# applied in f64), or "refused" where it holds no numbers or h5py lacks the
# filter.  At most 12 datasets a file; huge
# ones and types that numpy lacks are left out.
import os
import sys

import h5py
import numpy as np

LIMIT = 12


def fnv(words):
    h = 0xCBF29CE484222325
    for w in words.tolist():
        h = ((h ^ w) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


def scalar(attrs, name, other):
    value = attrs.get(name)
    return other if value is None or np.size(value) != 1 else float(np.ravel(value)[0])


def expect(ds):
    if ds.dtype.kind not in "iufb" or ds.shape is None:
        return "refused"
    if len(ds.shape) < 1 or len(ds.shape) > 8 or 0 in ds.shape:
        return "refused"
    if ds.is_virtual:
        for source in ds.virtual_sources():
            if "%b" not in source.file_name and not os.path.exists(os.path.join(os.path.dirname(ds.file.filename), source.file_name)):
                return "refused"
    try:
        raw = ds[...]
    except OSError:
        return "refused"
    scale, shift = scalar(ds.attrs, "scale_factor", 1.0), scalar(ds.attrs, "add_offset", 0.0)
    if raw.dtype == np.uint8 and scale == 1 and shift == 0:
        scale = 1.0 / 255
    value = raw.astype(np.float64)
    if scale != 1 or shift != 0:
        value = value * scale + shift
    value = value.astype(np.float32)
    value[np.isnan(value)] = 0
    return "%016x" % fnv(value.reshape(-1).view(np.uint32))


def datasets(path):
    found = []
    with h5py.File(path, "r", locking=False) as f:
        f.visititems(lambda name, o: found.append("/" + name) if isinstance(o, h5py.Dataset) else None)
        step = max(1, -(-len(found) // LIMIT))
        for name in found[::step]:
            ds = f[name]
            try:
                ds.dtype
            except (ValueError, TypeError):
                continue
            shape = ds.shape or ()
            if np.prod(shape) > 1e7:
                continue
            rows = shape[0] if shape else 0
            values = int(np.prod(shape[1:])) if shape else 0
            yield name, rows, values, expect(ds)


def main(top):
    for base in ("hdf5", "hdf5/vds"):
        for name in sorted(os.listdir(os.path.join(top, base))):
            path = os.path.join(top, base, name)
            if os.path.isdir(path):
                continue
            for dataset, rows, values, want in datasets(path):
                if "\t" not in dataset:
                    print(base + "/" + name, dataset, rows, values, want, sep="\t")


main(sys.argv[1])
