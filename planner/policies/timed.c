#include "planner/policies/timed.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/policies/density.h"
#include "planner/policies/timed_rows.h"

enum { BISECTIONS = 10 };
static const double WORTH_A_CHANGE = 1e-3;     /* of the stage */
static const double FAINT = 1e-3, STEP = 0.15; /* least weight of a resource; how fast weights follow times */

struct search {
    const struct transfer *t;
    struct timed_rows rows, few; /* few: in which weights are looked for, where not in all; else empty */
    uint64_t *loads;
    double *weight, *best_weight, *mean_weight, *seconds; /* [resources] */
    double best;                                          /* shortest stage so far */
};

/* ---- the search ---- */

static enum st attempt(struct search *s, struct err *err)
{
    double stage;
    int busiest;
    struct timed_rows *rows = s->few.islands ? &s->few : &s->rows;
    PASS(timed_rows_fill(rows, s->weight, false, err));
    PASS(timed_rows_loads(rows, s->loads, err));
    stage = transfer_seconds(s->t, s->loads, s->seconds, &busiest);
    if (stage < s->best) {
        s->best = stage;
        memcpy(s->best_weight, s->weight, (size_t)s->t->resources * sizeof *s->weight);
    }
    return ST_OK;
}

/* Longest time of the resources between GPUs, minus that of the others. */
static double longer(const struct search *s)
{
    double inside = 0, host = 0;
    for (int r = 0; r < s->t->resources; r++)
        if (transfer_between(s->t, r)) inside = fmax(inside, s->seconds[r]);
        else host = fmax(host, s->seconds[r]);
    return inside - host;
}

static enum st bisect(struct search *s, struct err *err)
{
    double low = 0, high = 1;
    transfer_weigh(s->t, 0, s->weight);
    PASS(attempt(s, err));
    if (longer(s) <= 0) return ST_OK;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        transfer_weigh(s->t, middle, s->weight);
        PASS(attempt(s, err));
        if (longer(s) > 0) low = middle;
        else high = middle;
    }
    return ST_OK;
}

/* Raises the weights of resources that take long. */
static enum st reweigh(struct search *s, int rounds, struct err *err)
{
    memcpy(s->weight, s->best_weight, (size_t)s->t->resources * sizeof *s->weight);
    for (int r = 0; r < s->t->resources; r++) s->weight[r] += FAINT / s->t->resources;
    for (int i = 0; i < rounds; i++) {
        double sum = 0, most = 0;
        PASS(attempt(s, err));
        for (int r = 0; r < s->t->resources; r++) most = fmax(most, s->seconds[r]);
        for (int r = 0; r < s->t->resources; r++)
            sum += s->weight[r] *= most > 0 ? pow(fmax(s->seconds[r] / most, FAINT), STEP) : 1;
        for (int r = 0; r < s->t->resources; r++) {
            s->weight[r] /= sum;
            if (i >= rounds / 2) s->mean_weight[r] += s->weight[r] / (rounds - rounds / 2);
        }
    }
    return ST_OK;
}

/* Peers: every GPU that can be read. */
static void set_peers(const struct server *server, struct plan *plan)
{
    struct placement *p = &plan->placement;
    for (int g = 0; g < server->gpus; g++) {
        p->peers[g] = 0;
        for (int i = 0; i < server->gpus; i++)
            if (server_reads(server, g, i)) p->peer[g][p->peers[g]++] = i;
    }
    plan_order_peers(plan);
}

static enum st start(struct search *s, const struct policy_input *in, struct plan *plan, struct err *err)
{
    size_t resources = (size_t)s->t->resources + 1;
    MAKE(s->loads, TRANSFER_LOADS(s->t), "loads of links");
    MAKE(s->weight, resources, "weights of links");
    MAKE(s->best_weight, resources, "weights of links");
    MAKE(s->mean_weight, resources, "weights of links");
    MAKE(s->seconds, resources, "loads of links");
    PASS(timed_rows_make(in, s->t, plan, &s->rows, err));
    return in->quick ? timed_rows_thin(&s->rows, &s->few, err) : ST_OK;
}

static void release(struct search *s)
{
    timed_rows_release(&s->rows);
    timed_rows_release(&s->few);
    mem_free(s->loads);
    mem_free(s->weight);
    mem_free(s->best_weight);
    mem_free(s->mean_weight);
    mem_free(s->seconds);
}

/* Puts the rows of the best weights into the plan, and what their stage takes. */
static enum st finish(struct search *s, struct plan *plan, struct timed *out, struct err *err)
{
    int busiest;
    PASS(timed_rows_fill(&s->rows, s->best_weight, true, err));
    return transfer_cost(s->t, &plan->placement, NULL, &out->after, &busiest, err);
}

enum st timed_place(const struct policy_input *in, int rounds, struct plan *plan, struct timed *out, struct err *err)
{
    enum st st;
    struct items items = {.graph = in->graph, .estimates = in->estimates, .threads = in->threads, .trace = in->trace};
    struct transfer t = {0};
    ON_HEAP(struct placement, given);
    *given = plan->placement;
    struct search s = {.t = &t, .best = INFINITY};
    int busiest;
    plan_order_peers(plan);
    *given = plan->placement;
    memset(plan->placement.topology, 0, sizeof plan->placement.topology);
    memset(plan->placement.feature, 0, sizeof plan->placement.feature);
    set_peers(in->server, plan);
    TRY(transfer_make(in->server, &plan->placement, &items, &t, err));
    TRY(transfer_cost(&t, given, NULL, &out->before, &busiest, err));
    TRY(start(&s, in, plan, err));
    TRY(bisect(&s, err));
    if (rounds > BISECTIONS) TRY(reweigh(&s, rounds - BISECTIONS, err));
    TRY(finish(&s, plan, out, err));
    out->kept = out->after > out->before * (1 - WORTH_A_CHANGE);
    if (out->kept) {
        out->after = out->before;
        placement_release(&plan->placement);
        plan->placement = *given;
    } else {
        placement_release(given);
    }
    memset(given, 0, sizeof *given);
    density_set_alpha(in, plan);
done:
    if (st != ST_OK) placement_release(given);
    release(&s);
    transfer_release(&t);
    return st;
}

enum st timed_weights(const struct policy_input *in, const struct transfer *t, int rounds, struct plan *plan,
                      double *weight, struct err *err)
{
    OWNED_BY(release) struct search s = {.t = t, .best = INFINITY};
    PASS(start(&s, in, plan, err));
    PASS(bisect(&s, err));
    PASS(reweigh(&s, rounds, err));
    memcpy(weight, s.best_weight, (size_t)t->resources * sizeof *weight);
    memcpy(weight + t->resources, s.mean_weight, (size_t)t->resources * sizeof *weight);
    return ST_OK;
}
