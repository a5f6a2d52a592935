/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels.h - one table of kernels per backend.  ref/ is plain C, f32 arrays
 * with f64 sums, always built, the oracle of the others; cpu/ is tuned. */
#ifndef TT_DEVICE_KERNELS_H
#define TT_DEVICE_KERNELS_H

#include <stddef.h>

#include "device/op.h"

/* Carry out 'op' on ptr[i] = the memory of ref i (NULL where absent), with
 * 'work' of at least work_bytes(op, samples) for the micro-batch's capacity.
 * Never fails and, but for what a library keeps of a shape that it sees for the
 * first time, never allocates.  By one thread at a time. */
typedef void (*tt_kernel_fn)(const struct tt_op *op, void *const *ptr,
                             const struct tt_now *now, void *work);

struct tt_kernel {
    tt_kernel_fn run;
    size_t (*work_bytes)(const struct tt_op *op, int64_t samples); /* or NULL */
};

struct tt_backend {
    const char *name; /* "ref", "cpu" */
    struct tt_kernel kernel[TT_OP_KIND_COUNT];
    /* Set-up of libraries and threads, by the compute thread; work_bytes() of
     * tuned kernels grows with 'threads', so start first. */
    void (*start)(int threads);
    /* "avx512, oneDNN 2.6.3": what decides the bits, see below */
    void (*describe)(char *text, size_t text_bytes);
};

extern const struct tt_backend tt_backend_ref;
extern const struct tt_backend tt_backend_cpu;

/* The backend called 'name' or NULL. */
const struct tt_backend *tt_backend_find(const char *name);

/* What decides the bits of this backend's results on this machine, e.g.
 * "cpu: avx512, OpenBLAS 0.3.21 SkylakeX"; for the numerics fingerprint. */
void tt_backend_fingerprint(const struct tt_backend *backend, char *text,
                            size_t text_bytes);

#endif
