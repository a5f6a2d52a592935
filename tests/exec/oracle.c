/* SPDX-License-Identifier: BSD-3-Clause */
/* oracle.c - our models against PyTorch's losses, gradients and curves. */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "exec/step.h"
#include "io/h5.h"
#include "plan/build.h"

enum { STEPS = 50, MAX_DIMS = 8 };

struct array {
    int dims;
    int64_t dim[MAX_DIMS], count;
    void *data;
};

struct oracle {
    const char *path;
    hid_t file;
    struct tt_job job;
    struct array x, y;
    int64_t batches, batch_samples, x_values, y_values;
    bool y_is_class;
    struct tt_plan plan;
    struct tt_exec exec;
};

static struct array read_array(hid_t file, const char *path, const char *name,
                               enum tt_dtype dtype)
{
    struct array a = {0};
    struct tt_h5_info info;
    struct tt_error err = {0};

    if (tt_h5_info(file, path, name, &info, &err) < 0) {
        tap_note("%s", err.text);
        return a;
    }
    a.dims = info.dims;
    a.count = 1;
    for (int i = 0; i < info.dims; i++)
        a.count *= a.dim[i] = info.dim[i];
    a.data = malloc((size_t)a.count * tt_dtype_bytes(dtype));
    if (tt_h5_read_rows(file, path, name, 0, info.dim[0], dtype, a.data, &err) <
        0) {
        tap_note("%s", err.text);
        free(a.data);
        a.data = NULL;
    }
    return a;
}

static int read_job(struct oracle *o, struct tt_error *err)
{
    hid_t attr = H5Aopen(o->file, "job", H5P_DEFAULT);
    hid_t type = H5Aget_type(attr);
    size_t bytes = H5Tget_size(type);
    char *text = calloc(bytes + 1, 1), path[] = "/tmp/tt-oracle-XXXXXX";
    char *flags[] = {"--run.dir=unused", "--data.train=unused",
                     "--train.lanes=1", "--train.threads=1"};
    int fd = mkstemp(path), rc;

    H5Aread(attr, type, text);
    H5Tclose(type);
    H5Aclose(attr);
    rc = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
    close(fd);
    free(text);
    if (rc == 0)
        rc = tt_job_read(&o->job, path, 4, flags, err);
    unlink(path);
    return rc;
}

static bool is_tokens(const struct oracle *o)
{
    return strcmp(o->job.model.family, "gpt2") == 0;
}

static void read_data(struct oracle *o)
{
    struct tt_h5_info info;
    struct tt_error err = {0};

    tt_h5_info(o->file, o->path, "/y", &info, &err);
    o->y_is_class = info.dtype == TT_I32;
    o->x = read_array(o->file, o->path, "/x", is_tokens(o) ? TT_I32 : TT_F32);
    o->y = read_array(o->file, o->path, "/y", o->y_is_class ? TT_I32 : TT_F32);
    o->batches = o->x.dim[0];
    o->batch_samples = o->x.dim[1];
    o->x_values = o->x.count / o->batches / o->batch_samples;
    o->y_values = o->y.count / o->batches / o->batch_samples;
}

/* As many as the last layer has outputs. */
static int64_t find_classes(const struct oracle *o)
{
    const struct tt_job_model *m = &o->job.model;
    const struct tt_node *net = m->net;

    if (is_tokens(o))
        return m->vocab;
    if (!net)
        return m->outputs;
    return atoll(
        tt_node_find(tt_node_at(net, tt_node_count(net) - 1), "dense")->text);
}

static int build(struct oracle *o, const char *backend, struct tt_error *err)
{
    struct tt_plan_data data = {
        .tokens = is_tokens(o),
        .x_dims = o->x.dims - 2,
        .y_is_class = o->y_is_class && !is_tokens(o),
        .y_values = o->y_values,
        .classes = o->y_is_class ? find_classes(o) : 0,
        .sample_count = o->batches * o->batch_samples,
        .sample_bytes = 4,
    };
    struct tt_plan *p = &o->plan;
    const struct tt_prog *const prog[] = {&p->train, &p->eval, &p->update,
                                          &p->lane_end};
    struct tt_exec_conf conf = {.threads = 1};

    for (int i = 0; i < data.x_dims; i++)
        data.x_dim[i] = o->x.dim[i + 2];
    o->job.train.backend = backend;
    if (tt_plan_build(&o->job, &data, 0, 1, p, err) < 0)
        return -1;
    conf.memory = p->memory_conf;
    return tt_exec_init(&o->exec, &conf, &p->params, prog, 4, err);
}

