#include "planner/tiers/tier_machine.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Numbers of the sockets that the server's GPUs and NUMA nodes are on, ascending; one of -1 where a GPU's is not known.
 */
struct sockets {
    int count, number[SERVER_GPUS_MAX + SERVER_NUMA_MAX];
};

static void add_socket(struct sockets *s, int number)
{
    int at = s->count;
    for (int i = 0; i < s->count; i++)
        if (s->number[i] == number) return;
    for (; at > 0 && s->number[at - 1] > number; at--) s->number[at] = s->number[at - 1];
    s->number[at] = number;
    s->count++;
}

static struct sockets sockets_of(const struct server *server)
{
    struct sockets s = {0};
    for (int i = 0; i < server->places.numas; i++)
        if (server->places.numa[i].socket >= 0) add_socket(&s, server->places.numa[i].socket);
    for (int g = 0; g < server->gpus; g++) {
        if (server->gpu[g].socket < 0) return (struct sockets){.count = 1, .number = {-1}};
        add_socket(&s, server->gpu[g].socket);
    }
    return s;
}

/* "GPU 3", "GPUs 0-3" or "GPUs 0,2,5". */
static void name_gpus(const struct server *s, int clique, char *to, size_t size)
{
    int count = s->clique_size[clique], first = s->gpu[s->clique[clique][0]].id,
        last = s->gpu[s->clique[clique][count - 1]].id;
    text_append(to, size, "GPU%s %d", count > 1 ? "s" : "", first);
    if (count > 1 && last - first == count - 1) text_append(to, size, "-%d", last);
    else
        for (int i = 1; i < count; i++) text_append(to, size, ",%d", s->gpu[s->clique[clique][i]].id);
}

static void name_place(const struct tier_request *r, struct tier_place *p)
{
    char *to = p->name;
    size_t size = sizeof p->name;
    *to = '\0';
    if (p->kind == TIER_SSD) {
        text_append(to, size, "SSDs%s", r->nodes > 1 ? " of each node" : "");
        return;
    }
    if (r->nodes > 1) text_append(to, size, "node %d ", p->node);
    if (p->kind == TIER_DRAM && p->socket < 0) text_append(to, size, "DRAM");
    else if (p->kind == TIER_DRAM) text_append(to, size, "DRAM of socket %d", p->socket);
    if (p->kind == TIER_GPUS) name_gpus(r->server, p->clique, to, size);
}

static void add_place(const struct tier_request *r, struct tier_place p, struct tier_machine *m)
{
    name_place(r, &p);
    m->place[m->places++] = p;
}

static void add_node(const struct tier_request *r, const struct sockets *s, int node, struct tier_machine *m)
{
    const struct server *server = r->server;
    for (int c = 0; c < server->cliques; c++) {
        struct tier_place p = {.kind = TIER_GPUS, .node = node, .clique = c, .socket = -1};
        for (int i = 0; i < server->clique_size[c]; i++) p.capacity += r->budget[server->clique[c][i]];
        add_place(r, p, m);
    }
    for (int k = 0; k < (m->one_dram ? 1 : s->count); k++)
        add_place(r,
                  (struct tier_place){.kind = TIER_DRAM,
                                      .node = node,
                                      .clique = -1,
                                      .socket = m->one_dram ? -1 : s->number[k],
                                      .capacity = r->host_bytes / (uint64_t)(m->one_dram ? 1 : s->count)},
                  m);
}

/* The reader with this node, clique and socket; a new one when there is none. */
static struct tier_reader *find_reader(struct tier_machine *m, int node, int clique, int socket)
{
    for (int i = 0; i < m->readers; i++) {
        struct tier_reader *x = &m->reader[i];
        if (x->node == node && x->clique == clique && x->socket == socket) return x;
    }
    if (m->readers == TIER_READERS_MAX) return NULL;
    m->reader[m->readers] = (struct tier_reader){.node = node, .clique = clique, .socket = socket};
    return &m->reader[m->readers++];
}

static enum st add_readers(const struct tier_request *r, struct tier_machine *m, struct err *err)
{
    for (int node = 0; node < r->nodes; node++)
        for (int g = 0; g < r->server->gpus; g++) {
            int socket = m->one_dram ? -1 : r->server->gpu[g].socket;
            struct tier_reader *x = find_reader(m, node, r->server->clique_of[g], socket);
            if (!x)
                return err_set(err, ST_NO,
                               "%d x %s: more than %d groups of GPUs, but no more can be planned as one problem; take "
                               "fewer nodes",
                               r->nodes, r->server->name, TIER_READERS_MAX);
            x->gpu[x->gpus++] = g;
        }
    return ST_OK;
}

enum st tier_machine_make(const struct tier_request *r, struct tier_machine *out, struct err *err)
{
    enum st st;
    struct sockets s = sockets_of(r->server);
    int ssd = r->drives.count > 0;
    memset(out, 0, sizeof *out);
    out->one_dram = s.count < 2 || r->nodes * (r->server->cliques + s.count) + ssd > PLACES_MAX;
    if (r->nodes * (r->server->cliques + (out->one_dram ? 1 : s.count)) + ssd > PLACES_MAX)
        FAIL(ST_NO,
             "%d x %s: cliques of GPUs and DRAM%s are %d memories, but at most %d can be planned as one problem; take "
             "fewer nodes or a server with fewer cliques, or plan tier by tier: 'hotset plan', then 'hotset nodes' and "
             "'hotset storage'",
             r->nodes, r->server->name, ssd ? " of each node, and SSDs" : " of each node",
             r->nodes * (r->server->cliques + 1) + ssd, PLACES_MAX);
    for (int node = 0; node < r->nodes; node++) add_node(r, &s, node, out);
    if (ssd)
        add_place(r,
                  (struct tier_place){.kind = TIER_SSD, .node = -1, .clique = -1, .socket = -1, .capacity = UINT64_MAX},
                  out);
    TRY(add_readers(r, out, err));
    TRY(tier_costs_set(r, out, err));
done:
    return st;
}

place_set tier_places_of(const struct tier_machine *m, enum tier_kind kind)
{
    place_set set = 0;
    for (int k = 0; k < m->places; k++) set |= m->place[k].kind == kind ? (place_set)(1u << k) : 0;
    return set;
}

place_set tier_homes(const struct tier_machine *m)
{
    return tier_places_of(m, TIER_DRAM) | tier_places_of(m, TIER_SSD);
}

int tier_reader_of(const struct tier_machine *m, int node, int position)
{
    for (int i = 0; i < m->readers; i++)
        for (int k = 0; m->reader[i].node == node && k < m->reader[i].gpus; k++)
            if (m->reader[i].gpu[k] == position) return i;
    return -1;
}
