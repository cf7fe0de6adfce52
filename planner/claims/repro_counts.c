/* repro_counts.c - what one GPU reads, ranked: coverage of orders; and the partitions of PaGraph; see
 * repro_context.h. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/hotness/hotness.h"
#include "planner/claims/repro_context.h"
#include "planner/partition/self_reliant.h"
#include "simulator/replay/replay.h"

/* One GPU without peers, its two recordings: of the planning seed and of the held-out seed. */
struct bench {
    const struct repro_graph *g;
    struct server server;
    struct assignment all; /* every training vertex on the one GPU */
    struct workload workload;
    struct trace planning, held_out;
    uint64_t epochs; /* held out */
};

static enum st bench_make(struct repro *repro, const doc *row, struct bench *b, struct err *err)
{
    enum st st;
    struct trace_options o = {.threads = repro->call.threads, .kernels = repro->kernels};
    struct workload other;
    TRY(repro_graph(repro, row, &b->g, err));
    TRY(repro_workload(repro, row, b->g, &b->workload, err));
    TRY(server_load("pcie-8:1", &b->server, err));
    TRY(assign_global(&b->g->g, &b->server, 0, b->workload.seed, &b->all, err));
    o.line_bytes = b->server.line_bytes;
    o.server_name = b->server.name;
    o.server_fingerprint = b->server.fingerprint;
    o.epochs = (uint64_t)doc_integer_value(doc_get(row, "presample_epochs"), 4);
    stage_begin(&repro->call.stages, "pre-sampling");
    TRY(trace_record(&b->g->g, &b->all, &b->workload, &o, &b->planning, err));
    b->epochs = o.epochs = replay_default_epochs(&b->g->g, &b->all, &b->workload);
    other = b->workload;
    other.seed = study_held_out_seed(b->workload.seed);
    TRY(trace_record(&b->g->g, &b->all, &other, &o, &b->held_out, err));
done:
    stage_end(&repro->call.stages);
    return st;
}

/* order: [n] by the metric; "optimal": by the held-out counts themselves. */
static enum st rank(const struct repro *repro, const struct bench *b, const char *metric, uint32_t *order,
                    struct err *err)
{
    const struct graph *g = &b->g->g;
    struct hotness_input in = {.graph = g,
                               .trace = &b->planning,
                               .kernels = repro->kernels,
                               .threads = repro->call.threads,
                               .seed = b->workload.seed};
    if (strcmp(metric, "optimal")) return hotness_order(metric, &in, order, err);
    OWNED_NEW(uint64_t, key, g->n, "keys");
    for (uint64_t v = 0; v < g->n; v++) key[v] = count_at(b->held_out.feature[0], v);
    return repro->kernels->sort_hottest(repro->call.threads, key, g->n, order, err);
}

enum st repro_coverage(struct repro *repro, doc *rows, const doc *let, struct err *err)
{
    enum st st;
    ON_HEAP(struct bench, b);
    uint32_t *order = NULL;
    uint64_t all = 0;
    doc *row = doc_at(rows, 0), *covered = doc_array();
    const doc *metrics = doc_get(row, "metrics"), *shares = doc_get(row, "shares");
    (void)let;
    TRY(bench_make(repro, row, b, err));
    uint64_t n = b->g->g.n;
    const struct count_row count = b->held_out.feature[0];
    NEW(order, n, "an order of vertices");
    for (uint64_t v = 0; v < n; v++) all += count_at(count, v);
    for (uint64_t m = 0; m < doc_size(metrics); m++) {
        uint64_t at = 0, sum = 0;
        doc *list = doc_array();
        doc_append(covered, list);
        TRY(rank(repro, b, doc_text_value(doc_at(metrics, m), ""), order, err));
        for (uint64_t k = 0; k < doc_size(shares); k++) { /* shares ascend */
            uint64_t stop = (uint64_t)floor(doc_real_value(doc_at(shares, k), 0) * (double)n + 1e-9);
            for (; at < stop && at < n; at++) sum += count_at(count, order[at]);
            doc_append(list, doc_real(all ? (double)sum / (double)all : NAN));
        }
    }
    DOC_PUT(row, IS("loaded", (double)all / (double)b->epochs), IS("covered", doc_copy(covered)));
done:
    doc_free(covered);
    mem_free(order);
    trace_release(&b->planning);
    trace_release(&b->held_out);
    assignment_release(&b->all);
    server_release(&b->server);
    return st;
}

enum st repro_partitions(struct repro *repro, doc *rows, const doc *let, struct err *err)
{
    enum st st;
    doc *row = doc_at(rows, 0);
    const struct repro_graph *g;
    ON_HEAP(struct server, s);
    struct assignment a = {0};
    struct self_reliant p = {0};
    double sum = 0;
    (void)let;
    TRY(repro_graph(repro, row, &g, err));
    TRY(server_load(doc_text_value(doc_get(row, "server"), ""), s, err));
    TRY(assign_self_reliant(&g->g, s, 2, SCORE_PAPER, &a, err));
    for (int i = 0; i < a.gpus; i++) {
        TRY(self_reliant_make(&g->g, a.train[i], a.train_count[i], 2, &p, err));
        sum += (double)p.vertices / (double)g->g.n;
        self_reliant_release(&p);
    }
    doc_put(row, "share", doc_real(sum / a.gpus));
done:
    self_reliant_release(&p);
    assignment_release(&a);
    server_release(s);
    return st;
}
