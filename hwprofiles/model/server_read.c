/* server_read.c - the document is not trusted: everything is checked before it is used. */
#include "hwprofiles/model/server_read.h"

#include <stdio.h>
#include <string.h>

#include "hwprofiles/model/server_cliques.h"
#include "hwprofiles/model/server_constants.h"
#include "hwprofiles/model/server_members.h"
#include "hwprofiles/model/server_places.h"
#include "hwprofiles/model/server_provenance.h"

enum { WHERE_BYTES = 512 };

static enum st read_gpu(const doc *d, const char *where, struct server_gpu *out, struct err *err)
{
    static const char *const keys[] = {"id",
                                       "model",
                                       "memory_bytes",
                                       "switch",
                                       "socket",
                                       "memory_gbps",
                                       "tflops",
                                       "training_efficiency",
                                       "training_compute_efficiency",
                                       "training_layer_seconds",
                                       "sampling_edges_per_second",
                                       "dataflow",
                                       NULL};
    int64_t id;
    *out = (struct server_gpu){.pcie_switch = -1, .socket = -1};
    if (!doc_is_object(d))
        return err_set(err, ST_INPUT,
                       "%s is not an object, but a GPU is described as {\"id\": 0, \"memory_bytes\": ..}; write it in "
                       "this form",
                       where);
    PASS(doc_only_keys(d, keys, where, err));
    PASS(doc_need_integer(d, "id", 0, SERVER_GPU_ID_MAX, where, &id, err));
    out->id = (int)id;
    PASS(member_text(d, "model", where, out->model, sizeof out->model, err));
    PASS(member_size(d, "memory_bytes", where, &out->memory_bytes, err));
    PASS(member_integer(d, "switch", 0, SERVER_PLACE_MAX, where, &out->pcie_switch, err));
    PASS(member_integer(d, "socket", 0, SERVER_PLACE_MAX, where, &out->socket, err));
    return constants_read_gpu(d, where, out, err);
}

static enum st read_gpus(const doc *d, const char *where, struct server *out, struct err *err)
{
    doc *list;
    PASS(doc_need_array(d, "gpus", where, &list, err));
    if (doc_size(list) < 1 || doc_size(list) > SERVER_GPUS_MAX)
        return err_set(err, ST_INPUT, "%s: \"gpus\" lists %llu GPUs, but 1 to %d are possible; correct the list", where,
                       (unsigned long long)doc_size(list), SERVER_GPUS_MAX);
    out->gpus = (int)doc_size(list);
    for (int i = 0; i < out->gpus; i++) {
        char here[WHERE_BYTES];
        struct server_gpu g;
        int at = i;
        snprintf(here, sizeof here, "%s: gpus[%d]", where, i);
        PASS(read_gpu(doc_at(list, (uint64_t)i), here, &g, err));
        for (; at > 0 && out->gpu[at - 1].id >= g.id; at--) {
            if (out->gpu[at - 1].id == g.id)
                return err_set(err, ST_INPUT,
                               "%s has the id %d, which another GPU has already; give every GPU an id of its own", here,
                               g.id);
            out->gpu[at] = out->gpu[at - 1];
        }
        out->gpu[at] = g;
    }
    return ST_OK;
}

static enum st read_link(const doc *d, const char *where, struct server *out, struct err *err)
{
    static const char *const keys[] = {"a", "b", "links", "gbps", NULL};
    int64_t a, b, width;
    int i, j;
    double gbps = 0;
    if (!doc_is_object(d))
        return err_set(err, ST_INPUT,
                       "%s is not an object, but a link is described as {\"a\": 0, \"b\": 1, \"links\": 2}; write it "
                       "in this form",
                       where);
    PASS(doc_only_keys(d, keys, where, err));
    PASS(doc_need_integer(d, "a", 0, SERVER_GPU_ID_MAX, where, &a, err));
    PASS(doc_need_integer(d, "b", 0, SERVER_GPU_ID_MAX, where, &b, err));
    PASS(doc_need_integer(d, "links", 1, SERVER_LINKS_MAX, where, &width, err));
    PASS(member_real(d, "gbps", 1e-3, 1e6, where, &gbps, err));
    i = server_position_of(out, a);
    j = server_position_of(out, b);
    if (i < 0 || j < 0)
        return err_set(err, ST_INPUT, "%s joins GPUs %d and %d, but \"gpus\" lists no GPU %d; use the ids of that list",
                       where, (int)a, (int)b, (int)(i < 0 ? a : b));
    if (i == j) return err_set(err, ST_INPUT, "%s joins GPU %d with itself; remove it", where, (int)a);
    if (out->links[i][j])
        return err_set(err, ST_INPUT,
                       "%s joins GPUs %d and %d, which an earlier link joins already; state each pair once", where,
                       (int)a, (int)b);
    out->links[i][j] = out->links[j][i] = (uint8_t)width;
    out->link_gbps[i][j] = out->link_gbps[j][i] = gbps;
    return ST_OK;
}

