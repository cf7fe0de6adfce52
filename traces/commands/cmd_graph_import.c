/* hotset graph import - reads a graph in any of the known formats. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/cmd.h"
#include "base/mem.h"
#include "base/npy.h"
#include "base/spool.h"
#include "base/units.h"
#include "traces/commands/graph_result.h"
#include "traces/formats/graph_import.h"
#include "traces/formats/types_import.h"
#include "traces/synth/synth_options.h"
#include "traces/graph/graph.h"
#include "traces/builder/graph_save.h"

/* What is odd about a graph that was just imported: it may be meant, but often the file was read in another way than
 * its maker thought. */

static bool row_has(const struct graph *g, uint64_t v, uint32_t wanted)
{
    int64_t low = g->indptr[v], high = g->indptr[v + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (g->indices[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return low < g->indptr[v + 1] && g->indices[low] == wanted;
}

/* No arc has its reverse: an undirected graph whose edges are listed once looks so. Few directed graphs do, and the
 * first reverse ends the search. */
static void say_one_way(const struct call *call, const struct graph *g)
{
    uint64_t arcs = 0;
    bool reverse = false;
    for (uint64_t v = 0; v < g->n && !reverse && strcmp(g->sample, "both"); v++)
        for (int64_t i = g->indptr[v]; i < g->indptr[v + 1] && !reverse; i++) {
            if (g->indices[i] == v) continue;
            reverse = row_has(g, g->indices[i], (uint32_t)v);
            arcs++;
        }
    if (arcs > 2 && !reverse)
        call_say(call, "warning: no arc has its reverse; if this is an undirected graph whose file lists each edge "
                       "once, import it with --undirected");
}

/* Bit v: vertex v stands in a row. A bit is looked at before it is set: most are set already, and reading is cheap. */
static void mark_listed(const struct graph *g, int threads, uint64_t *bits)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t i = 0; i < g->m; i++) {
        uint64_t *word = &bits[g->indices[i] >> 6], bit = (uint64_t)1 << (g->indices[i] & 63);
        if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit)) __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    }
}

/* Vertices that have no row and stand in none. */
static void say_isolated(const struct call *call, const struct graph *g, const struct graph_summary *s)
{
    enum { WORTH_PERCENT = 5 };
    struct err ignored = {0};
    uint64_t isolated = 0, *bits = mem_array(g->n / 64 + 1, sizeof *bits, "a check of the vertices", &ignored);
    char count[UNIT_TEXT], all[UNIT_TEXT];
    if (!bits) return; /* a remark, not worth failing for */
    mark_listed(g, call->threads, bits);
#pragma omp parallel for num_threads(call->threads) schedule(static) reduction(+ : isolated)
    for (uint64_t v = 0; v < g->n; v++) isolated += !graph_degree(g, v) && !(bits[v >> 6] >> (v & 63) & 1);
    bool from_one = g->n > 1 && !graph_degree(g, 0) && !(bits[0] & 1) && (graph_degree(g, 1) || bits[0] & 2);
    mem_free(bits);
    if (isolated * 100 >= g->n * WORTH_PERCENT && isolated > 1)
        call_say(call,
                 "warning: %.3g %% of the vertices (%s of %s) have no arc; if the ids have gaps, import with "
                 "--renumber, which leaves out vertices without arcs",
                 100.0 * (double)isolated / (double)g->n, units_count(count, isolated), units_count(all, g->n));
    else if (from_one && s->counted)
        call_say(call, "warning: vertex 0 has no arc, but vertex 1 has one: ids seem to start at 1; with --renumber "
                       "they start at 0");
}

/* Arcs that were dropped: of an undirected graph both directions are often listed, elsewhere they are drawn more often.
 */
static void say_parallel(const struct call *call, const struct graph_summary *s)
{
    char count[UNIT_TEXT];
    if (s->duplicates * 100 <= s->m + s->duplicates || !strcmp(s->sample, "both")) return;
    call_say(call,
             "warning: %s duplicate arcs (%.3g %%) were dropped; PyG, DGL and GraphBolt draw such a neighbour more "
             "often: --parallel keeps them",
             units_count(count, s->duplicates), 100.0 * (double)s->duplicates / (double)(s->m + s->duplicates));
}

