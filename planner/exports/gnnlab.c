/* gnnlab - a data set of GNNLab with the plan's rows as its ranking (GNNLab 2d0dd92, samgraph/common/engine.cc).
 *
 * Arrays have no headers and exactly the sizes that meta.txt gives, or the program aborts; a set of no vertices
 * cannot be mapped, so one vertex stands for the validation and the test set. Every trainer caches the first floor(N
 * * share) rows of cache_by_heuristic.bin, so the plan's lists become one ranking: rows on more GPUs first, then by
 * their best slot, then the lower id; rows that nobody holds follow by how many rows list them. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "planner/partition/assign.h"
#include "planner/exports/export.h"
#include "planner/hotness/hotness.h"

/* GPUs that sample, the first ones: as many as a plan for GNNLab says, else one for every 8. */
static int samplers(const struct plan *p)
{
    int gpus = p->assignment.gpus, said = (int)doc_size(doc_get(p->notes, "sampler_gpus"));
    if (said > 0 && said < gpus) return said;
    return gpus < 2 ? 0 : gpus < 16 ? 1 : gpus / 8;
}

static enum st gnnlab_check(const struct export_input *in, struct err *err)
{
    return export_limits("gnnlab", in->graph->n, in->graph->m, UINT32_MAX - 1, UINT32_MAX, err);
}

/* Rows that every trainer has room for. */
static uint64_t cached_rows(const struct export_input *in)
{
    const struct plan *p = in->plan;
    uint64_t rows = in->graph->n, row = 4 * in->graph->feature_dim;
    for (int g = samplers(p); g < p->assignment.gpus; g++)
        if (p->budget[g] / row < rows) rows = p->budget[g] / row;
    return rows;
}

static enum st write_meta(const struct export_input *in, struct export_folder *to, const uint64_t *count,
                          struct err *err)
{
    char text[400];
    snprintf(text, sizeof text,
             "NUM_NODE\t%" PRIu64 "\nNUM_EDGE\t%" PRIu64 "\nFEAT_DIM\t%" PRIu64 "\nNUM_CLASS\t%" PRIu64
             "\nNUM_TRAIN_SET\t%" PRIu64 "\nNUM_VALID_SET\t%" PRIu64 "\nNUM_TEST_SET\t%" PRIu64 "\n",
             in->graph->n, in->graph->m, in->graph->feature_dim, in->sets->classes ? in->sets->classes : 1,
             count[SET_TRAIN], count[SET_VALID], count[SET_TEST]);
    return export_text(to, "meta.txt", "counts", text, err);
}

/* Lengths of rows, and how many rows list each vertex. */
static enum st write_degrees(const struct export_input *in, struct export_folder *to, uint32_t *count, struct err *err)
{
    const struct graph *g = in->graph;
    for (uint64_t v = 0; v < g->n; v++) count[v] = (uint32_t)graph_degree(g, v);
    PASS(export_ids_raw(to, "in_degrees.bin", "uint32: entries of each row", count, g->n, 4, err));
    memset(count, 0, g->n * sizeof *count);
    for (uint64_t e = 0; e < g->m; e++) count[g->indices[e]]++;
    return export_ids_raw(to, "out_degrees.bin", "uint32: rows that list each vertex", count, g->n, 4, err);
}

static void say(const struct export_input *in, struct export_folder *to)
{
    uint64_t rows = cached_rows(in), n = in->graph->n;
    double share = rows == n
                       ? 1
                       : ((double)rows + 0.5) /
                             (double)n; /* in the middle, so that floor(N * share) is the rows whatever the rounding */
    char text[40], bytes[BYTES_TEXT];
    snprintf(text, sizeof text, "%.12g", share);
    export_use(to, EXPORT_PASS,
               "run with cache policy heuristic and cache percentage %s: the first %" PRIu64 " rows of "
               "cache_by_heuristic.bin "
               "on every trainer",
               text, rows);
    DOC_PUT(to->settings, IS("cache_policy", "heuristic"), IS("cache_percentage", text), IS("cached_rows", rows),
            IS("samplers", samplers(in->plan)));
    export_use(to, EXPORT_NOTE, "each sampler GPU must hold the whole topology, %s",
               units_bytes_exact(bytes, 4 * (in->graph->n + 1 + in->graph->m)));
    if (!in->sets->labels)
        export_add(to, "label.bin", 8 * n,
                   "int64, one class per vertex, no header; without it labels are not initialised. Set NUM_CLASS in "
                   "meta.txt to the number of classes (it is 1 now)");
}

