/* server.c - loading, completing and importing servers. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/model/profiles.h"
#include "hwprofiles/model/server_doc.h"
#include "hwprofiles/model/server_subset.h"

enum { LINE_BYTES_DEFAULT = 64 };

void server_release(struct server *s)
{
    doc_free(s->document);
    s->document = NULL;
}

/* ---- names ---- */

enum { NAMES_MAX = 256 };

/* The only state of this floor: the shipped table seen as plain names, filled once and never changed. */
static const char *names[NAMES_MAX + 1];
static pthread_once_t names_once = PTHREAD_ONCE_INIT;

static void names_fill(void)
{
    for (int i = 0; i < NAMES_MAX && profiles_shipped[i].name; i++) names[i] = profiles_shipped[i].name;
}

const char *const *server_names(void)
{
    pthread_once(&names_once, names_fill);
    return names;
}

static const struct profile *profile_find(const char *name)
{
    for (const struct profile *p = profiles_shipped; p->name; p++)
        if (!strcmp(p->name, name)) return p;
    return NULL;
}

bool server_is_shipped(const char *source)
{
    char whole[PATH_BYTES];
    return profile_find(server_subset_split(source, whole, sizeof whole) ? whole : source) != NULL;
}

void server_default_name(const char *path, char *out, size_t size)
{
    char *dot;
    snprintf(out, size, "%.*s", (int)size - 1, path_base(path));
    dot = strrchr(out, '.');
    if (dot && dot != out) *dot = 0;
    for (char *c = out; *c; c++)
        if ((signed char)*c < 32 || *c == 127)
            *c = '_'; /* bytes beyond ASCII, too: cutting may have split a character */
}

/* ---- the fingerprint ---- */

/* Hashes what planning uses, in a form that does not depend on the machine. */
static void fingerprint(struct server *s)
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

static doc *count_or_null(int64_t v, int64_t unknown) { return v == unknown ? doc_null() : doc_integer(v); }

