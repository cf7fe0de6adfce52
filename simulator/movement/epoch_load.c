#include "simulator/movement/epoch_load.h"

#include <string.h>

#include "simulator/movement/traffic.h"
#include "traces/recording/trace_rows.h"
#include "traces/sampling/seeds.h"

void epoch_load_layers(const struct workload *w, const double *visits, const double *draws, double rows,
                       struct epoch_gpu *out)
{
    int layers = w->hops;
    double vertices = 0, edges = 0;
    for (int h = 0; h < layers; h++) { /* hop h feeds layer L - h */
        vertices = w->frontier == FRONTIER_NEW ? vertices + visits[h] : visits[h];
        edges = w->frontier == FRONTIER_NEW ? edges + draws[h] : draws[h];
        out->vertices[layers - h] = vertices;
        out->edges[layers - h] = edges;
        out->draws += draws[h];
    }
    out->vertices[0] = rows;
}

/* A request is a read at one place: a feature row; of a visit the offset pair, and the lines of its row that are drawn
 * from, which are read together. What the CPU gathered is copied mini-batch by mini-batch. */
static void set_reads(const struct placement *p, const struct replay_gpu *gpu, double epochs, const struct graph *graph,
                      uint64_t line_bytes, struct epoch_gpu *out)
{
    double rows = (double)gpu->rows[p->gpus], bytes = (double)replay_feature_bytes(gpu, graph, p->gpus, p->gpus);
    out->feature_bytes = (double)gpu->feature * (double)line_bytes / epochs;
    out->topology_bytes = (double)gpu->topology * (double)line_bytes / epochs;
    out->feature_payload = graph_plain(graph) ? (double)graph->row_bytes : rows > 0 ? bytes / rows : (double)line_bytes;
    out->topology_payload = gpu->visits[p->gpus]
                                ? (double)gpu->topology * (double)line_bytes / (2 * (double)gpu->visits[p->gpus])
                                : (double)line_bytes;
    if (p->copies_features) out->feature_bytes = bytes / epochs;
    if (p->access != ACCESS_GPU && out->batches > 0) out->topology_payload = out->topology_bytes / out->batches;
    if (p->copies_features && out->batches > 0) out->feature_payload = out->feature_bytes / out->batches;
}

/* Bytes between a reader and a holder: from the holder, and what the reader sends it. */
struct exchange {
    double back, there;
};

/* Adds the bytes between reader g and a holder to every link that they pass. */
static void add_peer(const struct routes *routes, const int *pcie_switch, int g, int holder, struct exchange exchange,
                     struct epoch_load *l)
{
    if (routes && routes_over_pcie(routes, pcie_switch, g, holder)) {
        l->gpu[g].pcie_peer_bytes[holder] += exchange.back;
        l->gpu[holder].pcie_peer_bytes[g] += exchange.there;
        return;
    }
    for (int at = g; at != holder;) {
        int next = routes && routes->hops[g][holder] ? routes->next[at][holder] : holder;
        l->gpu[at].peer_bytes[next] += exchange.back;
        l->gpu[next].peer_bytes[at] += exchange.there;
        at = next;
    }
}

/* Adds what one GPU's reads take from every GPU. Pushed visits pass the links as requests and draws, which are packed
 * by mini-batch: they are no small requests, and the holder's own memory serves their rows. */
