#include "planner/engine/study_cell.h"

#include "base/mem.h"

const char *study_cell_hotness(const struct study_cell *c) { return c->hotness ? c->hotness : c->policy->hotness; }

enum rate_source study_cell_source(const struct study_cell *c)
{
    return c->policy->needs_estimates ? rate_source_of(study_cell_hotness(c)) : RATE_SOURCES;
}

void study_cell_release(struct study_cell *c)
{
    for (int i = 0; i < c->others; i++) study_cell_release(&c->other[i]);
    mem_free(c->other);
    plan_release(&c->plan);
    doc_free(c->dynamic);
    doc_free(c->traffic);
    c->dynamic = c->traffic = NULL;
    c->other = NULL;
    c->others = 0;
}

enum st study_cell_verdict(const struct study_cell *cell, struct err *err)
{
    if (cell->verdict.status == POLICY_OK) return ST_OK;
    return err_set(err, cell->verdict.absent ? ST_MISSING : ST_NO, "policy %s: %s", cell->policy->name,
                   cell->verdict.reason);
}
