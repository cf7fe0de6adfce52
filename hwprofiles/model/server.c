#include "hwprofiles/model/server.h"

#include "base/mem.h"

void server_release(struct server *s)
{
    doc_free(s->document);
    s->document = NULL;
}

void server_give_back(struct server **s)
{
    if (*s) server_release(*s);
    mem_free(*s);
}

int server_position_of(const struct server *s, int64_t id)
{
    for (int i = 0; i < s->gpus; i++)
        if (s->gpu[i].id == id) return i;
    return -1;
}

bool server_knows_switches(const struct server *s)
{
    for (int i = 0; i < s->gpus; i++)
        if (s->gpu[i].pcie_switch >= 0) return true;
    return false;
}

bool server_knows_sockets(const struct server *s)
{
    for (int i = 0; i < s->gpus; i++)
        if (s->gpu[i].socket >= 0) return true;
    return false;
}
