#include "planner/partition/partition_ahead.h"

#include <string.h>

#include "base/mem.h"
#include "planner/partition/multilevel.h"
#include "planner/partition/partition_memo.h"
#include "planner/partition/partition_metis.h"

int partition_together(const struct graph *g, int threads)
{
    uint64_t each = metis_bytes(g, 1) + 1, most = PARTITION_AHEAD_BYTES / each;
    return most < 1 || threads < 1 ? 1 : most < (uint64_t)threads ? (int)most : threads;
}

static bool same_cut(const struct partition_cut *a, const struct partition_cut *b)
{
    return a->parts == b->parts && !strcmp(a->method, b->method) &&
           !memcmp(a->share, b->share, (size_t)a->parts * sizeof *a->share);
}

/* Lists the cuts of the whole graph that are METIS's, or multilevel ones, each once. */
static int needed(const struct graph *g, const struct partition_options *o, const struct partition_cut *cut, int count,
                  bool multilevel, struct partition_cut *out)
{
    int found = 0;
    for (int i = 0; i < count && found < PARTITION_CUTS_MOST; i++) {
        struct partition_cut c = cut[i];
        struct partition_report ignored;
        bool again = false;
        c.method = partition_first_method(g, o, c.method);
        bool metis = !strcmp(c.method, "metis") || !strcmp(c.method, "metis-bytes");
        if (c.parts < 2 || !(multilevel ? !strcmp(c.method, "multilevel") : metis)) continue;
        if (partition_memo_find(o->memo, g, c.method, c.parts, c.share, o->seed, NULL, &ignored)) continue;
        for (int k = 0; k < found; k++) again |= same_cut(&out[k], &c);
        if (!again) out[found++] = c;
    }
    return found;
}

/* METIS uses one thread: several runs side by side. */
static void metis_ahead(const struct graph *g, const struct partition_options *o, const struct multilevel_cut *job,
                        const struct partition_cut *list, int todo)
{
    struct partition_report report = {.metis_bytes = metis_bytes(g, 1)};
#pragma omp parallel for schedule(dynamic, 1) num_threads(partition_together(g, o->threads))
    for (int i = 0; i < todo; i++) {
        struct err mine = {0};
        const char *method = list[i].method;
        const int parts = job[i].parts;
        struct partition_report other;
        if (partition_memo_claim(o->memo, g, method, parts, job[i].share, o->seed, NULL, &other)) continue;
        if (metis_split(g, 1, parts, job[i].share, o->seed, !strcmp(method, "metis-bytes"), job[i].part, &mine) ==
            ST_OK)
            partition_memo_keep(o->memo, g, method, parts, job[i].share, o->seed, job[i].part, &report);
        partition_memo_settle(o->memo, g, method, parts, job[i].share, o->seed);
    }
}

static void multilevel_ahead(const struct graph *g, const struct partition_options *o, const struct multilevel_cut *job,
                             const struct partition_cut *list, int todo)
{
    struct partition_report report = {0};
    struct err ignored = {0};
    if (multilevel_split(g, job, todo, o->seed, o->threads, &ignored) != ST_OK) return;
    for (int i = 0; i < todo; i++)
        partition_memo_keep(o->memo, g, list[i].method, job[i].parts, job[i].share, o->seed, job[i].part, &report);
}

/* Whether it saves anything to make that many cuts ahead, and there is memory for it. */
static bool worth_it(const struct graph *g, const struct partition_options *o, bool multilevel, int cuts)
{
    int together = partition_together(g, o->threads);
    if (cuts < 2) return false;
    if (multilevel) return !o->memory || multilevel_bytes(g, o->threads) + g->n * (uint64_t)cuts <= o->memory;
    return together > 1 && metis_possible(g, 1) && (!o->memory || (uint64_t)together * metis_bytes(g, 1) <= o->memory);
}

void partition_ahead(const struct graph *g, const struct partition_options *o, const struct partition_cut *cut,
                     int count)
{
    enum st st = ST_OK;
    struct err ignored = {0}, *err = &ignored;
    struct partition_cut list[PARTITION_CUTS_MOST];
    struct multilevel_cut job[PARTITION_CUTS_MOST];
    uint8_t *part = NULL;
    if (!o->memo || o->given || !g->n) return;
    for (int multilevel = 0; multilevel < 2; multilevel++) {
        int todo = needed(g, o, cut, count, multilevel, list);
        if (!worth_it(g, o, multilevel, todo)) continue;
        mem_free(part);
        NEW(part, g->n * (uint64_t)todo, "parts of the graph");
        for (int i = 0; i < todo; i++)
            job[i] = (struct multilevel_cut){list[i].parts, list[i].share, part + (uint64_t)i * g->n};
        (multilevel ? multilevel_ahead : metis_ahead)(g, o, job, list, todo);
    }
done:
    (void)st;
    mem_free(part);
}
