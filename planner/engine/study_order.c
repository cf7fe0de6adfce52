#include "planner/engine/study_order.h"

#include <string.h>

#include "base/mem.h"
#include "planner/engine/study_deal.h"
#include "planner/engine/study_scout.h"

/* Candidates, the most random first (bfs spreads a mini-batch over more communities than one block does); K is left
 * out where a mini-batch has fewer vertices. Epochs get shorter from one to the next where there are communities, so a
 * quick study takes the ends, and bfs, which is best where there are none. */
static const struct {
    enum order_kind order;
    uint64_t blocks;
    bool quick;
} orders[ORDERS_MOST] = {{ORDER_SHUFFLE, 0, true}, {ORDER_BLOCKS, 32, false}, {ORDER_BLOCKS, 8, false},
                         {ORDER_BLOCKS, 2, false}, {ORDER_BFS, 0, true},      {ORDER_BLOCKS, 1, true}};

#define UNASKED_ARCS ((uint64_t)1 << 24)
/* Beyond, communities take longer to find than a plan: a quick study leaves blocks out. */
#define QUICK_ARCS ((uint64_t)1 << 27)

bool study_order_planned(const struct study_options *o, const struct policy *policy)
{
    return o->order_auto && !o->given && policy->plans_deal && !workload_edges(&o->workload);
}

/* ---- choosing ---- */

static bool one_batch_each(const struct study_recording *r)
{
    const struct assignment *a = &r->trace->assignment;
    bool one = true;
    for (int g = 0; g < a->gpus; g++) one &= a->train_count[g] <= r->workload.batch;
    return one;
}

static enum st try_order(struct study *s, const struct study_cell *cell, const struct recording_key *key, doc *tried,
                         struct study_recording **r, struct study_score *left, struct err *err)
{
    char text[ORDER_TEXT];
    OWNED_DOC doc *row = doc_object(), *predicted = doc_object();
    OWNED_NEW(struct scouts, scouts, 1, "scouts");
    enum st st = scouts_begin(s, key, scouts, err);
    *r = scouts->r;
    study_stage_begin(s, "planning");
    if (st == ST_OK) st = scouts_place(s, scouts, cell, s->o.threads, predicted, left, err);
    study_stage_end(s);
    scouts_end(s, scouts);
    PASS(st);
    doc_put(row, "order", doc_text(workload_order_text(&(*r)->workload, text)));
    for (const char *k = doc_next_key(predicted, NULL); k; k = doc_next_key(predicted, k))
        doc_put(row, k, doc_copy(doc_get(predicted, k)));
    doc_append(tried, row);
    row = NULL;
    return ST_OK;
}

static bool tries(const struct study_options *o, int i)
{
    const bool finds = orders[i].blocks && o->graph->m > QUICK_ARCS;
    return orders[i].blocks <= o->workload.batch && (!o->quick || (orders[i].quick && !finds));
}

static const struct order_choice *known(const struct study *s, const struct study_cell *cell)
{
    for (int i = 0; i < s->orders; i++)
        if (!memcmp(s->order[i].budget, cell->budget_bytes, sizeof cell->budget_bytes)) return &s->order[i];
    return NULL;
}

static enum st study_order_choose(struct study *s, const struct study_cell *cell, struct recording_key key,
                                  const struct order_choice **out, struct err *err)
{
    struct study_score least = {NAN, NAN, UINT64_MAX, UINT64_MAX}, left;
    struct study_recording *r = NULL;
    if ((*out = known(s, cell))) return ST_OK;
    struct order_choice *more = mem_resize(s->order, (uint64_t)s->orders + 1, sizeof *more, "orders", err);
    if (!more) return err->code;
    s->order = more;
    struct order_choice *c = &s->order[s->orders++];
    *c = (struct order_choice){.order = ORDER_SHUFFLE, .tried = doc_array()};
    memcpy(c->budget, cell->budget_bytes, sizeof c->budget);
    key.epochs = 1;
    for (int i = 0; i < ORDERS_MOST && !(r && one_batch_each(r)); i++) {
        if (!tries(&s->o, i)) continue;
        key.order = orders[i].order;
        key.order_blocks = orders[i].blocks;
        PASS(try_order(s, cell, &key, c->tried, &r, &left, err));
        if (!study_score_less(left, least)) continue;
        least = left;
        c->order = orders[i].order;
        c->blocks = orders[i].blocks;
    }
    *out = c;
    return ST_OK;
}

