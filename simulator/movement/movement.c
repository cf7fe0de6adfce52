#include "simulator/movement/movement.h"

#include <math.h>

#include "base/mem.h"
#include "base/units.h"
#include "simulator/movement/traffic.h"

static void put(doc *d, const char *key, uint64_t value) { doc_put(d, key, doc_integer((int64_t)value)); }

static doc *ratio(uint64_t over, uint64_t under) { return doc_real(under ? (double)over / (double)under : NAN); }

/* ---- PCIe ---- */

static struct traffic_pcie mean(const struct traffic_pcie *bytes, uint64_t epochs)
{
    return (struct traffic_pcie){units_round_half_up(bytes->transactions, epochs),
                                 units_round_half_up(bytes->useful, epochs), units_round_half_up(bytes->lines, epochs),
                                 units_round_half_up(bytes->wire, epochs)};
}

static void movement_add(struct traffic_pcie *sum, const struct traffic_pcie *bytes)
{
    sum->transactions += bytes->transactions;
    sum->useful += bytes->useful;
    sum->lines += bytes->lines;
    sum->wire += bytes->wire;
}

static doc *part_document(const struct traffic_pcie *bytes)
{
    doc *d = doc_object();
    put(d, "transactions", bytes->transactions);
    put(d, "useful_bytes", bytes->useful);
    put(d, "line_bytes", bytes->lines);
    put(d, "wire_bytes", bytes->wire);
    return d;
}

/* Adds the kinds and their sum, which is returned. */
static struct traffic_pcie put_kinds(doc *d, const struct traffic_pcie kind[TRAFFIC_KINDS])
{
    struct traffic_pcie total = {0};
    for (int k = 0; k < TRAFFIC_KINDS; k++) {
        doc_put(d, traffic_kind_name((enum traffic_kind)k), part_document(&kind[k]));
        movement_add(&total, &kind[k]);
    }
    doc_put(d, "total", part_document(&total));
    doc_put(d, "read_amplification", ratio(total.wire, total.useful));
    return total;
}

/* One entry per switch or socket, sorted by number; null when the place of a GPU is not known. */
static doc *places_document(const struct plan *p, const int *place, const char *key, const struct traffic_pcie *gpu)
{
    doc *all = doc_array();
    int gpus = p->placement.gpus, at = -1;
    for (int g = 0; g < gpus; g++)
        if (place[g] < 0) {
            doc_free(all);
            return doc_null();
        }
    for (;;) {
        int next = -1;
        struct traffic_pcie sum = {0};
        for (int g = 0; g < gpus; g++) next = place[g] > at && (next < 0 || place[g] < next) ? place[g] : next;
        if (next < 0) return all;
        for (int g = 0; g < gpus; g++)
            if (place[g] == next) movement_add(&sum, &gpu[g]);
        doc *d = doc_object();
        doc_put(d, key, doc_integer(next));
        put(d, "transactions", sum.transactions);
        put(d, "wire_bytes", sum.wire);
        doc_append(all, d);
        at = next;
    }
}

/* Bytes between GPUs below one switch; NULL when there are none. */
static doc *peers_document(const struct plan *p, const struct traffic *t)
{
    doc *all = NULL;
    for (int a = 0; a < t->gpus; a++)
        for (int b = 0; b < t->gpus; b++) {
            uint64_t bytes = units_round_half_up(t->p2p[a][b], t->epochs);
            if (!t->p2p[a][b]) continue;
            doc *d = DOC(IS("from", p->assignment.id[a]), IS("to", p->assignment.id[b]));
            put(d, "bytes", bytes);
            put(d, "wire_bytes", traffic_copied(bytes));
            if (!all) all = doc_array();
            doc_append(all, d);
        }
    return all;
}

static doc *pcie_document(const struct plan *p, const struct traffic *t)
{
    doc *d = doc_object(), *gpus = doc_array(), *total = doc_object();
    struct traffic_pcie kind[TRAFFIC_KINDS], sum[TRAFFIC_KINDS] = {{0}}, gpu[GPUS_MAX],
                                             written = mean(&t->written, t->epochs);
    for (int g = 0; g < t->gpus; g++) {
        doc *one = doc_object();
        doc_put(one, "id", doc_integer(p->assignment.id[g]));
        for (int k = 0; k < TRAFFIC_KINDS; k++) {
            kind[k] = mean(&t->pcie[g][k], t->epochs);
            movement_add(&sum[k], &kind[k]);
        }
        gpu[g] = put_kinds(one, kind);
        doc_append(gpus, one);
    }
    put(d, "header_bytes", TRAFFIC_HEADER);
    put(d, "read_payload_bytes", p->line_bytes);
    put(d, "copy_payload_bytes", TRAFFIC_COPY_PAYLOAD);
    doc_put(d, "gpus", gpus);
    put_kinds(total, sum);
    doc_put(d, "total", total);
    doc_put(d, "written", part_document(&written));
    DOC_PUT(d, IS("switches", places_document(p, p->pcie_switch, "switch", gpu)),
            IS("sockets", places_document(p, p->socket, "socket", gpu)));
    doc *peers = peers_document(p, t);
    if (peers) doc_put(d, "peers", peers);
    return d;
}

