#include "planner/policies/timed.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/policies/density.h"

/* A row's entries in the order: its first copy, its second, and one for all further copies together. */
enum { FIRST_COPY, SECOND_COPY, MORE_COPIES, ENTRIES };
enum { BISECTIONS = 10 };
static const double WORTH_A_CHANGE = 1e-3;     /* of the stage */
static const double FAINT = 1e-3, STEP = 0.15; /* least weight of a resource; how fast weights follow times */
static const double ALIKE = 0.05;              /* gains that differ by less go to the GPU with most room */

/* GPUs that NVLinks (or PCIe, with --reach p2p) join, and the rows that may be worth holding there. */
struct island {
    int gpus, gpu[GPUS_MAX];
    uint64_t count;
    uint32_t *item; /* [count] by transactions saved per byte; owned */
    float *host;  /* [count][gpus] bytes per epoch that a reader takes from the host when nobody holds the row; owned */
    float *ratio; /* [count] bytes read from GPU memory for a byte read from the host; owned */
    pool_set *held; /* [count] bit i: gpu[i] holds it; owned */
};

/* Weighted seconds per byte: from the host, from each GPU; by position in the island and kind. */
struct prices {
    double host[2][GPUS_MAX], gpu[2][GPUS_MAX][GPUS_MAX];
};

/* What the search found: seconds of the stage per epoch, of the fewest transactions and of what was kept, and its
 * busiest resource. */
struct result {
    double before, after;
    char waits_for[TRANSFER_NAME];
    bool kept; /* the plan that was given is as good */
};

struct search {
    const struct policy_input *in;
    struct plan *plan;
    const struct transfer *t;
    struct island *island;
    int islands;
    uint64_t *rest, *loads; /* loads of rows that are no candidates; of a placement */
    double *weight, *best_weight, *mean_weight, *seconds;
    double best; /* shortest stage so far */
};

/* ---- candidates ---- */

static void find_islands(struct search *s)
{
    const struct server *server = s->in->server;
    int of[GPUS_MAX];
    for (int g = 0; g < server->gpus; g++) of[g] = g;
    for (bool joined = true; joined;) {
        joined = false;
        for (int a = 0; a < server->gpus; a++)
            for (int b = 0; b < server->gpus; b++)
                if (server_reads(server, a, b) && of[b] > of[a]) {
                    of[b] = of[a];
                    joined = true;
                } else if (server_reads(server, a, b) && of[a] > of[b]) {
                    of[a] = of[b];
                    joined = true;
                }
    }
    for (int g = 0; g < server->gpus; g++) {
        if (of[g] != g) continue;
        struct island *x = &s->island[s->islands++];
        for (int b = 0; b < server->gpus; b++)
            if (of[b] == g) x->gpu[x->gpus++] = b;
    }
}

static uint64_t bytes_of(const struct search *s, uint64_t item) { return items_bytes(s->t->items, item); }

static double host_bytes(const struct search *s, const struct island *x, uint64_t item)
{
    double sum = 0;
    bool seen[GPUS_MAX] = {false};
    for (int i = 0; i < x->gpus; i++) {
        int c = s->t->clique_of[x->gpu[i]];
        if (!seen[c]) sum += (double)items_rate(s->t->items, c, item) * 0x1p-20;
        seen[c] = true;
    }
    return sum;
}

/* Chooses the rows that save most per byte, half as many again as fit. */
static enum st choose_rows(const struct search *s, struct island *x, struct err *err)
{
    enum st st = ST_OK;
    uint64_t all = 2 * s->in->graph->n, budget = 0, *key = NULL;
    NEW(key, all, "densities");
    for (int i = 0; i < x->gpus; i++) budget += s->plan->budget[x->gpu[i]];
#pragma omp parallel for num_threads(s->in->threads)
    for (uint64_t item = 0; item < all; item++)
        key[item] = density_key(host_bytes(s, x, item), bytes_of(s, item)) | 1; /* unseen rows take what is left */
    TRY(density_order(s->in, key, all, DENSITY_ENOUGH(budget) + budget / 4, &x->item, &x->count, err));
done:
    mem_free(key);
    return st;
}

