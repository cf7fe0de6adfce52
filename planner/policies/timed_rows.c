#include "planner/policies/timed_rows.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/policies/density.h"

/* A row's entries in the order: its first copy, its second, and one for all further copies together. */
enum { FIRST_COPY, SECOND_COPY, MORE_COPIES, ENTRIES };
enum { ROWS_DEALT = 1024 };       /* to a thread at a time: the first rows have most readers, and take longest */
static const double ALIKE = 0.05; /* gains that differ by less go to the GPU with most room */

/* Weighted seconds per byte: from the host, from each GPU; by position in the island and kind. */
struct prices {
    double host[2][GPUS_MAX], gpu[2][GPUS_MAX][GPUS_MAX];
};

/* ---- candidates ---- */

/* Bytes of row k, and of those that it stands for. */
static uint64_t bytes_of(const struct timed_rows *s, const struct timed_island *island, uint64_t k)
{
    return items_bytes(s->t->items, island->item[k]) * (k < island->alone ? 1 : island->each);
}

static double host_bytes(const struct timed_rows *s, const struct timed_island *island, uint64_t item)
{
    double sum = 0;
    bool seen[GPUS_MAX] = {false};
    for (int i = 0; i < island->gpus; i++) {
        int c = s->t->clique_of[island->gpu[i]];
        if (!seen[c]) sum += (double)items_clique_rate(s->t->items, c, item) * 0x1p-20;
        seen[c] = true;
    }
    return sum;
}

/* Chooses the rows that save most per byte, half as many again as fit. */
static enum st choose_rows(const struct timed_rows *s, struct timed_island *island, struct err *err)
{
    enum st st = ST_OK;
    uint64_t all = graph_items(s->in->graph), budget = 0, *key = NULL;
    NEW(key, all, "densities");
    for (int i = 0; i < island->gpus; i++) budget += s->plan->budget[island->gpu[i]];
#pragma omp parallel for num_threads(s->in->threads)
    for (uint64_t item = 0; item < all; item++) {
        uint64_t bytes = density_bytes(s->in, item);
        key[item] = bytes ? density_key(host_bytes(s, island, item), bytes) | 1 : 0; /* unseen rows take what is left */
    }
    TRY(density_order(s->in, key, all, DENSITY_ENOUGH(budget) + budget / 4, &island->item, &island->count, err));
    if (island->count > UINT32_MAX / ENTRIES)
        island->count = UINT32_MAX / ENTRIES; /* entries have numbers of 32 bits */
done:
    mem_free(key);
    return st;
}

static bool is_topology(const struct timed_rows *s, uint64_t item) { return item < graph_topology_rows(s->in->graph); }

static uint64_t fixed(double bytes) { return (uint64_t)(bytes * 0x1p10); }

/* A candidate's reads. all: [gpus] of its row. */
static void fill_row(struct timed_island *island, uint64_t k, const struct transfer_bytes *all)
{
    double host = 0, gpu = 0;
    for (int i = 0; i < island->gpus; i++) {
        const struct transfer_bytes b = all[island->gpu[i]];
        island->host[k * (uint64_t)island->gpus + (uint64_t)i] = (float)b.host;
        host += b.host;
        gpu += b.gpu;
    }
    island->ratio[k] = host > 0 ? (float)(gpu / host) : 0;
}

/* Reads of the candidates; and rest: those of all others from the host, which no placement changes. One pass over the
 * counts, in which they lie. */
