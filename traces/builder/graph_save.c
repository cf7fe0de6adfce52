#include "traces/builder/graph_save.h"

#include <string.h>

#include "base/npy.h"
#include "base/table.h"
#include "base/units.h"
#include "traces/graph/graph_times.h"

const char *graph_sample_words(const char *sample)
{
    return !strcmp(sample, "both")  ? "undirected: both directions"
           : !strcmp(sample, "out") ? "row v: targets of v"
                                    : "row v: sources of arcs into v";
}

static enum st fingerprint(const struct output *to, uint64_t n, const struct train_set *train, int threads,
                           struct graph_summary *s, struct err *err)
{
    char path[PATH_BYTES];
    struct npy indptr = {0}, indices = {0};
    enum st st;
    TRY(output_path(to, "indptr.npy", path, err));
    TRY(npy_map(path, &indptr, err));
    TRY(output_path(to, "indices.npy", path, err));
    TRY(npy_map(path, &indices, err));
    for (int k = 0; k < 1 + graph_samples(n, s->m); k++)
        TRY(graph_arrays_digest(indptr.data, n, indices.data, train->ids, train->count, k, threads,
                                k ? s->sampled : s->fingerprint, err));
done:
    npy_release(&indptr);
    npy_release(&indices);
    return st;
}

/* What there is beside the training vertices, by the names of graph_sets.h. */
static void put_sets(const struct graph_summary *s, doc *d)
{
    const struct graph_sets sets = {.classes = s->classes,
                                    .labelled = s->labelled,
                                    .valid_count = s->valid,
                                    .test_count = s->test};
    graph_sets_put(&sets, d);
}

static enum st write_set(const struct output *to, const char *name, const struct train_set *set, struct err *err)
{
    char path[PATH_BYTES];
    if (!set || !set->count) return ST_OK;
    PASS(output_path(to, name, path, err));
    return npy_save(path, "u4", 1, &set->count, set->ids, err);
}

static enum st write_sets(const struct output *to, uint64_t n, const struct graph_facts *facts, struct graph_summary *s,
                          struct err *err)
{
    char path[PATH_BYTES];
    PASS(write_set(to, "valid.npy", facts->valid, err));
    PASS(write_set(to, "test.npy", facts->test, err));
    s->valid = facts->valid ? facts->valid->count : 0;
    s->test = facts->test ? facts->test->count : 0;
    if (!facts->labels || !facts->labels->label) return ST_OK;
    PASS(output_path(to, "labels.npy", path, err));
    PASS(npy_save(path, "i8", 1, &n, facts->labels->label, err));
    s->classes = facts->labels->classes;
    s->labelled = facts->labels->labelled;
    return ST_OK;
}

/* Writes vertex_times.npy, and which times there are into d. */
static enum st write_times(const struct output *to, const struct graph_summary *s, const struct graph_facts *facts,
                           int threads, doc *d, struct err *err)
{
    char path[PATH_BYTES];
    OWNED_BY(npy_release) struct npy edges = {0};
    if (facts->edge_times) {
        PASS(output_path(to, "edge_times.npy", path, err));
        PASS(npy_map(path, &edges, err));
    }
    if (facts->vertex_times) {
        PASS(output_path(to, "vertex_times.npy", path, err));
        PASS(npy_save(path, "i8", 1, &s->n, facts->vertex_times, err));
    }
    graph_times_put(edges.data, s->m, facts->vertex_times, s->n, threads, d);
    if (facts->times_fine) doc_put(d, "time_unit", doc_real(1e-6));
    return ST_OK;
}

static enum st write_json(const struct output *to, const struct graph_summary *s, const struct graph_facts *facts,
                          int threads, struct err *err)
{
    char path[PATH_BYTES];
    OWNED_DOC doc *d = doc_object();
    const struct graph_members members = {.name = s->name,
                                          .sample = s->sample,
                                          .fingerprint = s->fingerprint,
                                          .n = s->n,
                                          .m = s->m,
                                          .feature_dim = facts->feature_dim,
                                          .feature_bytes = facts->feature_bytes,
                                          .train_count = s->train};
    doc_put(d, "schema", doc_text("graph/1"));
    graph_members_put(&members, d);
    if (*s->sampled) doc_put(d, "sampled", doc_text(s->sampled));
    doc_put(d, "feature_type", doc_text(facts->feature_type));
    if (facts->feature_origin) doc_put(d, "feature_origin", doc_text(facts->feature_origin));
    doc_put(d, "origin", doc_text(facts->origin));
    doc_put(d, "train_origin", doc_text(facts->train_origin));
    doc_put(d, "duplicates_dropped", doc_integer((int64_t)s->duplicates));
    doc_put(d, "self_loops", doc_integer((int64_t)s->self_loops));
    if (facts->relabelled) doc_put(d, "relabelled_by", doc_text(facts->relabelled));
    put_sets(s, d);
    if (s->name_bytes) doc_put(d, "name_bytes", doc_integer((int64_t)s->name_bytes));
    PASS(write_times(to, s, facts, threads, d, err));
    PASS(output_path(to, "graph.json", path, err));
    return doc_save(d, path, err);
}

