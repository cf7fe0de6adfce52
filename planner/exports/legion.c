/* legion - a data set of Legion with the plan's training vertices per GPU, and the command line of its server (Legion
 * 80d6760).
 *
 * edge_src is int64 row offsets in spite of its name, edge_dst int32; files have no headers and are read to their
 * ends, so their sizes are exact. A training vertex goes to GPU partition[v]; ids there must be 0..G-1, for a larger
 * one drops the vertex. meta_config is one line of ten fields without an end of line, read from the folder where the
 * server starts; the data set's path in it is "./", so the folder can be moved. Cliques are always devices i*K ..
 * i*K+K-1, so GPUs are renumbered by CUDA_VISIBLE_DEVICES. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/exports/export_script.h"
#include "planner/policies/policy.h"

enum { EPOCHS = 10, MODES = 4 }; /* Legion's own default; group sizes 1, 2, 4, 8 */

/* Devices as Legion will number them: order[i] is the plan's position of its device i. */
struct devices {
    int gpus, group, mode, order[GPUS_MAX], number[GPUS_MAX];
    bool renumbered;
};

static enum st number_devices(const struct assignment *a, struct devices *out, struct err *err)
{
    struct devices d = {.gpus = a->gpus};
    int size[GPUS_MAX] = {0}, k = 0;
    for (int g = 0; g < a->gpus; g++) size[a->clique_of[g]]++;
    d.group = size[0];
    for (int c = 1; c < a->cliques; c++)
        if (size[c] != d.group)
            return err_set(err, ST_NO,
                           "legion: needs cliques of one size, but clique 0 has %d GPUs and clique %d has %d; plan for "
                           "GPUs that make equal cliques (--server NAME:0+1+..)",
                           d.group, c, size[c]);
    while (d.mode < MODES && 1 << d.mode != d.group) d.mode++;
    if (d.mode == MODES)
        return err_set(err, ST_NO,
                       "legion: its cliques have 1, 2, 4 or 8 GPUs, but this plan's have %d; plan for fewer GPUs of "
                       "each clique (--server NAME:0+1+..)",
                       d.group);
    for (int c = 0; c < a->cliques; c++)
        for (int g = 0; g < a->gpus; g++)
            if (a->clique_of[g] == c) d.order[k++] = g;
    for (int i = 0; i < a->gpus; i++) {
        d.number[d.order[i]] = i;
        d.renumbered |= a->id[d.order[i]] != i;
    }
    *out = d;
    return ST_OK;
}

static uint64_t least_budget(const struct plan *p)
{
    uint64_t least = p->budget[0];
    for (int g = 1; g < p->assignment.gpus; g++)
        if (p->budget[g] < least) least = p->budget[g];
    return least;
}

static enum st legion_check(const struct export_input *in, struct err *err)
{
    ON_HEAP(struct devices, d);
    enum st st = export_limits("legion", in->graph->n, in->graph->m, INT32_MAX, INT64_MAX, err);
    return st == ST_OK ? number_devices(&in->plan->assignment, d, err) : st;
}

/* partition: the device of every training vertex; v mod G, Legion's rule without the file, elsewhere. */
static enum st write_partition(const struct export_input *in, struct export_folder *to, const struct devices *d,
                               const uint8_t *owner, struct err *err)
{
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    PASS(export_file_raw(to, "partition", "int32: device of each training vertex", in->graph->n, 4, &f, err));
    for (uint64_t v = 0; v < in->graph->n;) {
        uint32_t block[2048];
        uint64_t k = 0;
        for (; k < 2048 && v < in->graph->n; v++)
            block[k++] = owner[v] == EXPORT_NOBODY ? (uint32_t)(v % (uint64_t)d->gpus) : (uint32_t)d->number[owner[v]];
        PASS(export_file_put(&f, block, 4 * k, err));
    }
    return export_file_end(&f, err);
}

