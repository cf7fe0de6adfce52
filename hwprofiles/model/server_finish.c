#include "hwprofiles/model/server_finish.h"

#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "hwprofiles/model/server_cliques.h"
#include "hwprofiles/model/server_fields.h"
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
            DOC_PUT(d, IS("a", s->gpu[i].id), IS("b", s->gpu[j].id),
                    IS("links", s->links_uncounted ? doc_null() : doc_integer(s->links[i][j])));
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

/* What the table of keys does not hold, in no order. */
static doc *rest_of(const struct server *s, const doc *source)
{
    static const char *const copied[] = {"price_per_hour", "purchase_price", "ssd", NULL};
    const doc *provenance = doc_get(source, "provenance");
    doc *rest = DOC(IS("schema", "server/1"), IS("nvlinks", links_document(s)), IS("cliques", cliques_document(s)));
    if (s->cpu_sampling.threads) doc_put(rest, "cpu_sampling", cpu_sampling_rates(&s->cpu_sampling));
    for (const char *const *k = copied; *k; k++) doc_put_copy(rest, *k, doc_get(source, *k));
    doc_put(rest, "provenance", doc_is_array(provenance) ? doc_copy(provenance) : doc_array());
    return rest;
}

enum st server_finish(struct server *s, const doc *source, struct err *err)
{
    bool assumed = !s->line_bytes;
    OWNED_DOC doc *rest = NULL;
    doc *d = doc_object();
    if (!d)
        return err_set(err, ST_LIMIT,
                       "out of memory for the description of the server; free some memory and try again");
    if (!s->line_bytes) s->line_bytes = LINE_BYTES_DEFAULT;
    server_find_cliques(s);
    set_fingerprint(s);
    rest = rest_of(s, source);
    fields_put(server_fields, s, rest, d);
    if (!doc_whole(rest)) doc_put(d, "schema", NULL); /* the loss is that of the document */
    doc_free(s->document);                            /* source may be part of it */
    s->document = d;
    if (assumed) server_provenance_add(s, "cls", "assumed", "64 bytes per PCIe read, the usual cache line");
    return ST_OK;
}
