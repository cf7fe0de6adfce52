/* dgl - a data set of DGL GraphBolt, the plan's rows as its features, and the sizes of its caches (DGL 3d16000,
 * python/dgl/graphbolt).
 *
 * metadata.yaml names edges.npy, int64 (2, m): sources, then targets; of several types one such file per relation.
 * GraphBolt samples along in-edges, so an entry u of row v is the edge u -> v. Features are read through a gb.Feature
 * of the script, where the plan puts them, or, of a plan with dynamic caches, through GraphBolt's own, which takes
 * bytes. Its cache of the graph is per GPU and fills while it runs: what can be handed over is the number of edges. It
 * hashes every file of the folder, so that all of them must be there before the first load. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/exports/export_clique.h"
#include "planner/exports/export_planned.h"
#include "planner/exports/export_script.h"

extern const struct export_target export_target_dgl;

static enum st dgl_check(const struct export_input *in, struct err *err)
{
    return export_limits("dgl", in->graph->n, in->graph->m, UINT32_MAX, INT64_MAX / 16, err);
}

/* Edges of the topology rows that GPU g holds. */
static uint64_t cached_edges(const struct export_input *in, int g)
{
    const struct graph *of = in->graph;
    const struct row_list *l = &in->plan->placement.topology[g];
    uint64_t edges = 0;
    for (uint64_t i = 0; i < l->count; i++) {
        const struct graph_csr csr = graph_csr(of, graph_relation_of_row(of, l->id[i]));
        edges += csr_degree(&csr, l->id[i] - csr.first_row);
    }
    return edges;
}

/* Bytes for features on GPU g: of the plan's rows, or of its cache where features are cached while it runs. */
static uint64_t cached_bytes(const struct export_input *in, int g)
{
    if (*in->plan->cache) return in->plan->cache_rows[g] * in->graph->row_bytes;
    return placement_feature_bytes(&in->plan->placement, g, in->graph);
}

static enum st write_edges_of(struct export_folder *to, const char *name, const struct graph_csr *csr, struct err *err)
{
    uint64_t shape[2] = {2, csr->m};
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    PASS(export_file_npy(to, name, "int64 (2, m): sources, then targets", "i8", 2, shape, &f, err));
    PASS(export_file_ids(&f, csr->indices, csr->m, 8, err));
    for (uint64_t v = 0; v < csr->rows; v++) PASS(export_file_repeat(&f, v, csr_degree(csr, v), 8, err));
    return export_file_end(&f, err);
}

static enum st write_edges(const struct export_input *in, struct export_folder *to, struct err *err)
{
    const struct graph *g = in->graph;
    for (int r = 0; r < graph_relation_count(g); r++) {
        const struct graph_csr csr = graph_csr(g, r);
        char name[EXPORT_NAME], suffix[GRAPH_SUFFIX];
        snprintf(name, sizeof name, "edges%s.npy", graph_suffix(g, r, suffix));
        PASS(write_edges_of(to, name, &csr, err));
    }
    return ST_OK;
}

/* The name as a YAML text in single quotes. */
static void quote(const char *name, char *out, size_t size)
{
    text_append(out, size, "'");
    for (; *name; name++) text_append(out, size, *name == '\'' ? "''" : (unsigned char)*name < 32 ? "?" : "%c", *name);
    text_append(out, size, "'");
}

/* NULL of a plain graph. */
static const char *type_name(const struct graph *g, int t) { return graph_plain(g) ? NULL : g->type[t].name; }

/* "type: 'name'" between two texts; nothing without a name. */
static void put_type(const char *name, const char *before, const char *after, char *text, size_t size)
{
    if (!name) return;
    text_append(text, size, "%stype: ", before);
    quote(name, text, size);
    text_append(text, size, "%s", after);
}

/* One set of the task: its seeds and, if the graph has some, their labels. type: of several. */
static void put_set(char *text, size_t size, const char *type, const char *seeds, const char *labels)
{
    static const char entry[] = "          - name: %s\n            format: numpy\n            in_memory: true\n"
                                "            path: %s\n";
    text_append(text, size, "      - ");
    put_type(type, "", "\n        ", text, size);
    text_append(text, size, "data:\n");
    text_append(text, size, entry, "seeds", seeds);
    if (labels) text_append(text, size, entry, "labels", labels);
}

static void put_graph(const struct graph *g, char *text, size_t size)
{
    text_append(text, size, "graph:\n  nodes:\n");
    for (int t = 0; t < graph_type_count(g); t++) {
        const struct export_rows r = export_rows_shape(g, t);
        text_append(text, size, "    - ");
        put_type(type_name(g, t), "", "\n      ", text, size);
        text_append(text, size, "num: %" PRIu64 "\n", r.n);
    }
    text_append(text, size, "  edges:\n");
    for (int r = 0; r < graph_relation_count(g); r++) {
        const struct graph_csr csr = graph_csr(g, r);
        const char *source = type_name(g, csr.source);
        char label[GRAPH_LABEL_BYTES + 8], suffix[GRAPH_SUFFIX];
        text_append(text, size, "    - ");
        if (source) snprintf(label, sizeof label, "%s:%s:%s", source, g->relation[r].name, type_name(g, csr.target));
        put_type(source ? label : NULL, "", "\n      ", text, size);
        text_append(text, size, "format: numpy\n      path: edges%s.npy\n", graph_suffix(g, r, suffix));
    }
}