static enum st fill_rows(const struct search *s, struct island *x, struct err *err)
{
    enum st st = ST_OK;
    NEW(x->host, x->count * (uint64_t)x->gpus, "reads of rows");
    NEW(x->ratio, x->count, "reads of rows");
    NEW(x->held, x->count, "holders of rows");
#pragma omp parallel for num_threads(s->in->threads)
    for (uint64_t k = 0; k < x->count; k++) {
        double host = 0, gpu = 0;
        for (int i = 0; i < x->gpus; i++) {
            struct transfer_bytes b = transfer_bytes(s->t, x->gpu[i], x->item[k]);
            x->host[k * (uint64_t)x->gpus + (uint64_t)i] = (float)b.host;
            host += b.host;
            gpu += b.gpu;
        }
        x->ratio[k] = host > 0 ? (float)(gpu / host) : 0;
    }
done:
    return st;
}

static bool is_topology(const struct search *s, uint64_t item) { return item < s->in->graph->n; }

static uint64_t fixed(double bytes) { return (uint64_t)(bytes * 0x1p10); }

/* Reads of all rows from the host, minus those of the candidates: what no placement of theirs changes. */
static enum st set_rest(struct search *s, struct err *err)
{
    enum st st = ST_OK;
    int gpus = s->t->gpus;
    uint64_t n = s->in->graph->n;
    uint8_t *candidate = NULL;
    NEW(candidate, 2 * n, "marks of rows");
    for (int c = 0; c < s->islands; c++) {
        const struct island *x = &s->island[c];
        memset(candidate, 0, 2 * n);
        for (uint64_t k = 0; k < x->count; k++) candidate[x->item[k]] = 1;
        for (int i = 0; i < x->gpus; i++) {
            int g = x->gpu[i];
            uint64_t sum[2] = {0, 0};
#pragma omp parallel for num_threads(s->in->threads) reduction(+ : sum[:2])
            for (uint64_t item = 0; item < 2 * n; item++)
                if (!candidate[item]) sum[item < n] += fixed(transfer_bytes(s->t, g, item).host);
            for (int topology = 0; topology < 2; topology++)
                s->rest[(g * (gpus + 1) + gpus) * 2 + topology] = sum[topology];
        }
    }
done:
    mem_free(candidate);
    return st;
}

/* ---- prices and gains ---- */

static void set_prices(const struct search *s, const struct island *x, struct prices *p)
{
    for (int topology = 0; topology < 2; topology++)
        for (int i = 0; i < x->gpus; i++) {
            int g = x->gpu[i];
            p->host[topology][i] = transfer_price(transfer_path(s->t, g, s->t->gpus, topology), s->weight);
            for (int j = 0; j < x->gpus; j++) {
                const struct transfer_path *path = transfer_path(s->t, g, x->gpu[j], topology);
                bool reads = g == x->gpu[j] || server_reads(s->in->server, g, x->gpu[j]);
                p->gpu[topology][i][j] = reads ? transfer_price(path, s->weight) : INFINITY;
            }
        }
}

/* Seconds that reader i needs for row k at source price `gpu`. */
static inline double cost(const struct island *x, uint64_t k, int i, double price)
{
    return (double)x->host[k * (uint64_t)x->gpus + (uint64_t)i] * (double)x->ratio[k] * price;
}

/* left[i]: what reader i still pays. What a copy on gpu j saves of it. */
static double gain(const struct island *x, const struct prices *p, uint64_t k, bool topology, const double *left, int j)
{
    double sum = 0;
    for (int i = 0; i < x->gpus; i++) {
        if (isinf(p->gpu[topology][i][j])) continue;
        double now = cost(x, k, i, p->gpu[topology][i][j]);
        if (now < left[i]) sum += left[i] - now;
    }
    return sum;
}

