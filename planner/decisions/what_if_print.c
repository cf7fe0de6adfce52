#include <stdio.h>

#include "base/terminal.h"
#include "base/units.h"
#include "planner/decisions/what_if.h"
#include "reports/tables/tables.h"

static void flips_print(const doc *d, FILE *to)
{
    const doc *inputs = doc_get(d, "inputs");
    bool any = false;
    char at[COLUMN_TEXT];
    for (uint64_t i = 0; i < doc_size(inputs); i++) {
        const doc *x = doc_at(inputs, i), *flips = doc_get(x, "flips");
        for (uint64_t k = 0; k < doc_size(flips); k++) {
            terminal_print(to, "  - %s at %s: %s\n", doc_text_value(doc_get(x, "name"), "?"),
                           what_if_moved(doc_at(flips, k), at),
                           doc_text_value(doc_get(doc_at(flips, k), "decision"), "?"));
            any = true;
        }
    }
    if (!any) terminal_print(to, "  - none within its range\n");
}

static void inputs_explain(const doc *inputs, FILE *to)
{
    fputc('\n', to);
    for (uint64_t i = 0; i < doc_size(inputs); i++)
        terminal_print(to, "%s: %s; range: %s\n", doc_text_value(doc_get(doc_at(inputs, i), "name"), "?"),
                       doc_text_value(doc_get(doc_at(inputs, i), "what"), "?"),
                       doc_text_value(doc_get(doc_at(inputs, i), "source"), "?"));
}

void what_if_print(const doc *d, bool explain, FILE *to)
{
    const doc *inputs = doc_get(d, "inputs");
    char epoch[UNIT_TEXT];
    columns_print(&(struct column_table){.columns = what_if_inputs, .rows = inputs, .of = d}, to);
    terminal_print(to, "tornado: an epoch from least to most, around what it is (:); each input moved alone\n");
    if (explain) inputs_explain(inputs, to);
    const char *holds = doc_text_value(doc_get(doc_get(d, "holds"), "sentence"), NULL);
    terminal_print(to, "\n%s\n", doc_text_value(doc_get(d, "decision"), "?"));
    terminal_print(to, "an epoch of %s takes %s; what would change the answer:\n",
                   doc_text_value(doc_get(d, "of"), "?"), units_seconds(epoch, doc_number(d, "epoch_seconds")));
    flips_print(d, to);
    if (holds) terminal_print(to, "%s\n", holds);
    if (!explain) terminal_print(to, "--explain adds what inputs are, and where their ranges are from\n");
}
