#include "hwprofiles/model/bandwidth.h"

#include <math.h>

#include "base/text.h"
#include "base/units.h"

double server_pcie_rate(const struct server *s, double payload)
{
    const struct server_rate *r = s->pcie_rate;
    if (!s->pcie_rates) return s->pcie_gbps;
    if (!(payload > 0)) payload = 1;
    if (payload <= (double)r[0].payload_bytes) return r[0].gbps * payload / (double)r[0].payload_bytes;
    for (int i = 1; i < s->pcie_rates; i++) {
        double from = (double)r[i - 1].payload_bytes, to = (double)r[i].payload_bytes;
        if (payload <= to) return r[i - 1].gbps + (r[i].gbps - r[i - 1].gbps) * log(payload / from) / log(to / from);
    }
    return r[s->pcie_rates - 1].gbps;
}

/* GB/s, one direction, of GPU a's links to those that are in. */
static double joined(const struct server *s, int a, const bool *in)
{
    double sum = 0, widest = 0;
    for (int b = 0; b < s->gpus; b++) {
        if (!in[b]) continue;
        sum += s->link_gbps[a][b];
        widest = fmax(widest, s->link_gbps[a][b]);
    }
    return server_links_switched(s) ? widest : sum;
}

enum { TRIED = 12 }; /* GPUs: up to here every set is tried */

/* The least that one GPU of a set has to the others of it. */
static double least_joined(const struct server *s, const bool *in)
{
    double least = INFINITY;
    for (int a = 0; a < s->gpus; a++)
        if (in[a]) least = fmin(least, joined(s, a, in));
    return least;
}

static double best_of_sets(const struct server *s, int gpus)
{
    double best = 0;
    for (unsigned set = 0; set < 1u << s->gpus; set++) {
        bool in[SERVER_GPUS_MAX] = {false};
        if (__builtin_popcount(set) != gpus) continue;
        for (int a = 0; a < s->gpus; a++) in[a] = set >> a & 1;
        best = fmax(best, least_joined(s, in));
    }
    return best;
}

/* Adds GPUs to the one at `seed`, each time the one with the widest links to those that are in; the least that one of
 * them has to the others. */
static double grow(const struct server *s, int seed, int gpus)
{
    bool in[SERVER_GPUS_MAX] = {false};
    in[seed] = true;
    for (int count = 1; count < gpus; count++) {
        double best = -1;
        int take = -1;
        for (int b = 0; b < s->gpus; b++) {
            double wide = in[b] ? -1 : joined(s, b, in);
            if (wide > best) {
                best = wide;
                take = b;
            }
        }
        in[take] = true;
    }
    return least_joined(s, in);
}

struct server_aggregate server_aggregate_bandwidth(const struct server *s, int gpus)
{
    struct server_aggregate out = {0};
    int uplinks = 0;
    for (int a = 0; a < gpus; a++) {
        bool seen = false;
        for (int b = 0; b < a; b++)
            seen |= s->gpu[a].pcie_switch >= 0 && s->gpu[a].pcie_switch == s->gpu[b].pcie_switch;
        uplinks += !seen;
    }
    out.pcie_gbps = 2 * s->pcie_gbps * uplinks;
    if (s->gpus <= TRIED) out.nvlink_gbps = gpus * best_of_sets(s, gpus);
    for (int a = 0; a < s->gpus && s->gpus > TRIED; a++)
        out.nvlink_gbps = fmax(out.nvlink_gbps, gpus * grow(s, a, gpus));
    return out;
}

bool server_links_switched(const struct server *s)
{
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < a; b++)
            if (!s->links[a][b] || s->links[a][b] != s->links[0][1]) return false;
    return s->gpus > 2;
}

/* ---- for people ---- */

static void constants_print(const struct server *s, FILE *to)
{
    char sampled[UNIT_TEXT];
    const struct server_gpu *g = &s->gpu[0];
    bool gpu = g->memory_gbps > 0 || g->tflops > 0 || g->sampling_edges > 0,
         cpu = s->host_memory_gbps > 0 || s->cpu_tflops > 0 || s->cpu_sampling_edges > 0;
    if (!gpu && !cpu && !s->pcie_rates) return;
    fprintf(to, "\nFor the time model\n");
    if (gpu) fprintf(to, "  GPU%d:", g->id);
    if (g->memory_gbps > 0) fprintf(to, " memory %.4g GB/s", g->memory_gbps);
    if (g->tflops > 0) fprintf(to, " %.4g TFLOPS (float32)", g->tflops);
    if (g->sampling_edges > 0) fprintf(to, " samples %s edges/s", units_count(sampled, (uint64_t)g->sampling_edges));
    if (g->streamed) fprintf(to, " aggregation and update overlap");
    if (cpu) fprintf(to, "%s  host:", gpu ? "\n" : "");
    if (s->host_memory_gbps > 0) fprintf(to, " memory %.4g GB/s", s->host_memory_gbps);
    if (s->cpu_tflops > 0) fprintf(to, " %.4g TFLOPS (float32)", s->cpu_tflops);
    if (s->cpu_sampling_edges > 0)
        fprintf(to, " samples %s edges/s", units_count(sampled, (uint64_t)s->cpu_sampling_edges));
    if (s->pcie_rates) fprintf(to, "%s  PCIe reads of", gpu || cpu ? "\n" : "");
    for (int i = 0; i < s->pcie_rates; i++)
        fprintf(to, "%s %llu B: %.4g GB/s", i ? "," : "", (unsigned long long)s->pcie_rate[i].payload_bytes,
                s->pcie_rate[i].gbps);
    fputc('\n', to);
}

static void aggregate_print(const struct server *s, FILE *to)
{
    static const char *const headers[] = {">GPUs used", ">PCIe GB/s", ">NVLink GB/s", NULL};
    if (!(s->pcie_gbps > 0) || s->gpus < 2) return;
    fprintf(to, "\nAggregate bandwidth by number of GPUs (both directions; NVLink when all of them read equally)\n");
    struct table *t = table_new(headers);
    for (int k = 1, last = 0; !last; k *= 2) {
        last = k >= s->gpus;
        struct server_aggregate a = server_aggregate_bandwidth(s, last ? s->gpus : k);
        table_add(t, "%d", last ? s->gpus : k);
        table_add(t, "%.4g", a.pcie_gbps);
        if (s->links_known) table_add(t, "%.4g", a.nvlink_gbps);
        else table_add(t, "-");
    }
    table_print(t, to);
    table_free(t);
}

void bandwidth_print(const struct server *s, FILE *to)
{
    constants_print(s, to);
    aggregate_print(s, to);
}