static void add_peers(const struct placement *p, const struct routes *routes, const int *pcie_switch,
                      const struct replay_gpu *gpu, int g, const struct graph *graph, const struct workload *w,
                      double epochs, struct epoch_load *out)
{
    double bytes = 0, requests = 0;
    bool samples = p->access == ACCESS_GPU;
    for (int s = 0; s < p->gpus; s++) {
        double rows = (double)replay_feature_bytes(gpu, graph, p->gpus, s),
               topology = samples ? 16 * (double)gpu->visits[s] + (double)gpu->entries[s] : 0;
        struct traffic_push push = traffic_push_of(w, gpu->visits[s], gpu->draws[s], gpu->entries[s]);
        struct exchange between = {(rows + topology) / epochs, 0};
        out->gpu[s].memory_bytes += between.back;
        if (s == g) continue;
        bool pushed = samples && p->pushes;
        if (pushed) between = (struct exchange){(rows + (double)push.back) / epochs, (double)push.there / epochs};
        bytes += pushed ? rows : rows + topology;
        requests += (double)gpu->rows[s] + (topology > 0 && !pushed ? (double)(gpu->visits[s] + gpu->draws[s]) : 0);
        add_peer(routes, pcie_switch, g, s, between, out);
    }
    out->gpu[g].peer_payload = requests > 0 ? bytes / requests : 0;
}

/* Elements and bytes of a vertex's feature row, a mean. */
static void set_row(double dim, double bytes, struct epoch_load *out)
{
    out->dim = dim;
    out->element_bytes = dim > 0 ? bytes / dim : 0;
}

/* Sums over what was gathered of a table: vertices, their elements, and bytes. */
struct gathered {
    double vertices, elements, bytes;
};

/* n: rows of feature table t that were gathered. */
static void gather(const struct graph *g, int table, double n, struct gathered *to)
{
    const struct row_table *t = &g->table[table];
    to->bytes += n * (double)t->row_bytes;
    if (t->kind == ROWS_FEATURE) to->elements += n * (double)g->type[t->of].features.dim;
}

/* The mean over all vertices that mini-batches had; edge features are bytes of their vertices. */
static void set_replayed_row(const struct replay *r, const struct graph *g, struct epoch_load *out)
{
    struct gathered sum = {0};
    for (int k = 0; k < r->gpus; k++) {
        sum.vertices += (double)r->gpu[k].vertices;
        for (int t = g->relations; t < r->tables; t++) {
            const struct table_reads *reads = &r->table[(size_t)k * (size_t)r->tables + (size_t)t];
            gather(g, t, (double)(reads->reads[READ_OWN] + reads->reads[READ_PEER] + reads->reads[READ_HOST]), &sum);
        }
    }
    if (sum.vertices > 0) set_row(sum.elements / sum.vertices, sum.bytes / sum.vertices, out);
}

void epoch_load_reads(const struct placement *p, const struct routes *routes, const int *pcie_switch,
                      const struct replay *r, const struct graph *graph, const struct workload *w, uint64_t line_bytes,
                      struct epoch_load *out)
{
    double epochs = r->epochs ? (double)r->epochs : 1;
    out->access = p->access;
    out->cpu_gathers = p->copies_features;
    for (int g = 0; g < p->gpus; g++) {
        struct epoch_gpu *to = &out->gpu[g];
        to->samples = p->access == ACCESS_SAMPLERS && p->topology[g].count > 0;
        set_reads(p, &r->gpu[g], epochs, graph, line_bytes, to);
        add_peers(p, routes, pcie_switch, &r->gpu[g], g, graph, w, epochs, out);
    }
}

void epoch_load_of(const struct placement *p, const struct routes *routes, const int *pcie_switch,
                   const struct replay *r, const struct graph *graph, const struct workload *w, uint64_t line_bytes,
                   struct epoch_load *out)
{
    double epochs = r->epochs ? (double)r->epochs : 1;
    memset(out, 0, sizeof *out);
    out->gpus = p->gpus;
    out->layers = w->sampler == SAMPLER_WALK ? 0 : w->hops;
    if (graph_plain(graph)) set_row((double)graph->feature_dim, (double)graph->row_bytes, out);
    else set_replayed_row(r, graph, out);
    for (int g = 0; g < p->gpus; g++) {
        const struct replay_gpu *gpu = &r->gpu[g];
        double visits[HOPS_MAX], draws[HOPS_MAX], rows = 0;
        for (int h = 0; h < w->hops; h++) {
            visits[h] = (double)gpu->hop_visits[h] / epochs;
            draws[h] = (double)gpu->hop_draws[h] / epochs;
        }
        for (int s = 0; s <= p->gpus; s++) rows += (double)gpu->rows[s] / epochs;
        if (!graph_plain(graph)) rows = (double)gpu->vertices / epochs;
        out->gpu[g].batches = (double)gpu->batches / epochs;
        epoch_load_layers(w, visits, draws, rows, &out->gpu[g]);
    }
    epoch_load_reads(p, routes, pcie_switch, r, graph, w, line_bytes, out);
}

