#include "planner/decisions/advice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "planner/engine/nodes_sum.h"
#include "planner/options/site.h"
#include "reports/tables/tables.h"

enum { PLANNED_MOST = 2 * (REACH_P2P + 1) }; /* of each reach, with rows on GPUs as today and as f16 */
#define WORTH 0.995                          /* of the cost: a lever that leaves more is not part of the advice */

/* ---- one setting ---- */

static void read_value(const struct study_cell *cell, struct advice_value *out)
{
    struct nodes_sum sum;
    nodes_sum(cell, &sum);
    const bool below = sum.memories.places;
    out->transactions = (double)sum.sums.transactions.total;
    out->seconds = sum.time ? sum.time->seconds : NAN;
    out->reads = below ? sum.memories.seconds : NAN;
}

double advice_cost(const struct advice *a, const struct advice_value *v)
{
    const double cost = isnan(a->today.reads) ? v->transactions : v->reads;
    return isnan(cost) ? INFINITY : cost;
}

static enum st plan_one(struct study_nodes *nodes, const struct advice_base *b, double budget, struct advice_value *out,
                        struct err *err)
{
    enum st st = ST_OK;
    struct study_cell *cell = NULL;
    NEW(cell, 1, "a plan");
    TRY(policy_find("hotset", &cell->policy, err));
    if (nodes->node[0].s.o.lists) cell->policy = &given_lists_policy;
    cell->budget = setting_budget(b, budget);
    TRY(study_nodes_plan(nodes, cell, 1, err));
    if (cell->verdict.status != POLICY_OK) FAIL(ST_NO, "%s", cell->verdict.reason);
    TRY(study_nodes_simulate(nodes, cell, 1, err));
    read_value(cell, out);
done:
    if (cell) study_cell_release(cell);
    mem_free(cell);
    return st;
}

/* A setting that was planned, whose deal others take: one for each reach and size of rows. */
struct planned {
    struct setting set;
    struct graph graph; /* its arrays are borrowed */
    struct site *site;  /* owned; NULL: none yet */
};
struct judged {
    struct call *call;
    const struct advice_base *base;
    struct planned *planned; /* [PLANNED_MOST], owned; those that are there come first */
    bool alone;              /* what is judged next goes on with nothing */
    int settings;            /* judged so far */
};

static void judged_release(struct judged *j)
{
    for (int i = 0; j->planned && i < PLANNED_MOST; i++) site_free(&j->planned[i].site);
    mem_free(j->planned);
}

