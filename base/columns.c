#include "base/columns.h"

#include <math.h>
#include <string.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"

/* ---- values ---- */

/* The member that the first path of `paths` leads to; the path is what stands before a + or /, or its part before a |
 * that leads to something. */
static const doc *member(const struct column_row *r, const char *paths)
{
    const char *other = paths + strcspn(paths, "+/|");
    char path[128];
    const doc *from = *paths == '^' ? r->of : *paths == '=' ? doc_at(r->beside, r->group) : r->row;
    paths += *paths == '^' || *paths == '=';
    snprintf(path, sizeof path, "%.*s", (int)strcspn(paths, "+/|"), paths);
    const doc *found = doc_path(from, path);
    return doc_is_null(found) && *other == '|' ? member(r, other + 1) : found;
}

static double number_of(const doc *d)
{
    double sum = 0;
    if (!doc_is_array(d)) return doc_real_value(d, NAN);
    for (uint64_t i = 0; i < doc_size(d); i++) sum += doc_real_value(doc_at(d, i), NAN);
    return sum;
}

/* value / the sum over all rows. */
static double of_all(const struct column *c, const struct column_row *r, double value)
{
    double sum = 0;
    for (uint64_t i = 0; i < doc_size(r->list); i++) sum += number_of(doc_path(doc_at(r->list, i), c->path));
    return sum > 0 ? value / sum : NAN;
}

double column_number(const struct column *c, const struct column_row *r)
{
    double sum[2] = {0}; /* of the paths before and behind a / */
    int behind = 0;
    if (c->number || !c->path) return c->number ? c->number(r) : NAN;
    for (const char *at = c->path; *at; at += strcspn(at, "+/"), behind |= *at == '/', at += *at != '\0')
        sum[behind] += number_of(member(r, at));
    if (c->as == CELL_OF_ALL) return of_all(c, r, sum[0]);
    return !behind ? sum[0] : sum[1] > 0 ? sum[0] / sum[1] : NAN;
}

const char *column_text(const struct column *c, const struct column_row *r, char out[COLUMN_TEXT])
{
    if (c->text || !c->path) return c->text ? c->text(r, out) : NULL;
    if (*c->path == '@') return r->key;
    const doc *value = member(r, c->path);
    if (c->yes) return doc_is_null(value) ? NULL : doc_bool_value(value, false) ? c->yes : c->no;
    if (c->as == CELL_TEXT || c->as == CELL_LONG) return doc_text_value(value, NULL);
    if (c->as != CELL_LIST) return NULL;
    *out = '\0';
    for (uint64_t i = 0; i < doc_size(value); i++) {
        const double v = doc_real_value(doc_at(value, i), NAN);
        text_append(out, COLUMN_TEXT, "%s", i ? ", " : "");
        if (isnan(v)) text_append(out, COLUMN_TEXT, "?");
        else text_append(out, COLUMN_TEXT, "%.9g", v);
    }
    return out;
}

/* ---- rows ---- */

/* Element i, or member i, whose key follows *key. */
static const doc *element(const doc *list, uint64_t i, const char **key)
{
    if (!doc_is_object(list)) return doc_at(list, i);
    *key = doc_next_key(list, i ? *key : NULL);
    return *key ? doc_get(list, *key) : NULL;
}

bool columns_next(const struct column_table *t, struct column_row *r)
{
    const uint64_t groups = t->picked ? t->picks : doc_size(t->rows);
    do {
        if (!r->begun) *r = (struct column_row){.list = t->rows, .beside = t->beside, .mine = t->mine, .begun = true};
        else if (t->inner) r->number++;
        else r->group++;
        for (r->row = NULL; !r->row && r->group < groups; r->group += !r->row, r->number = r->row ? r->number : 0) {
            r->of = t->picked ? t->picked[r->group] : element(t->rows, r->group, &r->key);
            r->row = t->inner ? element(doc_get(r->of, t->inner), r->number, &r->key) : r->of;
        }
        if (!r->row && r->group == groups && !t->inner) r->row = t->last;
        if (!t->inner) r->of = t->of;
    } while (r->row && t->skip && t->skip(r));
    return r->row;
}

/* Whether a terminal has the column on the left, as words. */
static bool is_words(const struct column *c)
{
    return c->flags & COLUMN_LEFT || c->as == CELL_TEXT || c->as == CELL_LONG || c->as == CELL_LIST;
}