/* The line that starts the server, and the file that does so. */
static enum st write_command(const struct export_input *in, struct export_folder *to, const struct devices *d,
                             struct err *err)
{
    char visible[400] = "";
    OWNED_DOC doc *own = doc_object();
    for (int i = 0; i < d->gpus; i++)
        text_append(visible, sizeof visible, "%s%d", i ? "," : "", in->plan->assignment.id[d->order[i]]);
    DOC_PUT(own, IS("DEVICES", visible), IS("GPUS", d->gpus), IS("MODE", d->mode));
    export_use(to, EXPORT_PASS,
               "cd into the folder and run: CUDA_VISIBLE_DEVICES=%s sampling_server %d %d  (or run.sh); not "
               "legion_server.py, which writes a meta_config of its own",
               visible, d->gpus, d->mode);
    if (d->renumbered)
        export_use(to, EXPORT_PASS,
                   "devices are renumbered so that cliques are contiguous: Legion's device i is the i-th of "
                   "CUDA_VISIBLE_DEVICES; start the trainers with the same setting");
    DOC_PUT(to->settings, IS("cuda_visible_devices", visible), IS("gpus", d->gpus), IS("mode", d->mode),
            IS("cache_bytes_per_gpu", least_budget(in->plan)));
    return export_script_write(in, to, "run.sh", "starts the server", own, err);
}

static enum st write_meta(const struct export_input *in, struct export_folder *to, const uint64_t *count,
                          struct err *err)
{
    char text[400];
    snprintf(text, sizeof text,
             "./ %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d",
             in->plan->workload.batch, in->graph->n, in->graph->m, in->graph->feature_dim, count[SET_TRAIN],
             count[SET_VALID], count[SET_TEST], least_budget(in->plan), EPOCHS);
    return export_text(to, "meta_config", "path batch n m dim train valid test cache-bytes epochs", text, err);
}

static enum st legion_write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    enum st st;
    const struct graph *g = in->graph;
    ON_HEAP(struct devices, d);
    uint8_t *owner = NULL;
    uint32_t *train = NULL, one[VERTEX_SETS];
    uint64_t count[VERTEX_SETS] = {0};
    TRY(number_devices(&in->plan->assignment, d, err));
    NEW(owner, g->n, "owners of training vertices");
    TRY(export_train(in, &train, &count[SET_TRAIN], owner, err));
    const uint32_t *valid = export_set(in, SET_VALID, owner, &one[SET_VALID], &count[SET_VALID]),
                   *test = export_set(in, SET_TEST, owner, &one[SET_TEST], &count[SET_TEST]);
    TRY(export_offsets_raw(to, "edge_src", "int64: row offsets (out-edges)", g->indptr, g->n + 1, 8, err));
    TRY(export_ids_raw(to, "edge_dst", "int32: neighbours, row by row", g->indices, g->m, 4, err));
    TRY(export_ids_raw(to, "trainingset", "int32: training vertices", train, count[SET_TRAIN], 4, err));
    TRY(export_ids_raw(to, "validationset",
                       in->sets->valid_count ? "int32: validation vertices"
                                             : "int32: one vertex, because the file must not be empty",
                       valid, count[SET_VALID], 4, err));
    TRY(export_ids_raw(to, "testingset",
                       in->sets->test_count ? "int32: test vertices"
                                            : "int32: one vertex, because the file must not be empty",
                       test, count[SET_TEST], 4, err));
    TRY(export_labels_raw(in, to, "labels", 4, err));
    TRY(write_partition(in, to, d, owner, err));
    TRY(write_meta(in, to, count, err));
    TRY(export_features(in, to, "features", true, true, err));
    if (!in->sets->labels)
        export_add(to, "labels", 4 * g->n,
                   "int32, one class per vertex, no header; like features it is read only if you add the loading code "
                   "that Legion's source lacks");
    TRY(write_command(in, to, d, err));
done:
    mem_free(owner);
    mem_free(train);
    return st;
}

/* ---- what it makes of the plan ---- */

