#include "hwprofiles/model/server_finish.h"

#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "hwprofiles/model/server_cliques.h"
#include "hwprofiles/model/server_constants.h"
#include "hwprofiles/model/server_members.h"
#include "hwprofiles/model/server_places.h"
#include "hwprofiles/model/server_provenance.h"

enum { LINE_BYTES_DEFAULT = 64 };

/* ---- the fingerprint ---- */

/* Hashes what planning uses, in a form that does not depend on the machine. */
static void set_fingerprint(struct server *s)
{
    struct sha256 h;
    unsigned char digest[32];
    char line[160], hex[65];
    sha256_begin(&h);
    snprintf(line, sizeof line, "server/1 gpus %d cls %llu links %d\n", s->gpus, (unsigned long long)s->line_bytes,
             (int)s->links_known);
    sha256_add(&h, line, strlen(line));
    for (int i = 0; i < s->gpus; i++) {
        const struct server_gpu *g = &s->gpu[i];
        snprintf(line, sizeof line, "gpu %d memory %llu switch %d socket %d\n", g->id,
                 (unsigned long long)g->memory_bytes, g->pcie_switch, g->socket);
        sha256_add(&h, line, strlen(line));
        for (int j = 0; j < s->gpus; j++) sha256_add(&h, &s->links[i][j], 1);
    }
    sha256_end(&h, digest);
    sha256_hex(digest, hex);
    snprintf(s->fingerprint, sizeof s->fingerprint, "sha256:%s", hex);
}

/* ---- the document ---- */

static doc *gpus_document(const struct server *s)
{
    doc *list = doc_array();
    for (int i = 0; i < s->gpus; i++) {
        const struct server_gpu *g = &s->gpu[i];
        doc *d = doc_object();
        doc_put(d, "id", doc_integer(g->id));
        doc_put(d, "model", doc_text(g->model[0] ? g->model : NULL));
        doc_put(d, "memory_bytes", member_count((int64_t)g->memory_bytes, 0));
        doc_put(d, "switch", member_count(g->pcie_switch, -1));
        doc_put(d, "socket", member_count(g->socket, -1));
        constants_put_gpu(g, d);
        doc_append(list, d);
    }
    return list;
}

static doc *links_document(const struct server *s)
{
    doc *list;
    if (!s->links_known) return doc_null();
    list = doc_array();
    for (int i = 0; i < s->gpus; i++)
        for (int j = i + 1; j < s->gpus; j++) {
            doc *d;
            if (!s->links[i][j]) continue;
            d = doc_object();
            doc_put(d, "a", doc_integer(s->gpu[i].id));
            doc_put(d, "b", doc_integer(s->gpu[j].id));
            doc_put(d, "links", doc_integer(s->links[i][j]));
            if (s->link_gbps[i][j] > 0) doc_put(d, "gbps", doc_real(s->link_gbps[i][j]));
            doc_append(list, d);
        }
    return list;
}

static doc *cliques_document(const struct server *s)
{
    doc *list;
    if (!s->links_known && s->gpus > 1) return doc_null();
    list = doc_array();
    for (int k = 0; k < s->cliques; k++) {
        doc *one = doc_array();
        for (int i = 0; i < s->clique_size[k]; i++) doc_append(one, doc_integer(s->gpu[s->clique[k][i]].id));
        doc_append(list, one);
    }
    return list;
}

static doc *pcie_document(const struct server *s)
{
    doc *d;
    if (!s->pcie_generation && !s->pcie_width && !(s->pcie_gbps > 0) && !s->pcie_rates && !(s->pcie_read.gbps > 0) &&
        !(s->pcie_read.requests > 0) && !(s->pcie_write_gbps > 0) && !(s->pcie_while_writing > 0))
        return doc_null();
    d = doc_object();
    doc_put(d, "generation", member_count(s->pcie_generation, 0));
    doc_put(d, "width", member_count(s->pcie_width, 0));
    doc_put(d, "gbps", s->pcie_gbps > 0 ? doc_real(s->pcie_gbps) : doc_null());
    constants_put_rates(s, d);
    return d;
}

enum st server_finish(struct server *s, const doc *source, struct err *err)
{
    const doc *price = doc_get(source, "price_per_hour"), *provenance = doc_get(source, "provenance"),
              *ssd = doc_get(source, "ssd");
    bool assumed = !s->line_bytes;
    doc *d = doc_object();
    if (!d)
        return err_set(err, ST_LIMIT,
                       "out of memory for the description of the server; free some memory and try again");
    if (!s->line_bytes) s->line_bytes = LINE_BYTES_DEFAULT;
    server_find_cliques(s);
    set_fingerprint(s);
    doc_put(d, "schema", doc_text("server/1"));
    doc_put(d, "name", doc_text(s->name));
    doc_put(d, "description", doc_text(s->description[0] ? s->description : NULL));
    doc_put(d, "gpus", gpus_document(s));
    doc_put(d, "nvlinks", links_document(s));
    doc_put(d, "cliques", cliques_document(s));
    doc_put(d, "cls", doc_integer((int64_t)s->line_bytes));
    doc_put(d, "pcie", pcie_document(s));
    doc_put(d, "sockets", member_count(s->sockets, 0));
    doc_put(d, "cores", member_count(s->cores, 0));
    doc_put(d, "host_memory_bytes", member_count((int64_t)s->host_memory_bytes, 0));
    constants_put(s, d);
    if (!doc_is_null(price)) doc_put(d, "price_per_hour", doc_copy(price));
    if (!doc_is_null(ssd)) doc_put(d, "ssd", doc_copy(ssd));
    places_put(&s->places, d);
    doc_put(d, "fingerprint", doc_text(s->fingerprint));
    doc_put(d, "provenance", doc_is_array(provenance) ? doc_copy(provenance) : doc_array());
    doc_free(s->document); /* source may be part of it */
    s->document = d;
    if (assumed) server_provenance_add(s, "cls", "assumed", "64 bytes per PCIe read, the usual cache line");
    return ST_OK;
}
