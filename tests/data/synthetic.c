/* SPDX-License-Identifier: BSD-3-Clause */
/* synthetic.c - made-up samples have the statistics they promise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "data/synthetic.h"
#include "make.h"

enum { N = 4000 };

static struct tt_synthetic parsed(const char *text)
{
    struct tt_error err = {0};
    struct tt_synthetic synth = {0};

    tap_ok(tt_synthetic_parse(make_node(text), &synth, &err) == 0, "%s: %s",
           text, err.text);
    return synth;
}

static void refused(const char *text, const char *why)
{
    struct tt_error err = {0};
    struct tt_synthetic synth;

    tap_ok(tt_synthetic_parse(make_node(text), &synth, &err) < 0 &&
               strstr(err.text, why) && strstr(err.text, "test:1"),
           "refused: %s: %s", text, err.text);
}

static void test_random(void)
{
    struct tt_synthetic s = parsed("{samples: 4000, features: 10, classes: 4}");
    static float x[N * 10];
    static int32_t label[N];
    double sum = 0, square = 0, with = 0;
    int count[4] = {0}, even = 1;

    tt_synthetic_x(&s, 0, N, x);
    tt_synthetic_labels(&s, 0, N, label);
    for (int i = 0; i < N * 10; i++) {
        sum += (double)x[i];
        square += (double)x[i] * (double)x[i];
        with += (double)x[i] * (label[i / 10] - 1.5);
    }
    for (int i = 0; i < N; i++)
        count[label[i]]++;
    for (int c = 0; c < 4; c++)
        even = even && fabs(count[c] - N / 4.0) < 5 * sqrt(N * 3.0 / 16);
    tap_ok(fabs(sum / (N * 10)) < 5 / sqrt(N * 10), "features have mean 0");
    tap_ok(fabs(square / (N * 10) - 1) < 5 * sqrt(2.0 / (N * 10)),
           "features have variance 1");
    tap_ok(even, "classes are drawn evenly");
    tap_ok(fabs(with) < 5 * sqrt(N * 10 * 1.25), "nothing predicts the label");
}

/* The nearest of the true means classifies the blobs. */
static void test_blobs(void)
{
    struct tt_synthetic s =
        parsed("{samples: 4000, features: 7, classes: 5, task: blobs}");
    static float x[N * 7];
    static int32_t label[N];
    double mean[5][7] = {{0}};
    int count[5] = {0}, right = 0;

    tt_synthetic_x(&s, 0, N, x);
    tt_synthetic_labels(&s, 0, N, label);
    for (int i = 0; i < N; i++) {
        count[label[i]]++;
        for (int k = 0; k < 7; k++)
            mean[label[i]][k] += (double)x[i * 7 + k];
    }
    for (int i = 0; i < N; i++) {
        double best = INFINITY;
        int at = -1;

        for (int c = 0; c < 5; c++) {
            double d = 0;

            for (int k = 0; k < 7; k++)
                d += pow((double)x[i * 7 + k] - mean[c][k] / count[c], 2);
            if (d < best) {
                best = d;
                at = c;
            }
        }
        right += at == label[i];
    }
    tap_ok(right > N * 99 / 100, "blobs lie apart: %d of %d", right, N);
}

/* Least squares on two features leaves the noise. */
static void test_regress(void)
{
    struct tt_synthetic s = parsed(
        "{samples: 4000, features: 2, task: regress, targets: 3, seed: 5}");
    static float x[N * 2], y[N * 3];
    double a = 0, b = 0, c = 0, p = 0, q = 0, left = 0;
    double w0, w1;

    tt_synthetic_x(&s, 0, N, x);
    tt_synthetic_targets(&s, 0, N, y);
    for (int i = 0; i < N; i++) {
        double x0 = (double)x[i * 2], x1 = (double)x[i * 2 + 1];

        a += x0 * x0;
        b += x0 * x1;
        c += x1 * x1;
        p += x0 * (double)y[i * 3 + 2];
        q += x1 * (double)y[i * 3 + 2];
    }
    w0 = (p * c - q * b) / (a * c - b * b);
    w1 = (q * a - p * b) / (a * c - b * b);
    for (int i = 0; i < N; i++)
        left += pow((double)y[i * 3 + 2] - w0 * (double)x[i * 2] -
                        w1 * (double)x[i * 2 + 1],
                    2);
    tap_ok(fabs(sqrt(left / N) - 0.1) < 0.01, "targets are linear plus 0.1");
    tap_ok(fabs(w0 * w0 + w1 * w1 - 1) < 0.02, "with weights of length 1");
}

/* Rows do not hang on how they are asked for. */
static void test_cuts(void)
{
    struct tt_synthetic s =
        parsed("{samples: 50, images: [3, 5, 1], classes: 3, task: blobs}");
    struct tt_synthetic t = parsed("{tokens: 1000, vocab: 17}");
    float all[50 * 15], one[15];
    int32_t ids[1000], id;
    int same = 1, inside = 1;

    tap_ok(s.x_dims == 3 && s.x_dim[1] == 5 && s.x_values == 15, "images");
    tt_synthetic_x(&s, 0, 50, all);
    for (int i = 49; i >= 0; i--) {
        tt_synthetic_x(&s, i, 1, one);
        same = same && memcmp(one, all + i * 15, sizeof(one)) == 0;
    }
    tap_ok(same, "one row at a time gives the same rows");
    tt_synthetic_tokens(&t, 0, 1000, ids);
    for (int i = 0; i < 1000; i++) {
        tt_synthetic_tokens(&t, i, 1, &id);
        inside = inside && id == ids[i] && id >= 0 && id < 17;
    }
    tap_ok(inside, "tokens lie in the vocabulary, one by one the same");
}

int main(void)
{
    test_random();
    test_blobs();
    test_regress();
    test_cuts();
    refused("{samples: 10, featurs: 3}", "did you mean 'features'");
    refused("{samples: 0}", "samples");
    refused("{samples: ten}", "samples");
    refused("{samples: 5, classes: 1}", "classes");
    refused("{tokens: 100, features: 3}", "features");
    refused("{images: [3, 0], samples: 5}", "images");
    refused("{images: 3, samples: 5}", "images");
    refused("{images: [3], features: 5}", "keep one");
    refused("{task: spiral}", "task");
    return tap_done();
}
