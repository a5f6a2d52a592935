/* SPDX-License-Identifier: BSD-3-Clause */
/* feed_window.c - a window of each lane in memory, and the next one on its way.
 * Where no row needs HDF5, a thread plans and reads it while the present one is
 * played; it makes no MPI and no HDF5 call and has all signals blocked.  Else
 * the compute thread reads a piece of it before each step, as much as the step
 * plays.  Where the memory holds one window a lane only, that is read when the
 * lane enters it. */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "data/feed.h"

/* A window that was asked for.  The thread owns it until 'done'. */
struct job {
    struct tt_window window;
    int64_t epoch, index; /* what was asked */
    int32_t lane;
    bool asked; /* and planned, where there is no thread */
    bool done;
    int rc;
    struct tt_error err;
    struct job *next; /* in the queue */
};

struct lane {
    struct job job[2];
    int now; /* the window that is played; the other is read ahead */
};

struct windows {
    struct lane *lane;
    bool ahead; /* by the thread */
    bool paced; /* by the compute thread, piece by piece */
    bool running, stop;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t asked, done;
    struct job *head, *tail;
    const struct tt_loader *loader;
    struct tt_source *source; /* of the thread */
};

static int fill(const struct tt_loader *loader, struct tt_source *source,
                struct job *job, struct tt_error *err)
{
    if (tt_window_plan(&job->window, loader->set, &loader->order, job->lane,
                       job->epoch, job->index, err) < 0)
        return -1;
    return tt_window_read(&job->window, source, loader->set->store, err);
}

/* Take the first job of the queue, or NULL when it is time to end. */
static struct job *take(struct windows *w)
{
    struct job *job;

    pthread_mutex_lock(&w->lock);
    while (!w->head && !w->stop)
        pthread_cond_wait(&w->asked, &w->lock);
    job = w->stop ? NULL : w->head;
    if (job)
        w->head = job->next;
    pthread_mutex_unlock(&w->lock);
    return job;
}

