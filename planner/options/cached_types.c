#include "planner/options/cached_types.h"

#include <string.h>

#include "base/mem.h"
#include "base/terminal.h"
#include "base/units.h"
#include "planner/options/features.h"
#include "planner/engine/rounding.h"
#include "traces/recording/trace_rows.h"

/* The element type that a user means: frameworks have longer names. */
static enum precision precision_meant(const char *word)
{
    static const char *const meant[][2] = {{"fp16", "f16"}, {"float16", "f16"}, {"half", "f16"}, {"bfloat16", "bf16"},
                                           {"fp8", "f8"},   {"float8", "f8"},   {"int8", "i8"}};
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        if (!strcmp(meant[i][0], word)) word = meant[i][1];
    return precision_named(word);
}

static enum st set_all(const char *word, struct graph *rows, struct err *err)
{
    enum precision p = precision_meant(word);
    bool any = false;
    if (p == PRECISIONS)
        return err_set(err, ST_USAGE,
                       "--cache-type '%.40s': expected " PRECISION_WORDS ", or TYPE=ELEMENT,.. such as paper=f16",
                       word);
    for (int t = rows->relations; t < rows->tables; t++) {
        if (!graph_table_rounds(rows, t, p)) continue;
        graph_table_round(rows, t, p);
        any = true;
    }
    if (!any)
        return err_set(err, ST_USAGE, "--cache-type %s: no type of %s has floating-point rows that it makes smaller",
                       word, rows->path);
    return ST_OK;
}

static enum st set_one(const char *name, const char *word, struct graph *rows, struct err *err)
{
    enum precision p = precision_meant(word);
    int t = features_table(rows, name);
    if (t < 0)
        return err_set(err, ST_USAGE, "--cache-type: '%.60s' is no type and no relation of %s", name, rows->path);
    if (p == PRECISIONS)
        return err_set(err, ST_USAGE, "--cache-type %.60s=%.40s: expected " PRECISION_WORDS, name, word);
    if (!graph_table_rounds(rows, t, p))
        return err_set(err, ST_USAGE,
                       "--cache-type %.60s=%s: its rows have %llu bytes of element '%s' on the host; only "
                       "floating-point rows that get smaller can be rounded",
                       name, word, (unsigned long long)rows->table[t].row_bytes, graph_table_element(rows, t));
    graph_table_round(rows, t, p);
    return ST_OK;
}

/* A plain graph has one feature table, without a name. */
static enum st set_plain(const char *word, struct graph *g, struct err *err)
{
    enum precision p = precision_meant(word);
    if (p == PRECISIONS) return err_set(err, ST_USAGE, "--cache-type '%.40s': expected " PRECISION_WORDS, word);
    if (precision_row_bytes(p, g->feature_dim) >= g->row_bytes)
        return err_set(err, ST_USAGE,
                       "--cache-type %s: a row of %s has %llu bytes on the host and would take %llu; only smaller rows "
                       "are worth rounding",
                       word, g->path, (unsigned long long)g->row_bytes,
                       (unsigned long long)precision_row_bytes(p, g->feature_dim));
    g->cached = p;
    return ST_OK;
}

enum st cached_types_set(const char *words, struct graph *rows, struct err *err)
{
    char copy[FEATURES_WORDS], *name[GRAPH_TABLES_MAX], *value[GRAPH_TABLES_MAX];
    int count;
    bool seen[GRAPH_TABLES_MAX] = {false};
    if (graph_plain(rows)) return set_plain(words, rows, err);
    if (!strchr(words, '=')) return set_all(words, rows, err);
    PASS(features_pairs("cache-type", words, copy, name, value, &count, err));
    for (int i = 0; i < count; i++) {
        PASS(set_one(name[i], value[i], rows, err));
        bool *twice = &seen[features_table(rows, name[i])];
        if (*twice) return err_set(err, ST_USAGE, "--cache-type: names %.60s twice; leave one of them out", name[i]);
        *twice = true;
    }
    return ST_OK;
}

