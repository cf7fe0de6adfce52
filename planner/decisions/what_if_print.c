#include <math.h>
#include <stdio.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/units.h"
#include "planner/decisions/what_if.h"

enum { BAR = 24 };

/* A tornado's bar around the epoch as it is, ':'. widest: the largest distance from it of all inputs. */
static void bar(const doc *input, double now, double widest, char out[BAR + 2])
{
    double a = doc_number(doc_get(input, "low"), "epoch_seconds"), b = doc_number(doc_get(input, "high"), "epoch_"
                                                                                                          "seconds");
    double low = (fmin(a, b) - now) / widest, high = (fmax(a, b) - now) / widest;
    for (int i = 0; i <= BAR; i++) {
        double at = (i - BAR / 2) / (double)(BAR / 2);
        out[i] = i == BAR / 2 ? ':' : at >= low - 0.5 / BAR && at <= high + 0.5 / BAR && high > low ? '=' : ' ';
    }
    out[BAR + 1] = '\0';
}

/* "x 0.62 (93 GB/s)" */
static void moved(const doc *of, char *out, size_t bytes)
{
    const char *value = doc_text_value(doc_get(of, "text"), NULL);
    snprintf(out, bytes, value ? "x %.3g (%s)" : "x %.3g", doc_number(of, "factor"), value);
}

static void flips_print(const doc *d, FILE *to)
{
    const doc *inputs = doc_get(d, "inputs");
    bool any = false;
    char at[64];
    for (uint64_t i = 0; i < doc_size(inputs); i++) {
        const doc *x = doc_at(inputs, i), *flips = doc_get(x, "flips");
        for (uint64_t k = 0; k < doc_size(flips); k++) {
            moved(doc_at(flips, k), at, sizeof at);
            terminal_print(to, "  - %s at %s: %s\n", doc_text_value(doc_get(x, "name"), "?"), at,
                           doc_text_value(doc_get(doc_at(flips, k), "decision"), "?"));
            any = true;
        }
    }
    if (!any) terminal_print(to, "  - none within its range\n");
}

void what_if_print(const doc *d, FILE *to)
{
    static const char *const headers[] = {"input", ">from", ">to", ">epoch at from", ">at to", "tornado", NULL};
    const doc *inputs = doc_get(d, "inputs");
    double now = doc_number(d, "epoch_seconds"), widest = 0;
    char text[64], drawn[BAR + 2], epoch[UNIT_TEXT];
    terminal_print(to, "%s\n", doc_text_value(doc_get(d, "decision"), "?"));
    terminal_print(to, "an epoch of %s takes %s; what would change the answer:\n",
                   doc_text_value(doc_get(d, "of"), "?"), units_seconds(epoch, now));
    flips_print(d, to);
    fputc('\n', to);
    struct table *t = table_new(headers);
    static const char *const side[] = {"low", "high"};
    for (uint64_t i = 0; i < doc_size(inputs); i++)
        for (int k = 0; k < 2; k++)
            widest = fmax(widest, fabs(doc_number(doc_get(doc_at(inputs, i), side[k]), "epoch_seconds") - now));
    for (uint64_t i = 0; i < doc_size(inputs); i++) {
        const doc *x = doc_at(inputs, i);
        table_add(t, "%s", doc_text_value(doc_get(x, "name"), "?"));
        for (int k = 0; k < 2; k++) {
            moved(doc_get(x, side[k]), text, sizeof text);
            table_add(t, "%s", text);
        }
        for (int k = 0; k < 2; k++) table_add_seconds(t, doc_number(doc_get(x, side[k]), "epoch_seconds"));
        bar(x, now, widest > 0 ? widest : 1, drawn);
        table_add(t, "%s", drawn);
    }
    table_show(t, to);
    terminal_print(to, "tornado: an epoch from least to most, around what it is (:); each input moved alone\n");
    for (uint64_t i = 0; i < doc_size(inputs); i++)
        terminal_print(to, "%s: %s; range: %s\n", doc_text_value(doc_get(doc_at(inputs, i), "name"), "?"),
                       doc_text_value(doc_get(doc_at(inputs, i), "what"), "?"),
                       doc_text_value(doc_get(doc_at(inputs, i), "source"), "?"));
}
