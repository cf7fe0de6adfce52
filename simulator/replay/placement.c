#include "simulator/replay/placement.h"

#include <string.h>

#include "base/mem.h"

void placement_release(struct placement *p)
{
    for (int g = 0; g < GPUS_MAX; g++) {
        mem_free(p->topology[g].id);
        mem_free(p->feature[g].id);
        mem_free(p->exact[g]);
    }
    memset(p, 0, sizeof *p);
}

enum st row_list_add(struct row_list *l, uint32_t id, struct err *err)
{
    enum st st = ST_OK;
    if (l->count == l->capacity) {
        uint64_t more = l->capacity ? l->capacity + l->capacity / 2 : 1024;
        GROW(l->id, more, "the rows of a plan");
        l->capacity = more;
    }
    l->id[l->count++] = id;
done:
    return st;
}

const char *topology_access_name(enum topology_access a)
{
    static const char *const names[] = {"gpu", "cpu", "samplers"};
    return names[a];
}

static void mark(const struct row_list *l, uint8_t value, uint8_t *where)
{
    for (uint64_t i = 0; i < l->count; i++) where[l->id[i]] = value;
}

void placement_locate(const struct placement *p, int g, const struct row_list *lists, uint64_t n, uint8_t *where)
{
    memset(where, 0, n);
    for (int i = p->peers[g] - 1; i >= 0; i--)
        mark(&lists[p->peer[g][i]], (uint8_t)(1 + p->peer[g][i]), where); /* the first peer writes last */
    mark(&lists[g], (uint8_t)(1 + g), where);
}