/* legion-public with the plan's assignment, the one budget and rows of float32, served inside the clique. */
static enum st legion_place(const struct export_input *in, struct export_runs *to, struct export_run *run,
                            struct err *err)
{
    enum st st;
    const struct policy *policy = NULL;
    struct graph view = *in->graph; /* borrows the mappings */
    struct plan *p = NULL;
    struct policy_verdict verdict = {0};
    OWNED struct policy_input *input = NULL;
    NEW(p, 1, "a plan");
    NEW(input, 1, "a plan");
    TRY(policy_find("legion-public", &policy, err));
    view.row_bytes = run->row_bytes ? run->row_bytes : view.row_bytes;
    *input = (struct policy_input){.graph = &view,
                                   .trace = in->trace,
                                   .kernels = in->kernels,
                                   .threads = in->threads,
                                   .seed = in->plan->workload.seed,
                                   .hotness = policy->hotness};
    p->assignment = in->plan->assignment; /* borrowed */
    p->placement.gpus = p->assignment.gpus;
    p->line_bytes = in->plan->line_bytes;
    for (int g = 0; g < p->assignment.gpus; g++) p->budget[g] = least_budget(in->plan);
    TRY(policy->place(input, p, &verdict, err));
    TRY(export_runs_take(to, run, &p->placement, err));
    export_run_reads(run);
done:
    if (p) placement_release(&p->placement);
    mem_free(p);
    return st;
}

/* Every GPU of a clique serves the others, whatever the plan's links say. */
static void join_cliques(struct placement *p, const struct assignment *a)
{
    for (int g = 0; g < a->gpus; g++) {
        p->peers[g] = 0;
        for (int i = 0; i < a->gpus; i++)
            if (i != g && a->clique_of[i] == a->clique_of[g]) p->peer[g][p->peers[g]++] = i;
    }
}

static enum st lacks(const struct export_input *in, struct export_runs *to, struct err *err)
{
    const struct plan *p = in->plan;
    struct export_run *run = NULL;
    char most[UNIT_TEXT], least[UNIT_TEXT];
    uint64_t largest = 0;
    PASS(export_lack(to, NULL, "which rows are held, where, and how much of the budget is for topology", err,
                     "Legion reads no cache contents: it pre-samples, ranks and fills by its own rule. Its released "
                     "code counts no topology transactions, so it takes the smallest share for topology (1 %%) that "
                     "leaves a feature out, and assigns rows round-robin to the GPUs of a clique. Only the memory per "
                     "GPU, the cliques and the training vertices are exported."));
    PASS(export_lack(to, &run, "NVLinks beyond the clique", err, "cliques do not read from each other."));
    run->simulate = export_run_clique_peers(run, &p->assignment);
    if (!run->simulate) to->count--;
    for (int g = 0; g < p->assignment.gpus; g++) largest = p->budget[g] > largest ? p->budget[g] : largest;
    if (largest != least_budget(p))
        PASS(export_lack(to, NULL, "unequal budgets", err,
                         "Legion takes one number for all GPUs: the smallest budget, %s, is exported; the largest is "
                         "%s.",
                         units_bytes(least, least_budget(p)), units_bytes(most, largest)));
    PASS(export_lack_types(in, to, "Legion", err));
    if (p->placement.access != ACCESS_GPU)
        PASS(export_lack(to, NULL, "sampling by the CPU or by other GPUs", err,
                         "every GPU samples for itself, from its cache and the host's memory."));
    PASS(export_lack_sets(in, to, err));
    PASS(export_lack_workload(in, to, "Legion", true, err));
    return export_lack_frontier(in, to, "Legion", err);
}

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    struct export_run *run = NULL;
    PASS(lacks(in, to, err));
    PASS(export_as_run(to, &run, err,
                       "like policy legion-public (Legion's released code), with this plan's training vertices, "
                       "cliques and memory."));
    run->simulate = in->trace != NULL;
    if (in->graph->feature_bytes != 4) run->row_bytes = 4 * in->graph->feature_dim;
    if (in->trace) PASS(legion_place(in, to, run, err));
    join_cliques(&run->placement, &in->plan->assignment);
    return ST_OK;
}

extern const struct export_target export_target_legion;
const struct export_target export_target_legion = {.name = "legion",
                                                   .summary = "Legion data set: partition by GPU, training set, "
                                                              "meta_config, command line",
                                                   .features = true,
                                                   .source = "JIESUN233/Legion 80d6760",
                                                   .build = "Legion 80d6760",
                                                   .needs_trace = true,
                                                   .cliques = true,
                                                   .one_type = "reads one graph of one kind of vertices",
                                                   .made = {.keeps = "the rows that Legion's released code places; "
                                                                     "only who trains what is planned",
                                                            .policy = "legion-public"},
                                                   .check = legion_check,
                                                   .write = legion_write,
                                                   .runs = runs};
