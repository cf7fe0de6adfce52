#include "simulator/lib/idset.h"

#include <stdlib.h>
#include <string.h>

#include "simulator/lib/internal.h"

static uint64_t slots_for(uint64_t count)
{
    uint64_t slots = 16;
    while (slots < 2 * count) slots *= 2;
    return slots;
}

static uint64_t words_for(uint64_t n) { return n / 64 + 1; }

static bool few(uint64_t n, uint64_t count)
{
    return slots_for(count) * sizeof(uint32_t) < words_for(n) * sizeof(uint64_t);
}

uint64_t idset_bytes(uint64_t n, uint64_t count)
{
    return few(n, count) ? slots_for(count) * sizeof(uint32_t) : words_for(n) * sizeof(uint64_t);
}

bool idset_begin(struct idset *s, uint64_t n, uint64_t count)
{
    memset(s, 0, sizeof *s);
    s->mask = slots_for(count) - 1;
    if (few(n, count)) s->slot = lib_cleared(s->mask + 1, sizeof *s->slot);
    else s->bits = lib_cleared(words_for(n), sizeof *s->bits);
    return s->slot || s->bits;
}

bool idset_add(struct idset *s, uint32_t id)
{
    if (s->bits) {
        uint64_t bit = (uint64_t)1 << (id & 63), old = s->bits[id >> 6];
        s->bits[id >> 6] = old | bit;
        return old & bit;
    }
    if (id == UINT32_MAX) {
        bool was = s->last;
        s->last = true;
        return was;
    }
    uint64_t at = ((uint64_t)id * 0x9e3779b97f4a7c15u) >> 32;
    for (at &= s->mask; s->slot[at]; at = (at + 1) & s->mask)
        if (s->slot[at] == id + 1) return true;
    s->slot[at] = id + 1;
    return false;
}

void idset_end(struct idset *s)
{
    free(s->bits);
    free(s->slot);
    memset(s, 0, sizeof *s);
}
