#include "simulator/movement/epoch_time.h"

#include <math.h>
#include <string.h>

#include "hwprofiles/model/bandwidth.h"
#include "hwprofiles/model/product_rate.h"
#include "simulator/movement/sync.h"

static const char *const kinds[] = {"sage", "gcn", "rgat"}, *const stages[] = {"sample",    "load",    "transfer",
                                                                               "propagate", "network", "storage"};
const char *gnn_name(enum gnn_kind kind) { return kinds[kind]; }
enum gnn_kind gnn_of(const char *name)
{
    return name && !strcmp(name, "gcn") ? GNN_GCN : name && !strcmp(name, "rgat") ? GNN_RGAT : GNN_SAGE;
}
const char *stage_word(enum stage_name s) { return stages[s]; }

struct cpu_part cpu_part_none(void) { return (struct cpu_part){.threads = {1, 1, 1}}; }

/* One evaluation of the model. n: iterations of the epoch. */
struct model {
    const struct epoch_load *load;
    const struct server *s;
    const struct epoch_setup *how;
    struct epoch_time *out;
    double n;
    double width[HOPS_MAX + 1]; /* f^0..f^L */
};

static void say_unknown(struct epoch_time *t, const char *what)
{
    for (int i = 0; i < t->unknowns; i++)
        if (!strcmp(t->unknown[i], what)) return;
    if (t->unknowns < UNKNOWNS_MAX) snprintf(t->unknown[t->unknowns++], sizeof t->unknown[0], "%s", what);
}

/* work / rate, per second. NaN when there is work and the rate is not known; the rate is then listed as unknown. */
static double timed(struct model *m, double work, double rate, const char *name)
{
    if (!(work > 0)) return 0;
    if (rate > 0) return work / rate;
    say_unknown(m->out, name);
    return NAN;
}

/* The same for a task of the CPU, with its share of the threads; infinite without threads. */
static double timed_cpu(struct model *m, double work, double rate, enum cpu_task task, const char *name)
{
    double threads = m->how->cpu.threads[task];
    if (work > 0 && rate > 0 && !(threads > 0)) return INFINITY;
    return timed(m, work, rate * threads, name);
}

/* Lengthens a stage to `seconds` if that is longer, and notes what it waits for. NaN wins: an unknown part makes the
 * stage unknown. */
static void lengthen(struct model *m, enum stage_name stage, double seconds, const char *what, int number)
{
    double *now = &m->out->stage[stage];
    if (isnan(*now) || !(isnan(seconds) || seconds > *now)) return;
    *now = seconds;
    if (number < 0) snprintf(m->out->limit[stage], sizeof m->out->limit[stage], "%s", what);
    else snprintf(m->out->limit[stage], sizeof m->out->limit[stage], "%s %d", what, number);
}

/* ---- sample and load ---- */

static double all_draws(const struct epoch_load *l)
{
    double draws = 0;
    for (int g = 0; g < l->gpus; g++) draws += l->gpu[g].draws;
    return draws;
}

/* Seeds of a mini-batch, a mean. */
static double batch_of(const struct epoch_load *l)
{
    double seeds = 0, batches = 0;
    for (int g = 0; g < l->gpus; g++) {
        seeds += l->gpu[g].vertices[l->layers];
        batches += l->gpu[g].batches;
    }
    return batches > 0 ? seeds / batches : 0;
}

static void sample_by_samplers(struct model *m)
{
    double rate = 0;
    for (int g = 0; g < m->load->gpus; g++) {
        if (!m->load->gpu[g].samples) continue;
        if (!(m->s->gpu[g].sampling_edges > 0)) {
            rate = 0;
            break;
        }
        rate += m->s->gpu[g].sampling_edges;
    }
    lengthen(m, STAGE_SAMPLE, timed(m, all_draws(m->load) / m->n, rate, "gpus[].sampling_edges_per_second"),
             "sampler GPUs", -1);
}

