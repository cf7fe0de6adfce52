/* inference.c - all vertices at once: the choices that were tried, and the layers of a plan. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "reports/formats/document.h"
#include "reports/formats/style.h"
#include "reports/tables/tables.h"

const char *inference_chunk(const doc *chunk, char out[COLUMN_TEXT])
{
    const char *unit = doc_text_value(doc_get(chunk, "unit"), "");
    char number[UNIT_TEXT];
    const uint64_t limit = (uint64_t)doc_real_value(doc_get(chunk, "limit"), 0);
    if (!limit) return "all";
    if (!strcmp(unit, "bytes")) return units_bytes(out, limit);
    snprintf(out, COLUMN_TEXT, "%s %s", units_count(number, limit), strcmp(unit, "edges") ? "vertices" : "edges");
    return out;
}

static const char *chunk_on_page(const struct column_row *r, char out[COLUMN_TEXT])
{
    const doc *chunk = doc_get(r->row, "chunk");
    const char *unit = doc_text_value(doc_get(chunk, "unit"), "");
    char number[STYLE_TEXT];
    const double limit = document_count(chunk, "limit");
    if (isnan(limit)) return "all";
    if (!strcmp(unit, "bytes")) return style_bytes(out, limit);
    snprintf(out, COLUMN_TEXT, "%s %s", style_count(number, limit), strcmp(unit, "edges") ? "vertices" : "edges");
    return out;
}

static const char *chunk(const struct column_row *r, char out[COLUMN_TEXT])
{
    return inference_chunk(doc_get(r->row, "chunk"), out);
}

static const char *waits_for(const struct column_row *r, char out[COLUMN_TEXT])
{
    const doc *time = doc_get(r->row, "seconds");
    const char *unknown = doc_text_value(doc_get(time, "unknown"), NULL);
    if (!unknown) return doc_text_value(doc_get(time, "longest"), NULL);
    snprintf(out, COLUMN_TEXT, "not known: %s", unknown);
    return out;
}

/* Rows of one machine name it, not its server. */
static const char *server(const struct column_row *r, char out[COLUMN_TEXT])
{
    (void)out;
    return doc_get(r->row, "machine") ? NULL : doc_text_value(doc_get(r->row, "server"), NULL);
}

static double layer(const struct column_row *r) { return (double)r->group + 1; }

const struct column inference_choices[] =
    {COLUMN("machine", "machine", CELL_TEXT, .flags = COLUMN_TERMINAL | COLUMN_IF_ANY),
     COLUMN("server", NULL, CELL_TEXT, .text = server, .flags = COLUMN_TERMINAL | COLUMN_IF_ANY),
     COLUMN("order", "order", CELL_TEXT),
     COLUMN("chunk", NULL, CELL_TEXT, .text = chunk, .flags = COLUMN_TERMINAL),
     COLUMN("chunk", NULL, CELL_FORM, .text = chunk_on_page, .flags = COLUMN_PAGE),
     COLUMN("host bytes", "host_bytes", CELL_BYTES, .page = "DRAM", .unit = "read"),
     COLUMN("SSD bytes", "ssd_bytes", CELL_BYTES, .page = "SSDs", .unit = "read"),
     COLUMN("NVLink", "nvlink_bytes", CELL_BYTES, .unit = "read"),
     COLUMN("written", "written_bytes", CELL_BYTES),
     COLUMN("GPU peak", "gpu_peak_bytes", CELL_BYTES, .page = "GPU", .unit = "peak"),
     COLUMN("host peak", "host_peak_bytes", CELL_BYTES, .page = "host", .unit = "peak"),
     COLUMN("SSD peak", "ssd_peak_bytes", CELL_BYTES, .page = "SSDs", .unit = "peak"),
     COLUMN("seconds", "seconds", CELL_SECONDS, .page = "time"),
     COLUMN("does not fit", "why", CELL_TEXT, .none = "", .flags = COLUMN_TERMINAL),
     {0}};

const struct column inference_layers[] = {COLUMN("layer", NULL, CELL_COUNT, .number = layer, .flags = COLUMN_LEFT),
                                          COLUMN("chunks", "chunks", CELL_COUNT),
                                          COLUMN("vertices", "vertices", CELL_COUNT),
                                          COLUMN("rows read", "rows", CELL_COUNT),
                                          COLUMN("kept", "own_bytes", CELL_BYTES, .unit = "on GPUs"),
                                          COLUMN("NVLink", "peer_bytes", CELL_BYTES),
                                          COLUMN("host", "host_bytes", CELL_BYTES, .page = "DRAM", .unit = "rows"),
                                          COLUMN("SSD rows", "ssd_row_bytes", CELL_BYTES, .page = "SSDs",
                                                 .unit = "rows"),
                                          COLUMN("topology", "topology_bytes", CELL_BYTES),
                                          COLUMN("written", "written_bytes", CELL_BYTES),
                                          COLUMN("seconds", "seconds.total", CELL_SECONDS, .page = "time"),
                                          COLUMN("waits for", NULL, CELL_TEXT, .text = waits_for,
                                                 .flags = COLUMN_TERMINAL),
                                          {0}};
