#include "hwprofiles/model/server_provenance.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"

const char *const server_provenance_kinds[SERVER_PROVENANCE_KINDS + 1] = {"measured", "vendor", "assumed", NULL};

static doc *entries(const struct server *s) { return doc_get(s->document, "provenance"); }

static const char *text_of(const doc *entry, const char *key) { return doc_text_value(doc_get(entry, key), ""); }

void server_provenance_add(struct server *s, const char *what, const char *kind, const char *source)
{
    doc *entry = DOC(IS("what", what), IS("kind", kind), IS("source", source));
    doc_append(entries(s), entry);
}

void server_provenance_name_file(struct server *s, const char *file)
{
    const doc *list = entries(s);
    for (uint64_t i = 0; i < doc_size(list); i++) {
        char text[1000];
        doc *entry = doc_at(list, i);
        snprintf(text, sizeof text, "%.200s: %s", path_base(file), text_of(entry, "source"));
        doc_put(entry, "source", doc_text(text));
    }
}

bool server_provenance_assumed(const struct server *s, const char *what)
{
    const doc *list = entries(s);
    for (uint64_t i = 0; i < doc_size(list); i++)
        if (!strcmp(text_of(doc_at(list, i), "what"), what))
            return !strcmp(text_of(doc_at(list, i), "kind"), "assumed");
    return false;
}

void server_provenance_drop(struct server *s, const char *what)
{
    doc *old = entries(s), *kept = doc_array();
    for (uint64_t i = 0; i < doc_size(old); i++)
        if (strcmp(text_of(doc_at(old, i), "what"), what)) doc_append(kept, doc_copy(doc_at(old, i)));
    doc_put(s->document, "provenance", kept);
}

void server_provenance_drop_doubted(struct server *s)
{
    if (!s->pcie_doubted) return;
    s->pcie_generation = s->pcie_width = 0;
    s->pcie_gbps = 0;
    s->pcie_doubted = false;
    server_provenance_drop(s, "pcie");
}

bool server_host_rate_given(struct server *s, double gbps)
{
    if (!(gbps > 0) || s->host_memory_gbps > 0) return false;
    s->host_memory_gbps = gbps;
    doc_put(s->document, "host_memory_gbps", doc_real(gbps));
    server_provenance_add(s, "host_memory_gbps", "vendor", SERVER_HOST_OPTION);
    return true;
}

void server_provenance_copy(const struct server *s, const char *what, doc *list)
{
    const doc *all = entries(s);
    for (uint64_t i = 0; i < doc_size(all); i++)
        if (!strcmp(text_of(doc_at(all, i), "what"), what)) doc_append(list, doc_copy(doc_at(all, i)));
}