/* ---- from a recording ---- */

/* Adds the visits of a topology table's rows in a hop, and what they draw. */
static void record_visits(const struct graph *g, const struct trace *t, int table, int hop, int gpu, uint64_t *seen,
                          double *drawn)
{
    const struct row_table rows = graph_table(g, table);
    const struct count_row visits = trace_visits(t, g, rows, hop, gpu);
    for (uint64_t row = 0; row < rows.count; row++) {
        uint64_t k = count_at(visits, row);
        *seen += k;
        if (k) *drawn += (double)k * workload_mean_draws(g, &t->workload, rows.of, hop, row);
    }
}

/* What mini-batches gathered of GPU gpu, over all epochs, of several types. */
static struct gathered record_rows(const struct graph *g, const struct trace *t, int gpu)
{
    struct gathered sum = {0};
    for (int k = g->relations; k < g->tables; k++) {
        uint64_t n = 0;
        if (g->table[k].kind == ROWS_EDGE && !g->table[k].row_bytes) continue;
        for (uint64_t row = 0; row < g->table[k].count; row++) n += trace_row_reads(t, g, g->table[k], row, gpu);
        gather(g, k, (double)n, &sum);
        if (g->table[k].kind == ROWS_FEATURE) sum.vertices += (double)n;
    }
    return sum;
}

/* What GPU gpu read in all, over all epochs. */
static struct trace_sums record_sums(const struct graph *g, const struct trace *t, int gpu)
{
    struct trace_sums sum = {0};
    if (t->sums) return t->sums[gpu];
    for (uint64_t v = 0; v < g->n; v++) {
        sum.feature += count_at(t->feature[gpu], v);
        sum.topology += count_at(t->topology[gpu], v); /* none of several types */
    }
    for (int h = 0; h < t->workload.hops; h++)
        for (int k = 0; k < graph_tables(g); k++)
            if (graph_table(g, k).kind == ROWS_TOPOLOGY) record_visits(g, t, k, h, gpu, &sum.visits[h], &sum.draws[h]);
    return sum;
}

static void record_gpu(const struct graph *g, const struct trace *t, int gpu, struct epoch_gpu *out)
{
    const struct workload *w = &t->workload;
    const struct trace_sums sum = record_sums(g, t, gpu);
    double visits[HOPS_MAX], draws[HOPS_MAX], part[HOPS_MAX], epochs = (double)t->epochs, parts = 0;
    for (int h = 0; h < w->hops; h++) {
        visits[h] = (double)sum.visits[h] / epochs;
        draws[h] = sum.draws[h] / epochs; /* whole numbers, unless rows are drawn together */
        part[h] = workload_layer_wise(w) ? w->fanout[h] : draws[h];
        parts += part[h];
    }
    for (int h = 0; h < w->hops && workload_counts_draws(w) && graph_plain(g); h++) /* split as in replay.c */
        draws[h] = parts > 0 ? (double)sum.topology / epochs * part[h] / parts : 0;
    out->batches = (double)seeds_batches(w, g, t->assignment.train[gpu], t->assignment.train_count[gpu]);
    epoch_load_layers(w, visits, draws, (double)sum.feature / epochs, out);
}

