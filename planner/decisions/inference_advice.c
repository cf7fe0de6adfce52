#include "planner/decisions/inference_advice.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/inference/inference_document.h"
#include "base/columns.h"

/* How the job is run: what levers change. */
struct way {
    enum inference_order order;
    struct inference_choice chunk[INFERENCE_CHUNKS_MAX];
    int chunks;
    bool cache, half;
};

enum lever_kind { BY_PART, BY_LOCALITY, BY_BFS, CHUNKS, CACHE, HALF, LEVERS };
static const struct {
    const char *name, *asks;
} levers[LEVERS] = {{"order: part", "--chunk-order part; a partition of the graph"},
                    {"order: locality", "--chunk-order locality"},
                    {"order: bfs", "--chunk-order bfs"},
                    {"chunk size", "--chunk auto"},
                    {"cache", "GPUs keep rows and topology of each layer"},
                    {"f16 between layers", "--between f16; check the accuracy"}};

struct result {
    double seconds, bytes;
    doc *choice; /* owned; NULL: does not fit */
};

struct advice {
    struct inference_question *q;
    struct way today, now, sizes; /* sizes: the chunks that `chunk size` tries */
    struct result base, alone[LEVERS], step[LEVERS];
    int place[LEVERS], steps; /* levers in the order of the steps */
};

static void pull(const struct advice *a, enum lever_kind lever, struct way *w)
{
    switch (lever) {
    case BY_PART: w->order = ORDER_BY_PART; break;
    case BY_LOCALITY: w->order = ORDER_BY_LOCALITY; break;
    case BY_BFS: w->order = ORDER_BY_BFS; break;
    case CHUNKS:
        memcpy(w->chunk, a->sizes.chunk, sizeof w->chunk);
        w->chunks = a->sizes.chunks;
        break;
    case CACHE: w->cache = true; break;
    case HALF: w->half = true; break;
    case LEVERS: break;
    }
}

static enum st run_way(struct advice *a, const struct way *w, struct result *out, struct err *err)
{
    enum st st;
    struct inference_question *q = a->q;
    struct inference_outcome *o = NULL;
    NEW(o, 1, "a plan");
    q->orders = 1;
    q->order[0] = w->order;
    memcpy(q->chunk, w->chunk, sizeof q->chunk);
    q->chunks = w->chunks;
    q->no_cache = !w->cache;
    uint64_t element = q->job.element_bytes;
    if (w->half) q->job.element_bytes = 2;
    st = inference_choose(q, o, NULL, NULL, err);
    if (st == ST_OK) {
        out->seconds = o->seconds;
        out->bytes = (double)(o->host_bytes + o->ssd_bytes);
        out->choice = inference_choice_document(q, o);
    }
    q->job.element_bytes = element;
done:
    if (o) inference_outcome_release(o);
    mem_free(o);
    return st;
}

/* What is ranked by: less is better. A setting whose is not known is behind all others. */
static double cost(const struct advice *a, const struct result *r)
{
    if (!r->choice) return INFINITY;
    const double cost = isnan(a->base.seconds) ? r->bytes : r->seconds;
    return isnan(cost) ? INFINITY : cost;
}

/* A lever that does not fit is worth nothing. */
static enum st run_or_not(struct advice *a, const struct way *w, struct result *out, struct err *err)
{
    enum st st = run_way(a, w, out, err);
    if (st != ST_NO) return st;
    err_clear(err);
    return ST_OK;
}

static enum st pull_each(struct advice *a, struct err *err)
{
    for (int i = 0; i < LEVERS; i++) {
        struct way w = a->today;
        pull(a, (enum lever_kind)i, &w);
        PASS(run_or_not(a, &w, &a->alone[i], err));
    }
    return ST_OK;
}

/* The best lever that is left and not of a kind that was taken, or -1. */
static int best_left(const struct advice *a, const bool *taken)
{
    int best = -1;
    for (int i = 0; i < LEVERS; i++)
        if (!taken[i] && isfinite(cost(a, &a->alone[i])) &&
            (best < 0 || cost(a, &a->alone[i]) < cost(a, &a->alone[best])))
            best = i;
    return best;
}

static enum st stack(struct advice *a, struct err *err)
{
    bool taken[LEVERS] = {false};
    double last = cost(a, &a->base);
    a->now = a->today;
    for (int i; (i = best_left(a, taken)) >= 0;) {
        struct way w = a->now;
        struct result r = {0};
        taken[i] = true;
        pull(a, (enum lever_kind)i, &w);
        PASS(run_or_not(a, &w, &r, err));
        if (!(cost(a, &r) < 0.995 * last)) {
            doc_free(r.choice);
            continue;
        }
        last = cost(a, &r);
        a->now = w;
        a->step[a->steps] = r;
        a->place[a->steps++] = i;
        for (int k = BY_PART; i <= BY_BFS && k <= BY_BFS; k++) taken[k] = true; /* one order */
    }
    return ST_OK;
}