/* Warns on stderr of what the format noted; of many vertices without arcs; of ids that count from 1; of arcs none of
 * which has its reverse. path: the graph directory; s: what graph_import stated about it. Takes a pass over the arcs
 * and a bit per vertex; nothing is done under --quiet. */
static void import_say_doubts(const struct call *call, const char *path, const struct graph_summary *s)
{
    struct err ignored = {0};
    ON_HEAP_OR(struct graph, g, &ignored, );
    if (call->common.quiet) return;
    if (s->name_bytes)
        call_say(call,
                 "ids are names: vertices are numbered in the order in which these first come, and name_offsets.npy "
                 "and name_bytes.npy in %s keep them",
                 path);
    if (*s->doubt) call_say(call, "warning: %s", s->doubt);
    say_parallel(call, s);
    if (graph_open(path, call->threads, g, &ignored) != ST_OK) return;
    say_isolated(call, g, s);
    say_one_way(call, g);
    graph_close(g);
}

struct import_args {
    const char *output, *format, *sample, *train, *labels, *valid, *test, *feature_type, *name;
    const char *edge_times, *vertex_times, *column[COLUMN_ROLES];
    bool undirected, names, renumber, weights, times, parallel;
    double train_share;
    int64_t feature_dim, vertices;
};

static const struct param import_params[] = {
    OPTION_OUTPUT(struct import_args, output, "G", NULL, "Graph directory to write."),
    OPTION_TEXT("format", 0, struct import_args, format, "NAME", NULL,
                "Read the source in this format [default: detected by content]."),
    OPTION_WORD("sample", 0, struct import_args, sample, "WAY", "in", "in|out",
                "Sampling direction of an arc u -> v. in: v draws u; out: u draws v."),
    OPTION_FLAG("undirected", struct import_args, undirected,
                "Store both directions of every arc, as ToUndirected of PyG does: how "
                "papers100M and MAG240M are usually trained."),
    OPTION_FLAG("names", struct import_args, names,
                "Take the ids of text as names, also where they look like numbers. Vertices are numbered in the order "
                "in "
                "which names first come; name_offsets.npy and name_bytes.npy keep them [default: where neither id of "
                "the "
                "first line is a number]."),
    OPTION_FLAG("renumber", struct import_args, renumber,
                "Give vertices dense ids in the order of their original ids, which are written to original_ids.npy. "
                "Vertices without arcs are dropped."),
    OPTION_FLAG("parallel", struct import_args, parallel,
                "Keep arcs that come again: a neighbour is drawn as often as it is listed, as by PyG, DGL and "
                "GraphBolt "
                "[default: exact duplicates are dropped and counted]."),
    OPTION_FLAG("weights", struct import_args, weights,
                "Keep the arcs' weights as weights.npy; they must be finite and not negative."),
    OPTION_FLAG("times", struct import_args, times,
                "Keep the arcs' times as edge_times.npy, and as vertex_times.npy when each vertex had its last arc. "
                "Text: the column whose header is time, timestamp, ts or t, else the third; arrays (m, 3): the third. "
                "An arc may come again at another time. OGB: raw/node_year.csv, the vertices' times."),
    OPTION_TEXT("source-column", 0, struct import_args, column[COLUMN_SOURCE], "K|NAME", NULL,
                "Column of text with the arcs' sources: its number from 1, or its name in the header [default: source, "
                "src, "
                "from, head, .. of the header, else the first]."),
    OPTION_TEXT("target-column", 0, struct import_args, column[COLUMN_TARGET], "K|NAME", NULL,
                "The same for targets [default: target, dst, to, tail, .., else the second]."),
    OPTION_TEXT("weight-column", 0, struct import_args, column[COLUMN_WEIGHT], "K|NAME", NULL,
                "The same for weights, with --weights [default: weight, .., else the third of three]."),
    OPTION_TEXT("time-column", 0, struct import_args, column[COLUMN_TIME], "K|NAME", NULL,
                "The same for times, with --times [default: time, timestamp, ts, t, .., else the third of three]."),
    OPTION_TEXT("relation-column", 0, struct import_args, column[COLUMN_RELATION], "K|NAME", NULL,
                "Column of text with the names of relations: makes a graph of several types, whose vertices have "
                "names. "
                "Types: the columns below, else all are of type node."),
    OPTION_TEXT("source-type-column", 0, struct import_args, column[COLUMN_SOURCE_TYPE], "K|NAME", NULL,
                "With --relation-column: the types of sources [default: source_type, head_type, .., or the source's "
                "column "
                "with _type behind it]."),
    OPTION_TEXT("target-type-column", 0, struct import_args, column[COLUMN_TARGET_TYPE], "K|NAME", NULL,
                "The same for the types of targets."),
    OPTION_INTEGER("vertices", 0, struct import_args, vertices, "N", NULL, 1, UINT32_MAX - 1,
                   "The number of vertices, where the source states none and the last ones have no arc [default: the "
                   "largest "
                   "id + 1]."),
    OPTION_PATH("edge-times", 0, struct import_args, edge_times, "FILE", NULL, PATH_READ,
                "The arcs' times in the order of the source: .npy, or text with one per line (implies --times)."),
    OPTION_PATH("vertex-times", 0, struct import_args, vertex_times, "FILE", NULL, PATH_READ,
                "The vertices' times: .npy, or text with one per line, in the order of the source's ids."),
    OPTION_PATH("train", 0, struct import_args, train, "FILE", NULL, PATH_READ,
                "Training vertices: .npy of ids or of a 0/1 mask, or text with one id (or name) per line. With "
                "--renumber: original ids."),
    OPTION_PATH("valid", 0, struct import_args, valid, "FILE", NULL, PATH_READ,
                "Validation vertices, like --train [default: the source's own, if it has some]."),
    OPTION_PATH("test", 0, struct import_args, test, "FILE", NULL, PATH_READ,
                "Test vertices, like --train [default: the source's own, if it has some]."),
    OPTION_PATH("labels", 0, struct import_args, labels, "FILE", NULL, PATH_READ,
                "The class of each vertex: .npy of n numbers, or text with one per line, in the order of the source's "
                "ids, of names 'name,class'; -1 or nan: none [default: the source's own, if it has some]."),
    OPTION_TRAIN_SHARE(struct import_args, train_share, NULL,
                       " [default: the source's own training vertices, else 0.1]"),
    OPTION_FEATURE_DIM(struct import_args, feature_dim, NULL, " [default: as the source states, else 128 is assumed]"),
    OPTION_FEATURE_TYPE(struct import_args, feature_type, NULL,
                        " [default: as the source states, else f32 is assumed]"),
    OPTION_TEXT("name", 0, struct import_args, name, "NAME", NULL,
                "Name of the graph [default: that of the folder G]."),
    {0},
};