/* ---- the errors ---- */

/* Marks the rows of a table that some GPU holds rounded. */
static void mark_held(const struct plan *plan, const struct graph *g, struct row_table table, uint8_t *held)
{
    for (int i = 0; i < plan->placement.gpus; i++) {
        const struct row_list *list = &plan->placement.feature[i];
        uint64_t first = table.first - graph_topology_rows(g);
        for (uint64_t k = 0; k < list->count; k++)
            if (list->id[k] >= first && list->id[k] - first < table.count) held[list->id[k] - first] = 1;
    }
}

/* States a measurement of one table in the plan: of a plain graph as it is, else in a list with the table's name. */
static void state_measured(const struct graph *g, int table, doc *d, struct plan *plan)
{
    if (graph_plain(g)) {
        plan_note(plan, "rounding", d);
        return;
    }
    doc *one = plan_table_document(g, table);
    for (const char *key = doc_next_key(d, NULL); key; key = doc_next_key(d, key))
        doc_put(one, key, doc_copy(doc_get(d, key)));
    doc_free(d);
    if (!doc_get(plan->notes, "rounding")) plan_note(plan, "rounding", doc_array());
    doc_append(doc_get(plan->notes, "rounding"), one);
}

static enum st measure_cached_types(const char *file, int table, const struct graph *rows, const struct trace *t,
                                    const struct kernels *kernels, int threads, struct plan *plan, struct err *err)
{
    const struct row_table row_table = graph_table(rows, table);
    struct count_row gathers[GPUS_MAX];
    doc *d = NULL;
    if (!plan) return rounding_check(file, row_table.count, graph_table_dim(rows, table), err);
    OWNED_NEW(uint8_t, held, row_table.count, "marks of rows that are held");
    mark_held(plan, rows, row_table, held);
    for (int g = 0; g < plan->placement.gpus; g++) gathers[g] = trace_gathers(t, rows, row_table, g);
    const struct rounding_input in = {.file = file,
                                      .to = row_table.cached,
                                      .rows = row_table.count,
                                      .dim = graph_table_dim(rows, table),
                                      .held = held,
                                      .gathers = gathers,
                                      .gpus = plan->placement.gpus,
                                      .threads = threads,
                                      .kernels = kernels};
    PASS(rounding_measure(&in, &d, err));
    state_measured(rows, table, d, plan);
    return ST_OK;
}

/* The one type whose rows are rounded; -1: none, or several. */
static int only_rounded(const struct graph *rows)
{
    int found = -1;
    for (int t = 0; t < graph_tables(rows); t++) {
        const struct row_table table = graph_table(rows, t);
        if (table.kind != ROWS_FEATURE || table.cached == PRECISION_HOST) continue;
        if (found >= 0) return -1;
        found = t;
    }
    return found;
}

/* Files of features by table. */
struct files {
    char copy[FEATURES_WORDS];
    char *name[GRAPH_TABLES_MAX], *value[GRAPH_TABLES_MAX]; /* into copy */
    int table[GRAPH_TABLES_MAX];
    int count;
};

/* Reads the words of --features. ST_USAGE for a type that is not rounded, and for one that comes twice. */
static enum st read_files(const char *words, const struct graph *rows, struct files *f, struct err *err)
{
    bool seen[GRAPH_TABLES_MAX] = {false};
    int only = only_rounded(rows);
    if (only >= 0 && (graph_plain(rows) || !strchr(words, '=') || file_exists(words)) &&
        strlen(words) < FEATURES_WORDS) {
        strcpy(f->copy, words);
        f->value[0] = f->copy;
        f->table[0] = only;
        f->count = 1;
        return ST_OK;
    }
    PASS(features_pairs("features", words, f->copy, f->name, f->value, &f->count, err));
    for (int i = 0; i < f->count; i++) {
        int table = features_table(rows, f->name[i]);
        if (table < 0 || rows->table[table].kind != ROWS_FEATURE || rows->table[table].cached == PRECISION_HOST)
            return err_set(err, ST_USAGE, "--features: '%.60s' is no type whose rows --cache-type rounds", f->name[i]);
        if (seen[table])
            return err_set(err, ST_USAGE, "--features: names type %.60s twice; leave one of them out", f->name[i]);
        seen[table] = true;
        f->table[i] = table;
    }
    return ST_OK;
}

