#include "planner/engine/study_dynamic.h"

#include <string.h>

#include "base/mem.h"
#include "simulator/caches/dynamic.h"
#include "simulator/movement/simulated.h"

/* The results with the cache replace those of the plan without features. */
static enum st set_results(const struct study *s, const struct dynamic_request *d, int i, struct replay *out,
                           const struct dynamic_counts *counts, struct study_cell *cell, struct err *err)
{
    struct plan *p = &cell->plan;
    doc_free(cell->dynamic);
    cell->dynamic = dynamic_document(d, i, counts, false);
    return simulated_make(&s->o.timing, s->o.server, p, out, NULL, s->o.graph, &p->simulated, err);
}

enum st study_dynamic(const struct study *s, const struct replay_request *r, struct study_cell *const *list, int count,
                      struct err *err)
{
    enum st st = ST_OK;
    struct study_cell **cell = NULL;
    const struct cache **cache = NULL;
    uint64_t(*rows)[GPUS_MAX] = NULL;
    struct replay *out = NULL;
    OWNED struct dynamic_counts *counts = NULL;
    struct dynamic_request d = {.replay = r, .admission = ADMISSION_BATCH};
    NEW(cell, count, "cells");
    NEW(cache, count, "cells");
    NEW(rows, count, "cells");
    NEW(out, count, "cells");
    NEW(counts, count, "cells");
    for (int i = 0; i < count; i++) {
        const struct plan *p = &list[i]->plan;
        if (!*p->cache) continue;
        TRY(cache_find(p->cache, &cache[d.count], err));
        for (int g = 0; g < p->assignment.gpus; g++)
            BUG_IF(p->placement.feature[g].count || p->placement.topology[g].count);
        memcpy(rows[d.count], p->cache_rows, sizeof rows[0]);
        cell[d.count++] = list[i];
    }
    if (!d.count) goto done;
    d.placement = &cell[0]->plan.placement; /* all of them hold nothing */
    d.cache = cache;
    d.rows = (const uint64_t(*)[GPUS_MAX])rows;
    TRY(dynamic_run(&d, out, counts, err));
    for (int i = 0; i < d.count; i++) TRY(set_results(s, &d, i, &out[i], &counts[i], cell[i], err));
done:
    for (int i = 0; out && i < count; i++) replay_release(&out[i]);
    mem_free(cell);
    mem_free(cache);
    mem_free(rows);
    mem_free(out);
    return st;
}
