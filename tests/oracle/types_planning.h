/* types_planning.h - a graph of any kind with what planning starts from: an assignment, a recording, estimates and the
 * benefits of held-out epochs; for the tests of policies on graphs with several types. */
#ifndef TESTS_ORACLE_TYPES_PLANNING_H
#define TESTS_ORACLE_TYPES_PLANNING_H

#include "planner/engine/predict.h"
#include "simulator/plan/plan_check.h"
#include "simulator/plan/plan_server.h"
#include "tests/oracle/types_instance.h"
#include "traces/recording/trace_rows.h"

/* GPUs of the server with the assignment and budgets of a test; everything else is made by types_record. */
struct planning {
    const struct graph *graph;
    const struct server *server;
    struct trace trace;
    struct visit_costs costs;
    struct estimates estimates[RATE_SOURCES][GPUS_MAX];
    uint64_t *benefit_topology[GPUS_MAX], *benefit_feature[GPUS_MAX];
    uint64_t budget[GPUS_MAX];
    const uint8_t *part;
    struct epoch_setup setup;
};

static inline void planning_make(struct planning *p, const struct graph *g, const struct server *s,
                                 const struct assignment *a, const struct workload *w, uint64_t epochs)
{
    const struct trace_options o = {.epochs = epochs,
                                    .line_bytes = s->line_bytes,
                                    .threads = 2,
                                    .folds = true,
                                    .server_name = "",
                                    .server_fingerprint = ""};
    memset(p, 0, sizeof *p);
    p->graph = g;
    p->server = s;
    OK(trace_record(g, a, w, &o, &p->trace, &err));
    OK(visit_costs_make(g, NULL, &p->trace, s->line_bytes, 2, &p->costs, &err));
    for (int k = 0; k < RATE_SOURCES; k++)
        for (int c = 0; c < a->cliques; c++) {
            struct estimates_input in = {.graph = g,
                                         .trace = &p->trace,
                                         .kernels = &kernels_cpu,
                                         .costs = &p->costs,
                                         .clique = c,
                                         .threads = 2,
                                         .line_bytes = s->line_bytes,
                                         .source = (enum rate_source)k};
            OK(estimates_make(&in, &p->estimates[k][c], &err));
        }
    for (int c = 0; c < a->cliques; c++) {
        p->benefit_topology[c] = calloc(graph_topology_rows(g) + 1, sizeof(uint64_t));
        p->benefit_feature[c] = calloc(graph_feature_rows(g) + 1, sizeof(uint64_t));
    }
}

static inline void planning_drop(struct planning *p)
{
    for (int c = 0; c < GPUS_MAX; c++) {
        for (int k = 0; k < RATE_SOURCES; k++) estimates_release(&p->estimates[k][c]);
        free(p->benefit_topology[c]);
        free(p->benefit_feature[c]);
    }
    visit_costs_release(&p->costs);
    trace_release(&p->trace);
}

static inline struct policy_input planning_input(const struct planning *p, const struct policy *policy)
{
    struct policy_input in = {.graph = p->graph,
                              .server = p->server,
                              .trace = &p->trace,
                              .kernels = &kernels_cpu,
                              .threads = 2,
                              .seed = 7,
                              .setup = &p->setup,
                              .hotness = policy->hotness,
                              .costs = &p->costs,
                              .part = p->part};
    enum rate_source source = rate_source_of(policy->hotness);
    if (policy->needs_estimates) in.estimates = p->estimates[source];
    if (policy->saw_evaluation) {
        in.benefit_topology = p->benefit_topology;
        in.benefit_feature = p->benefit_feature;
    }
    policy_defaults(policy, in.option);
    for (int g = 0; g < p->server->gpus; g++) in.room[g] = graph_total_bytes(p->graph) + 64;
    return in;
}

/* Places and predicts, as engine/study_place.h does; the placement is checked. */
static inline void planning_plan(const struct planning *p, const struct policy *policy, const struct policy_input *in,
                                 struct plan *plan, struct policy_verdict *verdict)
{
    memset(plan, 0, sizeof *plan);
    memset(verdict, 0, sizeof *verdict);
    snprintf(plan->policy, sizeof plan->policy, "%s", policy->name);
    plan_set_server(plan, p->server);
    plan->workload = p->trace.workload;
    memcpy(plan->budget, p->budget, sizeof plan->budget);
    OK(assignment_copy(&p->trace.assignment, &plan->assignment, &err));
    OK(policy->place(in, plan, verdict, &err));
    if (verdict->status != POLICY_OK) return;
    OK(plan_check(plan, p->graph, in->threads, &err));
    plan_order_peers(plan);
    OK(predict_plan(policy, in, 1, plan, &err));
}

/* ---- by hand: numbers in the place of a recording */

/* Estimates of 0 for every row. */
static inline void estimates_blank(struct estimates *e, const struct graph *g)
{
    memset(e, 0, sizeof *e);
    e->topology = mem_array(graph_topology_rows(g) + 1, sizeof(float), "a test", &err);
    e->visits = mem_array(graph_topology_rows(g) + 1, sizeof(float), "a test", &err);
    e->feature = mem_array(graph_feature_rows(g) + 1, sizeof(float), "a test", &err);
    e->rows = mem_array(graph_feature_rows(g) + 1, sizeof(float), "a test", &err);
}
/* What an item saves, and how often it is read. */
static inline float *estimates_saved(const struct estimates *e, const struct graph *g, uint64_t item)
{
    uint64_t rows = graph_topology_rows(g);
    return item < rows ? &e->topology[item] : &e->feature[item - rows];
}
static inline float *estimates_reads(const struct estimates *e, const struct graph *g, uint64_t item)
{
    uint64_t rows = graph_topology_rows(g);
    return item < rows ? &e->visits[item] : &e->rows[item - rows];
}

/* An empty trace of the server's GPUs, which train a vertex each: no GPU is hotter than another. */
static inline void trace_blank(struct trace *t, const struct graph *g, const struct server *s)
{
    static const uint32_t none[4096];
    memset(t, 0, sizeof *t);
    t->n = g->n;
    t->epochs = 1;
    t->line_bytes = s->line_bytes;
    t->workload.hops = 1;
    t->assignment.gpus = s->gpus;
    t->assignment.cliques = s->cliques;
    t->assignment.kind = ASSIGNMENT_HIERARCHICAL;
    for (int i = 0; i < s->gpus; i++) {
        t->visits[0][i] = t->feature[i] = count_row_wide(none);
        t->assignment.id[i] = s->gpu[i].id;
        t->assignment.clique_of[i] = s->clique_of[i];
        t->assignment.train[i] = mem_array(1, sizeof(uint32_t), "a test", &err);
        t->assignment.train_count[i] = 1;
    }
}

/* What all cliques are expected to leave. */
static inline double planning_left(const struct plan *p, const struct graph *g)
{
    double sum = 0;
    for (int i = 0; i < p->assignment.cliques * graph_tables(g); i++) sum += p->expected[i].transactions;
    return sum;
}

#endif