static enum st read_rows(struct timed_rows *s, struct timed_island *island, struct err *err)
{
    const int gpus = s->t->gpus;
    const uint64_t items = graph_items(s->in->graph), n = graph_topology_rows(s->in->graph);
    OWNED_NEW(uint32_t, place, items, "places of rows"); /* 1 + that among the candidates; 0: no candidate */
    MAKE(island->host, island->count * (uint64_t)island->gpus, "reads of rows");
    MAKE(island->ratio, island->count, "reads of rows");
    MAKE(island->held, island->count, "holders of rows");
    island->alone = island->count;
    for (uint64_t k = 0; k < island->count; k++) place[island->item[k]] = (uint32_t)(k + 1);
    uint64_t sum[2 * GPUS_MAX] = {0};
#pragma omp parallel for num_threads(s->in->threads) schedule(static, ROWS_DEALT) reduction(+ : sum[:2 * GPUS_MAX])
    for (uint64_t item = 0; item < items; item++) {
        struct transfer_bytes all[GPUS_MAX];
        transfer_bytes(s->t, item, all);
        if (place[item]) fill_row(island, place[item] - 1, all);
        for (int i = 0; i < (place[item] ? 0 : island->gpus); i++)
            sum[2 * i + (item < n)] += fixed(all[island->gpu[i]].host);
    }
    for (int i = 0; i < 2 * island->gpus; i++) s->rest[(island->gpu[i / 2] * (gpus + 1) + gpus) * 2 + i % 2] = sum[i];
    return ST_OK;
}

/* ---- prices and gains ---- */

static void set_prices(const struct timed_rows *s, const struct timed_island *island, const double *weight,
                       struct prices *p)
{
    for (int topology = 0; topology < 2; topology++)
        for (int i = 0; i < island->gpus; i++) {
            int g = island->gpu[i];
            p->host[topology][i] = transfer_price(transfer_path(s->t, g, s->t->gpus, topology), weight);
            for (int j = 0; j < island->gpus; j++) {
                const struct transfer_path *path = transfer_path(s->t, g, island->gpu[j], topology);
                bool reads = g == island->gpu[j] || server_reads(s->in->server, g, island->gpu[j]);
                p->gpu[topology][i][j] = reads ? transfer_price(path, weight) : INFINITY;
            }
        }
}

/* Bytes per epoch that reader i reads of row k where a GPU serves it. */
static inline double gpu_bytes(const struct timed_island *island, uint64_t k, int i)
{
    return (double)island->host[k * (uint64_t)island->gpus + (uint64_t)i] * (double)island->ratio[k];
}

/* left[i]: what reader i still pays. sum[j]: what a copy on gpu j saves of it. A copy that the reader does not read
 * costs infinity, or NaN where it reads nothing: neither is less. */
static void gains(const struct timed_island *island, const struct prices *p, uint64_t k, bool topology,
                  const double *left, double *restrict sum)
{
    const int gpus = island->gpus;
    for (int j = 0; j < gpus; j++) sum[j] = 0;
    for (int i = 0; i < gpus; i++) {
        const double bytes = gpu_bytes(island, k, i), most = left[i], *price = p->gpu[topology][i];
        for (int j = 0; j < gpus; j++) {
            const double saved = most - bytes * price[j];
            sum[j] += saved > 0 ? saved : 0;
        }
    }
}

static void pay(const struct timed_island *island, const struct prices *p, uint64_t k, bool topology, double *left,
                int j)
{
    for (int i = 0; i < island->gpus; i++) {
        const double now = gpu_bytes(island, k, i) * p->gpu[topology][i][j];
        if (now < left[i]) left[i] = now;
    }
}

static void start_left(const struct timed_island *island, const struct prices *p, uint64_t k, bool topology,
                       double *left)
{
    for (int i = 0; i < island->gpus; i++)
        left[i] = (double)island->host[k * (uint64_t)island->gpus + (uint64_t)i] * p->host[topology][i];
}

