#include "simulator/inference/count.h"

#include <omp.h>
#include <string.h>

#include "base/mem.h"
#include "traces/sampling/sampler.h"

/* One thread. */
struct worker {
    uint32_t *stamp, *ids; /* [n] chunk + 1 that saw the row last; distinct rows of a chunk */
    uint32_t *block;       /* [blocks] likewise; NULL: nothing lies on SSDs */
    uint32_t *counts;      /* [1 + hops][n] of the sampler; NULL: layer by layer */
    struct inference_gpu gpu[GPUS_MAX];
};

struct pass {
    const struct inference *j;
    const struct inference_setting *s;
    const struct inference_held *held;
    const struct graph *links;
    int layer;
    uint64_t n, out_bytes;
    struct inference_cut cut;
    uint64_t base[GRAPH_TYPES_MAX]; /* of several types: where the features of a type begin on the SSDs, bytes */
    uint64_t blocks;                /* of the input level, if it lies there; else 0 */
    uint32_t *reads;
    struct worker *worker; /* [threads] */
};

static const struct inference_held nothing;

/* A level is a file; of several types the features of each are one, which begins at a block. */
static void lay_out(struct pass *p)
{
    uint64_t block = p->held->block_bytes, at = 0;
    const struct graph *g = p->j->graph;
    if (!p->held->input_on_ssd) return;
    if (!p->j->type || p->layer > 1) at = p->n * inference_row_bytes(p->j, p->layer - 1, 0);
    for (int t = 0; p->j->type && p->layer == 1 && t < g->types; t++) {
        p->base[t] = at;
        at = (at + g->type[t].count * g->type[t].features.row_bytes + block - 1) / block * block;
    }
    p->blocks = at / block + 2;
}

static uint64_t place_of(const struct pass *p, uint64_t v, uint64_t row)
{
    if (p->held->place) return p->held->place[v] * row;
    if (!p->j->type || p->layer > 1) return v * row;
    int t = p->j->type[v];
    return p->base[t] + (v - p->j->graph->type[t].first) * row;
}

/* Blocks that a row touches and the chunk has not read. */
static uint64_t new_blocks(const struct pass *p, struct worker *w, uint64_t v, uint64_t row, uint32_t stamp)
{
    const struct inference_held *h = p->held;
    uint64_t at = place_of(p, v, row), added = 0;
    for (uint64_t b = at / h->block_bytes; b <= (at + row - 1) / h->block_bytes; b++) {
        added += w->block[b] != stamp;
        w->block[b] = stamp;
    }
    return added;
}

/* One GPU reads one input row in a chunk, or to fill its cache. */
static void from_below(const struct pass *p, struct worker *w, struct inference_gpu *gpu, uint64_t v, uint64_t row,
                       uint32_t stamp)
{
    const struct inference_held *h = p->held;
    if (!h->input_on_ssd || (h->dram && h->dram[v])) {
        gpu->host_rows++;
        gpu->host_bytes += row;
        return;
    }
    gpu->ssd_rows++;
    gpu->ssd_bytes += row;
    if (row) gpu->ssd_blocks += new_blocks(p, w, v, row, stamp);
}

/* The distinct input rows ids[count] of one chunk of GPU g. */
static void read_rows(const struct pass *p, struct worker *w, int g, const uint32_t *ids, uint64_t count,
                      uint32_t stamp, uint64_t other_bytes)
{
    struct inference_gpu *gpu = &w->gpu[g];
    const uint8_t *owner = p->held->owner[p->s->clique_of[g]];
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t v = ids[i], row = inference_row_bytes(p->j, p->layer - 1, v);
        int at = owner ? owner[v] : INFERENCE_NOBODY;
        bytes += row;
        if (p->reads) {
#pragma omp atomic
            p->reads[(uint64_t)g * p->n + v]++;
        }
        if (at == INFERENCE_NOBODY) from_below(p, w, gpu, v, row, stamp);
        else if (at == g) gpu->own_rows++, gpu->own_bytes += row;
        else gpu->peer_rows++, gpu->peer_bytes[at] += row;
    }
    gpu->chunks++;
    gpu->rows += count;
    gpu->bytes += bytes;
    if (bytes + other_bytes > gpu->most_bytes) gpu->most_bytes = bytes + other_bytes;
    if (count > gpu->most_rows) gpu->most_rows = count;
}

