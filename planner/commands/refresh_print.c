#include "planner/commands/refresh_print.h"

#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/engine/nodes_sum.h"
#include "simulator/movement/simulated.h"
#include "reports/tables/tables.h"
#include "simulator/movement/memories_read.h"
#include "simulator/movement/traffic.h"

/* What a refresh means to links: the bytes that loading takes over each PCIe uplink, and those that an epoch takes over
 * each uplink and NVLink before and after it (simulated; wire bytes over PCIe). Rows that GPUs of a clique exchange
 * cross NVLinks (refresh_moves.h). */

static const char *const byte_keys[] = {"bytes_before", "bytes_after"};

/* Bytes per epoch before (0) and after (1), or null where no epoch was simulated. */
static void put_bytes(doc *d, const struct refresh_job *j, int node, const int64_t bytes[2])
{
    for (int k = 0; k < 2; k++)
        doc_put(d, byte_keys[k], refresh_job_side(j, k, node)->simulated ? doc_integer(bytes[k]) : doc_null());
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
        DOC_PUT(d, IS("switch", above < 0 ? doc_null() : doc_integer(above)), IS("gpus", below),
                IS("bytes_to_load", bytes), IS("seconds_to_load", (double)bytes / part->pay.uplink_bytes_per_second));
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
            DOC_PUT(d, IS("from", s->gpu[a].id), IS("to", s->gpu[b].id), IS("bytes_to_load", m->over[a][b]),
                    IS("seconds_to_load", refresh_link_seconds(s, m, a, b)));
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
    doc *d = DOC(IS("node", node), IS("bytes_to_load", m->node_bytes + m->dram.node_bytes),
                 IS("seconds_to_load", (double)(m->node_bytes + m->dram.node_bytes) / (1e9 * gbps)));
    put_bytes(d, j, node,
              (int64_t[2]){read_away(refresh_job_side(j, 0, node)), read_away(refresh_job_side(j, 1, node))});
    return d;
}

/* Puts `uplinks` and `nvlinks` into the document, of several nodes `network`, too. Bytes of epochs are null where
 * nothing was simulated. */
static void refresh_links_put(const struct refresh_job *j, doc *d)
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
    DOC_PUT(d, IS("uplinks", uplinks), IS("nvlinks", nvlinks));
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

/* Their table, of such a document. */
static void refresh_links_print(const doc *d, FILE *to)
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

static doc *amount(const struct refresh_amount *a, bool nodes)
{
    doc *d = DOC(IS("kept", a->kept), IS("to_load", a->loaded), IS("dropped", a->dropped),
                 IS("bytes_to_load", a->bytes), IS("from_peers", a->peer_rows), IS("bytes_from_peers", a->peer_bytes));
    if (nodes) doc_put(d, "from_nodes", doc_integer((int64_t)a->node_rows));
    if (nodes) doc_put(d, "bytes_from_nodes", doc_integer((int64_t)a->node_bytes));
    return d;
}

static doc *gpus_of(const struct refresh_job *j)
{
    doc *list = doc_array();
    const struct server *s = j->below.nodes ? j->below.server : &j->network.cluster.server;
    for (int n = 0; n < j->nodes; n++)
        for (int g = 0; g < s->gpus; g++) {
            const struct refresh_part *part = &j->next.part[n];
            doc *d = doc_object();
            doc_put(d, "id", doc_integer(s->gpu[g].id));
            if (j->whole) doc_put(d, "node", doc_integer(n));
            doc_put(d, "feature", amount(&part->moves.feature[g], j->whole));
            doc_put(d, "topology", amount(&part->moves.topology[g], j->whole));
            doc_put(d, "seconds_to_load", doc_real(part->pay.seconds_to_load[g]));
            doc_append(list, d);
        }
    return list;
}

static const char *const servers[] = {"local", "peer", "host"};

/* Shares of the simulated reads of feature rows that own memory, peers and the host serve. */
static doc *served_document(const uint64_t rows[READ_SOURCES])
{
    doc *d = doc_object();
    const double all = (double)(rows[READ_OWN] + rows[READ_PEER] + rows[READ_HOST]);
    for (int i = 0; i < READ_SOURCES; i++) doc_put(d, servers[i], doc_real((double)rows[i] / all));
    return d;
}

/* Seconds per epoch that reads keep the busiest link of each sort, by the recording's estimates. */
static doc *reads_document(const struct refresh_reads *reads, bool below)
{
    doc *d = DOC(IS("seconds", reads->seconds), IS("gpu_memory_seconds", reads->own), IS("peers_seconds", reads->peers),
                 IS("host_seconds", reads->host));
    if (below) doc_put(d, "network_seconds", doc_real(reads->network));
    if (below) doc_put(d, "ssd_seconds", doc_real(reads->ssd));
    doc_put(d, "waits_for", *reads->waits_for ? doc_text(reads->waits_for) : doc_null());
    return d;
}

