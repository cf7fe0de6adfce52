#include "planner/partition/partition_memo.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

/* Graphs that differ in the bytes of their features alone have the same arcs. */
static bool same_graph(const struct partition_memo *memo, const struct graph *g)
{
    return memo && g->indptr == memo->graph->indptr && g->n == memo->graph->n && g->m == memo->graph->m;
}

/* What is kept is never changed nor moved, so that it can be read while others add. */
static const struct partition_kept *kept_of(const struct partition_memo *memo, const char *method, int parts,
                                            const double *share, uint64_t seed)
{
    for (int i = 0; i < memo->count; i++) {
        const struct partition_kept *k = &memo->kept[i];
        if (k->parts == parts && k->seed == seed && !strcmp(k->method, method) &&
            !memcmp(k->share, share, (size_t)parts * sizeof *share))
            return k;
    }
    return NULL;
}

bool partition_memo_find(const struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                         const double *share, uint64_t seed, uint8_t *part, struct partition_report *report)
{
    const struct partition_kept *k = NULL;
    if (!same_graph(memo, g)) return false;
#pragma omp critical(partition_memo)
    k = kept_of(memo, method, parts, share, seed);
    if (!k) return false;
    if (part) memcpy(part, k->part, g->n);
    report->metis_bytes = k->metis_bytes;
    return true;
}

void partition_memo_keep(struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                         const double *share, uint64_t seed, const uint8_t *part, const struct partition_report *report)
{
    enum st st = ST_OK;
    struct err ignored, *err = &ignored;
    struct partition_kept k = {.parts = parts, .seed = seed, .metis_bytes = report->metis_bytes};
    if (!same_graph(memo, g)) return;
    NEW(k.part, g->n, "parts of the graph");
    memcpy(k.part, part, g->n);
    snprintf(k.method, sizeof k.method, "%s", method);
    memcpy(k.share, share, (size_t)parts * sizeof *share);
#pragma omp critical(partition_memo)
    if (memo->count < PARTITION_MEMOS && !kept_of(memo, method, parts, share, seed)) {
        memo->kept[memo->count++] = k;
        k.part = NULL;
    }
done:
    mem_free(k.part);
    (void)st;
}

bool partition_memo_passed(const struct partition_memo *memo, const struct graph *g, uint64_t seed, bool *found)
{
    bool known = false;
    if (!same_graph(memo, g)) return false;
#pragma omp critical(partition_memo)
    for (int i = 0; i < memo->seeds; i++) {
        if (memo->passed[i].seed != seed) continue;
        *found = memo->passed[i].found;
        known = true;
    }
    return known;
}

void partition_memo_keep_passed(struct partition_memo *memo, const struct graph *g, uint64_t seed, bool found)
{
    if (!same_graph(memo, g)) return;
#pragma omp critical(partition_memo)
    if (memo->seeds < PARTITION_SEEDS) memo->passed[memo->seeds++] = (struct partition_passed){seed, found};
}

/* ---- who finds what ---- */

static struct partition_claim *claim_in(struct partition_claim *list, int count, const char *method, int parts,
                                        const double *share, uint64_t seed)
{
    for (int i = 0; i < count; i++) {
        struct partition_claim *c = &list[i];
        if (!strcmp(c->method, method) && c->parts == parts && c->seed == seed &&
            !memcmp(c->share, share, (size_t)parts * sizeof *share))
            return c;
    }
    return NULL;
}
static struct partition_claim *claim_of(struct partition_memo *memo, const char *method, int parts, const double *share,
                                        uint64_t seed)
{
    return claim_in(memo->claim, PARTITION_CLAIMS, method, parts, share, seed);
}

static void put_in(struct partition_claim *list, int count, const char *method, int parts, const double *share,
                   uint64_t seed)
{
    for (int i = 0; i < count; i++) {
        struct partition_claim *c = &list[i];
        if (*c->method) continue;
        *c = (struct partition_claim){.parts = parts, .seed = seed};
        snprintf(c->method, sizeof c->method, "%s", method);
        memcpy(c->share, share, (size_t)parts * sizeof *share);
        return;
    }
}

/* Where all places are taken nobody waits: the parts are found twice at worst. */
static void put_claim(struct partition_memo *memo, const char *method, int parts, const double *share, uint64_t seed)
{
    put_in(memo->claim, PARTITION_CLAIMS, method, parts, share, seed);
}

static void pause_a_while(void)
{
    const struct timespec some = {.tv_nsec = 5000000}; /* cuts take much longer */
    nanosleep(&some, NULL);
}

bool partition_memo_claim(struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                          const double *share, uint64_t seed, uint8_t *part, struct partition_report *report)
{
    if (!same_graph(memo, g)) return false;
    for (bool waits = true; waits;) {
        if (partition_memo_find(memo, g, method, parts, share, seed, part, report)) return true;
#pragma omp critical(partition_memo)
        {
            waits = kept_of(memo, method, parts, share, seed) || claim_of(memo, method, parts, share, seed);
            if (!waits) put_claim(memo, method, parts, share, seed);
        }
        if (waits) pause_a_while();
    }
    return false;
}

