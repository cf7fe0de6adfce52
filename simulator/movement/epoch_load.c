/* epoch_load.c - from a replay's counts to what every GPU does in an epoch (declared in epoch_time.h). */
#include <string.h>

#include "simulator/movement/epoch_time.h"

void epoch_load_layers(const struct workload *w, const double *visits, const double *draws, double rows,
                       struct epoch_gpu *out)
{
    int layers = w->hops;
    double vertices = 0, edges = 0;
    for (int h = 0; h < layers; h++) { /* hop h feeds layer L - h */
        vertices = w->frontier_all ? visits[h] : vertices + visits[h];
        edges = w->frontier_all ? draws[h] : edges + draws[h];
        out->vertices[layers - h] = vertices;
        out->edges[layers - h] = edges;
        out->draws += draws[h];
    }
    out->vertices[0] = rows;
}

/* Zero-copy reads have the size of a row, or of a line of the topology; what the CPU gathered is copied mini-batch by
 * mini-batch. */
static void set_reads(const struct placement *p, const struct replay_gpu *x, double epochs, uint64_t row_bytes,
                      uint64_t line_bytes, struct epoch_gpu *out)
{
    out->feature_bytes = (double)x->feature * (double)line_bytes / epochs;
    out->topology_bytes = (double)x->topology * (double)line_bytes / epochs;
    out->feature_payload = (double)row_bytes;
    out->topology_payload = (double)line_bytes;
    if (p->copies_features) out->feature_bytes = (double)x->rows[p->gpus] * (double)row_bytes / epochs;
    if (p->access != ACCESS_GPU && out->batches > 0) out->topology_payload = out->topology_bytes / out->batches;
    if (p->copies_features && out->batches > 0) out->feature_payload = out->feature_bytes / out->batches;
}

void epoch_load_of(const struct placement *p, const struct replay *r, const struct graph *graph,
                   const struct workload *w, uint64_t line_bytes, struct epoch_load *out)
{
    double epochs = r->epochs ? (double)r->epochs : 1;
    memset(out, 0, sizeof *out);
    out->gpus = p->gpus;
    out->layers = w->sampler == SAMPLER_WALK ? 0 : w->hops;
    out->access = p->access;
    out->cpu_gathers = p->copies_features;
    out->dim = graph->feature_dim;
    out->element_bytes = graph->feature_bytes;
    for (int g = 0; g < p->gpus; g++) {
        const struct replay_gpu *x = &r->gpu[g];
        struct epoch_gpu *to = &out->gpu[g];
        double visits[HOPS_MAX], draws[HOPS_MAX], rows = 0;
        for (int h = 0; h < w->hops; h++) {
            visits[h] = (double)x->hop_visits[h] / epochs;
            draws[h] = (double)x->hop_draws[h] / epochs;
        }
        for (int s = 0; s <= p->gpus; s++) rows += (double)x->rows[s] / epochs;
        to->batches = (double)x->batches / epochs;
        to->samples = p->access == ACCESS_SAMPLERS && p->topology[g].count > 0;
        epoch_load_layers(w, visits, draws, rows, to);
        set_reads(p, x, epochs, graph->row_bytes, line_bytes, to);
        for (int s = 0; s < p->gpus; s++) {
            double topology = p->access == ACCESS_GPU ? 16 * (double)x->visits[s] + 4 * (double)x->draws[s] : 0;
            to->peer_bytes[s] = s == g ? 0 : ((double)x->rows[s] * (double)graph->row_bytes + topology) / epochs;
        }
    }
}
