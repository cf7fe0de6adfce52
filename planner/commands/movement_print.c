#include "planner/commands/movement_print.h"

#include <math.h>

#include "base/terminal.h"
#include "base/units.h"
#include "base/columns.h"

/* ---- PCIe ---- */

static const struct column readers[] = {COLUMN("GPU", "id", CELL_FORM, .form = "%.0f", .none = "all",
                                               .flags = COLUMN_LEFT),
                                        COLUMN("transactions", "total.transactions", CELL_COUNT),
                                        COLUMN("useful", "total.useful_bytes", CELL_BYTES),
                                        COLUMN("lines", "total.line_bytes", CELL_BYTES),
                                        COLUMN("wire: topology", "topology.wire_bytes", CELL_BYTES),
                                        COLUMN("features", "feature.wire_bytes", CELL_BYTES),
                                        COLUMN("blocks", "blocks.wire_bytes", CELL_BYTES),
                                        COLUMN("all", "total.wire_bytes", CELL_BYTES),
                                        COLUMN("wire / useful", "read_amplification", CELL_FORM, .form = "%.2f x"),
                                        {0}};

static void gpus_print(const doc *pcie, FILE *to)
{
    terminal_print(to,
                   "PCIe, host to GPU, per epoch (a read is one packet of %llu + %llu bytes of header; copies carry "
                   "%llu)\n",
                   (unsigned long long)doc_count(pcie, "read_payload_bytes"),
                   (unsigned long long)doc_count(pcie, "header_bytes"),
                   (unsigned long long)doc_count(pcie, "copy_payload_bytes"));
    columns_print(&(struct column_table){.columns = readers,
                                         .rows = doc_get(pcie, "gpus"),
                                         .last = doc_get(pcie, "total")},
                  to);
    char text[UNIT_TEXT];
    if (doc_count(doc_get(pcie, "written"), "wire_bytes"))
        terminal_print(to, "sampler GPUs also write %s to the host\n",
                       units_bytes(text, doc_count(doc_get(pcie, "written"), "wire_bytes")));
}

static void places_print(const doc *places, const char *key, FILE *to)
{
    const struct column columns[] = {COLUMN(key, key, CELL_COUNT, .flags = COLUMN_LEFT),
                                     COLUMN("transactions", "transactions", CELL_COUNT),
                                     COLUMN("wire", "wire_bytes", CELL_BYTES),
                                     {0}};
    if (!doc_is_array(places)) {
        terminal_print(to, "PCIe per %s: not known, the plan does not state it for every GPU\n", key);
        return;
    }
    columns_show(columns, places, NULL, to);
}

/* ---- NVLink ---- */

static double width(const struct column_row *r)
{
    double links = doc_number(r->row, "nvlinks");
    return links > 0 ? links : NAN;
}

static const struct column links_of[] = {COLUMN("from", "from", CELL_COUNT, .flags = COLUMN_LEFT),
                                         COLUMN("to", "to", CELL_COUNT, .flags = COLUMN_LEFT),
                                         COLUMN("NVLinks", NULL, CELL_COUNT, .number = width, .none = "?"),
                                         COLUMN("bytes", "bytes", CELL_BYTES),
                                         COLUMN("of all", "share_of_all", CELL_PERCENT),
                                         {0}};

static void links_print(const doc *nvlink, FILE *to)
{
    const doc *links = doc_get(nvlink, "links"), *most = doc_get(nvlink, "max_per_link");
    char all[UNIT_TEXT], feature[UNIT_TEXT], topology[UNIT_TEXT], text[UNIT_TEXT];
    if (!doc_size(links)) {
        terminal_print(to, "%s", "NVLink: nothing moves between GPUs\n");
        return;
    }
    terminal_print(to, "NVLink per epoch: features %s and topology %s between GPUs make %s over all links\n",
                   units_bytes(feature, doc_count(nvlink, "feature_bytes")),
                   units_bytes(topology, doc_count(nvlink, "topology_bytes")),
                   units_bytes(all, doc_count(nvlink, "total_bytes")));
    columns_show(links_of, links, NULL, to);
    if (doc_is_object(most))
        terminal_print(to, "busiest link: %lld to %lld, %s\n", (long long)doc_integer_value(doc_get(most, "from"), -1),
                       (long long)doc_integer_value(doc_get(most, "to"), -1),
                       units_bytes(text, doc_count(most, "bytes")));
}

/* ---- sampling ---- */

static void sampling_print(const doc *sampling, FILE *to)
{
    static const struct column columns[] = {COLUMN("method", "@", CELL_TEXT),
                                            COLUMN("PCIe", "pcie_bytes", CELL_BYTES),
                                            COLUMN("NVLink", "nvlink_bytes", CELL_BYTES),
                                            COLUMN("over all links", "nvlink_link_bytes", CELL_BYTES),
                                            COLUMN("PCIe + NVLink", "total_bytes", CELL_BYTES),
                                            COLUMN("of ideal", "of_ideal", CELL_FORM, .form = "%.2f x"),
                                            {0}};
    terminal_print(to, "%s",
                   "sampling by four methods, wire bytes per epoch, with topology rows where this plan caches them\n");
    columns_show(columns, doc_get(sampling, "methods"), NULL, to);
    terminal_print(to,
                   "ideal: only draws and offsets, all remote; uva: read lines of host memory; pull: fetch whole rows "
                   "from other GPUs; push: send requests, receive "
                   "draws; rows that no reachable GPU caches are read from the host; taken: the method of this "
                   "system (%s)\n",
                   doc_text_value(doc_get(sampling, "taken"), "?"));
}

void movement_print(const doc *movement, FILE *to)
{
    const doc *pcie = doc_get(movement, "pcie");
    gpus_print(pcie, to);
    fputc('\n', to);
    places_print(doc_get(pcie, "switches"), "switch", to);
    fputc('\n', to);
    places_print(doc_get(pcie, "sockets"), "socket", to);
    fputc('\n', to);
    links_print(doc_get(movement, "nvlink"), to);
    fputc('\n', to);
    sampling_print(doc_get(movement, "sampling"), to);
}
