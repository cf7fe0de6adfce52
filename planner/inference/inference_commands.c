#include "planner/inference/inference_commands.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/inference/inference_document.h"
#include "planner/inference/inference_file.h"

/* The tables, and the document where --json asks for it. Takes d. */
static enum st tell(struct call *call, doc *d, struct err *err)
{
    if (call_prints(call)) inference_print(d, call->out);
    return call_finish(call, d, err);
}

enum st inference_plan_run(struct call *call, const struct inference_given *given, const char *output, struct err *err)
{
    enum st st;
    struct inference_question *q = NULL;
    struct inference_outcome *o = NULL;
    OWNED_DOC doc *d = NULL;
    NEW(q, 1, "a question");
    NEW(o, 1, "a plan");
    TRY(output_check(output, NULL, err));
    TRY(inference_question_make(call, given, q, err));
    struct inference_list tried = {q, doc_array()};
    st = inference_choose(q, o, inference_list_add, &tried, err);
    if (st != ST_OK) doc_free(tried.array);
    TRY(st);
    d = inference_question_document(q);
    inference_outcome_put(q, o, d);
    doc_put(d, "tried", tried.array);
    TRY(inference_save(q, o, d, output, err));
    TRY(tell(call, TAKE(d), err));
    call_say(call, "plan written to %s", output);
done:
    if (o) inference_outcome_release(o);
    if (q) inference_question_end(q);
    mem_free(o);
    mem_free(q);
    return st;
}

/* What a plan and a count of it must agree in. */
static enum st compare_counts(const char *path, const doc *planned, const doc *counted, struct err *err)
{
    static const char *const keys[] = {"rows",     "own_rows",   "peer_rows", "host_rows",
                                       "ssd_rows", "ssd_blocks", "fill_rows", "topology_bytes"};
    for (uint64_t l = 0; l < doc_size(counted); l++)
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            int64_t is = doc_integer_value(doc_get(doc_at(counted, l), keys[i]), -1);
            int64_t said = doc_integer_value(doc_get(doc_at(planned, l), keys[i]), -1);
            if (is != said)
                return err_set(err, ST_NO, "%s: states %lld %s of layer %d, but its lists give %lld; plan again", path,
                               (long long)said, keys[i], (int)l + 1, (long long)is);
        }
    return ST_OK;
}

enum st inference_simulate_run(struct call *call, const char *path, const char *graph, const char *server,
                               const char *output, struct err *err)
{
    static const char *const known[] = {"graph", "server", "output"};
    enum st st = ST_OK;
    struct inference_question *q = NULL;
    struct inference_outcome *o = NULL;
    OWNED_DOC doc *plan = NULL, *d = NULL;
    for (const struct param *p = call->params; p && p->name; p++) {
        bool good = param_is_alias(p) || !call_given(call, p->name);
        for (size_t i = 0; !good && i < sizeof known / sizeof *known; i++) good = !strcmp(known[i], p->name);
        if (!good)
            FAIL(ST_USAGE, "--%s: has no meaning for %s, a plan of --job inference; leave it out", p->name, path);
    }
    NEW(q, 1, "a question");
    NEW(o, 1, "a plan");
    if (output) TRY(output_check(output, INFERENCE_SCHEMA, err));
    TRY(inference_load(call, path, graph, server, q, o, &plan, err));
    TRY(inference_recount(q, o, err));
    d = inference_question_document(q);
    inference_outcome_put(q, o, d);
    doc_put(d, "memory", doc_copy(doc_get(plan, "memory"))); /* the peaks are the plan's */
    TRY(compare_counts(path, doc_get(plan, "layers"), doc_get(d, "layers"), err));
    if (output) TRY(doc_save(d, output, err));
    TRY(tell(call, TAKE(d), err));
done:
    if (o) inference_outcome_release(o);
    if (q) inference_question_end(q);
    mem_free(o);
    mem_free(q);
    return st;
}
