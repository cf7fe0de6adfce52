/* sizing_decision.c - the answer, and what can be bought; see sizing.h. */
#include "reports/sizing/sizing.h"

#include <math.h>
#include <string.h>
#include "base/text.h"
#include "base/units.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"

static const doc *options_of(const struct sizing *s) { return doc_get(s->root, "options"); }
static const doc *option_at(const struct sizing *s, const doc *number)
{
    return doc_is_integer(number) ? doc_at(options_of(s), (uint64_t)doc_integer_value(number, 0)) : NULL;
}

void sizing_line_write(FILE *to, const struct sizing *s)
{
    const char *line = doc_text_value(doc_get(doc_get(s->root, "decision"), "line"), s->sentence);
    const char *holds = doc_text_value(doc_path(s->root, "decision.holds.sentence"), NULL);
    html_element(to, "<p class=\"lead\"><b>", line, "</b></p>\n");
    if (holds) html_element(to, "<p>Does the choice hold? ", holds, ".</p>\n");
}

void sizing_decision_write(FILE *to, const struct sizing *s)
{
    const doc *d = doc_get(s->root, "decision"), *reasons = doc_get(d, "reasons"),
              *chosen = option_at(s, doc_get(d, "option")), *next = option_at(s, doc_get(d, "runner_up"));
    if (doc_size(reasons)) fputs("<ul>\n", to);
    for (uint64_t i = 0; i < doc_size(reasons); i++)
        html_element(to, "<li>", doc_text_value(doc_at(reasons, i), "?"), ".</li>\n");
    if (doc_size(reasons)) fputs("</ul>\n", to);
    if (next) html_element(to, "<p>Runner-up: ", doc_text_value(doc_get(next, "line"), "?"), ".</p>\n");
    if (chosen)
        html_element(to, "<p>The plan: <code>", doc_text_value(doc_get(chosen, "command"), "?"), "</code></p>\n");
}

/* The answer to every future, and where servers stop. */
static void futures_write(FILE *to, const doc *decision)
{
    static const char *const lists[] = {"futures", "stops"};
    if (!doc_size(doc_get(decision, "futures"))) return;
    fputs("<h2>As the graph grows</h2>\n<p>The answer above is of the largest of these futures.</p>\n<ul>\n", to);
    for (int k = 0; k < 2; k++) {
        const doc *list = doc_get(decision, lists[k]);
        for (uint64_t i = 0; i < doc_size(list); i++)
            html_element(to, "<li>", doc_text_value(doc_get(doc_at(list, i), "line"), "?"), "</li>\n");
    }
    fputs("</ul>\n", to);
}

void sizing_notes_write(FILE *to, const struct sizing *s)
{
    const doc *notes = doc_get(doc_get(s->root, "decision"), "notes");
    if (doc_size(notes)) fputs("<p class=\"note\">", to);
    for (uint64_t i = 0; i < doc_size(notes); i++)
        html_element(to, i ? "<br>" : "", doc_text_value(doc_at(notes, i), "?"), ".\n");
    if (doc_size(notes)) fputs("</p>\n", to);
    futures_write(to, doc_get(s->root, "decision"));
}

/* ---- the table ---- */

/* A cell that a narrow screen names. */
static void cell_begin(FILE *to, const char *name, bool left)
{
    fprintf(to, "<td data-name=\"%s\"%s>", name, left ? " class=\"left\"" : "");
}

static void cell_write(FILE *to, const char *name, bool left, const char *text)
{
    cell_begin(to, name, left);
    html_element(to, "", text, "</td>");
}

/* The interval as a bar, where a narrow screen has no figure beside the cards. most: where its ground ends. */
static void bar_write(FILE *to, const doc *range, double most)
{
    const double low = doc_real_value(doc_at(range, 0), NAN), high = doc_real_value(doc_at(range, 1), NAN);
    if (!(high <= most)) return;
    fprintf(to, "<i class=\"bar\" style=\"--from:%.1f%%;--to:%.1f%%\"></i>", 100 * low / most,
            fmax(100 * high / most, 100 * low / most + 1));
}

/* A value with its interval. */
static void range_cell(FILE *to, const doc *o, const char *key, const char *column, const char *before, double most,
                       const char *(*text_of)(char out[STYLE_TEXT], double v))
{
    char name[60], text[STYLE_TEXT], low[STYLE_TEXT], high[STYLE_TEXT], cell[4 * STYLE_TEXT];
    double v = document_number(o, key);
    snprintf(name, sizeof name, "%s_interval", key);
    const doc *range = doc_get(o, name);
    if (isnan(v)) {
        cell_write(to, column, false, "-");
        return;
    }
    snprintf(cell, sizeof cell, "%s%s", before, text_of(text, v));
    cell_begin(to, column, false);
    html_element(to, "", cell, "");
    snprintf(cell, sizeof cell, "%s%s to %s", before, text_of(low, doc_real_value(doc_at(range, 0), NAN)),
             text_of(high, doc_real_value(doc_at(range, 1), NAN)));
    html_element(to, "<br><small class=\"soft\">", cell, "</small>");
    bar_write(to, range, most);
    fputs("</td>", to);
}

