/* what_if.c - inputs that move alone. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "reports/tables/tables.h"

enum { BAR = 24 };

const char *what_if_moved(const doc *of, char out[COLUMN_TEXT])
{
    const char *value = doc_text_value(doc_get(of, "text"), NULL);
    const double factor = doc_number(of, "factor");
    snprintf(out, COLUMN_TEXT, isnan(factor) ? "x -" : "x %.3g", factor);
    if (value) text_append(out, COLUMN_TEXT, " (%.60s)", value);
    return out;
}

static const char *from(const struct column_row *r, char out[COLUMN_TEXT])
{
    return what_if_moved(doc_get(r->row, "low"), out);
}

static const char *until(const struct column_row *r, char out[COLUMN_TEXT])
{
    return what_if_moved(doc_get(r->row, "high"), out);
}

/* A tornado's bar around the epoch as it is, ':'; the longest is of the input that moves it farthest. */
static const char *bar(const struct column_row *r, char out[COLUMN_TEXT])
{
    const double now = doc_number(r->of, "epoch_seconds");
    double end[2], widest = 0;
    for (uint64_t i = 0; i <= doc_size(r->list); i++) /* the last is the row itself */
        for (int k = 0; k < 2; k++) {
            const doc *input = i < doc_size(r->list) ? doc_at(r->list, i) : r->row;
            end[k] = doc_number(doc_get(input, k ? "high" : "low"), "epoch_seconds") - now;
            widest = fmax(widest, fabs(end[k]));
        }
    if (!(widest > 0)) widest = 1;
    const double low = fmin(end[0], end[1]) / widest, high = fmax(end[0], end[1]) / widest;
    for (int i = 0; i <= BAR; i++) {
        double at = (i - BAR / 2) / (double)(BAR / 2);
        out[i] = i == BAR / 2 ? ':' : at >= low - 0.5 / BAR && at <= high + 0.5 / BAR && high > low ? '=' : ' ';
    }
    out[BAR + 1] = '\0';
    return out;
}

/* Where the answer changes. */
static const char *flips(const struct column_row *r, char out[COLUMN_TEXT])
{
    const doc *list = doc_get(r->row, "flips");
    char text[COLUMN_TEXT];
    snprintf(out, COLUMN_TEXT, doc_size(list) ? "at " : "no");
    for (uint64_t i = 0; i < doc_size(list); i++)
        text_append(out, COLUMN_TEXT, "%s%s", i ? ", " : "", what_if_moved(doc_at(list, i), text));
    return out;
}

const struct column what_if_inputs[] =
    {COLUMN("input", "name", CELL_TEXT),
     COLUMN("from", NULL, CELL_FORM, .text = from),
     COLUMN("to", NULL, CELL_FORM, .text = until),
     COLUMN("epoch at from", "low.epoch_seconds", CELL_SECONDS, .page = "epoch", .unit = "at from"),
     COLUMN("at to", "high.epoch_seconds", CELL_SECONDS, .page = "epoch", .unit = "at to"),
     COLUMN("tornado", NULL, CELL_TEXT, .text = bar, .flags = COLUMN_TERMINAL),
     COLUMN("the answer changes", NULL, CELL_TEXT, .text = flips, .flags = COLUMN_PAGE),
     {0}};
