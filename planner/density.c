#include "planner/density.h"

uint64_t density_key(double saved, uint64_t bytes)
{
    double d = saved / (double)bytes * 0x1p40;
    return d > 0x1p62 ? (uint64_t)1 << 62 : d > 0 ? (uint64_t)d : 0;
}

enum st density_order(const struct policy_input *in, const uint64_t *key, uint32_t *order, struct err *err)
{
    return in->kernels->sort_hottest(in->threads, key, 2 * in->graph->n, order, err);
}

struct item { uint32_t v; bool topology; };

static int choose_gpu(const struct policy_input *in, const int *gpu, int k, struct item x, uint64_t bytes, const uint64_t *room)
{
    int best = -1;
    uint32_t top = 0;
    for (int i = 0; i < k; i++) {
        int g = gpu[i];
        if (room[g] < bytes) continue;
        uint32_t hot = x.topology ? in->trace->topology[g][x.v] : in->trace->feature[g][x.v];
        if (best < 0 || hot > top || (hot == top && room[g] > room[best])) {
            best = g;
            top = hot;
        }
    }
    return best;
}

static uint64_t most_room(const int *gpu, int k, const uint64_t *room)
{
    uint64_t most = 0;
    for (int i = 0; i < k; i++) most = room[gpu[i]] > most ? room[gpu[i]] : most;
    return most;
}

void density_prefetch(const struct policy_input *in, uint32_t item, const int *gpu, int k)
{
    uint64_t n = in->graph->n, v = item < n ? item : item - n;
    if (item < n) __builtin_prefetch(&in->graph->indptr[v]);
    for (int i = 0; i < k; i++) __builtin_prefetch(item < n ? &in->trace->topology[gpu[i]][v] : &in->trace->feature[gpu[i]][v]);
}

enum st density_fill(const struct policy_input *in, const uint64_t *key, const uint32_t *order, int clique, struct plan *plan, uint64_t *room, struct err *err)
{
    enum { AHEAD = 32 };
    enum st st = ST_OK;
    uint64_t n = in->graph->n, most, passed = 0;
    int gpu[GPUS_MAX], k = 0;
    for (int g = 0; g < plan->assignment.gpus; g++)
        if (plan->assignment.clique_of[g] == clique) gpu[k++] = g;
    most = most_room(gpu, k, room);
    for (uint64_t i = 0; i < 2 * n && key[order[i]] && most >= DENSITY_SMALLEST_ROW && passed < DENSITY_PASSED_MOST; i++) {
        if (i + AHEAD < 2 * n) density_prefetch(in, order[i + AHEAD], gpu, k);
        struct item x = {order[i] < n ? order[i] : (uint32_t)(order[i] - n), order[i] < n};
        uint64_t bytes = x.topology ? graph_topology_bytes(in->graph, x.v) : in->graph->row_bytes;
        if (bytes > most) { /* a smaller row may still fit */
            passed++;
            continue;
        }
        passed = 0;
        int g = choose_gpu(in, gpu, k, x, bytes, room);
        TRY(row_list_add(x.topology ? &plan->placement.topology[g] : &plan->placement.feature[g], x.v, err));
        room[g] -= bytes;
        most = most_room(gpu, k, room);
    }
done:
    return st;
}
