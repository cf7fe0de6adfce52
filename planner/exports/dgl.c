/* dgl - a data set of DGL GraphBolt and the two cache sizes that it takes (DGL 3d16000, python/dgl/graphbolt).
 *
 * metadata.yaml names edges.npy, int64 (2, m): sources, then targets. GraphBolt samples along in-edges, so an entry u
 * of row v is the edge u -> v. Its caches are per GPU and fill while it runs: what can be handed over are the bytes
 * for features and the number of edges for topology. It hashes every file of the folder, so that all of them must be
 * there before the first load. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/exports/export_clique.h"

static enum st check(const struct export_input *in, struct err *err)
{
    return export_limits("dgl", in->graph->n, in->graph->m, UINT32_MAX, INT64_MAX / 16, err);
}

/* Edges of the topology rows that GPU g holds. */
static uint64_t cached_edges(const struct export_input *in, int g)
{
    const struct row_list *l = &in->plan->placement.topology[g];
    uint64_t edges = 0;
    for (uint64_t i = 0; i < l->count; i++) edges += graph_degree(in->graph, l->id[i]);
    return edges;
}

/* Bytes for features on GPU g: of the plan's rows, or of its cache where features are cached while it runs. */
static uint64_t cached_bytes(const struct export_input *in, int g)
{
    if (*in->plan->cache) return in->plan->cache_rows[g] * in->graph->row_bytes;
    return in->plan->placement.feature[g].count * in->graph->row_bytes;
}

static enum st write_edges(const struct export_input *in, struct export_folder *to, struct err *err)
{
    enum st st;
    const struct graph *g = in->graph;
    uint64_t shape[2] = {2, g->m};
    struct export_file f = {0};
    TRY(export_file_npy(to, "edges.npy", "int64 (2, m): sources, then targets", "i8", 2, shape, &f, err));
    TRY(export_file_ids(&f, g->indices, g->m, 8, err));
    for (uint64_t v = 0; v < g->n; v++) TRY(export_file_repeat(&f, v, graph_degree(g, v), 8, err));
    TRY(export_file_end(&f, err));
done:
    export_file_cancel(&f);
    return st;
}

/* The name as a YAML text in single quotes. */
static void quote(const char *name, char *out, size_t size)
{
    text_append(out, size, "'");
    for (; *name; name++) text_append(out, size, *name == '\'' ? "''" : (unsigned char)*name < 32 ? "?" : "%c", *name);
    text_append(out, size, "'");
}

/* One set of the task: its seeds and, if the graph has some, their labels. */
static void put_set(char *text, size_t size, const char *set, const char *seeds, const char *labels)
{
    static const char entry[] = "          - name: %s\n            format: numpy\n            in_memory: true\n"
                                "            path: %s\n";
    text_append(text, size, "    %s:\n      - data:\n", set);
    text_append(text, size, entry, "seeds", seeds);
    if (labels) text_append(text, size, entry, "labels", labels);
}

static enum st write_metadata(const struct export_input *in, struct export_folder *to, struct err *err)
{
    char text[3000] = "", name[300] = "";
    const struct graph_sets *s = in->sets;
    const char *comment = in->features ? "" : "# ";
    quote(in->graph->name, name, sizeof name);
    text_append(text, sizeof text,
                "dataset_name: %s\ngraph:\n  nodes:\n    - num: %" PRIu64 "\n  edges:\n    - format: numpy\n      "
                "path: edges.npy\n"
                "%s%sfeature_data:\n%s  - domain: node\n%s    name: feat\n%s    format: numpy\n%s    in_memory: "
                "true\n%s    path: feat.npy\n"
                "tasks:\n  - name: node_classification\n",
                name, in->graph->n,
                in->features ? ""
                             : "# When feat.npy is in this folder, uncomment the next six "
                               "lines.\n",
                comment, comment, comment, comment, comment, comment);
    if (s->classes) text_append(text, sizeof text, "    num_classes: %" PRIu64 "\n", s->classes);
    put_set(text, sizeof text, "train_set", "train_seeds.npy", s->classes ? "train_labels.npy" : NULL);
    if (s->valid_count)
        put_set(text, sizeof text, "validation_set", "valid.npy", s->classes ? "valid_labels.npy" : NULL);
    if (s->test_count) put_set(text, sizeof text, "test_set", "test.npy", s->classes ? "test_labels.npy" : NULL);
    return export_text(to, "metadata.yaml", "what GraphBolt's OnDiskDataset reads", text, err);
}