/* Files that may be pipes. */
static enum st spool_sets(struct spool *inputs, const char *near, struct import_options *o, struct err *err)
{
    const char **files[] = {&o->train, &o->labels, &o->valid, &o->test, &o->edge_times, &o->vertex_times};
    enum st st = ST_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && st == ST_OK; i++)
        if (*files[i]) st = spool_open(inputs, *files[i], near, files[i], err);
    return st;
}

/* Options that graphs of several types have when they come from one text. */
static bool of_text(const char *option)
{
    return !strcmp(option, "names") || !strcmp(option, "feature-dim") || !strcmp(option, "feature-type") ||
           !strcmp(option, "source-column") || !strcmp(option, "target-column");
}

/* A folder with several node types or relations; format NULL: one text with them. */
static enum st run_typed(struct call *call, const struct types_format *format, struct err *err)
{
    static const char *const single[] = {"sample",      "renumber",      "names",         "weights",
                                         "feature-dim", "feature-type",  "labels",        "valid",
                                         "test",        "times",         "edge-times",    "vertex-times",
                                         "time-column", "source-column", "target-column", "weight-column",
                                         "vertices",    "parallel"};
    const struct import_args *a = call->args;
    struct types_import_options o = {.path = call->words[0],
                                     .name = a->name,
                                     .format = format,
                                     .undirected = a->undirected,
                                     .train = a->train,
                                     .train_share = a->train_share,
                                     .seed = (uint64_t)call->common.seed,
                                     .threads = call->threads,
                                     .progress = call_progress(call)};
    memcpy(o.columns.word, a->column, sizeof o.columns.word);
    o.feature_dim = (uint64_t)a->feature_dim;
    o.feature_type = a->feature_type;
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (call_given(call, single[i]) && (format || !of_text(single[i])))
            return err_set(err, ST_USAGE, "--%s: %s has several types, %s; leave it out", single[i], call->words[0],
                           format ? "whose rows and directions the folder states"
                                  : "for which there is no such option");
    PASS(output_check(a->output, NULL, err));
    stage_begin(&call->stages, "import");
    PASS(types_import(&o, a->output, err));
    stage_end(&call->stages);
    return graph_result_types(call, a->output, err);
}

