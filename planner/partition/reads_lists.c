#include "planner/partition/reads_lists.h"

#include <omp.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "planner/partition/partition_memo.h"
#include "planner/partition/reads.h"
#include "traces/builder/builder_sort.h"
#include "traces/sampling/sampler.h"

enum { STREAM_READS = 0x72656164, STREAM_ROWS = 0x726f7773, PROBE = 2048, LINE = 64 };
#define ENTRIES_FEW ((uint64_t)1 << 24) /* with fewer entries, more samples */
/* A quick cut keeps of as many samples some of the rows: of three graphs with 200,000 vertices epochs then take 0.7 %
 * more or less in the mean, at most 2.2 %; of a quarter as many entries 3.5 %, and 3 % of fewer samples. */
#define ENTRIES_QUICK ((uint64_t)1 << 22)
/* With more entries, fewer rows: 32 per training vertex choose its part within half a percent of all of them. */
#define ENTRIES_EACH 32
#define ENTRIES_MOST ((uint64_t)1 << 27)
#define ROWS_BYTES ((uint64_t)3 << 30)

void reads_lists_release(struct reads_lists *l)
{
    if (!l->borrowed) {
        mem_free(l->start);
        mem_free(l->row);
        mem_free(l->times);
    }
    memset(l, 0, sizeof *l);
}

static uint64_t entries_most(uint64_t trains, bool quick)
{
    uint64_t most = ENTRIES_EACH * trains < ENTRIES_MOST ? ENTRIES_EACH * trains : ENTRIES_MOST,
             enough = quick ? ENTRIES_QUICK : ENTRIES_FEW;
    return most > enough ? most : enough;
}

uint64_t reads_lists_bytes(const struct graph *g, uint64_t row_bytes, int threads)
{
    enum { READS = 1100, PER_ENTRY = 2 * 5 }; /* pieces, and what they become */
    uint64_t most = entries_most(g->train_count, false), all = READS * g->train_count,
             entries = all < most ? all : most, rows = g->n * row_bytes < ROWS_BYTES ? g->n * row_bytes : ROWS_BYTES;
    return PER_ENTRY * entries + rows + 8 * g->n + 4 * g->n * (uint64_t)(threads < 1 ? 1 : threads) +
           12 * READS_SAMPLES * g->train_count;
}

/* Lists as they are made: each chunk of training vertices its own pieces, so that chunks can be sampled in parallel. */
struct making {
    const struct graph *g;
    struct workload w;
    struct sampler *sampler;
    int threads;
    uint32_t *number; /* [n] 1 + a row's number, 0: not in the lists; NULL: all are, by id */
    uint64_t *task;   /* [samples][trains] the task that samples a training vertex */
    struct reads_lists *l;
};

DEFINE_ROW_SORT(sort_rows, uint32_t)

/* The samples of one training vertex, sorted: out gets its distinct rows, times how often. Returns how many. */
static uint64_t list_of(struct making *m, int thread, uint64_t t, uint32_t *room, uint32_t *out, uint8_t *times)
{
    uint64_t count = 0, distinct = 0;
    for (int s = 0; s < m->l->samples; s++) {
        const uint32_t *ids;
        uint64_t k = sampler_batch(m->sampler, thread, m->task[(uint64_t)s * m->l->trains + t], NULL, &ids);
        for (uint64_t i = 0; i < k; i++) {
            uint32_t row = m->number ? m->number[ids[i]] : ids[i] + 1;
            if (row) room[count++] = row - 1;
        }
    }
    if (m->l->samples > 1) sort_rows(room, count, sort_shift(m->g->n));
    for (uint64_t i = 0; i < count; distinct++) {
        uint64_t j = i + 1;
        while (j < count && room[j] == room[i]) j++;
        out[distinct] = room[i];
        times[distinct] = (uint8_t)(j - i);
        i = j;
    }
    return distinct;
}

static enum st map_tasks(struct making *m, struct err *err)
{
    uint64_t trains = m->l->trains, samples = (uint64_t)m->l->samples;
    OWNED_NEW(uint32_t, at, m->g->n, "positions of training vertices");
    MAKE(m->task, trains * samples, "tasks of training vertices");
    PASS(sampler_gpu(m->sampler, 0, m->g->train, trains, samples, err));
    const uint32_t *order = sampler_order(m->sampler);
    for (uint64_t t = 0; t < trains; t++) at[m->g->train[t]] = (uint32_t)t;
    for (uint64_t s = 0; s < samples; s++)
        for (uint64_t i = 0; i < trains; i++) m->task[s * trains + at[order[s * trains + i]]] = s * trains + i;
    return ST_OK;
}