/* Keys of a row's entries; scale: seconds to the measure of density_key. */
static void rank(const struct timed_rows *s, const struct timed_island *island, const struct prices *p, double scale,
                 uint64_t k, uint64_t *key)
{
    uint64_t item = island->item[k], bytes = bytes_of(s, island, k), count = island->count;
    bool topology = is_topology(s, item);
    double left[GPUS_MAX], sum[GPUS_MAX], most = 0, more = 0;
    pool_set taken = 0;
    int copies = 0;
    start_left(island, p, k, topology, left);
    for (int copy = FIRST_COPY; copy <= SECOND_COPY; copy++) {
        int best = -1;
        gains(island, p, k, topology, left, sum);
        for (int j = 0; j < island->gpus; j++) {
            if (taken >> j & 1 || (best >= 0 && !(sum[j] > most))) continue;
            best = j;
            most = sum[j];
        }
        key[(uint64_t)copy * count + k] = best < 0 ? 0 : density_key(most * scale, bytes);
        if (best < 0) break;
        pay(island, p, k, topology, left, best);
        taken |= (pool_set)1 << best;
        most = 0;
    }
    gains(island, p, k, topology, left, sum);
    for (int j = 0; j < island->gpus; j++) {
        double g = taken >> j & 1 ? 0 : sum[j];
        copies += g > 0;
        more += g;
    }
    key[k] |= 1;
    key[MORE_COPIES * count + k] = copies ? density_key(more * scale / copies, bytes) : 0;
}

/* ---- one placement ---- */

/* The GPU where a copy of row k saves most, among those with room and without one; ties: most room, then the lower
 * position. -1: none. */
static int timed_rows_choose(const struct timed_rows *s, const struct timed_island *island, const struct prices *p,
                             uint64_t k, bool topology, const double *left, const uint64_t *room, double *saved)
{
    uint64_t bytes = bytes_of(s, island, k);
    double sum[GPUS_MAX];
    int best = -1;
    gains(island, p, k, topology, left, sum);
    for (int j = 0; j < island->gpus; j++) {
        if (island->held[k] >> j & 1 || room[island->gpu[j]] < bytes) continue;
        const double g = sum[j];
        bool better = best < 0 || g > *saved * (1 + ALIKE) ||
                      (g >= *saved * (1 - ALIKE) && room[island->gpu[j]] > room[island->gpu[best]]);
        if (!better) continue;
        best = j;
        *saved = g;
    }
    return best;
}

static enum st hold(struct timed_rows *s, struct timed_island *island, uint64_t k, int j, bool emit, uint64_t *room,
                    struct err *err)
{
    int g = island->gpu[j];
    uint64_t n = graph_topology_rows(s->in->graph), item = island->item[k];
    struct placement *p = &s->plan->placement;
    island->held[k] |= (pool_set)1 << j;
    room[g] -= bytes_of(s, island, k);
    if (emit)
        PASS(row_list_add(item < n ? &p->topology[g] : &p->feature[g], (uint32_t)(item < n ? item : item - n), err));
    return ST_OK;
}

static uint64_t most_room(const struct timed_island *island, const uint64_t *room)
{
    uint64_t most = 0;
    for (int i = 0; i < island->gpus; i++) most = room[island->gpu[i]] > most ? room[island->gpu[i]] : most;
    return most;
}

/* One entry of the order: a copy, or all further copies that save as much as their mean. */
static enum st timed_rows_take(struct timed_rows *s, struct timed_island *island, const struct prices *p, uint64_t k,
                               int entry, bool emit, uint64_t *room, struct err *err)
{
    double left[GPUS_MAX], saved = 0, least = 0;
    bool topology = is_topology(s, island->item[k]);
    start_left(island, p, k, topology, left);
    for (int j = 0; j < island->gpus; j++)
        if (island->held[k] >> j & 1) pay(island, p, k, topology, left, j);
    if (entry != FIRST_COPY && !island->held[k]) return ST_OK; /* its first copy had no room */
    for (int copy = 0; copy < (entry == MORE_COPIES ? island->gpus : 1); copy++) {
        int j = timed_rows_choose(s, island, p, k, topology, left, room, &saved);
        if (j < 0 || (entry != FIRST_COPY && !(saved > 0)) || saved < least) break;
        PASS(hold(s, island, k, j, emit, room, err));
        pay(island, p, k, topology, left, j);
        least = saved / 2;
        saved = 0;
    }
    return ST_OK;
}