static const char loader[] = "\"\"\"Sets GraphBolt up for a plan: the data set, the training vertices of a GPU "
                             "and its two cache sizes.\n"
                             "\n"
                             "Needs torch and dgl 2.4 or later. Copy this file to where it is run: GraphBolt "
                             "hashes every file of this folder, and one that changes or is added\n"
                             "after the first load makes it preprocess everything again.\n"
                             "    loader = make_loader('FOLDER', device, batch_size=%" PRIu64 ", fanout=[%s])\n"
                             "\"\"\"\n"
                             "import inspect\n"
                             "import os\n"
                             "\n"
                             "# GPU: (bytes of features, edges of topology) to cache\n"
                             "CACHES = {%s}\n"
                             "\n"
                             "\n"
                             "def with_known(function, *words, **options):\n"
                             "    \"\"\"Calls function with those options that this version of it has.\"\"\"\n"
                             "    known = inspect.signature(function).parameters\n"
                             "    return function(*words, **{k: v for k, v in options.items() if k in known})\n"
                             "\n"
                             "\n"
                             "def make_loader(folder, device, batch_size, fanout):\n"
                             "    \"\"\"A DataLoader over the training vertices that the plan gives to GPU "
                             "`device` (a number).\"\"\"\n"
                             "    import numpy\n"
                             "    import torch\n"
                             "    import dgl\n"
                             "    import dgl.graphbolt as gb\n"
                             "    feature_bytes, edges = CACHES[device]\n"
                             "    torch.cuda.set_device(device)\n"
                             "    dataset = gb.OnDiskDataset(folder).load()\n"
                             "    graph, features = dataset.graph, dataset.feature\n"
                             "    graph.pin_memory_()\n"
                             "    features.pin_memory_()\n"
                             "    store = features if hasattr(features, '__setitem__') else features._features  "
                             "# before DGL 2.4\n"
                             "    key = ('node', None, 'feat')\n"
                             "    if key not in store.keys():\n"
                             "        raise ValueError('metadata.yaml names no features yet: put feat.npy next "
                             "to it and uncomment its feature_data lines')\n"
                             "    if feature_bytes:\n"
                             "        if not callable(getattr(gb, 'gpu_cached_feature', None)):\n"
                             "            raise RuntimeError('dgl %%s has no gb.gpu_cached_feature(feature, bytes); "
                             "install 2.4 or later' %% dgl.__version__)\n"
                             "        store[key] = gb.gpu_cached_feature(store[key], feature_bytes)\n"
                             "    seeds = numpy.load(os.path.join(folder, 'gpu%%d_train.npy' %% device))\n"
                             "    seeds = torch.from_numpy(seeds).to(graph.indices.dtype)  # which the sampler "
                             "asks for\n"
                             "    items = gb.ItemSet(seeds, names='seeds')\n"
                             "    if os.path.exists(os.path.join(folder, 'labels.npy')):\n"
                             "        labels = torch.from_numpy(numpy.load(os.path.join(folder, 'labels.npy')))\n"
                             "        items = gb.ItemSet((seeds, labels[seeds.long()]), names=('seeds', 'labels'))\n"
                             "    pipe = gb.ItemSampler(items, batch_size=batch_size, "
                             "shuffle=True).copy_to(torch.device('cuda', device))\n"
                             "    cache = {'num_gpu_cached_edges': edges, 'gpu_cache_threshold': 1}\n"
                             "    # GraphBolt counts fan-outs from the last hop, hotset from the seeds\n"
                             "    pipe = pipe.%s(graph, fanout[::-1], **({'overlap_fetch': True, **cache} "
                             "if sampler_has_cache(gb) else {}))\n"
                             "    pipe = pipe.fetch_feature(features, node_feature_keys=['feat'])\n"
                             "    return with_known(gb.DataLoader, pipe, overlap_graph_fetch=True, **cache)\n"
                             "\n"
                             "\n"
                             "def sampler_has_cache(gb):\n"
                             "    \"\"\"DGL 2.4 moved the cache of edges from the DataLoader to the "
                             "sampler.\"\"\"\n"
                             "    return 'num_gpu_cached_edges' in "
                             "inspect.signature(gb.NeighborSampler.__init__).parameters\n";

static enum st write_loader(const struct export_input *in, struct export_folder *to, struct err *err)
{
    enum st st;
    const struct workload *w = &in->plan->workload;
    const struct assignment *a = &in->plan->assignment;
    char caches[GPUS_MAX * 56] = "", fanout[200] = "", *text = NULL;
    size_t size = sizeof loader + sizeof caches + sizeof fanout + 64;
    for (int h = 0; h < w->hops; h++) text_append(fanout, sizeof fanout, "%s%u", h ? ", " : "", w->fanout[h]);
    for (int g = 0; g < a->gpus; g++)
        text_append(caches, sizeof caches, "%s%d: (%" PRIu64 ", %" PRIu64 ")", g ? ", " : "", a->id[g],
                    cached_bytes(in, g), cached_edges(in, g));
    NEW(text, size, "the text of a script");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, size, loader, w->batch, fanout, caches,
             w->sampler == SAMPLER_LABOR ? "sample_layer_neighbor" : "sample_neighbor"); /* GraphBolt's name of LABOR */
#pragma GCC diagnostic pop
    TRY(export_text(to, "load_graphbolt.py", "makes a DataLoader with the plan's cache sizes", text, err));
done:
    mem_free(text);
    return st;
}