static int load_weights(struct oracle *o)
{
    const struct tt_params *params = &o->plan.params;

    tt_params_init(params, 1, 0, 1, o->exec.weights);
    for (int i = 0; i < params->count; i++) {
        const struct tt_param *p = &params->at[i];
        char name[128];
        struct array a;

        if (p->kind != TT_PARAM_WEIGHT)
            continue;
        snprintf(name, sizeof(name), "/param/%s", p->name);
        a = read_array(o->file, o->path, name, TT_F32);
        if (!a.data || a.count != p->count) {
            tap_note("%s: %lld elements, want %lld", name, (long long)a.count,
                     (long long)p->count);
            return -1;
        }
        memcpy(o->exec.weights + p->offset, a.data,
               (size_t)p->count * sizeof(float));
        free(a.data);
    }
    for (int i = 0; i < o->job.train.class_weights.count; i++)
        o->exec.class_weights[i] = (float)o->job.train.class_weights.at[i];
    return 0;
}

static int64_t copy(struct oracle *o, int64_t batch, int64_t first, void *x,
                    void *y, int64_t most)
{
    int64_t left = o->batch_samples - first;
    int64_t count = left < most ? left : most;
    int64_t row = batch * o->batch_samples + first;

    memcpy(x, (char *)o->x.data + row * o->x_values * 4,
           (size_t)(count * o->x_values * 4));
    memcpy(y, (char *)o->y.data + row * o->y_values * 4,
           (size_t)(count * o->y_values * 4));
    return count;
}

static int64_t feed_train(void *source, int64_t step, int32_t lane,
                          int64_t micro, void *x, void *y, struct tt_error *err)
{
    struct oracle *o = source;

    (void)lane;
    (void)err;
    return copy(o, step % o->batches, micro * o->plan.micro_samples, x, y,
                o->plan.micro_samples);
}

static int64_t feed_eval(void *source, int64_t step, int32_t lane,
                         int64_t micro, void *x, void *y, struct tt_error *err)
{
    struct oracle *o = source;

    (void)step;
    (void)lane;
    (void)err;
    return copy(o, 0, micro * o->plan.eval_samples, x, y, o->plan.eval_samples);
}

static double norm2(const double *a, const float *b, double scale,
                    int64_t count)
{
    double sum = 0;

    for (int64_t i = 0; i < count; i++) {
        double d = a[i] - (b ? b[i] * scale : 0.0);

        sum += d * d;
    }
    return sqrt(sum);
}

/* ||diff|| <= 1e-5 (||ref|| + 1e-3 x the largest of its block). */
static int check_grads(struct oracle *o, double weight)
{
    const struct tt_params *params = &o->plan.params;
    double largest[256] = {0};
    double *ref_norm = calloc((size_t)params->count, sizeof(*ref_norm));
    double *diff = calloc((size_t)params->count, sizeof(*diff));
    int bad = 0;

    for (int i = 0; i < params->count; i++) {
        const struct tt_param *p = &params->at[i];
        char name[128];
        struct array a;

        if (p->kind != TT_PARAM_WEIGHT)
            continue;
        snprintf(name, sizeof(name), "/grad/%s", p->name);
        a = read_array(o->file, o->path, name, TT_F64);
        ref_norm[i] = norm2(a.data, NULL, 0, p->count);
        diff[i] = norm2(a.data, o->exec.accumulator[0] + p->offset,
                        1.0 / weight, p->count);
        if (ref_norm[i] > largest[p->block])
            largest[p->block] = ref_norm[i];
        free(a.data);
    }
    for (int i = 0; i < params->count; i++)
        if (!(diff[i] <=
              1e-5 * (ref_norm[i] + 1e-3 * largest[params->at[i].block]))) {
            tap_note("%s: off by %g of %g", params->at[i].name, diff[i],
                     ref_norm[i]);
            bad++;
        }
    free(ref_norm);
    free(diff);
    return bad == 0;
}

static int near_rel(double got, double want, double limit)
{
    return fabs(got - want) <= limit * fabs(want);
}

static int check_running(struct oracle *o, const char *when, double limit)
{
    const struct tt_params *params = &o->plan.params;
    int bad = 0;

    for (int i = 0; i < params->count; i++) {
        const struct tt_param *p = &params->at[i];
        char name[128];
        struct array a;

        if (p->kind != TT_PARAM_STAT)
            continue;
        snprintf(name, sizeof(name), "/running/%s/%s", when, p->name);
        a = read_array(o->file, o->path, name, TT_F64);
        if (!a.data ||
            !(norm2(a.data, o->exec.weights + p->offset, 1.0, p->count) <=
              limit * (norm2(a.data, NULL, 0, p->count) + 1e-3))) {
            tap_note("%s differs", name);
            bad++;
        }
        free(a.data);
    }
    return bad == 0;
}

