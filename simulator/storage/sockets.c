#include "simulator/storage/sockets.h"

#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"

struct reader {
    const struct replay_request *r;
    const struct placement *p;
    int gpu, socket;
    struct sample_counts counts; /* arrays of [n] */
    uint8_t *topology, *feature; /* [n] of placement_locate: 0 for the host */
};

static void reader_release(struct reader *x)
{
    mem_free(x->counts.feature);
    mem_free(x->counts.draws);
    mem_free(x->counts.lines);
    for (int h = 0; h < HOPS_MAX; h++) mem_free(x->counts.visits[h]);
    mem_free(x->topology);
    mem_free(x->feature);
}

static enum st reader_make(struct reader *x, struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = x->r->graph->n;
    NEW(x->counts.feature, n, "the counts of a reader");
    NEW(x->counts.draws, n, "the counts of a reader");
    NEW(x->counts.lines, n, "the counts of a reader");
    for (int h = 0; h < x->r->workload->hops; h++) NEW(x->counts.visits[h], n, "the counts of a reader");
    NEW(x->topology, n, "the places of rows");
    NEW(x->feature, n, "the places of rows");
done:
    return st;
}

/* Draws the mini-batches of a GPU, and finds what it reads from the host. */
static enum st reader_draw(struct reader *x, struct sampler *s, int gpu, int socket, struct err *err)
{
    enum st st;
    const struct assignment *a = x->r->assignment;
    uint64_t n = x->r->graph->n;
    x->gpu = gpu;
    x->socket = socket;
    memset(x->counts.feature, 0, n * sizeof *x->counts.feature);
    memset(x->counts.lines, 0, n * sizeof *x->counts.lines);
    TRY(sampler_gpu(s, a->id[gpu], assignment_seeds(a, gpu), a->train_count[gpu], x->r->epochs, err));
    TRY(sampler_fits(s, sampler_batches(s) * x->r->epochs, err));
    sampler_run(s, 0, sampler_batches(s) * x->r->epochs, &x->counts);
    TRY(sampler_collect(s, &x->counts, err));
    placement_locate(x->p, gpu, x->p->feature, n, x->feature);
    if (x->p->access == ACCESS_CPU) memset(x->topology, 0, n); /* the CPU samples from the host */
    if (x->p->access == ACCESS_GPU) placement_locate(x->p, gpu, x->p->topology, n, x->topology);
    if (x->p->access == ACCESS_SAMPLERS) memset(x->topology, 1, n);
done:
    return st;
}

/* The socket that serves: the reader's own, else the lowest. */
static int server_of(uint8_t held, int socket) { return held >> socket & 1 ? socket : __builtin_ctz(held); }

static void count(const struct reader *x, const struct socket_layout *l, struct socket_counts *out)
{
    const struct graph *g = x->r->graph;
    uint64_t line = x->r->line_bytes;
    for (uint64_t v = 0; v < g->n; v++) {
        if (!x->topology[v])
            out->topology[x->socket][server_of(l->topology[v], x->socket)] += line * x->counts.lines[v];
        if (!x->feature[v])
            out->feature[x->socket][server_of(l->feature[v], x->socket)] += line * x->counts.feature[v] *
                                                                            cachelines_of_feature(v, g->row_bytes,
                                                                                                  line);
    }
}

enum st sockets_replay(const struct replay_request *r, const struct placement *p, const int *socket_of,
                       const struct socket_layout *layout, int layouts, struct socket_counts *out, struct err *err)
{
    enum st st;
    struct workload w = *r->workload;
    struct sampler *s = NULL;
    struct reader x = {.r = r, .p = p};
    w.seed = r->seed;
    TRY(reader_make(&x, err));
    TRY(sampler_new(r->graph, &w, r->line_bytes, r->threads, &s, err));
    for (int g = 0; g < r->assignment->gpus; g++) {
        TRY(reader_draw(&x, s, g, socket_of[g], err));
        for (int k = 0; k < layouts; k++) count(&x, &layout[k], &out[k]);
    }
done:
    reader_release(&x);
    sampler_free(s);
    return st;
}

uint64_t sockets_crossing(const struct socket_counts *c)
{
    uint64_t sum = sockets_read(c);
    for (int s = 0; s < SOCKETS_MAX; s++) sum -= c->topology[s][s] + c->feature[s][s];
    return sum;
}

uint64_t sockets_read(const struct socket_counts *c)
{
    uint64_t sum = 0;
    for (int s = 0; s < SOCKETS_MAX; s++)
        for (int t = 0; t < SOCKETS_MAX; t++) sum += c->topology[s][t] + c->feature[s][t];
    return sum;
}
