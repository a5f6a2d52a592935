/* SPDX-License-Identifier: BSD-3-Clause */
/* backend.c - the backends of this build, by name. */
#include <stdio.h>
#include <string.h>

#include "device/kernels.h"

static const struct tt_backend *const backends[] = {
    &tt_backend_ref,
    &tt_backend_cpu,
};

const struct tt_backend *tt_backend_find(const char *name)
{
    for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++)
        if (strcmp(backends[i]->name, name) == 0)
            return backends[i];
    return NULL;
}

void tt_backend_fingerprint(const struct tt_backend *backend, char *text,
                            size_t text_bytes)
{
    char details[256];

    backend->describe(details, sizeof(details));
    snprintf(text, text_bytes, "%s: %s", backend->name, details);
}