static int gpu_of_chunk(const struct inference_cut *c, uint64_t chunk)
{
    int g = 0;
    while (chunk >= c->chunk_of[g + 1]) g++;
    return g;
}

/* ---- layer by layer ---- */

static void see(struct worker *w, uint32_t v, uint32_t stamp, uint64_t *count)
{
    if (w->stamp[v] == stamp) return;
    w->stamp[v] = stamp;
    w->ids[(*count)++] = v;
}

static void count_chunk(const struct pass *p, struct worker *w, uint64_t chunk)
{
    const struct graph *c = p->links;
    int g = gpu_of_chunk(&p->cut, chunk);
    struct inference_gpu *gpu = &w->gpu[g];
    uint32_t stamp = (uint32_t)chunk + 1;
    uint64_t count = 0, topology = 0, written = (p->cut.from[chunk + 1] - p->cut.from[chunk]) * p->out_bytes;
    for (uint64_t i = p->cut.from[chunk]; i < p->cut.from[chunk + 1]; i++) {
        uint32_t v = p->cut.list[i];
        uint64_t own = inference_topology_bytes(p->j->graph, v);
        bool kept = p->layer > 1 && p->held->topology && p->held->topology[v];
        see(w, v, stamp, &count);
        for (int64_t e = c->indptr[v]; e < c->indptr[v + 1]; e++) see(w, c->indices[e], stamp, &count);
        gpu->arcs += inference_arcs(p->j->graph, v);
        *(kept ? &gpu->topology_own : &gpu->topology_host) += own;
        topology += own;
    }
    gpu->vertices += p->cut.from[chunk + 1] - p->cut.from[chunk];
    gpu->written += written;
    written += (p->cut.from[chunk + 1] - p->cut.from[chunk]) * inference_largest_row(p->j, p->layer - 1);
    read_rows(p, w, g, w->ids, count, stamp, topology + written);
}

static void count_chunks(struct pass *p)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(p->s->threads)
    for (uint64_t chunk = 0; chunk < p->cut.chunks; chunk++) count_chunk(p, &p->worker[omp_get_thread_num()], chunk);
}

/* ---- sampled ---- */

static void sample_batch(struct pass *p, struct sampler *s, int g, uint64_t batch, uint32_t stamp)
{
    int t = omp_get_thread_num();
    struct worker *w = &p->worker[t];
    const struct workload *how = p->j->workload;
    struct sample_counts counts = {.feature = w->counts};
    const uint32_t *ids;
    uint64_t of = p->cut.list_of[g + 1] - p->cut.list_of[g], seeds = of - batch * how->batch;
    for (int h = 0; h < how->hops; h++) counts.visits[h] = w->counts + (uint64_t)(h + 1) * p->n;
    uint64_t count = sampler_batch(s, t, batch, &counts, &ids);
    if (seeds > how->batch) seeds = how->batch;
    struct inference_gpu *gpu = &w->gpu[g];
    gpu->vertices += seeds;
    gpu->written += seeds * p->out_bytes;
    gpu->topology_host += counts.total_lines * p->s->line_bytes;
    read_rows(p, w, g, ids, count, stamp, counts.total_lines * p->s->line_bytes + seeds * p->out_bytes);
}

static void add_visits(struct pass *p, int g)
{
    for (int t = 0; t < p->s->threads; t++) {
        uint32_t *visits = p->worker[t].counts + p->n;
        for (uint64_t i = 0; i < (uint64_t)p->j->workload->hops * p->n; i++) p->worker[t].gpu[g].arcs += visits[i];
        memset(visits, 0, (uint64_t)p->j->workload->hops * p->n * sizeof *visits);
    }
}

static enum st count_samples(struct pass *p, struct err *err)
{
    enum st st;
    struct sampler *s = NULL;
    uint32_t before = 0;
    TRY(sampler_new(p->j->graph, p->j->workload, p->s->line_bytes, p->s->threads, &s, err));
    for (int g = 0; g < p->s->chunks->gpus; g++) {
        uint64_t from = p->cut.list_of[g], count = p->cut.list_of[g + 1] - from;
        if (!count) continue;
        TRY(sampler_gpu(s, p->s->id[g], p->cut.list + from, count, 1, err));
        uint64_t batches = sampler_batches(s);
        TRY(sampler_fits(s, batches, err));
#pragma omp parallel for schedule(dynamic, 1) num_threads(p->s->threads)
        for (uint64_t b = 0; b < batches; b++) sample_batch(p, s, g, b, before + (uint32_t)b + 1);
        before += (uint32_t)batches;
        add_visits(p, g);
    }
done:
    sampler_free(s);
    return st;
}

