/* inference_print.c - tables of inference (declared in inference_document.h). */
#include <math.h>
#include <string.h>

#include "base/table.h"
#include "base/units.h"
#include "planner/inference/inference_document.h"

static const char *chunk_word(const doc *chunk, char out[UNIT_TEXT])
{
    struct inference_choice c = {.limit = (uint64_t)doc_real_value(doc_get(chunk, "limit"), 0)};
    const char *unit = doc_text_value(doc_get(chunk, "unit"), "");
    c.unit = !strcmp(unit, "edges") ? CHUNK_EDGES : !strcmp(unit, "bytes") ? CHUNK_BYTES : CHUNK_VERTICES;
    return inference_chunk_text(&c, out);
}

static void layers_print(const doc *d, FILE *to)
{
    static const char *const headers[] = {"layer",    ">chunks",   ">vertices", ">rows read", ">kept",
                                          ">NVLink",  ">host",     ">SSD rows", ">topology",  ">written",
                                          ">seconds", "waits for", NULL};
    struct table *t = table_new(headers);
    const doc *layers = doc_get(d, "layers");
    char count[UNIT_TEXT];
    for (uint64_t i = 0; i < doc_size(layers); i++) {
        const doc *l = doc_at(layers, i), *time = doc_get(l, "seconds");
        table_add(t, "%d", (int)i + 1);
        table_add(t, "%s", units_count(count, (uint64_t)doc_number(l, "chunks")));
        table_add(t, "%s", units_count(count, (uint64_t)doc_number(l, "vertices")));
        table_add(t, "%s", units_count(count, (uint64_t)doc_number(l, "rows")));
        table_add_bytes(t, doc_number(l, "own_bytes"));
        table_add_bytes(t, doc_number(l, "peer_bytes"));
        table_add_bytes(t, doc_number(l, "host_bytes"));
        table_add_bytes(t, doc_number(l, "ssd_row_bytes"));
        table_add_bytes(t, doc_number(l, "topology_bytes"));
        table_add_bytes(t, doc_number(l, "written_bytes"));
        table_add_seconds(t, doc_number(time, "total"));
        const char *unknown = doc_text_value(doc_get(time, "unknown"), NULL);
        table_add(t, "%s%s", unknown ? "not known: " : "",
                  unknown ? unknown : doc_text_value(doc_get(time, "longest"), "-"));
    }
    table_show(t, to);
}

void inference_choices_print(const doc *array, const char *lead, FILE *to)
{
    const char *headers[] = {lead,       "order",        "chunk",     ">host bytes", ">SSD bytes",
                             ">NVLink",  ">written",     ">GPU peak", ">host peak",  ">SSD peak",
                             ">seconds", "does not fit", NULL};
    struct table *t = table_new(lead ? headers : headers + 1);
    char chunk[UNIT_TEXT];
    for (uint64_t i = 0; i < doc_size(array); i++) {
        const doc *c = doc_at(array, i);
        if (lead) table_add(t, "%s", doc_text_value(doc_get(c, lead), ""));
        table_add(t, "%s", doc_text_value(doc_get(c, "order"), ""));
        table_add(t, "%s", chunk_word(doc_get(c, "chunk"), chunk));
        table_add_bytes(t, doc_number(c, "host_bytes"));
        table_add_bytes(t, doc_number(c, "ssd_bytes"));
        table_add_bytes(t, doc_number(c, "nvlink_bytes"));
        table_add_bytes(t, doc_number(c, "written_bytes"));
        table_add_bytes(t, doc_number(c, "gpu_peak_bytes"));
        table_add_bytes(t, doc_number(c, "host_peak_bytes"));
        table_add_bytes(t, doc_number(c, "ssd_peak_bytes"));
        table_add_seconds(t, doc_number(c, "seconds"));
        table_add(t, "%s", doc_text_value(doc_get(c, "why"), ""));
    }
    table_show(t, to);
}

void inference_print(const doc *d, FILE *to)
{
    const doc *memory = doc_get(d, "memory"), *model = doc_get(d, "model"), *total = doc_get(d, "total");
    char a[4][UNIT_TEXT], seconds[UNIT_TEXT];
    fprintf(to, "inference (%s): %s vertices (%s) of %s on %s, %s with %d layers of %d channels, %s between layers\n",
            doc_text_value(doc_get(d, "mode"), ""),
            units_count(a[0], (uint64_t)doc_number(doc_get(d, "evaluated"), "vertices")),
            doc_text_value(doc_get(doc_get(d, "evaluated"), "set"), ""),
            doc_text_value(doc_get(doc_get(d, "graph"), "name"), ""),
            doc_text_value(doc_get(doc_get(d, "server"), "name"), ""), doc_text_value(doc_get(model, "name"), ""),
            (int)doc_number(model, "layers"), (int)doc_number(model, "hidden"),
            doc_text_value(doc_get(model, "between"), ""));
    fprintf(to, "order %s, chunks of %s\n\n", doc_text_value(doc_get(d, "order"), ""),
            chunk_word(doc_get(d, "chunk"), a[0]));
    layers_print(d, to);
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
    inference_choices_print(doc_get(d, "tried"), NULL, to);
}