static void pay(const struct island *x, const struct prices *p, uint64_t k, bool topology, double *left, int j)
{
    for (int i = 0; i < x->gpus; i++) {
        if (isinf(p->gpu[topology][i][j])) continue;
        double now = cost(x, k, i, p->gpu[topology][i][j]);
        if (now < left[i]) left[i] = now;
    }
}

static void start_left(const struct island *x, const struct prices *p, uint64_t k, bool topology, double *left)
{
    for (int i = 0; i < x->gpus; i++)
        left[i] = (double)x->host[k * (uint64_t)x->gpus + (uint64_t)i] * p->host[topology][i];
}

/* Keys of a row's entries; scale: seconds to the measure of density_key. */
static void rank(const struct search *s, const struct island *x, const struct prices *p, double scale, uint64_t k,
                 uint64_t *key)
{
    uint64_t item = x->item[k], bytes = bytes_of(s, item), count = x->count;
    bool topology = is_topology(s, item);
    double left[GPUS_MAX], most = 0, more = 0;
    pool_set taken = 0;
    int copies = 0;
    start_left(x, p, k, topology, left);
    for (int copy = FIRST_COPY; copy <= SECOND_COPY; copy++) {
        int best = -1;
        for (int j = 0; j < x->gpus; j++) {
            if (taken >> j & 1) continue;
            double g = gain(x, p, k, topology, left, j);
            if (best < 0 || g > most) {
                best = j;
                most = g;
            }
        }
        key[(uint64_t)copy * count + k] = best < 0 ? 0 : density_key(most * scale, bytes);
        if (best < 0) break;
        pay(x, p, k, topology, left, best);
        taken |= (pool_set)1 << best;
        most = 0;
    }
    for (int j = 0; j < x->gpus; j++) {
        double g = taken >> j & 1 ? 0 : gain(x, p, k, topology, left, j);
        copies += g > 0;
        more += g;
    }
    key[k] |= 1;
    key[MORE_COPIES * count + k] = copies ? density_key(more * scale / copies, bytes) : 0;
}

/* ---- one placement ---- */

/* The GPU where a copy of row k saves most, among those with room and without one; ties: most room, then the lower
 * position. -1: none. */
static int choose(const struct search *s, const struct island *x, const struct prices *p, uint64_t k, bool topology,
                  const double *left, const uint64_t *room, double *saved)
{
    uint64_t bytes = bytes_of(s, x->item[k]);
    int best = -1;
    for (int j = 0; j < x->gpus; j++) {
        if (x->held[k] >> j & 1 || room[x->gpu[j]] < bytes) continue;
        double g = gain(x, p, k, topology, left, j);
        bool better = best < 0 || g > *saved * (1 + ALIKE) ||
                      (g >= *saved * (1 - ALIKE) && room[x->gpu[j]] > room[x->gpu[best]]);
        if (!better) continue;
        best = j;
        *saved = g;
    }
    return best;
}

static enum st hold(struct search *s, struct island *x, uint64_t k, int j, bool emit, uint64_t *room, struct err *err)
{
    enum st st = ST_OK;
    int g = x->gpu[j];
    uint64_t n = s->in->graph->n, item = x->item[k];
    struct placement *p = &s->plan->placement;
    x->held[k] |= (pool_set)1 << j;
    room[g] -= bytes_of(s, item);
    if (emit)
        TRY(row_list_add(item < n ? &p->topology[g] : &p->feature[g], (uint32_t)(item < n ? item : item - n), err));
done:
    return st;
}

static uint64_t most_room(const struct island *x, const uint64_t *room)
{
    uint64_t most = 0;
    for (int i = 0; i < x->gpus; i++) most = room[x->gpu[i]] > most ? room[x->gpu[i]] : most;
    return most;
}

