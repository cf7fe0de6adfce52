/* sizing_decision.c - see sizing_decision.h. */
#include "reports/sizing/sizing_decision.h"

#include <math.h>
#include <string.h>
#include "base/text.h"
#include "reports/figures/figure_panels.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/sizing/sizing_lines.h"

static const doc *options_of(const struct sizing *s) { return doc_get(s->root, "options"); }
static const doc *option_at(const struct sizing *s, const doc *number)
{
    return doc_is_integer(number) ? doc_at(options_of(s), (uint64_t)doc_integer_value(number, 0)) : NULL;
}

void sizing_decision_write(FILE *to, const struct sizing *s)
{
    const doc *d = doc_get(s->root, "decision"), *reasons = doc_get(d, "reasons"),
              *chosen = option_at(s, doc_get(d, "option")), *next = option_at(s, doc_get(d, "runner_up"));
    html_element(to, "<p class=\"lead\"><b>", doc_text_value(doc_get(d, "line"), s->sentence), "</b></p>\n");
    if (doc_size(reasons)) fputs("<ul>\n", to);
    for (uint64_t i = 0; i < doc_size(reasons); i++)
        html_element(to, "<li>", doc_text_value(doc_at(reasons, i), "?"), ".</li>\n");
    if (doc_size(reasons)) fputs("</ul>\n", to);
    if (next) html_element(to, "<p>Runner-up: ", doc_text_value(doc_get(next, "line"), "?"), ".</p>\n");
    if (chosen)
        html_element(to, "<p>The plan: <code>", doc_text_value(doc_get(chosen, "command"), "?"), "</code></p>\n");
}

void sizing_notes_write(FILE *to, const struct sizing *s)
{
    const doc *notes = doc_get(doc_get(s->root, "decision"), "notes");
    if (doc_size(notes)) fputs("<p class=\"note\">", to);
    for (uint64_t i = 0; i < doc_size(notes); i++)
        html_element(to, i ? "<br>" : "", doc_text_value(doc_at(notes, i), "?"), ".\n");
    if (doc_size(notes)) fputs("</p>\n", to);
}

/* ---- the table ---- */

/* A value with its interval. */
static void range_cell(FILE *to, const doc *o, const char *key, const char *before, const char *after,
                       const char *(*text_of)(char out[STYLE_TEXT], double v))
{
    char name[60], text[STYLE_TEXT], low[STYLE_TEXT], high[STYLE_TEXT], cell[4 * STYLE_TEXT];
    double v = document_number(o, key);
    snprintf(name, sizeof name, "%s_interval", key);
    const doc *range = doc_get(o, name);
    if (isnan(v)) {
        html_cell(to, "-");
        return;
    }
    snprintf(cell, sizeof cell, "%s%s%s", before, text_of(text, v), after);
    html_element(to, "<td>", cell, "");
    snprintf(cell, sizeof cell, "%s to %s", text_of(low, doc_real_value(doc_at(range, 0), NAN)),
             text_of(high, doc_real_value(doc_at(range, 1), NAN)));
    html_element(to, "<br><small class=\"soft\">", cell, "</small></td>");
}

static const char *two_digits(char out[STYLE_TEXT], double v)
{
    int before = v > 0 ? (int)floor(log10(v)) + 1 : 1;
    snprintf(out, STYLE_TEXT, "%.*f", before < 2 ? (2 - before > 9 ? 9 : 2 - before) : 0, v);
    return out;
}

/* kWh, in the unit that leaves one to three digits before the point. */
static const char *energy_text(char out[STYLE_TEXT], double kwh)
{
    static const char *const units[] = {"µWh", "mWh", "Wh", "kWh", "MWh", "GWh"};
    double v = kwh * 1e9;
    int unit = 0;
    for (; v >= 1000 && unit < 5; unit++) v /= 1000;
    two_digits(out, v);
    text_append(out, STYLE_TEXT, " %s", units[unit]);
    return out;
}

/* Whether the whole training takes more than the epoch that stands beside it. */
static bool trains_longer(const struct sizing *s) { return doc_real_value(doc_get(s->root, "epochs"), 1) != 1; }

