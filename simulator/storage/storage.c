#include "simulator/storage/storage.h"

#include <omp.h>
#include <string.h>

#include "base/mem.h"

void storage_counts_release(struct storage_counts *c)
{
    mem_free(c->gpu);
    memset(c, 0, sizeof *c);
}

struct storage_gpu storage_total(const struct storage_counts *c)
{
    struct storage_gpu t = {0};
    for (int g = 0; g < c->gpus; g++) {
        const struct storage_gpu *gpu = &c->gpu[g];
        t.rows += gpu->rows;
        t.rows_dram += gpu->rows_dram;
        t.rows_ssd += gpu->rows_ssd;
        t.visits += gpu->visits;
        t.visits_dram += gpu->visits_dram;
        t.visits_ssd += gpu->visits_ssd;
        t.feature_blocks += gpu->feature_blocks;
        t.feature_bytes += gpu->feature_bytes;
        t.topology_blocks += gpu->topology_blocks;
        t.topology_bytes += gpu->topology_bytes;
        t.batches += gpu->batches;
    }
    return t;
}

/* ---- one thread ---- */

/* Blocks of a file that the current mini-batch has read: stamp[b] is the number of the mini-batch. */
struct blocks {
    uint32_t *stamp; /* [count], zeroed at first */
    uint64_t count;
};

enum { FEATURE, TOPOLOGY, FILES };
struct worker {
    struct blocks file[FILES];
    uint32_t batch; /* number of the mini-batch, from 1 */
    struct storage_gpu sum;
};

/* Counts the blocks of bytes [from, from + length) that this mini-batch has not read yet. */
static uint64_t read_blocks(struct blocks *b, uint32_t batch, uint64_t from, uint64_t length, uint64_t block_bytes)
{
    uint64_t fresh = 0;
    if (!length) return 0;
    for (uint64_t i = from / block_bytes, last = (from + length - 1) / block_bytes; i <= last; i++) {
        fresh += b->stamp[i] != batch;
        b->stamp[i] = batch;
    }
    return fresh;
}

/* Where the files of the tables of one kind before table `table` end, laid one behind the other, in bytes. */
static uint64_t files_end(const struct graph *g, bool topology, int table, uint64_t block_bytes)
{
    uint64_t blocks = 0;
    for (int k = 0; k < table; k++) {
        const struct row_table t = graph_table(g, k);
        if ((t.kind == ROWS_TOPOLOGY) == topology)
            blocks += (topology ? 4 * graph_csr(g, t.of).m : t.count * t.row_bytes) / block_bytes + 1;
    }
    return blocks * block_bytes;
}

static enum st worker_make(struct worker *w, const struct replay_request *r, const struct storage *s, struct err *err)
{
    for (int f = 0; f < FILES; f++) {
        w->file[f].count = files_end(r->graph, f == TOPOLOGY, graph_tables(r->graph), s->block_bytes) / s->block_bytes;
        MAKE(w->file[f].stamp, w->file[f].count, "the blocks that a mini-batch reads");
    }
    return ST_OK;
}

static void worker_release(struct worker *w)
{
    for (int f = 0; f < FILES; f++) mem_free(w->file[f].stamp);
}

/* ---- the replay ---- */

/* Where the current reader finds a row. */
enum { FROM_SSD, FROM_DRAM, FROM_GPU };
struct places {
    const struct replay_request *r;
    const struct placement *p;
    const struct storage *s;
    uint8_t *topology, *feature, *from; /* rows of the kind, as above, of the current reader; work space */
    uint64_t base[GRAPH_TABLES_MAX];    /* where the file of a table begins, in bytes */
};

static void places_release(struct places *places)
{
    mem_free(places->topology);
    mem_free(places->feature);
    mem_free(places->from);
}

static enum st places_make(const struct replay_request *r, const struct placement *p, const struct storage *s,
                           struct places *places, struct err *err)
{
    const struct graph *g = r->graph;
    *places = (struct places){.r = r, .p = p, .s = s};
    for (int k = 0; k < graph_tables(g); k++)
        places->base[k] = files_end(g, graph_table(g, k).kind == ROWS_TOPOLOGY, k, s->block_bytes);
    MAKE(places->topology, graph_topology_rows(g), "the places of rows");
    MAKE(places->feature, graph_feature_rows(g), "the places of rows");
    MAKE(places->from, graph_most_rows(g), "the places of rows");
    return ST_OK;
}

