/* hotset graph synth - makes a random graph. */
#include <stddef.h>
#include <string.h>

#include "traces/commands/graph_result.h"
#include "traces/synth/synth.h"
#include "traces/synth/synth_options.h"
#include "traces/synth/synth_types.h"

struct synth_args {
    const char *output, *feature_type, *name, *reverse;
    int64_t vertices, edges, communities, feature_dim;
    double mixing, gamma, scale, train_share, train_span;
};

static const struct param synth_params[] = {
    OPTION_OUTPUT(struct synth_args, output, "G", NULL, "Graph directory to write."),
    OPTION_VERTICES(struct synth_args, vertices, NULL, " [default: 200000]"),
    OPTION_EDGES(struct synth_args, edges, NULL, 1, " [default: 4000000]"),
    OPTION_INTEGER("communities", 0, struct synth_args, communities, "C", NULL, 1, 1 << 24,
                   "community, citation (fields), web (hosts): number of communities, contiguous ranges of ids "
                   "[default: 64]."),
    OPTION_REAL("mixing", 0, struct synth_args, mixing, "SHARE", "0.1", 0, 0,
                "community, citation, web: share of the arcs that ignore communities."),
    OPTION_REAL("gamma", 0, struct synth_args, gamma, "G", "2.2", 0, 0,
                "community, citation, web: exponent of the power law of degrees, above 1; a smaller one gives more "
                "skew."),
    OPTION_REAL("scale", 0, struct synth_args, scale, "S", "0.01", 0, 0,
                "like: share of the data set's vertices and edges."),
    OPTION_REVERSE_EDGES(struct synth_args, reverse,
                         " [default: no; like: as the field's examples train it, 'hotset list datasets' says which]"),
    OPTION_FEATURE_DIM(struct synth_args, feature_dim, NULL, " [default: 128; like: the data set's]"),
    OPTION_FEATURE_TYPE(struct synth_args, feature_type, "f32", ""),
    OPTION_TRAIN_SHARE(struct synth_args, train_share, "0.1", ""),
    OPTION_REAL("train-span", 0, struct synth_args, train_span, "SHARE", "1", 0, 0,
                "Training vertices come from the last ids, this share of all: with communities, from few of them "
                "[default: 1; like: the data set's]."),
    OPTION_TEXT("name", 0, struct synth_args, name, "NAME", NULL, "Name of the graph [default: the kind's]."),
    {0},
};

/* Warns of options that this kind does not use. */
static void say_idle(const struct call *call, bool like, bool communities)
{
    static const char *const of_community[] = {"communities", "mixing", "gamma"};
    for (size_t i = 0; i < sizeof of_community / sizeof *of_community; i++)
        if (!communities && call_given(call, of_community[i]))
            call_say(call, "--%s is not used: %s has no communities", of_community[i], call->words[like]);
    if (!like && call_given(call, "scale"))
        call_say(call, "--scale is not used: it scales the data sets of 'graph synth like'");
}

static enum st synth_from_args(const struct call *call, struct synth_options *o, struct err *err)
{
    const struct synth_args *a = call->args;
    bool like = !strcmp(call->words[0], "like");
    synth_defaults(o);
    if (like && call->word_count != 2)
        return err_set(err, ST_USAGE,
                       "graph synth like: needs the name of a data set after it; 'hotset graph synth -h' lists them");
    if (!like && call->word_count != 1)
        return err_set(err, ST_USAGE, "graph synth: '%.40s' is one argument too many", call->words[1]);
    if (like) PASS(synth_like(o, call->words[1], a->scale, err));
    else PASS(synth_kind_find(call->words[0], &o->kind, err));
    if (!like) snprintf(o->name, sizeof o->name, "%s", o->kind->name);
    if (a->name) snprintf(o->name, sizeof o->name, "%s", a->name);
    if (a->vertices) o->vertices = (uint64_t)a->vertices;
    if (a->edges) o->edges = (uint64_t)a->edges;
    if (a->communities) o->communities = (uint64_t)a->communities;
    if (!like || call_given(call, "mixing")) o->mixing = a->mixing; /* a data set has values of its own */
    if (!like || call_given(call, "gamma")) o->gamma = a->gamma;
    PASS(synth_reverse(o->name, o->kind, a->reverse, o->reverse, &o->reverse, err));
    if (a->feature_dim) o->feature_dim = (uint64_t)a->feature_dim;
    say_idle(call, like, o->kind->begin != NULL); /* kinds that begin have communities */
    if (!like || call_given(call, "feature-type")) o->feature_type = a->feature_type;
    if (!like || call_given(call, "train-share")) o->train_share = a->train_share;
    if (!like || call_given(call, "train-span")) o->train_span = a->train_span;
    o->seed = (uint64_t)call->common.seed;
    return ST_OK;
}