/* Whether the column is shown for what its rows have. */
static bool wanted(const struct column_table *table, const struct column *c)
{
    struct column_table t = *table;
    char out[COLUMN_TEXT], first[COLUMN_TEXT];
    const int some = c->flags & (COLUMN_IF_ANY | COLUMN_IF_DIFFERS);
    uint64_t rows = 0;
    if (!some && !c->when) return true;
    t.skip = NULL;
    for (struct column_row r = {0}; columns_next(&t, &r); rows++) {
        const char *text = column_text(c, &r, out);
        if (c->when && c->when(&r)) return true;
        if (some & COLUMN_IF_ANY && (text || !isnan(column_number(c, &r)))) return true;
        if (!rows) snprintf(first, sizeof first, "%s", text ? text : "");
        if (some & COLUMN_IF_DIFFERS && strcmp(first, text ? text : "") != 0) return true;
    }
    return false;
}

int columns_shown(const struct column_table *t, int where, const struct column *shown[COLUMNS_MOST])
{
    const int elsewhere = (COLUMN_TERMINAL | COLUMN_PAGE) & ~where;
    int count = 0;
    for (const struct column *c = t->columns; c->name && count < COLUMNS_MOST; c++)
        if (!(c->flags & elsewhere) && wanted(t, c)) shown[count++] = c;
    return count;
}

/* ---- terminals ---- */

static bool is_share(enum cell as) { return as == CELL_PERCENT || as == CELL_PERCENT2 || as == CELL_CHANGE; }

static void number_add(struct table *t, const struct column *c, double v)
{
    char text[UNIT_TEXT];
    if (c->form || c->as == CELL_OF_ALL || c->as == CELL_CHANGE)
        v = 0.0 + v * (c->times != 0 ? c->times : is_share(c->as) || c->as == CELL_OF_ALL ? 100 : 1); /* no "-0.0 %" */
    if (isnan(v) || ((c->as == CELL_COUNT || c->as == CELL_BYTES) && v < 0))
        table_add(t, "%s", c->none ? c->none : "-");
    else if (c->form || c->as == CELL_OF_ALL) table_add(t, c->form ? c->form : "%.1f %%", v);
    else if (c->as == CELL_COUNT) table_add(t, "%s", units_count(text, (uint64_t)(v + 0.5)));
    else if (c->as == CELL_BYTES) table_add_bytes(t, v);
    else if (c->as == CELL_SECONDS || c->as == CELL_SIGNED) table_add_seconds(t, v);
    else if (c->as == CELL_RATE) table_add_rate(t, v);
    else if (c->as == CELL_CHANGE) table_add(t, "%+.2f %%", fabs(v) < 0.005 ? 0 : v); /* no "-0.00 %" */
    else if (is_share(c->as)) table_add(t, "%s", units_percent(text, fabs(v) < 0.00005 ? 0 : v));
    else table_add_real(t, v);
}

static void cell_add(struct table *t, const struct column *c, const struct column_row *r)
{
    char out[COLUMN_TEXT];
    const char *text = c->flags & COLUMN_ONCE && r->number ? "" : column_text(c, r, out);
    if (text) table_add(t, "%s", text);
    else number_add(t, c, column_number(c, r));
}

uint64_t columns_print(const struct column_table *t, FILE *to)
{
    const struct column *shown[COLUMNS_MOST];
    char name[COLUMNS_MOST][80];
    const char *headers[COLUMNS_MOST + 1] = {NULL};
    const int count = columns_shown(t, COLUMN_TERMINAL, shown);
    uint64_t rows = 0;
    for (int k = 0; k < count; k++) {
        snprintf(name[k], sizeof name[k], "%s%s", is_words(shown[k]) ? "" : ">", shown[k]->name);
        headers[k] = name[k];
    }
    struct table *table = table_new(headers);
    for (struct column_row r = {0}; columns_next(t, &r); rows++)
        for (int k = 0; k < count; k++) cell_add(table, shown[k], &r);
    if (t->keep) table_keep(table, t->keep);
    if (t->limit) table_limit(table, t->limit);
    if (rows && t->before) fputs(t->before, to);
    if (rows) table_print(table, to);
    if (rows && t->after) fputs(t->after, to);
    table_free(table);
    return rows;
}

void columns_help(const struct column_table *t, FILE *to)
{
    const struct column *shown[COLUMNS_MOST];
    const int count = columns_shown(t, COLUMN_TERMINAL, shown);
    for (int k = 0; k < count; k++)
        if (shown[k]->help) terminal_print(to, "%s", shown[k]->help);
}

uint64_t columns_show(const struct column *columns, const doc *rows, const char *inner, FILE *to)
{
    return columns_print(&(struct column_table){.columns = columns, .rows = rows, .inner = inner}, to);
}
