#include "planner/typed/typed_opened.h"

#include <stdio.h>

#include "base/mem.h"

enum st typed_opened_open(const struct call *call, const char *path, const char *graph, struct typed_opened **out,
                          struct err *err)
{
    struct typed_opened *x = NULL;
    char where[PATH_BYTES];
    enum st st = ST_OK;
    NEW(x, 1, "a plan");
    *out = x;
    if (graph) snprintf(where, sizeof where, "%s", graph);
    else TRY(plan_graph_path(path, where, err));
    TRY(graph_open_any(where, call->threads, &x->graph, err));
    TRY(plan_load(path, &x->graph, &x->plan, err));
done:
    return st;
}

void typed_opened_close(struct typed_opened *x)
{
    if (!x) return;
    plan_release(&x->plan);
    graph_close(&x->graph);
    mem_free(x);
}
