#include "traces/builder/builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "base/precision.h"
#include "base/progress.h"
#include "traces/builder/builder_renumber.h"
#include "traces/builder/builder_spill.h"
#include "traces/builder/builder_times.h"

bool builder_justifies(uint64_t n, uint64_t arcs)
{
    enum { MODEST_VERTICES = 1 << 24, SPARSE = 256 };
    return n <= MODEST_VERTICES || n / SPARSE <= arcs;
}

struct builder {
    struct builder_options options;
    struct spill arcs, weights; /* u32 pairs, or u64 pairs while renumbering; f32 */
    const char *path, *unit;
    uint64_t count;    /* arcs taken */
    uint64_t declared; /* 0: n is the largest id + 1, or at_least */
    uint64_t at_least;
    bool proven, symmetric, stored_twice;
    uint64_t largest, largest_place;
    char largest_path[512], largest_unit[16];
    struct progress bar;
    bool bar_runs;
    int64_t *original;
    struct builder_times times;
    int64_t *vertex_times;
    char vertex_times_file[PATH_BYTES];
    struct source_sets sets;
    struct name_table names;
    bool named; /* ids are names */
    char doubt[GRAPH_DOUBT];
};

enum st builder_open(const struct builder_options *options, struct builder **out, struct err *err)
{
    struct builder *b = NULL;
    enum st st = ST_OK;
    NEW(b, 1, "a graph builder");
    b->options = *options;
    b->path = b->unit = "";
    TRY(spill_open(&b->arcs, options->near, err));
    if (options->weights) TRY(spill_open(&b->weights, options->near, err));
    b->declared = options->vertices;
    b->proven = options->vertices;
    if (options->times) TRY(builder_times_open(&b->times, options->near, options->edge_times, err));
    *out = TAKE(b);
done:
    builder_close(b);
    return st;
}

void builder_close(struct builder *b)
{
    if (!b) return;
    if (b->bar_runs) progress_end(&b->bar);
    spill_close(&b->arcs);
    spill_close(&b->weights);
    builder_times_close(&b->times);
    mem_free(b->vertex_times);
    mem_free(b->original);
    source_sets_release(&b->sets);
    name_table_release(&b->names);
    mem_free(b);
}

void builder_source(struct builder *b, const char *path, const char *unit)
{
    b->path = path;
    b->unit = unit;
}

enum st builder_vertices(struct builder *b, uint64_t n, bool proven, struct err *err)
{
    if ((b->declared && !b->options.vertices) || (b->count && !b->options.renumber))
        return err_set(err, ST_INPUT, "%s: a second graph after the first; import one graph at a time", b->path);
    if (n == 0) return err_set(err, ST_INPUT, "%s: the graph has no vertices", b->path);
    if (n >= UINT32_MAX)
        return err_set(err, ST_INPUT, "%s: states %" PRIu64 " vertices; a graph has at most 4,294,967,294", b->path, n);
    if (b->options.vertices && b->options.vertices != n)
        return err_set(err, ST_USAGE, "--vertices: %s states %" PRIu64 " vertices itself; leave the option out",
                       b->path, n);
    b->declared = n;
    b->proven = proven;
    return ST_OK;
}

void builder_symmetric(struct builder *b, bool stored)
{
    b->symmetric = true;
    b->stored_twice = stored;
}

bool builder_names_asked(const struct builder *b) { return b->options.names; }
bool builder_named(const struct builder *b) { return b->options.names || b->named; }

enum st builder_names(struct builder *b, struct err *err)
{
    if (b->count && !b->named)
        return err_set(err, ST_INPUT,
                       "%s: its ids are names, but those of the source before are numbers; say --names to "
                       "take all ids as names",
                       b->path);
    if (b->options.renumber || b->options.vertices)
        return err_set(err, ST_USAGE, "--%s: the ids of %s are names, which are numbered as they come; leave it out",
                       b->options.renumber ? "renumber" : "vertices", b->path);
    b->named = true;
    return ST_OK;
}