static enum st write_sets(const struct export_input *in, struct export_folder *to, uint32_t *order, struct err *err)
{
    const struct graph *g = in->graph;
    uint32_t one[VERTEX_SETS];
    OWNED uint32_t *train = NULL;
    uint64_t count[VERTEX_SETS] = {0};
    struct hotness_input h = {.graph = g, .kernels = in->kernels, .threads = in->threads};
    OWNED_NEW(uint8_t, owner, g->n, "owners of training vertices");
    PASS(export_train(in, &train, &count[SET_TRAIN], owner, err));
    const uint32_t *valid = export_set(in, SET_VALID, owner, &one[SET_VALID], &count[SET_VALID]),
                   *test = export_set(in, SET_TEST, owner, &one[SET_TEST], &count[SET_TEST]);
    PASS(write_meta(in, to, count, err));
    PASS(export_ids_raw(to, "train_set.bin", "uint32: training vertices", train, count[SET_TRAIN], 4, err));
    PASS(export_ids_raw(to, "valid_set.bin",
                        in->sets->valid_count ? "uint32: validation vertices"
                                              : "uint32: one vertex, because the file must not be empty",
                        valid, count[SET_VALID], 4, err));
    PASS(export_ids_raw(to, "test_set.bin",
                        in->sets->test_count ? "uint32: test vertices"
                                             : "uint32: one vertex, because the file must not be empty",
                        test, count[SET_TEST], 4, err));
    PASS(export_labels_raw(in, to, "label.bin", 8, err));
    PASS(write_degrees(in, to, order, err));
    PASS(export_ranking(in, order, err));
    PASS(
        export_ids_raw(to, "cache_by_heuristic.bin", "uint32: the plan's ranking, hottest first", order, g->n, 4, err));
    PASS(hotness_order("degree-out", &h, order, err));
    return export_ids_raw(to, "cache_by_degree.bin", "uint32: GNNLab's own ranking by degree, to compare", order, g->n,
                          4, err);
}

static enum st gnnlab_write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    const struct graph *g = in->graph;
    OWNED_NEW(uint32_t, order, g->n, "a ranking");
    PASS(export_offsets_raw(to, "indptr.bin", "uint32: row offsets (CSC: row = target)", g->indptr, g->n + 1, 4, err));
    PASS(export_ids_raw(to, "indices.bin", "uint32: in-neighbours, row by row", g->indices, g->m, 4, err));
    PASS(write_sets(in, to, order, err));
    PASS(export_features(in, to, "feat.bin", true, true, err));
    say(in, to);
    return ST_OK;
}

/* ---- what it makes of the plan ---- */

static void same_rows(struct placement *p, uint32_t *order, uint64_t count, int from)
{
    for (int g = 0; g < p->gpus; g++)
        p->feature[g] = g < from ? (struct row_list){0} : (struct row_list){.id = order, .count = count};
}

/* The first `count` GPUs hold the whole topology (`all`: every vertex) and sample, the others hold nothing of it. */
static void sample_there(struct placement *p, uint32_t *all, uint64_t n, int count)
{
    for (int g = 0; g < p->gpus; g++)
        p->topology[g] = g < count ? (struct row_list){.id = all, .count = n} : (struct row_list){0};
    p->access = ACCESS_SAMPLERS;
}

/* A global shuffle over the GPUs from `skip` on. */
static enum st deal(const struct export_input *in, int skip, struct assignment *out, struct err *err)
{
    const struct assignment *a = &in->plan->assignment;
    OWNED_NEW(struct server, s, 1, "a server");
    s->gpus = a->gpus;
    s->cliques = a->cliques;
    s->links_known = true;
    for (int g = 0; g < a->gpus; g++) {
        s->gpu[g].id = a->id[g];
        s->clique_of[g] = a->clique_of[g];
    }
    return assign_global(in->graph, s, skip, in->plan->workload.seed, out, err);
}

