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
#include "traces/graph/graph_times.h"
#include "traces/sampling/sampler.h"

struct cpu {
    const struct execute_setup *setup;
    const struct execute_reader *reader;
    struct execute_drawer *drawer;
    const uint8_t **host;    /* [tables] rows of the host */
    uint8_t *made;           /* generated ones */
    uint8_t *rows[GPUS_MAX]; /* feature rows that a GPU's cache holds; owned */
    /* [sources][2 tables] begins of the rows of every table: at a GPU of the rounded ones, then of the others; at the
     * host of all of them, twice */
    const uint8_t **base;
    struct execute_room room_of_floats; /* owned */
    uint32_t *neighbours;               /* topology rows of the reader's cache, each followed by its weights, if any */
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
    uint64_t bytes = placement_feature_bytes(&s->plan->placement, gpu, s->graph), rows = p->feature[gpu].count;
    for (int i = 0; i < p->peers[gpu]; i++) {
        bytes += placement_feature_bytes(&s->plan->placement, p->peer[gpu][i], s->graph);
        rows += p->feature[p->peer[gpu][i]].count;
    }
    out->features = execute_rows_bytes(s);
    out->host = graph_topology_rows(s->graph) + 5 * graph_feature_rows(s->graph) + execute_drawer_bytes(s, gpu) +
                bytes + placement_topology_bytes(&s->plan->placement, gpu, s->graph) +
                execute_largest(s) * (4 + execute_rows_widest(s)) + (graph_plain(s->graph) ? 0 : 4 * rows) +
                4 * (uint64_t)s->threads * execute_rows_room(s);
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
    mem_free(c->host);
    mem_free(c->base);
    mem_free(c->room_of_floats.floats);
    mem_free(c->order);
    mem_free(c->out);
    mem_free(c->counts);
    mem_free(c);
}

/* Generates the rows that no file has. */
static enum st make_host(struct cpu *c, struct err *err)
{
    const struct execute_setup *s = c->setup;
    uint8_t *at;
    MAKE(c->host, s->tables, "the lookup table of a mini-batch");
    MAKE(c->made, execute_rows_bytes(s), "the feature rows of the host (--feature-memory SIZE holds fewer)");
    at = c->made;
    for (int k = 0; k < s->tables; k++) {
        const struct execute_rows *r = &s->rows[k];
        c->host[k] = r->file ? r->file : at;
        if (r->file) continue;
        execute_rows_make(r, 0, r->window, at, s->threads);
        at += r->window * r->row_bytes;
    }
    return ST_OK;
}

static enum st open(const struct execute_setup *s, void **state, struct execute_machine *machine, struct err *err)
{
    enum st st = ST_OK;
    struct cpu *c = NULL;
    NEW(c, 1, "the engine");
    c->setup = s;
    NEW(c->counts, s->threads, "the lookup table of a mini-batch");
    NEW(c->base, (uint64_t)(1 + s->plan->assignment.gpus) * (uint64_t)s->tables, "the lookup table of a mini-batch");
    c->room_of_floats.each = execute_rows_room(s);
    NEW(c->room_of_floats.floats, (uint64_t)s->threads * c->room_of_floats.each, "rows that are rounded");
    TRY(execute_drawer_new(s, &c->drawer, err));
    TRY(make_host(c, err));
    for (int k = 0; k < s->tables; k++) c->base[k] = c->host[k];
    *machine = (struct execute_machine){.kind = "cpu",
                                        .pcie = false,
                                        .sampling = "host",
                                        .peers = "stand-in",
                                        .overlap = "none"};
    snprintf(machine->device, sizeof machine->device, "the CPU, %d threads", s->threads);
    *state = TAKE(c);
done:
    close(c);
    return st;
}

/* ---- caches ---- */

/* Copies rows id[0..count) of a table into a cache, in the cache's form. */
static void copy_rows(const struct cpu *c, int table, const uint32_t *id, uint64_t count, uint8_t *to)
{
    const struct execute_rows *r = &c->setup->rows[table];
    const uint8_t *host = c->host[table];
    uint64_t bytes = r->row_bytes, window = r->window, first = r->first;
#pragma omp parallel for schedule(static) num_threads(c->setup->threads)
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *row = host + (id[i] - first) % window * bytes;
        if (r->cached == PRECISION_HOST) memcpy(to + i * bytes, row, bytes);
        else
            execute_row_round(r, row,
                              c->room_of_floats.floats + (uint64_t)omp_get_thread_num() * c->room_of_floats.each,
                              to + i * r->cached_bytes);
    }
}