static doc *lever_document(const struct advice *a, int lever, const struct result *r)
{
    doc *d = r->choice ? doc_copy(r->choice) : doc_object();
    DOC_PUT(d, IS("name", lever < 0 ? "today" : levers[lever].name), IS("possible", doc_bool(r->choice)));
    doc_put(d, "saves", doc_real(isfinite(cost(a, r)) ? 1 - cost(a, r) / cost(a, &a->base) : NAN));
    doc_put(d, "asks", lever < 0 ? doc_null() : doc_text(levers[lever].asks));
    return d;
}

static doc *document_of(const struct advice *a)
{
    doc *d = inference_question_document(a->q), *alone = doc_array(), *together = doc_array();
    DOC_PUT(d, IS("schema", "inference-advice/1"), IS("ranked_by", isnan(a->base.seconds) ? "bytes" : "seconds"));
    doc_put(d, "today", lever_document(a, -1, &a->base));
    for (int i = 0; i < LEVERS; i++) doc_append(alone, lever_document(a, i, &a->alone[i]));
    for (int i = 0; i < a->steps; i++) doc_append(together, lever_document(a, a->place[i], &a->step[i]));
    DOC_PUT(d, IS("levers", alone), IS("together", together));
    return d;
}

static void lines_print(const char *title, const doc *d, const char *key, FILE *to)
{
    const struct column columns[] = {COLUMN(title, "name", CELL_TEXT),
                                     COLUMN("host bytes", "host_bytes", CELL_BYTES),
                                     COLUMN("SSD bytes", "ssd_bytes", CELL_BYTES),
                                     COLUMN("seconds", "seconds", CELL_SECONDS),
                                     COLUMN("saves", "saves", CELL_PERCENT, .form = "%.1f %%", .none = "does not fit"),
                                     COLUMN("what it asks for", "asks", CELL_LONG, .none = ""),
                                     {0}};
    const doc *rows[LEVERS + 1] = {doc_get(d, "today")};
    uint64_t count = 1;
    for (; count <= LEVERS && count <= doc_size(doc_get(d, key)); count++)
        rows[count] = doc_at(doc_get(d, key), count - 1);
    columns_print(&(struct column_table){.columns = columns, .picked = rows, .picks = count}, to);
}

static enum st find_today(struct advice *a, const struct inference_given *given, struct err *err)
{
    struct inference_question *q = a->q;
    memcpy(a->sizes.chunk, q->chunk, sizeof a->sizes.chunk);
    a->sizes.chunks = q->chunks;
    a->today.order = q->orders == 1 ? q->order[0] : ORDER_BY_ID;
    a->today.chunks = 1;
    a->today.chunk[0] = q->chunks == 1 ? q->chunk[0] : (struct inference_choice){.limit = 4096};
    if (!strcmp(given->args->chunk, "auto") || q->job.workload) return ST_OK;
    if (q->chunks > 1) return err_set(err, ST_USAGE, "--chunk: today's size is one; give one, or auto");
    inference_all_chunks(q); /* the lever tries all of them */
    memcpy(a->sizes.chunk, q->chunk, sizeof a->sizes.chunk);
    a->sizes.chunks = q->chunks;
    return ST_OK;
}

enum st inference_advise_run(struct call *call, const struct inference_given *given, const char *output,
                             struct err *err)
{
    enum st st;
    struct advice *a = NULL;
    OWNED_DOC doc *d = NULL;
    NEW(a, 1, "advice");
    NEW(a->q, 1, "a question");
    if (output) TRY(output_check(output, "inference-advice/1", err));
    TRY(inference_question_make(call, given, a->q, err));
    TRY(find_today(a, given, err));
    TRY(run_way(a, &a->today, &a->base, err));
    TRY(pull_each(a, err));
    TRY(stack(a, err));
    d = document_of(a);
    if (output) TRY(doc_save(d, output, err));
    if (call_prints(call)) {
        lines_print("lever, alone", d, "levers", call->out);
        fputc('\n', call->out);
        lines_print("on top of each other", d, "together", call->out);
    }
    TRY(call_finish(call, TAKE(d), err));
done:
    for (int i = 0; a && i < LEVERS; i++) {
        doc_free(a->alone[i].choice);
        doc_free(a->step[i].choice);
    }
    if (a) doc_free(a->base.choice);
    if (a && a->q) inference_question_end(a->q);
    if (a) mem_free(a->q);
    mem_free(a);
    return st;
}