enum st builder_name(struct builder *b, uint64_t place, const char *name, size_t length, uint64_t *id, struct err *err)
{
    struct err why = {0};
    const enum st st = name_table_add(&b->names, name, length, id, &why);
    return st == ST_OK ? ST_OK : err_set(err, st, "%s: %s %" PRIu64 ": %s", b->path, b->unit, place, why.text);
}

void builder_doubt(struct builder *b, const char *format, ...)
{
    va_list ap;
    if (*b->doubt) return;
    va_start(ap, format);
    vsnprintf(b->doubt, sizeof b->doubt, format, ap);
    va_end(ap);
}

bool builder_keeps_weights(const struct builder *b) { return b->options.weights; }
bool builder_wants_times(const struct builder *b) { return b->options.times && !b->options.edge_times; }
const struct column_words *builder_columns(const struct builder *b) { return &b->options.columns; }
void builder_at_least(struct builder *b, uint64_t n)
{
    if (n < UINT32_MAX) b->at_least = n;
}
void builder_vertex_times(struct builder *b, const char *path)
{
    snprintf(b->vertex_times_file, sizeof b->vertex_times_file, "%s", path);
    if (!b->options.edge_times) b->options.times = false; /* its arcs have none */
}
const char *builder_second(const struct builder *b) { return b->options.second; }
const char *builder_near(const struct builder *b) { return b->options.near; }

void builder_progress(struct builder *b, uint64_t done, uint64_t total)
{
    if (!b->bar_runs) progress_begin(&b->bar, "reading the graph", total, b->options.progress);
    b->bar_runs = true;
    progress_set(&b->bar, done);
}

static enum st id_error(const struct builder *b, uint64_t place, uint64_t id, struct err *err)
{
    if (b->options.vertices && id >= b->options.vertices)
        return err_set(err, ST_INPUT,
                       "%s: %s %" PRIu64 " names vertex %" PRId64 " (counted from 0), but --vertices says %" PRIu64,
                       b->path, b->unit, place, (int64_t)id, b->options.vertices);
    if (b->declared && id >= b->declared)
        return err_set(err, ST_INPUT,
                       "%s: %s %" PRIu64 " names vertex %" PRId64 " (counted from 0), but the graph has %" PRIu64
                       " vertices; the file is damaged or its header is wrong",
                       b->path, b->unit, place, (int64_t)id, b->declared);
    if (b->options.renumber)
        return err_set(err, ST_INPUT, "%s: %s %" PRIu64 " has id %" PRId64 "; ids are numbers from 0 to 2^63 - 1",
                       b->path, b->unit, place, (int64_t)id);
    return err_set(err, ST_INPUT,
                   "%s: %s %" PRIu64 " has id %" PRId64 "; ids are 0 to 4,294,967,293, or to 2^63 - 1 with --renumber, "
                   "if "
                   "this is a list of edges",
                   b->path, b->unit, place, (int64_t)id);
}

/* Remembers where the largest id was found: it decides the number of vertices. */
static void note_largest(struct builder *b, uint64_t place, uint64_t id)
{
    b->largest = id;
    b->largest_place = place;
    if (strcmp(b->largest_path, b->path)) {
        snprintf(b->largest_path, sizeof b->largest_path, "%s", b->path);
        snprintf(b->largest_unit, sizeof b->largest_unit, "%s", b->unit);
    }
}

static inline enum st take_arc(struct builder *b, uint64_t place, uint64_t u, uint64_t v, struct err *err)
{
    uint64_t larger = u > v ? u : v;
    uint64_t bound = b->declared ? b->declared : b->options.renumber ? (uint64_t)INT64_MAX + 1 : UINT32_MAX - 1;
    if (larger >= bound) return id_error(b, place, larger, err);
    if (larger > b->largest || !b->count) note_largest(b, place, larger);
    b->count++;
    if (b->options.renumber) {
        uint64_t wide[2] = {u, v};
        return spill_append(&b->arcs, wide, sizeof wide, err);
    }
    uint32_t pair[2] = {(uint32_t)u, (uint32_t)v};
    return spill_append(&b->arcs, pair, sizeof pair, err);
}

