#include "hwprofiles/show/server_summary.h"

#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/show/server_places_print.h"
#include "hwprofiles/show/server_text.h"

enum { LINE = 1000 };

/* Three digits: "13 GB/s", "18.4 TB/s". */
static const char *rate_text(double gbps, char out[UNIT_TEXT])
{
    snprintf(out, UNIT_TEXT, "%.3g %s", gbps < 999.5 ? gbps : gbps / 1000, gbps < 999.5 ? "GB/s" : "TB/s");
    return out;
}

static void gpus_text(const struct server *s, char out[LINE])
{
    char text[2][UNIT_TEXT];
    uint64_t low = s->gpu[0].memory_bytes, high = low;
    for (int i = 1; i < s->gpus; i++) {
        const uint64_t bytes = s->gpu[i].memory_bytes;
        if (bytes < low) low = bytes;
        if (bytes > high) high = bytes;
    }
    server_models_text(s, out, LINE);
    if (!low) text_append(out, LINE, ", memory unknown");
    else if (low == high) text_append(out, LINE, ", %s%s", units_bytes(text[0], low), s->gpus > 1 ? " each" : "");
    else text_append(out, LINE, ", %s to %s", units_bytes(text[0], low), units_bytes(text[1], high));
}

static void links_text(const struct server *s, char out[LINE])
{
    const double rate = server_gbps_per_link(s);
    char text[UNIT_TEXT];
    int pairs = 0, least = 0, most = 0;
    for (int i = 0; i < s->gpus; i++)
        for (int j = 0; j < i; j++) {
            const int links = s->links[i][j];
            pairs += links > 0;
            if (links && (!least || links < least)) least = links;
            if (links > most) most = links;
        }
    if (!s->links_known) text_append(out, LINE, "unknown (the source does not state it)");
    else if (!pairs) text_append(out, LINE, "none");
    else {
        text_append(out, LINE, "%d of %d pairs of GPUs joined", pairs, s->gpus * (s->gpus - 1) / 2);
        if (s->links_uncounted) text_append(out, LINE, "; by how many links the source does not state");
        else if (least == most) text_append(out, LINE, ", by %d link%s", most, most == 1 ? "" : "s");
        else text_append(out, LINE, ", by %d %s %d links", least, most > least + 1 ? "to" : "or", most);
        if (rate > 0) text_append(out, LINE, " of %s each way", rate_text(rate, text));
    }
}

/* How many GPUs are below each switch, and what reads of the host reach. */
static void pcie_text(const struct server *s, char out[LINE])
{
    char text[UNIT_TEXT];
    int switches = 0, least = 0, most = 0;
    for (int i = 0; i < s->gpus; i++) {
        int below = 0;
        bool first = true;
        for (int j = 0; j < s->gpus; j++) {
            if (s->gpu[j].pcie_switch != s->gpu[i].pcie_switch) continue;
            first &= j >= i;
            below++;
        }
        if (!first) continue;
        switches++;
        if (!least || below < least) least = below;
        if (below > most) most = below;
    }
    if (!server_knows_switches(s)) text_append(out, LINE, "switches unknown");
    else if (least == most)
        text_append(out, LINE, "%d switch%s, %d GPU%s below each", switches, switches == 1 ? "" : "es", most,
                    most == 1 ? "" : "s");
    else text_append(out, LINE, "%d switches, %d to %d GPUs below each", switches, least, most);
    if (s->pcie_read.gbps > 0)
        text_append(out, LINE, "; reads of the host: %s per uplink", rate_text(s->pcie_read.gbps, text));
}

static void host_text(const struct server *s, char out[LINE])
{
    char text[UNIT_TEXT];
    if (s->host_memory_bytes) text_append(out, LINE, "%s", units_bytes(text, s->host_memory_bytes));
    else text_append(out, LINE, "memory unknown");
    if (s->host_memory_gbps > 0) text_append(out, LINE, ", %s", rate_text(s->host_memory_gbps, text));
    if (s->places.numas) text_append(out, LINE, ", %d NUMA node%s", s->places.numas, s->places.numas == 1 ? "" : "s");
}