enum st graph_save(const struct output *to, uint64_t n, const struct csr_result *csr, const struct train_set *train,
                   const struct graph_facts *facts, int threads, struct graph_summary *summary, struct err *err)
{
    struct graph_summary s = {.n = n,
                              .m = csr->m,
                              .duplicates = csr->duplicates,
                              .self_loops = csr->self_loops,
                              .train = train->count};
    char path[PATH_BYTES];
    s.topology_bytes = 4 * s.m + 8 * n;
    s.feature_bytes = n * facts->feature_dim * facts->feature_bytes;
    s.feature_dim = facts->feature_dim;
    s.name_bytes = facts->name_bytes;
    snprintf(s.feature_type, sizeof s.feature_type, "%s", facts->feature_type);
    snprintf(s.feature_origin, sizeof s.feature_origin, "%s", facts->feature_origin ? facts->feature_origin : "");
    snprintf(s.name, sizeof s.name, "%s", facts->name);
    snprintf(s.sample, sizeof s.sample, "%s", facts->sample);
    snprintf(s.origin, sizeof s.origin, "%s", facts->origin);
    snprintf(s.train_origin, sizeof s.train_origin, "%s", facts->train_origin);
    PASS(output_path(to, "train.npy", path, err));
    PASS(npy_save(path, "u4", 1, &train->count, train->ids, err));
    PASS(write_sets(to, n, facts, &s, err));
    PASS(fingerprint(to, n, train, threads, &s, err));
    PASS(write_json(to, &s, facts, threads, err));
    if (summary) *summary = s;
    return ST_OK;
}

doc *graph_summary_document(const struct graph_summary *s)
{
    doc *d = doc_object();
    doc_put(d, "schema", doc_text("graph-made/1"));
    doc_put(d, "name", doc_text(s->name));
    doc_put(d, "vertices", doc_integer((int64_t)s->n));
    doc_put(d, "edges", doc_integer((int64_t)s->m));
    doc_put(d, "sample", doc_text(s->sample));
    doc_put(d, "duplicates_dropped", doc_integer((int64_t)s->duplicates));
    doc_put(d, "self_loops", doc_integer((int64_t)s->self_loops));
    doc_put(d, "topology_bytes", doc_integer((int64_t)s->topology_bytes));
    doc_put(d, "feature_bytes_total", doc_integer((int64_t)s->feature_bytes));
    doc_put(d, "feature_dim", doc_integer((int64_t)s->feature_dim));
    doc_put(d, "feature_type", doc_text(s->feature_type));
    doc_put(d, "feature_origin", doc_text(*s->feature_origin ? s->feature_origin : NULL));
    doc_put(d, "train_vertices", doc_integer((int64_t)s->train));
    doc_put(d, "train_origin", doc_text(s->train_origin));
    put_sets(s, d);
    if (s->name_bytes) doc_put(d, "name_bytes", doc_integer((int64_t)s->name_bytes));
    doc_put(d, "origin", doc_text(s->origin));
    doc_put(d, "fingerprint", doc_text(s->fingerprint));
    return d;
}

void graph_summary_print(const struct graph_summary *s, FILE *to)
{
    static const char *const headers[] = {"graph", ">", "", NULL};
    struct table *t = table_new(headers);
    char count[UNIT_TEXT], bytes[UNIT_TEXT], classes[UNIT_TEXT + 16], rows_of[160];
    const struct {
        const char *what;
        uint64_t n;
        bool bytes, always;
        const char *remark;
    } rows[] = {{"vertices", s->n, false, true, ""},
                {"stored arcs", s->m, false, true, graph_sample_words(s->sample)},
                {"duplicates dropped", s->duplicates, false, true, ""},
                {"self-loops kept", s->self_loops, false, true, ""},
                {"topology rows", s->topology_bytes, true, true, "4 bytes per arc, 8 per vertex"},
                {"feature rows", s->feature_bytes, true, true, rows_of},
                {"training vertices", s->train, false, true, s->train_origin},
                {"validation vertices", s->valid, false, false, ""},
                {"test vertices", s->test, false, false, ""},
                {"labels", s->labelled, false, false, classes},
                {"names", s->name_bytes, true, false, "of the vertices: name_offsets.npy, name_bytes.npy"}};
    snprintf(rows_of, sizeof rows_of, "%llu x %s%s%s", (unsigned long long)s->feature_dim, s->feature_type,
             *s->feature_origin ? ", " : "",
             strcmp(s->feature_origin, GRAPH_ROWS_ASSUMED) ? s->feature_origin
                                                           : "assumed: the source states none (--feature-dim)");
    snprintf(classes, sizeof classes, "%s classes", units_count(count, s->classes));
    table_add(t, "name");
    table_add(t, "%s", s->name);
    table_add(t, "%s", s->origin);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].always && !rows[i].n) continue;
        table_add(t, "%s", rows[i].what);
        table_add(t, "%s", rows[i].bytes ? units_bytes(bytes, rows[i].n) : units_count(count, rows[i].n));
        table_add(t, "%s", rows[i].remark);
    }
    table_show(t, to);
}
