/* SPDX-License-Identifier: BSD-3-Clause */
/* describe_sample.c - print one sample of a packed set. */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "data/describe.h"
#include "data/shard.h"
#include "data/values.h"
#include "io/path.h"

enum { TOKENS_SHOWN = 512, VALUES_SHOWN = 64, PLACE_NONE = -1 };

/* x and y of samples first ... of one shard, as doubles. */
struct sample {
    int64_t first, count; /* in the shard; tokens: several */
    double *x, *y;
};

static int read_field(int fd, const char *path, int64_t offset,
                      const struct tt_shard_field *f,
                      const struct sample *sample, double **out,
                      struct tt_error *err)
{
    int64_t bytes = tt_shard_field_bytes(f), values;
    char *raw;
    int rc = -1;

    values = sample->count * f->values;
    raw = malloc((size_t)(sample->count * bytes) + 1);
    *out = calloc((size_t)values + 1, sizeof(**out));
    if (!raw || !*out)
        tt_fail(err, TT_ENOMEM, "%s: out of memory", path);
    else
        rc = tt_path_pread(fd, raw, (size_t)(sample->count * bytes),
                           offset + sample->first * bytes, path, err);
    if (rc == 0)
        tt_values_to_f64(f->dtype, raw, values, *out);
    free(raw);
    return rc;
}

static int read_sample(const char *dir, const struct tt_shard_index *index,
                       const struct tt_shard *shard, struct sample *sample,
                       struct tt_error *err)
{
    char path[PATH_MAX];
    int fd = tt_shard_open(dir, shard, path, err), rc;

    if (fd < 0)
        return -1;
    rc = read_field(fd, path, shard->x_offset, &index->x, sample, &sample->x,
                    err);
    if (rc == 0 && index->y.values > 0)
        rc = read_field(fd, path, shard->y_offset, &index->y, sample,
                        &sample->y, err);
    close(fd);
    return rc;
}

static void print_tokens(const struct sample *s, FILE *out)
{
    for (int64_t i = 0; i < s->count; i++) {
        int c = (int)s->x[i];

        if (c == '\n' || c == '\t' || c >= 128 || isprint(c))
            fputc(c, out);
        else
            fprintf(out, "\\x%02x", (unsigned)c);
    }
    fputc('\n', out);
}

/* Rows of characters from dark to light; the mean over the channels. */
static void print_image(const struct tt_shard_field *f, const double *x,
                        FILE *out)
{
    static const char shades[] = " .:-=+*#%@";
    double low = x[0], high = x[0];
    int64_t channels = f->dims == 3 ? f->dim[2] : 1;

    for (int64_t i = 0; i < f->values; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    for (int64_t row = 0; row < f->dim[0]; row++) {
        for (int64_t at = 0; at < f->dim[1]; at++) {
            double sum = 0;

            for (int64_t c = 0; c < channels; c++)
                sum += x[(row * f->dim[1] + at) * channels + c] - low;
            sum /= (double)channels * (high > low ? high - low : 1);
            fputc(shades[(int)(sum * 9.999)], out);
        }
        fputc('\n', out);
    }
}

static void print_columns(const struct tt_shard_index *index, const double *x,
                          FILE *out)
{
    for (int64_t i = 0; i < index->column_count; i++) {
        const struct tt_shard_column *c = &index->column[i];
        const char *category = "(none)";

        for (int64_t v = 0; v < c->category_count; v++)
            if (x[c->first_value + v] != 0)
                category = c->category[v];
        if (c->category_count > 0)
            fprintf(out, "%s=%s\n", c->name, category);
        else
            fprintf(out, "%s=%.7g\n", c->name, x[c->first_value]);
    }
}

static void print_values(const double *x, int64_t count, FILE *out)
{
    for (int64_t i = 0; i < count && i < VALUES_SHOWN; i++)
        fprintf(out, "%s%.7g", i ? " " : "", x[i]);
    fprintf(out, "%s\n", count > VALUES_SHOWN ? " ..." : "");
}

static void print_label(const struct tt_shard_index *index, const double *y,
                        FILE *out)
{
    const char *label = index->label ? index->label : "label";
    int64_t class = index->class_count > 0 ? (int64_t)y[0] : PLACE_NONE;

    fprintf(out, "%s=", label);
    if (class < 0)
        print_values(y, index->y.values, out);
    else if (index->class_name && class < index->class_count)
        fprintf(out, "%s (class %" PRId64 ")\n", index->class_name[class],
                class);
    else
        fprintf(out, "%" PRId64 "\n", class);
}

static void print_sample(const struct tt_shard_index *index,
                         const struct sample *s, FILE *out)
{
    const struct tt_shard_field *x = &index->x;

    if (index->kind == TT_SHARD_TOKENS)
        print_tokens(s, out);
    else if (index->column_count > 0)
        print_columns(index, s->x, out);
    else if ((x->dims == 3 && x->dim[2] <= 4) || x->dims == 2)
        print_image(x, s->x, out);
    else
        print_values(s->x, x->values, out);
    if (index->y.values > 0)
        print_label(index, s->y, out);
}

/* "DIR:17" -> DIR and 17. */
static int cut_place(const char *what, char *dir, int64_t *place,
                     struct tt_error *err)
{
    const char *colon = strrchr(what, ':');

    if (!colon || colon == what || colon - what >= PATH_MAX ||
        tt_i64_parse(colon + 1, place, err) < 0 || *place < 0)
        return tt_fail(err, TT_EINVAL,
                       "--show=%.200s: write DIR:N, N counted from 0", what);
    snprintf(dir, PATH_MAX, "%.*s", (int)(colon - what), what);
    return 0;
}

static int show(const char *dir, const struct tt_shard_index *index,
                int64_t place, FILE *out, struct tt_error *err)
{
    struct sample sample = {.first = place, .count = 1};
    int64_t shard = 0;
    int rc;

    if (place >= index->sample_count)
        return tt_fail(err, TT_EINVAL,
                       "%s: has samples 0 to %" PRId64 ", not %" PRId64, dir,
                       index->sample_count - 1, place);
    while (sample.first >= index->shard[shard].sample_count)
        sample.first -= index->shard[shard++].sample_count;
    if (index->kind == TT_SHARD_TOKENS) {
        sample.count = index->shard[shard].sample_count - sample.first;
        if (sample.count > TOKENS_SHOWN)
            sample.count = TOKENS_SHOWN;
    }
    rc = read_sample(dir, index, &index->shard[shard], &sample, err);
    if (rc == 0)
        print_sample(index, &sample, out);
    free(sample.x);
    free(sample.y);
    return rc;
}

int tt_describe_sample(const char *what, FILE *out, struct tt_error *err)
{
    struct tt_shard_index *index;
    char dir[PATH_MAX];
    int64_t place;
    int rc;

    if (cut_place(what, dir, &place, err) < 0 ||
        !(index = tt_shard_index_read(dir, err)))
        return -1;
    rc = show(dir, index, place, out, err);
    tt_shard_index_destroy(index);
    return rc;
}