/* Their rows; a comment until the files are there. */
static void put_features(const struct export_input *in, char *text, size_t size)
{
    const struct graph *g = in->graph;
    const char *comment = in->features ? "" : "# ";
    if (!in->features && graph_plain(g))
        text_append(text, size, "# When feat.npy is in this folder, uncomment the next six lines.\n");
    else if (!in->features)
        text_append(text, size, "# When the feat_*.npy are in this folder, uncomment the next lines.\n");
    text_append(text, size, "%sfeature_data:\n", comment);
    for (int t = 0; t < graph_type_count(g); t++) {
        const struct export_rows r = export_rows_shape(g, t);
        char name[EXPORT_NAME];
        if (!r.row_bytes) continue;
        text_append(text, size, "%s  - domain: node\n", comment);
        put_type(type_name(g, t), *comment ? "#     " : "    ", "\n", text, size);
        text_append(text, size, "%s    name: feat\n%s    format: numpy\n%s    in_memory: true\n%s    path: %s\n",
                    comment, comment, comment, comment, export_rows_file(&r, "feat", name));
    }
}

static void put_tasks(const struct export_input *in, char *text, size_t size)
{
    const struct graph *g = in->graph;
    const struct graph_sets *s = in->sets;
    text_append(text, size, "tasks:\n  - name: node_classification\n");
    if (s->classes) text_append(text, size, "    num_classes: %" PRIu64 "\n", s->classes);
    text_append(text, size, "    train_set:\n");
    for (int t = 0; t < graph_type_count(g); t++) {
        const struct export_rows r = export_rows_shape(g, t);
        char name[EXPORT_NAME];
        if (!graph_vertices(g, t).train_count) continue;
        put_set(text, size, type_name(g, t), export_rows_file(&r, "train_seeds", name),
                s->classes ? "train_labels.npy" : NULL);
    }
    if (s->valid_count) {
        text_append(text, size, "    validation_set:\n");
        put_set(text, size, NULL, "valid.npy", s->classes ? "valid_labels.npy" : NULL);
    }
    if (s->test_count) {
        text_append(text, size, "    test_set:\n");
        put_set(text, size, NULL, "test.npy", s->classes ? "test_labels.npy" : NULL);
    }
}

static enum st write_metadata(const struct export_input *in, struct export_folder *to, struct err *err)
{
    const struct graph *g = in->graph;
    size_t size = 3000 + (size_t)graph_type_count(g) * (6 * GRAPH_NAME_BYTES + 600) +
                  (size_t)g->relations * (6 * GRAPH_NAME_BYTES + 100);
    OWNED_NEW(char, text, size, "the description of a data set");
    text_append(text, size, "dataset_name: ");
    quote(g->name, text, size);
    text_append(text, size, "\n");
    put_graph(g, text, size);
    put_features(in, text, size);
    put_tasks(in, text, size);
    return export_text(to, "metadata.yaml", "what GraphBolt's OnDiskDataset reads", text, err);
}

static enum st write_script(const struct export_input *in, struct export_folder *to, struct err *err)
{
    const struct assignment *a = &in->plan->assignment;
    OWNED_DOC doc *own = doc_object(), *caches = doc_object();
    for (int g = 0; g < a->gpus; g++) {
        char id[16];
        doc *sizes = doc_array();
        snprintf(id, sizeof id, "%d", a->id[g]);
        doc_append(sizes, doc_unsigned(cached_bytes(in, g)));
        doc_append(sizes, doc_unsigned(cached_edges(in, g)));
        doc_put(caches, id, sizes);
    }
    doc_put_copy(own, "CACHES", caches);
    DOC_PUT(own, IS("PLANNED", doc_bool(!*in->plan->cache)),
            IS("SAMPLE", in->plan->workload.sampler == SAMPLER_LABOR ? "sample_layer_neighbor" : "sample_neighbor"));
    return export_script_write(in, to, "load_graphbolt.py", "makes a DataLoader of a GPU", own, err);
}

/* The labels of ids[count], in their order. */
static enum st write_labels_of(const struct export_input *in, struct export_folder *to, const char *name,
                               const uint32_t *ids, uint64_t count, struct err *err)
{
    enum { BLOCK = 1024 };
    int64_t labels[BLOCK];
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    if (!in->sets->labels || !count) return ST_OK;
    PASS(export_file_npy(to, name, "int64: classes of the set's vertices", "i8", 1, &count, &f, err));
    for (uint64_t i = 0; i < count;) {
        uint64_t k = 0;
        for (; k < BLOCK && i < count; i++) labels[k++] = in->sets->labels[ids[i]];
        PASS(export_file_put(&f, labels, 8 * k, err));
    }
    return export_file_end(&f, err);
}

