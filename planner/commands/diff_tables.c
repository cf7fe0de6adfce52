#include "planner/commands/diff_tables.h"

#include <math.h>

#include "base/table.h"
#include "base/units.h"
#include "planner/study/table_values.h"

static void add_amount(struct diff_amount *to, const struct diff_amount *a)
{
    to->rows += a->rows;
    to->bytes += a->bytes;
}

static void add_gpu(struct diff_gpu *to, const struct diff_gpu *x)
{
    add_amount(&to->before, &x->before);
    add_amount(&to->after, &x->after);
    add_amount(&to->kept, &x->kept);
    add_amount(&to->added, &x->added);
    add_amount(&to->removed, &x->removed);
    add_amount(&to->moved_in, &x->moved_in);
    add_amount(&to->moved_out, &x->moved_out);
}

/* Sums over all tables of one GPU (table -1), or over all GPUs of one table (gpu -1). */
static struct diff_gpu sum_of(const struct diff *d, int gpu, int table)
{
    struct diff_gpu sum = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
    for (int t = 0; t < d->parts - 1; t++)
        if (table < 0) add_gpu(&sum, &d->gpu[t][gpu]);
    for (int g = 0; g < d->gpus && table >= 0; g++) add_gpu(&sum, &d->gpu[table][g]);
    return sum;
}

/* ---- the document ---- */

static void put_amount(doc *d, const char *key, const struct diff_amount *a)
{
    doc *one = doc_object();
    doc_put(one, "rows", doc_integer((int64_t)a->rows));
    doc_put(one, "bytes", doc_integer((int64_t)a->bytes));
    doc_put(d, key, one);
}

static void put_gpu(doc *d, const struct diff_gpu *x)
{
    put_amount(d, "before", &x->before);
    put_amount(d, "after", &x->after);
    put_amount(d, "kept", &x->kept);
    put_amount(d, "added", &x->added);
    put_amount(d, "removed", &x->removed);
    put_amount(d, "moved_in", &x->moved_in);
    put_amount(d, "moved_out", &x->moved_out);
}

static doc *gpus_document(const struct diff *d, const struct graph *rows)
{
    doc *all = doc_array();
    for (int g = 0; g < d->gpus; g++) {
        struct diff_gpu sum = sum_of(d, g, -1);
        doc *one = doc_object(), *tables = doc_array(), *to = doc_array(), *train = doc_object();
        doc_put(one, "id", doc_integer(d->id[g]));
        doc_put(one, "load_bytes", doc_integer((int64_t)(sum.added.bytes + sum.moved_in.bytes)));
        for (int t = 0; t < d->parts - 1; t++) {
            const struct diff_gpu *x = &d->gpu[t][g];
            if (!x->before.rows && !x->after.rows) continue;
            doc *table = plan_table_document(rows, t);
            put_gpu(table, x);
            doc_append(tables, table);
        }
        doc_put(one, "tables", tables);
        put_gpu(train, &d->gpu[d->parts - 1][g]);
        doc_put(one, "train", train);
        for (int h = 0; h < d->gpus; h++) {
            if (!d->moved[0][g][h].rows) continue;
            doc *move = doc_object();
            doc_put(move, "gpu", doc_integer(d->id[h]));
            doc_put(move, "rows", doc_integer((int64_t)d->moved[0][g][h].rows));
            doc_put(move, "bytes", doc_integer((int64_t)d->moved[0][g][h].bytes));
            doc_append(to, move);
        }
        doc_put(one, "moved_to", to);
        doc_append(all, one);
    }
    return all;
}

/* The entry of tables[] that names a table; NULL: none. */
static const doc *entry_of(const doc *tables, const struct graph *rows, int table)
{
    for (uint64_t i = 0; i < doc_size(tables); i++)
        if (plan_table_is(rows, table, doc_at(tables, i))) return doc_at(tables, i);
    return NULL;
}

static doc *pair(const doc *before, const doc *after)
{
    double a = doc_real_value(before, NAN), b = doc_real_value(after, NAN);
    doc *d = doc_object();
    doc_put(d, "before", before ? doc_copy(before) : doc_null());
    doc_put(d, "after", after ? doc_copy(after) : doc_null());
    doc_put(d, "change", doc_real(a > 0 ? b / a - 1 : NAN));
    return d;
}

static const char *const sections[] = {"predicted", "simulated"};

/* A section of both plans: totals, then every table. */
static doc *figures_document(const doc *before, const doc *after, const struct graph *rows)
{
    doc *d = doc_object(), *tables = doc_array();
    doc_put(d, "total_transactions", pair(doc_get(before, "total_transactions"), doc_get(after, "total_transactions")));
    for (int t = 0; t < rows->tables; t++) {
        const doc *a = entry_of(doc_get(before, "tables"), rows, t), *b = entry_of(doc_get(after, "tables"), rows, t);
        if (!a && !b) continue;
        doc *name = plan_table_document(rows, t);
        doc_put(name, "hit_rate", pair(doc_get(a, "hit_rate"), doc_get(b, "hit_rate")));
        doc_put(name, "transactions", pair(doc_get(a, "transactions"), doc_get(b, "transactions")));
        doc_append(tables, name);
    }
    doc_put(d, "tables", tables);
    return d;
}