static void *read_ahead(void *data)
{
    struct windows *w = data;
    struct job *job;

    while ((job = take(w))) {
        job->rc = fill(w->loader, w->source, job, &job->err);
        pthread_mutex_lock(&w->lock);
        job->done = true;
        pthread_cond_signal(&w->done);
        pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

static void ask(struct windows *w, struct job *job)
{
    job->asked = true;
    job->done = false;
    job->next = NULL;
    pthread_mutex_lock(&w->lock);
    if (w->head)
        w->tail->next = job;
    else
        w->head = job;
    w->tail = job;
    pthread_cond_signal(&w->asked);
    pthread_mutex_unlock(&w->lock);
}

static int await(struct windows *w, struct job *job, struct tt_error *err)
{
    pthread_mutex_lock(&w->lock);
    while (!job->done)
        pthread_cond_wait(&w->done, &w->lock);
    pthread_mutex_unlock(&w->lock);
    job->asked = false;
    if (job->rc < 0 && err)
        *err = job->err;
    return job->rc;
}

/* Threads inherit the mask: signals stay with the compute thread. */
static int start_thread(struct windows *w, struct tt_error *err)
{
    sigset_t all, old;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    rc = pthread_create(&w->thread, NULL, read_ahead, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (rc != 0)
        return tt_fail(err, TT_ENOMEM, "cannot start the reading thread: %s",
                       strerror(rc));
    w->running = true;
    return 0;
}

/* Bytes of the largest window, with the place of each sample. */
static int64_t window_bytes(const struct tt_loader *loader)
{
    const struct tt_store *store = loader->set->store;
    const struct tt_order *order = &loader->order;
    int64_t samples = order->block_samples * order->window_blocks;
    int64_t most = order->sample_count / order->lanes + 1;
    int64_t row = 0;

    for (int c = 0; c < TT_COLS; c++)
        if (store->head.col[c].values > 0)
            row += tt_column_row_bytes(&store->head.col[c]);
    samples = samples < most ? samples : most;
    return samples * (row * tt_store_stride(store) + (int64_t)sizeof(int64_t));
}

static int fit_memory(struct tt_loader *loader, int64_t memory_bytes,
                      struct tt_error *err)
{
    struct windows *w = loader->data;
    int64_t need = window_bytes(loader) * loader->lane_count;
    char has[32], wants[32];

    w->ahead = loader->set->store->head.is_plain;
    w->paced = !w->ahead;
    if (memory_bytes <= 0 || 2 * need <= memory_bytes)
        return 0;
    w->ahead = w->paced = false;
    if (need <= memory_bytes)
        return 0;
    return tt_fail(err, TT_EINVAL,
                   "the windows of %" PRId32 " lanes need %s, but %s are "
                   "given to them: lower data.window",
                   loader->lane_count,
                   tt_bytes_format(need, wants, sizeof(wants)),
                   tt_bytes_format(memory_bytes, has, sizeof(has)));
}

int64_t tt_lane_played(const struct tt_order *order, int64_t epoch,
                       int32_t lane)
{
    int64_t all = tt_order_lane_samples(order, epoch, lane);
    int64_t whole =
        tt_order_epoch_steps(order) * (order->batch_samples / order->lanes);

    return order->last == TT_LAST_DROP && whole < all ? whole : all;
}

/* Where a lane goes after the window that it plays: the next one of the epoch,
 * or the first of the next epoch.  False where that has no sample. */
static bool follow(const struct tt_loader *loader, const struct lane *lane,
                   int32_t idx, struct job *next)
{
    const struct tt_window *now = &lane->job[lane->now].window;

    next->lane = loader->lane_first + idx;
    next->epoch = now->epoch;
    next->index = now->first + now->count;
    if (next->index >=
        tt_lane_played(&loader->order, next->epoch, next->lane)) {
        next->epoch++;
        next->index = 0;
    }
    return tt_lane_played(&loader->order, next->epoch, next->lane) > 0;
}

/* Ask for the windows where the run begins, of all lanes at once. */
static void ask_first(struct tt_loader *loader, int64_t first_step)
{
    struct windows *w = loader->data;

    for (int32_t i = 0; i < loader->lane_count; i++) {
        struct job *job = &w->lane[i].job[1];

        job->lane = loader->lane_first + i;
        if (tt_order_step(&loader->order, first_step, job->lane, &job->epoch,
                          &job->index) > 0)
            ask(w, job);
    }
}

static int windows_create(struct tt_loader *loader, int64_t first_step,
                          int64_t memory_bytes, struct tt_error *err)
{
    struct windows *w = calloc(1, sizeof(*w));

    if (!w)
        return tt_fail(err, TT_ENOMEM, "no memory for a loader");
    loader->data = w;
    w->loader = loader;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->asked, NULL);
    pthread_cond_init(&w->done, NULL);
    w->lane = calloc((size_t)loader->lane_count + 1, sizeof(*w->lane));
    if (!w->lane)
        return tt_fail(err, TT_ENOMEM, "no memory for a loader");
    if (fit_memory(loader, memory_bytes, err) < 0)
        return -1;
    if (!w->ahead || loader->lane_count == 0)
        return 0;
    w->source = tt_source_create(loader->set->store, err);
    if (!w->source || start_thread(w, err) < 0)
        return -1;
    ask_first(loader, first_step);
    return 0;
}

static void windows_destroy(struct tt_loader *loader)
{
    struct windows *w = loader->data;

    if (!w)
        return;
    if (w->running) {
        pthread_mutex_lock(&w->lock);
        w->stop = true;
        pthread_cond_signal(&w->asked);
        pthread_mutex_unlock(&w->lock);
        pthread_join(w->thread, NULL);
    }
    for (int32_t i = 0; w->lane && i < loader->lane_count; i++) {
        tt_window_clear(&w->lane[i].job[0].window);
        tt_window_clear(&w->lane[i].job[1].window);
    }
    tt_source_destroy(w->source);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->asked);
    pthread_cond_destroy(&w->done);
    free(w->lane);
    free(w);
}

static bool holds(const struct tt_window *window, int64_t epoch, int64_t index)
{
    return window->count > 0 && window->epoch == epoch &&
           index >= window->first && index < window->first + window->count;
}

static void set_job(const struct tt_loader *loader, struct job *job,
                    int32_t idx, int64_t epoch, int64_t index)
{
    job->lane = loader->lane_first + idx;
    job->epoch = epoch;
    job->index = index;
}

/* Make job[now] the window that holds (epoch, index): the one that was asked
 * for ahead, or, after a jump, one that is asked for now. */
static int enter_ahead(struct tt_loader *loader, struct lane *lane, int32_t idx,
                       int64_t epoch, int64_t index, struct tt_error *err)
{
    struct windows *w = loader->data;
    struct job *job = &lane->job[1 - lane->now];

    if (job->asked && await(w, job, err) < 0)
        return -1;
    if (!holds(&job->window, epoch, index)) {
        set_job(loader, job, idx, epoch, index);
        ask(w, job);
        if (await(w, job, err) < 0)
            return -1;
    }
    lane->now = 1 - lane->now;
    if (follow(loader, lane, idx, &lane->job[1 - lane->now]))
        ask(w, &lane->job[1 - lane->now]);
    return 0;
}

/* The same without a thread: bring the rest of what was begun. */
static int enter_paced(struct tt_loader *loader, struct lane *lane, int32_t idx,
                       int64_t epoch, int64_t index, struct tt_error *err)
{
    struct job *job = &lane->job[1 - lane->now];
    bool begun = job->asked;
    int rc = 0;

    job->asked = false;
    if (begun)
        rc = tt_window_read_some(&job->window, loader->source,
                                 job->window.span_count, err);
    if (rc == 0 && !(begun && holds(&job->window, epoch, index))) {
        set_job(loader, job, idx, epoch, index);
        rc = fill(loader, loader->source, job, err);
    }
    if (rc == 0)
        lane->now = 1 - lane->now;
    return rc;
}

static int enter(struct tt_loader *loader, struct lane *lane, int32_t idx,
                 int64_t epoch, int64_t index, struct tt_error *err)
{
    struct windows *w = loader->data;
    double begin = tt_clock_s();
    int rc;

    if (w->ahead) {
        rc = enter_ahead(loader, lane, idx, epoch, index, err);
    } else if (w->paced) {
        rc = enter_paced(loader, lane, idx, epoch, index, err);
    } else {
        set_job(loader, &lane->job[lane->now], idx, epoch, index);
        rc = fill(loader, loader->source, &lane->job[lane->now], err);
    }
    loader->wait_s += tt_clock_s() - begin;
    return rc;
}

/* Share of the window that is behind the lane after 'step'. */
static double share_after(const struct tt_loader *loader,
                          const struct tt_window *now, int64_t step)
{
    int64_t epoch, index;
    int64_t count =
        tt_order_step(&loader->order, step, now->lane, &epoch, &index);

    if (epoch != now->epoch)
        return 1;
    return (double)(index + count - now->first) / (double)now->count;
}

/* Bring as much of the next window as the step plays of the present one. */
static int pace(struct tt_loader *loader, int32_t idx, int64_t step,
                struct tt_error *err)
{
    struct windows *w = loader->data;
    struct lane *lane = &w->lane[idx];
    const struct tt_window *now = &lane->job[lane->now].window;
    struct job *job = &lane->job[1 - lane->now];
    struct tt_window *next = &job->window;

    if (now->count == 0)
        return 0;
    if (!job->asked) {
        if (!follow(loader, lane, idx, job))
            return 0;
        if (tt_window_plan(next, loader->set, &loader->order, job->lane,
                           job->epoch, job->index, err) < 0 ||
            tt_window_reserve(next, loader->set->store, err) < 0)
            return -1;
        job->asked = true;
    }
    return tt_window_read_some(
        next, loader->source,
        (int64_t)(share_after(loader, now, step) * (double)next->span_count),
        err);
}

static int windows_begin(struct tt_loader *loader, int64_t step,
                         struct tt_error *err)
{
    const struct windows *w = loader->data;
    double begin = tt_clock_s();
    int rc = 0;

    if (!w->paced)
        return 0;
    for (int32_t i = 0; i < loader->lane_count && rc == 0; i++)
        rc = pace(loader, i, step, err);
    loader->wait_s += tt_clock_s() - begin;
    return rc;
}

static int windows_view(struct tt_loader *loader, int32_t idx, int64_t epoch,
                        int64_t index, struct tt_view *view,
                        struct tt_error *err)
{
    struct windows *w = loader->data;
    struct lane *lane = &w->lane[idx];
    const struct tt_window *window = &lane->job[lane->now].window;

    if (!holds(window, epoch, index)) {
        if (enter(loader, lane, idx, epoch, index, err) < 0)
            return -1;
        window = &lane->job[lane->now].window;
    }
    view->rows = window->rows;
    view->at = window->at + (index - window->first);
    view->count = window->first + window->count - index;
    return 0;
}

const struct tt_feed tt_feed_window = {
    .create = windows_create,
    .destroy = windows_destroy,
    .begin = windows_begin,
    .view = windows_view,
};
