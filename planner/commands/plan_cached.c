#include "planner/commands/plan_cached.h"

#include "base/mem.h"
#include "planner/study/rounding.h"

enum st plan_cached_set(const char *word, const char *runtime, const char *features, struct graph *g, struct err *err)
{
    enum precision p = precision_named(word);
    if (p == PRECISIONS) return err_set(err, ST_USAGE, "--cache-type '%.40s': expected " PRECISION_WORDS, word);
    if (precision_row_bytes(p, g->feature_dim) >= g->row_bytes)
        return err_set(err, ST_USAGE,
                       "--cache-type %s: a row of %s has %llu bytes on the host and would take %llu; only smaller rows "
                       "are worth rounding",
                       word, g->path, (unsigned long long)g->row_bytes,
                       (unsigned long long)precision_row_bytes(p, g->feature_dim));
    if (runtime)
        return err_set(err, ST_USAGE, "--for %s: the runtime holds features as the host does; leave --cache-type out",
                       runtime);
    g->cached = p;
    return features ? rounding_check(features, g->n, g->feature_dim, err) : ST_OK;
}

enum st plan_cached_measure(const struct call *call, const char *file, const struct study *s, struct study_cell *cell,
                            struct err *err)
{
    const struct graph *g = s->o.graph;
    const struct plan *p = &cell->plan;
    uint8_t *held = NULL;
    doc *measured = NULL;
    enum st st = ST_OK;
    NEW(held, g->n, "marks of rows that are held");
    for (int i = 0; i < p->assignment.gpus; i++)
        for (uint64_t k = 0; k < p->placement.feature[i].count; k++) held[p->placement.feature[i].id[k]] = 1;
    const struct rounding_input in = {.file = file,
                                      .to = g->cached,
                                      .rows = g->n,
                                      .dim = g->feature_dim,
                                      .held = held,
                                      .gathers = cell->recording->trace->feature,
                                      .gpus = p->assignment.gpus,
                                      .threads = call->threads,
                                      .kernels = s->o.kernels};
    TRY(rounding_measure(&in, &measured, err));
    plan_state(&cell->plan, "rounding", measured);
done:
    mem_free(held);
    return st;
}

void plan_cached_print(const struct plan *p, FILE *to)
{
    const doc *measured = doc_get(p->stated, "rounding");
    if (measured) rounding_print("features", measured, to);
}