static enum st run_import(struct call *call, struct err *err)
{
    const struct import_args *a = call->args;
    struct graph_summary s;
    struct import_options o = {.sources = call->words,
                               .source_count = call->word_count,
                               .format = a->format,
                               .sample_out = !strcmp(a->sample, "out"),
                               .undirected = a->undirected,
                               .names = a->names,
                               .renumber = a->renumber,
                               .weights = a->weights,
                               .parallel = a->parallel,
                               .times = a->times || a->edge_times,
                               .vertices = (uint64_t)a->vertices,
                               .edge_times = a->edge_times,
                               .vertex_times = a->vertex_times,
                               .train = a->train,
                               .labels = a->labels,
                               .valid = a->valid,
                               .test = a->test,
                               .train_share = a->train_share,
                               .seed = (uint64_t)call->common.seed,
                               .feature_dim = (uint64_t)a->feature_dim,
                               .feature_type = a->feature_type,
                               .name = a->name,
                               .threads = call->threads,
                               .progress = call_progress(call)};
    struct spool inputs = {0};
    enum st st;
    if (call_given(call, "train-share") && !(a->train_share > 0))
        FAIL(ST_USAGE, "--train-share: %g is out of range; expected a share above 0 and up to 1", a->train_share);
    if (o.times && a->weights)
        FAIL(ST_USAGE, "graph import: --weights and --times exclude each other: a row is drawn by one of them");
    memcpy(o.columns.word, a->column, sizeof o.columns.word);
    if (a->column[COLUMN_TIME] && (!a->times || a->edge_times))
        FAIL(ST_USAGE, "--time-column: belongs to --times without --edge-times");
    if (a->column[COLUMN_WEIGHT] && !a->weights) FAIL(ST_USAGE, "--weight-column: belongs to --weights");
    if (!a->column[COLUMN_RELATION] && (a->column[COLUMN_SOURCE_TYPE] || a->column[COLUMN_TARGET_TYPE]))
        FAIL(ST_USAGE, "--source-type-column, --target-type-column: belong to --relation-column");
    if (a->vertices && a->renumber)
        FAIL(ST_USAGE, "--vertices: --renumber gives ids to vertices with arcs only; leave one of them out");
    if (a->train && call_given(call, "train-share"))
        FAIL(ST_USAGE, "graph import: --train and --train-share exclude each other; give one");
    if (call->word_count == 1 && types_format_of(call->words[0], a->format))
        return run_typed(call, types_format_of(call->words[0], a->format), err);
    TRY(output_check(a->output, NULL, err));
    for (int i = 0; i < call->word_count; i++)
        TRY(spool_open(&inputs, call->words[i], a->output, (const char **)&call->words[i], err));
    if (a->column[COLUMN_RELATION]) {
        if (call->word_count > 1) FAIL(ST_USAGE, "--relation-column: one source is read; join them");
        TRY(run_typed(call, NULL, err));
        goto done;
    }
    TRY(spool_sets(&inputs, a->output, &o, err));
    stage_begin(&call->stages, "import");
    TRY(graph_import(&o, a->output, &s, err));
    stage_end(&call->stages);
    TRY(graph_result_print(call, &s, err));
    import_say_doubts(call, a->output, &s);
done:
    spool_close(&inputs, err);
    return st;
}