static void option_row(FILE *to, const struct sizing *s, const doc *o, bool best)
{
    char text[STYLE_TEXT], label[STYLE_NAME], servers[STYLE_NAME + 20];
    int curve = (int)doc_integer_value(doc_get(o, "curve"), 0);
    const char *currency = curve >= 0 && curve < s->curve_count
                               ? doc_text_value(doc_get(s->curves[curve].of, "currency"), "")
                               : "";
    style_cut(label, doc_text_value(doc_get(o, "label"), "?"), 60);
    snprintf(servers, sizeof servers, "%.0f x %s%s", document_number(o, "servers"), label,
             doc_bool_value(doc_get(o, "front"), false) ? " *" : "");
    fprintf(to, "<tr%s>", best ? " class=\"best\"" : "");
    html_element(to, "<th scope=\"row\">", servers, "</th>");
    if (!doc_bool_value(doc_get(o, "fits"), false)) {
        fprintf(to, "<td class=\"off left\" colspan=\"%d\">", trains_longer(s) ? 7 : 6);
        html_element(to, "does not hold it: ", document_text(o, "lacks"), "; ");
        html_element(to, "what would: ", document_text(o, "remedy"), "</td></tr>\n");
        return;
    }
    html_cell(to, style_bytes(text, document_number(o, "budget_bytes")));
    range_cell(to, o, "epoch_seconds", "", "", style_seconds);
    if (trains_longer(s)) range_cell(to, o, "training_seconds", "", "", style_seconds);
    range_cell(to, o, "cost", currency, "", two_digits);
    range_cell(to, o, "energy_kwh", "", "", energy_text);
    html_element(to, "<td class=\"left\">",
                 doc_text_value(doc_get(o, "binds"), doc_text_value(doc_get(o, "lacks"), "-")), "</td>");
    html_element(to, "<td class=\"left\">", doc_text_value(doc_get(o, "verdict"), "-"), "</td></tr>\n");
}

/* Where prices and watts are from: a note per server, whatever number of its GPUs is asked about. */
static void sources_write(FILE *to, const struct sizing *s)
{
    char said[1200] = "", note[1200];
    for (int i = 0; i < s->curve_count; i++) {
        const doc *c = s->curves[i].of;
        int name = (int)strcspn(s->curves[i].label, ":");
        snprintf(note, sizeof note, "%.*s: %s; watts: %s.", name, s->curves[i].label,
                 doc_text_value(doc_get(c, "price_text"), "no price"),
                 doc_text_value(doc_get(doc_get(c, "watts"), "source"), "not known"));
        if (strcmp(note, said)) html_element(to, "<p class=\"note\">", note, "</p>\n");
        memcpy(said, note, sizeof said);
    }
}

void sizing_options_table(FILE *to, const struct sizing *s)
{
    struct html_column columns[] = {{"what", NULL, true},
                                    {"cache", "per GPU", false},
                                    {"epoch", "90 % interval", false},
                                    {"training", "all epochs", false},
                                    {"money", "of the training", false},
                                    {"energy", "an estimate", false},
                                    {"bound by", NULL, true},
                                    {"verdict", NULL, true},
                                    {0}};
    const doc *list = options_of(s), *chosen = option_at(s, doc_get(doc_get(s->root, "decision"), "option"));
    if (!doc_size(list)) return;
    if (!trains_longer(s)) memmove(columns + 3, columns + 4, sizeof columns - 4 * sizeof *columns);
    fputs("<h2>What can be bought</h2>\n", to);
    html_table_begin(to, "*: no other one is better in time, money and energy.", columns);
    int unlisted = 0;
    for (uint64_t i = 0; i < doc_size(list); i++)
        if (sizing_listed(doc_at(list, i))) option_row(to, s, doc_at(list, i), doc_at(list, i) == chosen);
        else unlisted++;
    html_table_end(to);
    if (unlisted)
        fprintf(to,
                "<p class=\"note\">%d more option%s, with other numbers of the same servers: see the document.</p>\n",
                unlisted, unlisted > 1 ? "s" : "");
    sources_write(to, s);
}

/* ---- intervals ---- */

enum { ROW = 26, ROW_OF_MANY = 15, MANY = 16, BARS_MAX = 60, NAMES = 250 };

/* One option as a bar from low to high with a dot; pale: the interval without one's own cases. */
static void bar_write(struct figures *figures, const doc *o, double y, unsigned colour)
{
    const doc *range = doc_get(o, "epoch_seconds_interval"), *before = doc_get(o, "epoch_seconds_without_cases_"
                                                                                  "interval");
    double v = document_number(o, "epoch_seconds"), low = doc_real_value(doc_at(range, 0), v),
           high = doc_real_value(doc_at(range, 1), v), from = doc_real_value(doc_at(before, 0), low),
           to = doc_real_value(doc_at(before, 1), high);
    if (from != low || to != high)
        fprintf(figures->script, "set arrow from %.9g, %g to %.9g, %g nohead lc rgb '#C9CDD2' lw 9\n", from, y, to, y);
    fprintf(figures->script, "set arrow from %.9g, %g to %.9g, %g nohead lc rgb '#%06X' lw 4\n", low, y, high, y,
            colour);
    fprintf(figures->script, "set arrow from %.9g, %g to %.9g, %g nohead lc rgb '#111111' lw 2\n", v, y - 0.25, v,
            y + 0.25);
}

