/* repro_cells.c - plans and simulates what a figure's rows name; see repro_context.h. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "hwprofiles/model/bandwidth.h"
#include "hwprofiles/model/server_subset.h"
#include "planner/claims/changes.h"
#include "planner/claims/expression.h"
#include "planner/claims/repro_context.h"
#include "planner/engine/study.h"
#include "simulator/movement/simulated.h"

static const char *text(const doc *row, const char *key, const char *otherwise)
{
    return doc_text_value(doc_get(row, key), otherwise);
}

/* ---- servers ---- */

/* Scales the memories of the host, its sockets and the GPUs, where they are numbers. */
static void scale_memories(doc *server, double scale)
{
    static const char *const lists[] = {"gpus", "numa"};
    double host = doc_real_value(doc_get(server, "host_memory_bytes"), 0);
    doc_put(server, "host_memory_bytes", doc_integer((int64_t)(host * scale)));
    for (int k = 0; k < 2; k++)
        for (uint64_t i = 0; i < doc_size(doc_get(server, lists[k])); i++) {
            doc *one = doc_at(doc_get(server, lists[k]), i);
            double bytes = doc_number(one, "memory_bytes");
            if (!isnan(bytes)) doc_put(one, "memory_bytes", doc_integer((int64_t)(bytes * scale)));
        }
}

/* GPUs without NVLink, each a copy of the first with a switch of its own. */
static void widen(doc *server, int64_t gpus)
{
    doc *list = doc_array();
    for (int64_t i = 0; i < gpus; i++) {
        doc *g = doc_copy(doc_at(doc_get(server, "gpus"), 0));
        DOC_PUT(g, IS("id", i), IS("switch", i));
        doc_append(list, g);
    }
    DOC_PUT(server, IS("gpus", list), IS("nvlinks", doc_array()), IS("cliques", doc_null()));
}

/* *out: the row's server with the user's changes and the row's; the caller releases it. ":2" at the end of its name:
 * its first two GPUs. */
static enum st server_of_row(struct repro *repro, const doc *row, double scale, struct server *out, struct err *err)
{
    enum st st = ST_OK;
    char base[64];
    doc *d = NULL;
    const char *name = text(row, "server", "");
    const int64_t gpus = doc_integer_value(doc_get(row, "gpus_without_nvlink"), 0);
    if (!doc_bool_value(doc_get(row, "scaled_memory"), false)) scale = 1;
    snprintf(base, sizeof base, "%.*s", (int)strcspn(name, ":"), name);
    if (!changes_next(repro->changes, base, NULL) && scale == 1 && !gpus) return server_load(name, out, err);
    ON_HEAP(struct server, whole);
    TRY(server_load(base, whole, err));
    d = doc_copy(whole->document);
    TRY(changes_server(repro->changes, base, d, err));
    if (scale != 1) scale_memories(d, scale);
    if (gpus) widen(d, gpus);
    TRY(server_of_document(d, base, out, err));
    if (name[strlen(base)]) TRY(server_subset(out, name + strlen(base) + 1, err));
done:
    doc_free(d);
    server_release(whole);
    return st;
}

/* ---- cells ---- */

static struct study_args study_args_of(const doc *row)
{
    return (struct study_args){.partition = "auto",
                               .objective = "transactions",
                               .sampling = "gpu", /* as the papers' systems are compared */
                               .presample_epochs = doc_integer_value(doc_get(row, "presample_epochs"), 4),
                               .simulate_epochs = -1,
                               .simulate_seed = -1,
                               .reserve = text(row, "reserve", NULL),
                               .no_mixture = true,
                               .timing = {.model = text(row, "model", "sage"),
                                          .schedule = "pipelined",
                                          .prefetch = text(row, "prefetch", NULL),
                                          .unoverlapped = text(row, "unoverlapped", NULL),
                                          .cpu_share = text(row, "cpu_share", NULL),
                                          .hidden = doc_integer_value(doc_get(row, "hidden"), 256),
                                          .classes = doc_integer_value(doc_get(row, "classes"), 64)}};
}

/* Policy, options, metric and budget of the row s->row. */
static enum st read_cell(const struct scope *s, struct study_cell *cell, struct err *err)
{
    char budget[64];
    const doc *row = doc_at(s->rows, s->row), *options = doc_get(row, "options");
    const char *policy = text(row, "policy", ""), *held = text(row, "budget", "0");
    double bytes;
    struct vector v;
    *cell = (struct study_cell){.policy = baseline_find(policy), .hotness = text(row, "hotness", NULL)};
    if (!cell->policy) PASS(policy_find(policy, &cell->policy, err));
    cell->options_given = doc_is_array(options);
    for (uint64_t i = 0; i < doc_size(options) && i < POLICY_OPTIONS; i++) {
        PASS(expression_of(doc_at(options, i), s, &v, err));
        cell->option[i] = v.v[0];
    }
    expression_fill(held, row, budget, sizeof budget);
    if (*held == '=') {
        PASS(expression_number(held + 1, s, &bytes, err));
        snprintf(budget, sizeof budget, "%.0f", bytes);
    }
    if (budget[strspn(budget, "0123456789")] == '\0') strcat(budget, "B");
    return budget_parse(budget, false, "budget", &cell->budget, err);
}