/* Options of generators with one type. */
static enum st refuse_for_types(const struct call *call, struct err *err)
{
    static const char *const single[] = {"vertices", "edges", "communities", "mixing", "gamma"};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (call_given(call, single[i]))
            return err_set(err, ST_USAGE, "--%s: %s has several types with counts of their own; scale it with --scale",
                           single[i], call->words[1]);
    return ST_OK;
}

/* like NAME, of a data set with several types. */
static enum st run_typed(struct call *call, const struct synth_set *set, struct err *err)
{
    const struct synth_args *a = call->args;
    const struct synth_types_options o = {.set = set,
                                          .name = a->name,
                                          .scale = a->scale,
                                          .reverse = !a->reverse || !strcmp(a->reverse, "yes"),
                                          .train_share = call_given(call, "train-share") ? a->train_share : 0,
                                          .embedding = (uint64_t)a->feature_dim,
                                          .element = call_given(call, "feature-type") ? a->feature_type : NULL,
                                          .seed = (uint64_t)call->common.seed};
    OWNED_BY(graph_draft_release) struct graph_draft made = {.duplicates = 0};
    PASS(refuse_for_types(call, err));
    stage_begin(&call->stages, "synth");
    PASS(synth_types(&o, a->output, call->threads, call_progress(call), &made, err));
    stage_end(&call->stages);
    return graph_result_types(call, a->output, err);
}

static enum st run_synth(struct call *call, struct err *err)
{
    const struct synth_args *a = call->args;
    struct synth_options o;
    struct graph_summary s;
    if (call->word_count == 2 && !strcmp(call->words[0], "like") && synth_set_find(call->words[1]))
        return run_typed(call, synth_set_find(call->words[1]), err);
    PASS(synth_from_args(call, &o, err));
    stage_begin(&call->stages, "synth");
    PASS(synth_graph(&o, a->output, call->threads, call_progress(call), &s, err));
    stage_end(&call->stages);
    return graph_result_print(call, &s, err);
}

extern const struct command cmd_graph_synth;
const struct command cmd_graph_synth = {
    .group = "graph",
    .name = "synth",
    .summary = "generate a random graph",
    .arguments = "rmat|community|citation|web|uniform|like NAME -o G",
    .about = "community: undirected; planted communities and power-law degrees (degree-corrected block model), as\n"
             "in social, co-purchase and many citation graphs.\n"
             "rmat: directed; recursive matrix with a = 0.57, b = c = 0.19, d = 0.05 and scrambled ids: heavy\n"
             "skew, no communities.\n"
             "citation: directed; papers draw from older papers of their field, as in citation graphs that keep\n"
             "the direction.\n"
             "web: directed; pages of hosts, links to near ids and to a host's entry pages; no page without links.\n"
             "uniform: directed; both ends of every arc uniform: no skew, the worst case for a cache.\n"
             "like NAME: a stand-in for a published data set (same average degree), scaled by --scale: products,\n"
             "friendster, reddit (community), papers100m, mag240m (citation; training vertices in the last 6 % of\n"
             "the ids, which are few fields), uk-union, uk-2014, clueweb (web), livejournal, enwiki (rmat),\n"
             "igb-tiny, -small, -medium, -large, -full (citation). 'hotset list datasets' has rows, training sets\n"
             "and sources.\n"
             "With several node types: ogbn-mag, mag240m-hetero, and igbh-tiny, -small, -medium, -large, -full;\n"
             "--feature-dim gives rows to types that have none.\n"
             "papers100m, mag240m and those with several types get reverse edges, as the examples of OGB, DGL,\n"
             "GraphBolt and PyG train them; systems that keep the published direction (GNNLab, XGNN, Legion) are\n"
             "compared with --reverse-edges no.\n"
             "Equal options and seed give the same graph on any number of threads.",
    .examples = "hotset graph synth community -o demo                                # 200,000 vertices, 4 million "
                "arcs\n"
                "hotset graph synth rmat --vertices 10000000 --edges 160000000 -o big # a few minutes\n"
                "hotset graph synth like papers100m --scale 0.05 -o papers5           # 5 % of Papers100M\n"
                "hotset graph synth like papers100m --reverse-edges no -o published   # arcs in their own direction",
    .params = synth_params,
    .usual = "output vertices edges communities scale train-share feature-dim seed",
    .needs = "output",
    .args_size = sizeof(struct synth_args),
    .names = true,
    .words_low = 1,
    .words_high = 2,
    .run = run_synth,
};
