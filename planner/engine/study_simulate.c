/* study_simulate.c - plans of a study on held-out epochs (declared in study.h). */
#include <string.h>

#include "base/machine.h"
#include "base/mem.h"
#include "base/units.h"
#include "planner/engine/study.h"
#include "planner/engine/thin.h"
#include "simulator/caches/dynamic.h"
#include "simulator/movement/simulated.h"
#include "traces/graph/rows.h"

/* ---- simulates the cells of a study whose policy holds features in a dynamic cache ---- */

/* The results with the cache replace those of the plan without features. */
static enum st set_results(const struct study *s, const struct dynamic_request *d, int i, struct replay *out,
                           const struct dynamic_counts *counts, struct study_cell *cell, struct err *err)
{
    struct plan *p = &cell->plan;
    doc_free(cell->dynamic);
    cell->dynamic = dynamic_document(d, i, counts, false);
    return simulated_make(&s->o.timing, s->o.server, p, out, NULL, s->o.graph, &p->simulated, err);
}

/* Replays the mini-batches of r against the caches of those of list[0..count) that have one: sets plan.simulated (in
 * place of what is there) and `dynamic`. Admission at the end of a mini-batch, one cache per GPU. All cells share one
 * recording, r is its request. */
static enum st study_dynamic(const struct study *s, const struct replay_request *r, struct study_cell *const *list,
                             int count, struct err *err)
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
    if (cell[0]->plan.simulated) d.bare = &cell[0]->plan.simulated->replay;
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

/* ---- judging ---- */

/* Placements that one pass can take: a byte per row each, within an eighth of the limit. */
static int pass_size(const struct study *s, int wanted)
{
    uint64_t limit = mem_limit() ? mem_limit() : machine_memory(), each = graph_items(s->o.graph) + 1,
             most = limit / 8 / each;
    return most < 2 ? 2 : most > (uint64_t)wanted ? wanted : (int)most;
}

/* One pass: the cells in `list`, and an empty placement for the cost with nothing cached. sample: the rows that their
 * placements number; NULL: all. */
static enum st simulate_pass(struct study *s, struct study_recording *r, struct study_cell **list, int count,
                             const struct replay_sample *sample, struct err *err)
{
    enum st st = ST_OK;
    struct replay *out = NULL;
    const struct placement **p = NULL;
    OWNED struct placement *empty = NULL;
    struct replay_request q = study_request(s, r);
    q.sample = sample;
    NEW(out, count + 1, "results");
    NEW(p, count + 1, "results");
    NEW(empty, 1, "results");
    empty->gpus = s->o.server->gpus;
    for (int i = 0; i < count; i++) p[i] = &list[i]->plan.placement;
    p[count] = empty;
    TRY(replay_run(&q, p, count + 1, out, err));
    for (int i = 0; i < count; i++) {
        struct plan *plan = &list[i]->plan;
        TRY(simulated_make(&s->o.timing, s->o.server, plan, &out[i], &out[count], s->o.graph, &plan->simulated, err));
    }
    r->uncached = 0; /* rounded as a plan states it, so that an empty plan reads all of it */
    for (int g = 0; g < empty->gpus; g++)
        r->uncached += units_round_half_up(out[count].gpu[g].topology, r->epochs) +
                       units_round_half_up(out[count].gpu[g].feature, r->epochs);
done:
    for (int i = 0; out && i <= count; i++) replay_release(&out[i]);
    mem_free(out);
    mem_free(p);
    return st;
}

/* In as many passes as memory asks for. */
static enum st simulate_list(struct study *s, struct study_recording *r, struct study_cell **list, int count,
                             const struct replay_sample *sample, struct err *err)
{
    const int step = pass_size(s, count);
    for (int at = 0; at < count; at += step)
        PASS(simulate_pass(s, r, list + at, count - at < step ? count - at : step, sample, err));
    return ST_OK;
}

/* The planned cells of a recording, those of all rows or those of a sample. Returns how many. */
static int list_cells(const struct study_recording *r, struct study_cell *cells, int count, bool sampled,
                      struct study_cell **list)
{
    int n = 0;
    for (int k = 0; k < count; k++)
        if (cells[k].recording == r && cells[k].sampled == sampled && cells[k].verdict.status == POLICY_OK)
            list[n++] = &cells[k];
    return n;
}

enum st study_simulate(struct study *s, struct study_cell *cells, int count, struct err *err)
{
    enum st st = ST_OK;
    struct study_cell **list = NULL;
    if (s->o.simulate_epochs == 0) {
        study_course_end(s);
        return ST_OK;
    }
    NEW(list, count, "a list of cells");
    study_course_step(s, STEP_SIMULATE);
    study_stage_begin(s, "simulation");
    study_drop_pages(s);
    graph_prefetch_pages(s->o.graph);
    for (int i = 0; i < s->recordings; i++) {
        int n = list_cells(s->recording[i], cells, count, false, list);
        TRY(simulate_list(s, s->recording[i], list, n, NULL, err));
        struct replay_request q = study_request(s, s->recording[i]);
        TRY(study_dynamic(s, &q, list, n, err));
        n = list_cells(s->recording[i], cells, count, true, list);
        if (!n) continue;
        const struct replay_sample sample = thin_sample(s->recording[i]->thin);
        TRY(simulate_list(s, s->recording[i], list, n, &sample, err));
    }
done:
    study_stage_end(s);
    study_course_end(s);
    mem_free(list);
    return st;
}
