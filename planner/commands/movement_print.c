#include "planner/commands/movement_print.h"

#include <math.h>

#include "base/terminal.h"
#include "base/units.h"
#include "planner/results/table_values.h"

static void add_times(struct table *t, const doc *of, const char *key)
{
    double v = doc_number(of, key);
    if (isnan(v)) table_add(t, "-");
    else table_add(t, "%.2f x", v);
}

static void end(struct table *t, FILE *to) { table_show(t, to); }

/* ---- PCIe ---- */

static void add_reader(struct table *t, const doc *of)
{
    static const char *const kinds[] = {"topology", "feature", "blocks"};
    const doc *total = doc_get(of, "total");
    table_count(t, doc_get(total, "transactions"));
    table_bytes(t, doc_get(total, "useful_bytes"));
    table_bytes(t, doc_get(total, "line_bytes"));
    for (int k = 0; k < 3; k++) table_bytes(t, doc_get(doc_get(of, kinds[k]), "wire_bytes"));
    table_bytes(t, doc_get(total, "wire_bytes"));
    add_times(t, of, "read_amplification");
}

static void gpus_print(const doc *pcie, FILE *to)
{
    static const char *const headers[] = {"GPU",       ">transactions", ">useful", ">lines",         ">wire: topology",
                                          ">features", ">blocks",       ">all",    ">wire / useful", NULL};
    const doc *gpus = doc_get(pcie, "gpus");
    struct table *t = table_new(headers);
    for (uint64_t g = 0; g < doc_size(gpus); g++) {
        table_add(t, "%lld", (long long)doc_integer_value(doc_get(doc_at(gpus, g), "id"), -1));
        add_reader(t, doc_at(gpus, g));
    }
    table_add(t, "all");
    add_reader(t, doc_get(pcie, "total"));
    terminal_print(to,
                   "PCIe, host to GPU, per epoch (a read is one packet of %llu + %llu bytes of header; copies carry "
                   "%llu)\n",
                   (unsigned long long)doc_count(pcie, "read_payload_bytes"),
                   (unsigned long long)doc_count(pcie, "header_bytes"),
                   (unsigned long long)doc_count(pcie, "copy_payload_bytes"));
    end(t, to);
    char text[UNIT_TEXT];
    if (doc_count(doc_get(pcie, "written"), "wire_bytes"))
        terminal_print(to, "sampler GPUs also write %s to the host\n",
                       units_bytes(text, doc_count(doc_get(pcie, "written"), "wire_bytes")));
}

static void places_print(const doc *places, const char *key, FILE *to)
{
    const char *const headers[] = {key, ">transactions", ">wire", NULL};
    if (!doc_is_array(places)) {
        terminal_print(to, "PCIe per %s: not known, the plan does not state it for every GPU\n", key);
        return;
    }
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(places); i++) {
        table_add(t, "%lld", (long long)doc_integer_value(doc_get(doc_at(places, i), key), -1));
        table_count(t, doc_get(doc_at(places, i), "transactions"));
        table_bytes(t, doc_get(doc_at(places, i), "wire_bytes"));
    }
    end(t, to);
}

/* ---- NVLink ---- */

static void links_print(const doc *nvlink, FILE *to)
{
    static const char *const headers[] = {"from", "to", ">NVLinks", ">bytes", ">of all", NULL};
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
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(links); i++) {
        const doc *one = doc_at(links, i);
        int64_t width = doc_integer_value(doc_get(one, "nvlinks"), 0);
        double share = doc_number(one, "share_of_all");
        table_add(t, "%lld", (long long)doc_integer_value(doc_get(one, "from"), -1));
        table_add(t, "%lld", (long long)doc_integer_value(doc_get(one, "to"), -1));
        if (width) table_add(t, "%lld", (long long)width);
        else table_add(t, "?");
        table_bytes(t, doc_get(one, "bytes"));
        table_add(t, "%s", isnan(share) ? "-" : units_percent(text, share));
    }
    end(t, to);
    if (doc_is_object(most))
        terminal_print(to, "busiest link: %lld to %lld, %s\n", (long long)doc_integer_value(doc_get(most, "from"), -1),
                       (long long)doc_integer_value(doc_get(most, "to"), -1),
                       units_bytes(text, doc_count(most, "bytes")));
}

/* ---- sampling ---- */

static void sampling_print(const doc *sampling, FILE *to)
{
    static const char *const headers[] = {"method",         ">PCIe",     ">NVLink", ">over all links",
                                          ">PCIe + NVLink", ">of ideal", NULL};
    const doc *methods = doc_get(sampling, "methods");
    struct table *t = table_new(headers);
    for (const char *name = doc_next_key(methods, NULL); name; name = doc_next_key(methods, name)) {
        const doc *m = doc_get(methods, name);
        table_add(t, "%s", name);
        table_bytes(t, doc_get(m, "pcie_bytes"));
        table_bytes(t, doc_get(m, "nvlink_bytes"));
        table_bytes(t, doc_get(m, "nvlink_link_bytes"));
        table_bytes(t, doc_get(m, "total_bytes"));
        add_times(t, m, "of_ideal");
    }
    terminal_print(to, "%s",
                   "sampling by four methods, wire bytes per epoch, with topology rows where this plan caches them\n");
    end(t, to);
    terminal_print(to,
                   "ideal: only draws and offsets, all remote; uva: read lines of host memory; pull: fetch whole rows "
                   "from other GPUs; push: send requests,\n"
                   "receive draws; rows that no reachable GPU caches are read from the host; taken: the method of this "
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