/* order: the ranking; all: every vertex. */
static enum st lacks_of_roles(const struct export_input *in, struct export_runs *to, uint32_t *order, uint32_t *all,
                              struct err *err)
{
    struct export_run *run = NULL;
    PASS(export_lack(to, &run, "different rows on different GPUs", err,
                     "every trainer caches the same %" PRIu64 " rows. The number below also excludes reads of peers.",
                     cached_rows(in)));
    run->simulate = true;
    export_run_no_peers(run);
    same_rows(&run->placement, order, cached_rows(in), 0);
    PASS(export_lack(to, &run, "topology rows on GPUs that train", err,
                     "sampler GPUs hold the whole topology, other GPUs none; sampled blocks are copied to the "
                     "trainers."));
    run->simulate = true;
    sample_there(&run->placement, all, in->graph->n, 1);
    if (in->plan->assignment.kind == ASSIGNMENT_GLOBAL) return ST_OK;
    PASS(export_lack(to, &run, "training vertices per GPU", err,
                     "a global shuffle distributes them over the trainers in every epoch."));
    run->simulate = true;
    run->assignment = &to->other[0];
    return deal(in, 0, &to->other[0], err);
}

static enum st lacks(const struct export_input *in, struct export_runs *to, uint32_t *order, uint32_t *all,
                     struct err *err)
{
    struct export_run *run = NULL;
    PASS(export_lack(to, &run, "reads of peers over NVLink", err, "a trainer reads its own cache or the host."));
    run->simulate = export_run_no_peers(run);
    if (!run->simulate) to->count--;
    if (in->plan->placement.access != ACCESS_SAMPLERS)
        PASS(lacks_of_roles(in, to, order, all, err)); /* else it was planned for roles like GNNLab's */
    PASS(export_lack_sets(in, to, err));
    PASS(export_lack_types(in, to, "GNNLab", err));
    PASS(export_lack_workload(in, to, "GNNLab", false, err));
    return export_lack_frontier(in, to, "GNNLab", err);
}

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    int count = samplers(in->plan);
    struct export_run *run = NULL;
    uint32_t *order = NULL, *all = NULL;
    uint64_t n = in->graph->n;
    PASS(export_runs_list(to, n, &order, err));
    PASS(export_runs_list(to, n, &all, err));
    for (uint64_t v = 0; v < n; v++) all[v] = (uint32_t)v;
    PASS(export_ranking(in, order, err));
    PASS(lacks(in, to, order, all, err));
    if (!count) {
        PASS(export_as_run(to, &run, err,
                           "not simulated: GNNLab needs at least 2 GPUs, one that samples and one that trains."));
        run->simulate = false;
        return ST_OK;
    }
    PASS(export_as_run(to, &run, err,
                       "GPU%s that sample%s: %d (the first of the plan); the others train and cache the same rows. The "
                       "sampled blocks reach them through the host.",
                       count > 1 ? "s" : "", count > 1 ? "" : "s", count));
    PASS(deal(in, count, &to->other[1], err));
    sample_there(&run->placement, all, n, count);
    run->placement.copies_features =
        true; /* its released trainers have the CPU gather the rows that their caches miss */
    export_run_no_peers(run);
    same_rows(&run->placement, order, cached_rows(in), count);
    run->assignment = &to->other[1];
    if (in->graph->feature_bytes != 4) run->row_bytes = 4 * in->graph->feature_dim;
    return ST_OK;
}

extern const struct export_target export_target_gnnlab;
const struct export_target export_target_gnnlab = {.name = "gnnlab",
                                                   .summary = "GNNLab data set with the plan's rows as its ranking "
                                                              "file",
                                                   .features = true,
                                                   .source = "SJTU-IPADS/gnnlab 2d0dd92",
                                                   .build = "gnnlab 2d0dd92",
                                                   .one_type = "reads one graph of one kind of vertices",
                                                   .made.why = "it caches the first rows of a ranking on every "
                                                               "trainer; take --policy gnnlab",
                                                   .check = gnnlab_check,
                                                   .write = gnnlab_write,
                                                   .runs = runs};