/* Reads of GPU i with nothing cached, where the CPU samples and gathers. */
static void record_reads(const struct graph *g, const struct trace *t, int i, struct gathered *own,
                         struct epoch_gpu *gpu)
{
    record_gpu(g, t, i, gpu);
    gpu->feature_bytes = gpu->vertices[0] * (double)g->row_bytes;
    if (!graph_plain(g)) {
        *own = record_rows(g, t, i);
        gpu->feature_bytes = own->bytes / (double)t->epochs;
    }
    gpu->topology_bytes = 8 * gpu->draws;
    if (!(gpu->batches > 0)) return;
    gpu->feature_payload = gpu->feature_bytes / gpu->batches;
    gpu->topology_payload = gpu->topology_bytes / gpu->batches;
}

void epoch_load_recorded(const struct graph *g, const struct trace *t, int threads, struct epoch_load *out)
{
    struct gathered own[GPUS_MAX] = {{0}}, sum = {0}; /* of several types */
    memset(out, 0, sizeof *out);
    out->gpus = t->assignment.gpus;
    out->layers = t->workload.sampler == SAMPLER_WALK ? 0 : t->workload.hops;
    out->access = ACCESS_CPU;
    out->cpu_gathers = true;
    if (graph_plain(g)) set_row((double)g->feature_dim, (double)g->row_bytes, out);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int i = 0; i < out->gpus; i++) record_reads(g, t, i, &own[i], &out->gpu[i]);
    for (int i = 0; i < out->gpus; i++) {
        sum.vertices += own[i].vertices;
        sum.elements += own[i].elements;
        sum.bytes += own[i].bytes;
    }
    if (sum.vertices > 0) set_row(sum.elements / sum.vertices, sum.bytes / sum.vertices, out);
}

/* Adds the sums of one GPU to those of all. */
static void add_gpu(const struct epoch_gpu *gpu, int layers, struct epoch_gpu *to)
{
    to->batches += gpu->batches;
    to->draws += gpu->draws;
    to->topology_bytes += gpu->topology_bytes;
    for (int l = 0; l <= layers; l++) {
        to->vertices[l] += gpu->vertices[l];
        to->edges[l] += gpu->edges[l];
    }
}

void epoch_load_split(const struct epoch_load *recorded, int samplers, const double *missed, uint64_t line_bytes,
                      struct epoch_load *out)
{
    struct epoch_gpu all = {0};
    double row = recorded->dim * recorded->element_bytes, trainers = recorded->gpus - samplers;
    for (int g = 0; g < recorded->gpus; g++) add_gpu(&recorded->gpu[g], recorded->layers, &all);
    *out = *recorded;
    out->access = ACCESS_SAMPLERS;
    for (int g = 0; g < recorded->gpus; g++) {
        struct epoch_gpu *gpu = &out->gpu[g];
        memset(gpu, 0, sizeof *gpu);
        gpu->samples = g < samplers;
        if (g < samplers) continue;
        gpu->batches = all.batches / trainers;
        gpu->draws = all.draws / trainers;
        gpu->topology_bytes = all.topology_bytes / trainers;
        gpu->topology_payload = all.batches > 0 ? all.topology_bytes / all.batches : (double)line_bytes;
        gpu->feature_bytes = missed[g] * gpu->batches * row;
        gpu->feature_payload = missed[g] * row;
        for (int l = 0; l <= recorded->layers; l++) {
            gpu->vertices[l] = all.vertices[l] / trainers;
            gpu->edges[l] = all.edges[l] / trainers;
        }
    }
}

void epoch_load_enlarge(struct epoch_load *l, double by)
{
    for (int g = 0; g < l->gpus; g++) {
        struct epoch_gpu *gpu = &l->gpu[g];
        for (int i = 0; i <= l->layers; i++) {
            gpu->vertices[i] *= by;
            gpu->edges[i] *= by;
        }
        gpu->draws *= by;
        gpu->feature_bytes *= by;
        gpu->topology_bytes *= by;
        if (l->access != ACCESS_GPU) gpu->topology_payload *= by; /* whole mini-batches are copied */
        if (l->access == ACCESS_CPU) gpu->feature_payload *= by;
        for (int s = 0; s < l->gpus; s++) {
            gpu->peer_bytes[s] *= by;
            gpu->pcie_peer_bytes[s] *= by;
        }
    }
}
