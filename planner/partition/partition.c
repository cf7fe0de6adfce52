#include "planner/partition/partition.h"

#include <omp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"
#include "planner/partition/multilevel.h"
#include "planner/partition/partition_ahead.h"
#include "planner/partition/partition_memo.h"
#include "planner/partition/partition_metis.h"
#include "planner/partition/reads.h"

enum { STREAM_HASH_PART = 0x70617274 };

/* Training vertices that each part should have: shares of the whole, rounded down, the rest to the first parts. */
static void targets(const struct graph *g, int parts, const double *share, uint64_t *want)
{
    double sum = 0;
    uint64_t given = 0;
    for (int p = 0; p < parts; p++) sum += share[p];
    for (int p = 0; p < parts; p++) given += want[p] = (uint64_t)floor((double)g->train_count * share[p] / sum);
    for (int p = 0; given < g->train_count; p = (p + 1) % parts, given++) want[p]++;
}

static void by_hash(const struct graph *g, int parts, const double *share, uint64_t seed, uint8_t *part)
{
    double sum = 0;
    for (int p = 0; p < parts; p++) sum += share[p];
    for (uint64_t v = 0; v < g->n; v++) {
        double x = rng_unit(seed, STREAM_HASH_PART, v) * sum;
        int p = 0;
        while (p + 1 < parts && x >= share[p]) x -= share[p++];
        part[v] = (uint8_t)p;
    }
}

/* One pass in id order: each vertex joins the part with most of its neighbours, weighted by the room left there. */
static enum st by_stream(const struct graph *g, int parts, const double *share, uint8_t *part, struct err *err)
{
    enum { NONE = 255 };
    double cap[PARTS_MAX], cap_train[PARTS_MAX], sum = 0;
    uint64_t size[PARTS_MAX] = {0}, trains[PARTS_MAX] = {0}, near[PARTS_MAX];
    OWNED_NEW(uint8_t, is_train, g->n, "marks of the training vertices");
    for (uint64_t i = 0; i < g->train_count; i++) is_train[g->train[i]] = 1;
    for (int p = 0; p < parts; p++) sum += share[p];
    for (int p = 0; p < parts; p++) {
        cap[p] = 1.05 * (double)g->n * share[p] / sum + 1;
        cap_train[p] = 1.02 * (double)g->train_count * share[p] / sum + 1;
    }
    memset(part, NONE, g->n);
    for (uint64_t v = 0; v < g->n; v++) {
        memset(near, 0, sizeof near);
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++)
            if (part[g->indices[e]] != NONE) near[part[g->indices[e]]]++;
        int best = 0;
        double top = -1e300;
        for (int p = 0; p < parts; p++) {
            double room = 1 - (double)size[p] / cap[p],
                   room_train = is_train[v] ? 1 - (double)trains[p] / cap_train[p] : 1;
            double score = room <= 0 || room_train <= 0 ? -1 - (double)size[p] / cap[p]
                                                        : ((double)near[p] + 1e-3) * room * room_train;
            if (score > top) {
                top = score;
                best = p;
            }
        }
        part[v] = (uint8_t)best;
        size[best]++;
        trains[best] += is_train[v];
    }
    return ST_OK;
}

/* ---- balance of training vertices ---- */

struct move {
    int64_t gain;
    uint32_t v;
    uint8_t to;
};

/* Best gain first; ties to the lower id, so that the result is one. */
static int compare_moves(const void *x, const void *y)
{
    const struct move *a = x, *b = y;
    if (a->gain != b->gain) return a->gain < b->gain ? 1 : -1;
    return (a->v > b->v) - (a->v < b->v);
}

/* The part below its target that v has most neighbours in, and what moving there gains. */
static struct move best_move(const struct graph *g, const uint8_t *part, int parts, const uint64_t *have,
                             const uint64_t *want, uint32_t v)
{
    int64_t near[PARTS_MAX] = {0};
    struct move m = {INT64_MIN, v, 0};
    for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) near[part[g->indices[e]]]++;
    for (int p = 0; p < parts; p++)
        if (have[p] < want[p] && near[p] - near[part[v]] > m.gain) {
            m.gain = near[p] - near[part[v]];
            m.to = (uint8_t)p;
        }
    return m;
}

