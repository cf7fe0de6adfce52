/* execute_cpu.c - the engine for machines without a GPU: caches are arrays in host memory, which the CPU fills and
 * gathers from (declared in execute.h).
 *
 * Every copy is made, and every time is that of this CPU. Nothing crosses PCIe, so transactions cannot be measured. The
 * sampler reads the graph: the topology rows of the reader's cache are copied and timed, but no neighbour is drawn from
 * them.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "simulator/execute/execute.h"
#include "traces/sampling/sampler.h"

struct cpu {
    const struct execute_setup *setup;
    const struct execute_reader *reader;
    struct execute_drawer *drawer;
    const uint8_t *base[GPUS_MAX + 1]; /* rows of each source */
    uint8_t *made;                     /* generated host rows; NULL: rows of a file */
    uint8_t *rows[GPUS_MAX];           /* feature rows that a GPU's cache holds; owned */
    uint32_t *neighbours;              /* topology rows of the reader's cache, each followed by its weights, if any */
    uint64_t *offsets;
    uint32_t *order;           /* indexes of a mini-batch's rows, sorted by tier */
    uint8_t *out;              /* gathered rows */
    uint64_t room;             /* rows that fit order and out */
    uint64_t (*counts)[TIERS]; /* [threads] rows by tier */
};

static const char *missing(void) { return NULL; }

static void memory(const struct execute_setup *s, int gpu, struct execute_memory *out)
{
    const struct placement *p = &s->plan->placement;
    uint64_t n = s->graph->n, rows = p->feature[gpu].count;
    for (int i = 0; i < p->peers[gpu]; i++) rows += p->feature[p->peer[gpu][i]].count;
    out->features = s->rows.file ? 0 : s->rows.window * s->rows.row_bytes;
    out->host = 6 * n + execute_drawer_bytes(s, gpu) + rows * s->rows.row_bytes +
                plan_topology_bytes(s->plan, gpu, s->graph) +
                sampler_largest(s->graph, s->workload) * (4 + s->rows.row_bytes);
    out->device = 0;
}

static void empty(struct cpu *c)
{
    for (int g = 0; g < GPUS_MAX; g++) {
        mem_free(c->rows[g]);
        c->rows[g] = NULL;
    }
    mem_free(c->neighbours);
    mem_free(c->offsets);
    c->neighbours = NULL;
    c->offsets = NULL;
}

static void close(void *state)
{
    struct cpu *c = state;
    if (!c) return;
    empty(c);
    execute_drawer_free(c->drawer);
    mem_free(c->made);
    mem_free(c->order);
    mem_free(c->out);
    mem_free(c->counts);
    mem_free(c);
}

static enum st open(const struct execute_setup *s, void **state, struct execute_machine *machine, struct err *err)
{
    enum st st = ST_OK;
    struct cpu *c = NULL;
    NEW(c, 1, "the engine");
    c->setup = s;
    NEW(c->counts, s->threads, "the lookup table of a mini-batch");
    TRY(execute_drawer_new(s, &c->drawer, err));
    c->base[0] = s->rows.file;
    if (!s->rows.file) {
        NEW(c->made, s->rows.window * s->rows.row_bytes,
            "the feature rows of the host (--feature-memory SIZE holds fewer)");
        execute_rows_make(&s->rows, 0, s->rows.window, c->made, s->threads);
        c->base[0] = c->made;
    }
    *machine = (struct execute_machine){.kind = "cpu",
                                        .pcie = false,
                                        .sampling = "host",
                                        .peers = "stand-in",
                                        .overlap = "none"};
    snprintf(machine->device, sizeof machine->device, "the CPU, %d threads", s->threads);
    *state = c;
    c = NULL;
done:
    close(c);
    return st;
}

/* ---- caches ---- */

static void copy_rows(const struct cpu *c, const struct row_list *l, uint8_t *to)
{
    uint64_t bytes = c->setup->rows.row_bytes, window = c->setup->rows.window;
#pragma omp parallel for schedule(static) num_threads(c->setup->threads)
    for (uint64_t i = 0; i < l->count; i++) memcpy(to + i * bytes, c->base[0] + l->id[i] % window * bytes, bytes);
}

