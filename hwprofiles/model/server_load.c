/* server_load.c - servers from files and from the shipped profiles (declared in server.h). */
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "hwprofiles/model/profiles.h"
#include "hwprofiles/model/server_finish.h"
#include "hwprofiles/model/server_name.h"
#include "hwprofiles/model/server_read.h"
#include "hwprofiles/model/server_subset.h"

/* ---- shipped profiles ---- */

const char *const *server_names(void) { return profiles_names; }

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
                   "%s is neither a file nor a shipped server profile; hotset list servers shows the profiles and "
                   "their GPUs",
                   source);
}

/* A better message for a file that server import can read. */
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
                   "first: hotset server import %s -o S.json",
                   path, path);
}

/* The server's document in the plan directory `source` (that of its first node, where it has several); *d: owned by the
 * caller. */
static enum st load_of_plan(const char *source, doc **d, struct err *err)
{
    static const char *const documents[] = {"plan.json", "node0/plan.json"};
    char where[PATH_BYTES];
    OWNED_DOC doc *plan = NULL;
    for (size_t i = 0; i < sizeof documents / sizeof *documents && !*d; i++) {
        bool plain, several;
        PASS(path_join(where, source, documents[i], err));
        if (!file_exists(where)) continue;
        PASS(doc_has_schema(where, "plan/1", &plain, err));
        PASS(doc_has_schema(where, "plan/2", &several, err));
        if (!plain && !several) continue;
        PASS(doc_load(where, plain ? "plan/1" : "plan/2", &plan, err));
        *d = doc_copy(doc_get(doc_get(plan, "server"), "document"));
        doc_free(plan);
        plan = NULL;
    }
    if (!*d)
        return err_set(err, ST_INPUT,
                       "%s: is a folder, and no plan that contains its server; name a server file, a shipped profile, "
                       "or a plan of this version",
                       source);
    return ST_OK;
}

/* Loads the whole server from a file, a plan or a shipped profile. */
static enum st load_whole(const char *source, struct server *s, doc **d, struct err *err)
{
    enum st st = ST_OK;
    if (file_is_directory(source) && !profile_find(source)) TRY(load_of_plan(source, d, err));
    else if (file_exists(source) && !file_is_directory(source)) {
        st = doc_load(source, "server/1", d, err);
        if (st == ST_INPUT) TRY(explain_foreign(source, err));
        if (st != ST_OK) goto done;
    } else {
        const struct profile *p = profile_find(source);
        if (!p) TRY(no_such_source(source, err));
        TRY(doc_parse(p->json, strlen(p->json), source, d, err));
    }
    TRY(server_read(*d, source, s, err));
    if (!s->name[0]) server_default_name(source, s->name, sizeof s->name);
done:
    return st;
}

enum st server_load(const char *source, struct server *out, struct err *err)
{
    OWNED_SERVER struct server *s = NULL;
    OWNED_DOC doc *d = NULL;
    char whole[PATH_BYTES];
    const char *part = file_exists(source) ? NULL : server_subset_split(source, whole, sizeof whole);
    MAKE(s, 1, "the description of a server");
    PASS(load_whole(part ? whole : source, s, &d, err));
    if (part) PASS(server_subset(s, part, err));
    PASS(server_finish(s, d, err));
    *out = *s;
    s->document = NULL;
    return ST_OK;
}

enum st server_of_document(const doc *d, const char *where, struct server *out, struct err *err)
{
    OWNED_SERVER struct server *s = NULL;
    MAKE(s, 1, "the description of a server");
    PASS(server_read(d, where, s, err));
    PASS(server_finish(s, d, err));
    *out = *s;
    s->document = NULL;
    return ST_OK;
}
