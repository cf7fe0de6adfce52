#include "hwprofiles/model/server_reach.h"

#include <string.h>

#include "hwprofiles/model/server_cliques.h"

static const char *const names[] = {"direct", "own", "direct", "forward", "p2p"};

const char *reach_name(enum server_reach r) { return names[r]; }

enum server_reach reach_of(const char *name)
{
    for (int r = REACH_OWN; name && r <= REACH_P2P; r++)
        if (!strcmp(name, names[r])) return (enum server_reach)r;
    return REACH_DEFAULT;
}

/* Numbers the islands: GPUs that NVLinks join, directly or over others. */
static void find_islands(struct server *s)
{
    int queue[SERVER_GPUS_MAX];
    for (int g = 0; g < s->gpus; g++) s->island[g] = -1;
    for (int first = 0; first < s->gpus; first++) {
        int count = 0;
        if (s->island[first] >= 0) continue;
        s->island[first] = first;
        queue[count++] = first;
        for (int i = 0; i < count; i++)
            for (int g = 0; g < s->gpus; g++) {
                if (s->island[g] >= 0 || !s->links[queue[i]][g]) continue;
                s->island[g] = first;
                queue[count++] = g;
            }
    }
}

enum st server_set_reach(struct server *s, enum server_reach reach, struct err *err)
{
    if (reach == REACH_P2P && s->gpus > 1 && !server_knows_switches(s))
        return err_set(err, ST_USAGE,
                       "--peer-access p2p: the PCIe switches of server %s are not known; describe them (\"switch\" of "
                       "each GPU in its JSON file), or take --peer-access forward",
                       s->name);
    s->reach = reach;
    find_islands(s);
    server_find_cliques(s);
    return ST_OK;
}

bool server_same_switch(const struct server *s, int a, int b)
{
    return s->gpu[a].pcie_switch >= 0 && s->gpu[a].pcie_switch == s->gpu[b].pcie_switch;
}

bool server_reads(const struct server *s, int reader, int holder)
{
    bool joined = s->reach >= REACH_FORWARD ? s->island[reader] == s->island[holder] : s->links[reader][holder] > 0;
    if (reader == holder || s->reach == REACH_OWN) return false;
    return joined || (s->reach == REACH_P2P && server_same_switch(s, reader, holder));
}
