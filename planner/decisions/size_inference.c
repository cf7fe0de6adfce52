#include "planner/decisions/size_inference.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/decisions/size_stand_in.h"
#include "planner/decisions/size_target.h"
#include "planner/inference/inference_document.h"
#include "reports/tables/tables.h"

enum { SERVERS = 32 };

/* What was found of one server. */
struct found {
    char server[64];
    int gpus;
    bool fits, meets;
    double seconds;
};

struct sizing {
    const struct size_inference *a;
    const struct graph *graph;
    double enlarge;
    struct size_target target[SIZE_TARGETS_MAX];
    int targets, count;
    char facts[600]; /* of a stand-in; "" otherwise */
    struct found found[SERVERS];
    doc *head, *rows; /* owned */
};

static enum st read_targets(struct sizing *z, struct err *err)
{
    if (!z->a->target) return ST_OK;
    PASS(size_targets(z->a->target, z->target, &z->targets, err));
    for (int i = 0; i < z->targets; i++)
        if (z->target[i].metric != SIZE_SECONDS)
            return err_set(err, ST_USAGE,
                           "--target %s: has no meaning with --job inference; expected epoch-time<=TIME, the time of "
                           "one pass",
                           z->target[i].text);
    return ST_OK;
}

static doc *row_of(const struct inference_question *q, const struct inference_outcome *o, const struct found *f)
{
    doc *d = inference_choice_document(q, o);
    DOC_PUT(d, IS("server", f->server), IS("gpus", f->gpus), IS("meets_targets", f->meets));
    return d;
}

/* Keeps the reason of the choice that fails last, the smallest need. */
static void note_why(const struct inference_outcome *o, void *to)
{
    if (!o->fits) memcpy(to, o->why, sizeof o->why);
}

static enum st try_server(struct call *call, struct sizing *z, const char *name, struct err *err)
{
    enum st st;
    struct inference_question *q = NULL;
    struct inference_outcome *o = NULL;
    struct inference_given given = z->a->given;
    struct found *f = &z->found[z->count++];
    char why[sizeof o->why] = "";
    given.graph = NULL;
    given.server = name;
    NEW(q, 1, "a question");
    NEW(o, 1, "a plan");
    q->graph = z->graph;
    q->enlarge = z->enlarge;
    TRY(inference_question_make(call, &given, q, err));
    if (!z->head) z->head = inference_question_document(q);
    snprintf(f->server, sizeof f->server, "%s", q->server->name);
    f->gpus = q->server->gpus;
    st = inference_choose(q, o, note_why, why, err);
    if (st != ST_OK && st != ST_NO) goto done;
    f->fits = st == ST_OK;
    f->seconds = f->fits ? o->seconds * q->enlarge : NAN;
    f->meets = f->fits;
    for (int i = 0; i < z->targets; i++) f->meets &= size_meets(&z->target[i], f->seconds);
    if (st == ST_NO) {
        err_clear(err);
        memcpy(o->why, why, sizeof why);
        o->choice.order = q->order[0];
        st = ST_OK;
    }
    doc_append(z->rows, row_of(q, o, f));
done:
    if (o) inference_outcome_release(o);
    if (q) inference_question_end(q);
    mem_free(o);
    mem_free(q);
    return st;
}

/* The answer: a position in found, or -1. */
static int size_inference_choose(const struct sizing *z)
{
    int best = -1;
    for (int i = 0; i < z->count; i++) {
        const struct found *f = &z->found[i], *b = best < 0 ? NULL : &z->found[best];
        if (!f->meets) continue;
        if (!b || f->gpus < b->gpus || (f->gpus == b->gpus && f->seconds < b->seconds)) best = i;
    }
    return best;
}

