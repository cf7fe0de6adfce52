#include "simulator/movement/traffic.h"

#include <string.h>

const char *traffic_kind_name(enum traffic_kind k)
{
    static const char *const names[] = {"topology", "feature", "blocks"};
    return names[k];
}

const char *traffic_method_name(enum traffic_method m)
{
    static const char *const names[] = {"ideal", "uva", "pull", "push", "taken"};
    return names[m];
}

/* ---- PCIe ---- */

uint64_t traffic_copied(uint64_t bytes)
{
    return bytes + TRAFFIC_HEADER * ((bytes + TRAFFIC_COPY_PAYLOAD - 1) / TRAFFIC_COPY_PAYLOAD);
}

/* Wire bytes of reads of cache lines. */
static uint64_t read_lines(uint64_t lines, uint64_t line_bytes) { return lines * (line_bytes + TRAFFIC_HEADER); }

static struct traffic_pcie packets(uint64_t transactions, uint64_t useful, uint64_t line_bytes, bool copy)
{
    return (struct traffic_pcie){transactions, useful, transactions * line_bytes,
                                 copy ? traffic_copied(useful) : read_lines(transactions, line_bytes)};
}

static uint64_t sum_of(const uint64_t *by_source, int gpus)
{
    uint64_t sum = 0;
    for (int s = 0; s <= gpus; s++) sum += by_source[s];
    return sum;
}

static void add_pcie(const struct plan *p, const struct replay_gpu *gpu, int g, const struct graph *graph,
                     struct traffic *t)
{
    int host = t->gpus;
    uint64_t block = 8 * sum_of(gpu->draws, host);
    t->pcie[g][TRAFFIC_FEATURE] = packets(gpu->feature, replay_feature_bytes(gpu, graph, host, host), p->line_bytes,
                                          p->placement.copies_features);
    if (p->placement.access == ACCESS_GPU)
        t->pcie[g][TRAFFIC_TOPOLOGY] = packets(gpu->topology, 16 * gpu->visits[host] + 4 * gpu->draws[host],
                                               p->line_bytes, false);
    else t->pcie[g][TRAFFIC_BLOCKS] = packets(gpu->topology, block, p->line_bytes, true);
    if (p->placement.access != ACCESS_SAMPLERS) return;
    t->written.transactions += gpu->topology;
    t->written.useful += block;
    t->written.lines += gpu->topology * p->line_bytes;
    t->written.wire += traffic_copied(block);
}

/* ---- NVLink ---- */

static int hops_between(const struct traffic *t, int reader, int holder)
{
    return t->routes.hops[reader][holder] ? t->routes.hops[reader][holder] : 1;
}

static void add_link(struct traffic *t, int from, int to, uint64_t bytes)
{
    t->link[from][to] += bytes;
    t->passed[from][to] |= bytes > 0;
}

/* back: bytes from the holder to the reader; there: the other way. */
static void carry(struct traffic *t, int reader, int holder, uint64_t back, uint64_t there)
{
    for (int at = reader, left = hops_between(t, reader, holder); left > 0; left--) {
        int next = t->routes.hops[reader][holder] ? t->routes.next[at][holder] : holder;
        add_link(t, next, at, back);
        add_link(t, at, next, there);
        at = next;
    }
}

/* ---- sampling ---- */

struct traffic_push traffic_push_of(const struct workload *w, uint64_t visits, uint64_t draws, uint64_t entries)
{
    uint64_t more = workload_layer_wise(w) ? 4 * visits : 0;
    return (struct traffic_push){4 * visits + more, (workload_returns_rows(w) ? entries : 4 * draws) + more};
}

/* hops: NVLinks on the way; 0: over PCIe. */
static void add_sampling(struct traffic_sampling *m, uint64_t bytes, int hops)
{
    if (!hops) m->pcie += traffic_copied(bytes);
    else m->nvlink += bytes;
    m->links += bytes * (uint64_t)hops;
}

/* Adds the bytes between reader g and one other GPU. */
static void add_peer(const struct plan *p, const struct replay_gpu *gpu, int g, int holder, const struct graph *graph,
                     struct traffic *t)
{
    bool pcie = routes_over_pcie(&t->routes, p->pcie_switch, g, holder);
    int hops = pcie ? 0 : hops_between(t, g, holder);
    uint64_t visits = gpu->visits[holder], read = 16 * visits + gpu->entries[holder],
             rows = replay_feature_bytes(gpu, graph, t->gpus, holder);
    struct traffic_push push = traffic_push_of(&p->workload, visits, gpu->draws[holder], gpu->entries[holder]);
    bool samples = p->placement.access == ACCESS_GPU, pushes = p->placement.pushes;
    uint64_t back = !samples ? 0 : pushes ? push.back : read, there = samples && pushes ? push.there : 0;
    if (pcie) {
        t->p2p[holder][g] += rows + back;
        t->p2p[g][holder] += there;
    } else {
        t->feature += rows;
        t->topology += back + there;
        carry(t, g, holder, rows + back, there);
    }
    if (!samples) return;
    add_sampling(&t->sampling[TRAFFIC_PULL], 16 * visits + (4 + graph->weight_bytes) * gpu->degrees[holder], hops);
    add_sampling(&t->sampling[TRAFFIC_PUSH], push.there + push.back, hops);
    add_sampling(&t->sampling[TRAFFIC_TAKEN], back + there, hops);
}

static void add_host(const struct plan *p, const struct replay_gpu *gpu, int g, struct traffic *t)
{
    bool samples = p->placement.access == ACCESS_GPU;
    uint64_t host = read_lines(samples ? gpu->topology : gpu->lines, p->line_bytes);
    t->sampling[TRAFFIC_IDEAL].needed += 16 * sum_of(gpu->visits, t->gpus) + 4 * sum_of(gpu->draws, t->gpus);
    t->sampling[TRAFFIC_UVA].pcie += read_lines(gpu->lines, p->line_bytes);
    t->sampling[TRAFFIC_PULL].pcie += host;
    t->sampling[TRAFFIC_PUSH].pcie += host;
    t->sampling[TRAFFIC_TAKEN].pcie += samples ? host : t->pcie[g][TRAFFIC_BLOCKS].wire;
}

void traffic_make(const struct plan *p, const struct replay *r, const struct graph *graph, struct traffic *out)
{
    memset(out, 0, sizeof *out);
    out->epochs = r->epochs;
    out->gpus = r->gpus;
    out->taken = p->placement.access != ACCESS_GPU ? "blocks" : p->placement.pushes ? "push" : "reads";
    routes_find(&p->placement, p->links, p->assignment.id, &out->routes);
    for (int g = 0; g < r->gpus; g++) {
        const struct replay_gpu gpu = replay_part(&r->gpu[g], 1 - p->cpu_share);
        add_pcie(p, &gpu, g, graph, out);
        add_host(p, &gpu, g, out);
        for (int h = 0; h < r->gpus; h++)
            if (h != g) add_peer(p, &gpu, g, h, graph, out);
    }
    out->sampling[TRAFFIC_TAKEN].pcie += out->written.wire; /* blocks of sampler GPUs pass PCIe twice */
}