static void drives_text(const struct server *s, char out[LINE])
{
    const struct server_places *p = &s->places;
    char text[UNIT_TEXT];
    uint64_t bytes = 0;
    bool alike = p->nvmes > 0 && p->nvme[0].drive[0], known = p->nvmes > 0;
    for (int i = 0; i < p->nvmes; i++) {
        alike = alike && !strcmp(p->nvme[i].drive, p->nvme[0].drive);
        known = known && p->nvme[i].bytes;
        bytes += p->nvme[i].bytes;
    }
    if (!p->nvmes) text_append(out, LINE, "none stated");
    else text_append(out, LINE, "%d x %s", p->nvmes, alike ? p->nvme[0].drive : "NVMe drive");
    if (known) text_append(out, LINE, ", %s together", units_bytes(text, bytes));
}

/* What nobody measured or stated, in words where a key has some. */
static void assumed_text(const struct server *s, char out[LINE])
{
    static const char *const words[][2] = {{"read", "rate of reads over PCIe"},
                                           {"write_gbps", "rate of writes to the host"},
                                           {"nvlink_read", "rate of reads over NVLinks"},
                                           {"host_memory_gbps", "rate of host memory"},
                                           {"cpu_gather", "rate at which the CPU gathers rows"},
                                           {"cpu_sampling_edges_per_second", "sampling rate of the CPU"},
                                           {"sampling_edges_per_second", "sampling rate of GPUs"},
                                           {"training_efficiency", "training efficiency"},
                                           {"training_compute_efficiency", "efficiency of updates"},
                                           {"numa", "NUMA nodes"},
                                           {"nvlinks", "links between GPUs"},
                                           {"socket_links", "links between sockets"},
                                           {"socket", "sockets of GPUs"},
                                           {"sockets", "number of sockets"},
                                           {"switch", "PCIe switches of GPUs"},
                                           {"pcie", "PCIe generation and lanes"},
                                           {"copy_gbps", "rate of copies over PCIe"},
                                           {"while_writing", "rate of reads beside writes"},
                                           {"gpus", "number of GPUs"},
                                           {"memory_bytes", "memory of GPUs"},
                                           {"host_memory_bytes", "host memory"},
                                           {"cls", "bytes of a read"}};
    const doc *known = doc_get(s->document, "provenance");
    bool said[sizeof words / sizeof *words] = {false};
    for (uint64_t i = 0; i < doc_size(known); i++) {
        const doc *one = doc_at(known, i);
        const char *what = doc_text_value(doc_get(one, "what"), "?"), *name = what;
        bool again = false;
        if (strcmp(doc_text_value(doc_get(one, "kind"), ""), "assumed")) continue;
        if (text_starts(doc_text_value(doc_get(one, "source"), ""), "--")) continue; /* stated with an option */
        for (size_t k = 0; k < sizeof words / sizeof *words && name == what; k++) {
            if (strcmp(strncmp(what, "gpus[].", 7) ? what : what + 7, words[k][0])) continue;
            name = words[k][1];
            again = said[k];
            said[k] = true;
        }
        if (!again) text_append(out, LINE, "%s%s", *out ? ", " : "", name);
    }
    if (!*out) text_append(out, LINE, doc_size(known) ? "nothing" : "no source of a number is stated");
}

static void nics_text(const struct server *s, char out[LINE])
{
    server_nics_text(s, out, LINE);
    if (!*out) text_append(out, LINE, "none stated");
}

void server_summary_print(const struct server *s, FILE *to)
{
    static const struct {
        const char *name;
        void (*text)(const struct server *s, char out[LINE]);
    } parts[] = {{"GPUs", gpus_text}, {"NVLink", links_text}, {"PCIe", pcie_text},      {"host", host_text},
                 {"NIC", nics_text},  {"SSD", drives_text},   {"assumed", assumed_text}};
    struct table *t = table_new((const char *const[]){"part", "what is known of it", NULL});
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char text[LINE] = "";
        parts[i].text(s, text);
        table_add(t, "%s", parts[i].name);
        table_add(t, "%s", text);
    }
    table_show(t, to);
}