/* where: of placement_locate; becomes what is said above. */
static void locate(struct places *places, int g, enum list_kind kind, uint8_t *where)
{
    const struct plan_places *at = places->s->places;
    plan_places_locate(at, places->r->graph, at->reader_of[g], kind, places->from);
    for (uint64_t v = 0; v < graph_kind_rows(places->r->graph, kind == LIST_TOPOLOGY); v++)
        where[v] = where[v] ? FROM_GPU : place_role(&at->place[places->from[v]]) == ROLE_LAST ? FROM_SSD : FROM_DRAM;
}

static void places_of_reader(struct places *places, int g)
{
    const struct graph *graph = places->r->graph;
    placement_locate(places->p, g, places->p->feature, graph_feature_rows(graph), places->feature);
    if (places->p->access == ACCESS_GPU)
        placement_locate(places->p, g, places->p->topology, graph_topology_rows(graph), places->topology);
    else
        memset(places->topology, 0, graph_topology_rows(graph)); /* the CPU samples from the host; of sampler GPUs
                                                                nothing is counted */
    locate(places, g, LIST_FEATURE, places->feature);
    locate(places, g, LIST_TOPOLOGY, places->topology);
}

/* A read of feature row v of a table, whose file begins at byte `base`. */
static void count_row(const struct places *places, const struct row_table *t, uint64_t base, uint64_t v,
                      struct worker *w)
{
    const uint64_t row = t->row_bytes, block = places->s->block_bytes,
                   at = t->first - graph_topology_rows(places->r->graph) + v;
    w->sum.rows++;
    w->sum.rows_dram += places->feature[at] == FROM_DRAM;
    if (places->feature[at] != FROM_SSD) return;
    w->sum.rows_ssd++;
    w->sum.feature_bytes += row;
    w->sum.feature_blocks += read_blocks(&w->file[FEATURE], w->batch, base + v * row, row, block);
}

static void count_features(const struct places *places, const uint32_t *ids, uint64_t count, struct worker *w)
{
    const struct graph *g = places->r->graph;
    const uint64_t lists = graph_topology_rows(g);
    int k = graph_relation_count(g); /* the table of the row before */
    struct row_table t = graph_table(g, k);
    for (uint64_t i = 0; i < count; i++) {
        if (lists + ids[i] - t.first >= t.count) t = graph_table(g, k = graph_table_of(g, lists + ids[i]));
        if (t.row_bytes) count_row(places, &t, places->base[k], lists + ids[i] - t.first, w);
    }
}

