#include "planner/commands/below_caches.h"

#include "base/columns.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "simulator/movement/memories_read.h"
#include "simulator/storage/storage_dynamic.h"

enum st below_caches_check(const struct call *call, const struct dynamic_cache_args *a, const struct graph *g,
                           const struct plan *p, struct err *err)
{
    const struct cache *rule[CACHES_MAX];
    int count = 0;
    static const char *const of_gpus[] = {"cache-rows", "cache-budget", "cache-share", "admission"};
    for (size_t i = 0; i < sizeof of_gpus / sizeof *of_gpus; i++)
        if (call_given(call, of_gpus[i]))
            return err_set(err, ST_USAGE,
                           "--%s: is of caches on GPUs; the plan's SSDs are read below one cache in DRAM, which holds "
                           "as many rows as the plan's lists; leave it out",
                           of_gpus[i]);
    if (!graph_plain(g))
        return err_set(err, ST_USAGE,
                       "--cache: rules replace rows of one size, but %s has several types; leave --cache out", g->path);
    if (!p->places->drives.count || p->places->nodes > 1)
        return err_set(err, ST_USAGE,
                       "%s: states memories below its GPUs for what its lists leave, and --cache replaces these "
                       "lists; plan without --host-memory and --nodes to compare caches on GPUs, or with --ssd to "
                       "compare them in DRAM",
                       call->words[0]);
    return dynamic_cache_list(call, a->cache, rule, &count, err);
}

static doc *cache_document(const struct cache *rule, const struct storage_cache *storage_cache, const struct plan *p,
                           uint64_t rows, uint64_t epochs)
{
    doc *d = doc_object();
    const struct memories_read *m = p->simulated->memories;
    const double blocks = (double)storage_cache->blocks / (double)epochs;
    uint64_t homes = 0, last = 0; /* feature rows read */
    for (int k = 0; k < m->places; k++) {
        const enum place_role role = place_kind_table[m->place[k].kind].role;
        homes += role == ROLE_HOME ? m->place[k].feature_rows : 0;
        last += role == ROLE_LAST ? m->place[k].feature_rows : 0;
    }
    DOC_PUT(d, IS("cache", rule->name), IS("rows", doc_unsigned(rows)),
            IS("requests", doc_unsigned(storage_cache->rows.requests)),
            IS("misses", doc_unsigned(storage_cache->rows.misses)),
            IS("miss_rate", (double)storage_cache->rows.misses / (double)storage_cache->rows.requests),
            IS("static_miss_rate", (double)last / (double)(homes + last)), IS("blocks_per_epoch", blocks));
    doc_put(d, "ssd_seconds", doc_real(drives_seconds(&p->places->drives, blocks)));
    return d;
}

enum st below_caches(const struct call *call, const struct dynamic_cache_args *a, const struct replay_request *r,
                     const struct plan *p, doc *list, struct err *err)
{
    const struct cache *rule[CACHES_MAX];
    const struct plan_places *below = p->places;
    int count = 0;
    uint64_t rows = 0;
    PASS(dynamic_cache_list(call, a->cache, rule, &count, err));
    for (int k = 0; k < below->places; k++)
        if (place_role(&below->place[k]) == ROLE_HOME) rows += below->list[LIST_FEATURE][k].count;
    if (!rows) return err_set(err, ST_NO, "%s: its DRAM holds no feature rows, so no cache has room", call->words[0]);
    OWNED_NEW(struct storage_cache, out, CACHES_MAX, "caches in DRAM");
    PASS(storage_dynamic(r, &p->placement, below->drives.block_bytes, rows, rule, count, out, err));
    for (int i = 0; i < count; i++) doc_append(list, cache_document(rule[i], &out[i], p, rows, r->epochs));
    return ST_OK;
}

void below_caches_print(const doc *list, FILE *to)
{
    static const struct column columns[] = {COLUMN("DRAM holds features by", "cache", CELL_TEXT),
                                            COLUMN("rows", "rows", CELL_COUNT),
                                            COLUMN("misses of host reads", "miss_rate", CELL_PERCENT),
                                            COLUMN("planned list", "static_miss_rate", CELL_PERCENT),
                                            COLUMN("blocks/epoch", "blocks_per_epoch", CELL_COUNT),
                                            COLUMN("SSD time/epoch", "ssd_seconds", CELL_SECONDS),
                                            {0}};
    if (!doc_size(list)) return;
    fputc('\n', to);
    columns_show(columns, list, NULL, to);
    terminal_print(to, "misses of host reads: of the feature rows that no GPU served; blocks: of features alone; "
                       "caches "
                       "begin empty\n");
}
