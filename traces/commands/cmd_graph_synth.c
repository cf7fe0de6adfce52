/* hotset graph synth - makes a random graph. */
#include <stddef.h>
#include <string.h>

#include "traces/commands/graph_result.h"
#include "traces/synth/synth.h"

struct synth_args {
    const char *output, *feature_type, *name;
    int64_t vertices, edges, communities, feature_dim;
    double mixing, gamma, scale, train_share;
};

#define AT(member) offsetof(struct synth_args, member)
static const struct param synth_params[] = {
    {"output", 'o', PARAM_TEXT, AT(output), "G", NULL, 0, 0, NULL, "Graph directory to write."},
    {"vertices", 0, PARAM_INTEGER, AT(vertices), "N", NULL, 1, UINT32_MAX - 1, NULL, "Vertices [default: 200000]."},
    {"edges", 0, PARAM_INTEGER, AT(edges), "M", NULL, 1, (int64_t)1 << 40, NULL,
     "Stored arcs aimed at, both directions counted; duplicates are dropped, so the number is met roughly [default: 4000000]."},
    {"communities", 0, PARAM_INTEGER, AT(communities), "C", NULL, 1, 1 << 24, NULL, "community: number of communities, contiguous ranges of ids [default: 64]."},
    {"mixing", 0, PARAM_REAL, AT(mixing), "SHARE", "0.1", 0, 0, NULL, "community: share of arcs that ignore communities."},
    {"gamma", 0, PARAM_REAL, AT(gamma), "G", "2.2", 0, 0, NULL, "community: exponent of the power law of expected degrees, above 1; less is more skew."},
    {"scale", 0, PARAM_REAL, AT(scale), "S", "0.01", 0, 0, NULL, "like: share of the data set's vertices and edges."},
    {"feature-dim", 0, PARAM_INTEGER, AT(feature_dim), "D", NULL, 1, 1 << 20, NULL, "Elements of a feature row [default: 128; like: the data set's]."},
    {"feature-type", 0, PARAM_TEXT, AT(feature_type), "TYPE", "f32", 0, 0, "f32|f16|i8", "Element type of feature rows: 4, 2 or 1 bytes."},
    {"train-share", 0, PARAM_REAL, AT(train_share), "SHARE", "0.1", 0, 0, NULL, "Random share of the vertices that trains."},
    {"name", 0, PARAM_TEXT, AT(name), "NAME", NULL, 0, 0, NULL, "Name of the graph [default: that of the kind]."},
    {0}};
#undef AT

/* Options that only some kinds know. */
static void say_idle(const struct call *call, bool like, bool communities)
{
    static const char *const of_community[] = {"communities", "mixing", "gamma"};
    for (size_t i = 0; i < sizeof of_community / sizeof *of_community; i++)
        if (!communities && call_given(call, of_community[i])) call_say(call, "--%s is not used: %s has no communities", of_community[i], call->words[like]);
    if (!like && call_given(call, "scale")) call_say(call, "--scale is not used: it scales the data sets of 'graph synth like'");
}

static enum st synth_from_args(const struct call *call, struct synth_options *o, struct err *err)
{
    const struct synth_args *a = call->args;
    bool like = !strcmp(call->words[0], "like");
    struct synth_options usual;
    enum st st = ST_OK;
    synth_defaults(&usual);
    *o = usual;
    if (like && call->word_count != 2) FAIL(ST_USAGE, "graph synth like: needs the name of a data set behind it; 'hotset graph synth -h' lists them");
    if (!like && call->word_count != 1) FAIL(ST_USAGE, "graph synth: '%.40s' is one word too many", call->words[1]);
    if (like) TRY(synth_like(o, call->words[1], a->scale, err));
    else TRY(synth_kind_find(call->words[0], &o->kind, err));
    if (!like) snprintf(o->name, sizeof o->name, "%s", o->kind->name);
    if (a->name) snprintf(o->name, sizeof o->name, "%s", a->name);
    if (a->vertices) o->vertices = (uint64_t)a->vertices;
    if (a->edges) o->edges = (uint64_t)a->edges;
    if (a->communities) o->communities = (uint64_t)a->communities;
    if (!like || a->mixing != usual.mixing) o->mixing = a->mixing; /* a data set brings its own values */
    if (!like || a->gamma != usual.gamma) o->gamma = a->gamma;
    if (a->feature_dim) o->feature_dim = (uint64_t)a->feature_dim;
    say_idle(call, like, !strcmp(o->kind->name, "community"));
    o->feature_type = a->feature_type;
    o->train_share = a->train_share;
    o->seed = (uint64_t)call->common.seed;
done:
    return st;
}

static enum st run_synth(struct call *call, struct err *err)
{
    const struct synth_args *a = call->args;
    struct synth_options o;
    struct graph_summary s;
    enum st st;
    if (!a->output) FAIL(ST_USAGE, "graph synth: -o G is missing; name the graph directory to write");
    TRY(synth_from_args(call, &o, err));
    stage_begin(&call->stages, "synth");
    TRY(synth_graph(&o, a->output, call->threads, call_progress(call), &s, err));
    stage_end(&call->stages);
    TRY(graph_result_print(call, &s, err));
done:
    return st;
}

extern const struct command cmd_graph_synth;
const struct command cmd_graph_synth = {
    .group = "graph",
    .name = "synth",
    .summary = "make a random graph",
    .arguments = "rmat|community|uniform|like NAME -o G",
    .about = "community: undirected; planted communities, power-law expected degrees (degree-corrected block model). What social, co-purchase and many "
             "citation graphs look like to a partitioner.\n"
             "rmat: directed; recursive matrix with a = 0.57, b = c = 0.19, d = 0.05 and scrambled ids: heavy skew, no communities.\n"
             "uniform: directed; both ends of every arc uniform: no skew at all, the worst case for a cache.\n"
             "like NAME: a data set of the literature scaled by --scale: products, friendster, mag240m, reddit (community), papers100m (community, milder "
             "skew), uk-union, uk-2014, clueweb, livejournal, enwiki (rmat).\n"
             "Every arc is a pure function of seed and number, so a graph is the same on any number of threads.",
    .examples = "hotset graph synth community -o demo                                # 200,000 vertices, 4 million arcs\n"
                "hotset graph synth rmat --vertices 10000000 --edges 160000000 -o big # a few minutes\n"
                "hotset graph synth like papers100m --scale 0.05 -o papers5           # 5 % of Papers100M",
    .params = synth_params,
    .args_size = sizeof(struct synth_args),
    .words_low = 1,
    .words_high = 2,
    .run = run_synth,
};