static void set_sample(struct model *m)
{
    const struct epoch_load *l = m->load;
    double by_gpus = l->access == ACCESS_GPU ? 1 : l->access == ACCESS_CPU ? m->how->cpu.sampled_by_gpus : 0;
    if (l->access == ACCESS_SAMPLERS) sample_by_samplers(m);
    if (l->access == ACCESS_CPU) {
        double work = (1 - by_gpus) * all_draws(l) / m->n, threads = m->how->cpu.threads[CPU_SAMPLE];
        bool known = m->s->cpu_sampling.threads || m->s->cpu_sampling_edges > 0;
        m->out->sample_cpu = known && work > 0 && !(threads > 0)
                                 ? INFINITY
                                 : timed(m, work, server_cpu_sampling_rate(m->s, threads, batch_of(l)),
                                         "cpu_sampling_edges_per_second");
        lengthen(m, STAGE_SAMPLE, m->out->sample_cpu, "CPU", -1);
    }
    for (int g = 0; g < l->gpus; g++) {
        double t = timed(m, by_gpus * l->gpu[g].draws / m->n, m->s->gpu[g].sampling_edges,
                         "gpus[].sampling_edges_per_second");
        m->out->gpu[STAGE_SAMPLE][g] = t;
        m->out->sample_gpu = isnan(t) || t > m->out->sample_gpu ? t : m->out->sample_gpu;
        lengthen(m, STAGE_SAMPLE, t, "GPU", m->s->gpu[g].id);
    }
}

/* Bytes of feature rows that all mini-batches of an iteration take. */
static double row_bytes_of(const struct model *m)
{
    double rows = 0;
    for (int g = 0; g < m->load->gpus; g++) rows += m->load->gpu[g].vertices[0];
    return rows * (m->load->dim * m->load->element_bytes) / m->n;
}

/* Eq. 7, over the rows that come from the host and those of the CPU's own share, at the rate of random rows. */
static void set_load(struct model *m)
{
    double bytes = m->how->cpu.share * row_bytes_of(m);
    if (m->load->cpu_gathers)
        for (int g = 0; g < m->load->gpus; g++) bytes += (1 - m->how->cpu.share) * m->load->gpu[g].feature_bytes / m->n;
    double rate = 1e9 * server_cpu_gather_rate(m->s, m->load->dim * m->load->element_bytes);
    double start = bytes > 0 ? server_cpu_gather_start(m->s) : 0;
    lengthen(m, STAGE_LOAD, start + timed_cpu(m, bytes, rate, CPU_LOAD, "host_memory_gbps"), "host memory", -1);
}

/* ---- transfer ---- */

/* Bytes of rows that GPU g reads of the host, less as rows come faster than the server states. */
static double rows_from_host(const struct model *m, int g)
{
    return m->load->gpu[g].feature_bytes / (m->how->reads > 0 ? m->how->reads : 1);
}

/* GPU g's reads of the host at the rate that `of` gives for their size: on its own link, or on the uplink. */
static double over_pcie(struct model *m, int g, double (*of)(const struct server *, double))
{
    const struct epoch_gpu *gpu = &m->load->gpu[g];
    double share = (1 - m->how->cpu.share) / m->n;
    return timed(m, share * rows_from_host(m, g), 1e9 * of(m->s, gpu->feature_payload), "pcie.gbps") +
           timed(m, share * gpu->topology_bytes, 1e9 * of(m->s, gpu->topology_payload), "pcie.gbps");
}

/* Time on a GPU's PCIe link of what GPUs below the same switch read of each other: both directions, with `host` seconds
 * of reads from the host in one of them. */
static double with_peers(struct model *m, int g, double host)
{
    const struct epoch_load *l = m->load;
    double in = 0, out = 0, share = (1 - m->how->cpu.share) / m->n;
    for (int b = 0; b < l->gpus; b++) {
        double payload = l->gpu[b].feature_payload;
        in += timed(m, share * l->gpu[g].pcie_peer_bytes[b], 1e9 * server_pcie_rate(m->s, l->gpu[g].feature_payload),
                    "pcie.gbps");
        out += timed(m, share * l->gpu[b].pcie_peer_bytes[g], 1e9 * server_pcie_rate(m->s, payload), "pcie.gbps");
    }
    return server_both_ways(m->s, host + in, out);
}