/* One step: its loss, and after the first one gradients and statistics. */
static int train(struct oracle *o, struct tt_step *step, const char *name)
{
    struct array losses = read_array(o->file, o->path, "/losses", TT_F64);
    struct array tally = read_array(o->file, o->path, "/tally", TT_F64);
    double *want = losses.data, worst = 0;
    struct tt_feed feed = {.feed = feed_train, .source = o};
    int ok = 1;

    for (int64_t s = 0; s < STEPS; s++) {
        struct tt_step_in in = {
            .step = s,
            .update = s + 1,
            .micro_count = o->plan.deal.micro_per_lane,
            .lr = tt_schedule_lr(&o->plan.schedule, s),
        };
        struct tt_step_out out;
        struct tt_error err = {0};

        if (tt_step_run(step, &in, &feed, &out, &err) < 0)
            return 0;
        if (fabs(out.loss / want[s] - 1) > worst)
            worst = fabs(out.loss / want[s] - 1);
        if (s > 0)
            continue;
        tap_ok(near_rel(out.loss, want[0], 1e-5), "%s: loss", name);
        tap_ok(check_grads(o, ((double *)tally.data)[1]), "%s: gradients",
               name);
        tap_ok(check_running(o, "first", 1e-5), "%s: running statistics", name);
        tap_ok(out.targets == (int64_t)((double *)tally.data)[3],
               "%s: valid targets", name);
    }
    ok = tap_ok(worst <= 1e-4, "%s: losses of 50 updates within %.1e", name,
                worst);
    tap_ok(check_running(o, "last", 1e-3), "%s: statistics at the end", name);
    free(losses.data);
    free(tally.data);
    return ok;
}

static void evaluate(struct oracle *o, const char *name)
{
    struct tt_error err = {0};
    struct tt_list *list = tt_list_create(&o->exec, &o->plan.eval, 0, &err);
    struct tt_eval_conf conf = {
        .exec = &o->exec,
        .list = list,
        .sample_count = o->batch_samples,
        .micro_samples = o->plan.eval_samples,
        .comm = MPI_COMM_SELF,
        .size = 1,
    };
    struct tt_feed feed = {.feed = feed_eval, .source = o};
    struct tt_eval_out out = {0};
    struct array want = read_array(o->file, o->path, "/eval", TT_F64);

    tt_eval_run(&conf, &feed, &out, &err);
    tap_ok(near_rel(out.loss, *(double *)want.data, 1e-4), "%s: evaluation",
           name);
    tt_list_destroy(list);
    free(want.data);
}

static void run_case(struct oracle *o, const char *backend)
{
    struct tt_error err = {0};
    char name[256];
    struct tt_step_conf conf = {
        .exec = &o->exec,
        .params = &o->plan.params,
        .train = &o->plan.train,
        .lane_end = &o->plan.lane_end,
        .update = &o->plan.update,
        .score = &o->plan.score,
        .deal = &o->plan.deal,
        .comm = MPI_COMM_SELF,
        .size = 1,
        .clip_norm = o->job.optimizer.clip_norm,
        .seed = 1,
    };
    struct tt_step *step = NULL;

    snprintf(name, sizeof(name), "%s %s", strrchr(o->path, '/') + 1, backend);
    if (build(o, backend, &err) < 0 || load_weights(o) < 0 ||
        !(step = tt_step_create(&conf, &err))) {
        tap_ok(0, "%s: %s", name, err.text);
        goto out;
    }
    train(o, step, name);
    evaluate(o, name);
out:
    tt_step_destroy(step);
    tt_exec_clear(&o->exec);
    tt_plan_clear(&o->plan);
}

static void run_file(const char *path)
{
    struct oracle o = {.path = path};
    struct tt_error err = {0};

    o.file = tt_h5_open(path, &err);
    if (o.file < 0 || read_job(&o, &err) < 0) {
        tap_ok(0, "%s: %s", path, err.text);
        return;
    }
    read_data(&o);
    run_case(&o, "ref");
    run_case(&o, "cpu");
    free(o.x.data);
    free(o.y.data);
    tt_job_clear(&o.job);
    tt_h5_close(o.file, path, &err);
}

int main(void)
{
    const char *top = getenv("top_srcdir");
    char pattern[4096];
    glob_t files;

    snprintf(pattern, sizeof(pattern), "%s/tests/oracle/*.h5", top ? top : ".");
    if (glob(pattern, 0, NULL, &files) != 0) {
        printf("1..0 # SKIP no reference values at %s\n", pattern);
        return 0;
    }
    for (size_t i = 0; i < files.gl_pathc; i++)
        run_file(files.gl_pathv[i]);
    globfree(&files);
    return tap_done();
}
