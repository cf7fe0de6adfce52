#include "planner/commands/refresh_links.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/columns.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "simulator/movement/memories_read.h"
#include "simulator/movement/traffic.h"

static const char *const keys[] = {"bytes_before", "bytes_after"};

/* Bytes per epoch before (0) and after (1), or null where no epoch was simulated. */
static void put_bytes(doc *d, const struct refresh_job *j, int node, const int64_t bytes[2])
{
    for (int k = 0; k < 2; k++)
        doc_put(d, keys[k], refresh_job_side(j, k, node)->simulated ? doc_integer(bytes[k]) : doc_null());
}

/* Wire bytes per epoch over the PCIe link of a GPU. */
static int64_t wire_bytes(const struct traffic *t, int gpu)
{
    uint64_t sum = 0;
    for (int k = 0; t->gpus && k < TRAFFIC_KINDS; k++) sum += units_round_half_up(t->pcie[gpu][k].wire, t->epochs);
    return (int64_t)sum;
}

/* By the GPUs below, in the order of the first. A GPU whose switch is not known has its own. */
static void add_uplinks(const struct refresh_job *j, int node, const struct traffic traffic[2], doc *list)
{
    const struct refresh_part *part = &j->next.part[node];
    const struct server *s = &j->network.cluster.server;
    bool told[GPUS_MAX] = {false};
    for (int g = 0; g < s->gpus; g++) {
        uint64_t bytes = 0;
        int64_t wire[2] = {0};
        int above = s->gpu[g].pcie_switch;
        if (told[g]) continue;
        doc *d = doc_object(), *below = doc_array();
        for (int i = g; i < s->gpus; i++) {
            if (i != g && (above < 0 || s->gpu[i].pcie_switch != above)) continue;
            told[i] = true;
            bytes += refresh_host_bytes(&part->moves, i);
            for (int k = 0; k < 2; k++) wire[k] += wire_bytes(&traffic[k], i);
            doc_append(below, doc_integer(s->gpu[i].id));
        }
        if (j->whole) doc_put(d, "node", doc_integer(node));
        doc_put(d, "switch", above < 0 ? doc_null() : doc_integer(above));
        doc_put(d, "gpus", below);
        doc_put(d, "bytes_to_load", doc_integer((int64_t)bytes));
        doc_put(d, "seconds_to_load", doc_real((double)bytes / part->pay.uplink_bytes_per_second));
        put_bytes(d, j, node, wire);
        doc_append(list, d);
    }
}

/* Every NVLink of the server that either plan or the move between them uses, in one direction. */
static void add_nvlinks(const struct refresh_job *j, int node, const struct traffic traffic[2], doc *list)
{
    const struct refresh_moves *m = &j->next.part[node].moves;
    const struct server *s = &j->network.cluster.server;
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < s->gpus; b++) {
            int64_t bytes[2] = {0};
            for (int k = 0; k < 2 && refresh_job_side(j, k, node)->simulated; k++)
                bytes[k] = (int64_t)units_round_half_up(traffic[k].link[a][b], traffic[k].epochs);
            if (!bytes[0] && !bytes[1] && !m->over[a][b]) continue;
            doc *d = doc_object();
            if (j->whole) doc_put(d, "node", doc_integer(node));
            doc_put(d, "from", doc_integer(s->gpu[a].id));
            doc_put(d, "to", doc_integer(s->gpu[b].id));
            doc_put(d, "bytes_to_load", doc_integer((int64_t)m->over[a][b]));
            doc_put(d, "seconds_to_load", doc_real(refresh_link_seconds(s, m, a, b)));
            put_bytes(d, j, node, bytes);
            doc_append(list, d);
        }
}

/* Bytes of the lines per epoch that a node reads from others. */
static int64_t read_away(const struct plan *p)
{
    if (!p->simulated) return 0;
    const struct memories_read *m = p->simulated->memories;
    const struct place_sums away = memories_read_kind(&m, 1, PLACE_KIND_NODE);
    return (int64_t)((away.feature_lines + away.topology_lines) * p->line_bytes);
}