static const char *two_digits(char out[STYLE_TEXT], double v)
{
    int before = v > 0 ? (int)floor(log10(v)) + 1 : 1;
    if (before < -3)
        snprintf(out, STYLE_TEXT, "%.1fe%d", v / pow(10, before - 1), before - 1); /* as a terminal has it */
    else snprintf(out, STYLE_TEXT, "%.*f", before < 2 ? (2 - before > 9 ? 9 : 2 - before) : 0, v);
    return out;
}

/* kWh, in the unit that leaves one to three digits before the point. */
static const char *energy_text(char out[STYLE_TEXT], double kwh)
{
    const char *name;
    double unit = units_energy(kwh, &name);
    two_digits(out, kwh / unit);
    text_append(out, STYLE_TEXT, " %s", name);
    return out;
}

bool sizing_trains_longer(const struct sizing *s)
{
    return doc_bool_value(doc_path(s->root, "run.told"), doc_real_value(doc_get(s->root, "epochs"), 1) != 1);
}

bool sizing_asks(const struct sizing *s) { return doc_size(doc_get(s->root, "targets")) > 0; }

/* The longest end of an option's epoch time. */
static double longest_epoch(const struct sizing *s)
{
    double most = NAN;
    for (uint64_t i = 0; i < doc_size(options_of(s)); i++) {
        const doc *o = doc_at(options_of(s), i);
        if (sizing_listed(o)) most = fmax(most, doc_real_value(doc_at(doc_get(o, "epoch_seconds_interval"), 1), NAN));
    }
    return most;
}

static void option_row(FILE *to, const struct sizing *s, const doc *o, double most, bool best)
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
        fprintf(to, "<td class=\"off left\" colspan=\"%d\">", 5 + sizing_trains_longer(s) + sizing_asks(s));
        html_element(to, "does not hold it: ", document_text(o, "lacks"), "; ");
        html_element(to, "what would: ", document_text(o, "remedy"), "</td></tr>\n");
        return;
    }
    cell_write(to, "cache per GPU", false, style_bytes(text, document_number(o, "budget_bytes")));
    range_cell(to, o, "epoch_seconds", "epoch", "", most, style_seconds);
    if (sizing_trains_longer(s)) range_cell(to, o, "training_seconds", "training", "", NAN, style_seconds);
    range_cell(to, o, "cost", "money", currency, NAN, two_digits);
    range_cell(to, o, "energy_kwh", "energy", "", NAN, energy_text);
    cell_write(to, "bound by", true, doc_text_value(doc_get(o, "binds"), doc_text_value(doc_get(o, "lacks"), "-")));
    if (sizing_asks(s))
        cell_write(to, "verdict", true,
                   doc_text_value(doc_get(o, "verdicts"), doc_text_value(doc_get(o, "verdict"), "-")));
    fputs("</tr>\n", to);
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
    enum { VERDICT = 7 };
    struct html_column columns[] = {{"what", NULL, true},
                                    {"cache", "per GPU", false},
                                    {"epoch", "90 % interval", false},
                                    {"training", "the whole run", false},
                                    {"money", sizing_trains_longer(s) ? "of the whole training" : "of one epoch",
                                     false},
                                    {"energy", "an estimate", false},
                                    {"bound by", NULL, true},
                                    [VERDICT] = {"verdict", NULL, true},
                                    {0}};
    const doc *list = options_of(s), *chosen = option_at(s, doc_get(doc_get(s->root, "decision"), "option"));
    if (!doc_size(list)) return;
    if (!sizing_asks(s)) columns[VERDICT] = (struct html_column){0};
    if (!sizing_trains_longer(s)) memmove(columns + 3, columns + 4, sizeof columns - 4 * sizeof *columns);
    fputs("<h2>What can be bought</h2>\n", to);
    fputs("<div class=\"scroll\">\n<table class=\"cards\">\n<caption>*: no other one is better in time, money and "
          "energy.</caption>\n",
          to);
    html_table_head(to, columns);
    fputs("<tbody>\n", to);
    const double most = longest_epoch(s);
    int unlisted = 0;
    for (uint64_t i = 0; i < doc_size(list); i++)
        if (sizing_listed(doc_at(list, i))) option_row(to, s, doc_at(list, i), most, doc_at(list, i) == chosen);
        else unlisted++;
    html_table_end(to);
    if (unlisted)
        fprintf(to,
                "<p class=\"note\">%d more option%s, with other numbers of the same servers: see the document.</p>\n",
                unlisted, unlisted > 1 ? "s" : "");
    sources_write(to, s);
}