/* At what rate the bytes of each of those links pass. */
static doc *link_rates(const struct server *s, const doc *links)
{
    doc *list = doc_array();
    for (uint64_t i = 0; i < doc_size(links); i++) {
        const doc *l = doc_at(links, i);
        double gbps = s->link_gbps[doc_integer_value(doc_get(l, "to"), 0)][doc_integer_value(doc_get(l, "from"), 0)];
        doc_append(list, doc_real(server_nvlink_rate(s, gbps, doc_number(l, "bytes"))));
    }
    return list;
}

static void put_cell(const struct study *s, const struct study_cell *c, doc *d)
{
    bool good = c->verdict.status == POLICY_OK;
    doc *simulated = simulated_document(&c->plan, c->plan.simulated, s->o.graph, true),
        *time = doc_get(simulated, "epoch_time");
    doc_put(d, "out_of_memory", doc_bool(c->verdict.status == POLICY_OOM));
    doc_put(d, "predicted", good ? plan_predicted_document(&c->plan, s->o.graph) : doc_null());
    doc_put(d, "simulated", simulated);
    doc_put_copy(d, "time", time);
    doc_put_copy(d, "stages", doc_get(time, "stages"));
    doc_put(d, "uncached_transactions",
            c->recording && c->recording->uncached ? doc_integer((int64_t)c->recording->uncached) : doc_null());
    doc_put_copy(d, "machine", s->o.server->document);
    doc_put_copy(d, "notes", c->plan.notes);
    doc_put(d, "link_gbps",
            link_rates(s->o.server, doc_get(doc_get(doc_get(simulated, "movement"), "nvlink"), "links")));
}

/* Makes the workload biased, and *view as such a sampler needs it. *made: the weights, uniform in (0, 1], where the
 * graph has none; owned by the caller. */
static enum st weigh(const struct repro *repro, struct workload *w, struct graph *view, float **made, struct err *err)
{
    enum { WEIGHTS = 0x77656967 }; /* stream of random numbers */
    w->sampler = SAMPLER_BIASED;
    if (!view->weights) {
        MAKE(*made, view->m, "weights of arcs");
        for (uint64_t i = 0; i < view->m; i++)
            (*made)[i] = (float)(1 - rng_unit((uint64_t)repro->call.common.seed, WEIGHTS, i));
        view->weights = *made;
    }
    return workload_attach(w, view, err);
}

enum st repro_cells(struct repro *repro, doc *rows, const doc *let, struct err *err)
{
    enum st st;
    const doc *row = doc_at(rows, 0);
    const struct repro_graph *g;
    struct workload w;
    ON_HEAP(struct server, server);
    ON_HEAP(struct study, s);
    ON_HEAP(struct study_options, o);
    struct study_args args = study_args_of(row);
    struct study_cell *cells = NULL;
    ON_HEAP(struct graph, view);
    float *weights = NULL;
    int64_t element = doc_integer_value(doc_get(row, "element_bytes"), 0);
    int count = (int)doc_size(rows);
    NEW(cells, count, "the cells of a figure");
    TRY(repro_graph(repro, row, &g, err));
    TRY(repro_workload(repro, row, g, &w, err));
    for (int i = 0; i < count; i++) {
        struct scope scope = {.let = let, .rows = rows, .row = (uint64_t)i, .group = 1};
        TRY(read_cell(&scope, &cells[i], err));
    }
    *view = g->g;
    if (element && !g->given) {
        view->feature_bytes = (uint64_t)element;
        view->row_bytes = view->feature_dim * view->feature_bytes;
    }
    if (doc_bool_value(doc_get(row, "biased"), false)) TRY(weigh(repro, &w, view, &weights, err));
    TRY(server_of_row(repro, row, g->scale, server, err));
    TRY(study_options_make(&repro->call, &args, view, server, repro->kernels, &w, o, err));
    o->memo = g->memo;
    if (doc_bool_value(doc_get(row, "full_size"), false)) o->timing.setup.enlarge = 1 / g->scale;
    study_begin(s, o);
    TRY(study_plan_all(s, cells, count, err));
    TRY(study_simulate(s, cells, count, err));
    for (int i = 0; i < count; i++) put_cell(s, &cells[i], doc_at(rows, (uint64_t)i));
done:
    for (int i = 0; cells && i < count; i++) study_cell_release(&cells[i]);
    mem_free(cells);
    study_end(s);
    server_release(server);
    mem_free(weights);
    return st;
}
