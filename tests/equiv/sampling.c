/* sampling.c - mini-batches that a device draws equal those of traces/sampling/sampler.c, count by count, wherever
 * the graph lies. Speaks TAP.
 *
 * Graphs have hubs, vertices without neighbours and self-loops; workloads have narrow and wide fan-outs, tiny and
 * whole mini-batches. For each, a session is opened with the graph in device memory, on the host, and divided between
 * sources that share rows; counts are taken twice, so that it is seen that they are emptied; and single mini-batches
 * are drawn, whose visits are dealt to who served them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/kernel.h"
#include "traces/sampling/sampler_scratch.h"

enum { GPUS = 2, DEVICES = 2, SOURCES = 3, EPOCHS = 2, CHECKED = 3 };

static int number, failed;

static void say(bool good, const char *what, const char *trouble)
{
    printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, what);
    if (!good) printf("# %s\n", trouble);
    failed += !good;
}

static void stop(const struct err *err)
{
    printf("Bail out! %s\n", err->text);
    exit(1);
}

static void *block(uint64_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) exit(1);
    return p;
}

/* ---- graphs ---- */

/* splitmix64, not the generator that is judged */
static uint64_t dice(uint64_t *at)
{
    uint64_t z = *at += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* Row lengths: every fourth vertex has none, one in 64 lists a share of all vertices, the others up to 12. */
static uint64_t degree_for(uint64_t n, uint64_t v, uint64_t *at)
{
    uint64_t d = v % 4 == 3 ? 0 : v % 64 == 5 ? n * (1 + dice(at) % 9) / 10 : dice(at) % 13;
    return d < n ? d : n;
}

static void make_graph(uint64_t n, uint64_t seed, struct graph *g)
{
    uint64_t at = seed, room = 16, *row = block(n, sizeof *row);
    int64_t *indptr = block(n + 1, sizeof *indptr);
    uint32_t *indices = block(room, sizeof *indices), *train = block(n, sizeof *train);
    memset(g, 0, sizeof *g);
    for (uint64_t v = 0; v < n; v++) {
        uint64_t degree = degree_for(n, v, &at), left = degree;
        while (g->m + degree > room) indices = realloc(indices, (room *= 2) * sizeof *indices);
        for (uint64_t u = 0; u < n && left;
             u++) /* each subset is as likely as another; a self-loop is nothing special */
            if (dice(&at) % (n - u) < left) {
                indices[g->m++] = (uint32_t)u;
                left--;
            }
        indptr[v + 1] = (int64_t)g->m;
        if (dice(&at) % 3 == 0) train[g->train_count++] = (uint32_t)v;
    }
    g->n = n;
    g->indptr = indptr;
    g->indices = indices;
    g->train = train;
    g->row_bytes = 64;
    strcpy(g->sample, "in");
    free(row);
}

static void free_graph(struct graph *g)
{
    free((void *)(uintptr_t)g->indptr); /* made here */
    free((void *)(uintptr_t)g->indices);
    free((void *)(uintptr_t)g->train);
}

/* ---- counts ---- */

/* counts: [2 + hops][n]: feature, lines, visits */
static uint32_t *counts_of(uint64_t n, int hops) { return block((2 + (uint64_t)hops) * n, sizeof(uint32_t)); }

static void draw_on_cpu(struct sampler *s, int hops, uint64_t first, uint64_t last, uint32_t *counts, uint64_t *total)
{
    struct sample_counts c = {.feature = counts, .lines = counts + s->g->n};
    for (int h = 0; h < hops; h++) c.visits[h] = counts + (2 + (uint64_t)h) * s->g->n;
    sampler_run(s, first, last, &c);
    *total += c.total_lines;
}

static enum st draw_on_device(const struct sampling *d, void *session, uint64_t n, int hops, uint64_t first,
                              uint64_t last, uint32_t *counts, uint64_t *total, struct err *err)
{
    enum st st;
    struct sampling_counts c = {.feature = counts, .lines = counts + n};
    for (int h = 0; h < hops; h++) c.visits[h] = counts + (2 + (uint64_t)h) * n;
    TRY(d->run(session, first, last, err));
    TRY(d->take(session, &c, err));
    *total += c.total_lines;
done:
    return st;
}

#if defined(HOTSET_CUDA) && !defined(HOTSET_CUDA_EMULATED)
int cudaMemcpy(void *to, const void *from, size_t bytes,
               int kind); /* of the runtime that is linked in; its header need not be there */
#endif

/* Device memory as a host array; where the runtime is emulated, it is one. */
static uint32_t *fetch_ids(const uint32_t *device_ids, uint64_t count)
{
    uint32_t *out = block(count, sizeof *out);
#if defined(HOTSET_CUDA) && !defined(HOTSET_CUDA_EMULATED)
    enum { DEVICE_TO_HOST = 2 };
    if (cudaMemcpy(out, device_ids, count * sizeof *out, DEVICE_TO_HOST)) exit(1);
#else
    if (count) memcpy(out, device_ids, count * sizeof *out);
#endif
    return out;
}

/* ---- one session ---- */

struct trial {
    const struct graph *g;
    struct workload w;
    uint64_t line_bytes;
    struct sampler *cpu;
    const struct sampling *device;
    void *session;
    uint8_t *source; /* [n] who holds a row; SOURCES: nobody */
    bool hybrid;
    char trouble[200];
};

static bool different(struct trial *t, const char *what, uint64_t at, uint64_t found, uint64_t truth)
{
    if (found != truth)
        snprintf(t->trouble, sizeof t->trouble, "%s %llu is %llu, must be %llu", what, (unsigned long long)at,
                 (unsigned long long)found, (unsigned long long)truth);
    return found != truth;
}

/* All tasks in two stretches, each taken: sums of the same arrays on both sides. */
static bool same_counts(struct trial *t, uint64_t tasks, struct err *err)
{
    uint64_t n = t->g->n, cells = (2 + (uint64_t)t->w.hops) * n, total[2] = {0, 0};
    uint32_t *truth = counts_of(n, t->w.hops), *found = counts_of(n, t->w.hops);
    bool same = true;
    const uint64_t cut[] = {0, tasks / 3, tasks};
    for (int i = 0; i < 2 && same; i++) {
        draw_on_cpu(t->cpu, t->w.hops, cut[i], cut[i + 1], truth, &total[0]);
        if (draw_on_device(t->device, t->session, n, t->w.hops, cut[i], cut[i + 1], found, &total[1], err) != ST_OK)
            stop(err);
        for (uint64_t k = 0; k < cells && same; k++) same = !different(t, "cell", k, found[k], truth[k]);
        same = same && !different(t, "the sum of transactions after stretch", (uint64_t)i, total[1], total[0]);
    }
    free(truth);
    free(found);
    return same;
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The visits and transactions of one task, dealt to who holds the rows. */
static bool same_served(struct trial *t, uint64_t task, const struct sampling_batch *b)
{
    uint64_t n = t->g->n, visits[SOURCES + 1] = {0}, lines[SOURCES + 1] = {0}, unused = 0;
    uint32_t *counts = counts_of(n, t->w.hops);
    bool same = true;
    draw_on_cpu(t->cpu, t->w.hops, task, task + 1, counts, &unused);
    for (uint64_t v = 0; v < n; v++) {
        int s = t->hybrid ? t->source[v] : SOURCES;
        lines[s] += counts[n + v];
        for (int h = 0; h < t->w.hops; h++) visits[s] += counts[(2 + (uint64_t)h) * n + v];
    }
    for (int s = 0; s <= SOURCES && same; s++) {
        int there = t->hybrid      ? s
                    : s == SOURCES ? 0
                                   : -1; /* without sources all is served by number 0, the whole graph */
        if (there >= 0)
            same = !different(t, "visits served by", (uint64_t)s, b->visits[there], visits[s]) &&
                   !different(t, "transactions served by", (uint64_t)s, b->lines[there], lines[s]);
    }
    free(counts);
    return same;
}

static bool same_batch(struct trial *t, uint64_t task, struct err *err)
{
    struct sampling_batch b;
    const uint32_t *truth;
    uint64_t count = sampler_batch(t->cpu, 0, task, NULL, &truth);
    if (t->device->batch(t->session, task, &b, err) != ST_OK) stop(err);
    if (different(t, "distinct vertices of mini-batch", task, b.count, count)) return false;
    uint32_t *found = fetch_ids(b.ids, count), *sorted = block(count, sizeof *sorted);
    uint64_t seeds = t->cpu->scratch[0].seeds;
    bool same = true;
    if (count) memcpy(sorted, truth, count * sizeof *sorted);
    for (int part = 0; part < 2; part++) { /* seeds first, then the others, in any order */
        uint64_t from = part ? seeds : 0, to = part ? count : seeds;
        qsort(sorted + from, to - from, sizeof *sorted, by_id);
        qsort(found + from, to - from, sizeof *found, by_id);
    }
    for (uint64_t i = 0; i < count && same; i++) same = !different(t, "vertex number", i, found[i], sorted[i]);
    free(found);
    free(sorted);
    return same && same_served(t, task, &b);
}

/* ---- the lists ---- */

/* Source 0 holds every third vertex, 1 every second, 2 those behind the middle: so some are named twice. */
static void deal_rows(const struct graph *g, uint8_t *source, struct sampling_rows rows[SOURCES], bool some)
{
    memset(rows, 0, SOURCES * sizeof *rows);
    memset(source, SOURCES, g->n);
    for (int s = 0; s < SOURCES; s++) {
        uint32_t *ids = block(g->n, sizeof *ids);
        for (uint64_t i = 0; i < g->n; i++) {
            uint64_t v = g->n - 1 - i; /* in no ascending order */
            if (s == 0 ? v % 3 : s == 1 ? v % 2 : v < g->n / 2) continue;
            ids[rows[s].count++] = (uint32_t)v;
            if (source[v] == SOURCES) source[v] = (uint8_t)s;
        }
        rows[s].ids = ids;
        rows[s].some = some;
#ifdef HOTSET_CUDA_EMULATED
        rows[s].device = s % DEVICES;
#endif
    }
}

static void judge(struct trial *t, struct sampling_problem *p, const char *name)
{
    struct err err = {0};
    struct sampling_facts facts;
    bool same = true;
    t->trouble[0] = 0;
    if (t->device->open(p, &t->session, &facts, &err) != ST_OK) {
        say(false, name, err.text);
        return;
    }
    if (p->where && facts.where != p->where)
        snprintf(t->trouble, sizeof t->trouble, "the graph lies in place %d, not %d", facts.where, p->where),
            same = false;
    for (int gpu = 0; gpu < GPUS && same; gpu++) {
        uint64_t half = t->g->train_count / 2, count = gpu ? half : t->g->train_count - half;
        if (sampler_gpu(t->cpu, gpu, t->g->train + (gpu ? t->g->train_count - half : 0), count, EPOCHS, &err) != ST_OK)
            stop(&err);
        if (t->device->gpu(t->session, gpu, sampler_order(t->cpu), count, EPOCHS, &err) != ST_OK) stop(&err);
        uint64_t tasks = sampler_batches(t->cpu) * EPOCHS;
        if (p->counted) same = same_counts(t, tasks, &err);
        for (uint64_t i = 0; i < CHECKED && i < tasks && same; i++) same = same_batch(t, tasks * i / CHECKED, &err);
    }
    t->device->close(t->session);
    t->session = NULL;
    say(same, name, t->trouble);
}

static void judge_places(struct trial *t, const char *name)
{
    struct sampling_rows rows[SOURCES];
    struct err err = {0};
    char text[200];
    static const char *const places[] = {"where it is best", "in device memory", "on the host", "divided"};
    t->source = block(t->g->n, 1);
    deal_rows(t->g, t->source, rows, false);
    if (sampler_new(t->g, &t->w, t->line_bytes, 1, &t->cpu, &err) != ST_OK) stop(&err);
    for (int where = SAMPLING_AUTO; where <= SAMPLING_HYBRID; where++) {
        struct sampling_problem p = {.n = t->g->n,
                                     .indptr = t->g->indptr,
                                     .indices = t->g->indices,
                                     .hops = t->w.hops,
                                     .fanout = t->w.fanout,
                                     .frontier_all = t->w.frontier == FRONTIER_ALL,
                                     .seed = t->w.seed,
                                     .batch = t->w.batch,
                                     .line_bytes = t->line_bytes,
                                     .capacity = t->cpu->capacity,
                                     .where = (enum sampling_where)where,
                                     .threads = 2,
                                     .counted = where != SAMPLING_AUTO};
        t->hybrid = where == SAMPLING_HYBRID;
        if (t->hybrid) {
            p.rows = rows;
            p.sources = SOURCES;
        }
        snprintf(text, sizeof text, "%s, the graph %s", name, places[where]);
        judge(t, &p, text);
    }
    for (int s = 0; s < SOURCES; s++) free((void *)(uintptr_t)rows[s].ids);
    free(t->source);
    sampler_free(t->cpu);
    t->cpu = NULL;
}

static const struct {
    int hops;
    uint32_t fanout[4];
} fanouts[] = {{1, {1}},  {2, {5, 4}},   {2, {25, 10}}, {2, {40, 3}},      {1, {64}},
               {1, {65}}, {2, {100, 2}}, {1, {300}},    {4, {2, 3, 2, 1}}, {2, {3, 200}}};
static const uint64_t classes[] = {32, 64, 128, 4, 4096};

static void judge_all(const struct sampling *device)
{
    static const uint64_t sizes[] = {1, 7, 65, 900};
    char name[160];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t f = 0; f < sizeof fanouts / sizeof *fanouts; f++) {
            struct graph g;
            int k = (int)(i * 7 + f);
            make_graph(sizes[i], (uint64_t)k + 1, &g);
            struct trial t = {.g = &g, .line_bytes = classes[k % 5], .device = device};
            t.w = (struct workload){.hops = fanouts[f].hops,
                                    .batch = k % 3 == 0   ? 1
                                             : k % 3 == 1 ? 17
                                                          : 1000,
                                    .frontier = k % 2 ? FRONTIER_ALL : FRONTIER_NEW,
                                    .seed = (uint64_t)k << 33 | 5};
            memcpy(t.w.fanout, fanouts[f].fanout, sizeof fanouts[f].fanout);
            snprintf(name, sizeof name, "sampling: %d vertices, %d hops of %u,%u.., frontier %s, batch %d, cls %d",
                     (int)g.n, t.w.hops, t.w.fanout[0], t.w.fanout[1], frontier_name(t.w.frontier), (int)t.w.batch,
                     (int)t.line_bytes);
            judge_places(&t, name);
            free_graph(&g);
        }
}

/* ---- limits ---- */

/* Less and less memory: device, then as many rows as fit, then the host alone, then a sentence. */
static void judge_memory(const struct sampling *device)
{
    struct graph g;
    struct err err = {0};
    struct sampling_rows rows = {.some = true};
    struct sampling_facts facts = {0};
    struct workload w = {.hops = 2, .fanout = {5, 4}, .batch = 20, .seed = 3};
    struct sampler *s = NULL;
    int last = 0, seen[4] = {0};
    bool fell = true, refused = false, same = true;
    make_graph(900, 99, &g);
    uint32_t *ids = block(g.n, sizeof *ids);
    for (uint64_t v = 0; v < g.n; v++) ids[v] = (uint32_t)v;
    rows.ids = ids;
    rows.count = g.n;
    if (sampler_new(&g, &w, 64, 1, &s, &err) != ST_OK) stop(&err);
    struct sampling_problem p = {.n = g.n,
                                 .indptr = g.indptr,
                                 .indices = g.indices,
                                 .hops = 2,
                                 .fanout = w.fanout,
                                 .seed = w.seed,
                                 .batch = w.batch,
                                 .line_bytes = 64,
                                 .capacity = s->capacity,
                                 .counted = true,
                                 .rows = &rows,
                                 .sources = 1};
    for (p.memory = 1 << 20; p.memory > 1000 && !refused; p.memory = p.memory * 9 / 10) {
        struct trial t = {.g = &g, .w = w, .line_bytes = 64, .cpu = s, .device = device};
        void *session = NULL;
        if (device->open(&p, &session, &facts, &err) != ST_OK) {
            refused = err.code == ST_LIMIT && strstr(err.text, "GPU memory");
            break;
        }
        int rank = facts.where == SAMPLING_DEVICE ? 0 : facts.where == SAMPLING_HYBRID ? 1 : 2;
        fell &= rank >= last && facts.device_bytes <= p.memory && (rank != 1 || facts.rows < g.n);
        last = rank;
        seen[rank]++;
        t.session = session;
        if (sampler_gpu(s, 0, g.train, g.train_count, 1, &err) != ST_OK ||
            device->gpu(session, 0, sampler_order(s), g.train_count, 1, &err) != ST_OK)
            stop(&err);
        same = same && same_counts(&t, sampler_batches(s), &err);
        device->close(session);
    }
    say(same, "sampling: counts do not depend on memory", "they do");
    say(fell && seen[0] && seen[1] && seen[2],
        "sampling: with less memory the graph goes from the device to rows that fit to the host", "it did not");
    say(refused, "sampling: what does not fit is said", err.text);
    sampler_free(s);
    free(ids);
    free_graph(&g);
}

int main(void)
{
#ifdef HOTSET_CUDA
    setenv("HOTSET_EMULATED_DEVICES", "2", 1);
    const char *missing = kernels_cuda.missing();
    if (missing) printf("ok %d - sampling # SKIP %s\n", ++number, missing);
    else {
        judge_all(kernels_cuda.sampling);
        judge_memory(kernels_cuda.sampling);
    }
#else
    (void)judge_all, (void)judge_memory;
    printf("ok %d - sampling # SKIP this build has no CUDA backend\n", ++number);
#endif
    printf("1..%d\n", number);
    return failed != 0;
}