/* Time of reads from peers. Links to different GPUs work side by side, unless they are ports of a switch. A peer
 * without a direct link and without a known route is read at the rate of the reader's narrowest link. */
static double over_nvlink(struct model *m, int g)
{
    double narrow = INFINITY, sum = 0, longest = 0;
    for (int b = 0; b < m->s->gpus; b++)
        if (m->s->link_gbps[g][b] > 0) narrow = fmin(narrow, m->s->link_gbps[g][b]);
    for (int b = 0; b < m->load->gpus; b++) {
        double gbps = m->s->link_gbps[g][b] > 0 ? m->s->link_gbps[g][b] : isinf(narrow) ? 0 : narrow;
        double rate = server_nvlink_rate(m->s, gbps, m->load->gpu[g].peer_payload);
        double t = timed(m, (1 - m->how->cpu.share) * m->load->gpu[g].peer_bytes[b] / m->n, 1e9 * rate,
                         "nvlinks[].gbps");
        sum += t;
        longest = isnan(t) || t > longest ? t : longest;
    }
    return server_links_switched(m->s, g) ? sum : longest;
}

/* Time of what a GPU's cache serves, to itself and to others; 0 where the bandwidth of its memory is unknown. */
static double from_memory(const struct model *m, int g)
{
    double rate = 1e9 * m->s->gpu[g].memory_gbps;
    return rate > 0 ? (1 - m->how->cpu.share) * m->load->gpu[g].memory_bytes / m->n / rate : 0;
}

/* Eq. 8 with contention. */
static void set_transfer(struct model *m)
{
    const struct epoch_load *l = m->load;
    double uplink[GPUS_MAX], host = 0;
    for (int g = 0; g < l->gpus; g++) {
        double peers = over_nvlink(m, g);
        uplink[g] = over_pcie(m, g, server_uplink_rate);
        host += (1 - m->how->cpu.share) * (rows_from_host(m, g) + l->gpu[g].topology_bytes) / m->n;
        double link = with_peers(m, g, over_pcie(m, g, server_pcie_rate));
        double own = from_memory(m, g);
        m->out->gpu[STAGE_TRANSFER][g] = isnan(link) || link > peers ? link : peers;
        m->out->part[PART_PCIE][g] = link;
        m->out->part[PART_NVLINK][g] = peers;
        m->out->part[PART_MEMORY][g] = own;
        lengthen(m, STAGE_TRANSFER, link, "PCIe link of GPU", m->s->gpu[g].id);
        lengthen(m, STAGE_TRANSFER, peers, "NVLink of GPU", m->s->gpu[g].id);
        lengthen(m, STAGE_TRANSFER, own, "memory of GPU", m->s->gpu[g].id);
    }
    for (int g = 0; g < l->gpus; g++) {
        int at = m->s->gpu[g].pcie_switch;
        double sum = 0;
        for (int b = 0; at >= 0 && b < l->gpus; b++) sum += m->s->gpu[b].pcie_switch == at ? uplink[b] : 0;
        m->out->uplink[g] = sum;
        lengthen(m, STAGE_TRANSFER, sum, "PCIe switch", at);
    }
    if (l->cpu_gathers) return;
    m->out->host_memory = timed(m, host, 1e9 * m->s->host_memory_gbps, "host_memory_gbps");
    lengthen(m, STAGE_TRANSFER, m->out->host_memory, "host memory", -1);
}

/* ---- propagate ---- */

/* Speed of a trainer: bytes and multiply-and-adds per second, and their keys. */
struct trainer {
    double bandwidth, macs;
    bool streamed;
    const char *bandwidth_key, *macs_key;
};

/* f^l, and what of it a layer joins. */
static double width_of(const struct gnn *g, int layers, double dim, int layer)
{
    return layer == 0 ? dim : (double)(layer < layers ? g->hidden : g->classes);
}
static double joined(const struct gnn *g, double width) { return width * (g->kind == GNN_SAGE ? 2 : 1); }