/* Entries per training vertex and sample, from the first PROBE in the order of the first epoch. */
static double reads_lists_probe(struct making *m)
{
    uint64_t sum = 0, count = m->l->trains < PROBE ? m->l->trains : PROBE;
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t *ids;
        sum += sampler_batch(m->sampler, 0, i, NULL, &ids);
    }
    return (double)sum / (double)count;
}

static enum st number_rows(struct making *m, struct err *err)
{
    uint64_t n = m->g->n, below = (uint64_t)(m->l->kept * 0x1p63) * 2;
    m->l->rows = n;
    if (m->l->kept >= 1) return ST_OK;
    MAKE(m->number, n, "numbers of rows");
    uint32_t next = 0;
    for (uint64_t v = 0; v < n; v++)
        if (rng_hash(m->w.seed, STREAM_ROWS, v) < below) m->number[v] = ++next;
    m->l->rows = next;
    return ST_OK;
}

/* The lists of PIECE training vertices that follow each other, as a thread makes them. */
enum { PIECE = 512 };
struct piece {
    uint32_t *row;
    uint8_t *times;
    uint64_t count, room;
};

static void piece_release(struct piece *p)
{
    mem_free(p->row);
    mem_free(p->times);
    *p = (struct piece){0};
}

/* What a thread samples one training vertex with. */
struct scratch {
    uint64_t widest;          /* rows of its samples at most */
    uint32_t *samples, *rows; /* [threads][widest] */
    uint8_t *times;
};

static enum st scratch_make(const struct making *m, struct scratch *s, struct err *err)
{
    uint64_t threads = (uint64_t)m->threads;
    s->widest = sampler_largest(m->g, &m->w) * (uint64_t)m->l->samples + 1;
    MAKE(s->samples, s->widest * threads, "samples of a training vertex");
    MAKE(s->rows, s->widest * threads, "samples of a training vertex");
    MAKE(s->times, s->widest * threads, "samples of a training vertex");
    return ST_OK;
}

static void scratch_release(struct scratch *s)
{
    mem_free(s->samples);
    mem_free(s->rows);
    mem_free(s->times);
}

static enum st piece_add(struct piece *p, const uint32_t *row, const uint8_t *times, uint64_t count, struct err *err)
{
    enum st st = ST_OK;
    if (p->count + count > p->room) {
        uint64_t room = p->room + p->room / 2 + count + PIECE;
        GROW(p->row, room, "lists of reads");
        GROW(p->times, room, "lists of reads");
        p->room = room;
    }
    memcpy(p->row + p->count, row, count * sizeof *row);
    memcpy(p->times + p->count, times, count);
    p->count += count;
done:
    return st;
}

/* Samples the training vertices of a piece; l->start[t + 1]: entries of t. */
static enum st piece_fill(struct making *m, struct scratch *s, uint64_t number, struct piece *p, struct err *err)
{
    int thread = omp_get_thread_num();
    uint64_t at = s->widest * (uint64_t)thread, end = (number + 1) * PIECE;
    for (uint64_t t = number * PIECE; t < end && t < m->l->trains; t++) {
        uint64_t count = list_of(m, thread, t, s->samples + at, s->rows + at, s->times + at);
        PASS(piece_add(p, s->rows + at, s->times + at, count, err));
        m->l->start[t + 1] = count;
    }
    return ST_OK;
}

/* Pieces one after the other, each let go of as soon as it is copied. */
static enum st pieces_join(struct reads_lists *l, struct piece *piece, uint64_t pieces, struct err *err)
{
    uint64_t at = 0;
    for (uint64_t t = 0; t < l->trains; t++) l->start[t + 1] += l->start[t];
    MAKE(l->row, l->start[l->trains], "lists of reads");
    MAKE(l->times, l->start[l->trains], "lists of reads");
    for (uint64_t i = 0; i < pieces; i++) {
        if (piece[i].count) {
            memcpy(l->row + at, piece[i].row, piece[i].count * sizeof *l->row);
            memcpy(l->times + at, piece[i].times, piece[i].count);
        }
        at += piece[i].count;
        piece_release(&piece[i]);
    }
    return ST_OK;
}

