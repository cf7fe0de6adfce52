/* drift_print.c - the table of a study of drift (declared in drift.h). */
#include <string.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/units.h"
#include "planner/running/drift.h"

void drift_print(const doc *d, FILE *to)
{
    static const char *const headers[] = {"rows",     ">feature hits", ">topo. hits", ">all trans.", ">loaded",
                                          ">loading", ">saved",        ">below GPUs", NULL};
    const bool below = doc_get(d, "host_memory_bytes");
    const doc *schemes = doc_get(d, "schemes");
    enum { COLUMNS = sizeof headers / sizeof *headers };
    const char *shown[COLUMNS];
    memcpy(shown, headers, sizeof shown);
    if (!below) shown[COLUMNS - 2] = NULL;
    struct table *t = table_new(shown);
    char text[UNIT_TEXT];
    for (uint64_t i = 0; i < doc_size(schemes); i++) {
        const doc *x = doc_at(schemes, i), *saved = doc_get(x, "seconds_saved");
        table_add(t, "%s", doc_text_value(doc_get(x, "scheme"), ""));
        table_add(t, "%.2f %%", 100 * doc_real_value(doc_get(x, "feature_hit_rate"), 0));
        table_add(t, "%.2f %%", 100 * doc_real_value(doc_get(x, "topology_hit_rate"), 0));
        table_add(t, "%s", units_count(text, (uint64_t)doc_integer_value(doc_get(x, "total_transactions"), 0)));
        table_add(t, "%s", units_bytes(text, (uint64_t)doc_integer_value(doc_get(x, "bytes_loaded"), 0)));
        table_add(t, "%.3g ms", 1e3 * doc_real_value(doc_get(x, "seconds_loading"), 0));
        if (doc_is_null(saved)) table_add(t, "-");
        else table_add(t, "%.3g ms", 1e3 * doc_real_value(saved, 0));
        if (below) table_add(t, "%.3g ms", 1e3 * doc_real_value(doc_get(doc_get(x, "memories"), "seconds"), 0));
    }
    table_show(t, to);
    terminal_print(to, "\nmeans over the windows after the first; trans.: PCIe reads per epoch, simulated on held-out "
                       "epochs; loaded: bytes of rows that GPUs loaded between windows; saved: seconds of reads (links "
                       "and memories by their rates) against fixed, less loading\n");
    if (below)
        terminal_print(to, "below GPUs: time of an epoch's reads from DRAM and SSDs, per GPU; DRAM is filled anew for "
                           "each recording but under fixed\n");
}