/* An arc whose source has no time for it. */
static enum st untimed_arc(struct builder *b, uint64_t place, uint64_t u, uint64_t v, struct err *err)
{
    struct arc_time time;
    if (b->options.times) {
        PASS(builder_times_next(&b->times, b->path, b->unit, place, &time, err));
        PASS(builder_times_add(&b->times, b->path, time, err));
    }
    return take_arc(b, place, u, v, err);
}

enum st builder_timed_arc(struct builder *b, uint64_t place, uint64_t u, uint64_t v, const struct arc_time *time,
                          struct err *err)
{
    if (!builder_wants_times(b)) return builder_arc(b, place, u, v, err);
    enum st st = builder_times_add(&b->times, b->path, *time, err);
    return st == ST_OK ? take_arc(b, place, u, v, err) : st;
}

enum st builder_arc(struct builder *b, uint64_t place, uint64_t u, uint64_t v, struct err *err)
{
    if (b->options.weights)
        return err_set(err, ST_INPUT, "%s: %s %" PRIu64 " has no weight; leave out --weights", b->path, b->unit, place);
    return untimed_arc(b, place, u, v, err);
}

enum st builder_weighted_arc(struct builder *b, uint64_t place, uint64_t u, uint64_t v, double weight, struct err *err)
{
    if (!b->options.weights) return untimed_arc(b, place, u, v, err);
    float w = (float)weight;
    if (!(w >= 0) || isinf(w))
        return err_set(err, ST_INPUT,
                       "%s: %s %" PRIu64 " has weight %g; weights must be finite, not negative and fit float32",
                       b->path, b->unit, place, weight);
    w += 0.0f; /* -0 becomes 0 */
    enum st st = spill_append(&b->weights, &w, sizeof w, err);
    return st == ST_OK ? take_arc(b, place, u, v, err) : st;
}

enum st builder_set(struct builder *b, enum vertex_set set, const uint64_t *ids, uint64_t count, const char *what,
                    struct err *err)
{
    return source_sets_put(&b->sets, set, ids, count, what, err);
}

enum st builder_labels(struct builder *b, const struct npy *ids, const struct npy *labels, const char *what,
                       struct err *err)
{
    char why[200];
    enum st st = source_sets_labels(&b->sets, ids, labels, what, why, err);
    if (st == ST_OK && *why) builder_doubt(b, "%s, so that the graph has no labels", why);
    return st;
}

void builder_features(struct builder *b, uint64_t rows, uint64_t dim, const char *element, const char *what)
{
    struct source_rows *f = &b->sets.features;
    *f = (struct source_rows){.rows = rows, .dim = dim};
    snprintf(f->element, sizeof f->element, "%s", element);
    snprintf(f->what, sizeof f->what, "%s", what);
}

enum st builder_features_array(struct builder *b, const struct npy *rows, const char *path, const char *what,
                               struct err *err)
{
    const uint64_t dim = rows->dims == 2 ? rows->shape[1] : 1;
    if (rows->dims < 1 || rows->dims > 2 || !dim || !*precision_word(rows->type))
        return err_set(err, ST_INPUT,
                       "%s: has %d dimensions and elements of type %s; expected rows of numbers, (vertices, elements)",
                       path, rows->dims, rows->type);
    builder_features(b, rows->shape[0], dim, precision_word(rows->type), what);
    return ST_OK;
}

void builder_classes(struct builder *b, uint64_t classes) { b->sets.classes = classes; }

static enum st read_arcs(const void *self, uint64_t first, uint64_t count, uint32_t *pairs, float *weights,
                         struct err *err)
{
    const struct builder *b = self;
    enum st st = spill_read(&b->arcs, 8 * first, pairs, 8 * count, err);
    if (st == ST_OK && weights && b->times.on) return builder_times_read(&b->times, first, count, weights, err);
    if (st == ST_OK && weights) st = spill_read(&b->weights, 4 * first, weights, 4 * count, err);
    return st;
}

