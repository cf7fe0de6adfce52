#include "planner/decisions/advice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/machine.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "planner/engine/study_memory.h"
#include "planner/engine/thin.h"
#include "planner/partition/partition_memo.h"
#include "planner/options/site.h"
#include "reports/tables/tables.h"

extern const struct policy policy_hotset;

enum { PLANNED_MOST = 2 * (REACH_P2P + 1) }; /* of each reach, with rows on GPUs as today and as f16 */
#define KEPT 0.995 /* of the cost: what the last lever may leave, once the advice is planned alone */

/* ---- one setting ---- */

static enum st plan_one(struct study_nodes *nodes, const struct advice_base *b, double budget, uint64_t *takes,
                        struct advice_value *out, struct err *err)
{
    enum st st = ST_OK;
    struct study_cell *cell = NULL;
    NEW(cell, 1, "a plan");
    TRY(policy_find("hotset", &cell->policy, err));
    if (nodes->node[0].s.o.lists) cell->policy = &given_lists_policy;
    cell->budget = setting_budget(b, budget);
    TRY(study_nodes_plan(nodes, cell, 1, err));
    const struct study_memory memory = study_memory_estimate(&nodes->node[0].s.o, cell, 1);
    *takes = memory.stage[memory.peak].arrays;
    if (cell->verdict.status != POLICY_OK) FAIL(ST_NO, "%s", cell->verdict.reason);
    TRY(study_nodes_simulate(nodes, cell, 1, err));
    advice_value_read(cell, out);
done:
    if (cell) study_cell_release(cell);
    mem_free(cell);
    return st;
}

/* A setting that was planned, whose deal others may take: one for each reach and size of rows. */
struct planned {
    struct setting set;
    struct call call;   /* the command's, with the threads that it had */
    struct graph graph; /* its arrays are borrowed */
    struct site *site;  /* owned; NULL: nobody goes on with it */
    uint64_t takes;     /* bytes of arrays, at most */
};
struct judged {
    struct call *call;
    const struct advice_base *base;
    struct planned *planned[PLANNED_MOST]; /* owned; kept: how many */
    int kept;
    bool alone;     /* what is judged next goes on with nothing */
    bool apart;     /* levers are tried alone, and none takes what planning it from the start would not find */
    double told;    /* of all work, at its end: the next setting that is judged begins there */
    uint64_t takes; /* bytes of arrays of today's setting, at most */
};

static void planned_release(struct planned **p)
{
    if (*p) site_free(&(*p)->site);
    mem_free(*p);
    *p = NULL;
}