/* time, rows: that were simulated; NULL: not. Takes both documents. */
static doc *judged(const struct refresh_job *j, doc *predicted, doc *simulated, const struct epoch_timed *time,
                   const uint64_t *rows, const struct refresh_reads *reads, bool below)
{
    epoch_interval_put(doc_get(simulated, "epoch_time"), time, &j->network.cluster.server, &j->errors);
    return DOC(IS("reads", reads_document(reads, below)), IS("predicted", predicted), IS("simulated", simulated),
               IS("feature_reads_served", rows ? served_document(rows) : doc_null()));
}

static doc *judged_node(const struct refresh_job *j, int side, int node)
{
    const struct plan *p = refresh_job_side(j, side, node);
    const struct simulated *s = p->simulated;
    return judged(j, plan_predicted_document(p, &j->graph), simulated_document(p, s, j->next.study.graph, true),
                  s ? s->time : NULL, s ? s->sums.rows : NULL, &j->next.part[node].reads[side ? j->next.chosen : 0],
                  p->places);
}

static doc *judged_all(const struct refresh_job *j, int side)
{
    const int cell = side ? j->next.chosen : 0;
    const struct study_cell *c = &j->next.cell[cell];
    struct nodes_sum sum = {.time = NULL};
    if (!j->whole) return judged_node(j, side, 0);
    if (c->plan.simulated) nodes_sum(c, &sum);
    doc *d = judged(j, nodes_sum_predicted(c), nodes_sum_simulated(c, j->next.study.graph, true), sum.time,
                    c->plan.simulated ? sum.sums.rows : NULL, &j->next.reads[cell], true);
    doc_put(doc_get(d, "reads"), "node", doc_integer(j->next.slowest[cell]));
    return d;
}

static doc *change_document(const struct plan_change *c)
{
    return DOC(IS("training_set", c->train), IS("train_vertices_before", c->train_before),
               IS("train_vertices", c->train_now), IS("train_vertices_shared", c->train_shared), IS("edges", c->edges),
               IS("edges_more", c->more));
}

/* What nodes from..end load. */
static void put_moves(doc *d, const struct refresh_job *j, int from, int end)
{
    struct refresh_amount gpus = {0}, dram = {0};
    for (int n = from; n < end; n++) {
        const struct refresh_moves *m = &j->next.part[n].moves;
        for (int g = 0; g < j->node[n].before.assignment.gpus; g++) {
            refresh_amount_add(&gpus, &m->feature[g]);
            refresh_amount_add(&gpus, &m->topology[g]);
        }
        refresh_amount_add(&dram, &m->dram);
    }
    DOC_PUT(d, IS("rows_to_load", gpus.loaded), IS("bytes_to_load", gpus.bytes), IS("rows_from_peers", gpus.peer_rows),
            IS("bytes_from_peers", gpus.peer_bytes));
    if (!j->whole) return;
    DOC_PUT(d, IS("rows_kept", gpus.kept), IS("rows_from_nodes", gpus.node_rows),
            IS("bytes_from_nodes", gpus.node_bytes));
    doc_put(d, "dram", amount(&dram, true));
}

static void put_gain(doc *d, const struct refresh_pay *pay, double gain, bool below)
{
    doc_put(d, "seconds_to_load", doc_real(pay->seconds_to_move));
    if (below) DOC_PUT(d, IS("seconds_below", pay->seconds_below), IS("seconds_to_stay", pay->seconds_to_stay));
    DOC_PUT(d, IS("transactions_saved", gain), IS("seconds_saved", pay->seconds_gained));
}

static doc *part_document(const struct refresh_job *j, int node)
{
    const struct refresh_part *part = &j->next.part[node];
    char name[16];
    doc *d = doc_object();
    snprintf(name, sizeof name, "node%d", node);
    DOC_PUT(d, IS("node", node), IS("path", name));
    put_moves(d, j, node, node + 1);
    put_gain(d, &part->pay, part->gain, true);
    DOC_PUT(d, IS("before", judged_node(j, 0, node)), IS("after", judged_node(j, 1, node)));
    return d;
}

