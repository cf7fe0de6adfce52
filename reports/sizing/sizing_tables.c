/* sizing_tables.c - tables of a size question; see sizing.h. */
#include "reports/sizing/sizing.h"

#include <math.h>
#include <string.h>
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/formats/document_table.h"

static void bytes_cell(FILE *to, double v)
{
    char text[STYLE_TEXT];
    html_cell(to, style_bytes(text, v));
}

void sizing_curves_table(FILE *to, const struct sizing *s)
{
    enum { NEEDS = 5 };
    const bool asks = sizing_asks(s);
    struct html_column columns[] = {{.name = "configuration"},
                                    {"price", "per hour", false},
                                    {.name = "GPU memory"},
                                    {"reserved", "for training", false},
                                    {"largest cache", "per GPU", false},
                                    [NEEDS] = {"needed cache", "to meet the target", false},
                                    {.name = "knee"},
                                    {0}};
    if (!asks) memmove(columns + NEEDS, columns + NEEDS + 1, sizeof columns - (NEEDS + 1) * sizeof *columns);
    fputs("<h3>Configurations</h3>\n", to);
    html_table_begin(to, NULL, columns);
    for (int i = 0; i < s->curve_count; i++) {
        const struct sizing_curve *c = &s->curves[i];
        char text[STYLE_TEXT], label[STYLE_NAME];
        bool best = s->answer >= 0 && s->points[s->answer].curve == i;
        html_element(to, "<tr><th scope=\"row\">", style_cut(label, c->label, 60), "</th>");
        if (isnan(c->price)) snprintf(text, sizeof text, "-");
        else snprintf(text, sizeof text, "%s%.2f", doc_text_value(doc_get(c->of, "currency"), ""), c->price);
        html_cell(to, text);
        bytes_cell(to, c->memory);
        bytes_cell(to, document_number(doc_get(c->of, "reservation"), "total_bytes"));
        if (c->missing > 0) fprintf(to, "<td class=\"off\">%s missing</td>", style_bytes(text, c->missing));
        else bytes_cell(to, c->limit);
        if (asks) fprintf(to, "<td%s>%s</td>", best ? " class=\"best\"" : "", style_bytes(text, c->needs));
        bytes_cell(to, c->knee);
        fputs("</tr>\n", to);
    }
    html_table_end(to);
}

static void bottleneck_cell(FILE *to, const struct sizing_point *p)
{
    html_element(to, "<td class=\"left\">", p->bottleneck ? p->bottleneck : "-", "");
    if (p->limited_by) html_element(to, ": ", p->limited_by, "");
    fputs("</td>", to);
}

void sizing_points_table(FILE *to, const struct sizing *s)
{
    char cost[60];
    const struct html_column columns[] = {{"cache", "per GPU", false},
                                          {"feature hits", "of rows", false},
                                          {"topology hits", "of visits", false},
                                          {"transactions", "per epoch", false},
                                          {"epoch", "best up to here", false},
                                          {"cost", cost, false},
                                          {"bottleneck", NULL, true},
                                          {0}};
    char text[STYLE_TEXT], label[STYLE_NAME];
    if (s->shown < 0) return;
    const struct sizing_curve *c = &s->curves[s->shown];
    snprintf(cost, sizeof cost, "%.20s per epoch", doc_text_value(doc_get(c->of, "currency"), ""));
    html_element(to, "<h3>", style_cut(label, c->label, 80), "</h3>\n");
    html_table_begin(to, NULL, columns);
    int end = c->first + c->count, different = c->first + sizing_different(s, c);
    for (int i = c->first; i < different; i++) {
        const struct sizing_point *p = &s->points[i];
        fprintf(to, "<tr%s><th scope=\"row\">%s", i == s->answer ? " class=\"best\"" : "",
                style_bytes(text, p->budget));
        if (i + 1 == different && different < end)
            fprintf(to, " to %s", style_bytes(text, s->points[end - 1].budget)); /* more memory changes nothing */
        fprintf(to, "%s</th>", i == s->answer ? " (answer)" : i == s->knee ? " (knee)" : "");
        for (int k = 0; k < SIZING_METRICS; k++)
            html_cell(to, sizing_text(sizing_metrics[k], sizing_value(p, sizing_metrics[k]), text));
        bottleneck_cell(to, p);
        fputs("</tr>\n", to);
    }
    html_table_end(to);
}