static bool same_word(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

/* Whether both draw the same mini-batches, where training vertices are dealt alike. */
static bool drawn_alike(const struct setting *a, const struct setting *b)
{
    return a->batch == b->batch && same_word(a->frontier, b->frontier) && same_word(a->sampler, b->sampler) &&
           same_word(a->order, b->order);
}

/* Whether settings share what others planned: not with --exact, nor where several nodes or given lists say who trains
 * what. */
static bool shares(const struct judged *j)
{
    const struct advice_base *b = j->base;
    return !j->alone && !b->study->exact && !b->below.nodes && !b->lists && !b->study->parts;
}

static bool rows_alike(const struct setting *a, const struct setting *b)
{
    return a->element == b->element && a->cached == b->cached;
}

/* What was planned at that reach and that the setting goes on with: with rows of its size, else the first; NULL: none.
 */
static struct planned *planned_before(struct judged *j, const struct setting *set)
{
    struct planned *found = NULL;
    for (struct planned *p = j->planned; shares(j) && p < j->planned + PLANNED_MOST && p->site; p++)
        if (p->set.reach == set->reach && !strcmp(p->set.deal, set->deal) &&
            (!found || (!rows_alike(&found->set, set) && rows_alike(&p->set, set))))
            found = p;
    return found;
}

/* Where the setting is kept for others; NULL: it is not. Nothing goes on with rows that another import has. */
static struct planned *planned_next(struct judged *j, const struct setting *set)
{
    const struct planned *before = planned_before(j, set);
    if (!shares(j) || (before && rows_alike(&before->set, set)) || set->element != j->base->today.element) return NULL;
    for (int i = 0; i < PLANNED_MOST; i++)
        if (!j->planned[i].site) return &j->planned[i];
    return NULL;
}

/* The options of the study that plans the setting, and of what it goes on with. */
static void go_on(const struct planned *from, const struct setting *set, struct study_options *o)
{
    o->no_mixture = true; /* no plan is written that would state it */
    if (!from) return;
    o->quick = true;
    o->like = &from->site->study.node[0].s;
    o->like_drawn = drawn_alike(&from->set, set);
    o->like_deal = rows_alike(&from->set, set);
}

static enum st judge_setting(struct judged *j, const struct setting *set, struct advice_value *out, struct err *err)
{
    const struct advice_base *b = j->base;
    struct call *call = j->call;
    OWNED_SITE struct site *site = NULL;
    const struct planned *before = planned_before(j, set);
    struct planned *next = planned_next(j, set);
    struct graph own = *b->graph, *g = next ? &next->graph : &own;
    struct workload_args wa = *b->workload;
    struct study_args sa = *b->study;
    *g = own;
    g->feature_bytes = set->element;
    g->row_bytes = g->feature_dim * set->element;
    if (graph_plain(g)) g->cached = set->cached; /* of several types tables say it */
    wa.batch = set->batch;
    wa.frontier = set->frontier;
    wa.how.sampler = set->sampler;
    wa.how.order = set->order;
    sa.deal = set->deal;
    PASS(site_new(call, &site, err));
    site->graph = g;
    site->kernels = b->kernels;
    PASS(site_server(site, b->memory, b->server_name, reach_name(set->reach), err));
    PASS(site_workload(site, &wa, err));
    PASS(site_sizes(site, b->memory, err));
    site->below.host_bytes = (b->below.nodes ? b->below.host_bytes : 0) * (uint64_t)set->host;
    site->below.drives.count *= set->drives;
    PASS(site_options(site, &sa, err));
    site->options.memo = b->memo;
    go_on(before, set, &site->options);
    if (set->own) site->options.lists = b->lists;
    PASS(site_begin(site, sa.parts, set->own ? b->lists : NULL, err));
    PASS(plan_one(&site->study, b, set->budget, out, err));
    if (!next) return ST_OK;
    study_keep_deals(&site->study.node[0].s);
    next->set = *set;
    next->site = site;
    site = NULL;
    return ST_OK;
}

/* The same, as a part of the line of progress: few settings are tried after those of single levers. */
static enum st judge(struct judged *j, const char *label, const struct setting *set, struct advice_value *out,
                     struct err *err)
{
    enum { TOGETHER = 4 };
    int entered = progress_piece(label, j->settings++, 1 + levers_count() + TOGETHER);
    enum st st = judge_setting(j, set, out, err);
    progress_leave(entered);
    return st;
}

/* ---- alone ---- */

static enum st try_alone(struct judged *j, struct advice_lever *l, struct err *err)
{
    enum st st = ST_OK;
    const struct advice_base *b = j->base;
    struct setting s = b->today;
    l->place = -1;
    l->alone = l->on_top = (struct advice_value){NAN, NAN, NAN};
    l->possible = lever_pull(l->lever, b, &s, l->asks, l->why);
    if (!l->possible) goto done;
    setting_options(b, &s, l->option);
    if (!progress_told()) call_say(j->call, "trying %s: %s", advice_lever_word(l->lever->name), l->lever->summary);
    st = judge(j, advice_lever_word(l->lever->name), &s, &l->alone, err);
    if (st != ST_NO) goto done;
    st = ST_OK; /* this lever cannot be planned, others can */
    l->possible = false;
    snprintf(l->why, sizeof l->why, "%.240s", err->text);
    *err = (struct err){0};
done:
    return st;
}

/* Whether a goes before b: possible ones first, then those that a plan can carry out, then the least cost,
 * then the order of the table. */
static bool before(const struct advice *all, const struct advice_lever *a, const struct advice_lever *b)
{
    if (a->possible != b->possible) return a->possible;
    if (a->lever->alone != b->lever->alone) return b->lever->alone;
    const double x = advice_cost(all, &a->alone), y = advice_cost(all, &b->alone);
    if (x < y || x > y) return x < y;
    return a->lever < b->lever;
}

void advice_rank(struct advice *a)
{
    for (int i = 1; i < a->levers; i++)
        for (int j = i; j && before(a, &a->lever[j], &a->lever[j - 1]); j--) {
            struct advice_lever swap = a->lever[j];
            a->lever[j] = a->lever[j - 1];
            a->lever[j - 1] = swap;
        }
}

/* ---- on top of each other ---- */

static bool excluded(const struct advice *a, const struct advice_lever *l)
{
    for (int i = 0; i < a->levers; i++)
        if (a->lever[i].stacked && l->lever->group && a->lever[i].lever->group &&
            !strcmp(l->lever->group, a->lever[i].lever->group))
            return true;
    return false;
}

static enum st try_on_top(struct judged *j, struct advice *a, struct advice_lever *l, int *place, struct err *err)
{
    enum st st = ST_OK;
    struct setting s = a->best;
    char ignored[LEVER_TEXT];
    if (!l->possible || l->lever->alone || excluded(a, l) ||
        !(advice_cost(a, &l->alone) < WORTH * advice_cost(a, &a->today)) ||
        !lever_pull(l->lever, &a->base, &s, ignored, ignored))
        return ST_OK;
    if (!progress_told())
        call_say(j->call, "trying %s on top of %d other lever%s", advice_lever_word(l->lever->name), *place,
                 *place == 1 ? "" : "s");
    st = judge(j, advice_lever_word(l->lever->name), &s, &l->on_top, err);
    if (st != ST_OK) return st;
    l->place = (*place)++;
    l->stacked = advice_cost(a, &l->on_top) < WORTH * advice_cost(a, &a->together);
    if (!l->stacked) return ST_OK;
    a->together = l->on_top;
    a->best = s;
    return ST_OK;
}

static enum st stack(struct judged *j, struct advice *a, struct err *err)
{
    int place = 0;
    a->best = a->base.today;
    a->together = a->today;
    for (int accuracy = 0; accuracy < 2; accuracy++)
        for (int i = 0; i < a->levers; i++)
            if (lever_accuracy(a->lever[i].lever, &a->base) == accuracy)
                PASS(try_on_top(j, a, &a->lever[i], &place, err));
    return ST_OK;
}

/* ---- the advice as hotset plan carries it out ---- */

/* The last lever of the advice, and what was left before it; NULL: it has none. */
static struct advice_lever *last_lever(struct advice *a, struct advice_value *before)
{
    struct advice_lever *last = NULL, *next = NULL;
    *before = a->today;
    for (int place = 0; place < a->levers; place++)
        for (int i = 0; i < a->levers; i++) {
            next = &a->lever[i];
            if (!next->stacked || next->place != place) continue;
            if (last) *before = last->on_top;
            last = next;
        }
    return last;
}

/* Today with the levers of the advice. */
static void put_together(const struct advice *a, struct setting *s)
{
    char ignored[LEVER_TEXT];
    *s = a->base.today;
    for (int place = 0; place < a->levers; place++)
        for (int i = 0; i < a->levers; i++)
            if (a->lever[i].stacked && a->lever[i].place == place)
                lever_pull(a->lever[i].lever, &a->base, s, ignored, ignored);
}

/* Levers that were left out after that place, and save enough of what is left now. */
static enum st try_rest(struct judged *j, struct advice *a, int place, struct err *err)
{
    char ignored[LEVER_TEXT];
    while (++place < a->levers)
        for (int i = 0; i < a->levers; i++) {
            struct advice_lever *l = &a->lever[i];
            struct setting s = a->best;
            if (l->place != place || !(advice_cost(a, &l->on_top) < WORTH * advice_cost(a, &a->together)) ||
                !lever_pull(l->lever, &a->base, &s, ignored, ignored))
                continue;
            PASS(judge(j, advice_lever_word(l->lever->name), &s, &l->on_top, err));
            l->stacked = advice_cost(a, &l->on_top) < WORTH * advice_cost(a, &a->together);
            if (!l->stacked) continue;
            a->best = s;
            a->together = l->on_top;
        }
    return ST_OK;
}

/* Levers share deals, so the advice itself is planned once more, alone; a last lever that saves too little then is left
 * out. */
static enum st confirm(struct judged *j, struct advice *a, struct err *err)
{
    struct advice_lever *last;
    struct advice_value before;
    if (!shares(j)) return ST_OK;
    j->alone = true;
    while ((last = last_lever(a, &before))) {
        put_together(a, &a->best);
        if (!progress_told()) call_say(j->call, "planning the advice");
        PASS(judge(j, "the advice", &a->best, &last->on_top, err));
        last->stacked = advice_cost(a, &last->on_top) < WORTH * advice_cost(a, &before);
        a->together = last->on_top;
        if (last->stacked) return try_rest(j, a, last->place, err);
    }
    a->best = a->base.today;
    a->together = a->today;
    return try_rest(j, a, -1, err);
}

enum st advice_make(struct call *call, const struct advice_base *base, struct advice *out, struct err *err)
{
    struct advice *a = out;
    OWNED_BY(judged_release) struct judged judged = {.call = call, .base = base};
    memset(a, 0, sizeof *a);
    MAKE(judged.planned, PLANNED_MOST, "what levers share");
    a->base = *base;
    setting_options(base, &base->today, a->today_text);
    if (!progress_told()) call_say(call, "planning as you train today");
    PASS(judge(&judged, "today", &base->today, &a->today, err));
    for (int i = 0; i < levers_count(); i++) {
        if (levers[i].of_lists && !base->lists) continue;
        a->lever[a->levers].lever = &levers[i];
        PASS(try_alone(&judged, &a->lever[a->levers++], err));
    }
    advice_rank(a);
    PASS(stack(&judged, a, err));
    PASS(confirm(&judged, a, err));
    setting_options(base, &a->best, a->options);
    return ST_OK;
}
