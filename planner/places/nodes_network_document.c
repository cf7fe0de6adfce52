#include "planner/places/nodes_network_document.h"

#include <math.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/model/bandwidth.h"

doc *nodes_network_document(const struct nodes_network *network)
{
    const struct server *s = &network->cluster.server;
    doc *d = doc_object(), *nics = doc_array(), *routes = doc_array();
    DOC_PUT(d, IS("name", network->cluster.name), IS("server", s->name), IS("servers", network->cluster.servers),
            IS("rails", network->cluster.rails), IS("oversubscription", network->cluster.oversubscription));
    for (int i = 0; i < s->places.nics; i++) {
        const struct server_nic *n = &s->places.nic[i];
        doc_append(nics, DOC(IS("name", n->name), IS("gbps", n->gbps),
                             IS("rail", n->rail < 0 ? doc_null() : doc_integer(n->rail))));
    }
    for (int g = 0; g < s->gpus; g++) {
        const struct nic_route *r = &network->route[g];
        doc *one = doc_object(), *list = doc_array();
        for (int i = 0; i < r->nics; i++) doc_append(list, doc_integer(r->nic[i]));
        DOC_PUT(one, IS("gpu", s->gpu[g].id), IS("rule", nic_rule_word(r->rule)),
                IS("via", r->via < 0 ? doc_null() : doc_integer(s->gpu[r->via].id)), IS("nics", list));
        doc_append(routes, one);
    }
    DOC_PUT(d, IS("nics", nics), IS("routes", routes));
    return d;
}

/* ---- traffic ---- */

/* The longest of the times so far, and whose it is. */
struct longest {
    double seconds, nic_seconds, nic_bytes, nvlink_bytes;
    const char *by;
    bool unknown;
};

static void nodes_network_document_take(struct longest *l, double seconds, const char *by)
{
    if (l->by && seconds <= l->seconds) return;
    l->seconds = seconds;
    l->by = by;
}

static void take_nic(struct longest *l, double bytes, double gbps)
{
    double seconds = bytes / (gbps * 1e9);
    nodes_network_document_take(l, seconds, "nic");
    if (seconds <= l->nic_seconds) return;
    l->nic_seconds = seconds;
    l->nic_bytes = bytes;
}

static void put_nics(const struct nodes_network *network, const struct nodes_traffic *t, int node, struct longest *l,
                     doc *list)
{
    const struct server_places *p = &network->cluster.server.places;
    double rate = 0, in = 0, out = 0;
    for (int i = 0; i < p->nics; i++) {
        double received = t->received[node * p->nics + i], sent = t->sent[node * p->nics + i];
        doc_append(list, DOC(IS("node", node), IS("nic", i), IS("received_bytes", received), IS("sent_bytes", sent)));
        take_nic(l, fmax(received, sent), p->nic[i].gbps);
        rate += p->nic[i].gbps;
        in += received;
        out += sent;
    }
    nodes_network_document_take(l, fmax(in, out) / (rate * 1e9) * network->cluster.oversubscription, "node");
}

static void put_nvlinks(const struct nodes_network *network, const struct nodes_traffic *t, int node, double row_bytes,
                        struct longest *l, doc *list)
{
    const struct server *s = &network->cluster.server;
    for (int g = 0; g < s->gpus; g++) {
        int via = network->route[g].via;
        if (via < 0) continue;
        double bytes = t->nvlink[node * s->gpus + g];
        double rate = server_nvlink_rate(s, s->link_gbps[g][via], row_bytes);
        doc_append(list, DOC(IS("node", node), IS("gpu", s->gpu[g].id), IS("via", s->gpu[via].id), IS("bytes", bytes)));
        l->nvlink_bytes = fmax(l->nvlink_bytes, bytes);
        if (rate > 0) nodes_network_document_take(l, bytes / (rate * 1e9), "nvlink");
        else l->unknown |= bytes > 0;
    }
}

