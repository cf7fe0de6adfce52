/* explain_subject.c - what an explanation is asked about (declared in explain.h). */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "planner/results/explain.h"

/* Whether a table has a row of each vertex of the type. */
static bool has_rows_of(const struct graph *g, int table, int type)
{
    const struct row_table t = graph_table(g, table);
    if (!graph_table_there(g, table) || t.kind == ROWS_EDGE) return false;
    return (t.kind == ROWS_FEATURE ? t.of : graph_csr(g, t.of).target) == type;
}

const char *explain_table_name(const struct graph *g, int table, char out[EXPLAIN_NAME])
{
    char label[GRAPH_LABEL_BYTES];
    const char *kind = row_kind_name(graph_table(g, table).kind);
    if (graph_plain(g)) snprintf(out, EXPLAIN_NAME, "%s", kind);
    else snprintf(out, EXPLAIN_NAME, "%s %s", graph_table_label(g, table, label), kind);
    return out;
}

/* Whether what stands before the colon is a type. */
static bool of_type(const struct graph *g, const char *text, const char *colon)
{
    char name[GRAPH_NAME_BYTES];
    if (!colon || colon - text >= GRAPH_NAME_BYTES) return false;
    snprintf(name, sizeof name, "%.*s", (int)(colon - text), text);
    return graph_type_named(g, name) >= 0;
}

/* *of: its type. Returns the number within it, as text. */
static enum st split(const struct graph *g, const char *text, int *of, const char **id, struct err *err)
{
    char name[GRAPH_NAME_BYTES];
    const char *colon = strrchr(text, ':');
    *of = 0;
    *id = text;
    if (graph_plain(g)) return ST_OK;
    for (const char *at = strchr(text, ':'); at && !of_type(g, text, colon); at = strchr(at + 1, ':'))
        if (of_type(g, text, at)) colon = at; /* names may hold colons */
    if (!colon || colon - text >= GRAPH_NAME_BYTES)
        return err_set(err, ST_USAGE, "--vertex %.60s: this graph has several types; write TYPE:V, for example %s:0",
                       text, g->type[0].name);
    snprintf(name, sizeof name, "%.*s", (int)(colon - text), text);
    if ((*of = graph_type_named(g, name)) < 0)
        return err_set(err, ST_USAGE, "--vertex %.60s: the graph has no type %s", text, name);
    *id = colon + 1;
    return ST_OK;
}

enum st explain_vertex(const struct graph *g, const char *text, int threads, struct explain_subject *out,
                       struct graph_names *names, struct err *err)
{
    const char *id;
    char of[GRAPH_OF_TYPE];
    int64_t v;
    *out = (struct explain_subject){.whole = false};
    PASS(split(g, text, &out->type, &id, err));
    PASS(graph_names_open(g, out->type, threads, names, err));
    uint64_t count = graph_vertices(g, out->type).count, named = graph_names_find(names, id, threads);
    if (named != UINT64_MAX) v = (int64_t)named;
    else if (names->count && strspn(id, "0123456789") != strlen(id))
        return err_set(err, ST_INPUT, "--vertex %.60s: no vertex of the graph%s has this name", text,
                       graph_of_type(g, out->type, of));
    else PASS(units_integer(id, "--vertex", INT64_MIN, INT64_MAX, &v, err));
    if (v < 0 || (uint64_t)v >= count)
        return err_set(err, ST_INPUT, "--vertex %.60s: is not in the graph, whose vertices%s are 0 to %lld", text,
                       graph_of_type(g, out->type, of), (long long)count - 1);
    out->vertex = (uint64_t)v;
    for (int k = 0; k < graph_tables(g); k++)
        if (has_rows_of(g, k, out->type)) out->table[out->tables++] = k;
    return ST_OK;
}

static bool wanted(const struct graph *g, int table, const char *only)
{
    const struct row_table t = graph_table(g, table);
    char label[GRAPH_LABEL_BYTES];
    if (!graph_table_there(g, table)) return false;
    if (!only || !strcmp(graph_table_label(g, table, label), only)) return true;
    if (graph_plain(g) || t.kind == ROWS_FEATURE) return false;
    const struct graph_relation *r = &g->relation[t.of];
    return !strcmp(r->name, only) || !strcmp(g->type[r->target].name, only);
}

enum st explain_tables(const struct graph *g, const char *only, struct explain_subject *out, struct err *err)
{
    *out = (struct explain_subject){.whole = true};
    for (int k = 0; k < graph_tables(g); k++)
        if (wanted(g, k, only)) out->table[out->tables++] = k;
    if (out->tables) return ST_OK;
    return err_set(err, ST_USAGE, "--type %.60s: is no type with rows and no relation of this graph", only ? only : "");
}
