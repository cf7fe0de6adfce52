/* typed_simulate.c - 'hotset simulate' and 'hotset verify' on plans of typed graphs (declared in typed_study.h). */
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/units.h"
#include "planner/typed/typed_opened.h"
#include "planner/study/plan_tables_print.h"
#include "planner/typed/typed_work.h"
#include "simulator/movement/simulated.h"
#include "simulator/replay/batches.h"

/* Replays, prints, and gives the counts as the result. */
static enum st count(struct call *call, struct typed_opened *x, const struct replay_request *r, struct err *err)
{
    struct plan *p = &x->plan;
    struct replay out = {0};
    const struct placement *one = &p->placement;
    enum st st;
    stage_begin(&call->stages, "simulation");
    TRY(replay_run(r, &one, 1, &out, err));
    stage_end(&call->stages);
    doc_free(p->simulated);
    p->simulated = simulated_document(p, &out, &x->graph);
    if (!call->common.json) plan_tables_print(p, &x->graph, call->out);
    doc *d = doc_object();
    doc_put(d, "schema", doc_text("simulation/2"));
    doc_put(d, "policy", doc_text(p->policy));
    doc_put(d, "graph", graph_document(&x->graph));
    doc_put(d, "simulated", doc_copy(p->simulated));
    TRY(call_finish(call, d, err));
done:
    replay_release(&out);
    return st;
}

/* Writes the mini-batches, and gives batches.json as the result. */
static enum st write_batches(struct call *call, const struct typed_simulation *q, const struct replay_request *r,
                             struct err *err)
{
    int readers[GPUS_MAX], count = 0;
    doc *d = NULL;
    enum st st = ST_OK;
    for (int g = 0; g < r->assignment->gpus; g++)
        if (q->gpu < 0 || r->assignment->id[g] == q->gpu) readers[count++] = g;
    if (!count) FAIL(ST_USAGE, "--gpu %lld: the plan has no such GPU", (long long)q->gpu);
    stage_begin(&call->stages, "mini-batches");
    TRY(batches_save(r, readers, count, q->batches, &d, err));
    stage_end(&call->stages);
    call_say(call, "mini-batches written to %s", q->batches);
    TRY(call_finish(call, d, err));
done:
    return st;
}

enum st typed_simulate_run(struct call *call, const struct typed_simulation *q, struct err *err)
{
    const char *const known[] = {"graph", "epochs", q->batches ? "export-batches" : NULL, "gpu", NULL};
    struct typed_opened *x = NULL;
    enum st st;
    TRY(typed_only_options(call, known, err));
    if (q->batches) TRY(output_check(q->batches, "batches.json", err));
    TRY(typed_opened_open(call, call->words[0], q->graph, &x, err));
    const struct plan *p = &x->plan;
    uint64_t seed = call_given(call, "seed") ? (uint64_t)call->common.seed : study_held_out_seed(p->workload.seed);
    if (p->workload.seed == seed)
        FAIL(ST_USAGE, "--seed %llu: is the plan's own seed, so the epochs would not be held out; choose another",
             (unsigned long long)seed);
    const struct replay_request r = {.graph = &x->graph,
                                     .assignment = &p->assignment,
                                     .workload = &p->workload,
                                     .line_bytes = p->line_bytes,
                                     .epochs = q->epochs
                                                   ? (uint64_t)q->epochs
                                                   : replay_default_epochs(&x->graph, &p->assignment, &p->workload),
                                     .seed = seed,
                                     .threads = call->threads,
                                     .progress = call_progress(call)};
    if (q->batches) TRY(write_batches(call, q, &r, err));
    else TRY(count(call, x, &r, err));
done:
    typed_opened_close(x);
    return st;
}

enum st typed_verify_run(struct call *call, const char *graph, struct err *err)
{
    static const char *const headers[] = {"check", "what", "result", NULL};
    struct typed_opened *x = NULL;
    struct table *t = NULL;
    char text[UNIT_TEXT];
    uint64_t rows = 0;
    doc *d = NULL;
    enum st st = typed_opened_open(call, call->words[0], graph, &x, err);
    if (st == ST_INPUT && x && x->graph.types) st = err->code = ST_NO; /* a plan that is there, but not good */
    if (st != ST_OK) goto done;
    for (int g = 0; g < x->plan.assignment.gpus; g++) rows += placement_count(&x->plan.placement, g);
    if (!call->common.json) {
        t = table_new(headers);
        table_add(t, "plan");
        table_add(t, "checksums of plan.json and of every array; GPUs, cliques and peers");
        table_add(t, "good");
        table_add(t, "rows");
        table_add(t, "%s rows of %d tables, none twice on a GPU; no vertex trained twice; no budget exceeded",
                  units_count(text, rows), x->graph.tables);
        table_add(t, "good");
        table_add(t, "graph");
        table_add(t, "%s: the fingerprint that graph.json states", x->graph.path);
        table_add(t, "the plan's");
        table_print(t, call->out);
    }
    d = doc_object();
    doc_put(d, "schema", doc_text("verification/2"));
    doc_put(d, "plan", doc_text(call->words[0]));
    doc_put(d, "rows", doc_integer((int64_t)rows));
    doc_put(d, "result", doc_text("good"));
    TRY(call_finish(call, d, err));
done:
    table_free(t);
    typed_opened_close(x);
    return st;
}
