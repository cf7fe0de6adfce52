#include "traces/builder/builder_times.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/npy.h"
#include "base/order.h"
#include "traces/builder/builder_renumber.h"
#include "traces/builder/graph_text.h"

enum { BLOCK = 1 << 10 };

/* ---- numbers ---- */

enum { FINE = 1000000 };

/* A real number as a time; false for what is none. */
static bool times_of_real(double x, struct arc_time *out)
{
    const double whole = floor(x);
    if (!(x >= -9.2e18 && x <= 9.2e18)) return false;
    *out = (struct arc_time){(int64_t)whole, x != whole};
    if (!out->fine) return true;
    if (!(fabs(x) < 9.2e12)) return false;
    out->value = out->value * FINE + llround((x - whole) * FINE);
    return true;
}

bool times_take(const char **p, struct arc_time *out)
{
    uint64_t whole;
    double real;
    if (text_take(p, &whole) == TEXT_NUMBER) {
        *out = (struct arc_time){.value = (int64_t)whole};
        return true;
    }
    const char *at = *p;
    if (!text_real(&at, &real) || !times_of_real(real, out)) return false;
    *p = at;
    return true;
}

/* Times before the first with a fraction, in millionths as it is. */
static enum st make_fine(int64_t *time, uint64_t count, const char *where, struct err *err)
{
    for (uint64_t i = 0; i < count; i++)
        if (__builtin_mul_overflow(time[i], (int64_t)FINE, &time[i]))
            return err_set(err, ST_INPUT,
                           "%s: has a time with a fraction beside one beyond 9.2e12, which leaves no room for six "
                           "digits; "
                           "give times in another unit",
                           where);
    return ST_OK;
}

/* Adds one to a list, which has room. */
static enum st list_add(struct time_list *l, struct arc_time time, const char *where, struct err *err)
{
    if (time.fine && !l->fine) PASS(make_fine(l->time, l->count, where, err));
    l->fine |= time.fine;
    l->time[l->count] = time.value;
    if (l->fine && !time.fine) PASS(make_fine(&l->time[l->count], 1, where, err));
    l->count++;
    return ST_OK;
}

static enum st from_array(const char *path, struct time_list *l, struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    char shape[200];
    PASS(npy_map(path, &a, err));
    if (a.dims != 1 && (a.dims != 2 || a.shape[1] != 1))
        return err_set(err, ST_INPUT, "%s: has shape %s; expected one list of times", path,
                       npy_shape_text(shape, a.dims, a.shape));
    if (a.type[0] == 'f' && a.item < 4)
        return err_set(err, ST_INPUT, "%s: elements are of type %s; save times as int64", path, a.type);
    MAKE(l->time, a.count + 1, "times");
    for (uint64_t i = 0; i < a.count; i++) {
        struct arc_time time = {0};
        bool ok;
        float single;
        double real;
        if (a.type[0] != 'f') time.value = npy_integer(&a, i, &ok);
        else {
            memcpy(&single, (const char *)a.data + a.item * i, 4);
            if (a.item == 8) memcpy(&real, (const char *)a.data + 8 * i, 8);
            else real = (double)single;
            ok = times_of_real(real, &time);
        }
        if (!ok)
            return err_set(err, ST_INPUT, "%s: entry %" PRIu64 " is no time; expected a number of 64 bits", path, i);
        PASS(list_add(l, time, path, err));
    }
    return ST_OK;
}

struct lines {
    struct time_list list;
    uint64_t room;
};

static enum st take_line(void *self, const char *path, uint64_t number, char *line, struct err *err)
{
    struct lines *l = self;
    const char *p = text_skip(line);
    enum st st = ST_OK;
    struct arc_time time;
    if (!*p || *p == '#' || *p == '%') return ST_OK;
    if (!times_take(&p, &time) || *text_skip(p)) {
        if (number == 1) return ST_OK; /* a header */
        FAIL(ST_INPUT, "%s: line %" PRIu64 " is '%.40s'; expected one time", path, number, line);
    }
    if (l->list.count == l->room) {
        GROW(l->list.time, 2 * l->room + BLOCK, "times");
        l->room = 2 * l->room + BLOCK;
    }
    TRY(list_add(&l->list, time, path, err));
done:
    return st;
}

/* Reads a .npy file of integers or real numbers, or text with one number per line (a first line that is none is a
 * header). ST_INPUT, with the place, for what is no time; ST_LIMIT when memory is out. */
static enum st times_from_file(const char *path, struct time_list *out, struct err *err)
{
    struct lines l = {.room = 0};
    bool npy;
    enum st st;
    TRY(source_is_npy(path, &npy, err));
    if (npy) TRY(from_array(path, &l.list, err));
    else TRY(text_each_line(path, take_line, &l, err));
    *out = l.list;
    l.list.time = NULL;
done:
    mem_free(l.list.time);
    return st;
}

/* ---- arcs ---- */

enum st builder_times_open(struct builder_times *t, const char *near, const char *path, struct err *err)
{
    t->on = true;
    t->path = path;
    PASS(spill_open(&t->spill, near, err));
    if (path) PASS(times_from_file(path, &t->given, err));
    return ST_OK;
}

void builder_times_close(struct builder_times *t)
{
    spill_close(&t->spill);
    mem_free(t->given.time);
    mem_free(t->distinct);
}

