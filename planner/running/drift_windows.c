#include "planner/running/drift_windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"

/* Cuts `all` ascending times into windows with equally many of them. */
static enum st cut_evenly(const int64_t *time, uint64_t all, struct drift_windows *out, struct err *err)
{
    int count = out->count;
    for (int t = 0; t < count; t++) {
        out->until[t] = time[(uint64_t)(t + 1) * all / (uint64_t)count - 1];
        if (t && out->until[t] == out->until[t - 1])
            return err_set(err, ST_USAGE,
                           "--windows: so many have the time %lld that window %d would be empty; take fewer than %d",
                           (long long)out->until[t], t, count);
    }
    return ST_OK;
}

/* Cuts the time from the first to the last into windows of a width. */
static enum st cut_width(int64_t first, int64_t last, int64_t width, struct drift_windows *out, struct err *err)
{
    unsigned __int128 span = (unsigned __int128)((__int128)last - first), count = span / (uint64_t)width + 1;
    if (count < 2 || count > DRIFT_WINDOWS_MOST)
        return err_set(err, ST_USAGE,
                       "--window-width %lld: times from %lld to %lld are %s windows; expected 2 to %d of them",
                       (long long)width, (long long)first, (long long)last, count < 2 ? "fewer than 2" : "too many",
                       DRIFT_WINDOWS_MOST);
    out->count = (int)count;
    for (int t = 0; t < out->count; t++)
        out->until[t] = t + 1 < out->count ? (int64_t)((__int128)first + (__int128)(t + 1) * width - 1) : last;
    return ST_OK;
}

enum st drift_windows_make(const struct graph *g, int count, int64_t width, struct drift_windows *out, struct err *err)
{
    uint64_t all = g->edge_times ? g->m : g->train_count;
    *out = (struct drift_windows){.count = count, .width = width, .timed = g->edge_times || g->vertex_times};
    if (width && !out->timed)
        return err_set(err, ST_USAGE, "--window-width: %s has no times; import it with --times, or give --windows",
                       g->path);
    if (all < (width ? 1 : (uint64_t)count))
        return err_set(err, ST_USAGE, "--windows: %d are more than there are %s (%llu)", count,
                       g->edge_times ? "arcs" : "training vertices", (unsigned long long)all);
    if (!out->timed) return ST_OK;
    OWNED_NEW(int64_t, time, all, "times in order");
    for (uint64_t i = 0; i < all; i++) time[i] = g->edge_times ? g->edge_times[i] : g->vertex_times[g->train[i]];
    qsort(time, all, sizeof *time, order_i64);
    const bool fine = g->time_unit > 0 &&
                      g->time_unit < 1; /* stored in millionths, where the width is in whole units */
    if (fine && width > INT64_MAX / 1000000)
        return err_set(err, ST_USAGE, "--window-width %lld: is wider than all times", (long long)width);
    if (fine) width *= llround(1 / g->time_unit);
    return width ? cut_width(time[0], time[all - 1], width, out, err) : cut_evenly(time, all, out, err);
}

/* Whether v trains in the window after `from` up to `until`; *last: its time there. */
static bool trains(const struct graph *g, uint32_t v, bool first, int64_t from, int64_t until, int64_t *last)
{
    bool found = false;
    uint64_t e = (uint64_t)g->indptr[v], end = g->edge_times ? (uint64_t)g->indptr[v + 1] : e + 1;
    for (; e < end; e++) {
        int64_t time = g->edge_times ? g->edge_times[e] : g->vertex_times[v];
        if (time > until || (!first && time <= from) || (found && time <= *last)) continue;
        *last = time;
        found = true;
    }
    return found;
}

/* Marks a part of the circle of training ids, whose type begins at `first`; returns how many. */
static enum st mark_circle(const uint32_t *train, uint64_t count, uint64_t first, const struct drift_windows *w,
                           int number, double share, struct drift_window *out, struct err *err)
{
    uint64_t most = (uint64_t)(share * (double)count), from = (uint64_t)number * count / (uint64_t)w->count;
    if (!count) return ST_OK;
    if (!most) most = 1;
    OWNED_NEW(uint32_t, sorted, count, "a window's training vertices");
    memcpy(sorted, train, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, order_u32);
    for (uint64_t i = 0; i < most; i++) out->part[first + sorted[(from + i) % count]] = 1;
    out->count += most;
    return ST_OK;
}

enum st drift_window_make(const struct graph *g, const struct drift_windows *w, int number, double share,
                          struct drift_window *out, struct err *err)
{
    MAKE(out->part, g->n, "a window's training vertices");
    if (w->timed) {
        MAKE(out->times, g->n, "a window's times");
        memcpy(out->times, g->vertex_times, g->n * sizeof *out->times);
        for (uint64_t i = 0; i < g->train_count; i++) {
            uint32_t v = g->train[i];
            out->part[v] = trains(g, v, !number, number ? w->until[number - 1] : 0, w->until[number], &out->times[v]);
            out->count += out->part[v];
        }
    }
    for (int t = 0; !w->timed && t < graph_type_count(g); t++) {
        const struct graph_vertices type = graph_vertices(g, t);
        PASS(mark_circle(type.train, type.train_count, type.first, w, number, share, out, err));
    }
    if (!out->count)
        return err_set(err, ST_USAGE,
                       "--windows: nobody trains in window %d; take fewer or wider ones, or more training vertices",
                       number);
    return ST_OK;
}

void drift_window_release(struct drift_window *w)
{
    mem_free(w->part);
    mem_free(w->times);
    memset(w, 0, sizeof *w);
}
