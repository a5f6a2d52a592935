/* SPDX-License-Identifier: BSD-3-Clause */
/* lanes.c - who plays which lanes, and the tree that adds them up. */
#include <stdbool.h>
#include <stddef.h>

#include "layout/lanes.h"

int tt_lanes_default(int64_t micro_per_step)
{
    int lanes = 8;

    while (lanes > 1 && micro_per_step % lanes != 0)
        lanes /= 2;
    return lanes;
}

struct tt_block tt_lanes_of(int lanes, int dp, int rank)
{
    return tt_block_of(lanes, dp, rank);
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

int tt_lane_nodes(int lanes, int first, int count, struct tt_lane_node *out)
{
    int end = first + count, nodes = 0;

    while (first < end) {
        int width = 1; /* grows while it stays aligned and inside */

        while (width < lanes && first % (2 * width) == 0 &&
               min_int(first + 2 * width, lanes) <= end)
            width *= 2;
        width = min_int(width, lanes - first);
        if (out)
            out[nodes] = (struct tt_lane_node){first, width};
        nodes++;
        first += width;
    }
    return nodes;
}

/* The accumulators are a stack that always holds the nodes of the lanes done:
 * a new lane goes on top, and equals are added from the top down. */
int tt_lane_adds(int lanes, int first, int done, int *depth,
                 struct tt_lane_add *out)
{
    int top = tt_lane_nodes(lanes, first, done, NULL);
    int left = tt_lane_nodes(lanes, first, done + 1, NULL), adds = 0;

    *depth = top;
    for (; top >= left; top--)
        out[adds++] = (struct tt_lane_add){top - 1, top};
    return adds;
}

int tt_lane_accumulators(int lanes, int first, int count)
{
    int most = 1;

    for (int done = 0; done < count; done++) {
        int need = tt_lane_nodes(lanes, first, done, NULL) + 1;

        most = need > most ? need : most;
    }
    return most;
}

/* A subtree on the stack, summed up in node number 'at'. */
struct partial {
    int first, count, at;
};

/* Whether b is the right-hand neighbour that completes a's parent. */
static bool is_sibling(int lanes, const struct partial *a,
                       const struct partial *b)
{
    return a->first % (2 * a->count) == 0 && b->first == a->first + a->count &&
           (a->count & (a->count - 1)) == 0 &&
           b->count == min_int(a->count, lanes - b->first);
}

int tt_lane_tree(int lanes, const struct tt_lane_node *node, int node_count,
                 struct tt_lane_add *out)
{
    struct partial stack[TT_LANE_LEVELS + 2];
    int top = -1, adds = 0;

    for (int i = 0; i < node_count; i++) {
        stack[++top] = (struct partial){node[i].first, node[i].count, i};
        while (top > 0 && is_sibling(lanes, &stack[top - 1], &stack[top])) {
            out[adds++] =
                (struct tt_lane_add){stack[top - 1].at, stack[top].at};
            stack[top - 1].count += stack[top].count;
            top--;
        }
    }
    return adds;
}

double tt_lanes_efficiency(int lanes, int dp)
{
    int most = (lanes + dp - 1) / dp;

    return (double)lanes / ((double)dp * most);
}