/* ---- both ---- */

/* Every holder reads its rows once, in the order in which they lie. */
static void count_fill(struct pass *p)
{
    struct worker *w = p->worker;
    for (int g = 0; g < p->s->chunks->gpus; g++) {
        const uint8_t *owner = p->held->owner[p->s->clique_of[g]];
        struct inference_gpu *gpu = &w->gpu[g], before = *gpu;
        for (uint64_t v = 0; owner && v < p->n; v++) {
            if (owner[v] != g) continue;
            uint64_t row = inference_row_bytes(p->j, p->layer - 1, v);
            from_below(p, w, gpu, v, row, UINT32_MAX - (uint32_t)g);
            gpu->fill_rows++;
            gpu->fill_bytes += row;
        }
        gpu->fill_ssd_bytes += gpu->ssd_bytes - before.ssd_bytes;
    }
}

static void count_add(struct inference_gpu *to, const struct inference_gpu *gpu)
{
    uint64_t bytes = to->most_bytes > gpu->most_bytes ? to->most_bytes : gpu->most_bytes,
             rows = to->most_rows > gpu->most_rows ? to->most_rows : gpu->most_rows, *sum = (uint64_t *)to;
    for (size_t i = 0; i < sizeof *to / sizeof *sum; i++) sum[i] += ((const uint64_t *)gpu)[i];
    to->most_bytes = bytes;
    to->most_rows = rows;
}

static enum st make_workers(struct pass *p, struct err *err)
{
    enum st st = ST_OK;
    lay_out(p);
    NEW(p->worker, p->s->threads, "counting threads");
    for (int t = 0; t < p->s->threads; t++) {
        struct worker *w = &p->worker[t];
        if (!p->j->workload) NEW_NEAR(w->stamp, p->n, "marks of rows");
        if (!p->j->workload) NEW_NEAR(w->ids, p->n, "rows of a chunk");
        if (p->blocks) NEW_NEAR(w->block, p->blocks, "marks of blocks");
        if (p->j->workload) NEW_NEAR(w->counts, (uint64_t)(p->j->workload->hops + 1) * p->n, "counts of draws");
    }
done:
    return st;
}

static void free_workers(struct pass *p)
{
    for (int t = 0; p->worker && t < p->s->threads; t++) {
        mem_free(p->worker[t].stamp);
        mem_free(p->worker[t].ids);
        mem_free(p->worker[t].block);
        mem_free(p->worker[t].counts);
    }
    mem_free(p->worker);
}

enum st inference_count(const struct inference *j, const struct inference_setting *s, int layer,
                        const struct inference_held *held, bool reads, struct inference_layer *out, struct err *err)
{
    enum st st;
    int gpus = s->chunks->gpus;
    struct pass p = {.j = j, .s = s, .held = held ? held : &nothing, .layer = layer, .n = j->graph->n};
    p.links = graph_connections(j->graph);
    p.out_bytes = inference_row_bytes(j, layer, 0);
    TRY(inference_cut(j, s->chunks, layer, &p.cut, err));
    if (p.cut.chunks >= UINT32_MAX - GPUS_MAX) FAIL(ST_LIMIT, "--chunk: makes more than 2^32 chunks; take larger ones");
    if (reads) NEW(p.reads, (uint64_t)gpus * p.n, "reads of rows");
    TRY(make_workers(&p, err));
    if (j->workload) TRY(count_samples(&p, err));
    else count_chunks(&p);
    count_fill(&p);
    out->gpus = gpus;
    for (int t = 0; t < s->threads; t++)
        for (int g = 0; g < gpus; g++) count_add(&out->gpu[g], &p.worker[t].gpu[g]);
    out->reads = TAKE(p.reads);
done:
    free_workers(&p);
    mem_free(p.reads);
    inference_cut_release(&p.cut);
    return st;
}

void inference_layer_release(struct inference_layer *l)
{
    mem_free(l->reads);
    l->reads = NULL;
}

struct inference_gpu inference_layer_total(const struct inference_layer *l)
{
    struct inference_gpu sum = {0};
    for (int g = 0; g < l->gpus; g++) count_add(&sum, &l->gpu[g]);
    for (int g = 1; g < GPUS_MAX; g++) sum.peer_bytes[0] += sum.peer_bytes[g];
    return sum;
}
