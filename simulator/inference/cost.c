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
static double timed(struct model *x, double work, double rate, const char *name)
{
    if (!(work > 0)) return 0;
    if (rate > 0) return work / rate;
    if (!x->out->unknown) x->out->unknown = name;
    return NAN;
}

static double longer(double a, double b) { return isnan(a) || a > b ? a : b; }

/* Input rows and topology of GPU g over PCIe. */
static double over_pcie(struct model *x, int g, double (*rate)(const struct server *, double))
{
    const struct inference_gpu *c = &x->l->gpu[g];
    double rows = (double)(c->host_bytes + c->ssd_bytes), topology = (double)c->topology_host;
    double long_read = x->j->workload ? (double)x->m->server->line_bytes : LONG_READ;
    return timed(x, rows, 1e9 * rate(x->m->server, x->row), "pcie.gbps") +
           timed(x, topology, 1e9 * rate(x->m->server, long_read), "pcie.gbps");
}

static double written(struct model *x, int g)
{
    return timed(x, (double)x->l->gpu[g].written, 1e9 * server_write_rate(x->m->server), "pcie.gbps");
}

static double over_nvlink(struct model *x, int g)
{
    const struct server *s = x->m->server;
    double sum = 0, longest = 0;
    for (int b = 0; b < x->l->gpus; b++) {
        double t = timed(x, (double)x->l->gpu[g].peer_bytes[b], 1e9 * server_nvlink_rate(s, s->link_gbps[g][b], x->row),
                         "nvlinks[].gbps");
        sum += t;
        longest = longer(t, longest);
    }
    return server_links_switched(s) ? sum : longest;
}

/* All that GPUs below one switch do, the longest over switches; rate: server_uplink_rate or NULL for writes. */
static double below_switches(struct model *x, bool writes)
{
    const struct server *s = x->m->server;
    double longest = 0;
    for (int g = 0; g < x->l->gpus; g++) {
        double sum = 0;
        for (int b = 0; s->gpu[g].pcie_switch >= 0 && b < x->l->gpus; b++)
            if (s->gpu[b].pcie_switch == s->gpu[g].pcie_switch)
                sum += writes ? written(x, b) : over_pcie(x, b, server_uplink_rate);
        longest = longer(sum, longest);
    }
    return longest;
}

static double compute(struct model *x, int g)
{
    const struct server_gpu *on = &x->m->server->gpu[g];
    const struct inference_gpu *c = &x->l->gpu[g];
    double reached = on->efficiency > 0 ? on->efficiency : 1;
    double computed = on->compute_efficiency > 0 ? on->compute_efficiency : reached, in = x->row, sum = 0;
    double element = x->layer > 1 ? (double)x->j->element_bytes : 4, width = in / element;
    double wide = x->j->gnn.kind == GNN_SAGE ? 2 : 1, out = (double)inference_width(x->j, x->layer);
    sum += timed(x, (double)c->arcs * in, 1e9 * on->memory_gbps * reached, "gpus[].memory_gbps");
    sum += timed(x, (double)c->vertices * width * wide * out, 1e12 * on->tflops / 2 * computed, "gpus[].tflops");
    return sum + (double)c->chunks * on->layer_seconds;
}

/* Blocks at random places; topology and levels in long reads and writes. */
static double on_drives(struct model *x, const struct inference_gpu *sum, bool topology, bool output)
{
    const struct drives *d = x->m->drives;
    double stream = topology ? (double)sum->topology_host : 0, writes = output ? (double)sum->written : 0;
    double seconds = sum->ssd_blocks ? drives_seconds(d, (double)sum->ssd_blocks) : 0;
    if (isnan(seconds) && !x->out->unknown) x->out->unknown = "the drives' read_gbps";
    if (stream > 0)
        seconds += d->gbps > 0 ? stream / (1e9 * d->gbps * d->count)
                               : drives_seconds(d, ceil(stream / (double)d->block_bytes));
    return seconds + timed(x, writes, 1e9 * d->write_gbps * d->count, "the drives' write_gbps");
}

void inference_layer_time(const struct inference *j, const struct inference_machine *m, int layer,
                          const struct inference_layer *l, bool topology_on_ssd, bool output_on_ssd,
                          struct inference_time *out)
{
    struct inference_gpu sum = inference_layer_total(l);
    struct model x = {j, m, l, layer, sum.rows ? (double)sum.bytes / (double)sum.rows : 0, out};
    double *stage = out->stage, total = 0;
    *out = (struct inference_time){{0}, 0, INFER_READ, NULL};
    for (int g = 0; g < l->gpus; g++) {
        stage[INFER_READ] = longer(longer(over_pcie(&x, g, server_pcie_rate), over_nvlink(&x, g)), stage[INFER_READ]);
        stage[INFER_WRITE] = longer(written(&x, g), stage[INFER_WRITE]);
        stage[INFER_COMPUTE] = longer(compute(&x, g), stage[INFER_COMPUTE]);
    }
    stage[INFER_READ] = longer(below_switches(&x, false), stage[INFER_READ]);
    stage[INFER_WRITE] = longer(below_switches(&x, true), stage[INFER_WRITE]);
    double dram = (double)(sum.host_bytes + sum.ssd_bytes + sum.topology_host + sum.written);
    stage[INFER_READ] = longer(timed(&x, dram, 1e9 * m->server->host_memory_gbps, "host_memory_gbps"),
                               stage[INFER_READ]);
    stage[INFER_DRIVES] = on_drives(&x, &sum, topology_on_ssd, output_on_ssd);
    for (int i = 0; i < INFERENCE_STAGES; i++) {
        total += stage[i];
        if (stage[i] > stage[out->longest]) out->longest = (enum inference_stage)i;
    }
    out->seconds = m->pipelined ? epoch_pipelined(stage, INFERENCE_STAGES, m->unoverlapped) : total;
    if (isnan(total)) out->seconds = NAN;
}