enum st cached_types_measure(const char *files, const struct graph *rows, const struct trace *t,
                             const struct kernels *kernels, int threads, struct plan *plan, struct err *err)
{
    OWNED_NEW(struct files, f, 1, "names of files");
    PASS(read_files(files, rows, f, err));
    for (int i = 0; i < f->count; i++)
        PASS(measure_cached_types(f->value[i], f->table[i], rows, t, kernels, threads, plan, err));
    return ST_OK;
}

static enum st errors_of(const char *file, const struct graph *rows, int table, int threads, float *error,
                         struct err *err)
{
    const struct row_table *row_table = &rows->table[table];
    const struct rounding_input in = {.file = file,
                                      .to = row_table->cached,
                                      .rows = row_table->count,
                                      .dim = rows->type[row_table->of].features.dim,
                                      .threads = threads};
    OWNED_NEW(double, exact, row_table->count, "the errors of rows");
    PASS(rounding_errors(&in, exact, err));
    for (uint64_t i = 0; i < row_table->count; i++) error[row_table->first + i] = (float)exact[i];
    return ST_OK;
}

enum st cached_types_errors(const char *files, const struct graph *rows, int threads, float **error, struct err *err)
{
    char label[GRAPH_LABEL_BYTES];
    OWNED_NEW(struct files, f, 1, "names of files");
    OWNED_NEW(float, out, graph_items(rows), "the errors of rows");
    PASS(read_files(files, rows, f, err));
    for (int t = 0; t < rows->tables; t++) {
        int i = 0;
        if (rows->table[t].cached == PRECISION_HOST) continue;
        if (rows->table[t].kind == ROWS_EDGE)
            return err_set(err, ST_USAGE,
                           "--features: the errors of feature rows of edges are not measured, but --cache-type rounds "
                           "those of %s; name the types to round, as in --cache-type paper=f16",
                           graph_table_label(rows, t, label));
        while (i < f->count && f->table[i] != t) i++;
        if (i == f->count)
            return err_set(err, ST_USAGE,
                           "--features: needs the errors of all rows that may be rounded; add %s=FILE.npy to "
                           "--features",
                           graph_table_label(rows, t, label));
        PASS(errors_of(f->value[i], rows, t, threads, out, err));
    }
    *error = TAKE(out);
    return ST_OK;
}

void cached_types_print_tables(const struct graph *g, FILE *to)
{
    char label[GRAPH_LABEL_BYTES], a[UNIT_TEXT], b[UNIT_TEXT];
    for (int t = 0; t < graph_tables(g); t++) {
        const struct row_table table = graph_table(g, t);
        if (table.cached == PRECISION_HOST) continue;
        terminal_print(to, "GPUs hold %s%s%s rows as %s, %s each (host: %s, %s)\n",
                       graph_plain(g) ? "" : graph_table_label(g, t, label), graph_plain(g) ? "" : " ",
                       row_kind_name(table.kind), precision_name(table.cached), units_bytes(a, table.cached_bytes),
                       graph_table_element(g, t), units_bytes(b, table.row_bytes));
    }
}

void cached_types_print(const struct plan *p, const struct graph *rows, FILE *to)
{
    const doc *all = doc_get(p->notes, "rounding");
    if (all && graph_plain(rows)) rounding_print("features", all, to);
    for (uint64_t i = 0; !graph_plain(rows) && i < doc_size(all); i++)
        rounding_print(doc_text_value(doc_get(doc_at(all, i), "type"), ""), doc_at(all, i), to);
}
