#include "planner/commands/diff_print.h"

#include <math.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/units.h"
#include "planner/commands/diff_document.h"
#include "reports/tables/tables.h"

/* A matrix of more GPUs does not fit a page; then the pairs that most moves between are listed. */
enum { MATRIX_GPUS_MAX = 12, PAIRS_LISTED = 16 };

static const char *const kind_titles[DIFF_KINDS] = {"feature rows", "topology rows", "training vertices"};

#define MOVES_HEADERS                                                                                                  \
    ">before", ">after", ">kept", ">removed", ">moved out", ">added", ">moved in", ">bytes to load", NULL

static void add_moves(struct table *t, const struct diff_gpu *gpu, bool bytes_known)
{
    const struct diff_amount *cells[] = {&gpu->before,    &gpu->after, &gpu->kept,    &gpu->removed,
                                         &gpu->moved_out, &gpu->added, &gpu->moved_in};
    char text[UNIT_TEXT];
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) table_add(t, "%s", units_count(text, cells[i]->rows));
    table_add_bytes(t, bytes_known ? (double)(gpu->added.bytes + gpu->moved_in.bytes) : NAN);
}

/* Of several types: every table of rows, all GPUs together. */
static void tables_print(const struct diff *d, const struct graph *graph, FILE *to)
{
    static const char *const headers[] = {"rows of all GPUs", "kind", MOVES_HEADERS};
    struct table *t = table_new(headers);
    char label[GRAPH_LABEL_BYTES];
    for (int k = 0; k < d->parts - 1; k++) {
        struct diff_gpu sum = {.kept = {0, 0}};
        for (int g = 0; g < d->gpus; g++) diff_add(&sum, &d->gpu[k][g]);
        if (!sum.before.rows && !sum.after.rows) continue;
        table_add(t, "%s", graph_table_label(graph, k, label));
        table_add(t, "%s", row_kind_name(graph->table[k].kind));
        add_moves(t, &sum, true);
    }
    table_print(t, to);
    fputc('\n', to);
    table_free(t);
}

/* From (down) and to (across), in rows. */
static struct table *moves_matrix(const struct diff *d, int kind, const char **headers, char (*name)[16])
{
    char text[UNIT_TEXT];
    headers[0] = "from";
    for (int g = 0; g < d->gpus; g++) {
        snprintf(name[g], sizeof name[g], ">to %d", d->id[g]);
        headers[1 + g] = name[g];
    }
    headers[1 + d->gpus] = NULL;
    struct table *t = table_new(headers);
    for (int g = 0; g < d->gpus; g++) {
        table_add(t, "%d", d->id[g]);
        for (int h = 0; h < d->gpus; h++)
            table_add(t, "%s", g == h ? "-" : units_count(text, d->moved[kind][g][h].rows));
    }
    return t;
}

/* The pairs that most rows move between, the most first, ties by ids; *left: how many pairs more there are. */
static struct table *moves_list(const struct diff *d, int kind, int *left)
{
    static const char *const headers[] = {"from", "to", ">rows", NULL};
    struct table *t = table_new(headers);
    uint64_t below = UINT64_MAX;
    int listed = 0;
    *left = 0;
    while (below) { /* one count of rows after the other, downwards */
        uint64_t rows = 0;
        for (int g = 0; g < d->gpus; g++)
            for (int h = 0; h < d->gpus; h++)
                rows = d->moved[kind][g][h].rows < below && d->moved[kind][g][h].rows > rows ? d->moved[kind][g][h].rows
                                                                                             : rows;
        for (int i = 0; rows && i < d->gpus * d->gpus; i++) {
            int g = i / d->gpus, h = i % d->gpus;
            char text[UNIT_TEXT];
            if (d->moved[kind][g][h].rows != rows) continue;
            if (listed == PAIRS_LISTED) {
                ++*left;
                continue;
            }
            listed++;
            table_add(t, "%d", d->id[g]);
            table_add(t, "%d", d->id[h]);
            table_add(t, "%s", units_count(text, rows));
        }
        below = rows;
    }
    return t;
}

/* Nothing where nothing moves. */
static void moves_print(const struct diff *d, int kind, FILE *to)
{
    const char *headers[DIFF_GPUS_MAX + 2];
    char name[DIFF_GPUS_MAX][16];
    bool any = false, small = d->gpus <= MATRIX_GPUS_MAX;
    int left = 0;
    for (int g = 0; g < d->gpus; g++) any |= d->kind[kind][g].moved_out.rows > 0;
    if (!any) return;
    struct table *t = small ? moves_matrix(d, kind, headers, name) : moves_list(d, kind, &left);
    fprintf(to, "%s moved from GPU to GPU\n", kind_titles[kind]);
    table_show(t, to);
    if (left) terminal_print(to, "and %d more pairs; --json lists all\n", left);
    fputc('\n', to);
}