/* Decides the number of vertices; refuses one that the number of arcs does not justify. */
static enum st decide_vertices(const struct builder *b, uint64_t *n, struct err *err)
{
    *n = b->names.count;
    if (b->named && *n && b->count) return ST_OK;
    if (!b->declared && !b->count)
        return err_set(err, ST_INPUT, "%s: holds no arcs, so there is no graph in it", b->path);
    *n = b->declared ? b->declared : b->largest + 1;
    if (!b->declared && b->at_least > *n && builder_justifies(b->at_least, b->count)) *n = b->at_least;
    if ((b->declared && b->proven) || builder_justifies(*n, b->count)) return ST_OK;
    if (b->declared)
        return err_set(err, ST_INPUT,
                       "%s: states %" PRIu64 " vertices but has only %" PRIu64 " arcs; if that is intended, import it "
                       "as an edge list with --renumber",
                       b->path, *n, b->count);
    return err_set(err, ST_INPUT,
                   "%s: %s %" PRIu64 " has id %" PRIu64 ", which asks for %" PRIu64 " vertices with only %" PRIu64
                   " arcs; use --renumber if ids are meant to be that sparse",
                   b->largest_path, b->largest_unit, b->largest_place, b->largest, *n, b->count);
}

/* Replaces the 64-bit arcs by dense ones. */
static enum st make_dense(struct builder *b, const struct output *to, uint64_t *n, struct err *err)
{
    OWNED_BY(spill_close) struct spill dense = {0};
    char path[PATH_BYTES];
    if (!b->count) return err_set(err, ST_INPUT, "%s: holds no arcs, so --renumber leaves no vertices", b->path);
    PASS(spill_open(&dense, b->options.near, err));
    PASS(renumber_ids(&b->arcs, &dense, b->options.threads, &b->original, n, err));
    spill_close(&b->arcs);
    b->arcs = dense;
    dense = (struct spill){0};
    PASS(output_path(to, "original_ids.npy", path, err));
    return npy_save(path, "i8", 1, n, b->original, err);
}

enum st builder_finish(struct builder *b, const struct output *to, struct builder_result *out, struct err *err)
{
    struct builder_result r = {0};
    const struct builder_options *o = &b->options;
    PASS(spill_flush(&b->arcs, err));
    if (o->weights) PASS(spill_flush(&b->weights, err));
    if (b->bar_runs) progress_end(&b->bar);
    b->bar_runs = false;
    if (o->renumber) PASS(make_dense(b, to, &r.n, err));
    else PASS(decide_vertices(b, &r.n, err));
    if (b->named) PASS(name_table_save(&b->names, -1, to, err));
    bool mirrored = b->symmetric && !b->stored_twice;
    if (o->times && !b->count) return err_set(err, ST_INPUT, "%s: holds no arcs, so there are no times", b->path);
    if (o->times) PASS(builder_times_rank(&b->times, b->count, err));
    struct arc_source source = {b, b->count, o->weights || o->times, read_arcs};
    struct csr_options rules = {.n = r.n,
                                .rows_list_targets = o->sample_out,
                                .both = o->undirected || mirrored,
                                .parallel = o->parallel,
                                .times = o->times ? b->times.distinct : NULL,
                                .threads = o->threads,
                                .progress = o->progress};
    PASS(csr_write(&source, &rules, to, &r.csr, err));
    r.sample = o->undirected || b->symmetric ? "both" : o->sample_out ? "out" : "in";
    if (o->times) PASS(builder_times_last(&b->times, &source, r.n, &b->vertex_times, err));
    r.names = b->named ? &b->names : NULL;
    r.original_ids = b->original;
    r.vertex_times = b->vertex_times;
    r.times_fine = b->times.fine;
    r.vertex_times_file = b->vertex_times_file;
    r.sets = &b->sets;
    r.counted = !b->declared && !o->renumber && !b->named;
    r.doubt = b->doubt;
    *out = r;
    return ST_OK;
}
