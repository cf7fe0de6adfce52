#include "simulator/movement/sync.h"

#include <math.h>

#include "hwprofiles/model/bandwidth.h"

/* GPUs that all train, and of which any two are joined over NVLinks. */
struct joined {
    int gpu[SERVER_GPUS_MAX], count;
};

static bool rated(const struct server *s, int a, int b) { return s->links[a][b] > 0 && s->link_gbps[a][b] > 0; }

/* Whether gpu[0..at) is a path that `tries` more steps make a ring of all. Orders the rest in place. */
static bool closes(const struct server *s, struct joined *of, int at, int *tries)
{
    if (at == of->count) return at == 2 || rated(s, of->gpu[at - 1], of->gpu[0]);
    for (int i = at; i<of->count && * tries> 0; i++) {
        const int next = of->gpu[i];
        if (!rated(s, of->gpu[at - 1], next)) continue;
        --*tries;
        of->gpu[i] = of->gpu[at];
        of->gpu[at] = next;
        if (closes(s, of, at + 1, tries)) return true;
        of->gpu[at] = of->gpu[i];
        of->gpu[i] = next;
    }
    return false;
}

/* NCCL, too, gives up its search of rings after some steps; meshes of 16 GPUs need hundreds. */
static bool ring(const struct server *s, struct joined *of)
{
    int tries = 1 << 16;
    return of->count > 1 && closes(s, of, 1, &tries);
}

/* GB/s in one direction of the NVLinks that GPU g has to the others; of a switch, its port. */
static double rate_to(const struct server *s, const struct joined *of, int g)
{
    double sum = 0, widest = 0;
    for (int i = 0; i < of->count; i++) {
        sum += s->link_gbps[g][of->gpu[i]];
        widest = fmax(widest, s->link_gbps[g][of->gpu[i]]);
    }
    return server_links_switched(s, g) ? widest : sum;
}

static double reduce(const struct server *s, const struct joined *of, double bytes)
{
    double rate = INFINITY;
    for (int i = 0; i < of->count; i++) rate = fmin(rate, rate_to(s, of, of->gpu[i]));
    return 2.0 * (of->count - 1) / of->count * bytes / (1e9 * server_nvlink_rate(s, rate, bytes));
}

/* Trainers that `first` reaches over NVLinks of known rate and trainers, itself the first. */
static void find_joined(const struct server *s, const bool *trains, int first, struct joined *out)
{
    bool found[SERVER_GPUS_MAX] = {false};
    out->count = 0;
    found[out->gpu[out->count++] = first] = true;
    for (int i = 0; i < out->count; i++)
        for (int g = 0; g < s->gpus; g++)
            if (trains[g] && !found[g] && rated(s, out->gpu[i], g)) found[out->gpu[out->count++] = g] = true;
}

/* Keeps those of the first one's group, by which training vertices are dealt. */
static void keep_group(const struct server *s, struct joined *of)
{
    const int group = server_group(s, of->gpu[0]);
    int kept = 0;
    for (int i = 0; i < of->count; i++)
        if (server_group(s, of->gpu[i]) == group) of->gpu[kept++] = of->gpu[i];
    of->count = kept;
}

struct sync_way sync_way(const struct server *s, const bool *trains, bool cpu, double bytes)
{
    struct sync_way way = {0, 0};
    bool left[SERVER_GPUS_MAX];
    int apart = cpu;
    for (int g = 0; g < s->gpus; g++) left[g] = trains[g];
    for (int g = 0; g < s->gpus; g++) {
        struct joined of;
        if (!left[g]) continue;
        find_joined(s, left, g, &of);
        if (!ring(s, &of)) keep_group(s, &of);
        if (ring(s, &of)) way.nvlink = fmax(way.nvlink, reduce(s, &of, bytes));
        else of.count = 1;
        for (int i = 0; i < of.count; i++) left[of.gpu[i]] = false;
        apart++;
    }
    if (apart < 2 || !(bytes > 0)) return way;
    const double to = server_pcie_rate(s, bytes), from = server_write_rate(s);
    way.pcie = to > 0 && from > 0 ? bytes / (1e9 * to) + bytes / (1e9 * from) : NAN;
    return way;
}
