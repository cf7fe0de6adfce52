#include "traces/builder/graph_info.h"

#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "traces/builder/types_info.h"
#include "traces/builder/graph_save.h"
#include "traces/graph/graph_times.h"

enum { DIGIT = 16 };

/* The value of rank `rank` (from 0) among count[0..n): selected digit by digit, without a sorted copy. */
static enum st select_rank(const uint32_t *count, uint64_t n, uint64_t rank, uint64_t *out, struct err *err)
{
    uint64_t high = 0;
    OWNED_NEW(uint64_t, seen, 1 << DIGIT, "a histogram");
    for (uint64_t v = 0; v < n; v++) seen[count[v] >> DIGIT]++;
    for (; rank >= seen[high]; high++) rank -= seen[high];
    memset(seen, 0, sizeof *seen << DIGIT);
    for (uint64_t v = 0; v < n; v++)
        if (count[v] >> DIGIT == high) seen[count[v] & ((1 << DIGIT) - 1)]++;
    uint64_t low = 0;
    for (; rank >= seen[low]; low++) rank -= seen[low];
    *out = high << DIGIT | low;
    return ST_OK;
}

static enum st graph_info_measure(const uint32_t *count, uint64_t n, uint64_t total, struct distribution *s,
                                  struct err *err)
{
    *s = (struct distribution){.min = UINT64_MAX, .mean = (double)total / (double)n};
    for (uint64_t v = 0; v < n; v++) {
        if (count[v] < s->min) s->min = count[v];
        if (count[v] > s->max) s->max = count[v];
        s->zeros += count[v] == 0;
    }
    PASS(select_rank(count, n, (n - 1) / 2, &s->median, err));
    return select_rank(count, n, (uint64_t)(((unsigned __int128)n * 99 + 99) / 100) - 1, &s->p99, err);
}

static enum st read_sets(const struct graph *g, int threads, struct graph_sets *out, struct err *err)
{
    struct graph_sets s = {0};
    enum st st = graph_sets_open(g, threads, &s, err);
    *out = (struct graph_sets){.classes = s.classes,
                               .labelled = s.labelled,
                               .valid_count = s.valid_count,
                               .test_count = s.test_count};
    graph_sets_close(&s);
    return st;
}

/* Distributions of a plain graph. */
static enum st measure_plain(const struct graph *g, int threads, struct graph_info *info, struct err *err)
{
    OWNED uint32_t *count = NULL;
    PASS(read_sets(g, threads, &info->sets, err));
    MAKE(count, g->n, "degrees");
    for (uint64_t v = 0; v < g->n; v++)
        count[v] = graph_degree(g, v) > UINT32_MAX ? UINT32_MAX : (uint32_t)graph_degree(g, v);
    PASS(graph_info_measure(count, g->n, g->m, &info->rows, err));
    memset(count, 0, g->n * sizeof *count);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t i = 0; i < g->m; i++) {
#pragma omp atomic
        count[g->indices[i]]++;
    }
    return graph_info_measure(count, g->n, g->m, &info->listed, err);
}

enum st graph_info_make(const struct graph *g, bool verify, int threads, struct graph_info *out, struct err *err)
{
    struct graph_info info = {.check = CHECK_NOT_ASKED};
    if (graph_plain(g)) PASS(measure_plain(g, threads, &info, err));
    if (verify) {
        PASS(graph_fingerprint(g, threads, info.computed, err));
        info.check = !text_starts(g->fingerprint, "sha256-16m:") ? CHECK_FOREIGN
                     : strcmp(info.computed, g->fingerprint)     ? CHECK_DIFFERS
                                                                 : CHECK_EQUAL;
    }
    *out = info;
    return ST_OK;
}

static doc *distribution_document(const struct distribution *s)
{
    doc *d = doc_object();
    doc_put(d, "min", doc_integer((int64_t)s->min));
    doc_put(d, "median", doc_integer((int64_t)s->median));
    doc_put(d, "mean", doc_real(s->mean));
    doc_put(d, "p99", doc_integer((int64_t)s->p99));
    doc_put(d, "max", doc_integer((int64_t)s->max));
    doc_put(d, "zeros", doc_integer((int64_t)s->zeros));
    return d;
}

