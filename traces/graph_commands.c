#include "traces/graph_commands.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "traces/graph.h"
#include "traces/graph_import.h"
#include "traces/graph_info.h"
#include "traces/synth.h"

/* ---- import ------------------------------------------------------------------------------------------------------------------ */

struct import_args {
    const char *output, *format, *sample, *train, *feature_type, *name;
    bool undirected, renumber, weights;
    double train_share;
    int64_t feature_dim;
};

#define AT(member) offsetof(struct import_args, member)
static const struct param import_params[] = {
    {"output", 'o', PARAM_TEXT, AT(output), "G", NULL, 0, 0, NULL, "Graph directory to write."},
    {"format", 0, PARAM_TEXT, AT(format), "NAME", NULL, 0, 0, NULL, "Read the source as this format instead of looking at its content."},
    {"sample", 0, PARAM_TEXT, AT(sample), "WAY", "in", 0, 0, "in|out", "Who draws whom over a directed arc u -> v: in: v draws u; out: u draws v."},
    {"undirected", 0, PARAM_FLAG, AT(undirected), NULL, NULL, 0, 0, NULL, "Store both directions of every arc."},
    {"renumber", 0, PARAM_FLAG, AT(renumber), NULL, NULL, 0, 0, NULL,
     "Dense ids in ascending order of the original ids, which go to original_ids.npy; vertices without arcs vanish."},
    {"weights", 0, PARAM_FLAG, AT(weights), NULL, NULL, 0, 0, NULL, "Keep the arcs' weights as weights.npy; they must be finite and not negative."},
    {"train", 0, PARAM_TEXT, AT(train), "FILE", NULL, 0, 0, NULL,
     "Training vertices: .npy of ids or of a 0/1 mask, or text with one id per line; original ids under --renumber."},
    {"train-share", 0, PARAM_REAL, AT(train_share), "SHARE", NULL, 0, 0, NULL,
     "Random share of the vertices that trains, by --seed [default: the source's own training vertices, else 0.1]."},
    {"feature-dim", 0, PARAM_INTEGER, AT(feature_dim), "D", "128", 1, 1 << 20, NULL, "Elements of a feature row."},
    {"feature-type", 0, PARAM_TEXT, AT(feature_type), "TYPE", "f32", 0, 0, "f32|f16|i8", "Element type of feature rows: 4, 2 or 1 bytes."},
    {"name", 0, PARAM_TEXT, AT(name), "NAME", NULL, 0, 0, NULL, "Name of the graph [default: that of the source]."},
    {0}};
#undef AT

static enum st finish_made(struct call *call, const struct graph_summary *s, struct err *err)
{
    if (!call->common.json) graph_summary_print(s, call->out);
    return call_finish(call, graph_summary_document(s), err);
}

static enum st run_import(struct call *call, struct err *err)
{
    const struct import_args *a = call->args;
    struct graph_summary s;
    struct import_options o = {
        .sources = call->words, .source_count = call->word_count, .format = a->format, .sample_out = !strcmp(a->sample, "out"),
        .undirected = a->undirected, .renumber = a->renumber, .weights = a->weights, .train = a->train, .train_share = a->train_share,
        .seed = (uint64_t)call->common.seed, .feature_dim = (uint64_t)a->feature_dim, .feature_type = a->feature_type, .name = a->name,
        .threads = call->threads, .progress = call_progress(call)};
    enum st st;
    if (!a->output) FAIL(ST_USAGE, "graph import: -o G is missing; name the graph directory to write");
    if (call_given(call, "train-share") && !(a->train_share > 0)) FAIL(ST_USAGE, "--train-share: %g is out of range; expected a share above 0 and up to 1", a->train_share);
    if (a->train && call_given(call, "train-share")) FAIL(ST_USAGE, "graph import: --train and --train-share exclude each other; give one");
    stage_begin(&call->stages, "import");
    TRY(graph_import(&o, a->output, &s, err));
    stage_end(&call->stages);
    TRY(finish_made(call, &s, err));
done:
    return st;
}

const struct command graph_import_command = {
    .name = "import",
    .summary = "reads a graph in any of the known formats",
    .arguments = "SRC.. -o G",
    .about = "Reads edge lists (SNAP, csv), Matrix Market, METIS, NumPy and SciPy arrays, WebGraph BV, OGB csv and GAP files, told apart by content, and "
             "writes a graph directory: plain .npy arrays that are mapped, never copied.\n"
             "Row v of a graph lists the vertices that v draws its neighbours from. Message passing along u -> v draws against the arcs, so --sample in "
             "is the default; a graph that was transposed by mistake ranks its vertices by the wrong degree and loses most of a cache's worth.\n"
             "Exact duplicates are dropped and counted, self-loops are kept, rows are sorted.",
    .examples = "hotset graph import soc-Slashdot0902.txt.gz -o slashdot          # SNAP text, arcs drawn against their direction\n"
                "hotset graph import adjacency.npz --undirected -o computers      # SciPy matrix, both directions stored\n"
                "hotset graph import uk-2014.graph --feature-dim 128 -o uk-2014   # WebGraph BV\n"
                "hotset graph import indptr.npy indices.npy --train split.npy -o G",
    .params = import_params,
    .args_size = sizeof(struct import_args),
    .words_low = 1,
    .words_high = 4096,
    .run = run_import,
};

/* ---- synth ------------------------------------------------------------------------------------------------------------------- */

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
    TRY(finish_made(call, &s, err));
done:
    return st;
}

const struct command graph_synth_command = {
    .name = "synth",
    .summary = "makes a random graph",
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

/* ---- info -------------------------------------------------------------------------------------------------------------------- */

struct info_args { bool verify; };

static const struct param info_params[] = {
    {"verify", 0, PARAM_FLAG, offsetof(struct info_args, verify), NULL, NULL, 0, 0, NULL, "Compute the fingerprint again; exit code 1 when it differs. One that another program made cannot be compared."},
    {0}};

static enum st run_info(struct call *call, struct err *err)
{
    const struct info_args *a = call->args;
    struct graph g = {0};
    struct graph_info info;
    enum st st;
    stage_begin(&call->stages, "read");
    TRY(graph_open(call->words[0], call->threads, &g, err));
    TRY(graph_info_make(&g, a->verify, call->threads, &info, err));
    stage_end(&call->stages);
    if (!call->common.json) graph_info_print(&info, &g, call->out);
    TRY(call_finish(call, graph_info_document(&info, &g), err));
    if (info.check == CHECK_FOREIGN)
        call_say(call, "%s: graph.json has no fingerprint that hotset made, so there is nothing to compare; the arrays give %s", g.path,
                 info.computed);
    if (info.check == CHECK_DIFFERS)
        FAIL(ST_NO, "%s: the fingerprint in graph.json is %s, the arrays give %s; the graph was changed after it was made", g.path,
             g.fingerprint, info.computed);
done:
    graph_close(&g);
    return st;
}

const struct command graph_info_command = {
    .name = "info",
    .summary = "counts, degrees, bytes and fingerprint of a graph",
    .arguments = "G",
    .about = "Row length is the number of neighbours that a vertex draws from; times listed is in how many rows a vertex stands: the second one is what "
             "makes a feature row hot.",
    .examples = "hotset graph info demo\nhotset graph info demo --verify   # are the arrays still what was imported?",
    .params = info_params,
    .args_size = sizeof(struct info_args),
    .words_low = 1,
    .words_high = 1,
    .run = run_info,
};