static enum st reads_lists_fill(struct making *m, struct err *err)
{
    struct reads_lists *l = m->l;
    OWNED_BY(scratch_release) struct scratch s = {0};
    uint64_t pieces = (l->trains + PIECE - 1) / PIECE;
    OWNED_NEW(struct piece, piece, pieces, "lists of reads");
    struct err first = {0};
    enum st st = ST_OK;
    MAKE(l->start, l->trains + 1, "lists of reads");
    PASS(scratch_make(m, &s, err));
#pragma omp parallel for schedule(dynamic, 1) num_threads(m->threads)
    for (uint64_t i = 0; i < pieces; i++) {
        struct err mine = {0};
        enum st filled = piece_fill(m, &s, i, &piece[i], &mine);
        if (filled == ST_OK) continue;
#pragma omp critical(reads_lists)
        {
            st = filled;
            first = mine;
        }
    }
    if (st == ST_OK) st = pieces_join(l, piece, pieces, &first);
    for (uint64_t i = 0; i < pieces; i++) piece_release(&piece[i]);
    return st == ST_OK ? ST_OK : err_set(err, st, "%s", first.text);
}

/* Rows in more than `most` samples leave the lists. */
static enum st drop_hot(struct making *m, uint64_t most, struct err *err)
{
    struct reads_lists *l = m->l;
    uint64_t at = 0, from = 0;
    OWNED_NEW(uint32_t, all, l->rows, "samples of rows");
    for (uint64_t i = 0; i < l->start[l->trains]; i++) all[l->row[i]] += l->times[i];
    for (uint64_t v = 0; v < l->rows; v++)
        if (all[v] <= most && all[v] > l->hottest) l->hottest = all[v];
    for (uint64_t t = 0; t < l->trains; t++) {
        uint64_t end = l->start[t + 1];
        for (uint64_t i = from; i < end; i++) {
            if (all[l->row[i]] > most) continue;
            l->row[at] = l->row[i];
            l->times[at++] = l->times[i];
        }
        from = end;
        l->start[t + 1] = at;
    }
    return ST_OK;
}

enum st reads_lists_make(const struct graph *g, const struct partition_options *o, uint64_t row_bytes, uint64_t most,
                         struct reads_lists *out, struct err *err)
{
    enum st st = ST_OK;
    struct reads_lists l = {.trains = g->train_count, .train = g->train, .samples = 1, .kept = 1, .most = most};
    struct making m = {.g = g, .threads = o->threads < 1 ? 1 : o->threads, .l = &l};
    m.w = o->workload ? *o->workload : (struct workload){.hops = 2, .fanout = {25, 10}};
    m.w.batch_dependency = 1; /* a vertex is sampled by itself */
    m.w.batch = 1;
    m.w.order = ORDER_SHUFFLE;
    m.w.order_blocks = 0;
    m.w.edge_share = 0;
    if (m.w.frontier == FRONTIER_LAYERS) m.w.frontier = FRONTIER_NEW; /* which rows are read, not how often */
    if (o->quick && m.w.sampler == SAMPLER_LABOR) { /* of one seed it reads a row as often, but takes longer */
        m.w.sampler = SAMPLER_UNIFORM;
        m.w.labor_iterations = 0;
        m.w.layer_dependency = false;
    }
    m.w.seed = rng_hash(o->seed, STREAM_READS, 0);
    l.w = m.w;
    bool all = (double)g->n * (double)row_bytes <= (double)ROWS_BYTES; /* rows may be in the lists */
    if (all && partition_memo_find_lists(o->memo, g, &l, out)) return ST_OK;
    TRY(sampler_new(g, &m.w, LINE, m.threads, &m.sampler, err));
    TRY(sampler_gpu(m.sampler, 0, g->train, g->train_count, 1, err));
    double each = reads_lists_probe(&m), entries = each * (double)l.trains;
    while (l.samples < READS_SAMPLES && entries * (l.samples + 1) <= (double)ENTRIES_FEW) l.samples++;
    double kept = (double)entries_most(l.trains, o->quick) / entries / l.samples;
    if (kept < 1) l.kept = kept;
    if (l.kept * (double)g->n * (double)row_bytes > (double)ROWS_BYTES)
        l.kept = (double)ROWS_BYTES / (double)g->n / (double)row_bytes;
    TRY(map_tasks(&m, err));
    TRY(number_rows(&m, err));
    TRY(reads_lists_fill(&m, err));
    TRY(drop_hot(&m, most, err));
    if (o->keeps_lists && all) partition_memo_keep_lists(o->memo, g, &l);
    *out = l;
    memset(&l, 0, sizeof l);
done:
    sampler_free(m.sampler);
    mem_free(m.number);
    mem_free(m.task);
    reads_lists_release(&l);
    return st;
}