static enum st write_train(const struct export_input *in, struct export_folder *to, struct err *err)
{
    OWNED uint32_t *train = NULL;
    uint64_t count = 0;
    OWNED_NEW(uint8_t, owner, in->graph->n, "owners of training vertices");
    PASS(export_train(in, &train, &count, owner, err));
    PASS(export_train_set(in, to, "train_seeds", train, count, err));
    PASS(export_train_files(in, to, err));
    PASS(export_planned_lists(in, to, err));
    PASS(export_sets_npy(in, to, err));
    PASS(write_labels_of(in, to, "train_labels.npy", train, count, err));
    PASS(write_labels_of(in, to, "valid_labels.npy", in->sets->valid, in->sets->valid_count, err));
    return write_labels_of(in, to, "test_labels.npy", in->sets->test, in->sets->test_count, err);
}

static void say(const struct export_input *in, struct export_folder *to)
{
    doc *caches = doc_array();
    for (int g = 0; g < in->plan->assignment.gpus; g++) {
        doc_append(caches, DOC(IS("gpu", in->plan->assignment.id[g]), IS("feature_cache_bytes", cached_bytes(in, g)),
                               IS("topology_cache_edges", cached_edges(in, g))));
        if (*in->plan->cache)
            export_use(to, EXPORT_NOTE,
                       "GPU %d: gb.gpu_cached_feature(.., %" PRIu64 ") bytes, num_gpu_cached_edges=%" PRIu64,
                       in->plan->assignment.id[g], cached_bytes(in, g), cached_edges(in, g));
    }
    doc_put(to->settings, "caches", caches);
    export_use(to, EXPORT_CALL,
               "load_graphbolt.py %s; start it from this folder, and load the data set from a copy: GraphBolt "
               "preprocesses again when a file of a data set changes",
               *in->plan->cache ? "sets both" : "reads features where the plan puts them");
}

static enum st dgl_write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    PASS(write_metadata(in, to, err));
    PASS(write_edges(in, to, err));
    PASS(write_train(in, to, err));
    if (graph_plain(in->graph)) PASS(export_features(in, to, "feat.npy", false, false, err));
    for (int t = 0; t < in->graph->types; t++) {
        const struct export_rows r = export_rows_shape(in->graph, t);
        char name[EXPORT_NAME];
        if (r.row_bytes)
            export_add(to, export_rows_file(&r, "feat", name), r.n * r.row_bytes + 128,
                       "an .npy array, %" PRIu64 " rows of %" PRIu64 " %s: those of %s", r.n, r.dim,
                       in->graph->type[t].features.element, in->graph->type[t].name);
    }
    PASS(write_script(in, to, err));
    say(in, to);
    return ST_OK;
}

/* ---- what it makes of the plan ---- */

static void cache_features(const struct export_input *in, struct export_run *run)
{
    run->simulate = true;
    run->cache = "lru";
    for (int g = 0; g < in->plan->assignment.gpus; g++) run->rows[g] = cached_bytes(in, g) / in->graph->row_bytes;
    export_run_no_peers(run);
}

/* GraphBolt's own cache of features, of a plan that has such caches. */
static enum st dynamic_runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    struct export_run *run = NULL;
    PASS(export_planned_runs(in, to, "GraphBolt", &export_target_dgl, err));
    run = &to->run[to->count - 1];
    run->placement = in->plan->placement; /* its cache of the graph is hardly better than the plan's rows */
    cache_features(in, run);
    export_run_reads(run);
    return ST_OK;
}

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    return *in->plan->cache ? dynamic_runs(in, to, err)
                            : export_planned_runs(in, to, "GraphBolt", &export_target_dgl, err);
}

const struct export_target export_target_dgl = {.name = "dgl",
                                                .summary = "DGL GraphBolt data set, rows of each GPU, and a loader "
                                                           "script",
                                                .features = true,
                                                .source = "dmlc/dgl 3d16000, python/dgl/graphbolt",
                                                .install = "DGL 2.4 or later from its own site (PyPI ends at 2.1.0 on "
                                                           "Linux), with torch and numpy, and " EXPORT_WHEEL
                                                           "; make_loader needs a GPU",
                                                .cache = "lru",
                                                .alias = "graphbolt",
                                                .labor = true,
                                                .order = true,
                                                .whole_rows = true,
                                                .together = true,
                                                .holds = EXPORT_HOLDS_ALL,
                                                .made = {.keeps = "no topology rows; any GPU in reach serves features",
                                                         .no_topology = true,
                                                         .all_hops = true},
                                                .check = dgl_check,
                                                .write = dgl_write,
                                                .runs = runs};
