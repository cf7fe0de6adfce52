/* cpu.c - the table of the OpenMP backend; the operations are in kernels/cpu. */
#include <stddef.h>
#include "kernels/cpu/cpu.h"

static const char *cpu_missing(void) { return NULL; }

const struct kernels kernels_cpu = {
    .name = "cpu",
    .summary = "multi-threaded CPU (OpenMP)",
    .missing = cpu_missing,
    .column_sum = cpu_column_sum,
    .sort_hottest = cpu_sort_hottest,
    .scan = cpu_scan,
    .cslp = cpu_cslp,
    .sweep = cpu_sweep,
    .pagerank_step = cpu_pagerank_step,
    .count = cpu_count,
    .tally = &cpu_tally,
    .push = &cpu_push,
};