doc *graph_info_document(const struct graph_info *info, const struct graph *g)
{
    if (!graph_plain(g)) return types_info_document(g, info->check);
    doc *d = doc_object(), *bytes = doc_object(), *members = graph_document(g);
    doc_put(d, "schema", doc_text("graph-info/1"));
    for (const char *key = doc_next_key(members, NULL); key; key = doc_next_key(members, key))
        doc_put(d, key, doc_copy(doc_get(members, key)));
    graph_sets_put(&info->sets, d);
    if (g->name_bytes) doc_put(d, "name_bytes", doc_integer((int64_t)g->name_bytes));
    doc_put(d, "weights", doc_bool(g->weights != NULL));
    graph_times_put(g->edge_times, g->m, g->vertex_times, g->n, 1, d);
    doc_put(d, "degree", distribution_document(&info->rows));
    doc_put(d, "listed", distribution_document(&info->listed));
    doc_put(bytes, "topology", doc_integer((int64_t)(4 * g->m + 8 * g->n)));
    doc_put(bytes, "feature", doc_integer((int64_t)(g->n * g->row_bytes)));
    doc_put(bytes, "total", doc_integer((int64_t)graph_total_bytes(g)));
    doc_put(bytes, "feature_row", doc_integer((int64_t)g->row_bytes));
    doc_put(d, "bytes", bytes);
    doc_put(d, "verified",
            info->check == CHECK_EQUAL || info->check == CHECK_DIFFERS ? doc_bool(info->check == CHECK_EQUAL)
                                                                       : doc_null());
    doc_free(members);
    return d;
}

static void row_count(struct table *t, const char *what, uint64_t n, const char *remark)
{
    char text[UNIT_TEXT];
    table_add(t, "%s", what);
    table_add(t, "%s", units_count(text, n));
    table_add(t, "%s", remark);
}

static void row_sets(struct table *t, const struct graph_sets *s)
{
    char number[UNIT_TEXT], classes[UNIT_TEXT + 16];
    snprintf(classes, sizeof classes, "%s classes", units_count(number, s->classes));
    if (s->valid_count) row_count(t, "validation vertices", s->valid_count, "");
    if (s->test_count) row_count(t, "test vertices", s->test_count, "");
    if (s->classes) row_count(t, "labels", s->labelled, classes);
}

/* unit: what 1 is in that of the source (struct graph). */
static void row_times(struct table *t, const char *what, const int64_t *times, uint64_t count, double unit)
{
    if (!times || !count) return;
    struct time_range r = time_range_of(times, count, 1);
    table_add(t, "%s", what);
    if (unit < 1) {
        table_add(t, "%.15g", (double)r.first * unit);
        table_add(t, "to %.15g; stored in millionths", (double)r.last * unit);
    } else {
        table_add(t, "%lld", (long long)r.first);
        table_add(t, "to %lld", (long long)r.last);
    }
}

static void row_bytes(struct table *t, const char *what, uint64_t n, const char *remark)
{
    char text[UNIT_TEXT];
    table_add(t, "%s", what);
    table_add(t, "%s", units_bytes(text, n));
    table_add(t, "%s", remark);
}

static void row_distribution(struct table *t, const char *what, const struct distribution *s)
{
    char text[UNIT_TEXT];
    const uint64_t values[] = {s->min, s->median, s->p99, s->max, s->zeros};
    table_add(t, "%s", what);
    for (int i = 0; i < 5; i++) {
        if (i == 2) table_add(t, "%.2f", s->mean);
        table_add(t, "%s", units_count(text, values[i]));
    }
}

void graph_info_print(const struct graph_info *info, const struct graph *g, FILE *to)
{
    if (!graph_plain(g)) {
        types_info_print(g, info->check, to);
        return;
    }
    static const char *const headers[] = {"graph", ">", "", NULL};
    static const char *const degrees[] = {"per vertex", ">min", ">median", ">mean", ">p99", ">max", ">zeros", NULL};
    static const char *const remarks[] = {"", " (verified)", " (differs)", " (not computed by hotset)"};
    char row[64];
    struct table *t = table_new(headers), *u = table_new(degrees);
    snprintf(row, sizeof row, "%llu x %llu bytes", (unsigned long long)g->feature_dim,
             (unsigned long long)g->feature_bytes);
    table_add(t, "name");
    table_add(t, "%s", g->name);
    table_add(t, "%s", "");
    row_count(t, "vertices", g->n, "");
    row_count(t, "stored arcs", g->m, graph_sample_words(g->sample));
    row_count(t, "training vertices", g->train_count, "");
    row_sets(t, &info->sets);
    row_times(t, "times of arcs", g->edge_times, g->m, g->time_unit);
    row_times(t, "times of vertices", g->vertex_times, g->n, g->time_unit);
    row_bytes(t, "topology rows", 4 * g->m + 8 * g->n, "4 per arc, 8 per vertex");
    row_bytes(t, "feature rows", g->n * g->row_bytes, row);
    row_bytes(t, "together", graph_total_bytes(g), "a budget of 100%");
    if (g->name_bytes) row_bytes(t, "names", g->name_bytes, "of the vertices; no GPU holds them");
    table_print(t, to);
    fputc('\n', to);
    row_distribution(u, "row length", &info->rows);
    row_distribution(u, "times listed", &info->listed);
    table_print(u, to);
    terminal_print(to, "\nfingerprint %s%s\n", g->fingerprint[0] ? g->fingerprint : "missing", remarks[info->check]);
    table_free(t);
    table_free(u);
}