doc *refresh_document(const struct refresh_job *j)
{
    doc *d = doc_object(), *parts = doc_array();
    DOC_PUT(d, IS("schema", "refresh/1"), IS("server", j->network.cluster.server.name));
    if (j->whole) doc_put(d, "nodes", doc_integer(j->nodes));
    doc_put(d, "graph_change", j->change.other ? change_document(&j->change) : doc_null());
    put_moves(d, j, 0, j->nodes);
    doc_put(d, "bytes_per_second", doc_real(j->next.pay.bytes_per_second));
    put_gain(d, &j->next.pay, j->next.gain, j->below.nodes);
    DOC_PUT(d, IS("pays_after_epochs", j->next.epochs), IS("before", judged_all(j, 0)), IS("after", judged_all(j, 1)),
            IS("gpus", gpus_of(j)));
    refresh_links_put(j, d);
    for (int n = 0; n < j->nodes; n++)
        if (j->whole) doc_append(parts, part_document(j, n));
    if (j->whole) doc_put(d, "parts", parts);
    else doc_free(parts);
    return d;
}

/* ---- for people ---- */

static int64_t whole(const doc *d, const char *kind, const char *key)
{
    return doc_integer_value(doc_get(doc_get(d, kind), key), 0);
}

static void add_count(struct table *t, int64_t rows)
{
    char text[UNIT_TEXT];
    table_add(t, "%s", units_count(text, (uint64_t)rows));
}

static void judged_print(const doc *d, FILE *to)
{
    static const char *const headers[] = {"transactions per epoch", ">as it is", ">refreshed", ">change", NULL};
    static const char *const kinds[] = {"predicted", "simulated"};
    struct table *t = table_new(headers);
    for (int k = 0; k < 2; k++) {
        double was = doc_real_value(doc_get(doc_get(doc_get(d, "before"), kinds[k]), "total_transactions"), NAN),
               is = doc_real_value(doc_get(doc_get(doc_get(d, "after"), kinds[k]), "total_transactions"), NAN);
        if (isnan(was)) continue;
        table_add(t, "%s", kinds[k]);
        add_count(t, (int64_t)was);
        add_count(t, (int64_t)is);
        table_add(t, was > 0 ? "%+.1f %%" : "-", 100 * (is - was) / was);
    }
    for (int i = 0; i < 3; i++) {
        static const char *const words[] = {"own GPU", "peers", "host"};
        double was = doc_real_value(doc_get(doc_get(doc_get(d, "before"), "feature_reads_served"), servers[i]), NAN),
               is = doc_real_value(doc_get(doc_get(doc_get(d, "after"), "feature_reads_served"), servers[i]), NAN);
        if (isnan(was)) continue;
        table_add(t, "feature rows from %s", words[i]);
        table_add(t, "%.2f %%", 100 * was);
        table_add(t, "%.2f %%", 100 * is);
        table_add(t, "%+.2f points", 100 * (is - was));
    }
    for (int i = 0; i < 6; i++) {
        static const char *const keys[] = {"gpu_memory_seconds", "peers_seconds", "host_seconds",
                                           "network_seconds",    "ssd_seconds",   "seconds"},
                                 *const words[] = {"memory of a GPU",
                                                   "link between GPUs",
                                                   "PCIe and host memory",
                                                   "network",
                                                   "SSDs",
                                                   "transfer stage"};
        double was = doc_real_value(doc_get(doc_get(doc_get(d, "before"), "reads"), keys[i]), NAN),
               is = doc_real_value(doc_get(doc_get(doc_get(d, "after"), "reads"), keys[i]), NAN);
        if (isnan(was) || (i > 2 && i < 5 && !(was > 0) && !(is > 0))) continue; /* no network, or no SSDs */
        table_add(t, "expected time: %s", words[i]);
        table_add_seconds(t, was);
        table_add_seconds(t, is);
        table_add(t, was > 0 ? "%+.1f %%" : "-", 100 * (is - was) / was);
    }
    table_print(t, to);
    table_free(t);
}

void refresh_print(const doc *d, FILE *to)
{
    double epochs = doc_real_value(doc_get(d, "pays_after_epochs"), NAN);
    const doc *parts = doc_get(d, "parts");
    columns_print(&(struct column_table){.columns = refresh_gpus, .rows = doc_get(d, "gpus"), .after = "\n"}, to);
    columns_print(&(struct column_table){.columns = refresh_dram, .rows = parts, .after = "\n"}, to);
    judged_print(d, to);
    fputc('\n', to);
    refresh_links_print(d, to);
    fputc('\n', to);
    if (whole(d, "dram", "to_load"))
        terminal_print(to, "the DRAM of nodes is filled for the new reads, also where GPUs keep their rows\n");
    if (!doc_integer_value(doc_get(d, "rows_to_load"), 0))
        terminal_print(to, "nothing to load: the plan%s stays\n", parts ? " of GPUs" : "");
    else if (isnan(doc_real_value(doc_get(d, "bytes_per_second"), NAN)))
        terminal_print(to, "when it pays is not known: the server's description states no PCIe rate\n");
    else if (isnan(epochs)) terminal_print(to, "moving does not pay by the prediction\n");
    else terminal_print(to, "moving pays after %.3g epochs\n", epochs);
}
