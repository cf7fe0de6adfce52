#include "planner/places/place_pages.h"

#include <string.h>

#include "base/mem.h"
#include "planner/policies/density.h"

enum { PAGE_BYTES = 4096 };

static const char *const names[] = {"place", "interleave", "replicate"};

const char *socket_rows_name(enum socket_rows w) { return names[w]; }

enum socket_rows socket_rows_of(const char *word)
{
    int w = 0;
    while (strcmp(word, names[w])) w++;
    return (enum socket_rows)w;
}

/* Pages in turn; a row whose socket is full is on the next one with room, or on SSDs. */
static enum st turn_pages(const struct place_problem *p, uint64_t *room, struct place_solution *s, struct err *err)
{
    const uint64_t sockets = (uint64_t)p->homes;
    for (uint64_t i = 0, at = 0; i < p->rows; at += p->bytes[i++]) {
        uint64_t k = at / PAGE_BYTES % sockets, tried = 0;
        for (; tried < sockets && p->bytes[i] > room[k]; tried++) k = (k + 1) % sockets;
        if (tried == sockets && place_needs_home(p, i))
            return err_set(err, ST_NO,
                           "--host-memory: pages in turn leave no socket room for all rows, which are not split; give "
                           "more, or SSDs (--ssd)");
        if (tried == sockets || !p->bytes[i]) continue;
        room[k] -= p->bytes[i];
        place_add(place_set_of(s, i), (int)k);
    }
    return ST_OK;
}

/* Puts row i on all sockets, if each of them has room. */
static void copy_everywhere(const struct place_problem *p, uint64_t i, uint64_t *room, uint8_t *set)
{
    for (int k = 0; k < p->homes; k++)
        if (!place_holds(set, k) && p->bytes[i] > room[k]) return;
    for (int k = 0; k < p->homes; k++)
        if (!place_holds(set, k)) {
            room[k] -= p->bytes[i];
            place_add(set, k);
        }
}

/* The hottest rows everywhere, by the bytes of all their reads per byte that they take. */
static enum st copy_hottest(const struct place_problem *p, const uint64_t *read_bytes, const struct kernels *kernels,
                            int threads, uint64_t *room, struct place_solution *s, struct err *err)
{
    OWNED_NEW(uint64_t, key, p->rows + 1, "the order of rows");
    OWNED_NEW(uint32_t, order, p->rows + 1, "the order of rows");
    for (uint64_t i = 0; i < p->rows; i++) {
        double sum = 0;
        for (int r = 0; r < p->readers; r++) sum += (double)p->demand[r][i] * (double)read_bytes[place_read_kind(p, i)];
        key[i] = p->bytes[i] ? density_key(sum, p->bytes[i]) : 0;
    }
    PASS(kernels->sort_hottest(threads, key, p->rows, order, err));
    for (uint64_t k = 0; k < p->rows && key[order[k]]; k++)
        copy_everywhere(p, order[k], room, place_set_of(s, order[k]));
    return ST_OK;
}

enum st place_pages(const struct place_problem *p, const uint64_t *read_bytes, const struct kernels *k, int threads,
                    struct place_solution *out, struct err *err)
{
    uint64_t room[PLACE_HOMES_MAX];
    memcpy(room, p->capacity, (size_t)p->homes * sizeof *room);
    out->stride = place_stride(p);
    MAKE(out->held, p->rows * (uint64_t)out->stride + 1, "the places of rows");
    PASS(turn_pages(p, room, out, err));
    if (read_bytes) PASS(copy_hottest(p, read_bytes, k, threads, room, out, err));
    return place_judge(p, out, err);
}