/* Vertices that a part may be off its target, which is itself up to one off its share: 2 %, and none where one more
 * would be over 3 %. */
static uint64_t slack(uint64_t want) { return want < 100 ? 0 : want / 50; }

static bool unbalanced(int parts, const uint64_t *have, const uint64_t *want)
{
    bool off = false;
    for (int p = 0; p < parts; p++) off |= have[p] > want[p] + slack(want[p]) || have[p] + slack(want[p]) < want[p];
    return off;
}

/* While a part is more than 2 % off its target: moves training vertices from parts above theirs to parts below, least
 * loss first. */
static enum st balance(const struct graph *g, int parts, const uint64_t *want, uint8_t *part, uint64_t *moved,
                       struct err *err)
{
    uint64_t have[PARTS_MAX] = {0};
    for (uint64_t i = 0; i < g->train_count; i++) have[part[g->train[i]]]++;
    OWNED_NEW(struct move, moves, g->train_count, "candidates of the balance step");
    while (unbalanced(parts, have, want)) { /* every round moves at least one vertex towards the targets, so it ends */
        uint64_t count = 0;
        for (uint64_t i = 0; i < g->train_count; i++) {
            uint32_t v = g->train[i];
            if (have[part[v]] > want[part[v]]) moves[count++] = best_move(g, part, parts, have, want, v);
        }
        qsort(moves, count, sizeof *moves, compare_moves);
        for (uint64_t i = 0; i < count; i++) {
            uint8_t from = part[moves[i].v], to = moves[i].to;
            if (have[from] <= want[from] || have[to] >= want[to]) continue;
            part[moves[i].v] = to;
            have[from]--;
            have[to]++;
            ++*moved;
        }
    }
    return ST_OK;
}

static uint64_t count_cut(const struct graph *g, const uint8_t *part, int threads)
{
    uint64_t cut = 0;
#pragma omp parallel for schedule(dynamic, 4096) num_threads(threads < 1 ? 1 : threads) reduction(+ : cut)
    for (uint64_t v = 0; v < g->n; v++)
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) cut += part[v] != part[g->indices[e]];
    return cut;
}

/* What "auto" takes: a function of the graph alone, so that a plan does not depend on the machine that made it. */
static const char *resolve_method(const struct graph *g, const char *method)
{
    if (strcmp(method, "auto") && strcmp(method, PARTITION_AUTO_OR_HASH)) return method;
    if (metis_possible(g, 1) && metis_entries(g) <= METIS_AUTO_ENTRIES) return "metis";
    return "multilevel";
}

const char *partition_by_bytes(const struct graph *g, const char *method)
{
    return strcmp(method, "auto") || strcmp(resolve_method(g, method), "metis") ? method : "metis-bytes";
}

/* The share of edges that METIS sees. That of a sample, too, is a function of the graph alone. */
static double share_of(const struct graph *g, const char *method)
{
    return strcmp(method, "metis-sampled") ? 1 : metis_share(g, METIS_SAMPLED_PERCENT / 100.0, METIS_AUTO_BYTES);
}

static enum st check_metis(const struct graph *g, const char *method, double kept, const struct partition_options *o,
                           struct err *err)
{
    char need[UNIT_TEXT], limit[UNIT_TEXT];
    if (!(kept > 0))
        return err_set(err, ST_LIMIT,
                       "--partition %s: the graph has too many vertices for METIS; take --partition "
                       "multilevel",
                       method);
    if (!metis_possible(g, kept))
        return err_set(err, ST_LIMIT,
                       "--partition %s: the graph has more arcs than METIS's 32-bit indices can count; take "
                       "--partition multilevel",
                       method);
    if (o->memory && metis_bytes(g, kept) > o->memory)
        return err_set(err, ST_LIMIT,
                       "partition: METIS needs about %s on this graph and the limit is %s; take --partition "
                       "multilevel, or raise --memory",
                       units_bytes(need, metis_bytes(g, kept)), units_bytes(limit, o->memory));
    return ST_OK;
}

/* "reads", "reads-draws" and "reads-fewest". */
static bool refines(const char *method) { return !strncmp(method, "reads", 5); }