static void size_inference_sentence(const struct sizing *z, int chosen, char out[500])
{
    char time[UNIT_TEXT];
    const struct found *f = chosen < 0 ? NULL : &z->found[chosen];
    for (int i = 0; chosen < 0 && i < z->count; i++)
        if (z->found[i].fits && (!f || z->found[i].seconds < f->seconds)) f = &z->found[i];
    if (chosen >= 0)
        snprintf(out, 500, "%s, with %d GPUs, computes all in %s", f->server, f->gpus,
                 isnan(f->seconds) ? "a time that is not known" : units_seconds(time, f->seconds));
    else if (f)
        snprintf(out, 500, "no server meets %s; the fastest, %s, takes %s", z->a->target ? z->a->target : "it",
                 f->server, isnan(f->seconds) ? "a time that is not known" : units_seconds(time, f->seconds));
    else snprintf(out, 500, "the job fits none of the servers; see 'does not fit'");
}

static enum st tell(struct call *call, struct sizing *z, struct err *err)
{
    enum st st = ST_OK;
    char text[500];
    int chosen = size_inference_choose(z);
    doc *d = TAKE(z->head);
    size_inference_sentence(z, chosen, text);
    DOC_PUT(d, IS("schema", "inference-size/1"),
            IS("server", chosen < 0 ? doc_null() : doc_text(z->found[chosen].server)), IS("target", z->a->target),
            IS("answer", text), IS("rows", z->rows));
    if (*z->facts) DOC_PUT(d, IS("stand_in", z->facts));
    z->rows = NULL;
    if (z->a->output) st = doc_save(d, z->a->output, err);
    if (st == ST_OK && call_prints(call)) {
        if (*z->facts) fprintf(call->out, "%s\n\n", z->facts);
        columns_show(inference_choices, doc_get(d, "rows"), NULL, call->out);
        if (chosen >= 0) fprintf(call->out, "\n%s\n", text);
    }
    if (st != ST_OK) doc_free(d);
    else st = call_finish(call, d, err);
    return st == ST_OK && chosen < 0 ? err_set(err, ST_NO, "--job inference: %s", text) : st;
}

static enum st open_graph(struct call *call, struct sizing *z, struct stand_in *s, struct graph *own, struct err *err)
{
    const struct size_inference *a = z->a;
    double scale = a->scale;
    z->enlarge = 1;
    z->graph = own;
    PASS(stand_in_named(a->like, a->reverse, err));
    if (!a->like) return options_graph(a->given.graph, call->threads, own, err);
    if (!strcmp(a->given.args->mode, "sampled"))
        return err_set(err, ST_USAGE,
                       "--mode sampled: a stand-in has too few mini-batches of the full size; name a graph (--graph)");
    if (!(scale > 0)) scale = stand_in_scale(a->like);
    PASS(stand_in_make(call, a->like, scale, a->reverse, a->train_share, NULL, (uint64_t)call->common.seed, s, err));
    z->graph = &s->graph;
    z->enlarge = 1 / scale;
    stand_in_facts(a->like, z->graph, z->enlarge, s->trains, z->facts, sizeof z->facts);
    return ST_OK;
}

enum st size_inference_run(struct call *call, const struct size_inference *a, struct err *err)
{
    enum st st;
    struct sizing *z = NULL;
    ON_HEAP(struct stand_in, stand_in);
    struct graph own = {0};
    char text[2048], *name[SERVERS];
    NEW(z, 1, "a size question");
    z->a = a;
    z->rows = doc_array();
    TRY(read_targets(z, err));
    if (a->output) TRY(output_check(a->output, "inference-size/1", err));
    snprintf(text, sizeof text, "%s", a->servers);
    int count = text_split(text, ',', name, SERVERS);
    if (count < 1) FAIL(ST_USAGE, "--server: expected 1 to %d servers", SERVERS);
    TRY(open_graph(call, z, stand_in, &own, err));
    for (int i = 0; i < count; i++) TRY(try_server(call, z, name[i], err));
    TRY(tell(call, z, err));
done:
    stand_in_release(stand_in);
    graph_close(&own);
    if (z) {
        doc_free(z->head);
        doc_free(z->rows);
    }
    mem_free(z);
    return st;
}