void sizing_reservation_table(FILE *to, const struct sizing *s)
{
    static const struct column columns[] = {COLUMN("term", "name", CELL_TEXT, .none = "all"),
                                            COLUMN("bytes", "bytes|total_bytes", CELL_BYTES),
                                            COLUMN("formula", "formula", CELL_LONG, .none = ""),
                                            {0}};
    int at = s->shown < 0 ? 0 : s->shown;
    const doc *r = doc_get(s->curves[at].of, "reservation"), *terms = doc_get(r, "terms");
    if (!doc_size(terms)) return;
    fputs("<h3>GPU memory that training needs</h3>\n", to);
    document_columns(to, NULL, &(struct column_table){.columns = columns, .rows = terms, .last = r});
}

void sizing_uncertainty_table(FILE *to, const struct sizing *s)
{
    enum { NEEDS = SIZING_METRICS + 1 };
    const doc *u = doc_get(s->root, "uncertainty"), *list = doc_get(u, "stand_ins");
    struct html_column columns[SIZING_METRICS + 3] =
        {{.name = "scale, seed"}, [NEEDS] = {"needed cache", "to meet the target", false}};
    if (!sizing_asks(s)) columns[NEEDS] = (struct html_column){0};
    char text[STYLE_TEXT], caption[STYLE_TEXT + 40];
    if (!doc_size(list)) return;
    for (int k = 0; k < SIZING_METRICS; k++) columns[1 + k].name = sizing_metric_name(sizing_metrics[k]);
    snprintf(caption, sizeof caption, "With %s of cache per GPU.",
             style_bytes(text, document_number(u, "budget_bytes")));
    fputs("<h3>Spread over stand-ins</h3>\n", to);
    html_table_begin(to, caption, columns);
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *d = doc_at(list, i);
        fprintf(to, "<tr><th scope=\"row\">%.4g, %.9g</th>", document_number(d, "scale"), document_number(d, "seed"));
        for (int k = 0; k < SIZING_METRICS; k++)
            html_cell(to, sizing_text(sizing_metrics[k], document_number(d, sizing_metrics[k]), text));
        if (sizing_asks(s)) bytes_cell(to, document_number(d, "answer_budget_bytes"));
        fputs("</tr>\n", to);
    }
    html_table_end(to);
}

void sizing_unknown_list(FILE *to, const struct sizing *s)
{
    for (int i = 0; i < s->curve_count; i++) {
        const doc *unknown = doc_get(s->curves[i].of, "unknown");
        if (!doc_size(unknown)) continue;
        html_element(to, "<p class=\"note\">", s->curves[i].label,
                     ": epoch times are unknown, because the server profile does not state ");
        for (uint64_t k = 0; k < doc_size(unknown); k++)
            html_element(to, k ? ", " : "", doc_text_value(doc_at(unknown, k), "?"), "");
        fputs(".</p>\n", to);
    }
}

void sizing_rules_list(FILE *to, const struct sizing *s)
{
    const doc *rules = doc_get(s->root, "rules");
    fputs("<h3>Rules</h3>\n<dl>\n", to);
    for (const char *key = doc_next_key(rules, NULL); key; key = doc_next_key(rules, key)) {
        html_element(to, "<dt>", key, "</dt>");
        html_element(to, "<dd>", document_text(rules, key), "</dd>\n");
    }
    fputs("<dt>held-out</dt><dd>All numbers are simulated on epochs whose seed planning never saw. Epoch times come "
          "from a model and the constants of the server profile.</dd>\n</dl>\n",
          to);
}
