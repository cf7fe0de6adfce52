#include "traces/graph/graph_sets.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "traces/graph/graph_types.h"

enum { LABELS, VALID, TEST };

const char *graph_set_word(enum vertex_set set)
{
    return set == SET_TRAIN ? "training" : set == SET_VALID ? "validation" : "test";
}

enum st graph_set_check(const uint32_t *ids, uint64_t count, uint64_t n, const char *of, const char *folder,
                        const char *name, struct err *err)
{
    OWNED_NEW(uint64_t, seen, n / 64 + 1, "a set of vertices");
    for (uint64_t i = 0; i < count; i++) {
        uint32_t v = ids[i];
        if (v >= n)
            return err_set(err, ST_INPUT, "%s/%s: entry %" PRIu64 " is %" PRIu32 ", but %s has %" PRIu64 " vertices",
                           folder, name, i, v, of, n);
        if (seen[v / 64] >> (v % 64) & 1)
            return err_set(err, ST_INPUT, "%s/%s: names vertex %" PRIu32 " twice", folder, name, v);
        seen[v / 64] |= (uint64_t)1 << (v % 64);
    }
    return ST_OK;
}

static enum st open_set(const struct graph *g, struct graph_sets *s, int which, const char *name, const char *key,
                        const doc *d, struct err *err)
{
    const uint32_t **ids = which == VALID ? &s->valid : &s->test;
    uint64_t *count = which == VALID ? &s->valid_count : &s->test_count;
    *count = doc_count(d, key);
    if (!*count) return ST_OK;
    PASS(graph_map_array(g, name, "u4", *count, &s->arrays[which], err));
    *ids = s->arrays[which].data;
    return graph_set_check(*ids, *count, g->n, "the graph", g->path, name, err);
}

static enum st check_labels(const struct graph *g, const struct graph_sets *s, int threads, struct err *err)
{
    uint64_t bad = UINT64_MAX, labelled = 0, n = g->n;
    const int64_t *label = s->labels, classes = (int64_t)s->classes;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : bad) reduction(+ : labelled)
    for (uint64_t v = 0; v < n; v++) {
        labelled += label[v] >= 0;
        if ((label[v] < GRAPH_NO_LABEL || label[v] >= classes) && v < bad) bad = v;
    }
    if (bad != UINT64_MAX)
        return err_set(err, ST_INPUT,
                       "%s/labels.npy: entry %" PRIu64 " is %" PRId64 "; expected a class below %" PRId64
                       " (label_classes of graph.json), or -1 for none",
                       g->path, bad, label[bad], classes);
    if (labelled == s->labelled) return ST_OK;
    return err_set(err, ST_INPUT, "%s/labels.npy: has %" PRIu64 " labels, but graph.json says %" PRIu64, g->path,
                   labelled, s->labelled);
}

static enum st open_labels(const struct graph *g, struct graph_sets *s, const doc *d, int threads, struct err *err)
{
    s->classes = doc_count(d, "label_classes");
    if (!s->classes) return ST_OK;
    s->labelled = doc_count(d, "labelled_vertices");
    PASS(graph_map_array(g, "labels.npy", "i8", g->n, &s->arrays[LABELS], err));
    s->labels = s->arrays[LABELS].data;
    return check_labels(g, s, threads, err);
}

enum st graph_sets_open(const struct graph *g, int threads, struct graph_sets *out, struct err *err)
{
    OWNED_BY(graph_sets_close) struct graph_sets s = {0};
    char where[PATH_BYTES];
    OWNED_DOC doc *d = NULL;
    if (*g->type_name) { /* schema graph/2 lists no such sets */
        *out = s;
        return ST_OK;
    }
    PASS(path_join(where, g->path, "graph.json", err));
    PASS(doc_load(where, "graph/1", &d, err));
    PASS(open_labels(g, &s, d, threads, err));
    PASS(open_set(g, &s, VALID, "valid.npy", "valid_vertices", d, err));
    PASS(open_set(g, &s, TEST, "test.npy", "test_vertices", d, err));
    *out = s;
    memset(s.arrays, 0, sizeof s.arrays);
    return ST_OK;
}

void graph_sets_close(struct graph_sets *s)
{
    for (size_t i = 0; i < sizeof s->arrays / sizeof *s->arrays; i++) npy_release(&s->arrays[i]);
    memset(s, 0, sizeof *s);
}

void graph_sets_put(const struct graph_sets *s, doc *object)
{
    if (s->classes) {
        doc_put(object, "label_classes", doc_integer((int64_t)s->classes));
        doc_put(object, "labelled_vertices", doc_integer((int64_t)s->labelled));
    }
    if (s->valid_count) doc_put(object, "valid_vertices", doc_integer((int64_t)s->valid_count));
    if (s->test_count) doc_put(object, "test_vertices", doc_integer((int64_t)s->test_count));
}