doc *diff_tables_document(const struct diff *d, char *const *path, doc *const *side, const struct graph *rows)
{
    doc *all = doc_object();
    doc_put(all, "schema", doc_text("diff/2"));
    for (int i = 0; i < 2; i++) {
        doc *one = doc_object();
        doc_put(one, "path", doc_text(path[i]));
        doc_put(one, "policy", doc_copy(doc_get(side[i], "policy")));
        doc_put(all, i ? "after" : "before", one);
    }
    doc_put(all, "gpus", gpus_document(d, rows));
    for (int i = 0; i < 2; i++)
        doc_put(all, sections[i], figures_document(doc_get(side[0], sections[i]), doc_get(side[1], sections[i]), rows));
    return all;
}

/* ---- tables for people ---- */

static void add_moves(struct table *t, const struct diff_gpu *x)
{
    const struct diff_amount *cells[] = {&x->before,    &x->after, &x->kept,    &x->removed,
                                         &x->moved_out, &x->added, &x->moved_in};
    char text[UNIT_TEXT];
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) table_add(t, "%s", units_count(text, cells[i]->rows));
    table_add_bytes(t, (double)(x->added.bytes + x->moved_in.bytes));
}

#define MOVES_HEADERS                                                                                                  \
    ">before", ">after", ">kept", ">removed", ">moved out", ">added", ">moved in", ">bytes to load", NULL

static void moves_print(const struct diff *d, const struct graph *rows, FILE *to)
{
    static const char *const by_gpu[] = {">GPU", MOVES_HEADERS}, *const by_table[] = {"rows", "kind", MOVES_HEADERS};
    struct table *t = table_new(by_gpu);
    char label[GRAPH_LABEL_BYTES];
    for (int g = 0; g < d->gpus; g++) {
        struct diff_gpu sum = sum_of(d, g, -1);
        table_add(t, "%d", d->id[g]);
        add_moves(t, &sum);
    }
    table_print(t, to);
    table_free(t);
    fputc('\n', to);
    t = table_new(by_table);
    for (int k = 0; k <= d->parts - 1; k++) {
        struct diff_gpu sum = sum_of(d, -1, k);
        if (!sum.before.rows && !sum.after.rows) continue;
        table_add(t, "%s", k < d->parts - 1 ? graph_table_label(rows, k, label) : "training vertices");
        table_add(t, "%s", k < d->parts - 1 ? row_kind_name(rows->table[k].kind) : "-");
        add_moves(t, &sum);
    }
    table_print(t, to);
    table_free(t);
}

static void add_figure(struct table *t, const doc *both)
{
    double change = doc_real_value(doc_get(both, "change"), NAN);
    table_count(t, doc_get(both, "before"));
    table_count(t, doc_get(both, "after"));
    if (isnan(change)) table_add(t, "-");
    else table_add(t, "%+.2f %%", 100 * change);
}

static void figures_print(const doc *all, const struct graph *rows, FILE *to)
{
    static const char *const headers[] = {"transactions per epoch", "of",          ">before", ">after", ">change",
                                          ">hits before",           ">hits after", NULL};
    struct table *t = table_new(headers);
    for (size_t s = 0; s < 2; s++) {
        const doc *section = doc_get(all, sections[s]), *tables = doc_get(section, "tables");
        if (!doc_is_number(doc_get(doc_get(section, "total_transactions"), "after"))) continue;
        table_add(t, "%s", sections[s]);
        table_add(t, "all rows");
        add_figure(t, doc_get(section, "total_transactions"));
        table_add(t, "-");
        table_add(t, "-");
        for (int k = 0; k < rows->tables; k++) {
            const doc *one = entry_of(tables, rows, k);
            char label[GRAPH_LABEL_BYTES];
            if (!one) continue;
            table_add(t, "%s %s", sections[s], row_kind_name(rows->table[k].kind));
            table_add(t, "%s", graph_table_label(rows, k, label));
            add_figure(t, doc_get(one, "transactions"));
            table_percent(t, doc_real_value(doc_get(doc_get(one, "hit_rate"), "before"), NAN));
            table_percent(t, doc_real_value(doc_get(doc_get(one, "hit_rate"), "after"), NAN));
        }
    }
    fputc('\n', to);
    table_print(t, to);
    table_free(t);
}

void diff_tables_print(const struct diff *d, const doc *all, const struct graph *rows, FILE *to)
{
    moves_print(d, rows, to);
    figures_print(all, rows, to);
}
