#include "simulator/movement/epoch_args.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "simulator/movement/balance.h"
#include "traces/sampling/seeds.h"

enum st timing_make(const struct timing_args *a, struct timing *out, struct err *err)
{
    enum st st = ST_OK;
    struct timing t = {
        .setup = {.gnn = {gnn_of(a->model), (uint64_t)a->hidden, (uint64_t)a->classes}, .cpu = cpu_part_none()}};
    t.setup.pipelined = !a->schedule || !strcmp(a->schedule, "pipelined");
    t.share_given = a->cpu_share;
    if (a->cpu_share) TRY(units_real(a->cpu_share, "--cpu-share", &t.setup.cpu.share, err));
    if (!(t.setup.cpu.share >= 0 && t.setup.cpu.share <= 1))
        FAIL(ST_USAGE, "--cpu-share: %g is not a share; 0 (the GPUs train all) to 1 was expected", t.setup.cpu.share);
    if (a->calibration) TRY(calibration_load(a->calibration, &t.calibration, err));
    t.calibrated = a->calibration;
    *out = t;
done:
    return st;
}

/* Without a server there is one thing to say. */
static void put_unknown(const struct timing *t, const struct plan *p, doc *simulated)
{
    struct epoch_time none = {.bottleneck = EPOCH_STAGES, .seconds = NAN, .unknowns = 1, .unknown = {EPOCH_NO_SERVER}};
    doc_put(simulated, "epoch_time", epoch_time_document(&none, &t->setup, p->assignment.id, 0, NULL));
}

/* What mini-batches `by` times as large on a graph `by` times as large do: as many of them, everything else more. */
static void enlarge_load(struct epoch_load *l, double by)
{
    for (int g = 0; g < l->gpus; g++) {
        struct epoch_gpu *x = &l->gpu[g];
        for (int i = 0; i <= l->layers; i++) {
            x->vertices[i] *= by;
            x->edges[i] *= by;
        }
        x->draws *= by;
        x->feature_bytes *= by;
        x->topology_bytes *= by;
        if (l->access != ACCESS_GPU) x->topology_payload *= by; /* whole mini-batches are copied */
        if (l->access == ACCESS_CPU) x->feature_payload *= by;
        for (int s = 0; s < l->gpus; s++) x->peer_bytes[s] *= by;
    }
}

enum st timing_put(const struct timing *t, const struct server *server, const struct plan *p, const struct replay *r,
                   const struct graph *graph, doc *simulated, struct err *err)
{
    enum st st = ST_OK;
    struct epoch_load *load = NULL;
    struct epoch_time *time = NULL;
    struct epoch_setup how = t->setup;
    const doc *stated = doc_get(p->stated, "cpu");
    if (!t->setup.gnn.hidden) return ST_OK;
    if (!server) {
        put_unknown(t, p, simulated);
        return ST_OK;
    }
    NEW(load, 1, "the time model");
    NEW(time, 1, "the time model");
    if (stated && !t->share_given) how.cpu = balance_read(stated);
    epoch_load_of(&p->placement, r, graph, &p->workload, p->line_bytes, load);
    if (t->enlarge > 0) enlarge_load(load, t->enlarge);
    epoch_time(load, server, &how, time);
    doc_put(simulated, "epoch_time",
            epoch_time_document(time, &how, p->assignment.id, p->assignment.gpus,
                                t->calibrated ? &t->calibration : NULL));
done:
    mem_free(load);
    mem_free(time);
    return st;
}

/* ---- from a recording ---- */

static void record_gpu(const struct graph *g, const struct trace *t, int gpu, struct epoch_gpu *out)
{
    const struct workload *w = &t->workload;
    double visits[HOPS_MAX], draws[HOPS_MAX], epochs = (double)t->epochs, wide = 0;
    uint64_t of_rows = 0, of_topology = 0;
    for (uint64_t v = 0; v < g->n; v++) {
        of_rows += t->feature[gpu][v];
        of_topology += t->topology[gpu][v];
    }
    for (int h = 0; h < w->hops; h++) {
        uint64_t seen = 0, drawn = 0;
        for (uint64_t v = 0; v < g->n; v++) {
            uint64_t degree = graph_degree(g, v), k = t->visits[h][gpu][v];
            seen += k;
            drawn += k * (degree < w->fanout[h] ? degree : w->fanout[h]);
        }
        visits[h] = (double)seen / epochs;
        draws[h] = (double)drawn / epochs;
        wide += w->fanout[h];
    }
    for (int h = 0; h < w->hops && workload_layer_wise(w); h++)
        draws[h] = (double)of_topology / epochs * w->fanout[h] / wide;
    out->batches = (double)seeds_batches(w, g, t->assignment.train[gpu], t->assignment.train_count[gpu]);
    epoch_load_layers(w, visits, draws, (double)of_rows / epochs, out);
}

void timing_recorded(const struct graph *g, const struct trace *t, struct epoch_load *out)
{
    memset(out, 0, sizeof *out);
    out->gpus = t->assignment.gpus;
    out->layers = t->workload.sampler == SAMPLER_WALK ? 0 : t->workload.hops;
    out->access = ACCESS_CPU;
    out->cpu_gathers = true;
    out->dim = g->feature_dim;
    out->element_bytes = g->feature_bytes;
    for (int i = 0; i < out->gpus; i++) {
        struct epoch_gpu *x = &out->gpu[i];
        record_gpu(g, t, i, x);
        x->feature_bytes = x->vertices[0] * (double)g->row_bytes;
        x->topology_bytes = 8 * x->draws;
        if (!(x->batches > 0)) continue;
        x->feature_payload = x->feature_bytes / x->batches;
        x->topology_payload = x->topology_bytes / x->batches;
    }
}

/* Adds a GPU's sums to those of all. */
static void add_gpu(const struct epoch_gpu *x, int layers, struct epoch_gpu *to)
{
    to->batches += x->batches;
    to->draws += x->draws;
    to->topology_bytes += x->topology_bytes;
    for (int l = 0; l <= layers; l++) {
        to->vertices[l] += x->vertices[l];
        to->edges[l] += x->edges[l];
    }
}

void timing_split(const struct epoch_load *recorded, int samplers, const double *missed, uint64_t line_bytes,
                  struct epoch_load *out)
{
    struct epoch_gpu all = {0};
    double row = (double)(recorded->dim * recorded->element_bytes), trainers = recorded->gpus - samplers;
    for (int g = 0; g < recorded->gpus; g++) add_gpu(&recorded->gpu[g], recorded->layers, &all);
    *out = *recorded;
    out->access = ACCESS_SAMPLERS;
    for (int g = 0; g < recorded->gpus; g++) {
        struct epoch_gpu *x = &out->gpu[g];
        memset(x, 0, sizeof *x);
        x->samples = g < samplers;
        if (g < samplers) continue;
        x->batches = all.batches / trainers;
        x->draws = all.draws / trainers;
        x->topology_bytes = all.topology_bytes / trainers;
        x->topology_payload = all.batches > 0 ? all.topology_bytes / all.batches : (double)line_bytes;
        x->feature_bytes = missed[g] * x->batches * row;
        x->feature_payload = missed[g] * row;
        for (int l = 0; l <= recorded->layers; l++) {
            x->vertices[l] = all.vertices[l] / trainers;
            x->edges[l] = all.edges[l] / trainers;
        }
    }
}