enum st study_order(struct study *s, const struct study_cell *cell, struct recording_key *key, struct err *err)
{
    const struct order_choice *c;
    if (!study_order_planned(&s->o, cell->policy)) return ST_OK;
    PASS(study_order_choose(s, cell, *key, &c, err));
    key->order = c->order;
    key->order_blocks = c->blocks;
    return ST_OK;
}

/* ---- circles ---- */

enum st study_order_circles(struct study *s, const struct workload *w, struct assignment *a, struct err *err)
{
    const struct graph *g = graph_connections(s->o.graph);
    struct locality *l = &s->locality;
    const bool blocks = w->order == ORDER_BLOCKS;
    uint32_t **places = blocks ? &l->along : &l->searched;
    bool *borrowed = blocks ? &l->borrowed_along : &l->borrowed_searched;
    if (w->order == ORDER_SHUFFLE || workload_edges(w) || *places)
        return locality_circles(l, g, w, s->o.threads, a, err);
    study_stage_begin(s, "communities");
    *borrowed = partition_memo_claim_places(s->o.memo, g, blocks, places);
    enum st st = locality_circles(l, g, w, s->o.threads, a, err);
    if (!*borrowed) *borrowed = partition_memo_give_places(s->o.memo, g, blocks, *places);
    study_stage_end(s);
    return st;
}

/* ---- stating ---- */

bool study_order_communities(const struct study_options *o)
{
    const struct workload *w = &o->workload;
    const struct graph *g = graph_connections(o->graph);
    const bool fits = !mem_limit() || 2 * locality_bytes(g, o->threads) <= mem_limit();
    return !o->no_mixture && !workload_edges(w) &&
           (w->order != ORDER_SHUFFLE || o->order_auto || (o->graph->m <= UNASKED_ARCS && fits));
}

enum st study_order_prepare(struct study *s, const struct study_recording *r, struct err *err)
{
    enum st st = ST_OK;
    bool orders_by_them = r->workload.order != ORDER_SHUFFLE && !workload_edges(&r->workload) && !s->o.no_mixture;
    if (!orders_by_them && !study_order_communities(&s->o)) return ST_OK;
    study_stage_begin(s, "communities");
    st = locality_find(&s->locality, graph_connections(s->o.graph), r->workload.batch, s->o.threads, err);
    study_stage_end(s);
    return st;
}

enum st study_order_state(const struct study *s, const struct study_cell *cell, struct plan *p, struct err *err)
{
    char text[ORDER_TEXT];
    struct mixture m;
    OWNED_DOC doc *d = NULL;
    const struct order_choice *c = study_order_planned(&s->o, cell->policy) ? known(s, cell) : NULL;
    const struct workload *w = &cell->recording->workload;
    if (workload_edges(w)) return ST_OK;
    d = doc_object();
    doc_put(d, "chosen", doc_text(workload_order_text(w, text)));
    doc_put(d, "tried", c ? doc_copy(c->tried) : doc_array()); /* none yet: a scout */
    if (s->locality.community) {
        PASS(locality_mixture(&s->locality, w, &p->assignment, &m, err));
        DOC_PUT(d, IS("mini_batches", m.batches), IS("communities", s->locality.communities),
                IS("largest_community", m.share), IS("largest_community_shuffled", m.shuffled));
    }
    plan_note(p, "order", d);
    d = NULL;
    return ST_OK;
}
