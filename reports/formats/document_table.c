#include "reports/formats/document_table.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"

enum { COLUMNS_MOST = 16 };

const doc *document_path(const doc *of, const char *path)
{
    char key[64];
    for (const char *dot = strchr(path, '.'); dot; dot = strchr(path, '.')) {
        snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
        of = doc_get(of, key);
        path = dot + 1;
    }
    return doc_get(of, path);
}

static double number_of(const doc *d)
{
    double sum = 0;
    if (!doc_is_array(d)) return doc_real_value(d, NAN);
    for (uint64_t i = 0; i < doc_size(d); i++) sum += doc_real_value(doc_at(d, i), NAN);
    return sum;
}

static void list_write(char out[STYLE_NAME], const doc *list)
{
    char text[STYLE_TEXT];
    *out = '\0';
    for (uint64_t i = 0; i < doc_size(list); i++)
        text_append(out, STYLE_NAME, "%s%s", i ? ", " : "",
                    style_form(text, "%.9g", doc_real_value(doc_at(list, i), NAN)));
}

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
static void number_write(char out[STYLE_NAME], double v, enum cell as)
{
    char text[STYLE_TEXT];
    const double amount = v >= 0 && v < 1e300 ? v : NAN;
    switch (as) {
    case CELL_COUNT: style_count(text, amount); break;
    case CELL_BYTES: style_bytes(text, amount); break;
    case CELL_SECONDS: style_seconds(text, amount); break;
    case CELL_PERCENT: style_percent(text, v, 1); break;
    case CELL_PERCENT2: style_percent(text, v, 2); break;
    case CELL_CHANGE: style_percent(text, v, 1); break;
    default: snprintf(text, sizeof text, isfinite(v) ? "%.4g" : "-", v);
    }
    snprintf(out, STYLE_NAME, "%s%s", as == CELL_CHANGE && v >= 0.0005 ? "+" : "", text);
}

static void cell_write(FILE *to, const doc *of, const doc *outer, const struct table_column *c, bool first)
{
    const doc *d = *c->key == '^' ? document_path(outer, c->key + 1) : document_path(of, c->key);
    const bool words = c->as == CELL_TEXT || c->as == CELL_LONG;
    char text[STYLE_NAME];
    const char *shown = text;
    if (words) shown = doc_text_value(d, "-");
    else if (c->as == CELL_LIST) list_write(text, d);
    else if (c->as == CELL_SLOTS) slots_write(text, d);
    else if (c->as == CELL_ROWS) document_rows_name(text, of);
    else number_write(text, number_of(d), c->as);
    if (first) html_element(to, "<th scope=\"row\">", shown, "</th>");
    else
        html_element(to,
                     c->as == CELL_LONG ? "<td class=\"long\">"
                     : words            ? "<td class=\"left\">"
                                        : "<td>",
                     shown, "</td>");
}

static void rows_write(FILE *to, const doc *rows, const doc *outer, const struct table_column *columns)
{
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        fputs("<tr>", to);
        for (int k = 0; columns[k].name; k++) cell_write(to, doc_at(rows, i), outer, &columns[k], k == 0);
        fputs("</tr>\n", to);
    }
}

void document_table(FILE *to, const char *caption, const doc *list, const char *inner,
                    const struct table_column *columns)
{
    struct html_column head[COLUMNS_MOST + 1] = {{0}};
    uint64_t rows = 0;
    for (uint64_t i = 0; i < doc_size(list); i++) rows += inner ? doc_size(doc_get(doc_at(list, i), inner)) : 1;
    if (!rows) return;
    for (int k = 0; k < COLUMNS_MOST && columns[k].name; k++)
        head[k] = (struct html_column){columns[k].name, columns[k].unit,
                                       !k || columns[k].as == CELL_TEXT || columns[k].as == CELL_LONG};
    html_table_begin(to, caption, head);
    if (!inner) rows_write(to, list, NULL, columns);
    for (uint64_t i = 0; inner && i < doc_size(list); i++)
        rows_write(to, doc_get(doc_at(list, i), inner), doc_at(list, i), columns);
    html_table_end(to);
}