/* ---- NVLink ---- */

static doc *end_points(const struct plan *p, int from, int to)
{
    return DOC(IS("from", p->assignment.id[from]), IS("to", p->assignment.id[to]));
}

static doc *link_document(const struct plan *p, const struct traffic *t, int from, int to, uint64_t bytes,
                          uint64_t total)
{
    doc *d = end_points(p, from, to);
    int width = t->routes.width[from][to];
    doc_put(d, "nvlinks", width ? doc_integer(width) : doc_null());
    put(d, "bytes", bytes);
    doc_put(d, "share_of_all", ratio(bytes, total));
    return d;
}

static doc *nvlink_document(const struct plan *p, const struct traffic *t)
{
    doc *d = doc_object(), *links = doc_array(), *most = doc_null();
    uint64_t total = 0, best = 0;
    int busiest[2] = {0, 0};
    for (int a = 0; a < t->gpus; a++)
        for (int b = 0; b < t->gpus; b++) total += units_round_half_up(t->link[a][b], t->epochs);
    for (int a = 0; a < t->gpus; a++)
        for (int b = 0; b < t->gpus; b++) {
            uint64_t bytes = units_round_half_up(t->link[a][b], t->epochs);
            if (t->passed[a][b]) doc_append(links, link_document(p, t, a, b, bytes, total));
            if (bytes <= best) continue;
            best = bytes;
            busiest[0] = a;
            busiest[1] = b;
        }
    if (best) {
        doc_free(most);
        most = end_points(p, busiest[0], busiest[1]);
        put(most, "bytes", best);
    }
    doc_put(d, "links", links);
    put(d, "feature_bytes", units_round_half_up(t->feature, t->epochs));
    put(d, "topology_bytes", units_round_half_up(t->topology, t->epochs));
    put(d, "total_bytes", total);
    doc_put(d, "max_per_link", most);
    return d;
}

/* ---- sampling ---- */

static doc *method_document(const struct traffic *t, enum traffic_method m)
{
    static const char *const media[] = {"pcie_bytes", "nvlink_bytes", "nvlink_link_bytes"};
    const struct traffic_sampling *sampling = &t->sampling[m];
    doc *d = doc_object();
    uint64_t ideal = units_round_half_up(t->sampling[TRAFFIC_IDEAL].needed, t->epochs),
             pcie = units_round_half_up(sampling->pcie, t->epochs);
    uint64_t nvlink = units_round_half_up(sampling->nvlink, t->epochs),
             total = m == TRAFFIC_IDEAL ? ideal : pcie + nvlink;
    if (m == TRAFFIC_IDEAL) { /* stands for any medium */
        for (int i = 0; i < 3; i++) doc_put(d, media[i], doc_null());
    } else {
        put(d, media[0], pcie);
        put(d, media[1], nvlink);
        put(d, media[2], units_round_half_up(sampling->links, t->epochs));
    }
    put(d, "total_bytes", total);
    doc_put(d, "of_ideal", ratio(total, ideal));
    return d;
}

static doc *sampling_document(const struct traffic *t)
{
    doc *d = doc_object(), *methods = doc_object();
    for (int m = 0; m < TRAFFIC_METHODS; m++)
        doc_put(methods, traffic_method_name((enum traffic_method)m), method_document(t, (enum traffic_method)m));
    DOC_PUT(d, IS("taken", t->taken), IS("methods", methods));
    return d;
}

doc *movement_document(const struct plan *p, const struct replay *r, const struct graph *graph)
{
    struct err lacking = {0};
    ON_HEAP_OR(struct traffic, t, &lacking, doc_null());
    doc *d = doc_object();
    traffic_make(p, r, graph, t);
    DOC_PUT(d, IS("pcie", pcie_document(p, t)), IS("nvlink", nvlink_document(p, t)),
            IS("sampling", sampling_document(t)));
    return d;
}

enum st movement_sum(const struct plan *p, const struct replay *r, const struct graph *graph,
                     struct simulated_sums *out, struct err *err)
{
    ON_HEAP(struct traffic, t);
    traffic_make(p, r, graph, t);
    for (int a = 0; a < t->gpus; a++) {
        for (int k = 0; k < TRAFFIC_KINDS; k++) out->pcie_wire += mean(&t->pcie[a][k], t->epochs).wire;
        for (int b = 0; b < t->gpus; b++) {
            const uint64_t bytes = units_round_half_up(t->link[a][b], t->epochs);
            out->nvlink += bytes;
            out->most_of_a_link = bytes > out->most_of_a_link ? bytes : out->most_of_a_link;
        }
    }
    return ST_OK;
}

doc *movement_totals(const struct simulated_sums *m)
{
    doc *d = doc_object();
    put(d, "pcie_wire_bytes", m->pcie_wire);
    put(d, "nvlink_bytes", m->nvlink);
    put(d, "max_link_bytes", m->most_of_a_link);
    return d;
}
