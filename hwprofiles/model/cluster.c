#include "hwprofiles/model/cluster.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

enum { ENTRIES_MAX = 64 };

/* ---- the document ---- */

struct entry {
    char server[PATH_BYTES];
    int count;
};

/* What the document states. */
struct stated {
    char name[64];
    struct entry entry[ENTRIES_MAX];
    int entries;
    bool rails;
    double nic_gbps, oversubscription;
};

#define S struct stated
static const struct field entry_fields[] = {{.key = "server",
                                             .kind = FIELD_TEXT,
                                             FIELD_TO(struct entry, server),
                                             .flags = FIELD_NEEDED | FIELD_WHOLE,
                                             .help = "A shipped profile, or a file; its path is relative to the folder "
                                                     "of this one."},
                                            {.key = "count",
                                             .kind = FIELD_INTEGER,
                                             FIELD_TO(struct entry, count),
                                             .low = 1,
                                             .high = CLUSTER_SERVERS_MAX,
                                             .flags = FIELD_NEEDED,
                                             .help = "How many of them."},
                                            FIELDS_END};
static const struct field network_fields[] = {{.key = "nic_gbps",
                                               .kind = FIELD_REAL,
                                               FIELD_TO(S, nic_gbps),
                                               .least = 1e-3,
                                               .most = 1000,
                                               .unit = "GB/s",
                                               .help = "Of every NIC in one direction; absent: those that the server "
                                                       "states."},
                                              {.key = "rails",
                                               .kind = FIELD_BOOL,
                                               FIELD_TO(S, rails),
                                               .help = "true: a NIC reaches only the NICs of its own rail, which "
                                                       "\"nics\" of the server states."},
                                              {.key = "oversubscription",
                                               .kind = FIELD_REAL,
                                               FIELD_TO(S, oversubscription),
                                               .least = 1,
                                               .most = 1000,
                                               .absent = 1,
                                               .help = "A node's NICs together send and receive at most 1 / "
                                                       "oversubscription of the sum of their rates; "
                                                       "absent: 1."},
                                              FIELDS_END};
static const char *const schemas[] = {"cluster/1", NULL};
const struct field cluster_fields[] =
    {{.key = "schema", .kind = FIELD_WORD, .words = schemas, .flags = FIELD_NEEDED, .help = "The name of this form."},
     {.key = "name", .kind = FIELD_TEXT, FIELD_TO(S, name), .flags = FIELD_WHOLE, .help = "The name of the cluster."},
     {.key = "description", .kind = FIELD_TEXT, .high = 255, .flags = FIELD_WHOLE, .help = "A sentence about it."},
     {.key = "servers",
      .kind = FIELD_LIST,
      FIELD_EACH(S, entry, entries),
      .of = entry_fields,
      .least = 1,
      .flags = FIELD_NEEDED,
      .help = "2 to 64 servers with at most 72 GPUs together. All entries name the same server."},
     {.key = "network", .kind = FIELD_OBJECT, .of = network_fields, .help = "The network between them."},
     FIELDS_END};

/* A server's file lies in the folder of the cluster file, unless its path is absolute. */
static enum st source_of(const char *word, const char *path, char out[PATH_BYTES], struct err *err)
{
    char folder[PATH_BYTES];
    size_t length = (size_t)(path_base(path) - path);
    if (server_is_shipped(word) || *word == '/' || !length) {
        if (snprintf(out, PATH_BYTES, "%s", word) >= PATH_BYTES)
            return err_set(err, ST_INPUT, "%s: the name of a server is longer than %d bytes", path, PATH_BYTES - 1);
        return ST_OK;
    }
    if (length >= sizeof folder) return err_set(err, ST_INPUT, "%s: the path is too long", path);
    memcpy(folder, path, length);
    folder[length] = 0;
    return path_join(out, folder, word, err);
}

/* Adds up the entries, which name one server. */
static enum st count_servers(const struct stated *stated, const char *path, struct cluster *c, struct err *err)
{
    for (int i = 0; i < stated->entries; i++) {
        if (strcmp(stated->entry[0].server, stated->entry[i].server))
            return err_set(err, ST_INPUT,
                           "%s: servers[%d] is \"%.60s\", but servers[0] is \"%.60s\"; unequal servers cannot be "
                           "planned, because parts in proportion to a server's GPUs and routes between unequal NICs "
                           "are missing; list one server, or plan each kind by itself",
                           path, i, stated->entry[i].server, stated->entry[0].server);
        c->servers += stated->entry[i].count;
    }
    if (c->servers < CLUSTER_SERVERS_MIN || c->servers > CLUSTER_SERVERS_MAX)
        return err_set(err, ST_INPUT, "%s: lists %d server%s, but a network of %d to %d is expected", path, c->servers,
                       c->servers == 1 ? "" : "s", CLUSTER_SERVERS_MIN, CLUSTER_SERVERS_MAX);
    return ST_OK;
}

/* What the network needs to know of every NIC. */
static enum st check_nics(const char *path, const char *word, struct cluster *c, double nic_gbps, struct err *err)
{
    struct server_places *p = &c->server.places;
    if (!p->nics)
        return err_set(err, ST_INPUT,
                       "%s: server %.100s states no NIC; add \"nics\" to its file, as [{\"name\": \"mlx5_0\", "
                       "\"gbps\": 25, \"switch\": 0}]",
                       path, word);
    for (int i = 0; i < p->nics; i++) {
        struct server_nic *n = &p->nic[i];
        if (nic_gbps > 0) n->gbps = nic_gbps;
        if (!(n->gbps > 0))
            return err_set(err, ST_INPUT,
                           "%s: server %.100s: nics[%d] (%s) has no rate; state its \"gbps\", or \"nic_gbps\" of the "
                           "network",
                           path, word, i, n->name);
        if (c->rails && n->rail < 0)
            return err_set(err, ST_INPUT,
                           "%s: the network has rails, but server %.100s does not state that of nics[%d] (%s); add "
                           "\"rail\" there, or write \"rails\": false",
                           path, word, i, n->name);
    }
    return ST_OK;
}

enum st cluster_load(const char *path, struct cluster *out, struct err *err)
{
    enum st st;
    char source[PATH_BYTES];
    struct cluster *c = NULL;
    struct stated *stated = NULL;
    OWNED_DOC doc *d = NULL;
    TRY(doc_load(path, "cluster/1", &d, err));
    NEW(c, 1, "the description of a cluster");
    NEW(stated, 1, "the description of a cluster");
    TRY(fields_read(cluster_fields, d, path, stated, err));
    TRY(count_servers(stated, path, c, err));
    memcpy(c->name, stated->name, sizeof c->name);
    c->rails = stated->rails;
    c->oversubscription = stated->oversubscription;
    const char *word = stated->entry[0].server;
    TRY(source_of(word, path, source, err));
    st = server_load(source, &c->server, err);
    if (st != ST_OK) TRY(err_prefix(err, "%s: ", path));
    TRY(check_nics(path, word, c, stated->nic_gbps, err));
    if (c->servers * c->server.gpus > SERVER_GPUS_MAX)
        FAIL(ST_INPUT, "%s: %d servers of %d GPUs have more than %d GPUs together; lower \"count\"", path, c->servers,
             c->server.gpus, SERVER_GPUS_MAX);
    *out = *c;
    memset(&c->server, 0, sizeof c->server);
done:
    if (c) cluster_release(c);
    mem_free(c);
    mem_free(stated);
    return st;
}

void cluster_release(struct cluster *c) { server_release(&c->server); }