static void copy_topology(const struct cpu *c, const struct row_list *l)
{
    const struct graph *g = c->setup->graph;
    uint64_t each = g->weight_bytes ? 2 : 1;
#pragma omp parallel for schedule(dynamic, 256) num_threads(c->setup->threads)
    for (uint64_t i = 0; i < l->count; i++) {
        uint64_t degree = graph_degree(g, l->id[i]);
        uint32_t *to = c->neighbours + each * c->offsets[i];
        memcpy(to, g->indices + g->indptr[l->id[i]], 4 * degree);
        if (each == 2) memcpy(to + degree, g->weights + g->indptr[l->id[i]], 4 * degree);
    }
}

/* Fills the reader's own cache, timed. */
static enum st fill_own(struct cpu *c, struct execute_fill *out, struct err *err)
{
    enum st st = ST_OK;
    const struct placement *p = &c->setup->plan->placement;
    const struct graph *g = c->setup->graph;
    int own = c->reader->gpu;
    const struct row_list *topology = &p->topology[own];
    NEW(c->offsets, topology->count + 1, "the topology cache");
    for (uint64_t i = 0; i < topology->count; i++) c->offsets[i + 1] = c->offsets[i] + graph_degree(g, topology->id[i]);
    NEW(c->neighbours, c->offsets[topology->count] * (g->weight_bytes ? 2 : 1), "the topology cache");
    NEW(c->rows[own], p->feature[own].count * c->setup->rows.row_bytes, "the feature cache");
    double began = clock_seconds();
    copy_topology(c, topology);
    out->topology_seconds = clock_seconds() - began;
    began = clock_seconds();
    copy_rows(c, &p->feature[own], c->rows[own]);
    out->feature_seconds = clock_seconds() - began;
    out->topology_bytes = plan_topology_bytes(c->setup->plan, own, g);
    out->feature_bytes = plan_feature_bytes(c->setup->plan, own, g);
done:
    return st;
}

static enum st fill(void *state, const struct execute_reader *r, struct execute_fill *out, struct err *err)
{
    enum st st;
    struct cpu *c = state;
    const struct placement *p = &c->setup->plan->placement;
    empty(c);
    c->reader = r;
    TRY(execute_drawer_turn(c->drawer, r, err));
    TRY(fill_own(c, out, err));
    for (int i = 0; i < p->peers[r->gpu]; i++) {
        int peer = p->peer[r->gpu][i];
        NEW(c->rows[peer], p->feature[peer].count * c->setup->rows.row_bytes, "the feature cache of a peer");
        copy_rows(c, &p->feature[peer], c->rows[peer]);
    }
    for (int g = 0; g < p->gpus; g++) c->base[1 + g] = c->rows[g];
done:
    return st;
}

/* ---- one mini-batch ---- */

/* Makes the buffers large enough for `count` rows, and touches them, so that no timed stage meets a new page. */
static enum st make_room(struct cpu *c, uint64_t count, struct err *err)
{
    enum st st = ST_OK;
    if (count <= c->room) return ST_OK;
    uint64_t rows = count + count / 4;
    mem_free(c->order);
    mem_free(c->out);
    c->order = NULL;
    c->out = NULL;
    c->room = 0;
    NEW(c->order, rows, "the rows of a mini-batch");
    NEW(c->out, rows * c->setup->rows.row_bytes, "the rows of a mini-batch");
    memset(c->order, 0, rows * sizeof *c->order);
    memset(c->out, 0, rows * c->setup->rows.row_bytes);
    c->room = rows;
done:
    return st;
}

/* Threads for so many rows: for a few rows a barrier costs more than it saves. */
static int threads_for(const struct cpu *c, uint64_t rows)
{
    enum { EACH = 2048 };
    uint64_t worth = rows / EACH + 1;
    return worth < (uint64_t)c->setup->threads ? (int)worth : c->setup->threads;
}

/* Sorts indexes 0..count-1 by the tier that serves their vertex: order[from[t]..from[t + 1]) are those of tier t, in
 * ascending order. */
