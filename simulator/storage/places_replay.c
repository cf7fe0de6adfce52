#include "simulator/storage/places_replay.h"

#include <math.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "base/units.h"
#include "simulator/storage/storage.h"

/* Sums over the epochs: what one GPU reads from one place. */
struct place_reads {
    uint64_t rows, row_lines;         /* feature rows and their lines */
    uint64_t rows_of[PLAN_READS_MAX]; /* by kind of read (plan_places.h) */
    uint64_t visits, visit_lines;     /* visits of topology rows and the lines that they touch */
};
struct places_counts {
    struct place_reads of[GPUS_MAX][PLAN_PLACES_MAX];
};

struct reader {
    const struct replay_request *r;
    const struct plan *p;
    const struct places_remote *remote;
    int gpu;
    struct sample_counts counts;
    uint8_t *topology, *feature; /* rows of the kind, of placement_locate: 0 for the host */
    uint8_t *from;               /* rows of the kind: places */
};

static void reader_release(struct reader *reader)
{
    mem_free(reader->counts.feature);
    mem_free(reader->counts.draws);
    mem_free(reader->counts.lines);
    mem_free(reader->counts.edge);
    for (int h = 0; h < HOPS_MAX; h++) mem_free(reader->counts.visits[h]);
    mem_free(reader->topology);
    mem_free(reader->feature);
    mem_free(reader->from);
}

static enum st reader_make(struct reader *reader, struct err *err)
{
    const struct graph *g = reader->r->graph;
    uint64_t n = g->n, lists = graph_topology_rows(g);
    MAKE(reader->counts.feature, n, "the counts of a reader");
    MAKE(reader->counts.draws, lists, "the counts of a reader");
    MAKE(reader->counts.lines, lists, "the counts of a reader");
    if (g->edge_rows) MAKE(reader->counts.edge, g->edge_rows, "the counts of a reader");
    for (int h = 0; h < reader->r->workload->hops; h++) MAKE(reader->counts.visits[h], n, "the counts of a reader");
    MAKE(reader->topology, lists, "the places of rows");
    MAKE(reader->feature, graph_feature_rows(g), "the places of rows");
    MAKE(reader->from, graph_most_rows(g), "the places of rows");
    return ST_OK;
}

/* Draws the mini-batches of a GPU, and finds what it reads from the host. */
static enum st reader_draw(struct reader *reader, struct sampler *s, int gpu, struct err *err)
{
    const struct assignment *a = reader->r->assignment;
    const struct graph *g = reader->r->graph;
    uint64_t n = g->n, lists = graph_topology_rows(g);
    reader->gpu = gpu;
    memset(reader->counts.feature, 0, n * sizeof *reader->counts.feature);
    memset(reader->counts.lines, 0, lists * sizeof *reader->counts.lines);
    if (g->edge_rows) memset(reader->counts.edge, 0, g->edge_rows * sizeof *reader->counts.edge);
    for (int h = 0; h < reader->r->workload->hops; h++)
        memset(reader->counts.visits[h], 0, n * sizeof *reader->counts.visits[h]);
    PASS(sampler_gpu(s, a->id[gpu], assignment_seeds(a, gpu), a->train_count[gpu], reader->r->epochs, err));
    PASS(sampler_fits(s, sampler_batches(s) * reader->r->epochs, err));
    sampler_run(s, 0, sampler_batches(s) * reader->r->epochs, &reader->counts);
    PASS(sampler_collect(s, &reader->counts, err));
    const struct placement *p = &reader->p->placement;
    placement_locate(p, gpu, p->feature, graph_feature_rows(g), reader->feature);
    if (p->access == ACCESS_CPU) memset(reader->topology, 0, lists); /* the CPU samples from the host */
    if (p->access == ACCESS_GPU) placement_locate(p, gpu, p->topology, lists, reader->topology);
    if (p->access == ACCESS_SAMPLERS) memset(reader->topology, 1, lists);
    return ST_OK;
}

/* Bytes of a row of the current kind that the reader takes. */
static void tell(const struct reader *reader, uint64_t row, uint64_t bytes)
{
    const struct places_remote *remote = reader->remote;
    const struct place *from = &reader->p->places->place[reader->from[row]];
    if (remote && bytes && place_role(from) == ROLE_REMOTE)
        remote->read(remote->to, reader->gpu, from->node, row, bytes);
}

static void count_topology(const struct reader *reader, const struct row_table *t, struct place_reads *out)
{
    const struct graph *g = reader->r->graph;
    const struct workload *w = reader->r->workload;
    const uint64_t vertex = graph_csr(g, t->of).first_target; /* of row 0 */
    for (uint64_t v = 0; v < t->count; v++) {
        const uint64_t row = t->first + v;
        if (reader->topology[row]) continue;
        out[reader->from[row]].visit_lines += reader->counts.lines[row];
        tell(reader, row, (uint64_t)reader->counts.lines[row] * reader->r->line_bytes);
        for (int h = 0; h < w->hops; h++)
            if (workload_fanout(w, t->of, h)) out[reader->from[row]].visits += reader->counts.visits[h][vertex + v];
    }
}

static void count_features(const struct reader *reader, const struct row_table *t, int read, struct place_reads *out)
{
    const struct graph *g = reader->r->graph;
    const uint64_t first = t->first - graph_topology_rows(g);
    const uint32_t *gathers = t->kind == ROWS_EDGE ? reader->counts.edge + (first - g->n)
                                                   : reader->counts.feature + first;
    for (uint64_t v = 0; v < t->count; v++) {
        struct place_reads *to = &out[reader->from[first + v]];
        if (reader->feature[first + v]) continue;
        to->rows += gathers[v];
        to->rows_of[read] += gathers[v];
        to->row_lines += gathers[v] * cachelines_of_feature(v, t->row_bytes, reader->r->line_bytes);
        tell(reader, first + v, gathers[v] * t->row_bytes);
    }
}

