/* tier_print.c - tiers/1 for people (declared in tier_document.h). */
#include <math.h>

#include "base/terminal.h"
#include "planner/results/tier_document.h"
#include "reports/tables/tables.h"

void tier_print(const doc *d, FILE *to)
{
    long long nodes = (long long)doc_integer_value(doc_get(d, "nodes"), 1);
    const doc *ways = doc_get(d, "ways");
    double above = doc_number(d, "above_bound");
    terminal_print(to,
                   "%lld x %s, training vertices in parts by %s; what each memory holds, and serves of all reads:\n\n",
                   nodes, doc_text_value(doc_get(d, "server"), "?"),
                   doc_text_value(doc_get(doc_get(d, "partition"), "method"), "?"));
    columns_print(&(struct column_table){.columns = memories_tier_places,
                                         .rows = doc_get(doc_at(ways, MEMORIES_ONE), "places"),
                                         .beside = doc_get(d, "places"),
                                         .after = "\n"},
                  to);
    columns_show(memories_tier_ways, ways, NULL, to);
    terminal_print(to, "seconds: of all reads of a held-out epoch, per GPU, as if none overlapped; tier by tier: GPUs "
                       "are filled first, then DRAM, each for its own readers; homes only: nothing is copied\n");
    if (isfinite(above))
        terminal_print(to, "one problem is at most %.2f %% above the best there is, by expected reads\n",
                       100 * fmax(0, above));
}