/* One entry of the order: a copy, or all further copies that save as much as their mean. */
static enum st take(struct search *s, struct island *x, const struct prices *p, uint64_t k, int entry, bool emit,
                    uint64_t *room, struct err *err)
{
    enum st st = ST_OK;
    double left[GPUS_MAX], saved = 0, least = 0;
    bool topology = is_topology(s, x->item[k]);
    start_left(x, p, k, topology, left);
    for (int j = 0; j < x->gpus; j++)
        if (x->held[k] >> j & 1) pay(x, p, k, topology, left, j);
    if (entry != FIRST_COPY && !x->held[k]) return ST_OK; /* its first copy had no room */
    for (int copy = 0; copy < (entry == MORE_COPIES ? x->gpus : 1); copy++) {
        int j = choose(s, x, p, k, topology, left, room, &saved);
        if (j < 0 || (entry != FIRST_COPY && !(saved > 0)) || saved < least) break;
        TRY(hold(s, x, k, j, emit, room, err));
        pay(x, p, k, topology, left, j);
        least = saved / 2;
        saved = 0;
    }
done:
    return st;
}

static enum st fill_island(struct search *s, struct island *x, bool emit, uint64_t *room, struct err *err)
{
    enum st st = ST_OK;
    uint64_t *key = NULL, entries = ENTRIES * x->count, skipped = 0;
    uint32_t *order = NULL;
    struct prices *p = NULL;
    double top = 0;
    NEW(p, 1, "prices");
    NEW(key, entries, "densities");
    NEW(order, entries, "an order of rows");
    set_prices(s, x, p);
    memset(x->held, 0, x->count * sizeof *x->held);
    for (int i = 0; i < x->gpus; i++) top = fmax(top, fmax(p->host[0][i], p->host[1][i]));
    double scale = top > 0 ? 1 / (top * s->t->line_bytes) : 1;
#pragma omp parallel for num_threads(s->in->threads)
    for (uint64_t k = 0; k < x->count; k++) rank(s, x, p, scale, k, key);
    TRY(s->in->kernels->sort_hottest(s->in->threads, key, entries, order, err));
    for (uint64_t i = 0; i < entries && key[order[i]] && skipped < DENSITY_SKIPPED_MOST; i++) {
        uint64_t k = order[i] % x->count, most = most_room(x, room);
        if (most < DENSITY_SMALLEST_ROW) break;
        skipped = bytes_of(s, x->item[k]) > most ? skipped + 1 : 0;
        if (!skipped) TRY(take(s, x, p, k, (int)(order[i] / x->count), emit, room, err));
    }
done:
    mem_free(p);
    mem_free(key);
    mem_free(order);
    return st;
}

static enum st fill(struct search *s, bool emit, struct err *err)
{
    enum st st = ST_OK;
    uint64_t room[GPUS_MAX];
    memcpy(room, s->plan->budget, sizeof room);
    for (int c = 0; c < s->islands; c++) TRY(fill_island(s, &s->island[c], emit, room, err));
done:
    return st;
}

/* ---- its stage ---- */

/* Where reader i takes row k from: position of a GPU, or -1 for the host. */
static int source_of(const struct search *s, const struct island *x, const int *position, uint64_t k, int i)
{
    const struct placement *p = &s->plan->placement;
    int g = x->gpu[i];
    if (x->held[k] >> i & 1) return g;
    for (int q = 0; q < p->peers[g]; q++)
        if (x->held[k] >> position[p->peer[g][q]] & 1) return p->peer[g][q];
    return -1;
}

static void add_loads(const struct search *s, const struct island *x, uint64_t from, uint64_t to, uint64_t *loads)
{
    int position[GPUS_MAX] = {0}, gpus = s->t->gpus;
    for (int i = 0; i < x->gpus; i++) position[x->gpu[i]] = i;
    for (uint64_t k = from; k < to; k++)
        for (int i = 0; i < x->gpus; i++) {
            double bytes = (double)x->host[k * (uint64_t)x->gpus + (uint64_t)i];
            int source = source_of(s, x, position, k, i);
            if (source >= 0) bytes *= (double)x->ratio[k];
            size_t at = (size_t)(x->gpu[i] * (gpus + 1) + (source < 0 ? gpus : source)) * 2 +
                        is_topology(s, x->item[k]);
            loads[at] += fixed(bytes);
        }
}

