#include "planner/inference/inference_keep.h"

#include <string.h>

#include "base/mem.h"

enum { SPLITS = 64 };

struct keep {
    const struct inference_question *q;
    const uint32_t *const *reads;
    struct inference_outcome *o;
    uint64_t n;
    uint64_t *bytes_at[INFERENCE_LAYERS_MAX]; /* [most + 1] bytes of the rows that so many chunks of the clique read */
    uint32_t most;                            /* the length of each bytes_at less 1 */
    uint64_t topology_at[GPUS_MAX][INFERENCE_LAYERS_MAX + 1]; /* bytes of a GPU's vertices by their last layer */
};

enum st inference_by_count(const uint32_t *count, uint64_t n, uint32_t least, uint32_t **out, uint64_t *found,
                           struct err *err)
{
    uint64_t total = 0;
    uint32_t most = 0;
    for (uint64_t v = 0; v < n; v++) most = count[v] > most ? count[v] : most;
    OWNED_NEW(uint64_t, next, (uint64_t)most + 2, "counts of rows");
    for (uint64_t v = 0; v < n; v++)
        if (count[v] >= least) next[most - count[v] + 1]++, total++;
    for (uint32_t c = 0; c <= most; c++) next[c + 1] += next[c];
    MAKE(*out, total, "rows by reads");
    for (uint64_t v = 0; v < n; v++)
        if (count[v] >= least) (*out)[next[most - count[v]]++] = (uint32_t)v;
    *found = total;
    return ST_OK;
}

/* Chunks of the clique that read each row in a layer. */
static void sum_clique(const struct keep *k, int layer, int clique, uint32_t *out)
{
    const struct server *s = k->q->server;
    memset(out, 0, k->n * sizeof *out);
    for (int i = 0; i < s->clique_size[clique]; i++) {
        const uint32_t *of = k->reads[layer] + (uint64_t)s->clique[clique][i] * k->n;
        for (uint64_t v = 0; v < k->n; v++) out[v] += of[v];
    }
}

/* ---- the split between topology and rows ---- */

/* Bytes over PCIe that `room` bytes of rows save in all layers. */
static double rows_save(const struct keep *k, double room)
{
    double saved = 0;
    for (int l = 0; l < k->q->job.layers; l++) {
        double left = room;
        for (uint32_t c = k->most; c > 1 && left > 0; c--) {
            double take = (double)k->bytes_at[l][c] < left ? (double)k->bytes_at[l][c] : left;
            saved += take * (c - 1);
            left -= take;
        }
    }
    return saved;
}

/* The same of `room` bytes of GPU g's topology; *used: what it takes. */
static double topology_saves(const struct keep *k, int g, double room, double *used)
{
    double saved = 0;
    *used = 0;
    for (int top = k->q->job.layers; top > 1 && room > *used; top--) {
        double have = (double)k->topology_at[g][top], take = have < room - *used ? have : room - *used;
        saved += take * (top - 1);
        *used += take;
    }
    return saved;
}

/* The share of each GPU's memory, in 1 / SPLITS, that topology gets at most. */
static int split(const struct keep *k, int clique)
{
    const struct server *s = k->q->server;
    double best = -1;
    int at = 0;
    for (int i = 0; i <= SPLITS; i++) {
        double saved = 0, room = 0, used;
        for (int m = 0; m < s->clique_size[clique]; m++) {
            int g = s->clique[clique][m];
            saved += topology_saves(k, g, (double)k->o->gpu_room[g] * i / SPLITS, &used);
            room += (double)k->o->gpu_room[g] - used;
        }
        saved += rows_save(k, room);
        if (saved > best) best = saved, at = i;
    }
    return at;
}

static enum st inference_keep_measure(struct keep *k, int clique, uint32_t *sum, struct err *err)
{
    const struct inference *j = &k->q->job;
    k->most = 0;
    for (int l = 0; l < j->layers; l++) {
        sum_clique(k, l, clique, sum);
        for (uint64_t v = 0; v < k->n; v++) k->most = sum[v] > k->most ? sum[v] : k->most;
    }
    for (int l = 0; l < j->layers; l++) {
        mem_free(k->bytes_at[l]);
        k->bytes_at[l] = NULL;
        MAKE(k->bytes_at[l], (uint64_t)k->most + 1, "counts of rows");
        sum_clique(k, l, clique, sum);
        for (uint64_t v = 0; v < k->n; v++) k->bytes_at[l][sum[v]] += inference_row_bytes(j, l, v);
    }
    return ST_OK;
}

/* ---- the lists ---- */

/* Marks topology rows of GPU g within `room` bytes, those first that most layers read. Returns the bytes. */
static uint64_t keep_topology(struct keep *k, int g, uint64_t room)
{
    const struct inference *j = &k->q->job;
    const struct inference_chunks *c = &k->o->chunks;
    uint64_t used = 0;
    for (int top = j->layers; top > 1; top--)
        for (uint64_t i = c->begin[g]; i < c->begin[g + 1]; i++) {
            uint32_t v = c->order[i];
            if (j->top[v] != top) continue;
            uint64_t own = inference_topology_bytes(j->graph, v);
            if (used + own > room) continue;
            k->o->topology[v] = 1;
            used += own;
        }
    return used;
}