/* Fills the feature cache of a GPU. */
static enum st fill_rows(struct cpu *c, int gpu, struct err *err)
{
    const struct execute_setup *s = c->setup;
    OWNED_BY(execute_held_release) struct execute_held held = {0};
    const uint8_t **base = c->base + (1 + gpu) * s->tables;
    uint8_t *at;
    PASS(execute_held_make(s, gpu, &held, err));
    MAKE(c->rows[gpu], placement_feature_bytes(&s->plan->placement, gpu, s->graph), "a feature cache");
    at = c->rows[gpu];
    for (int k = 0; k < s->tables; k++) {
        uint64_t count = held.from[k + 1] - held.from[k];
        base[k] = at;
        copy_rows(c, k, held.id + held.from[k], count, at);
        at += count * s->rows[k].cached_bytes;
    }
    return ST_OK;
}

/* Row number `row` of all relations. */
static const uint32_t *neighbours_of(const struct graph *g, uint32_t row, uint64_t *degree)
{
    const struct graph_csr csr = graph_csr(g, graph_relation_of_row(g, row));
    *degree = csr_degree(&csr, row - csr.first_row);
    return csr.indices + csr.indptr[row - csr.first_row];
}

/* The times of a row's entries, 8 bytes each, of which `to` is any multiple of 4. */
static void copy_times(const struct graph *g, uint32_t v, uint32_t *to)
{
    for (int64_t e = g->indptr[v], k = 0; e < g->indptr[v + 1]; e++, k++) {
        int64_t time = graph_time_of(g, (uint64_t)e);
        memcpy(to + 2 * k, &time, sizeof time);
    }
}

static void copy_topology(const struct cpu *c, const struct row_list *l)
{
    const struct graph *g = c->setup->graph;
    uint64_t each = 1 + g->weight_bytes / 4;
#pragma omp parallel for schedule(dynamic, 256) num_threads(c->setup->threads)
    for (uint64_t i = 0; i < l->count; i++) {
        uint64_t degree;
        const uint32_t *from = neighbours_of(g, l->id[i], &degree);
        uint32_t *to = c->neighbours + each * c->offsets[i];
        memcpy(to, from, 4 * degree);
        if (each == 2) memcpy(to + degree, g->weights + g->indptr[l->id[i]], 4 * degree);
        if (each == 3) copy_times(g, l->id[i], to + degree);
    }
}

/* Fills the reader's own cache, timed. */
static enum st fill_own(struct cpu *c, struct execute_fill *out, struct err *err)
{
    const struct placement *p = &c->setup->plan->placement;
    const struct graph *g = c->setup->graph;
    int own = c->reader->gpu;
    const struct row_list *topology = &p->topology[own];
    MAKE(c->offsets, topology->count + 1, "the topology cache");
    for (uint64_t i = 0, degree; i < topology->count; i++) {
        (void)neighbours_of(g, topology->id[i], &degree);
        c->offsets[i + 1] = c->offsets[i] + degree;
    }
    MAKE(c->neighbours, c->offsets[topology->count] * (1 + g->weight_bytes / 4), "the topology cache");
    double began = clock_seconds();
    copy_topology(c, topology);
    out->topology_seconds = clock_seconds() - began;
    began = clock_seconds();
    PASS(fill_rows(c, own, err));
    out->feature_seconds = clock_seconds() - began;
    out->topology_bytes = placement_topology_bytes(&c->setup->plan->placement, own, g);
    out->feature_bytes = placement_feature_bytes(&c->setup->plan->placement, own, g);
    return ST_OK;
}

static enum st execute_cpu_fill(void *state, const struct execute_reader *r, struct execute_fill *out, struct err *err)
{
    struct cpu *c = state;
    const struct placement *p = &c->setup->plan->placement;
    empty(c);
    c->reader = r;
    PASS(execute_drawer_turn(c->drawer, r, err));
    PASS(fill_own(c, out, err));
    for (int i = 0; i < p->peers[r->gpu]; i++) PASS(fill_rows(c, p->peer[r->gpu][i], err));
    return ST_OK;
}

/* ---- one mini-batch ---- */

/* Makes the buffers large enough for `count` rows, and touches them, so that no timed stage meets a new page. */
static enum st make_room(struct cpu *c, uint64_t count, struct err *err)
{
    if (count <= c->room) return ST_OK;
    uint64_t rows = count + count / 4;
    mem_free(c->order);
    mem_free(c->out);
    c->order = NULL;
    c->out = NULL;
    c->room = 0;
    MAKE(c->order, rows, "the rows of a mini-batch");
    MAKE(c->out, rows * execute_rows_widest(c->setup), "the rows of a mini-batch");
    memset(c->order, 0, rows * sizeof *c->order);
    memset(c->out, 0, rows * execute_rows_widest(c->setup));
    c->room = rows;
    return ST_OK;
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

static void gather(const struct cpu *c, int table, const uint32_t *ids, uint64_t from, uint64_t to)
{
    const struct execute_rows *r = &c->setup->rows[table];
    const struct execute_reader *reader = c->reader;
    const uint8_t **base = c->base + table;
    uint64_t bytes = r->row_bytes, tables = (uint64_t)c->setup->tables;
    int threads = threads_for(c, to - from);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint64_t k = from; k < to; k++) {
        uint32_t i = c->order[k], v = ids[i];
        memcpy(c->out + i * bytes, base[reader->at_feature[v] * tables] + reader->slot[v] * bytes, bytes);
    }
}

