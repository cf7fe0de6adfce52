#include "simulator/inference/cost.h"

#include <math.h>

#include "hwprofiles/model/bandwidth.h"

/* Long reads: topology rows of a chunk lie behind each other, or are gathered into one copy. */
enum { LONG_READ = 1 << 20 };

static const char *const words[] = {"read", "write", "drives", "compute"};
const char *inference_stage_word(enum inference_stage s) { return words[s]; }

struct model {
    const struct inference *j;
    const struct inference_machine *m;
    const struct inference_layer *l;
    int layer;
    double row; /* mean bytes of an input row */
    struct inference_time *out;
};

/* work / rate; NaN, and the rate is named, where it is not known. */
static double timed(struct model *model, double work, double rate, const char *name)
{
    if (!(work > 0)) return 0;
    if (rate > 0) return work / rate;
    if (!model->out->unknown) model->out->unknown = name;
    return NAN;
}

static double longer(double a, double b) { return isnan(a) || a > b ? a : b; }

/* Input rows and topology of GPU g over PCIe. */
static double over_pcie(struct model *model, int g, double (*rate)(const struct server *, double))
{
    const struct inference_gpu *c = &model->l->gpu[g];
    double rows = (double)(c->host_bytes + c->ssd_bytes), topology = (double)c->topology_host;
    double long_read = model->j->workload ? (double)model->m->server->line_bytes : LONG_READ;
    return timed(model, rows, 1e9 * rate(model->m->server, model->row), "pcie.gbps") +
           timed(model, topology, 1e9 * rate(model->m->server, long_read), "pcie.gbps");
}

static double written(struct model *model, int g)
{
    return timed(model, (double)model->l->gpu[g].written, 1e9 * server_write_rate(model->m->server), "pcie.gbps");
}

static double over_nvlink(struct model *model, int g)
{
    const struct server *s = model->m->server;
    double sum = 0, longest = 0;
    for (int b = 0; b < model->l->gpus; b++) {
        double t = timed(model, (double)model->l->gpu[g].peer_bytes[b],
                         1e9 * server_nvlink_rate(s, s->link_gbps[g][b], model->row), "nvlinks[].gbps");
        sum += t;
        longest = longer(t, longest);
    }
    return server_links_switched(s, g) ? sum : longest;
}

/* All that GPUs below one switch do, the longest over switches; rate: server_uplink_rate or NULL for writes. */
static double below_switches(struct model *model, bool writes)
{
    const struct server *s = model->m->server;
    double longest = 0;
    for (int g = 0; g < model->l->gpus; g++) {
        double sum = 0;
        for (int b = 0; s->gpu[g].pcie_switch >= 0 && b < model->l->gpus; b++)
            if (s->gpu[b].pcie_switch == s->gpu[g].pcie_switch)
                sum += writes ? written(model, b) : over_pcie(model, b, server_uplink_rate);
        longest = longer(sum, longest);
    }
    return longest;
}

static double compute(struct model *model, int g)
{
    const struct server_gpu *on = &model->m->server->gpu[g];
    const struct inference_gpu *c = &model->l->gpu[g];
    double reached = on->efficiency > 0 ? on->efficiency : 1;
    double computed = on->compute_efficiency > 0 ? on->compute_efficiency : reached, in = model->row, sum = 0;
    double element = model->layer > 1 ? (double)model->j->element_bytes : 4, width = in / element;
    double wide = model->j->gnn.kind == GNN_SAGE ? 2 : 1, out = (double)inference_width(model->j, model->layer);
    sum += timed(model, (double)c->arcs * in, 1e9 * on->memory_gbps * reached, "gpus[].memory_gbps");
    sum += timed(model, (double)c->vertices * width * wide * out, 1e12 * on->tflops / 2 * computed, "gpus[].tflops");
    return sum + (double)c->chunks * on->layer_seconds;
}

/* Blocks at random places; topology and levels in long reads and writes. */
static double on_drives(struct model *model, const struct inference_gpu *sum, bool topology, bool output)
{
    const struct drives *d = model->m->drives;
    double stream = topology ? (double)sum->topology_host : 0, writes = output ? (double)sum->written : 0;
    double seconds = sum->ssd_blocks ? drives_seconds(d, (double)sum->ssd_blocks) : 0;
    if (isnan(seconds) && !model->out->unknown) model->out->unknown = "the drives' read_gbps";
    if (stream > 0)
        seconds += d->gbps > 0 ? stream / (1e9 * d->gbps * d->count)
                               : drives_seconds(d, ceil(stream / (double)d->block_bytes));
    return seconds + timed(model, writes, 1e9 * d->write_gbps * d->count, "the drives' write_gbps");
}

void inference_layer_time(const struct inference *j, const struct inference_machine *m, int layer,
                          const struct inference_layer *l, bool topology_on_ssd, bool output_on_ssd,
                          struct inference_time *out)
{
    struct inference_gpu sum = inference_layer_total(l);
    struct model model = {j, m, l, layer, sum.rows ? (double)sum.bytes / (double)sum.rows : 0, out};
    double *stage = out->stage, total = 0;
    *out = (struct inference_time){{0}, 0, INFER_READ, NULL};
    for (int g = 0; g < l->gpus; g++) {
        stage[INFER_READ] = longer(longer(over_pcie(&model, g, server_pcie_rate), over_nvlink(&model, g)),
                                   stage[INFER_READ]);
        stage[INFER_WRITE] = longer(written(&model, g), stage[INFER_WRITE]);
        stage[INFER_COMPUTE] = longer(compute(&model, g), stage[INFER_COMPUTE]);
    }
    stage[INFER_READ] = longer(below_switches(&model, false), stage[INFER_READ]);
    stage[INFER_WRITE] = longer(below_switches(&model, true), stage[INFER_WRITE]);
    double dram = (double)(sum.host_bytes + sum.ssd_bytes + sum.topology_host + sum.written);
    stage[INFER_READ] = longer(timed(&model, dram, 1e9 * m->server->host_memory_gbps, "host_memory_gbps"),
                               stage[INFER_READ]);
    stage[INFER_DRIVES] = on_drives(&model, &sum, topology_on_ssd, output_on_ssd);
    for (int i = 0; i < INFERENCE_STAGES; i++) {
        total += stage[i];
        if (stage[i] > stage[out->longest]) out->longest = (enum inference_stage)i;
    }
    out->seconds = m->pipelined ? epoch_pipelined(stage, INFERENCE_STAGES, m->unoverlapped) : total;
    if (isnan(total)) out->seconds = NAN;
}