static enum st fill_island(struct timed_rows *s, struct timed_island *island, const double *weight, bool emit,
                           uint64_t *room, struct err *err)
{
    uint64_t entries = ENTRIES * island->count, skipped = 0;
    OWNED uint64_t *key = NULL;
    OWNED uint32_t *order = NULL;
    OWNED struct prices *p = NULL;
    double top = 0;
    MAKE(p, 1, "prices");
    MAKE(key, entries, "densities");
    MAKE(order, entries, "an order of rows");
    set_prices(s, island, weight, p);
    memset(island->held, 0, island->count * sizeof *island->held);
    for (int i = 0; i < island->gpus; i++) top = fmax(top, fmax(p->host[0][i], p->host[1][i]));
    double scale = top > 0 ? 1 / (top * s->t->line_bytes) : 1;
#pragma omp parallel for num_threads(s->in->threads) schedule(static, ROWS_DEALT)
    for (uint64_t k = 0; k < island->count; k++) rank(s, island, p, scale, k, key);
    PASS(s->in->kernels->sort_hottest(s->in->threads, key, entries, order, err));
    for (uint64_t i = 0; i < entries && key[order[i]] && skipped < DENSITY_SKIPPED_MOST; i++) {
        uint64_t k = order[i] % island->count, most = most_room(island, room);
        if (most < density_smallest_row(s->in->graph)) break;
        skipped = bytes_of(s, island, k) > most ? skipped + 1 : 0;
        if (!skipped) PASS(timed_rows_take(s, island, p, k, (int)(order[i] / island->count), emit, room, err));
    }
    return ST_OK;
}

enum st timed_rows_fill(struct timed_rows *s, const double *weight, bool emit, struct err *err)
{
    uint64_t room[GPUS_MAX];
    memcpy(room, s->plan->budget, sizeof room);
    for (int c = 0; c < s->islands; c++) PASS(fill_island(s, &s->island[c], weight, emit, room, err));
    return ST_OK;
}

/* ---- what it loads ---- */

/* Where reader i takes row k from: position of a GPU, or -1 for the host. */
static int source_of(const struct timed_rows *s, const struct timed_island *island, const int *position, uint64_t k,
                     int i)
{
    const struct placement *p = &s->plan->placement;
    int g = island->gpu[i];
    if (island->held[k] >> i & 1) return g;
    for (int q = 0; q < p->peers[g]; q++) {
        int at = position[p->peer[g][q]];
        if (at >= 0 && island->held[k] >> at & 1) return p->peer[g][q];
    }
    return -1;
}

static void add_loads(const struct timed_rows *s, const struct timed_island *island, uint64_t from, uint64_t to,
                      uint64_t *loads)
{
    int position[GPUS_MAX], gpus = s->t->gpus;
    for (int g = 0; g < GPUS_MAX; g++) position[g] = -1; /* a plan may have peers beyond the island */
    for (int i = 0; i < island->gpus; i++) position[island->gpu[i]] = i;
    for (uint64_t k = from; k < to; k++)
        for (int i = 0; i < island->gpus; i++) {
            double bytes = (double)island->host[k * (uint64_t)island->gpus + (uint64_t)i];
            int source = source_of(s, island, position, k, i);
            if (source >= 0) bytes *= (double)island->ratio[k];
            size_t at = (size_t)(island->gpu[i] * (gpus + 1) + (source < 0 ? gpus : source)) * 2 +
                        is_topology(s, island->item[k]);
            loads[at] += fixed(bytes);
        }
}

enum st timed_rows_loads(const struct timed_rows *s, uint64_t *loads, struct err *err)
{
    int parts = s->in->threads;
    size_t size = TRANSFER_LOADS(s->t);
    OWNED uint64_t *each = NULL;
    MAKE(each, size * (size_t)parts, "loads of links");
    memcpy(loads, s->rest, size * sizeof *loads);
    for (int c = 0; c < s->islands; c++) {
        const struct timed_island *island = &s->island[c];
        memset(each, 0, size * (size_t)parts * sizeof *each);
#pragma omp parallel for num_threads(parts)
        for (int t = 0; t < parts; t++)
            add_loads(s, island, island->count * (uint64_t)t / (uint64_t)parts,
                      island->count * (uint64_t)(t + 1) / (uint64_t)parts, each + (size_t)t * size);
        for (size_t i = 0; i < size * (size_t)parts; i++) loads[i % size] += each[i];
    }
    return ST_OK;
}