static enum st read_links(const doc *d, const char *where, struct server *out, struct err *err)
{
    doc *list;
    if (!member_said(d, "nvlinks")) return ST_OK;
    PASS(doc_need_array(d, "nvlinks", where, &list, err));
    out->links_known = true;
    for (uint64_t i = 0; i < doc_size(list); i++) {
        char here[WHERE_BYTES];
        snprintf(here, sizeof here, "%s: nvlinks[%llu]", where, (unsigned long long)i);
        PASS(read_link(doc_at(list, i), here, out, err));
    }
    return ST_OK;
}

/* True when the list holds the ids of one computed clique, in any order. */
static bool same_clique(const struct server *s, const doc *list)
{
    int first = doc_size(list) ? server_position_of(s, doc_integer_value(doc_at(list, 0), -1)) : -1, k;
    bool seen[SERVER_GPUS_MAX] = {false};
    if (first < 0) return false;
    k = s->clique_of[first];
    if (doc_size(list) != (uint64_t)s->clique_size[k]) return false;
    for (uint64_t i = 0; i < doc_size(list); i++) {
        int at = server_position_of(s, doc_integer_value(doc_at(list, i), -1));
        if (at < 0 || seen[at] || s->clique_of[at] != k) return false;
        seen[at] = true;
    }
    return true;
}

static enum st check_cliques(const doc *d, const char *where, const struct server *s, struct err *err)
{
    bool seen[SERVER_GPUS_MAX] = {false};
    doc *list;
    if (!member_said(d, "cliques")) return ST_OK;
    PASS(doc_need_array(d, "cliques", where, &list, err));
    if (!s->links_known && s->gpus > 1)
        return err_set(err, ST_INPUT,
                       "%s states \"cliques\" but no \"nvlinks\", from which they are computed; state the links ([] "
                       "for none) and leave out the cliques",
                       where);
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *c = doc_at(list, i);
        bool same = same_clique(s, c);
        int k = same ? s->clique_of[server_position_of(s, doc_integer_value(doc_at(c, 0), -1))] : 0;
        if (!same || seen[k])
            return err_set(err, ST_INPUT,
                           "%s: cliques[%llu] does not agree with \"nvlinks\"; leave out \"cliques\", they are "
                           "computed",
                           where, (unsigned long long)i);
        seen[k] = true;
    }
    if (doc_size(list) != (uint64_t)s->cliques)
        return err_set(err, ST_INPUT,
                       "%s states %llu cliques, but \"nvlinks\" give %d; leave out \"cliques\", they are computed",
                       where, (unsigned long long)doc_size(list), s->cliques);
    return ST_OK;
}

static enum st read_pcie(const doc *d, const char *where, struct server *out, struct err *err)
{
    static const char *const keys[] = {"generation", "width",      "gbps",          "effective",
                                       "read",       "write_gbps", "while_writing", NULL};
    char here[WHERE_BYTES];
    doc *pcie;
    if (!member_said(d, "pcie")) return ST_OK;
    snprintf(here, sizeof here, "%s: pcie", where);
    PASS(doc_need_object(d, "pcie", where, &pcie, err));
    PASS(doc_only_keys(pcie, keys, here, err));
    PASS(member_integer(pcie, "generation", 1, 9, here, &out->pcie_generation, err));
    PASS(member_integer(pcie, "width", 1, 32, here, &out->pcie_width, err));
    return member_real(pcie, "gbps", 1e-3, 1e6, here, &out->pcie_gbps, err);
}