#define ROWS_ALONE "planning takes the size of a feature row alone: "
#define ROWS_ARE_FOR "; the rows are for 'hotset export --features' and 'hotset lab execute --features'"

/* The options that say what a matrix of features has. */
static bool features_say(const char *path, char *out, size_t size)
{
    OWNED_BY(npy_release) struct npy a = {0};
    struct err ignored = {0};
    if (npy_map(path, &a, &ignored) != ST_OK || a.dims != 2) return false;
    const char *type = !strcmp(a.type, "f4")   ? " --feature-type f32"
                       : !strcmp(a.type, "f2") ? " --feature-type f16"
                       : !strcmp(a.type, "i1") ? " --feature-type i8"
                                               : "";
    snprintf(out, size, ROWS_ALONE "--feature-dim %" PRIu64 "%s for %.200s" ROWS_ARE_FOR, a.shape[1], type, path);
    return true;
}

static const struct option_elsewhere features_elsewhere[] =
    {{"features", ROWS_ALONE "--feature-dim 100 --feature-type f32" ROWS_ARE_FOR, features_say}, {0}};

extern const struct command cmd_graph_import;
const struct command cmd_graph_import = {
    .group = "graph",
    .name = "import",
    .summary = "read a graph in any of the known formats",
    .arguments = "SRC.. -o G",
    .about = "Reads edge lists (SNAP, csv), GraphML, GEXF, Matrix Market, METIS, NumPy and SciPy arrays, WebGraph\n"
             "BV, OGB, GAP files, and data sets of Legion, GNNLab and GraphBolt; the format is detected by content. "
             "Writes\n"
             "a graph directory: plain .npy arrays, which are mapped, never copied.\n"
             "Row v of a graph lists the vertices that v samples. Messages flow along u -> v, so v samples u:\n"
             "--sample in is the default. If a graph is transposed by mistake, vertices are ranked by the wrong\n"
             "degree, and plans save little.\n"
             "Labels, validation and test vertices are kept as labels.npy, valid.npy and test.npy for exports and\n"
             "training; planning does not read them.\n"
             "Ids of text may be names (alice,bob): vertices are numbered in the order in which these first come.\n"
             "Exact duplicates are dropped and counted, self-loops are kept, rows are sorted.\n"
             "Folders with several node types or relations (a graph directory of schema graph/2): hetero.json with\n"
             "an edge_index (.npy or .csv) per relation, OGB's heterogeneous csv, GraphBolt, and folders named\n"
             "SOURCE___NAME___TARGET (MAG240M, IGBH). A csv of users and items needs a hetero.json beside it:\n"
             "{\"types\": [{\"name\": \"user\"}, {\"name\": \"item\"}], \"relations\": [{\"source\": \"user\", "
             "\"name\":\n"
             "\"buys\", \"target\": \"item\", \"edge_index\": \"e.csv\", \"columns\": [\"user_id\", \"item_id\"]}]}. "
             "--undirected adds rev_NAME to relations between two types;\n"
             "--train is TYPE=FILE there. A csv with a column of relations needs --relation-column.\n"
             "A source - is standard input; it may be compressed (gzip, zstd, xz). Named pipes are read, too.",
    .examples = "hotset graph import soc-Slashdot0902.txt.gz -o slashdot          # SNAP text: v draws u where u -> v\n"
                "hotset graph import adjacency.npz --undirected -o computers      # SciPy matrix, both directions "
                "stored\n"
                "hotset graph import uk-2014.graph --feature-dim 128 -o uk-2014   # WebGraph BV\n"
                "hotset graph import indptr.npy indices.npy --train split.npy -o G\n"
                "hotset graph import CollegeMsg.txt.gz --times -o messages        # source, target, time",
    .params = import_params,
    .elsewhere = features_elsewhere,
    .usual = "output train train-share feature-dim feature-type undirected sample format renumber weights labels",
    .needs = "output",
    .args_size = sizeof(struct import_args),
    .words_low = 1,
    .words_high = 4096,
    .run = run_import,
};