double gnn_gradient_bytes(const struct gnn *g, int layers, double dim, double relations)
{
    double weights = 0, each = g->kind == GNN_RGAT ? fmax(1, relations) : 1;
    for (int l = 1; l <= layers; l++)
        weights += each * joined(g, width_of(g, layers, dim, l - 1)) * width_of(g, layers, dim, l) * 4;
    return weights;
}

static double update_width(const struct model *m, int layer) { return joined(&m->how->gnn, m->width[layer - 1]); }

/* Relations that transform a row of R-GAT, in the mean over types. */
static double times_drawn(const struct model *m) { return fmax(1, m->how->relations) / fmax(1, m->how->types); }

/* Bytes that layer l of GPU g sums over, eq. 11, and its multiply-and-adds, eq. 12. */
static void layer_work(const struct model *m, int g, int l, double *bytes, double *macs)
{
    const struct epoch_gpu *gpu = &m->load->gpu[g];
    bool rgat = m->how->gnn.kind == GNN_RGAT;
    double inner = m->how->mixed ? 2 : 4, element = l == 1 && !rgat ? m->load->element_bytes : inner;
    *bytes = gpu->edges[l] * m->width[rgat ? l : l - 1] * element;
    *macs = (rgat ? gpu->vertices[l - 1] * times_drawn(m) : gpu->vertices[l]) * update_width(m, l) * m->width[l];
}

/* Eq. 10 for `part` of the vertices and edges of GPU g in an iteration. */
static double train(struct model *m, int g, double part, const struct trainer *by)
{
    double sum = 0, bytes, macs;
    for (int l = 1; l <= m->load->layers; l++) {
        layer_work(m, g, l, &bytes, &macs);
        double aggregate = timed(m, part * bytes, by->bandwidth, by->bandwidth_key);
        double update = timed(m, part * macs, by->macs, by->macs_key);
        double both = by->streamed && !isnan(aggregate) && !isnan(update) ? fmax(aggregate, update)
                                                                          : aggregate + update;
        sum += both + (l == 1 ? update : both);
    }
    return sum;
}

/* Eq. 13. */
static double synchronise(struct model *m, const bool *trains, bool cpu)
{
    struct sync_way way = sync_way(m->s, trains, cpu,
                                   gnn_gradient_bytes(&m->how->gnn, m->load->layers, m->width[0], m->how->relations));
    if (isnan(way.pcie)) say_unknown(m->out, "pcie.gbps");
    return way.nvlink + way.pcie;
}

/* TFLOPS of which updates on a GPU reach the share that float32 reaches of `tflops`; 0: not known. Where the model's
 * share of peaks is fitted, it is one of nominal ones. */
static double peak(const struct model *m, const struct server_gpu *on)
{
    const struct product_rate p = server_product_rate(on->model);
    double by_products = m->how->efficiency > 0 ? 1 : p.half / p.f32;
    if (m->how->mixed) return p.tensor * by_products;
    if (m->how->tf32 && (p.tf32 || !(p.measured || p.tensor > 0))) return p.tensor / 2 * PRODUCT_TF32 * by_products;
    return on->tflops;
}