static enum st check_provenance(const doc *d, const char *where, struct err *err)
{
    static const char *const keys[] = {"what", "kind", "source", NULL};
    doc *list;
    if (!member_said(d, "provenance")) return ST_OK;
    PASS(doc_need_array(d, "provenance", where, &list, err));
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *p = doc_at(list, i);
        char here[WHERE_BYTES], text[1024], kind[32] = "";
        bool known = false;
        snprintf(here, sizeof here, "%s: provenance[%llu]", where, (unsigned long long)i);
        if (!doc_is_object(p))
            return err_set(err, ST_INPUT,
                           "%s is not an object, but {\"what\": .., \"kind\": .., \"source\": ..} is expected; write "
                           "it in this form",
                           here);
        PASS(doc_only_keys(p, keys, here, err));
        PASS(member_text(p, "what", here, text, sizeof text, err));
        PASS(member_text(p, "source", here, text, sizeof text, err));
        PASS(member_text(p, "kind", here, kind, sizeof kind, err));
        for (const char *const *k = server_provenance_kinds; *k; k++) known = known || !strcmp(*k, kind);
        if (!known)
            return err_set(err, ST_INPUT,
                           "%s: \"kind\" is \"%s\", but measured, vendor or assumed is expected; say where the number "
                           "comes from",
                           here, kind);
    }
    return ST_OK;
}

static enum st read_plain(const doc *d, const char *where, struct server *out, struct err *err)
{
    int line_bytes = 0;
    double price = 0;
    char fingerprint[256], ssd[256];
    PASS(member_text(d, "name", where, out->name, sizeof out->name, err));
    PASS(member_text(d, "description", where, out->description, sizeof out->description, err));
    PASS(member_integer(d, "cls", 4, 4096, where, &line_bytes, err));
    if (line_bytes % 4)
        return err_set(err, ST_INPUT,
                       "%s: \"cls\" (bytes of a PCIe read) is %d, but a multiple of 4 is expected; current servers "
                       "have 64",
                       where, line_bytes);
    out->line_bytes = (uint64_t)line_bytes;
    PASS(read_pcie(d, where, out, err));
    PASS(member_integer(d, "sockets", 1, 1024, where, &out->sockets, err));
    PASS(member_integer(d, "cores", 1, 1000000, where, &out->cores, err));
    PASS(member_size(d, "host_memory_bytes", where, &out->host_memory_bytes, err));
    PASS(constants_read(d, where, out, err));
    PASS(member_real(d, "price_per_hour", 0, 1e6, where, &price, err));
    PASS(member_text(d, "ssd", where, ssd, sizeof ssd, err));
    return member_text(d, "fingerprint", where, fingerprint, sizeof fingerprint, err);
}

enum st server_read(const doc *d, const char *where, struct server *out, struct err *err)
{
    static const char *const keys[] = {"schema",
                                       "name",
                                       "description",
                                       "gpus",
                                       "nvlinks",
                                       "nvlink_read",
                                       "cliques",
                                       "cls",
                                       "pcie",
                                       "sockets",
                                       "cores",
                                       "host_memory_bytes",
                                       "host_memory_gbps",
                                       "cpu_tflops",
                                       "cpu_sampling_edges_per_second",
                                       "cpu_sampling",
                                       "price_per_hour",
                                       "ssd",
                                       "numa",
                                       "socket_links",
                                       "nics",
                                       "nvme",
                                       "fingerprint",
                                       "provenance",
                                       NULL};
    char shortened[WHERE_BYTES - 64];
    snprintf(shortened, sizeof shortened, "%s", where); /* leaves room for "gpus[71]" */
    where = shortened;
    PASS(doc_only_keys(d, keys, where, err));
    PASS(read_plain(d, where, out, err));
    PASS(read_gpus(d, where, out, err));
    PASS(read_links(d, where, out, err));
    PASS(places_read(d, where, out, err));
    PASS(check_provenance(d, where, err));
    server_find_cliques(out);
    return check_cliques(d, where, out, err);
}
