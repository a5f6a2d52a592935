/* SPDX-License-Identifier: BSD-3-Clause */
/* nranks: 1 2 3 */
/* collective_romio.c - the same through ROMIO. */
#define IO_COMPONENT "romio321"
#include "collective.c"