/* A number of the document for people: rates and alpha in percent, counts with commas. */
static void add_value(struct table *t, const doc *v, bool rate)
{
    char text[UNIT_TEXT];
    if (!doc_is_number(v)) table_add(t, "-");
    else if (rate) table_add(t, "%s", units_percent(text, doc_real_value(v, 0)));
    else table_add(t, "%s", units_count(text, (uint64_t)doc_real_value(v, 0)));
}

static void add_figure(struct table *t, const doc *pair, bool rate)
{
    const doc *change = doc_get(pair, "change"), *points = doc_get(pair, "difference");
    add_value(t, doc_get(pair, "before"), rate);
    add_value(t, doc_get(pair, "after"), rate);
    if (doc_is_number(change)) table_add(t, "%+.2f %%", 100 * doc_real_value(change, 0));
    else if (doc_is_number(points)) table_add(t, "%+.2f points", 100 * doc_real_value(points, 0));
    else table_add(t, "-");
}

static bool stated(const doc *pair)
{
    return doc_is_number(doc_get(pair, "before")) || doc_is_number(doc_get(pair, "after"));
}

static void alphas_print(const doc *cliques, FILE *to)
{
    static const char *const shares[] = {"clique", ">alpha before", ">alpha after", NULL};
    struct table *t = table_new(shares);
    char text[600];
    bool any = false;
    for (uint64_t c = 0; c < doc_size(cliques); c++) {
        const doc *one = doc_at(cliques, c);
        any |= doc_is_number(doc_get(one, "alpha_before")) || doc_is_number(doc_get(one, "alpha_after"));
        table_add(t, "%s", diff_clique_text(one, text, sizeof text));
        add_value(t, doc_get(one, "alpha_before"), true);
        add_value(t, doc_get(one, "alpha_after"), true);
    }
    if (any) table_print(t, to);
    if (any) fputc('\n', to);
    table_free(t);
}

static void figures_print(const doc *all, const struct graph *graph, FILE *to)
{
    static const char *const headers[] = {"per epoch", ">before", ">after", ">change", NULL};
    static const char *const sections[] = {"predicted", "simulated"};
    static const char *const keys[] = {"transactions", "hit_rate"}, *const titles[] = {"transactions", "hit rate"};
    struct table *t = table_new(headers);
    char label[GRAPH_LABEL_BYTES];
    for (size_t s = 0; s < 2; s++) {
        const doc *section = doc_get(all, sections[s]), *tables = doc_get(section, "tables");
        for (const struct diff_figure *f = diff_figures; f->key; f++) {
            if (!stated(doc_get(section, f->key))) continue;
            table_add(t, "%s %s", sections[s], f->title);
            add_figure(t, doc_get(section, f->key), f->rate);
        }
        for (int k = 0; graph && k < graph->tables; k++)
            for (uint64_t i = 0; i < doc_size(tables); i++)
                for (int rate = 0; rate < 2 && plan_table_is(graph, k, doc_at(tables, i)); rate++) {
                    if (!stated(doc_get(doc_at(tables, i), keys[rate]))) continue;
                    table_add(t, "%s %s of %s %s", sections[s], titles[rate], graph_table_label(graph, k, label),
                              row_kind_name(graph->table[k].kind));
                    add_figure(t, doc_get(doc_at(tables, i), keys[rate]), rate);
                }
    }
    table_show(t, to);
}

void diff_print(const struct diff *d, const doc *document, const struct graph *graph, FILE *to)
{
    static const struct column *const kinds[DIFF_KINDS] = {diff_features, diff_topology, diff_train};
    for (int kind = 0; kind < DIFF_KINDS; kind++) {
        fprintf(to, "%s\n", kind_titles[kind]);
        columns_show(kinds[kind], doc_get(document, "gpus"), NULL, to);
        fputc('\n', to);
    }
    for (int kind = 0; kind < DIFF_KINDS; kind++) moves_print(d, kind, to);
    if (graph) tables_print(d, graph, to);
    alphas_print(doc_get(document, "cliques"), to);
    figures_print(document, graph, to);
    columns_print(&(struct column_table){.columns = diff_places, .rows = doc_get(document, "memories"), .before = "\n"},
                  to);
}
