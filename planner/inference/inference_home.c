#include "planner/inference/inference_home.h"

#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "planner/inference/inference_keep.h"

/* Bit 0: topology; bit 1 + k: level k. A set bit: on the SSDs. */
static bool on_ssd(unsigned set, int level) { return set >> (1 + level) & 1; }

/* Bytes in DRAM during a layer. Features stay where nothing else has them. */
static uint64_t needs(const struct inference_question *q, const struct inference_home *h, unsigned set, int layer)
{
    uint64_t sum = set & 1 ? 0 : h->topology_bytes;
    for (int k = 0; k <= q->job.layers; k++) {
        bool used = k == layer || k == layer - 1 || (!k && !q->drives.count);
        if (used && !on_ssd(set, k)) sum += h->level_bytes[k];
    }
    return sum;
}

static uint64_t peak(const struct inference_question *q, const struct inference_home *h, unsigned set)
{
    uint64_t most = 0;
    for (int l = 1; l <= q->job.layers; l++) {
        uint64_t now = needs(q, h, set, l);
        most = now > most ? now : most;
    }
    return most;
}

/* Seconds on the drives, or bytes where a rate is missing, by the rows that GPUs miss. */
static double drive_cost(const struct inference_question *q, const struct inference_outcome *o, unsigned set)
{
    double read = q->drives.gbps > 0 ? q->drives.gbps : 1, cost = 0;
    double write = q->drives.write_gbps > 0 ? q->drives.write_gbps : read;
    for (int l = 1; l <= q->job.layers; l++) {
        struct inference_gpu sum = inference_layer_total(&o->layer[l - 1]);
        if (set & 1) cost += (double)sum.topology_host / read;
        if (on_ssd(set, l - 1)) cost += (double)sum.host_bytes / read;
        if (on_ssd(set, l)) cost += (double)sum.written / write;
    }
    return cost;
}

static void take(const struct inference_question *q, struct inference_home *h, unsigned set)
{
    h->topology_on_ssd = set & 1;
    for (int k = 0; k <= q->job.layers; k++) h->level_on_ssd[k] = on_ssd(set, k);
}

static unsigned taken(const struct inference_question *q, const struct inference_home *h)
{
    unsigned set = h->topology_on_ssd;
    for (int k = 0; k <= q->job.layers; k++) set |= (unsigned)h->level_on_ssd[k] << (1 + k);
    return set;
}

/* Sets the sizes, and the peaks that follow from where things lie. */
static void inference_home_peaks(const struct inference_question *q, struct inference_outcome *o)
{
    struct inference_home *h = &o->home;
    const struct inference *j = &q->job;
    unsigned set = taken(q, h);
    h->topology_bytes = 0;
    for (uint64_t v = 0; v < q->graph->n; v++)
        if (j->top[v] != INFERENCE_NEVER && (j->top[v] || j->workload))
            h->topology_bytes += inference_topology_bytes(q->graph, v);
    for (int k = 0; k <= j->layers; k++) h->level_bytes[k] = inference_level_bytes(j, k);
    if (j->workload) { /* draws go anywhere */
        const struct graph_totals t = graph_totals(q->graph);
        h->topology_bytes = t.topology;
        h->level_bytes[0] = t.feature;
    }
    h->host_peak = h->ssd_peak = 0;
    for (int l = 1; l <= j->layers; l++) {
        uint64_t dram = needs(q, h, set, l) + h->dram_bytes[l], ssd = set & 1 ? h->topology_bytes : 0;
        for (int k = 0; k <= j->layers; k++)
            if (on_ssd(set, k) && (!k || k == l || k == l - 1)) ssd += h->level_bytes[k];
        h->host_peak = dram > h->host_peak ? dram : h->host_peak;
        h->ssd_peak = ssd > h->ssd_peak ? ssd : h->ssd_peak;
    }
}

/* What DRAM has left during a layer holds the rows from SSDs that are read most, GPUs aside. */
static enum st hold(const struct inference_question *q, const uint32_t *reads, struct inference_outcome *o, int layer,
                    uint64_t left, struct err *err)
{
    OWNED uint32_t *by = NULL;
    uint64_t n = q->graph->n, count = 0;
    const struct server *s = q->server;
    const uint8_t *owner = o->owner[o->same_as[layer - 1]];
    OWNED_NEW(uint32_t, sum, n, "reads of rows");
    for (int c = 0; c < s->cliques; c++)
        for (uint64_t v = 0; v < n; v++) {
            bool held = owner && owner[(uint64_t)c * n + v] != INFERENCE_NOBODY;
            for (int i = 0; !held && i < s->clique_size[c]; i++) sum[v] += reads[(uint64_t)s->clique[c][i] * n + v];
            sum[v] += held;
        }
    PASS(inference_by_count(sum, n, 2, &by, &count, err));
    MAKE(o->dram[layer - 1], n, "rows that DRAM holds");
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = inference_row_bytes(&q->job, layer - 1, by[i]);
        if (bytes > left) break;
        left -= bytes;
        o->dram[layer - 1][by[i]] = 1;
        o->home.dram_rows[layer]++;
        o->home.dram_bytes[layer] += bytes;
    }
    return ST_OK;
}

static void refuse(const struct inference_question *q, struct inference_outcome *o, uint64_t least)
{
    char need[UNIT_TEXT], have[UNIT_TEXT];
    o->fits = false;
    snprintf(o->why, sizeof o->why,
             "the host needs %s for topology, features and the rows between layers, but has %s; %s",
             units_bytes(need, (uint64_t)((double)least * q->enlarge)), units_bytes(have, q->host_bytes),
             q->drives.count ? "give more --host-memory" : "give SSDs (--ssd), more --host-memory, or --between f16");
}

enum st inference_find_home(const struct inference_question *q, const uint32_t *const *reads,
                            struct inference_outcome *o, struct err *err)
{
    struct inference_home *h = &o->home;
    uint64_t room = (uint64_t)((double)q->host_bytes / q->enlarge), least = UINT64_MAX;
    unsigned best = 0, sets = q->drives.count ? 1u << (q->job.layers + 2) : 1;
    double cost = -1;
    inference_home_peaks(q, o);
    if (!q->host_bytes) return ST_OK;
    for (unsigned set = 0; set < sets; set++) {
        uint64_t now = peak(q, h, set);
        least = now < least ? now : least;
        double of = drive_cost(q, o, set);
        if (now > room || (cost >= 0 && of >= cost)) continue;
        cost = of;
        best = set;
    }
    if (cost < 0) {
        refuse(q, o, least);
        return ST_OK;
    }
    take(q, h, best);
    for (int l = 1; l <= q->job.layers; l++)
        if (on_ssd(best, l - 1)) PASS(hold(q, reads[l - 1], o, l, room - needs(q, h, best, l), err));
    inference_home_peaks(q, o);
    return ST_OK;
}
