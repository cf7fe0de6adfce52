/* server_read.c - the document is not trusted: everything is checked before it is used. server_fields.h has what each
 * key may be; here is what keys must be to each other. */
#include "hwprofiles/model/server_read.h"

#include <string.h>

#include "hwprofiles/model/server_cliques.h"
#include "hwprofiles/model/server_fields.h"
#include "hwprofiles/model/server_places.h"

/* Sorts GPUs by their ids, each of which comes once. */
static enum st order_gpus(struct server *s, const char *where, struct err *err)
{
    for (int i = 1; i < s->gpus; i++) {
        const struct server_gpu g = s->gpu[i];
        int at = i;
        for (; at > 0 && s->gpu[at - 1].id >= g.id; at--) {
            if (s->gpu[at - 1].id == g.id)
                return err_set(err, ST_INPUT,
                               "%s: gpus[%d] has the id %d, which another GPU has already; give every GPU an id of its "
                               "own",
                               where, i, g.id);
            s->gpu[at] = s->gpu[at - 1];
        }
        s->gpu[at] = g;
    }
    return ST_OK;
}

static enum st read_link(const doc *d, int n, const char *where, struct server *out, struct err *err)
{
    int a = (int)doc_count(d, "a"), b = (int)doc_count(d, "b");
    int i = server_position_of(out, a), j = server_position_of(out, b);
    if (i < 0 || j < 0)
        return err_set(err, ST_INPUT,
                       "%s: nvlinks[%d] joins GPUs %d and %d, but \"gpus\" lists no GPU %d; use the ids of that list",
                       where, n, a, b, i < 0 ? a : b);
    if (i == j) return err_set(err, ST_INPUT, "%s: nvlinks[%d] joins GPU %d with itself; remove it", where, n, a);
    if (out->links[i][j])
        return err_set(err, ST_INPUT,
                       "%s: nvlinks[%d] joins GPUs %d and %d, which an earlier link joins already; state each pair "
                       "once",
                       where, n, a, b);
    if (!doc_get(d, "links"))
        return err_set(err, ST_INPUT,
                       "%s: key \"nvlinks[%d].links\" is missing, expected an integer; null where it is not known",
                       where, n);
    bool uncounted = doc_is_null(doc_get(d, "links"));
    if (n && uncounted != out->links_uncounted)
        return err_set(err, ST_INPUT,
                       "%s: nvlinks[%d] states %s number of links, other than the pairs before it; state it for all "
                       "pairs, or null for all",
                       where, n, uncounted ? "no" : "a");
    out->links_uncounted = uncounted;
    out->links[i][j] = out->links[j][i] = uncounted ? 1 : (uint8_t)doc_count(d, "links");
    out->link_gbps[i][j] = out->link_gbps[j][i] = doc_real_value(doc_get(d, "gbps"), 0);
    return ST_OK;
}

static enum st read_links(const doc *d, const char *where, struct server *out, struct err *err)
{
    const doc *list = doc_get(d, "nvlinks");
    out->links_known = !doc_is_null(list);
    for (uint64_t i = 0; i < doc_size(list); i++) PASS(read_link(doc_at(list, i), (int)i, where, out, err));
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
    const doc *list = doc_get(d, "cliques");
    if (doc_is_null(list)) return ST_OK;
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

static enum st check_numbers(const struct server *s, const char *where, struct err *err)
{
    if (s->line_bytes % 4)
        return err_set(err, ST_INPUT,
                       "%s: \"cls\" (bytes of a PCIe read) is %llu, but a multiple of 4 is expected; current servers "
                       "have 64",
                       where, (unsigned long long)s->line_bytes);
    for (int i = 1; i < s->pcie_rates; i++)
        if (s->pcie_rate[i].payload_bytes <= s->pcie_rate[i - 1].payload_bytes)
            return err_set(err, ST_INPUT,
                           "%s: pcie: \"effective\" states %llu bytes after %llu; list the points by ascending "
                           "payload_bytes",
                           where, (unsigned long long)s->pcie_rate[i].payload_bytes,
                           (unsigned long long)s->pcie_rate[i - 1].payload_bytes);
    return ST_OK;
}

enum st server_read(const doc *d, const char *where, struct server *out, struct err *err)
{
    PASS(fields_read(server_fields, d, where, out, err));
    PASS(check_numbers(out, where, err));
    PASS(cpu_sampling_read(doc_get(d, "cpu_sampling"), where, &out->cpu_sampling, err));
    PASS(order_gpus(out, where, err));
    PASS(read_links(d, where, out, err));
    PASS(places_check(out, where, err));
    server_find_cliques(out);
    return check_cliques(d, where, out, err);
}
