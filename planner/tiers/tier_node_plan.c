#include "planner/tiers/tier_node_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "simulator/plan/plan_server.h"

static enum st take_list(const struct row_list *from, struct row_list *to, struct err *err)
{
    enum st st = ST_OK;
    for (uint64_t i = 0; i < from->count; i++) TRY(row_list_add(to, from->id[i], err));
done:
    return st;
}

/* The node's part of the assignment, with the server's ids and cliques. */
static enum st take_training(const struct tier_work *w, const struct tier_result *x, int node, struct assignment *out,
                             struct err *err)
{
    enum st st = ST_OK;
    const struct server *s = w->request.server;
    const struct assignment *all = &x->assignment;
    out->kind = all->kind;
    memcpy(out->partition, all->partition, sizeof out->partition);
    out->gpus = s->gpus;
    out->cliques = s->cliques;
    for (int g = 0; g < s->gpus; g++) {
        int at = node * s->gpus + g;
        out->id[g] = s->gpu[g].id;
        out->clique_of[g] = s->clique_of[g];
        TRY(assignment_set_train(out, g, all->train[at], all->train_count[at], w->graph->n, "training vertices", err));
        if (!all->circle[at]) continue;
        TRY(assignment_set_circle(out, g, all->circle[at], all->train_count[at], "the order of training vertices",
                                  err));
    }
done:
    return st;
}

static uint64_t rounded(double v) { return (uint64_t)(v + 0.5); }

static void predict(const struct tier_work *w, const struct tier_result *x, int node, struct plan *p)
{
    double rows = 0, missed = 0;
    for (int k = 0; k < x->machine.places; k++) {
        const struct tier_place *place = &x->machine.place[k];
        if (place->kind != TIER_GPUS || place->node != node) continue;
        struct plan_clique *c = &p->clique[place->clique];
        uint64_t topology = 0, feature = 0;
        c->topology = rounded(x->asked[k].lines_missed);
        c->feature = rounded(x->asked[k].feature_lines_missed);
        rows += x->asked[k].features;
        missed += x->asked[k].features_missed;
        for (int g = 0; g < p->assignment.gpus; g++) {
            if (p->assignment.clique_of[g] != place->clique) continue;
            topology += plan_topology_bytes(p, g, w->graph);
            feature += plan_feature_bytes(p, g, w->graph);
        }
        c->alpha = topology + feature ? (double)topology / (double)(topology + feature) : 0;
    }
    p->predicted_feature_hit = rows > 0 ? 1 - missed / rows : NAN;
    p->predicted_topology_hit = NAN; /* lines are counted, not visits */
    p->predicted_held_out = true;
}

enum st tier_node_plan_save(const struct tier_work *w, const struct tier_result *x, int node, const char *path,
                            struct err *err)
{
    enum st st;
    const struct server *s = w->request.server;
    struct plan p = {0};
    snprintf(p.policy, sizeof p.policy, "tiers");
    snprintf(p.hotness, sizeof p.hotness, "calibrated");
    plan_set_server(&p, s);
    p.workload = *w->workload;
    p.presample_epochs = w->presample_epochs;
    memcpy(p.budget, w->request.budget, sizeof p.budget);
    TRY(take_training(w, x, node, &p.assignment, err));
    for (int g = 0; g < s->gpus; g++) {
        TRY(take_list(&x->lists.topology[node * s->gpus + g], &p.placement.topology[g], err));
        TRY(take_list(&x->lists.feature[node * s->gpus + g], &p.placement.feature[g], err));
    }
    for (int g = 0; g < s->gpus; g++) p.index_bytes[g] = plan_index_bytes(&p, g, w->graph->n);
    plan_order_peers(&p);
    predict(w, x, node, &p);
    TRY(plan_save(&p, w->graph, path, NULL, err));
done:
    plan_release(&p);
    return st;
}
