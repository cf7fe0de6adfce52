/* inference_compare.c - `compare` with --job inference (declared in inference_commands.h). */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/inference/inference_commands.h"
#include "planner/inference/inference_document.h"
#include "reports/tables/tables.h"

enum { SERVERS = 32 };

struct rows {
    const struct inference_question *q;
    doc *array;
    const char *budget;
};

static void add_row(const struct inference_outcome *o, void *to)
{
    struct rows *r = to;
    char name[200];
    doc *d = inference_choice_document(r->q, o);
    snprintf(name, sizeof name, "%s, %s", r->q->server->name, r->budget);
    DOC_PUT(d, IS("server", r->q->server->name), IS("budget", r->budget), IS("machine", name));
    doc_append(r->array, d);
}

/* All choices on one server with one budget; that nothing fits is said by the rows. */
static enum st add_rows(struct call *call, const struct inference_given *given, const struct graph *g, doc **head,
                        doc *array, struct err *err)
{
    enum st st;
    struct inference_question *q = NULL;
    struct inference_outcome *o = NULL;
    NEW(q, 1, "a question");
    NEW(o, 1, "a plan");
    q->graph = g;
    TRY(inference_question_make(call, given, q, err));
    struct rows r = {q, array, given->budget ? given->budget->text : "memory"};
    if (!*head) *head = inference_question_document(q);
    st = inference_choose(q, o, add_row, &r, err);
    if (st == ST_NO) {
        err_clear(err);
        st = ST_OK;
    }
done:
    if (o) inference_outcome_release(o);
    if (q) inference_question_end(q);
    mem_free(o);
    mem_free(q);
    return st;
}

/* Takes array. *out: what the rows share, and the rows. */
static doc *document_of(const doc *head, doc *array)
{
    static const char *const shared[] = {"job", "hotset_version", "mode", "graph", "model", "evaluated"};
    doc *d = doc_object();
    doc_put(d, "schema", doc_text("inference-rows/1"));
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        doc_put(d, shared[i], doc_copy(doc_get(head, shared[i])));
    doc_put(d, "rows", array);
    return d;
}

enum st inference_compare_run(struct call *call, const struct inference_given *given, const char *servers,
                              const char *budgets, const char *output, struct err *err)
{
    OWNED_BY(graph_close) struct graph g = {0};
    char text[2048], *name[SERVERS];
    struct budget budget[BUDGET_LIST_MAX] = {{.kind = BUDGET_MEMORY, .text = "memory"}};
    int count, sizes = 1;
    OWNED_DOC doc *d = NULL, *head = NULL, *array = doc_array();
    if (output) PASS(output_check(output, "inference-rows/1", err));
    if (budgets) PASS(budget_list(budgets, false, "--budget", budget, &sizes, err));
    snprintf(text, sizeof text, "%s", servers);
    count = text_split(text, ',', name, SERVERS);
    if (count < 1) return err_set(err, ST_USAGE, "--server: expected 1 to %d servers", SERVERS);
    PASS(options_graph(given->graph, call->threads, &g, err));
    for (int i = 0; i < count; i++)
        for (int b = 0; b < sizes; b++) {
            struct inference_given one = *given;
            one.graph = NULL;
            one.server = name[i];
            one.budget = &budget[b];
            PASS(add_rows(call, &one, &g, &head, array, err));
        }
    d = document_of(head, array);
    array = NULL;
    if (output) PASS(doc_save(d, output, err));
    if (call_prints(call)) columns_show(inference_choices, doc_get(d, "rows"), NULL, call->out);
    return call_finish(call, TAKE(d), err);
}