doc *nodes_traffic_document(const struct nodes_network *network, const struct nodes_traffic *t, double row_bytes)
{
    struct longest l = {0};
    doc *d = doc_object(), *nics = doc_array(), *nvlinks = doc_array();
    for (int node = 0; node < network->cluster.servers; node++) {
        put_nics(network, t, node, &l, nics);
        put_nvlinks(network, t, node, row_bytes, &l, nvlinks);
    }
    DOC_PUT(d, IS("seconds", l.unknown ? doc_null() : doc_real(l.seconds)),
            IS("limited_by", l.unknown ? doc_null() : doc_text(l.by)), IS("busiest_nic_bytes", l.nic_bytes),
            IS("busiest_nic_seconds", l.nic_seconds), IS("busiest_nvlink_bytes", l.nvlink_bytes), IS("nics", nics),
            IS("nvlinks", nvlinks));
    return d;
}

/* ---- for people ---- */

/* "GPU0, GPU1 over GPU0" */
static void readers_of(const doc *routes, uint64_t nic, char *out, size_t bytes)
{
    *out = 0;
    for (uint64_t g = 0; g < doc_size(routes); g++) {
        const doc *r = doc_at(routes, g), *list = doc_get(r, "nics");
        for (uint64_t i = 0; i < doc_size(list); i++) {
            if (doc_integer_value(doc_at(list, i), -1) != (int64_t)nic) continue;
            text_append(out, bytes, "%sGPU%lld", *out ? ", " : "", (long long)doc_integer_value(doc_get(r, "gpu"), 0));
            if (doc_is_integer(doc_get(r, "via")))
                text_append(out, bytes, " over GPU%lld", (long long)doc_integer_value(doc_get(r, "via"), 0));
        }
    }
}

void nodes_network_print(const doc *d, FILE *to)
{
    static const char *const headers[] = {"NIC", ">GB/s", ">rail", "receives for", NULL};
    const doc *nics = doc_get(d, "nics");
    struct table *t = table_new(headers);
    char readers[1024];
    terminal_print(to, "\neach of %lld x %s; its NICs together carry their rates / %g, %s:\n",
                   (long long)doc_integer_value(doc_get(d, "servers"), 0), doc_text_value(doc_get(d, "server"), "?"),
                   doc_number(d, "oversubscription"),
                   doc_bool_value(doc_get(d, "rails"), false) ? "and each reaches those of its rail only"
                                                              : "and each reaches all others");
    for (uint64_t i = 0; i < doc_size(nics); i++) {
        const doc *n = doc_at(nics, i), *rail = doc_get(n, "rail");
        table_add(t, "%s", doc_text_value(doc_get(n, "name"), "?"));
        table_add_real(t, doc_number(n, "gbps"));
        if (doc_is_integer(rail)) table_add(t, "%lld", (long long)doc_integer_value(rail, 0));
        else table_add(t, "-");
        readers_of(doc_get(d, "routes"), i, readers, sizeof readers);
        table_add(t, "%s", *readers ? readers : "-");
    }
    table_show(t, to);
}

void nodes_traffic_print(const doc *d, FILE *to)
{
    char nic[UNIT_TEXT], takes[UNIT_TEXT], nvlink[UNIT_TEXT], all[UNIT_TEXT];
    terminal_print(to, "busiest NIC: %s per held-out epoch, %s; busiest NVLink to one: %s\n",
                   units_bytes(nic, (uint64_t)doc_number(d, "busiest_nic_bytes")),
                   units_seconds(takes, doc_number(d, "busiest_nic_seconds")),
                   units_bytes(nvlink, (uint64_t)doc_number(d, "busiest_nvlink_bytes")));
    if (doc_is_text(doc_get(d, "limited_by")))
        terminal_print(to, "the network takes %s of an epoch, limited by: %s\n",
                       units_seconds(all, doc_number(d, "seconds")), doc_text_value(doc_get(d, "limited_by"), "?"));
}
