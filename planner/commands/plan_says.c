#include "planner/commands/plan_says.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/engine/epochs_needed.h"
#include "traces/graph/rows.h"

void plan_say_recording(const struct call *call, const struct study *s, const struct study_cell *cell,
                        const struct trace *given)
{
    if (given && cell->recording->trace != given && !workload_same_order(&cell->recording->workload, &given->workload))
        call_say(call,
                 "policy %s needs training vertices in BFS order, but the trace shuffles them: %llu epochs were "
                 "recorded with the rest of the trace's workload",
                 cell->policy->name, (unsigned long long)s->o.presample_epochs);
    else if (given && cell->recording->trace != given && given->assignment.kind == cell->policy->assignment)
        call_say(call,
                 "policy %s needs a part of the graph per GPU, which a trace does not have: %llu epochs were recorded "
                 "with the trace's workload",
                 cell->policy->name, (unsigned long long)s->o.presample_epochs);
    else if (given && cell->recording->trace != given)
        call_say(call,
                 "policy %s assigns training vertices in another way than the trace (%s): %llu epochs were recorded "
                 "with the trace's workload",
                 cell->policy->name, assignment_name(given->assignment.kind),
                 (unsigned long long)s->o.presample_epochs);
    if (given && cell->recording->trace == given && call_given(call, "partition"))
        call_say(call, "--partition is ignored: the trace states which GPU trains what");
    const struct partition_report *r = &cell->recording->partition;
    if (strcmp(r->method, "none") && *r->method)
        call_say(call, "partition by %s: %.2f %% of the arcs join different parts", r->method,
                 s->o.graph->m ? 100.0 * (double)r->cut / (double)s->o.graph->m : 0.0);
}

/* One warning when the epochs that planning saw are too few to tell what this plan leaves. */
static void warn_short(const struct call *call, const struct study *s, const struct study_cell *cell)
{
    enum { WANTED_PERMILLE = 20, NONE_PERMILLE = 1 }; /* an error below one in a thousand of all reads is none */
    struct epochs_needed e;
    struct err ignored = {0};
    const struct trace *t = cell->recording->trace;
    if (*cell->plan.cache) return; /* nothing was predicted */
    if (t->epochs == 1)
        call_say(call, "warning: the error of the counts is not known from one recorded epoch, and an interval of the "
                       "prediction is assumed; record 2 or more with --presample-epochs");
    if (call->common.quiet || t->folds < 2 ||
        epochs_needed_of_plan(s->o.graph, t, &cell->plan, call->threads, &e, &ignored) != ST_OK || !e.known)
        return;
    double half = epochs_needed_half_width(&e, t->epochs);
    const double left = 1 - fmin(cell->plan.predicted_feature_hit, cell->plan.predicted_topology_hit);
    if (half > WANTED_PERMILLE / 1000.0 && !(1000 * half * left <= NONE_PERMILLE))
        call_say(call,
                 "warning: %llu recorded epochs give this plan's transactions with ±%.1f %% (95 %% CI); for ±%g %% "
                 "take --presample-epochs %llu",
                 (unsigned long long)t->epochs, 100 * half, WANTED_PERMILLE / 10.0,
                 (unsigned long long)epochs_needed_count(&e, WANTED_PERMILLE / 1000.0));
}

/* One warning where so few vertices train that what pre-sampling saw does not tell what it did not see: XGNN measured
 * at 0.3 % of the vertices and less that a ranking by degree serves more reads (study/impact-of-trainset-percent). */
static void warn_few_training(const struct call *call, const struct study *s, const struct study_cell *cell)
{
    enum { FEW_PER_100000 = 300 };
    const struct graph *g = s->o.graph;
    const struct trace *t = cell->recording->trace;
    uint64_t seen = 0, held = 0;
    if (g->train_count * 100000 > g->n * FEW_PER_100000 || strcmp(study_cell_hotness(cell), "presample")) return;
    for (uint64_t v = 0; v < g->n; v++) {
        bool any = false;
        for (int i = 0; i < t->assignment.gpus; i++) any |= count_at(t->feature[i], v) > 0;
        seen += any;
    }
    for (int i = 0; i < cell->plan.assignment.gpus; i++) held += cell->plan.placement.feature[i].count;
    call_say(call,
             "warning: %llu of %llu vertices train (%.2g %%), and pre-sampling saw %llu vertices in %llu epochs, while "
             "the plan caches %llu feature rows; with 0.3 %% or less a ranking by pre-sampling can be worse than by "
             "degree: take --hotness calibrated where the policy allows it (hotset does by itself), or more "
             "--presample-epochs",
             (unsigned long long)g->train_count, (unsigned long long)g->n, 100 * (double)g->train_count / (double)g->n,
             (unsigned long long)seen, (unsigned long long)t->epochs, (unsigned long long)held);
}

/* Every clique holds as many bytes as the graph has, copies counted, and has room left: more budget than PCIe reads can
 * gain from. */
static void say_all_held(const struct call *call, const struct plan *p, const struct graph *g)
{
    char most[UNIT_TEXT], whole[UNIT_TEXT], budget[UNIT_TEXT];
    uint64_t least = UINT64_MAX, fills = 0, all = 0;
    for (int k = 0; k < graph_tables(g); k++)
        all += graph_table(g, k).count * graph_table(g, k).cached_bytes; /* 0 of topology */
    all += graph_totals(g).topology;
    for (int c = 0; c < p->assignment.cliques; c++) {
        uint64_t held = 0, given = 0;
        for (int i = 0; i < p->assignment.gpus; i++) {
            if (p->assignment.clique_of[i] != c) continue;
            held += placement_topology_bytes(&p->placement, i, g) + placement_feature_bytes(&p->placement, i, g);
            given += p->budget[i];
        }
        if (held < all || given <= held) return;
        least = given < least ? given : least;
        fills = held > fills ? held : fills;
    }
    call_say(call,
             "cliques fill %s of a budget of %s, with copies (the graph has %s): a smaller --budget would do as well",
             units_bytes(most, fills), units_bytes(budget, least), units_bytes(whole, all));
}

void plan_say_doubts(const struct call *call, const struct study *s, const struct study_cell *cell)
{
    say_all_held(call, &cell->plan, s->o.graph);
    warn_short(call, s, cell);
    warn_few_training(call, s, cell);
}

enum st plan_check_trace(const struct trace *t, const char *path, const struct server *s, struct err *err)
{
    const struct assignment *a = &t->assignment;
    bool same = a->gpus == s->gpus && a->cliques == s->cliques;
    for (int g = 0; same && g < a->gpus; g++) same = a->id[g] == s->gpu[g].id && a->clique_of[g] == s->clique_of[g];
    if (!same)
        return err_set(err, ST_INPUT,
                       "%s: was recorded for other GPUs or cliques than those of server %s at peer access %s; record a "
                       "trace for this server%s%s",
                       path, s->name, reach_name(s->reach), s->reach == REACH_DEFAULT ? "" : " with --peer-access ",
                       s->reach == REACH_DEFAULT ? "" : reach_name(s->reach));
    if (t->line_bytes != s->line_bytes)
        return err_set(err, ST_INPUT,
                       "%s: counts transactions of %llu bytes, but those of server %s have %llu; record a trace for "
                       "this server",
                       path, (unsigned long long)t->line_bytes, s->name, (unsigned long long)s->line_bytes);
    return ST_OK;
}
