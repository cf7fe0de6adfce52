#include "reports/formats/document_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"

static void slots_write(char out[STYLE_NAME], const doc *list)
{
    char text[2][STYLE_TEXT];
    strcpy(out, doc_size(list) ? "" : "no");
    for (uint64_t i = 0; i < doc_size(list); i++)
        text_append(out, STYLE_NAME, "%sGPU %s slot %s", i ? ", " : "",
                    style_form(text[0], "%.0f", document_number(doc_at(list, i), "gpu")),
                    style_form(text[1], "%.0f", document_number(doc_at(list, i), "slot")));
}

const char *document_rows_name(char out[STYLE_NAME], const doc *of)
{
    const char *type = document_text(of, "type"), *relation = document_text(of, "relation");
    style_cut(out, document_text(of, "kind"), 20);
    if (*type) text_append(out, STYLE_NAME, " %.60s", type);
    if (*relation)
        text_append(out, STYLE_NAME, " %.40s-%.40s->%.40s", document_text(of, "source"), relation,
                    document_text(of, "target"));
    return out;
}

/* The text of a number; counts, bytes and seconds that are negative are none. */
static void number_write(char out[STYLE_NAME], double v, const struct column *c)
{
    char text[STYLE_TEXT];
    const enum cell as = c->as;
    if (isnan(v) && c->none) snprintf(out, STYLE_NAME, "%s", c->none);
    if (isnan(v) && c->none) return;
    const double amount = v >= 0 && v < 1e300 ? v : NAN;
    switch (as) {
    case CELL_RATE:
    case CELL_COUNT: style_count(text, amount); break;
    case CELL_BYTES: style_bytes(text, amount); break;
    case CELL_SECONDS: style_seconds(text, amount); break;
    case CELL_SIGNED: style_seconds(text, fabs(v)); break;
    case CELL_PERCENT: style_percent(text, v, 1); break;
    case CELL_PERCENT2: style_percent(text, v, 2); break;
    case CELL_CHANGE: style_percent(text, v, 1); break;
    case CELL_FORM: style_form(text, c->form, c->times != 0 ? 0.0 + c->times * v : v); break;
    default: style_number(text, isfinite(v) ? v : NAN);
    }
    snprintf(out, STYLE_NAME, "%s%s",
             as == CELL_CHANGE && v >= 0.0005 ? "+"
             : as == CELL_SIGNED && v < 0     ? "-"
                                              : "",
             text);
}

static void cell_write(FILE *to, const struct column_row *r, const struct column *c, bool first)
{
    const bool words = c->as == CELL_TEXT || c->as == CELL_LONG;
    char text[STYLE_NAME], out[COLUMN_TEXT];
    const char *shown = column_text(c, r, out);
    if (!shown && c->as == CELL_SLOTS) slots_write(text, doc_path(r->row, c->path));
    else if (!shown && c->as == CELL_ROWS) document_rows_name(text, r->row);
    else if (!shown) number_write(text, column_number(c, r), c);
    if (!shown) shown = text;
    if (first) html_element(to, "<th scope=\"row\">", shown, "</th>");
    else
        html_element(to,
                     c->flags & COLUMN_ALERT && shown == c->yes ? "<td class=\"left off\">"
                     : c->as == CELL_LONG                       ? "<td class=\"long\">"
                     : words                                    ? "<td class=\"left\">"
                                                                : "<td>",
                     shown, "</td>");
}

void document_table(FILE *to, const char *caption, const doc *list, const char *inner, const struct column *columns)
{
    document_columns(to, caption, &(struct column_table){.columns = columns, .rows = list, .inner = inner});
}

void document_columns(FILE *to, const char *caption, const struct column_table *t)
{
    const struct column *shown[COLUMNS_MOST];
    struct html_column head[COLUMNS_MOST + 1] = {{0}};
    struct column_row r = {0};
    const int count = columns_shown(t, COLUMN_PAGE, shown);
    for (int k = 0; k < count; k++)
        head[k] = (struct html_column){shown[k]->page ? shown[k]->page : shown[k]->name, shown[k]->unit,
                                       !k || shown[k]->as == CELL_TEXT || shown[k]->as == CELL_LONG};
    if (!columns_next(t, &r)) return;
    html_table_begin(to, caption, head);
    do {
        fputs("<tr>", to);
        for (int k = 0; k < count; k++) cell_write(to, &r, shown[k], k == 0);
        fputs("</tr>\n", to);
    } while (columns_next(t, &r));
    html_table_end(to);
}

/* Premises by their effect; those without a number, which are told too, come first. */
static int compare_effects(const void *a, const void *b)
{
    const doc *const *x = a, *const *y = b;
    const double v = doc_real_value(doc_get(*x, "effect"), INFINITY),
                 w = doc_real_value(doc_get(*y, "effect"), INFINITY);
    return v > w ? -1 : v < w;
}

static bool in_bytes(const struct column_row *r) { return !strcmp(document_text(r->row, "unit"), "bytes"); }

static const char *premise_value(const struct column_row *r, char out[COLUMN_TEXT])
{
    char text[STYLE_TEXT];
    const double v = document_number(r->row, "value");
    snprintf(out, COLUMN_TEXT, "%s", in_bytes(r) && v >= 0 ? style_bytes(text, v) : style_number(text, v));
    return out;
}

static const char *premise_unit(const struct column_row *r, char out[COLUMN_TEXT])
{
    snprintf(out, COLUMN_TEXT, "%s", in_bytes(r) ? "" : document_text(r->row, "unit"));
    return *out ? out : "-";
}

void document_premises(FILE *to, const doc *root)
{
    static const struct column columns[] = {COLUMN("what", "text", CELL_LONG),
                                            COLUMN("value", NULL, CELL_NUMBER, .text = premise_value),
                                            COLUMN("unit", NULL, CELL_TEXT, .text = premise_unit),
                                            COLUMN("who says so", "kind", CELL_TEXT),
                                            COLUMN("moves an epoch by", "effect", CELL_PERCENT,
                                                   .unit = "at most, where "
                                                           "half or twice"),
                                            COLUMN("source", "source", CELL_LONG),
                                            {0}};
    enum { MOST = 256 };
    const doc *list = doc_get(root, "premises"), *picked[MOST];
    uint64_t picks = 0;
    for (uint64_t i = 0; i < doc_size(list) && picks < MOST; i++) picked[picks++] = doc_at(list, i);
    if (!picks) return;
    qsort(picked, picks, sizeof *picked, compare_effects);
    fputs("<details class=\"premises\"><summary>What the answer rests on</summary>\n", to);
    document_columns(to, "Premises: what was not computed, and who says so",
                     &(struct column_table){.columns = columns, .rows = list, .picked = picked, .picks = picks});
    fputs("</details>\n", to);
}