/* A visit that drew place[count] of the entries of a topology row, from those that begin at entry `first`. */
static void count_visit(const struct places *places, uint64_t base, uint64_t first, uint64_t degree,
                        const uint64_t *place, uint64_t count, struct worker *w)
{
    w->sum.visits_ssd++;
    if (places->r->workload->sampler == SAMPLER_LABOR) { /* the numbers of all neighbours decide */
        w->sum.topology_bytes += 4 * degree;
        w->sum.topology_blocks += read_blocks(&w->file[TOPOLOGY], w->batch, base + 4 * first, 4 * degree,
                                              places->s->block_bytes);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        w->sum.topology_blocks += read_blocks(&w->file[TOPOLOGY], w->batch, base + 4 * place[i], 4,
                                              places->s->block_bytes);
    w->sum.topology_bytes += 4 * count;
}

static void count_topology(const struct places *places, const struct sample_steps *steps, bool topology,
                           struct worker *w)
{
    const struct sample_level *end = &steps->end[steps->levels - 1];
    const struct graph *g = places->r->graph;
    if (!topology && !g->edge_rows) return;
    if (topology) w->sum.visits += end->visits;
    for (uint64_t i = 0, d = 0; i < end->visits; d += steps->drawn[i], i++) {
        const uint32_t row = steps->visited[i];
        const int k = graph_relation_of_row(g, row), edges = g->relations + g->types + k;
        const struct graph_csr r = graph_csr(g, k);
        for (uint64_t n = 0; r.edge_features && n < steps->drawn[i]; n++)
            count_row(places, &g->table[edges], places->base[edges], steps->place[d + n], w);
        if (!topology) continue;
        w->sum.visits_dram += places->topology[row] == FROM_DRAM;
        if (places->topology[row] != FROM_SSD) continue;
        const int64_t *from = r.indptr + (row - r.first_row);
        count_visit(places, places->base[k], (uint64_t)from[0], (uint64_t)(from[1] - from[0]), steps->place + d,
                    steps->drawn[i], w);
    }
}

/* The mini-batches of one reader. */
static enum st replay_reader(const struct places *places, struct sampler *sampler, struct worker *workers,
                             struct progress *bar, struct storage_gpu *out, struct err *err)
{
    enum st st = ST_OK;
    struct err first = {0};
    uint64_t tasks = sampler_batches(sampler) * places->r->epochs;
#pragma omp parallel for schedule(dynamic, 1) num_threads(places->r->threads)
    for (uint64_t task = 0; task < tasks; task++) {
        struct worker *w = &workers[omp_get_thread_num()];
        struct err mine = {0};
        const struct sample_steps *steps;
        const uint32_t *ids;
        uint64_t count = sampler_batch(sampler, omp_get_thread_num(), task, NULL, &ids);
        if (sampler_steps(sampler, omp_get_thread_num(), &steps, &mine) != ST_OK) {
#pragma omp critical(storage_first_error)
            if (!first.code) first = mine;
            continue;
        }
        w->batch++;
        w->sum.batches++;
        count_features(places, ids, count, w);
        count_topology(places, steps, places->p->access != ACCESS_SAMPLERS, w);
        progress_add(bar, 1);
    }
    if (first.code) {
        *err = first;
        st = first.code;
    }
    struct storage_counts all = {.gpus = places->r->threads};
    NEW(all.gpu, places->r->threads, "the counts of the storage");
    for (int t = 0; t < places->r->threads; t++) {
        all.gpu[t] = workers[t].sum;
        memset(&workers[t].sum, 0, sizeof workers[t].sum);
    }
    *out = storage_total(&all);
    storage_counts_release(&all);
done:
    return st;
}

bool storage_knows_topology(const struct workload *w)
{
    return w->sampler == SAMPLER_UNIFORM || w->sampler == SAMPLER_WALK || w->sampler == SAMPLER_LABOR;
}

/* Whether a topology row lies on SSDs alone. x: room for the places of rows. */
static bool topology_on_ssds(struct places *places)
{
    const struct plan_places *at = places->s->places;
    memset(places->from, 0, graph_topology_rows(places->r->graph));
    for (int i = 0; i < at->places; i++)
        for (uint64_t k = 0; k < at->list[LIST_TOPOLOGY][i].count; k++)
            places->from[at->list[LIST_TOPOLOGY][i].id[k]] = 1;
    return memchr(places->from, 0, graph_topology_rows(places->r->graph)) != NULL;
}

static enum st check_sampler(struct places *places, struct err *err)
{
    const struct replay_request *r = places->r;
    if (storage_knows_topology(r->workload) || places->p->access == ACCESS_SAMPLERS || !topology_on_ssds(places))
        return ST_OK;
    return err_set(err, ST_NO,
                   "sampler %s with topology on SSDs is not modelled (it reads weights or whole frontiers); give more "
                   "--host-memory, so that all topology lies in DRAM",
                   sampler_name(r->workload->sampler));
}

enum st storage_replay(const struct replay_request *r, const struct placement *p, const struct storage *s,
                       struct storage_counts *out, struct err *err)
{
    enum st st;
    const struct assignment *a = r->assignment;
    struct places places = {0};
    struct worker *workers = NULL;
    struct sampler *sampler = NULL;
    struct workload w = *r->workload;
    struct progress bar;
    uint64_t tasks = 0;
    w.seed = r->seed;
    TRY(places_make(r, p, s, &places, err));
    TRY(check_sampler(&places, err));
    NEW(workers, r->threads, "the counts of the storage");
    for (int t = 0; t < r->threads; t++) TRY(worker_make(&workers[t], r, s, err));
    NEW(out->gpu, a->gpus, "the counts of the storage");
    out->gpus = a->gpus;
    out->epochs = r->epochs;
    TRY(sampler_new(r->graph, &w, r->line_bytes, r->threads, &sampler, err));
    TRY(sampler_keep_steps(sampler, err));
    for (int g = 0; g < a->gpus; g++) tasks += (a->train_count[g] + w.batch - 1) / w.batch * r->epochs;
    progress_begin(&bar, "reading the storage", tasks, r->progress);
    for (int g = 0; g < a->gpus && st == ST_OK; g++) {
        places_of_reader(&places, g);
        st = sampler_gpu(sampler, a->id[g], assignment_seeds(a, g), a->train_count[g], r->epochs, err);
        if (st == ST_OK) st = replay_reader(&places, sampler, workers, &bar, &out->gpu[g], err);
    }
    progress_end(&bar);
done:
    for (int t = 0; workers && t < r->threads; t++) worker_release(&workers[t]);
    mem_free(workers);
    sampler_free(sampler);
    places_release(&places);
    return st;
}