/* ---- begin and end ---- */

enum st timed_rows_make(const struct policy_input *in, const struct transfer *t, struct plan *plan,
                        struct timed_rows *out, struct err *err)
{
    OWNED_BY(timed_rows_release) struct timed_rows s = {.in = in, .plan = plan, .t = t};
    OWNED_NEW(struct transfer_islands, is, 1, "GPUs that reach each other");
    MAKE(s.island, in->server->gpus, "GPUs that reach each other");
    MAKE(s.rest, TRANSFER_LOADS(t), "loads of links");
    transfer_islands(t, is);
    s.islands = is->count;
    for (int c = 0; c < s.islands; c++) {
        s.island[c].gpus = is->of[c].gpus;
        memcpy(s.island[c].gpu, is->of[c].gpu, sizeof s.island[c].gpu);
        PASS(choose_rows(&s, &s.island[c], err));
        PASS(read_rows(&s, &s.island[c], err));
    }
    *out = s;
    memset(&s, 0, sizeof s);
    return ST_OK;
}

/* The same rows of an island, fewer. */
static enum st thin_island(const struct timed_island *from, struct timed_island *out, struct err *err)
{
    const uint64_t gpus = (uint64_t)from->gpus, rest = from->count - TIMED_ALONE, each = rest / TIMED_OTHERS;
    out->gpus = from->gpus;
    memcpy(out->gpu, from->gpu, sizeof out->gpu);
    out->alone = TIMED_ALONE;
    out->each = each;
    out->count = TIMED_ALONE + rest / each;
    MAKE(out->item, out->count, "rows");
    MAKE(out->host, out->count * gpus, "reads of rows");
    MAKE(out->ratio, out->count, "reads of rows");
    MAKE(out->held, out->count, "holders of rows");
    for (uint64_t k = 0; k < out->count; k++) {
        const uint64_t of = k < out->alone ? k : out->alone + (k - out->alone) * each + each / 2;
        const float stands = k < out->alone ? 1 : (float)each;
        out->item[k] = from->item[of];
        out->ratio[k] = from->ratio[of];
        for (uint64_t i = 0; i < gpus; i++) out->host[k * gpus + i] = from->host[of * gpus + i] * stands;
    }
    return ST_OK;
}

enum st timed_rows_thin(const struct timed_rows *from, struct timed_rows *out, struct err *err)
{
    OWNED_BY(timed_rows_release) struct timed_rows s = {.in = from->in, .plan = from->plan, .t = from->t};
    for (int c = 0; c < from->islands; c++)
        if (from->island[c].count < TIMED_ALONE + 2 * TIMED_OTHERS) return ST_OK;
    MAKE(s.island, from->in->server->gpus, "GPUs that reach each other");
    MAKE(s.rest, TRANSFER_LOADS(s.t), "loads of links");
    memcpy(s.rest, from->rest, TRANSFER_LOADS(s.t) * sizeof *s.rest);
    s.islands = from->islands;
    for (int c = 0; c < s.islands; c++) PASS(thin_island(&from->island[c], &s.island[c], err));
    *out = s;
    memset(&s, 0, sizeof s);
    return ST_OK;
}

uint64_t timed_rows_bytes(const struct graph *g, int gpus, const uint64_t *budget)
{
    double sum = 0, all = (double)graph_total_bytes(g);
    for (int i = 0; i < gpus; i++) sum += (double)budget[i];
    double share = sum > 0 && all > 0 && 3 * sum < all ? 3 * sum / all : 1;
    return (uint64_t)((double)graph_items(g) * share * (24 + 4 * gpus + 3 * 24));
}

void timed_rows_release(struct timed_rows *s)
{
    for (int c = 0; s->island && c < s->islands; c++) {
        mem_free(s->island[c].item);
        mem_free(s->island[c].host);
        mem_free(s->island[c].ratio);
        mem_free(s->island[c].held);
    }
    mem_free(s->island);
    mem_free(s->rest);
    memset(s, 0, sizeof *s);
}
