/* SPDX-License-Identifier: BSD-3-Clause */
/* nearest.c - the known name that a misspelt one is nearest to. */
#include <ctype.h>
#include <string.h>

#include "base/doc.h"

enum { NAME_MAX_BYTES = 63 };

static int min3(int a, int b, int c)
{
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

/* Insertions, deletions, changes and swaps of neighbours that turn a into b
 * (Damerau's distance, each part edited once).  '_' is as good as '-'. */
static int distance(const char *a, const char *b)
{
    int rows[3][NAME_MAX_BYTES + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2], *spare;
    int width = (int)strlen(b);

    for (int j = 0; j <= width; j++)
        above[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        row[0] = i;
        for (int j = 1; j <= width; j++) {
            int x = a[i - 1] == '_' ? '-' : tolower((unsigned char)a[i - 1]);

            row[j] = min3(above[j] + 1, row[j - 1] + 1,
                          above[j - 1] + (x != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                a[i - 2] == b[j - 1] && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        spare = before;
        before = above;
        above = row;
        row = spare;
    }
    return above[width];
}

const char *tt_nearest(const char *text, const char *const *names)
{
    size_t bytes = strlen(text);
    const char *best = NULL;
    int least = 2 + (int)bytes / 4;

    if (bytes > NAME_MAX_BYTES || bytes < 2)
        return NULL;
    for (; *names; names++) {
        int d;

        if (strlen(*names) > NAME_MAX_BYTES)
            continue;
        d = distance(text, *names);
        if (d < least && d < (int)bytes) {
            least = d;
            best = *names;
        }
    }
    return best;
}