enum st builder_times_next(struct builder_times *t, const char *where, const char *unit, uint64_t place,
                           struct arc_time *out, struct err *err)
{
    if (!t->path)
        return err_set(err, ST_INPUT,
                       "%s: %s %" PRIu64 " has no time: the format has no column for it; give the arcs' times with "
                       "--edge-times FILE",
                       where, unit, place);
    if (t->taken == t->given.count)
        return err_set(err, ST_INPUT, "%s: has %" PRIu64 " times, but %s has more arcs; expected one per arc", t->path,
                       t->given.count, where);
    *out = (struct arc_time){t->given.time[t->taken++], t->given.fine};
    return ST_OK;
}

enum st builder_times_add(struct builder_times *t, const char *where, struct arc_time time, struct err *err)
{
    if (time.fine && !t->fine) t->coarse = t->added;
    t->fine |= time.fine;
    if (t->fine && !time.fine) PASS(make_fine(&time.value, 1, where, err));
    t->added++;
    return spill_append(&t->spill, &time.value, sizeof time.value, err);
}

/* The times of arcs first .. first + count - 1, all in one unit. */
static enum st read_times(const struct builder_times *t, uint64_t first, uint64_t count, int64_t *out, struct err *err)
{
    PASS(spill_read(&t->spill, 8 * first, out, 8 * count, err));
    if (!t->fine || first >= t->coarse) return ST_OK;
    return make_fine(out, count < t->coarse - first ? count : t->coarse - first, "times", err);
}

enum st builder_times_rank(struct builder_times *t, uint64_t arcs, struct err *err)
{
    if (t->path && t->taken < t->given.count)
        return err_set(err, ST_INPUT, "%s: has %" PRIu64 " times for %" PRIu64 " arcs; expected one per arc", t->path,
                       t->given.count, arcs);
    mem_free(t->given.time);
    t->given.time = NULL;
    PASS(spill_flush(&t->spill, err));
    MAKE(t->distinct, arcs + 1, "the times of arcs");
    PASS(read_times(t, 0, arcs, t->distinct, err));
    qsort(t->distinct, arcs, sizeof *t->distinct, order_i64);
    for (uint64_t i = 0; i < arcs; i++)
        if (!i || t->distinct[i] != t->distinct[t->ranks - 1]) t->distinct[t->ranks++] = t->distinct[i];
    if (t->ranks >= UINT32_MAX)
        return err_set(err, ST_LIMIT, "%" PRIu64 " distinct times are more than 2^32 - 2; give coarser ones", t->ranks);
    return ST_OK;
}

enum st builder_times_read(const struct builder_times *t, uint64_t first, uint64_t count, float *ranks, struct err *err)
{
    int64_t time[BLOCK];
    for (uint64_t at = 0; at < count; at += BLOCK) {
        uint64_t some = count - at < BLOCK ? count - at : BLOCK;
        PASS(read_times(t, first + at, some, time, err));
        for (uint64_t i = 0; i < some; i++) {
            const int64_t *found = bsearch(&time[i], t->distinct, t->ranks, sizeof *t->distinct, order_i64);
            uint32_t rank = (uint32_t)(found - t->distinct);
            memcpy(&ranks[at + i], &rank, sizeof rank);
        }
    }
    return ST_OK;
}

/* ---- vertices ---- */

enum st builder_times_last(const struct builder_times *t, const struct arc_source *arcs, uint64_t n, int64_t **out,
                           struct err *err)
{
    uint32_t pairs[2 * BLOCK], rank;
    float bits[BLOCK];
    OWNED_NEW(int64_t, last, n, "the times of vertices");
    for (uint64_t v = 0; v < n; v++) last[v] = t->distinct[0];
    for (uint64_t at = 0; at < arcs->count; at += BLOCK) {
        uint64_t some = arcs->count - at < BLOCK ? arcs->count - at : BLOCK;
        PASS(arcs->read(arcs->self, at, some, pairs, bits, err));
        for (uint64_t i = 0; i < 2 * some; i++) {
            memcpy(&rank, &bits[i / 2], sizeof rank);
            if (t->distinct[rank] > last[pairs[i]]) last[pairs[i]] = t->distinct[rank];
        }
    }
    *out = TAKE(last);
    return ST_OK;
}

enum st builder_times_of_vertices(const char *path, const struct id_map *map, bool arcs, int64_t **out, bool *fine,
                                  struct err *err)
{
    struct time_list l = {0};
    int64_t *time = NULL;
    uint64_t given = 0;
    enum st st;
    TRY(times_from_file(path, &l, err));
    if (arcs && *fine && !l.fine) TRY(make_fine(l.time, l.count, path, err));
    for (uint64_t i = 0; arcs && !*fine && l.fine && i < l.count; i++) /* towards the past */
        l.time[i] = l.time[i] / FINE - (l.time[i] % FINE < 0);
    if (!arcs) *fine = l.fine;
    if (!map->original && l.count != map->n)
        FAIL(ST_INPUT, "%s: has %" PRIu64 " times, but the graph has %" PRIu64 " vertices; expected one for each", path,
             l.count, map->n);
    NEW(time, map->n, "the times of vertices");
    for (uint64_t i = 0; i < l.count; i++) {
        uint64_t v = map->original ? renumber_find(map->original, map->n, (int64_t)i) : i;
        if (v >= map->n) continue;
        time[v] = l.time[i];
        given++;
    }
    if (given != map->n)
        FAIL(ST_INPUT, "%s: has times for %" PRIu64 " of the %" PRIu64 " vertices; expected one for each", path, given,
             map->n);
    *out = TAKE(time);
done:
    mem_free(l.time);
    mem_free(time);
    return st;
}