/* The labels of ids[count], in their order. */
static enum st write_labels_of(const struct export_input *in, struct export_folder *to, const char *name,
                               const uint32_t *ids, uint64_t count, struct err *err)
{
    enum st st = ST_OK;
    enum { BLOCK = 4096 };
    int64_t labels[BLOCK];
    struct export_file f = {0};
    if (!in->sets->labels || !count) return ST_OK;
    TRY(export_file_npy(to, name, "int64: classes of the set's vertices", "i8", 1, &count, &f, err));
    for (uint64_t i = 0; i < count;) {
        uint64_t k = 0;
        for (; k < BLOCK && i < count; i++) labels[k++] = in->sets->labels[ids[i]];
        TRY(export_file_put(&f, labels, 8 * k, err));
    }
    TRY(export_file_end(&f, err));
done:
    export_file_cancel(&f);
    return st;
}

static enum st write_train(const struct export_input *in, struct export_folder *to, struct err *err)
{
    enum st st;
    uint8_t *owner = NULL;
    uint32_t *train = NULL;
    uint64_t count = 0;
    NEW(owner, in->graph->n, "owners of training vertices");
    TRY(export_train(in, &train, &count, owner, err));
    TRY(export_ids_npy(to, "train_seeds.npy", "int64: training vertices", train, count, 8, err));
    TRY(export_train_files(in, to, err));
    TRY(export_sets_npy(in, to, err));
    TRY(write_labels_of(in, to, "train_labels.npy", train, count, err));
    TRY(write_labels_of(in, to, "valid_labels.npy", in->sets->valid, in->sets->valid_count, err));
    TRY(write_labels_of(in, to, "test_labels.npy", in->sets->test, in->sets->test_count, err));
done:
    mem_free(owner);
    mem_free(train);
    return st;
}

static void say(const struct export_input *in, struct export_folder *to)
{
    doc *caches = doc_array();
    for (int g = 0; g < in->plan->assignment.gpus; g++) {
        doc *d = doc_object();
        doc_put(d, "gpu", doc_integer(in->plan->assignment.id[g]));
        doc_put(d, "feature_cache_bytes", doc_integer((int64_t)cached_bytes(in, g)));
        doc_put(d, "topology_cache_edges", doc_integer((int64_t)cached_edges(in, g)));
        doc_append(caches, d);
        export_use(to, "GPU %d: gb.gpu_cached_feature(.., %" PRIu64 ") bytes, num_gpu_cached_edges=%" PRIu64,
                   in->plan->assignment.id[g], cached_bytes(in, g), cached_edges(in, g));
    }
    doc_put(to->settings, "caches", caches);
    export_use(to, "load_graphbolt.py sets both; copy it out of the folder, because GraphBolt preprocesses again "
                   "when a file here changes");
}

static enum st write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    enum st st;
    TRY(write_metadata(in, to, err));
    TRY(write_edges(in, to, err));
    TRY(write_train(in, to, err));
    TRY(export_features(in, to, "feat.npy", false, false, err));
    TRY(write_loader(in, to, err));
    say(in, to);
done:
    return st;
}

/* ---- what it makes of the plan ---- */

static void cache_features(const struct export_input *in, struct export_run *run)
{
    run->simulate = true;
    run->cache = "lru";
    for (int g = 0; g < in->plan->assignment.gpus; g++) run->rows[g] = cached_bytes(in, g) / in->graph->row_bytes;
    export_run_no_peers(run);
}

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    enum st st;
    struct export_run *run = NULL;
    TRY(export_lack(to, &run, "reads of peers over NVLink", err, "a GPU reads its own cache or the host."));
    run->simulate = export_run_no_peers(run);
    if (!run->simulate) to->count--;
    TRY(export_lack(to, NULL, "which features are held", err,
                    "each GPU's cache starts empty and keeps the rows used last (LRU). Only its size is exported."));
    TRY(export_lack(to, NULL, "which topology rows are held", err,
                    "only a number of edges per GPU is exported; the cache keeps the rows that it reads first."));
    if (in->plan->workload.frontier != FRONTIER_ALL && in->plan->workload.sampler != SAMPLER_WALK) {
        TRY(export_lack(to, &run,
                        in->plan->workload.frontier == FRONTIER_NEW ? "a frontier of new vertices"
                                                                    : "a frontier by layers",
                        err,
                        "GraphBolt draws neighbours of all vertices of a mini-batch in every hop; plan with --frontier "
                        "all."));
        run->simulate = run->draws.all_frontier = to->draws.all_frontier = true;
    }
    to->labor = true;
    TRY(export_lack_workload(in, to, "GraphBolt", false, err));
    TRY(export_as_run(to, &run, err,
                      "an LRU cache of features per GPU and the plan's topology rows of that GPU. The rows that "
                      "GraphBolt itself caches are hardly better than the plan's, so this is the best that it "
                      "can reach."));
    cache_features(in, run);
    export_run_reads(run);
done:
    return st;
}

extern const struct export_target export_target_dgl;
const struct export_target export_target_dgl = {.name = "dgl",
                                                .summary = "DGL GraphBolt data set, the two cache sizes per GPU, and a "
                                                           "loader script",
                                                .source = "dmlc/dgl 3d16000, python/dgl/graphbolt",
                                                .cache = "lru",
                                                .alias = "graphbolt",
                                                .check = check,
                                                .write = write,
                                                .runs = runs};