static doc *gpus_document(const struct server *s)
{
    doc *list = doc_array();
    for (int i = 0; i < s->gpus; i++) {
        const struct server_gpu *g = &s->gpu[i];
        doc *d = doc_object();
        doc_put(d, "id", doc_integer(g->id));
        doc_put(d, "model", doc_text(g->model[0] ? g->model : NULL));
        doc_put(d, "memory_bytes", count_or_null((int64_t)g->memory_bytes, 0));
        doc_put(d, "switch", count_or_null(g->pcie_switch, -1));
        doc_put(d, "socket", count_or_null(g->socket, -1));
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
    if (!s->pcie_generation && !s->pcie_width && !(s->pcie_gbps > 0) && !s->pcie_rates) return doc_null();
    d = doc_object();
    doc_put(d, "generation", count_or_null(s->pcie_generation, 0));
    doc_put(d, "width", count_or_null(s->pcie_width, 0));
    doc_put(d, "gbps", s->pcie_gbps > 0 ? doc_real(s->pcie_gbps) : doc_null());
    constants_put_rates(s, d);
    return d;
}

void server_provenance_add(struct server *s, const char *what, const char *kind, const char *source)
{
    doc *line = doc_object();
    doc_put(line, "what", doc_text(what));
    doc_put(line, "kind", doc_text(kind));
    doc_put(line, "source", doc_text(source));
    doc_append(doc_get(s->document, "provenance"), line);
}

enum st server_finish(struct server *s, const doc *source, struct err *err)
{
    enum st st = ST_OK;
    const doc *price = doc_get(source, "price_per_hour"), *provenance = doc_get(source, "provenance");
    bool invented = !s->line_bytes;
    doc *d = doc_object();
    if (!d) FAIL(ST_LIMIT, "out of memory for the description of the server; free some memory and try again");
    if (!s->line_bytes) s->line_bytes = LINE_BYTES_DEFAULT;
    server_find_cliques(s);
    fingerprint(s);
    doc_put(d, "schema", doc_text("server/1"));
    doc_put(d, "name", doc_text(s->name));
    doc_put(d, "description", doc_text(s->description[0] ? s->description : NULL));
    doc_put(d, "gpus", gpus_document(s));
    doc_put(d, "nvlinks", links_document(s));
    doc_put(d, "cliques", cliques_document(s));
    doc_put(d, "cls", doc_integer((int64_t)s->line_bytes));
    doc_put(d, "pcie", pcie_document(s));
    doc_put(d, "sockets", count_or_null(s->sockets, 0));
    doc_put(d, "cores", count_or_null(s->cores, 0));
    doc_put(d, "host_memory_bytes", count_or_null((int64_t)s->host_memory_bytes, 0));
    constants_put(s, d);
    if (!doc_is_null(price)) doc_put(d, "price_per_hour", doc_copy(price));
    doc_put(d, "fingerprint", doc_text(s->fingerprint));
    doc_put(d, "provenance", doc_is_array(provenance) ? doc_copy(provenance) : doc_array());
    doc_free(s->document); /* source may lie in it, so only now */
    s->document = d;
    if (invented) server_provenance_add(s, "cls", "assumed", "64 bytes per PCIe read, the usual cache line");
done:
    return st;
}

/* ---- load ---- */

static enum st no_such_source(const char *source, struct err *err)
{
    const char *near = text_nearest(source, server_names());
    if (near)
        return err_set(err, ST_INPUT,
                       "%s is neither a file nor a shipped server profile; did you mean \"%s\"? (hotset list servers "
                       "shows all)",
                       source, near);
    return err_set(err, ST_INPUT,
                   "%s is neither a file nor a shipped server profile; hotset list servers shows the profiles", source);
}

/* Loading a file that server import would take deserves better than a JSON complaint. */
static enum st explain_foreign(const char *path, struct err *err)
{
    struct mapping map = {0};
    struct err ignored = {0};
    const char *text;
    uint64_t at = 0;
    bool json;
    if (file_map(path, &map, &ignored) != ST_OK) return err->code;
    text = map.base;
    while (at < map.bytes && strchr(" \t\r\n", text[at]) && text[at]) at++;
    json = at < map.bytes && text[at] == '{';
    file_unmap(&map);
    if (json) return err->code;
    return err_set(err, ST_INPUT,
                   "%s is not a server document (JSON, schema server/1); if it is nvidia-smi topo -m text, convert it "
                   "first: "
                   "hotset server import %s -o S.json",
                   path, path);
}

/* The whole server behind a file or a profile's name. */
static enum st load_whole(const char *source, struct server *s, doc **d, struct err *err)
{
    enum st st = ST_OK;
    if (file_exists(source) && !file_is_directory(source)) {
        st = doc_load(source, "server/1", d, err);
        if (st == ST_INPUT) TRY(explain_foreign(source, err));
        if (st != ST_OK) goto done;
    } else {
        const struct profile *p = profile_find(source);
        if (!p) TRY(no_such_source(source, err));
        TRY(doc_parse(p->json, strlen(p->json), source, d, err));
    }
    TRY(server_from_document(*d, source, s, err));
    if (!s->name[0]) server_default_name(source, s->name, sizeof s->name);
done:
    return st;
}

enum st server_load(const char *source, struct server *out, struct err *err)
{
    enum st st = ST_OK;
    struct server *s = NULL;
    doc *d = NULL;
    char whole[PATH_BYTES];
    const char *part = file_exists(source) ? NULL : server_subset_split(source, whole, sizeof whole);
    NEW(s, 1, "the description of a server");
    TRY(load_whole(part ? whole : source, s, &d, err));
    if (part) TRY(server_subset(s, part, err));
    TRY(server_finish(s, d, err));
    *out = *s;
    s->document = NULL;
done:
    if (s) server_release(s);
    mem_free(s);
    doc_free(d);
    return st;
}
