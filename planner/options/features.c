#include "planner/options/features.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

int features_table(const struct graph *g, const char *name)
{
    char label[GRAPH_LABEL_BYTES];
    for (int t = g->relations; t < g->tables; t++) {
        const struct row_table *table = &g->table[t];
        if (!strcmp(graph_table_label(g, t, label), name)) return t;
        if (table->kind == ROWS_EDGE && !strcmp(g->relation[table->of].name, name)) return t;
    }
    return -1;
}

enum st features_pairs(const char *option, const char *words, char *copy, char **name, char **value, int *count,
                       struct err *err)
{
    if (strlen(words) >= FEATURES_WORDS) return err_set(err, ST_USAGE, "--%s: the list is too long", option);
    strcpy(copy, words);
    *count = text_split(copy, ',', name, GRAPH_TABLES_MAX);
    if (*count < 0) return err_set(err, ST_USAGE, "--%s: more than %d entries", option, GRAPH_TABLES_MAX);
    for (int i = 0; i < *count; i++) {
        value[i] = strchr(name[i], '=');
        if (!value[i])
            return err_set(err, ST_USAGE, "--%s: '%.60s' names no type; write TYPE=%s", option, name[i], name[i]);
        *value[i]++ = '\0';
    }
    return ST_OK;
}

enum st features_each(const struct graph *g, const char *words,
                      enum st (*take)(const char *, int, void *, struct err *), void *to, struct err *err)
{
    char copy[FEATURES_WORDS], *name[GRAPH_TABLES_MAX], *value[GRAPH_TABLES_MAX];
    int count;
    if (graph_plain(g)) return take(words, 1, to, err);
    PASS(features_pairs("features", words, copy, name, value, &count, err));
    for (int i = 0; i < count; i++) {
        int table = features_table(g, name[i]);
        if (table < 0 || !graph_table_there(g, table))
            return err_set(err, ST_USAGE, "--features: '%.60s' is no type and no relation of %s with features", name[i],
                           g->path);
        PASS(take(value[i], table, to, err));
    }
    return ST_OK;
}

/* What to do about a shape that is not the graph's. */
static void remedy(const struct npy *a, uint64_t n, uint64_t dim, char *out, size_t size)
{
    bool elements = a->count == (unsigned __int128)n * dim;
    if (a->dims == 2 && a->shape[0] == dim && a->shape[1] == n)
        snprintf(out, size, "save its transpose: np.save(FILE, np.ascontiguousarray(a.T))");
    else if (elements)
        snprintf(out, size, "save it as np.save(FILE, a.reshape(%llu, %llu))", (unsigned long long)n,
                 (unsigned long long)dim);
    else if (a->dims == 2 && a->shape[0] == n)
        snprintf(out, size, "import the graph again with --feature-dim %llu, or name other features",
                 (unsigned long long)a->shape[1]);
    else snprintf(out, size, "name features that have a row per vertex");
}

enum st features_map(const char *path, const struct graph *g, int table, struct npy *out, struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    const uint64_t shape[2] = {graph_table(g, table).count, graph_table_dim(g, table)};
    char found[200], expected[200], what_to_do[200];
    PASS(npy_map(path, &a, err));
    if (a.dims != 2 || a.shape[0] != shape[0] || a.shape[1] != shape[1]) {
        remedy(&a, shape[0], shape[1], what_to_do, sizeof what_to_do);
        return err_set(err, ST_INPUT, "%s: has shape %s, but features of this graph have shape %s; %s", path,
                       npy_shape_text(found, a.dims, a.shape), npy_shape_text(expected, 2, shape), what_to_do);
    }
    *out = a;
    a = (struct npy){0};
    return ST_OK;
}
