#include "hwprofiles/model/cluster.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "hwprofiles/model/server_members.h"

enum { ENTRIES_MAX = 64, WHERE_BYTES = PATH_BYTES + 32 };
static const double nic_gbps_max = 1000, oversubscription_max = 1000;

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

/* Adds up the entries; *word gets the server that all of them name. */
static enum st read_servers(const doc *d, const char *path, struct cluster *c, const char **word, struct err *err)
{
    static const char *const keys[] = {"server", "count", NULL};
    doc *list;
    PASS(doc_need_array(d, "servers", path, &list, err));
    if (!doc_size(list) || doc_size(list) > ENTRIES_MAX)
        return err_set(err, ST_INPUT, "%s: \"servers\" has %llu entries, but 1 to %d are expected", path,
                       (unsigned long long)doc_size(list), ENTRIES_MAX);
    *word = NULL;
    for (uint64_t i = 0; i < doc_size(list); i++) {
        char here[WHERE_BYTES];
        const char *one;
        int64_t count;
        snprintf(here, sizeof here, "%s: servers[%llu]", path, (unsigned long long)i);
        if (!doc_is_object(doc_at(list, i)))
            return err_set(err, ST_INPUT,
                           "%s is not an object; write it as {\"server\": \"p4d.24xlarge\", \"count\": 4}", here);
        PASS(doc_only_keys(doc_at(list, i), keys, here, err));
        PASS(doc_need_text(doc_at(list, i), "server", here, &one, err));
        PASS(doc_need_integer(doc_at(list, i), "count", 1, CLUSTER_SERVERS_MAX, here, &count, err));
        if (*word && strcmp(*word, one))
            return err_set(err, ST_INPUT,
                           "%s is \"%.60s\", but servers[0] is \"%.60s\"; unequal servers cannot be planned, because "
                           "parts in proportion to a server's GPUs and routes between unequal NICs are missing; list "
                           "one server, or plan each kind by itself",
                           here, one, *word);
        *word = one;
        c->servers += (int)count;
    }
    if (c->servers < CLUSTER_SERVERS_MIN || c->servers > CLUSTER_SERVERS_MAX)
        return err_set(err, ST_INPUT, "%s: lists %d server%s, but a network of %d to %d is expected", path, c->servers,
                       c->servers == 1 ? "" : "s", CLUSTER_SERVERS_MIN, CLUSTER_SERVERS_MAX);
    return ST_OK;
}

static enum st read_network(const doc *d, const char *path, struct cluster *c, double *nic_gbps, struct err *err)
{
    static const char *const keys[] = {"nic_gbps", "rails", "oversubscription", NULL};
    char here[WHERE_BYTES];
    const doc *network = doc_get(d, "network");
    c->oversubscription = 1;
    if (doc_is_null(network)) return ST_OK;
    snprintf(here, sizeof here, "%s: network", path);
    if (!doc_is_object(network))
        return err_set(err, ST_INPUT, "%s is not an object; write its members as {\"nic_gbps\": 25, \"rails\": true}",
                       here);
    PASS(doc_only_keys(network, keys, here, err));
    PASS(member_real(network, "nic_gbps", 1e-3, nic_gbps_max, here, nic_gbps, err));
    PASS(member_real(network, "oversubscription", 1, oversubscription_max, here, &c->oversubscription, err));
    const doc *rails = doc_get(network, "rails");
    if (!doc_is_null(rails) && doc_bool_value(rails, true) != doc_bool_value(rails, false)) /* no truth value */
        return err_set(err, ST_INPUT,
                       "%s: \"rails\" must be true or false; the rail of a NIC is stated in \"nics\" of the server",
                       here);
    c->rails = doc_bool_value(rails, false);
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
    static const char *const keys[] = {"schema", "name", "description", "servers", "network", NULL};
    enum st st;
    char source[PATH_BYTES], description[256];
    const char *word = NULL;
    double nic_gbps = 0;
    struct cluster *c = NULL;
    OWNED_DOC doc *d = NULL;
    TRY(doc_load(path, "cluster/1", &d, err));
    NEW(c, 1, "the description of a cluster");
    TRY(doc_only_keys(d, keys, path, err));
    TRY(member_text(d, "name", path, c->name, sizeof c->name, err));
    TRY(member_text(d, "description", path, description, sizeof description, err));
    TRY(read_servers(d, path, c, &word, err));
    TRY(read_network(d, path, c, &nic_gbps, err));
    TRY(source_of(word, path, source, err));
    st = server_load(source, &c->server, err);
    if (st != ST_OK) TRY(err_prefix(err, "%s: ", path));
    TRY(check_nics(path, word, c, nic_gbps, err));
    if (c->servers * c->server.gpus > SERVER_GPUS_MAX)
        FAIL(ST_INPUT, "%s: %d servers of %d GPUs have more than %d GPUs together; lower \"count\"", path, c->servers,
             c->server.gpus, SERVER_GPUS_MAX);
    *out = *c;
    memset(&c->server, 0, sizeof c->server);
done:
    if (c) cluster_release(c);
    mem_free(c);
    return st;
}

void cluster_release(struct cluster *c) { server_release(&c->server); }
