#include "simulator/plan/plan_give.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/ranks.h"

void plan_flat(const struct plan *p, struct plan *flat)
{
    *flat = *p;
    memset(flat->assignment.train, 0, sizeof flat->assignment.train);
    memset(flat->assignment.circle, 0, sizeof flat->assignment.circle);
    for (int g = 0; g < GPUS_MAX; g++) {
        flat->placement.topology[g].id = flat->placement.feature[g].id = NULL;
        flat->clique[g].sweep = NULL;
    }
    flat->places = NULL;
    flat->expected = NULL;
    flat->simulated = NULL;
    flat->server = flat->notes = NULL;
    flat->bound = (struct plan_bound){0};
}

/* mine: this rank gives; l has the count on every rank. */
static enum st give_rows(struct row_list *l, int from, bool mine, struct err *err)
{
    if (!mine) MAKE(l->id, l->count, "the rows of a plan");
    if (!mine) l->capacity = l->count;
    return ranks_give(from, l->id, l->count * sizeof *l->id, err);
}

/* The server, and members that the policy stated, as text: plan.json is written from the same digits. */
static enum st give_document(doc **stated, int from, bool mine, struct err *err)
{
    enum st st = ST_OK;
    char *text = NULL, *got = NULL;
    size_t bytes = 0;
    if (mine && *stated) TRY(doc_dump(*stated, &text, &bytes, err));
    TRY(ranks_give(from, &bytes, sizeof bytes, err));
    if (!bytes) goto done;
    if (!mine) NEW(got, bytes, "a document of a plan");
    TRY(ranks_give(from, mine ? text : got, bytes, err));
    if (!mine) TRY(doc_parse(got, bytes, "a plan of another rank", stated, err));
done:
    free(text);
    mem_free(got);
    return st;
}

enum st plan_give(struct plan *p, int from, const struct assignment *of, struct err *err)
{
    enum st st = ST_OK;
    struct plan *got = NULL, *to = p;
    bool mine = from == ranks_number();
    if (ranks_count() < 2) return ST_OK;
    NEW(got, 1, "a plan");
    plan_flat(p, got);
    TRY(ranks_give(from, got, sizeof *got, err));
    if (!mine) to = got;
    for (int g = 0; g < got->placement.gpus; g++) {
        TRY(give_rows(&to->placement.topology[g], from, mine, err));
        TRY(give_rows(&to->placement.feature[g], from, mine, err));
    }
    for (int c = 0; c < got->assignment.cliques; c++) {
        uint64_t points = (uint64_t)got->clique[c].sweep_count;
        if (!mine && points) NEW(got->clique[c].sweep, points, "the sweep");
        TRY(ranks_give(from, to->clique[c].sweep, points * sizeof(struct plan_sweep), err));
    }
    uint64_t expected = (uint64_t)got->assignment.cliques * (uint64_t)got->tables;
    if (!mine && expected) NEW(got->expected, expected, "predictions");
    TRY(ranks_give(from, to->expected, expected * sizeof *to->expected, err));
    TRY(give_document(&to->notes, from, mine, err));
    TRY(give_document(&to->server, from, mine, err));
    if (mine) goto done;
    TRY(assignment_copy(of, &got->assignment, err));
    plan_release(p);
    *p = *got;
    memset(got, 0, sizeof *got);
done:
    if (got && !mine) plan_release(got);
    mem_free(got);
    return st;
}