uint64_t partition_bytes(const struct graph *g, int parts, const char *method, int threads)
{
    const char *taken = parts < 2 || !g->n ? "none" : resolve_method(g, method);
    if (!strncmp(taken, "metis", 5)) return metis_bytes(g, share_of(g, taken));
    if (!strcmp(taken, "multilevel")) return multilevel_bytes(g, threads);
    if (refines(taken)) {
        uint64_t first = partition_bytes(g, parts, "auto", threads), then = reads_bytes(g, parts, threads);
        return first > then ? first : then;
    }
    return !strcmp(taken, "stream") ? g->n : 0;
}

/* Arcs between parts: between[p * parts + q], one way. */
static void count_between(const struct graph *g, int parts, const uint8_t *part, int threads, uint64_t *room,
                          uint64_t *between)
{
#pragma omp parallel num_threads(threads < 1 ? 1 : threads)
    {
        uint64_t *mine = room + (size_t)omp_get_thread_num() * (size_t)(parts * parts);
#pragma omp for schedule(dynamic, 4096) nowait
        for (uint64_t v = 0; v < g->n; v++)
            for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) mine[part[v] * parts + part[g->indices[e]]]++;
#pragma omp critical(partition_between)
        for (int i = 0; i < parts * parts; i++) between[i] += mine[i];
    }
}

/* Arcs inside groups that are gained when p and q, of different groups, change places. */
static int64_t swap_gain(const uint64_t *between, int parts, const int *group, int p, int q)
{
    int64_t gain = 0;
    for (int r = 0; r < parts; r++) {
        if (r == p || r == q) continue;
        int64_t with_p = (int64_t)(between[p * parts + r] + between[r * parts + p]),
                with_q = (int64_t)(between[q * parts + r] + between[r * parts + q]);
        gain += group[r] == group[q] ? with_p - with_q : group[r] == group[p] ? with_q - with_p : 0;
    }
    return gain;
}

/* Numbers parts so that those with many arcs between them lie in one group: parts of like shares change places while
 * that gains arcs. */
static enum st arrange(const struct graph *g, int parts, const double *share, const struct partition_options *o,
                       uint8_t *part, struct err *err)
{
    int group[PARTS_MAX], at[PARTS_MAX]; /* at[p]: the part of the group that p takes the place of */
    bool again = o->group != NULL;
    if (!again) return ST_OK;
    OWNED_NEW(uint64_t, between, parts * parts, "arcs between parts");
    OWNED_NEW(uint64_t, room, (o->threads < 1 ? 1 : o->threads) * parts * parts, "arcs between parts");
    count_between(g, parts, part, o->threads, room, between);
    for (int p = 0; p < parts; p++) group[at[p] = p] = o->group[p];
    while (again) {
        again = false;
        for (int p = 0; p < parts; p++)
            for (int q = 0; q < p; q++) {
                if (group[p] == group[q] || share[p] != share[q] || swap_gain(between, parts, group, p, q) <= 0)
                    continue;
                int kept = group[p], place = at[p];
                group[p] = group[q];
                group[q] = kept;
                at[p] = at[q];
                at[q] = place;
                again = true;
            }
    }
    for (uint64_t v = 0; v < g->n; v++) part[v] = (uint8_t)at[part[v]];
    return ST_OK;
}

/* One of the methods, without the memo. */
static enum st split(const struct graph *g, int parts, const double *share, const struct partition_options *o,
                     const char *method, uint8_t *part, struct partition_report *report, struct err *err)
{
    if (!strncmp(method, "metis", 5)) {
        double kept = share_of(g, method);
        report->metis_bytes = metis_bytes(g, kept);
        PASS(check_metis(g, method, kept, o, err));
        PASS(metis_split(g, kept, parts, share, o->seed, !strcmp(method, "metis-bytes"), part, err));
    } else if (!strcmp(method, "multilevel")) {
        struct multilevel_cut cut = {parts, share, part};
        PASS(multilevel_split(g, &cut, 1, o->seed, o->threads, err));
    } else if (!strcmp(method, "hash")) {
        by_hash(g, parts, share, o->seed, part);
    } else {
        PASS(by_stream(g, parts, share, part, err));
    }
    return ST_OK;
}