/* What a node receives from the others. */
static doc *network_of(const struct refresh_job *j, int node)
{
    const struct refresh_moves *m = &j->next.part[node].moves;
    const double gbps = place_machine_network_gbps(&j->below);
    doc *d = doc_object();
    doc_put(d, "node", doc_integer(node));
    doc_put(d, "bytes_to_load", doc_integer((int64_t)(m->node_bytes + m->dram.node_bytes)));
    doc_put(d, "seconds_to_load", doc_real((double)(m->node_bytes + m->dram.node_bytes) / (1e9 * gbps)));
    put_bytes(d, j, node,
              (int64_t[2]){read_away(refresh_job_side(j, 0, node)), read_away(refresh_job_side(j, 1, node))});
    return d;
}

void refresh_links_put(const struct refresh_job *j, doc *d)
{
    doc *uplinks = doc_array(), *nvlinks = doc_array(), *network = doc_array();
    struct err lacking = {0};
    OWNED struct traffic *traffic = mem_array(2, sizeof *traffic, "bytes of links", &lacking);
    if (!traffic) doc_append(nvlinks, NULL); /* the document is not whole */
    for (int n = 0; traffic && n < j->nodes; n++) {
        for (int k = 0; k < 2; k++) {
            const struct plan *p = refresh_job_side(j, k, n);
            if (p->simulated) traffic_make(p, &p->simulated->replay, j->next.study.graph, &traffic[k]);
        }
        add_uplinks(j, n, traffic, uplinks);
        add_nvlinks(j, n, traffic, nvlinks);
        if (j->whole) doc_append(network, network_of(j, n));
    }
    doc_put(d, "uplinks", uplinks);
    doc_put(d, "nvlinks", nvlinks);
    if (j->whole) doc_put(d, "network", network);
    else doc_free(network);
}

/* ---- for people ---- */

/* "node 1: PCIe of GPUs 0 1", "NVLink 0 to 3", "network": which link a row is of. */
static const char *link_text(const struct column_row *r, char out[COLUMN_TEXT])
{
    const doc *gpus = doc_get(r->row, "gpus");
    const int64_t node = doc_integer_value(doc_get(r->row, "node"), -1);
    *out = '\0';
    if (node >= 0) text_append(out, COLUMN_TEXT, "node %lld: ", (long long)node);
    if (gpus) text_append(out, COLUMN_TEXT, "PCIe of GPU%s", doc_size(gpus) > 1 ? "s" : "");
    else if (doc_get(r->row, "from"))
        text_append(out, COLUMN_TEXT, "NVLink %lld to %lld", (long long)doc_integer_value(doc_get(r->row, "from"), -1),
                    (long long)doc_integer_value(doc_get(r->row, "to"), -1));
    else text_append(out, COLUMN_TEXT, "network");
    for (uint64_t i = 0; i < doc_size(gpus); i++)
        text_append(out, COLUMN_TEXT, " %lld", (long long)doc_integer_value(doc_at(gpus, i), -1));
    return out;
}

void refresh_links_print(const doc *d, FILE *to)
{
    enum { MOST = 32 };
    static const struct column columns[] = {COLUMN("link", NULL, CELL_TEXT, .text = link_text),
                                            COLUMN("to load", "bytes_to_load", CELL_BYTES),
                                            COLUMN("seconds", "seconds_to_load", CELL_SECONDS),
                                            COLUMN("per epoch as it is", "bytes_before", CELL_BYTES),
                                            COLUMN("refreshed", "bytes_after", CELL_BYTES),
                                            {0}};
    static const char *const lists[] = {"uplinks", "nvlinks", "network"};
    const uint64_t nvlinks = doc_size(doc_get(d, "nvlinks"));
    OWNED_DOC doc *rows = doc_array();
    for (int k = 0; k < 3; k++) {
        const doc *list = doc_get(d, lists[k]);
        for (uint64_t i = 0; i < doc_size(list) && (k != 1 || i < MOST); i++)
            doc_append(rows, doc_copy(doc_at(list, i)));
    }
    columns_show(columns, rows, NULL, to);
    if (nvlinks > MOST)
        terminal_print(to, "and %llu NVLinks more: nvlinks[] of --json\n", (unsigned long long)(nvlinks - MOST));
}
