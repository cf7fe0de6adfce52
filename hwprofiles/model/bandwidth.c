#include "hwprofiles/model/bandwidth.h"

#include <math.h>

/* The lower of a limit of bytes and one of requests; a limit of 0 is not known. */
static double limited(double gbps, double requests, double payload)
{
    double by_requests = 1e-9 * requests * payload;
    return requests > 0 && (by_requests < gbps || !(gbps > 0)) ? by_requests : gbps;
}

/* Bytes per second of an uplink: what reads were seen to reach, else the line rate. */
static double most_bytes(const struct server *s) { return s->pcie_read.gbps > 0 ? s->pcie_read.gbps : s->pcie_gbps; }

double server_pcie_rate(const struct server *s, double payload)
{
    const struct server_rate *r = s->pcie_rate;
    if (!(payload > 0)) payload = 1;
    if (payload >= PCIE_COPY_BYTES && s->pcie_copy_gbps > 0) return s->pcie_copy_gbps;
    if (!s->pcie_rates) return limited(most_bytes(s), s->pcie_read.requests, payload);
    if (payload <= (double)r[0].payload_bytes) return r[0].gbps * payload / (double)r[0].payload_bytes;
    for (int i = 1; i < s->pcie_rates; i++) {
        double from = (double)r[i - 1].payload_bytes, to = (double)r[i].payload_bytes;
        if (payload <= to) return r[i - 1].gbps + (r[i].gbps - r[i - 1].gbps) * log(payload / from) / log(to / from);
    }
    r += s->pcie_rates - 1;
    return fmax(r->gbps, fmin(s->pcie_read.gbps, r->gbps * payload / (double)r->payload_bytes));
}

double server_uplink_rate(const struct server *s, double payload)
{
    if (payload >= PCIE_COPY_BYTES && s->pcie_copy_gbps > 0) return s->pcie_copy_gbps;
    return fmax(s->pcie_read.gbps, s->pcie_rates || !(s->pcie_read.gbps > 0) ? server_pcie_rate(s, payload) : 0);
}

double server_write_rate(const struct server *s)
{
    return s->pcie_write_gbps > 0 ? s->pcie_write_gbps : server_pcie_rate(s, 1e9);
}

double server_both_ways(const struct server *s, double in, double out)
{
    double share = s->pcie_while_writing > 0 ? s->pcie_while_writing : 1;
    if (isnan(in) || isnan(out)) return NAN;
    return fmax(out, in + (1 - share) * fmin(out, in / share)); /* written first, read at `share` meanwhile */
}

double server_nvlink_rate(const struct server *s, double gbps, double payload)
{
    double bytes = gbps * (s->nvlink_share > 0 ? s->nvlink_share : 1);
    return gbps > 0 && payload > 0 ? limited(bytes, s->nvlink_requests, payload) : bytes;
}

double server_gather_host(const struct server *s, double row_bytes)
{
    double slowest = server_pcie_rate(s, row_bytes);
    for (int a = 0; a < s->gpus; a++) {
        int below = 0;
        for (int b = 0; b < s->gpus; b++)
            below += s->gpu[a].pcie_switch >= 0 && s->gpu[b].pcie_switch == s->gpu[a].pcie_switch;
        if (below) slowest = fmin(slowest, server_uplink_rate(s, row_bytes) / below);
    }
    return s->host_memory_gbps > 0 ? fmin(slowest, s->host_memory_gbps / s->gpus) : slowest;
}

double server_gather_peers(const struct server *s, double row_bytes)
{
    double slowest = INFINITY;
    for (int a = 0; a < s->gpus; a++) {
        double narrow = INFINITY;
        for (int b = 0; b < s->gpus; b++)
            if (b != a) narrow = fmin(narrow, s->link_gbps[a][b]);
        if (!(narrow > 0) || isinf(narrow)) return 0;
        double port = server_nvlink_rate(s, narrow, row_bytes);
        /* through a switch one port carries the parts of all peers, else each link carries one part */
        slowest = fmin(slowest, server_links_switched(s, a) ? port * s->gpus / (s->gpus - 1) : port * s->gpus);
    }
    return s->gpus > 1 ? slowest : 0;
}

/* GB/s in one direction of GPU a's links to the GPUs of a set. */
static double joined(const struct server *s, int a, const bool *in)
{
    double sum = 0, widest = 0;
    for (int b = 0; b < s->gpus; b++) {
        if (!in[b]) continue;
        sum += s->link_gbps[a][b];
        widest = fmax(widest, s->link_gbps[a][b]);
    }
    return server_links_switched(s, a) ? widest : sum;
}

enum { TRIED = 12 }; /* GPUs: up to here all sets are tried */

/* GB/s of the least joined GPU of a set. */
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

/* Grows a set from `seed`, each time by the GPU with the widest links to it; returns GB/s of its least joined GPU. */
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

enum { PORTS_MOST = 18 }; /* NVLinks of one GPU: H100, B200 */

bool server_links_switched(const struct server *s, int g)
{
    int ports = 0, peers = 0;
    for (int b = 0; b < s->gpus; b++) {
        ports += s->links[g][b];
        peers += s->links[g][b] > 0;
    }
    return peers > 1 && ports > PORTS_MOST;
}

double server_cpu_sampling_rate(const struct server *s, double share, double batch)
{
    const struct cpu_sampling *c = &s->cpu_sampling;
    if (!c->threads) return s->cpu_sampling_edges * share;
    return cpu_sampling_rate(c, share * (s->cores > 0 ? s->cores : c->thread[c->threads - 1]), batch);
}

bool server_cpu_gather_stated(const struct server *s) { return s->cpu_gather.gbps > 0 || s->cpu_gather.requests > 0; }

double server_cpu_gather_rate(const struct server *s, double row_bytes)
{
    const bool stated = server_cpu_gather_stated(s);
    double gbps = stated ? s->cpu_gather.gbps : CPU_GATHER_SHARE * s->host_memory_gbps,
           rows = stated ? s->cpu_gather.requests : 1e9 * gbps / CPU_GATHER_ROW;
    double of_byte = (gbps > 0 ? 1 / gbps : 0) + (rows > 0 && row_bytes > 0 ? 1e9 / (rows * row_bytes) : 0);
    return of_byte > 0 ? 1 / of_byte : 0;
}

double server_cpu_gather_start(const struct server *s)
{
    return server_cpu_gather_stated(s) ? s->cpu_gather_start : CPU_GATHER_START;
}