/* Seconds of the stage under the marks of holders. */
static enum st evaluate(struct search *s, double *stage, struct err *err)
{
    enum st st = ST_OK;
    int parts = s->in->threads, busiest;
    size_t size = TRANSFER_LOADS(s->t);
    uint64_t *each = NULL;
    NEW(each, size * (size_t)parts, "loads of links");
    memcpy(s->loads, s->rest, size * sizeof *s->loads);
    for (int c = 0; c < s->islands; c++) {
        const struct island *x = &s->island[c];
        memset(each, 0, size * (size_t)parts * sizeof *each);
#pragma omp parallel for num_threads(parts)
        for (int t = 0; t < parts; t++)
            add_loads(s, x, x->count * (uint64_t)t / (uint64_t)parts, x->count * (uint64_t)(t + 1) / (uint64_t)parts,
                      each + (size_t)t * size);
        for (size_t i = 0; i < size * (size_t)parts; i++) s->loads[i % size] += each[i];
    }
    *stage = transfer_seconds(s->t, s->loads, s->seconds, &busiest);
done:
    mem_free(each);
    return st;
}

static enum st attempt(struct search *s, struct err *err)
{
    enum st st;
    double stage = INFINITY;
    TRY(fill(s, false, err));
    TRY(evaluate(s, &stage, err));
    if (stage < s->best) {
        s->best = stage;
        memcpy(s->best_weight, s->weight, (size_t)s->t->resources * sizeof *s->weight);
    }
done:
    return st;
}

/* ---- the search ---- */

/* Longest time of the resources between GPUs, minus that of the others. */
static double longer(const struct search *s)
{
    double inside = 0, host = 0;
    for (int r = 0; r < s->t->resources; r++)
        if (transfer_between(s->t, r)) inside = fmax(inside, s->seconds[r]);
        else host = fmax(host, s->seconds[r]);
    return inside - host;
}

static enum st bisect(struct search *s, struct err *err)
{
    enum st st;
    double low = 0, high = 1;
    transfer_weigh(s->t, 0, s->weight);
    TRY(attempt(s, err));
    if (longer(s) <= 0) return ST_OK;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        transfer_weigh(s->t, middle, s->weight);
        TRY(attempt(s, err));
        if (longer(s) > 0) low = middle;
        else high = middle;
    }
done:
    return st;
}

/* Raises the weights of resources that take long. */
static enum st reweigh(struct search *s, int rounds, struct err *err)
{
    enum st st = ST_OK;
    memcpy(s->weight, s->best_weight, (size_t)s->t->resources * sizeof *s->weight);
    for (int r = 0; r < s->t->resources; r++) s->weight[r] += FAINT / s->t->resources;
    for (int i = 0; i < rounds; i++) {
        double sum = 0, most = 0;
        TRY(attempt(s, err));
        for (int r = 0; r < s->t->resources; r++) most = fmax(most, s->seconds[r]);
        for (int r = 0; r < s->t->resources; r++)
            sum += s->weight[r] *= most > 0 ? pow(fmax(s->seconds[r] / most, FAINT), STEP) : 1;
        for (int r = 0; r < s->t->resources; r++) {
            s->weight[r] /= sum;
            if (i >= rounds / 2) s->mean_weight[r] += s->weight[r] / (rounds - rounds / 2);
        }
    }
done:
    return st;
}

/* Peers: every GPU that can be read. */
static void set_peers(const struct server *server, struct plan *plan)
{
    struct placement *p = &plan->placement;
    for (int g = 0; g < server->gpus; g++) {
        p->peers[g] = 0;
        for (int i = 0; i < server->gpus; i++)
            if (server_reads(server, g, i)) p->peer[g][p->peers[g]++] = i;
    }
    plan_order_peers(plan);
}

static enum st start(struct search *s, struct err *err)
{
    enum st st = ST_OK;
    size_t resources = (size_t)s->t->resources + 1;
    NEW(s->island, s->in->server->gpus, "GPUs that reach each other");
    NEW(s->rest, TRANSFER_LOADS(s->t), "loads of links");
    NEW(s->loads, TRANSFER_LOADS(s->t), "loads of links");
    NEW(s->weight, resources, "weights of links");
    NEW(s->best_weight, resources, "weights of links");
    NEW(s->mean_weight, resources, "weights of links");
    NEW(s->seconds, resources, "loads of links");
    find_islands(s);
    for (int c = 0; c < s->islands; c++) {
        TRY(choose_rows(s, &s->island[c], err));
        TRY(fill_rows(s, &s->island[c], err));
    }
    TRY(set_rest(s, err));
done:
    return st;
}