static void judged_release(struct judged *j)
{
    for (int i = 0; i < j->kept; i++) planned_release(&j->planned[i]);
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

/* Whether parts that are cut for reads are the same: what is drawn, in which mini-batches they gather equally many
 * rows, and how many rows memory holds. */
static bool cut_alike(const struct setting *a, const struct setting *b)
{
    return same_word(a->sampler, b->sampler) && same_word(a->frontier, b->frontier) && a->batch == b->batch &&
           a->element == b->element;
}

/* What was planned at that reach and that the setting goes on with: with rows of its size, else the first; NULL: none.
 */
static struct planned *planned_before(const struct judged *j, const struct setting *set)
{
    struct planned *found = NULL;
    for (int i = 0; shares(j) && i < j->kept; i++) {
        struct planned *p = j->planned[i];
        if (j->apart && !cut_alike(&p->set, set)) continue;
        if (p->set.reach == set->reach && !strcmp(p->set.deal, set->deal) &&
            (!found || (!rows_alike(&found->set, set) && rows_alike(&p->set, set))))
            found = p;
    }
    return found;
}

/* Whether the setting is kept for others. Nothing goes on with rows that another import has. */
static bool keeps(const struct judged *j, const struct setting *set)
{
    const struct planned *before = planned_before(j, set);
    return shares(j) && j->kept < PLANNED_MOST && (!before || !rows_alike(&before->set, set)) &&
           set->element == j->base->today.element;
}

/* Keeps what was planned, or lets go of it. */
static void keep(struct judged *j, struct planned **p)
{
    if ((*p)->site && keeps(j, &(*p)->set)) j->planned[j->kept++] = TAKE(*p);
    planned_release(p);
}

/* Memories below GPUs and given lists are of all rows. */
static bool advice_samples(const struct advice_base *b) { return !b->study->exact && !b->below.nodes && !b->lists; }

double advice_rows_share(const struct advice_base *b)
{
    const struct study_options o = {.graph = b->graph, .sampled = advice_samples(b)};
    return thin_cell_share(&o, &policy_hotset);
}

/* The options of the study that plans the setting, and of what it goes on with. */
static void go_on(const struct judged *j, const struct planned *from, const struct setting *set,
                  struct study_options *o)
{
    o->no_mixture = o->no_interval = true; /* no plan is written that would state them */
    o->quick = !j->base->study->exact && (from || j->base->graph->m > ADVICE_FEW_ARCS);
    o->sampled = advice_samples(j->base);
    if (!from) return;
    o->like = &from->site->study.node[0].s;
    o->like_drawn = drawn_alike(&from->set, set);
    o->like_deal = rows_alike(&from->set, set) && !(j->apart && from->set.budget < set->budget);
}

/* Plans and judges p->set with p->call; p->site stays where others may go on with it. */
static enum st judge_setting(const struct judged *j, struct planned *p, struct advice_value *out, struct err *err)
{
    const struct advice_base *b = j->base;
    const struct setting *set = &p->set;
    OWNED_SITE struct site *site = NULL;
    struct graph *g = &p->graph;
    struct workload_args wa = *b->workload;
    struct study_args sa = *b->study;
    *g = *b->graph;
    g->feature_bytes = set->element;
    g->row_bytes = g->feature_dim * set->element;
    if (graph_plain(g)) g->cached = set->cached; /* of several types tables say it */
    wa.batch = set->batch;
    wa.frontier = set->frontier;
    wa.how.sampler = set->sampler;
    wa.how.order = set->order;
    sa.deal = set->deal;
    PASS(site_new(&p->call, &site, err));
    site->graph = g;
    site->kernels = b->kernels;
    PASS(site_server(site, b->memory, b->server_name, reach_name(set->reach), err));
    PASS(site_workload(site, &wa, err));
    PASS(site_sizes(site, b->memory, err));
    site->below.host_bytes = (b->below.nodes ? b->below.host_bytes : 0) * (uint64_t)set->host;
    site->below.drives.count *= set->drives;
    PASS(site_options(site, &sa, err));
    site->options.memo = b->memo;
    go_on(j, planned_before(j, set), set, &site->options);
    if (set->own) site->options.lists = b->lists;
    PASS(site_begin(site, sa.parts, set->own ? b->lists : NULL, err));
    PASS(plan_one(&site->study, b, set->budget, &p->takes, out, err));
    if (!keeps(j, set)) return ST_OK;
    study_keep_deals(&site->study.node[0].s);
    p->site = TAKE(site);
    return ST_OK;
}

/* A setting that is to be planned with so many threads. */
static enum st planned_new(const struct judged *j, const struct setting *set, int threads, struct planned **out,
                           struct err *err)
{
    MAKE(*out, 1, "what is planned");
    (*out)->set = *set;
    (*out)->call = *j->call;
    (*out)->call.threads = threads;
    return ST_OK;
}

/* Shares of all work, about: after today's setting, levers alone, those on top of others. */
static const double TODAY = 0.2, ALONE = 0.55, STACKED = 0.85;

/* The same, as a part of the line of progress, whose end is `told` then. */
static enum st judge(struct judged *j, const char *label, const struct setting *set, struct advice_value *out,
                     struct err *err)
{
    OWNED_BY(planned_release) struct planned *p = NULL;
    PASS(planned_new(j, set, j->call->threads, &p, err));
    const double from = j->told, end = j->alone ? 1 : STACKED; /* how many follow is not known */
    j->told = from > 0 ? from + 0.3 * fmax(0, end - from) : TODAY;
    int entered = progress_enter((struct progress_part){label, from, j->told, 0, 0, 0});
    enum st st = judge_setting(j, p, out, err);
    progress_leave(entered);
    if (st != ST_OK) return st;
    advice_value_note(label, out);
    if (!j->takes) j->takes = p->takes;
    keep(j, &p);
    return ST_OK;
}

/* ---- alone ---- */

/* A lever that is tried. */
struct trial {
    struct advice_lever *l;
    struct planned *planned; /* owned */
    struct trial *twin;      /* whose answer is this one's, too; NULL: none */
    enum st st;
    struct err err;
};
struct trials {
    struct trial *of;
    int count;
};

static void trials_release(struct trials *t)
{
    for (int i = 0; i < t->count; i++) planned_release(&t->of[i].planned);
    mem_free(t->of);
}

/* A lever before it after which GPUs read the same rows of each other, and nothing else differs. */
static struct trial *twin_of(const struct advice_base *b, const struct trials *t, const struct trial *of)
{
    const char *group = of->l->lever->group;
    for (struct trial *other = t->of; group && other < of; other++) {
        const struct setting *x = &other->planned->set, *y = &of->planned->set;
        if (!other->twin && other->l->lever->group && !strcmp(other->l->lever->group, group) &&
            same_word(x->deal, y->deal) && lever_reads_alike(b, x->reach, y->reach))
            return other;
    }
    return NULL;
}

/* Pulls every lever; those that can be pulled are to be tried. */
static enum st pull_all(const struct judged *j, struct advice *a, struct trials *t, struct err *err)
{
    const struct advice_base *b = j->base;
    for (int i = 0; i < levers_count(); i++) {
        if (levers[i].of_lists && !b->lists) continue;
        struct advice_lever *l = &a->lever[a->levers++];
        struct setting s = b->today;
        l->lever = &levers[i];
        l->place = -1;
        l->alone = l->on_top = (struct advice_value){NAN, NAN, NAN};
        l->possible = lever_pull(l->lever, b, &s, l->asks, l->why);
        if (!l->possible) continue;
        setting_options(b, &s, l->option);
        struct trial *trial = &t->of[t->count++];
        trial->l = l;
        PASS(planned_new(j, &s, 1, &trial->planned, err));
        trial->twin = twin_of(b, t, trial);
    }
    return ST_OK;
}

static void try_alone(const struct judged *j, struct trial *t)
{
    const int side = progress_side(advice_lever_word(t->l->lever->name));
    if (!t->twin) t->st = judge_setting(j, t->planned, &t->l->alone, &t->err);
    if (!t->twin && t->st == ST_OK) advice_value_note(advice_lever_word(t->l->lever->name), &t->l->alone);
    progress_side_end(side);
}

/* Levers that may be tried at a time: each takes about what today's setting took, at most twice as much. Ranks and
 * stages count what one study does after the other. */
static int side_by_side(const struct judged *j, int count)
{
    const uint64_t room = mem_limit() ? mem_limit() : machine_memory() / 2, fit = room / (2 * j->takes + 1);
    const int threads = j->call->threads;
    if (ranks_count() > 1 || j->call->common.stamp || j->base->kernels->sampling) return 1;
    const int most = threads < count ? threads : count;
    return fit < 1 ? 1 : fit < (uint64_t)most ? (int)fit : most;
}

/* What came out, lever by lever: one that cannot be planned does not keep others from it. */
static enum st take_trial(struct judged *j, struct trial *t, struct err *err)
{
    const struct trial *from = t->twin ? t->twin : t;
    if (from->st != ST_OK && from->st != ST_NO) {
        *err = from->err;
        return from->st;
    }
    t->l->alone = from->l->alone;
    t->l->possible = from->st == ST_OK;
    if (from->st == ST_NO) snprintf(t->l->why, sizeof t->l->why, "%.240s", from->err.text);
    if (from == t) keep(j, &t->planned);
    return ST_OK;
}

/* Takes the next trial and says so, in the order of the table (what libgomp calls ordered waits for the whole of the
 * trial before). Returns t->count where none is left. */
static int next_trial(const struct judged *j, const struct trials *t, int *next)
{
    int taken;
#pragma omp critical(advice_trials)
    {
        taken = *next;
        const struct lever *l = taken < t->count ? t->of[taken].l->lever : NULL;
        if (l && !progress_told()) call_say(j->call, "trying %s: %s", advice_lever_word(l->name), l->summary);
        *next += l != NULL;
    }
    return taken;
}

/* Every lever alone. None goes on with what another planned, so they are tried side by side. */
static enum st try_each(struct judged *j, struct advice *a, struct err *err)
{
    OWNED_BY(trials_release) struct trials t = {0};
    MAKE(t.of, levers_count(), "levers");
    PASS(pull_all(j, a, &t, err));
    const int together = side_by_side(j, t.count);
    j->apart = j->base->graph->m <= ADVICE_FEW_ARCS; /* cuts take seconds beyond */
    const int entered = progress_enter((struct progress_part){"", j->told, ALONE, 0, 0, 0});
    progress_side_by_side(t.count);
    for (int i = 0; i < t.count && together == 1; i++) t.of[i].planned->call.threads = j->call->threads;
    int next = 0;
    for (int i; together == 1 && (i = next_trial(j, &t, &next)) < t.count;) /* study_together.c says why not below */
        try_alone(j, &t.of[i]);
#pragma omp parallel num_threads(together)
    for (int i; (i = next_trial(j, &t, &next)) < t.count;) try_alone(j, &t.of[i]);
    j->apart = false;
    j->told = ALONE;
    progress_leave(entered);
    for (int i = 0; i < t.count; i++) PASS(take_trial(j, &t.of[i], err));
    return ST_OK;
}

/* ---- on top of each other ---- */

/* Whether one of its group is part of the advice, or was tried in vain and does the same. */
static bool excluded(const struct advice *a, const struct advice_lever *l)
{
    for (int i = 0; i < a->levers; i++) {
        const struct advice_lever *x = &a->lever[i];
        bool same = x->place >= 0 && !memcmp(&x->alone, &l->alone, sizeof l->alone);
        if ((x->stacked || same) && l->lever->group && x->lever->group && !strcmp(l->lever->group, x->lever->group))
            return true;
    }
    return false;
}

static enum st try_on_top(struct judged *j, struct advice *a, struct advice_lever *l, int *place, struct err *err)
{
    enum st st = ST_OK;
    struct setting s = a->best;
    char ignored[LEVER_TEXT];
    if (!l->possible || l->lever->alone || excluded(a, l) || !advice_pays(a, l->lever, &l->alone, &a->today) ||
        !lever_pull(l->lever, &a->base, &s, ignored, ignored))
        return ST_OK;
    if (!progress_told())
        call_say(j->call, "trying %s on top of %d other lever%s", advice_lever_word(l->lever->name), *place,
                 *place == 1 ? "" : "s");
    st = judge(j, advice_lever_word(l->lever->name), &s, &l->on_top, err);
    if (st != ST_OK) return st;
    l->place = (*place)++;
    l->stacked = advice_pays(a, l->lever, &l->on_top, &a->together);
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
            if (l->place != place || !advice_pays(a, l->lever, &l->on_top, &a->together) ||
                !lever_pull(l->lever, &a->base, &s, ignored, ignored))
                continue;
            PASS(judge(j, advice_lever_word(l->lever->name), &s, &l->on_top, err));
            l->stacked = advice_pays(a, l->lever, &l->on_top, &a->together);
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
    j->told = STACKED;
    while ((last = last_lever(a, &before))) {
        put_together(a, &a->best);
        if (!progress_told()) call_say(j->call, "planning the advice");
        partition_memo_drop_lists(a->base.memo); /* of today's sampling: those of the advice take their place */
        PASS(judge(j, "the advice", &a->best, &last->on_top, err));
        last->stacked = advice_cost(a, &last->on_top) < KEPT * advice_cost(a, &before);
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
    a->base = *base;
    setting_options(base, &base->today, a->today_text);
    thin_say(call, advice_rows_share(base));
    if (!progress_told()) call_say(call, "planning as you train today");
    PASS(judge(&judged, "today", &base->today, &a->today, err));
    PASS(try_each(&judged, a, err));
    advice_rank(a);
    PASS(stack(&judged, a, err));
    PASS(confirm(&judged, a, err));
    setting_options(base, &a->best, a->options);
    return ST_OK;
}
