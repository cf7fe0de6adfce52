/* hotset graph relabel - renumbers a graph by heat. It stands on this floor because it needs hotness. */
#include <string.h>

#include "base/mem.h"
#include "planner/hotness/hotness.h"
#include "planner/engine/given_lists.h"
#include "planner/options/options.h"
#include "traces/commands/graph_result.h"
#include "traces/builder/relabel.h"
#include "traces/graph/graph_union.h"

struct relabel_args {
    const char *by, *order, *output;
};

static enum st check_metric(const char *name, struct err *err)
{
    if (hotness_check(name, err) != ST_OK) { /* its sentence opens with the option of other commands */
        struct err said = *err;
        return err_set(err, ST_USAGE, "--by%s", said.text + strlen("--hotness"));
    }
    if (hotness_find(name)->needs_trace)
        return err_set(err, ST_USAGE,
                       "--by %s: needs a recorded trace; take a metric of the graph alone, such as degree-out or "
                       "wrpagerank",
                       name);
    return ST_OK;
}

/* The order of a file: vertices that it does not name follow, by id. */
static enum st read_order(const char *path, uint64_t n, uint32_t *old_of, struct err *err)
{
    enum st st = ST_OK;
    struct row_list l = {0};
    uint64_t at = 0;
    OWNED uint64_t *bits = NULL;
    bool there;
    NEW(bits, n / 64 + 1, "an order of vertices");
    TRY(given_list_read(path, n, 0, bits, &l, &there, err));
    if (!there) FAIL(ST_INPUT, "--order %s: there is no such file", path);
    for (; at < l.count; at++) old_of[at] = l.id[at];
    for (uint64_t v = 0; v < n; v++)
        if (!(bits[v / 64] >> (v % 64) & 1)) old_of[at++] = (uint32_t)v;
done:
    mem_free(l.id);
    return st;
}

/* What the old graph.json says beside the arrays; *d owns the texts. A graph that another program made may say
 * little. */
static enum st old_facts(const struct graph *g, doc **d, struct graph_facts *out, struct err *err)
{
    char path[PATH_BYTES];
    const char *by_size = g->feature_bytes == 4 ? "f32" : g->feature_bytes == 2 ? "f16" : "i8";
    PASS(path_join(path, g->path, "graph.json", err));
    PASS(doc_load(path, "graph/1", d, err));
    *out = (struct graph_facts){.name = g->name,
                                .sample = g->sample,
                                .feature_dim = g->feature_dim,
                                .feature_bytes = g->feature_bytes,
                                .origin = "relabel",
                                .feature_type = doc_text_value(doc_get(*d, "feature_type"), by_size),
                                .feature_origin = *g->feature_origin ? g->feature_origin : NULL,
                                .train_origin = doc_text_value(doc_get(*d, "train_origin"), "")};
    return ST_OK;
}

static enum st run_relabel(struct call *call, struct err *err)
{
    enum { ORIGIN = 64 };
    const struct relabel_args *a = call->args;
    OWNED_BY(graph_close) struct graph g = {0};
    OWNED_BY(graph_sets_close) struct graph_sets sets = {0};
    struct graph_facts facts;
    struct graph_summary s;
    struct hotness_input in = {.graph = &g, .threads = call->threads, .seed = (uint64_t)call->common.seed};
    OWNED_DOC doc *d = NULL;
    if (!a->order) PASS(check_metric(a->by, err));
    else if (call_given(call, "by")) return err_set(err, ST_USAGE, "--by and --order exclude each other");
    PASS(output_check(a->output, NULL, err));
    PASS(options_kernels(call, &in.kernels, err));
    PASS(graph_open_any(call->words[0], call->threads, &g, err));
    PASS(graph_join(&g, err));
    in.graph = graph_connections(&g);
    if (graph_plain(&g)) {
        PASS(graph_sets_open(&g, call->threads, &sets, err));
        PASS(old_facts(&g, &d, &facts, err));
        facts.relabelled = a->order ? "file" : a->by;
    }
    OWNED_NEW(uint32_t, old_of, g.n, "an order of vertices");
    stage_begin(&call->stages, "rank");
    if (a->order) PASS(read_order(a->order, g.n, old_of, err));
    else PASS(hotness_order(a->by, &in, old_of, err));
    stage_end(&call->stages);
    stage_begin(&call->stages, "relabel");
    if (!graph_plain(&g)) {
        char origin[ORIGIN];
        snprintf(origin, sizeof origin, "relabel by %s", a->order ? "file" : a->by);
        PASS(relabel_types(&g, old_of, origin, a->output, call->threads, call_progress(call), err));
        stage_end(&call->stages);
        PASS(graph_result_types(call, a->output, err));
        return ST_OK;
    }
    PASS(relabel_graph(&g, &sets, old_of, &facts, a->output, call->threads, &s, err));
    stage_end(&call->stages);
    return graph_result_print(call, &s, err);
}

static const struct param params[] = {
    OPTION_TEXT("by", 0, struct relabel_args, by, "METRIC", "wrpagerank",
                "Metric that orders the vertices, the hottest first; 'hotset list hotness'."),
    OPTION_PATH("order", 0, struct relabel_args, order, "F.npy", NULL, PATH_READ,
                "Take this order instead: ids of vertices, the first becomes 0 (of a program of yours); "
                "others follow by id."),
    OPTION_OUTPUT(struct relabel_args, output, "G2", NULL, "Graph directory to write."),
    {0},
};

static const char about[] = "Vertex 0 of the new graph is the hottest by the metric, ties to the lower old id. A\n"
                            "cache of k rows is then a prefix of the feature array (Data Tiering, algorithm\n"
                            "2). Rows, weights, labels and the vertices of sets are renumbered. relabel.npy has the\n"
                            "old id of each new vertex: new_features = old_features[relabel]. Of several types\n"
                            "each is renumbered within its range of ids; relation<r>_edge_ids.npy does the same\n"
                            "for feature rows of edges.";

extern const struct command cmd_graph_relabel;
const struct command cmd_graph_relabel = {
    .group = "graph",
    .name = "relabel",
    .summary = "renumber vertices, the hottest first",
    .arguments = "G [--by METRIC | --order F.npy] -o G2",
    .about = about,
    .examples = "  hotset graph relabel G --by wrpagerank -o G2\n"
                "  hotset graph relabel G --by degree-out -o G2   # PaGraph's order of caching\n"
                "  hotset graph relabel G --by degree-out -o G2   # rows that are read most in front on an SSD",
    .params = params,
    .needs = "output",
    .args_size = sizeof(struct relabel_args),
    .words_low = 1,
    .words_high = 1,
    .run = run_relabel,
};