bool partition_memo_take(struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                         const double *share, uint64_t seed)
{
    bool taken = false;
    if (!same_graph(memo, g)) return false;
#pragma omp critical(partition_memo)
    if (!kept_of(memo, method, parts, share, seed) && !claim_of(memo, method, parts, share, seed)) {
        put_claim(memo, method, parts, share, seed);
        taken = true;
    }
    return taken;
}

void partition_memo_want(struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                         const double *share, uint64_t seed)
{
    if (!same_graph(memo, g)) return;
#pragma omp critical(partition_memo)
    if (!claim_in(memo->wanted, PARTITION_WANTED, method, parts, share, seed))
        put_in(memo->wanted, PARTITION_WANTED, method, parts, share, seed);
}

bool partition_memo_busy(struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                         const double *share, uint64_t seed)
{
    bool busy = false;
    if (!same_graph(memo, g)) return false;
#pragma omp critical(partition_memo)
    busy = !kept_of(memo, method, parts, share, seed) && claim_of(memo, method, parts, share, seed);
    return busy;
}

bool partition_memo_take_wanted(struct partition_memo *memo, const struct graph *g, struct partition_claim *out)
{
    bool taken = false;
    for (int i = 0; i < PARTITION_WANTED && same_graph(memo, g) && !taken; i++) {
#pragma omp critical(partition_memo)
        *out = memo->wanted[i];
        taken = *out->method && partition_memo_take(memo, g, out->method, out->parts, out->share, out->seed);
        if (!taken) continue;
#pragma omp critical(partition_memo)
        *memo->wanted[i].method = 0; /* once: where it fails, who needs it says why */
    }
    return taken;
}

void partition_memo_settle(struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                           const double *share, uint64_t seed)
{
    if (!same_graph(memo, g)) return;
#pragma omp critical(partition_memo)
    {
        struct partition_claim *c = claim_of(memo, method, parts, share, seed);
        if (c) *c->method = 0;
    }
}

/* ---- places in an order ---- */

bool partition_memo_claim_places(struct partition_memo *memo, const struct graph *g, bool along, uint32_t **place)
{
    if (!same_graph(memo, g)) return false;
    struct partition_places *p = along ? &memo->along : &memo->searched;
    for (bool waits = true; waits;) {
        bool other = false;
        *place = NULL;
#pragma omp critical(partition_memo)
        {
            other = p->train && p->train != g->train;
            waits = p->claimed && !p->place;
            if (!other && p->place) *place = p->place;
            else if (!other && !waits) *p = (struct partition_places){.train = g->train, .claimed = true};
        }
        if (*place || other) return *place != NULL;
        if (waits) pause_a_while();
    }
    return false;
}

bool partition_memo_give_places(struct partition_memo *memo, const struct graph *g, bool along, uint32_t *place)
{
    bool taken = false;
    if (!same_graph(memo, g)) return false;
    struct partition_places *p = along ? &memo->along : &memo->searched;
#pragma omp critical(partition_memo)
    if (p->train == g->train) {
        p->claimed = false;
        p->place = place;
        taken = place != NULL;
    }
    return taken;
}

/* ---- lists ---- */

bool partition_memo_find_lists(const struct partition_memo *memo, const struct graph *g, const struct reads_lists *like,
                               struct reads_lists *out)
{
    bool found = false;
    if (!same_graph(memo, g)) return false;
#pragma omp critical(partition_memo)
    {
        const struct reads_lists *l = &memo->lists;
        found = l->start && l->trains == like->trains && l->train == like->train && l->most == like->most &&
                !memcmp(&l->w, &like->w, sizeof l->w);
        if (found) *out = *l;
    }
    out->borrowed = found;
    return found;
}

void partition_memo_keep_lists(struct partition_memo *memo, const struct graph *g, struct reads_lists *l)
{
    uint64_t entries = l->start[l->trains], bytes = 8 * (l->trains + 1) + (sizeof *l->row + sizeof *l->times) * entries;
    if (!same_graph(memo, g) || bytes > PARTITION_MEMO_LISTS) return;
#pragma omp critical(partition_memo)
    if (!memo->lists.start) {
        memo->lists = *l;
        l->borrowed = true;
    }
}

void partition_memo_drop_lists(struct partition_memo *memo) { reads_lists_release(&memo->lists); }

void partition_memo_release(struct partition_memo *memo)
{
    partition_memo_drop_lists(memo);
    for (int i = 0; i < memo->count; i++) mem_free(memo->kept[i].part);
    mem_free(memo->searched.place);
    mem_free(memo->along.place);
    memset(memo, 0, sizeof *memo);
}