static void set_propagate(struct model *m)
{
    const struct cpu_part *cpu = &m->how->cpu;
    bool trains[SERVER_GPUS_MAX] = {false};
    double by_cpu = 0;
    for (int g = 0; g < m->load->gpus; g++) {
        const struct server_gpu *on = &m->s->gpu[g];
        double reached = on->efficiency > 0 ? on->efficiency : 1;
        double computed = on->compute_efficiency > 0 ? on->compute_efficiency : reached;
        if (m->how->efficiency > 0) reached = computed = m->how->efficiency;
        double tflops = peak(m, on);
        struct trainer gpu = {1e9 * on->memory_gbps * reached, 1e12 * tflops / 2 * computed, on->streamed,
                              "gpus[].memory_gbps",
                              m->how->mixed || m->how->tf32 ? "a gpus[].model whose tensor rate is known"
                                                            : "gpus[].tflops"};
        struct trainer host = {1e9 * m->s->host_memory_gbps * cpu->threads[CPU_TRAIN],
                               1e12 * m->s->cpu_tflops * cpu->threads[CPU_TRAIN] / 2, false, "host_memory_gbps",
                               "cpu_tflops"};
        double t = train(m, g, (1 - cpu->share) / m->n, &gpu);
        if (cpu->share < 1)
            t += m->load->gpu[g].batches / m->n * (m->load->layers * on->layer_seconds + m->how->step_seconds);
        if (cpu->share > 0 && m->load->gpu[g].batches > 0)
            by_cpu += cpu->threads[CPU_TRAIN] > 0 ? train(m, g, cpu->share / m->n, &host) : INFINITY;
        trains[g] = m->load->gpu[g].batches > 0 && cpu->share < 1;
        m->out->gpu[STAGE_PROPAGATE][g] = t;
        m->out->train_gpu = isnan(t) || t > m->out->train_gpu ? t : m->out->train_gpu;
        lengthen(m, STAGE_PROPAGATE, t, "GPU", on->id);
    }
    m->out->train_cpu = by_cpu;
    lengthen(m, STAGE_PROPAGATE, by_cpu, "CPU", -1);
    m->out->sync = synchronise(m, trains, cpu->share > 0);
    m->out->stage[STAGE_PROPAGATE] += m->out->sync;
}

/* ---- the epoch ---- */

double epoch_pipelined(const double *stage, int count, double unoverlapped)
{
    double longest = 0, sum = 0;
    for (int i = 0; i < count; i++) {
        sum += stage[i];
        longest = fmax(longest, stage[i]);
    }
    return longest + unoverlapped * (sum - longest);
}

double epoch_iteration(const struct epoch_setup *how, const double *stage)
{
    double sum = 0, piped[ALL_STAGES];
    for (int i = 0; i < ALL_STAGES; i++) sum += stage[i];
    memcpy(piped, stage, sizeof piped);
    if (how->one_stage) { /* loading and transfer are one stage of the pipeline */
        piped[STAGE_TRANSFER] += piped[STAGE_LOAD];
        piped[STAGE_LOAD] = 0;
    }
    return how->pipelined ? epoch_pipelined(piped, ALL_STAGES, how->unoverlapped) : sum;
}

/* What the stages come to. */
static void compose(struct epoch_time *t, const struct epoch_setup *how)
{
    double longest = -1;
    t->bottleneck = ALL_STAGES;
    for (int i = 0; i < ALL_STAGES; i++) {
        if (!(t->stage[i] > longest)) continue;
        longest = t->stage[i];
        t->bottleneck = (enum stage_name)i;
    }
    t->execution = epoch_iteration(how, t->stage);
    if (t->unknowns) {
        t->execution = NAN;
        t->bottleneck = ALL_STAGES;
    }
    t->seconds = t->execution * t->iterations;
    t->mteps = t->seconds > 0 ? t->edges / t->seconds / 1e6 : NAN;
}

void epoch_time_beside(struct epoch_time *t, const struct epoch_setup *how, enum stage_name stage, double seconds,
                       const char *limit)
{
    if (t->unknowns || !(t->iterations > 0)) return;
    t->stage[stage] = seconds / t->iterations;
    snprintf(t->limit[stage], sizeof t->limit[stage], "%s", limit);
    compose(t, how);
}

void epoch_time(const struct epoch_load *load, const struct server *s, const struct epoch_setup *how,
                struct epoch_time *out)
{
    struct model m = {.load = load, .s = s, .how = how, .out = out};
    memset(out, 0, sizeof *out);
    for (int g = 0; g < load->gpus; g++) out->iterations = fmax(out->iterations, load->gpu[g].batches);
    m.n = out->iterations > 0 ? out->iterations : 1;
    if (!load->layers) say_unknown(out, "layers of random walks");
    for (int l = 0; l <= load->layers; l++) m.width[l] = width_of(&how->gnn, load->layers, load->dim, l);
    set_sample(&m);
    set_load(&m);
    set_transfer(&m);
    set_propagate(&m);
    for (int g = 0; g < load->gpus; g++)
        for (int l = 1; l <= load->layers; l++) out->edges += load->gpu[g].edges[l];
    compose(out, how);
}