static void count(const struct reader *reader, struct place_reads *out)
{
    const struct plan_places *l = reader->p->places;
    const struct graph *g = reader->r->graph;
    for (int kind = 0; kind < LIST_KINDS; kind++) {
        plan_places_locate(l, g, l->reader_of[reader->gpu], kind, reader->from);
        for (int k = 0; k < graph_tables(g); k++) {
            const struct row_table t = graph_table(g, k);
            if (!graph_table_there(g, k)) continue;
            if (t.kind == ROWS_TOPOLOGY && kind == LIST_TOPOLOGY) count_topology(reader, &t, out);
            if (t.kind != ROWS_TOPOLOGY && kind == LIST_FEATURE)
                count_features(reader, &t, plan_places_read(l, &t), out);
        }
    }
}

/* Draws the mini-batches of the request (those of replay_run) under the plan, and counts. */
static enum st count_places(const struct replay_request *r, const struct plan *p, const struct places_remote *remote,
                            struct places_counts *out, struct err *err)
{
    enum st st;
    struct workload w = *r->workload;
    struct sampler *s = NULL;
    struct reader reader = {.r = r, .p = p, .remote = remote};
    w.seed = r->seed;
    TRY(reader_make(&reader, err));
    TRY(sampler_new(r->graph, &w, r->line_bytes, r->threads, &s, err));
    for (int g = 0; g < r->assignment->gpus; g++) {
        TRY(reader_draw(&reader, s, g, err));
        count(&reader, out->of[g]);
    }
done:
    reader_release(&reader);
    sampler_free(s);
    return st;
}

/* ---- of all GPUs ---- */

/* What all GPUs read from one place, per epoch. */
static void sum_place(const struct plan *p, const struct places_counts *c, int k, uint64_t epochs,
                      struct place_sums *out)
{
    const struct plan_places *places = p->places;
    const struct place *place = &places->place[k];
    uint64_t across = 0; /* lines that GPUs of other sockets read */
    *out = (struct place_sums){.kind = place->kind, .other_socket_lines = -1};
    snprintf(out->name, sizeof out->name, "%s", place->name);
    for (int g = 0; g < p->assignment.gpus; g++) {
        const struct place_reads *of = &c->of[g][k];
        int r = places->reader_of[g];
        out->feature_rows += of->rows;
        out->feature_lines += of->row_lines;
        out->topology_visits += of->visits;
        out->topology_lines += of->visit_lines;
        if (places->socket[r] >= 0 && places->socket[r] != place->socket) across += of->row_lines + of->visit_lines;
        double cost = (double)of->visit_lines * places->cost[0][r][k];
        for (int i = places->reads - 1; i > 0; i--) cost = (double)of->rows_of[i] * places->cost[i][r][k] + cost;
        out->seconds += cost / (double)epochs;
    }
    out->feature_rows = units_round_half_up(out->feature_rows, epochs);
    out->feature_lines = units_round_half_up(out->feature_lines, epochs);
    out->topology_visits = units_round_half_up(out->topology_visits, epochs);
    out->topology_lines = units_round_half_up(out->topology_lines, epochs);
    if (place->socket >= 0) out->other_socket_lines = (int64_t)units_round_half_up(across, epochs);
}

/* Blocks of the SSDs, the drives' seconds, and the epoch with them as one more stage. */
static enum st read_ssd(const struct replay_request *r, const struct plan *p, struct epoch_timed *time,
                        struct memories_read *to, struct err *err)
{
    const struct drives *drives = &p->places->drives;
    struct storage s = {.block_bytes = drives->block_bytes, .places = p->places};
    OWNED_BY(storage_counts_release) struct storage_counts c = {0};
    PASS(storage_replay(r, &p->placement, &s, &c, err));
    struct storage_gpu gpu = storage_total(&c);
    to->blocks = (double)(gpu.feature_blocks + gpu.topology_blocks) / (double)r->epochs;
    to->bytes = to->blocks * (double)drives->block_bytes;
    to->ssd_seconds = drives_seconds(drives, to->blocks);
    to->limit = drives_limit(drives);
    if (!time) return ST_OK;
    to->epoch_without = epoch_timed_without(time, STAGE_STORAGE);
    epoch_timed_beside(time, STAGE_STORAGE, to->ssd_seconds, to->limit);
    to->epoch = time->seconds;
    return ST_OK;
}

enum st places_simulate(const struct replay_request *r, const struct plan *p, const struct places_remote *remote,
                        struct epoch_timed *time, struct memories_read **out, struct err *err)
{
    OWNED struct memories_read *m = NULL;
    MAKE(m, 1, "the reads of memories");
    OWNED_NEW(struct places_counts, c, 1, "the counts of memories");
    PASS(count_places(r, p, remote, c, err));
    m->places = p->places->places;
    m->epoch = m->epoch_without = NAN;
    for (int k = 0; k < m->places; k++) {
        sum_place(p, c, k, r->epochs, &m->place[k]);
        m->seconds += m->place[k].seconds;
        m->place[k].seconds /= p->assignment.gpus;
    }
    m->seconds /= p->assignment.gpus;
    if (p->places->drives.count) PASS(read_ssd(r, p, time, m, err));
    *out = TAKE(m);
    return ST_OK;
}
