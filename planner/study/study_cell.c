#include "planner/study/study_cell.h"

const char *study_cell_hotness(const struct study_cell *c) { return c->hotness ? c->hotness : c->policy->hotness; }

enum rate_source study_cell_source(const struct study_cell *c)
{
    return c->policy->needs_estimates ? rate_source_of(study_cell_hotness(c)) : RATE_SOURCES;
}

void study_cell_release(struct study_cell *c)
{
    plan_release(&c->plan);
    doc_free(c->dynamic);
    doc_free(c->sums);
    c->dynamic = c->sums = NULL;
}