static void release(struct search *s)
{
    for (int c = 0; s->island && c < s->islands; c++) {
        mem_free(s->island[c].item);
        mem_free(s->island[c].host);
        mem_free(s->island[c].ratio);
        mem_free(s->island[c].held);
    }
    mem_free(s->island);
    mem_free(s->rest);
    mem_free(s->loads);
    mem_free(s->weight);
    mem_free(s->best_weight);
    mem_free(s->mean_weight);
    mem_free(s->seconds);
}

/* Puts the rows of the best weights into the plan, and what their stage takes. */
static enum st finish(struct search *s, struct result *out, struct err *err)
{
    enum st st = ST_OK;
    int busiest;
    memcpy(s->weight, s->best_weight, (size_t)s->t->resources * sizeof *s->weight);
    TRY(fill(s, true, err));
    TRY(transfer_cost(s->t, &s->plan->placement, NULL, &out->after, &busiest, err));
    transfer_name(s->t, busiest, s->plan->assignment.id, out->waits_for);
done:
    return st;
}

static void state(const struct result *r, struct plan *plan)
{
    doc *d = doc_object();
    doc_put(d, "name", doc_text("time"));
    doc_put(d, "transfer_seconds", doc_real(r->after));
    doc_put(d, "transfer_seconds_of_fewest_transactions", doc_real(r->before));
    doc_put(d, "waits_for", doc_text(r->waits_for));
    plan_state(plan, "objective", d);
}

enum st timed_place(const struct policy_input *in, int rounds, struct plan *plan, struct err *err)
{
    enum st st;
    struct items items = {in->graph, in->estimates, in->threads, in->trace};
    struct transfer t = {0};
    struct placement given = plan->placement;
    struct result found = {0};
    struct search s = {.in = in, .plan = plan, .t = &t, .best = INFINITY};
    int busiest;
    plan_order_peers(plan);
    given = plan->placement;
    memset(plan->placement.topology, 0, sizeof plan->placement.topology);
    memset(plan->placement.feature, 0, sizeof plan->placement.feature);
    set_peers(in->server, plan);
    TRY(transfer_make(in->server, &plan->placement, &items, &t, err));
    TRY(transfer_cost(&t, &given, NULL, &found.before, &busiest, err));
    TRY(start(&s, err));
    TRY(bisect(&s, err));
    if (rounds > BISECTIONS) TRY(reweigh(&s, rounds - BISECTIONS, err));
    TRY(finish(&s, &found, err));
    found.kept = found.after > found.before * (1 - WORTH_A_CHANGE);
    if (found.kept) {
        found.after = found.before;
        transfer_name(&t, busiest, plan->assignment.id, found.waits_for);
        placement_release(&plan->placement);
        plan->placement = given;
    } else {
        placement_release(&given);
    }
    memset(&given, 0, sizeof given);
    density_set_alpha(in, plan);
    state(&found, plan);
done:
    if (st != ST_OK) placement_release(&given);
    release(&s);
    transfer_release(&t);
    return st;
}

enum st timed_weights(const struct policy_input *in, const struct transfer *t, int rounds, struct plan *plan,
                      double *weight, struct err *err)
{
    enum st st;
    struct search s = {.in = in, .plan = plan, .t = t, .best = INFINITY};
    TRY(start(&s, err));
    TRY(bisect(&s, err));
    TRY(reweigh(&s, rounds, err));
    memcpy(weight, s.best_weight, (size_t)t->resources * sizeof *weight);
    memcpy(weight + t->resources, s.mean_weight, (size_t)t->resources * sizeof *weight);
done:
    release(&s);
    return st;
}