static void option_point(const struct figures *figures, const struct figure_places *at, const doc *o, double y)
{
    const doc *range = doc_get(o, "epoch_seconds_interval");
    const double v = document_number(o, "epoch_seconds"), low = doc_real_value(doc_at(range, 0), v),
                 high = doc_real_value(doc_at(range, 1), v);
    char text[3][STYLE_TEXT];
    figure_bar(figures, at, low, y - 0.3, high, y + 0.3, "%.0f x %.80s: %s, %s to %s", document_number(o, "servers"),
               document_text(o, "label"), style_seconds(text[0], v), style_seconds(text[1], low),
               style_seconds(text[2], high));
}

/* Options with an epoch time; list: [BARS_MAX]. Returns how many, and the longest end in *most. */
static int timed(const struct sizing *s, const doc **list, double *most)
{
    int n = 0;
    const doc *all = options_of(s);
    double target = sizing_target(s, "epoch_seconds");
    *most = NAN;
    for (uint64_t i = 0; i < doc_size(all) && n < BARS_MAX; i++) {
        const doc *o = doc_at(all, i);
        if (isnan(document_number(o, "epoch_seconds")) || !sizing_listed(o)) continue;
        *most = fmax(*most, doc_real_value(doc_at(doc_get(o, "epoch_seconds_interval"), 1), NAN));
        *most = fmax(*most, doc_real_value(doc_at(doc_get(o, "epoch_seconds_without_cases_interval"), 1), NAN));
        list[n++] = o;
    }
    if (target < 4 * *most) *most = fmax(*most, target); /* a loose one would leave no room for the bars */
    return n;
}

enum st sizing_plot_intervals(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                              struct err *err)
{
    const doc *list[BARS_MAX], *chosen = option_at(s, doc_get(doc_get(s->root, "decision"), "option"));
    double most, target = sizing_target(s, "epoch_seconds");
    int n = timed(s, list, &most), height = 130 + (n > MANY ? ROW_OF_MANY : ROW) * n;
    char label[STYLE_NAME], text[STYLE_NAME + 20];
    if (!n) return ST_OK;
    PASS(figure_begin_of(figures, subject, "intervals", "Epoch times and their intervals", SIZING_WIDTH, height, err));
    sizing_records_write(figures, s);
    struct box box = {NAMES, SIZING_WIDTH - 30, 66, height - 50};
    struct figure_axis x = figure_axis_make('x', QUANTITY_SECONDS, most);
    figure_panel(figures, &box);
    figure_axis_below(figures, &box, "time of an epoch");
    figure_axis_write(figures->script, &x);
    fprintf(figures->script, "set yrange [0:%d]\nunset ytics\n", n);
    for (int i = 0; i < n; i++) {
        double y = n - i - 0.5;
        bar_write(figures, list[i], y, list[i] == chosen ? (unsigned)SIZING_ANSWER : sizing_colours[0]);
        snprintf(text, sizeof text, "%.0f x %s", document_number(list[i], "servers"),
                 style_cut(label, doc_text_value(doc_get(list[i], "label"), "?"), 34));
        figure_label(figures, NAMES - 10, box.bottom + (box.top - box.bottom) * y / n, text, "right tc rgb '#111111'");
    }
    if (target < 4 * most) figure_mark(figures, target, SIZING_ANSWER);
    fputs("plot NaN notitle\n", figures->script);
    const struct figure_places at = {box, figure_axis_span(&x), figure_span(0, n)};
    for (int answer = 0; answer < 2; answer++) {
        PASS(figure_series(figures, answer ? "the answer" : "other options",
                           answer ? (unsigned)SIZING_ANSWER : sizing_colours[0], err));
        for (int i = 0; i < n; i++)
            if ((list[i] == chosen) == answer) option_point(figures, &at, list[i], n - i - 0.5);
    }
    figure_caption(figures,
                   "Bars are 90 %% intervals, the tick is the prediction; red is the answer. A grey bar behind is the "
                   "interval without measured cases of one's own.%s",
                   target < 4 * most ? " The dashed line is the target." : "");
    return figure_end(figures, err);
}