/* The same from GPUs that hold the table rounded. */
static void gather_rounded(const struct cpu *c, int table, const uint32_t *ids, uint64_t from, uint64_t to)
{
    const struct execute_rows *r = &c->setup->rows[table];
    const struct execute_reader *reader = c->reader;
    const uint8_t **base = c->base + table;
    uint64_t bytes = r->row_bytes, tables = (uint64_t)c->setup->tables;
    int threads = threads_for(c, to - from);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint64_t k = from; k < to; k++) {
        uint32_t i = c->order[k], v = ids[i], slot = reader->slot[v];
        uint8_t at = reader->at_feature[v];
        const uint8_t *here = base[at * tables];
        float *room = c->room_of_floats.floats + (uint64_t)omp_get_thread_num() * c->room_of_floats.each;
        if (execute_rounded(r, at)) execute_row_restore(r, here + slot * r->cached_bytes, room, c->out + i * bytes);
        else memcpy(c->out + i * bytes, here + slot * bytes, bytes);
    }
}

/* Gathers the rows of a mini-batch that belong to one table. */
static void gather_table(struct cpu *c, int table, const uint32_t *ids, uint64_t count, bool verify,
                         struct execute_batch *b)
{
    const struct execute_rows *r = &c->setup->rows[table];
    uint64_t from[TIERS + 1], rows[TIERS];
    double began = clock_seconds();
    look_up(c, ids, count, from);
    for (int t = 0; t < TIERS; t++) {
        double now = clock_seconds();
        b->seconds[t ? EXECUTE_OWN + t - 1 : EXECUTE_LOOKUP] += now - began;
        began = now;
        (r->cached != PRECISION_HOST ? gather_rounded : gather)(c, table, ids, from[t], from[t + 1]);
        rows[t] = from[t + 1] - from[t];
    }
    b->seconds[EXECUTE_HOST] += clock_seconds() - began;
    execute_count_rows(c->setup, c->reader, r, ids, count, rows, b);
    if (!verify) return;
    b->verified += count;
    b->wrong += execute_rows_wrong(r, c->reader->at_feature, ids, count, c->out, &c->room_of_floats, c->setup->threads);
}

static enum st one(struct cpu *c, uint64_t task, bool verify, struct execute_batch *b, struct err *err)
{
    struct execute_ids ids;
    uint64_t most = 0;
    PASS(execute_draw(c->drawer, task, b, &ids, err));
    for (int k = 0; k < c->setup->tables; k++)
        most = ids.from[k + 1] - ids.from[k] > most ? ids.from[k + 1] - ids.from[k] : most;
    PASS(make_room(c, most, err));
    for (int k = 0; k < c->setup->tables; k++)
        if (ids.from[k + 1] > ids.from[k] || c->setup->tables == 1)
            gather_table(c, k, ids.id + ids.from[k], ids.from[k + 1] - ids.from[k], verify, b);
    return ST_OK;
}

static enum st execute_cpu_run(void *state, uint64_t first, uint64_t count, bool verify, struct execute_batch *out,
                               struct err *err)
{
    enum st st = ST_OK;
    for (uint64_t i = 0; i < count && st == ST_OK; i++) st = one(state, first + i, verify, &out[i], err);
    return st;
}

static enum st execute_cpu_measure(void *state, const struct execute_batch *batches, uint64_t count,
                                   struct execute_measured *out, struct err *err)
{
    static const char why[] = "the CPU gathered the rows from host memory, so nothing crossed PCIe";
    double bytes = 0, seconds = 0;
    (void)state;
    (void)err;
    for (uint64_t i = 0; i < count; i++) {
        bytes += (double)batches[i].bytes[TIER_HOST];
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
                                      .summary = "caches in host memory, gathered by the CPU: times of this machine's "
                                                 "memory, no PCIe",
                                      .missing = missing,
                                      .memory = memory,
                                      .open = open,
                                      .fill = execute_cpu_fill,
                                      .run = execute_cpu_run,
                                      .measure = execute_cpu_measure,
                                      .close = close};
