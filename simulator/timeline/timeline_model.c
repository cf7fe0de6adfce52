#include "simulator/timeline/timeline_model.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "simulator/movement/epoch_load.h"
#include "traces/sampling/seeds.h"

void timeline_model_release(struct timeline_model *m)
{
    for (uint64_t b = 0; m->replay && b < m->count; b++) replay_release(&m->replay[b]);
    mem_free(m->replay);
    mem_free(m->time);
    mem_free(m->ssd);
    memset(m, 0, sizeof *m);
}

/* Transactions of the host in a mini-batch, of all GPUs. */
static double host_lines(const struct replay *r)
{
    double sum = 0;
    for (int g = 0; g < r->gpus; g++) sum += (double)(r->gpu[g].feature + r->gpu[g].topology);
    return sum;
}

/* The drives' seconds of an epoch, by what mini-batches read from the host. */
static void share_ssd(const struct plan *p, const doc *simulated, struct timeline_model *m)
{
    double seconds = doc_real_value(doc_get(doc_get(doc_get(simulated, "memories"), "ssd"), "seconds"), 0),
           lines = doc_real_value(doc_get(simulated, "total_transactions"), 0);
    for (uint64_t b = 0; b < m->count && lines > 0; b++)
        m->ssd[b] = (1 - p->cpu_share) * host_lines(&m->replay[b]) / lines * seconds;
}

static enum st check_known(const struct epoch_time *t, const struct plan *p, struct err *err)
{
    char names[600] = "";
    if (!t->unknowns) return ST_OK;
    for (int i = 0; i < t->unknowns; i++) text_append(names, sizeof names, "%s %s", i ? "," : "", t->unknown[i]);
    return err_set(err, ST_NO, "a timeline needs the rates of server %s, whose description lacks%s", p->server_name,
                   names);
}

static enum st evaluate(const struct plan *p, const struct server *s, const struct graph *graph,
                        struct timeline_model *m, struct err *err)
{
    OWNED_NEW(struct epoch_load, load, 1, "the time model");
    OWNED_NEW(struct routes, routes, 1, "the time model");
    routes_find(&p->placement, p->links, p->assignment.id, routes);
    for (uint64_t b = 0; b < m->count; b++) {
        epoch_load_of(&p->placement, routes, p->pcie_switch, &m->replay[b], graph, &p->workload, p->line_bytes, load);
        epoch_time(load, s, &m->how, &m->time[b]);
        PASS(check_known(&m->time[b], p, err));
        m->cpu_gathers = load->cpu_gathers;
        m->sampler_gpus = load->access == ACCESS_SAMPLERS;
    }
    return ST_OK;
}

enum st timeline_model_make(const struct replay_request *r, const struct plan *p, const struct server *s,
                            const struct epoch_options *o, const doc *simulated, uint64_t most,
                            struct timeline_model *out, struct err *err)
{
    const struct assignment *a = r->assignment;
    memset(out, 0, sizeof *out);
    out->plan = p;
    out->how = epoch_setup_of(o, p, r->graph);
    out->mean = doc_number(doc_get(simulated, "epoch_time"), "execution_seconds");
    for (int g = 0; g < a->gpus; g++) {
        uint64_t batches = seeds_batches(r->workload, r->graph, a->train[g], a->train_count[g]);
        out->epoch_batches = batches > out->epoch_batches ? batches : out->epoch_batches;
    }
    most = most < out->epoch_batches ? most : out->epoch_batches;
    MAKE(out->replay, most, "the mini-batches of a timeline");
    MAKE(out->time, most, "the mini-batches of a timeline");
    MAKE(out->ssd, most, "the mini-batches of a timeline");
    out->count = most;
    PASS(replay_batches(r, &p->placement, most, out->replay, &out->count, err));
    PASS(evaluate(p, s, r->graph, out, err));
    share_ssd(p, simulated, out);
    return ST_OK;
}

/* ---- lanes ---- */

void timeline_gpu(struct timeline *t, int process, const char *name, const bool used[GPU_LANES], bool cpu_gathers)
{
    static const char *const lanes[GPU_LANES] =
        {"sampling",  "looking up", "gather: host over PCIe", "gather: peers over NVLink", "gather: own memory",
         "computing", "waiting"};
    timeline_process(t, process, name);
    for (int k = 0; k < GPU_LANES; k++)
        if (used[k]) timeline_lane(t, process, k, k == LANE_HOST && cpu_gathers ? "copy: host over PCIe" : lanes[k]);
}

doc *timeline_reads(const struct timeline_model *m, uint64_t b, int g, enum timeline_gpu_lane lane)
{
    const struct replay_gpu of = replay_part(&m->replay[b].gpu[g], 1 - m->plan->cpu_share), *x = &of;
    uint64_t draws = 0, peers = 0;
    int gpus = m->replay[b].gpus;
    doc *d = doc_object();
    doc_put(d, "batch", doc_integer((int64_t)b));
    for (int s = 0; s <= gpus; s++) {
        draws += x->draws[s];
        peers += s == g || s == gpus ? 0 : x->rows[s];
    }
    if (lane == LANE_SAMPLE) doc_put(d, "draws", doc_integer((int64_t)draws));
    if (lane == LANE_PEERS) doc_put(d, "feature_rows", doc_integer((int64_t)peers));
    if (lane == LANE_OWN) doc_put(d, "feature_rows", doc_integer((int64_t)x->rows[g]));
    if (lane != LANE_HOST) return d;
    DOC_PUT(d, IS("feature_rows", x->rows[gpus]), IS("transactions", x->feature + x->topology));
    return d;
}