static void look_up(struct cpu *c, const uint32_t *ids, uint64_t count, uint64_t from[TIERS + 1])
{
    const struct execute_reader *r = c->reader;
    int threads = threads_for(c, count);
#pragma omp parallel num_threads(threads)
    {
        int t = omp_get_thread_num(), of = omp_get_num_threads();
        uint64_t first = count * (uint64_t)t / (uint64_t)of, last = count * (uint64_t)(t + 1) / (uint64_t)of,
                 mine[TIERS] = {0};
        for (uint64_t i = first; i < last; i++) mine[execute_tier_of(r, r->at_feature[ids[i]])]++;
        memcpy(c->counts[t], mine, sizeof mine);
#pragma omp barrier
#pragma omp single
        for (uint64_t k = 0, sum = 0; k < TIERS; k++) {
            from[k] = sum;
            for (int o = 0; o < of; o++) {
                uint64_t here = c->counts[o][k];
                c->counts[o][k] = sum;
                sum += here;
            }
            from[k + 1] = sum;
        }
        memcpy(mine, c->counts[t], sizeof mine);
        for (uint64_t i = first; i < last; i++)
            c->order[mine[execute_tier_of(r, r->at_feature[ids[i]])]++] = (uint32_t)i;
    }
}

static void gather(const struct cpu *c, const uint32_t *ids, uint64_t from, uint64_t to)
{
    uint64_t bytes = c->setup->rows.row_bytes;
    int threads = threads_for(c, to - from);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint64_t k = from; k < to; k++) {
        uint32_t i = c->order[k], v = ids[i];
        memcpy(c->out + i * bytes, c->base[c->reader->at_feature[v]] + c->reader->slot[v] * bytes, bytes);
    }
}

static enum st one(struct cpu *c, uint64_t task, bool verify, struct execute_batch *b, struct err *err)
{
    enum st st;
    const uint32_t *ids;
    uint64_t from[TIERS + 1], count = execute_draw(c->drawer, task, b, &ids);
    TRY(make_room(c, count, err));
    double began = clock_seconds();
    look_up(c, ids, count, from);
    for (int t = 0; t < TIERS; t++) {
        double now = clock_seconds();
        b->seconds[t ? EXECUTE_OWN + t - 1 : EXECUTE_LOOKUP] = now - began;
        began = now;
        gather(c, ids, from[t], from[t + 1]);
        b->rows[t] = from[t + 1] - from[t];
    }
    b->seconds[EXECUTE_HOST] = clock_seconds() - began;
    b->feature = execute_rows_lines(c->setup, c->reader, ids, count);
    if (verify) {
        b->verified = count;
        b->wrong = execute_rows_wrong(&c->setup->rows, ids, count, c->out, c->setup->threads);
    }
done:
    return st;
}

static enum st run(void *state, uint64_t first, uint64_t count, bool verify, struct execute_batch *out, struct err *err)
{
    enum st st = ST_OK;
    for (uint64_t i = 0; i < count && st == ST_OK; i++) st = one(state, first + i, verify, &out[i], err);
    return st;
}

static enum st measure(void *state, const struct execute_batch *batches, uint64_t count, struct execute_measured *out,
                       struct err *err)
{
    static const char why[] = "the CPU gathered the rows from host memory, so nothing crossed PCIe";
    const struct cpu *c = state;
    double bytes = 0, seconds = 0;
    (void)err;
    for (uint64_t i = 0; i < count; i++) {
        bytes += (double)(batches[i].rows[TIER_HOST] * c->setup->rows.row_bytes);
        seconds += batches[i].seconds[EXECUTE_HOST];
    }
    *out = (struct execute_measured){.feature = NAN,
                                     .total = NAN,
                                     .received = NAN,
                                     .line_bytes = NAN,
                                     .feature_how = why,
                                     .total_how = why,
                                     .host_gbps = seconds > 0 ? 1e-9 * bytes / seconds : NAN};
    return ST_OK;
}

const struct executor executor_cpu = {.name = "cpu",
                                      .summary = "caches in host memory, gathered by the CPU: times of this "
                                                 "machine's memory, no PCIe",
                                      .missing = missing,
                                      .memory = memory,
                                      .open = open,
                                      .fill = fill,
                                      .run = run,
                                      .measure = measure,
                                      .close = close};
