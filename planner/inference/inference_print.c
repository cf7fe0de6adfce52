/* inference_print.c - tables of inference (declared in inference_document.h). */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "planner/inference/inference_document.h"
#include "reports/tables/tables.h"

void inference_print(const doc *d, FILE *to)
{
    const doc *memory = doc_get(d, "memory"), *model = doc_get(d, "model"), *total = doc_get(d, "total");
    char a[4][UNIT_TEXT], seconds[UNIT_TEXT], chunk[COLUMN_TEXT];
    fprintf(to, "inference (%s): %s vertices (%s) of %s on %s, %s with %d layers of %d channels, %s between layers\n",
            doc_text_value(doc_get(d, "mode"), ""),
            units_count(a[0], (uint64_t)doc_number(doc_get(d, "evaluated"), "vertices")),
            doc_text_value(doc_get(doc_get(d, "evaluated"), "set"), ""),
            doc_text_value(doc_get(doc_get(d, "graph"), "name"), ""),
            doc_text_value(doc_get(doc_get(d, "server"), "name"), ""), doc_text_value(doc_get(model, "name"), ""),
            (int)doc_number(model, "layers"), (int)doc_number(model, "hidden"),
            doc_text_value(doc_get(model, "between"), ""));
    fprintf(to, "order %s, chunks of %s\n\n", doc_text_value(doc_get(d, "order"), ""),
            inference_chunk(doc_get(d, "chunk"), chunk));
    columns_show(inference_layers, doc_get(d, "layers"), NULL, to);
    fprintf(to, "\npeak memory: GPU %s (chunks %s), host %s, SSD %s; topology in %s\n",
            units_bytes(a[0], (uint64_t)doc_number(memory, "gpu_peak_bytes")),
            units_bytes(a[1], (uint64_t)doc_number(memory, "gpu_chunk_bytes")),
            units_bytes(a[2], (uint64_t)doc_number(memory, "host_peak_bytes")),
            units_bytes(a[3], (uint64_t)doc_number(memory, "ssd_peak_bytes")),
            !strcmp(doc_text_value(doc_get(memory, "topology"), ""), "ssd") ? "the SSDs" : "DRAM");
    fprintf(to, "all layers: host %s, SSD %s, NVLink %s, written %s, %s\n",
            units_bytes(a[0], (uint64_t)doc_number(total, "host_bytes")),
            units_bytes(a[1], (uint64_t)doc_number(total, "ssd_bytes")),
            units_bytes(a[2], (uint64_t)doc_number(total, "nvlink_bytes")),
            units_bytes(a[3], (uint64_t)doc_number(total, "written_bytes")),
            isnan(doc_number(total, "seconds")) ? "seconds not known"
                                                : units_seconds(seconds, doc_number(total, "seconds")));
    if (doc_size(doc_get(d, "tried")) < 2) return;
    fputc('\n', to);
    columns_show(inference_choices, doc_get(d, "tried"), NULL, to);
}