/* One of the methods, or what it found before. */
static enum st split_once(const struct graph *g, int parts, const double *share, const struct partition_options *o,
                          const char *method, uint8_t *part, struct partition_report *report, struct err *err)
{
    bool busy = partition_memo_busy(o->memo, g, method, parts, share, o->seed);
    while (busy && partition_ahead_meanwhile(g, o))
        busy = partition_memo_busy(o->memo, g, method, parts, share, o->seed);
    if (!partition_memo_claim(o->memo, g, method, parts, share, o->seed, part, report)) {
        const enum st st = split(g, parts, share, o, method, part, report, err);
        if (st == ST_OK) partition_memo_keep(o->memo, g, method, parts, share, o->seed, part, report);
        partition_memo_settle(o->memo, g, method, parts, share, o->seed);
        if (st != ST_OK) return st;
    }
    if (!strcmp(method, "multilevel")) PASS(arrange(g, parts, share, o, part, err));
    return ST_OK;
}

/* Whether one pass finds parts at all: of the arcs that parts by chance would cut, it leaves enough uncut. A function
 * of the graph alone, but for a lack of memory, which METIS meets next. */
static bool finds_parts(const struct graph *g, const struct partition_options *o)
{
    enum { PARTS = 8 };
    static const double EQUAL[PARTS] = {1, 1, 1, 1, 1, 1, 1, 1}, FOUND = 0.65;
    struct partition_report ignored;
    struct err unsaid = {0}, *err = &unsaid;
    bool found = true;
    if (partition_memo_passed(o->memo, g, o->seed, &found)) return found;
    OWNED uint8_t *part = mem_array(g->n, 1, "parts of one pass", err);
    if (!part || split_once(g, PARTS, EQUAL, o, "stream", part, &ignored, err) != ST_OK) return true;
    found = (double)count_cut(g, part, o->threads) < FOUND * (1 - 1.0 / PARTS) * (double)g->m;
    partition_memo_keep_passed(o->memo, g, o->seed, found);
    return found;
}

const char *partition_first_costliest(const struct graph *g, const char *method)
{
    const char *first = resolve_method(g, refines(method) ? "auto" : method);
    return !strcmp(method, "reads-draws") && !strcmp(first, "metis") ? "metis-bytes" : first;
}

const char *partition_first_method(const struct graph *g, const struct partition_options *o, const char *method)
{
    const bool either = refines(method) || !strcmp(method, PARTITION_AUTO_OR_HASH);
    const char *first = partition_first_costliest(g, method);
    return either && g->m > PARTITION_PASS_ARCS && !finds_parts(g, o) ? "hash" : first;
}

bool partition_reads(const struct graph *g, const struct partition_options *o, const char *method, const char **first)
{
    bool reads = refines(method);
    *first = reads ? partition_first_method(g, o, method) : method;
    return reads;
}

enum st partition_finish(const struct graph *g, int parts, const double *share, const struct partition_options *o,
                         bool reads, uint8_t *part, struct partition_report *report, struct err *err)
{
    uint64_t want[PARTS_MAX];
    targets(g, parts, share, want);
    bool by_draws = reads && !strcmp(o->method, "reads-draws"); /* numbers of training vertices may differ */
    if (by_draws) PASS(balance(g, parts, want, part, &report->moved, err)); /* as they may be kept */
    if (reads) {
        PASS(reads_refine(g, parts, share, o, part, report, err));
        snprintf(report->method, sizeof report->method, "%s", o->method);
    }
    if ((!o->given || !o->kept) && !by_draws) PASS(balance(g, parts, want, part, &report->moved, err));
    report->cut = count_cut(g, part, o->threads);
    return ST_OK;
}

enum st partition_graph(const struct graph *g, int parts, const double *share, const struct partition_options *o,
                        uint8_t *part, struct partition_report *report, struct err *err)
{
    const bool whole = parts < 2 || !g->n, reads = !whole && !o->given && refines(o->method);
    const char *method = whole ? "none" : o->given ? "given" : partition_first_method(g, o, o->method);
    memset(report, 0, sizeof *report);
    memset(part, 0, g->n);
    snprintf(report->method, sizeof report->method, "%s", method);
    if (!strcmp(method, "none")) return ST_OK;
    if (o->given) memcpy(part, o->given, g->n);
    else PASS(split_once(g, parts, share, o, method, part, report, err));
    return partition_finish(g, parts, share, o, reads, part, report, err);
}