/* The GPU of the clique that reads row v most and has room, or -1. */
static int holder(const struct keep *k, int layer, int clique, uint64_t v, uint64_t bytes, const uint64_t *room)
{
    const struct server *s = k->q->server;
    int best = -1;
    uint32_t most = 0;
    for (int i = 0; i < s->clique_size[clique]; i++) {
        int g = s->clique[clique][i];
        uint32_t reads = k->reads[layer][(uint64_t)g * k->n + v];
        if (room[g] < bytes || (best >= 0 && reads <= most)) continue;
        best = g;
        most = reads;
    }
    return best;
}

static enum st keep_rows(struct keep *k, int layer, int clique, uint32_t *sum, uint64_t *room, struct err *err)
{
    OWNED uint32_t *by = NULL;
    uint64_t count, refused = 0;
    uint8_t *owner = k->o->owner[layer] + (uint64_t)clique * k->n;
    sum_clique(k, layer, clique, sum);
    PASS(inference_by_count(sum, k->n, 2, &by, &count, err));
    for (uint64_t i = 0; i < count && refused < k->n; i++) {
        uint64_t bytes = inference_row_bytes(&k->q->job, layer, by[i]);
        int g = bytes ? holder(k, layer, clique, by[i], bytes, room) : -1;
        if (g < 0) {
            if (!k->q->job.type || layer) break; /* rows of one size: no other fits either */
            refused++;
            continue;
        }
        owner[by[i]] = (uint8_t)g;
        room[g] -= bytes;
        k->o->kept[layer][g]++;
    }
    return ST_OK;
}

/* The first layer with the same lists: the same input rows in the same chunks, of the same size. */
static int twin(const struct keep *k, int layer)
{
    const struct inference *j = &k->q->job;
    for (int l = 0; l < layer; l++)
        if (k->reads[l] == k->reads[layer] && l && inference_row_bytes(j, l, 0) == inference_row_bytes(j, layer, 0))
            return l;
    return layer;
}

static enum st keep_layer(struct keep *k, int layer, const uint64_t *room, uint32_t *sum, struct err *err)
{
    uint64_t left[GPUS_MAX], used = 0;
    int same = k->o->same_as[layer] = twin(k, layer);
    if (same < layer) {
        memcpy(k->o->kept[layer], k->o->kept[same], sizeof k->o->kept[0]);
        return ST_OK;
    }
    memcpy(left, room, sizeof left);
    MAKE(k->o->owner[layer], (uint64_t)k->q->server->cliques * k->n, "holders of rows");
    memset(k->o->owner[layer], INFERENCE_NOBODY, (uint64_t)k->q->server->cliques * k->n);
    for (int c = 0; c < k->q->server->cliques; c++) PASS(keep_rows(k, layer, c, sum, left, err));
    for (int g = 0; g < k->q->server->gpus; g++) {
        uint64_t held = k->o->gpu_room[g] - left[g];
        used += room[g] - left[g];
        if (held > k->o->gpu_held[g]) k->o->gpu_held[g] = held;
    }
    if (used > k->o->kept_rows_most) k->o->kept_rows_most = used;
    return ST_OK;
}

enum st inference_keep(const struct inference_question *q, const uint32_t *const *reads, struct inference_outcome *o,
                       struct err *err)
{
    enum st st = ST_OK;
    struct keep k = {.q = q, .reads = reads, .o = o, .n = q->graph->n};
    uint64_t room[GPUS_MAX];
    OWNED uint32_t *sum = NULL;
    memcpy(room, o->gpu_room, sizeof room);
    for (int l = 0; l < q->job.layers; l++) o->same_as[l] = l;
    NEW(sum, k.n, "reads of rows");
    NEW(o->topology, k.n, "topology rows that are kept");
    for (int g = 0; g < o->chunks.gpus; g++)
        for (uint64_t i = o->chunks.begin[g]; i < o->chunks.begin[g + 1]; i++) {
            uint8_t top = q->job.top[o->order[i]];
            if (top != INFERENCE_NEVER) k.topology_at[g][top] += inference_topology_bytes(q->graph, o->order[i]);
        }
    for (int c = 0; c < q->server->cliques; c++) {
        TRY(inference_keep_measure(&k, c, sum, err));
        int at = split(&k, c);
        for (int i = 0; i < q->server->clique_size[c]; i++) {
            int g = q->server->clique[c][i];
            uint64_t used = keep_topology(&k, g, (uint64_t)((double)o->gpu_room[g] * at / SPLITS));
            room[g] -= used;
            o->kept_topology += used;
        }
    }
    for (int l = 0; l < q->job.layers; l++) TRY(keep_layer(&k, l, room, sum, err));
done:
    for (int l = 0; l < INFERENCE_LAYERS_MAX; l++) mem_free(k.bytes_at[l]);
    return st;
}
