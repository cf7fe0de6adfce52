/* drift_print.c - the table of a study of drift (declared in drift.h). */
#include "base/terminal.h"
#include "planner/running/drift.h"
#include "reports/tables/tables.h"

void drift_print(const doc *d, FILE *to)
{
    columns_show(drift_columns, doc_get(d, "schemes"), NULL, to);
    terminal_print(to, "\nmeans over the windows after the first; trans.: PCIe reads per epoch, simulated on held-out "
                       "epochs; loaded: bytes of rows that GPUs loaded between windows; saved: seconds of reads (links "
                       "and memories by their rates) against fixed, less loading\n");
    if (doc_get(d, "host_memory_bytes"))
        terminal_print(to, "below GPUs: time of an epoch's reads from DRAM and SSDs, per GPU; DRAM is filled anew for "
                           "each recording but under fixed\n");
}
