/* tally.c - the counting of a replay in chunks of vertices. The counts of a chunk are computed once and summed for
 * every placement while they are in the cache. The sums of a chunk are added to the shared ones atomically, once per
 * chunk. */
#include <string.h>
#include "base/mem.h"
#include "kernels/cpu/cpu.h"
#include "kernels/tally_vertex.h"

enum { CHUNK = 1 << 14 };

struct session {
    struct tally_problem p;
    struct tally_rule rule;
    struct tally_seen *seen; /* [team][CHUNK] */
    struct tally_sums *part; /* [team] */
    int team;
};

static void session_close(void *of)
{
    struct session *s = of;
    if (!s) return;
    mem_free(s->seen);
    mem_free(s->part);
    mem_free(s);
}

static enum st session_open(int threads, const struct tally_problem *p, void **out, struct err *err)
{
    enum st st = ST_OK;
    struct session *s = NULL;

    NEW(s, 1, "the simulator's sums");
    *s = (struct session){.p = *p, .rule = tally_rule_of(p), .team = cpu_team(threads, p->n)};
    NEW(s->seen, (uint64_t)s->team * (p->n < CHUNK ? p->n : CHUNK), "the simulator's chunks");
    NEW(s->part, s->team, "the simulator's sums");
    *out = TAKE(s);
done:
    session_close(s);
    return st;
}

static uint64_t gather_chunk(const struct session *s, const struct tally_counts *c, uint64_t from, uint64_t to,
                             struct tally_seen *out, struct tally_hops *hops)
{
    uint64_t count = 0;
    for (uint64_t v = from; v < to; v++)
        if (c->feature[v])
            out[count++] = tally_see(&s->rule, c, v, v, (uint64_t)(s->p.indptr[v + 1] - s->p.indptr[v]), hops);
    return count;
}

static void tally_chunk(const struct tally_seen *seen, uint64_t count, const uint8_t *topology, const uint8_t *feature,
                        struct tally_sums *t)
{
    for (uint64_t i = 0; i < count; i++) {
        const struct tally_seen *s = &seen[i];
        uint8_t p = topology[s->v], f = feature[s->v];
        t->rows[f] += s->rows;
        t->visits[p] += s->visits;
        t->draws[p] += s->draws;
        t->degrees[p] += s->degrees;
        t->entries[p] += s->entries;
        t->lines += s->lines;
        t->feature += f ? 0 : s->feature_lines;
        t->topology += p ? 0 : s->lines;
    }
}

static void add_shared(uint64_t *to, uint64_t value)
{
    if (value) __atomic_fetch_add(to, value, __ATOMIC_RELAXED);
}

static void add_sums(const struct tally_sums *t, int sources, struct tally_sums *to)
{
    for (int s = 0; s < sources; s++) {
        add_shared(&to->rows[s], t->rows[s]);
        add_shared(&to->visits[s], t->visits[s]);
        add_shared(&to->draws[s], t->draws[s]);
        add_shared(&to->degrees[s], t->degrees[s]);
        add_shared(&to->entries[s], t->entries[s]);
    }
    add_shared(&to->topology, t->topology);
    add_shared(&to->feature, t->feature);
    add_shared(&to->lines, t->lines);
}

static void clear_sums(struct tally_sums *t, int sources)
{
    size_t bytes = (size_t)sources * sizeof *t->rows;
    memset(t->rows, 0, bytes);
    memset(t->visits, 0, bytes);
    memset(t->draws, 0, bytes);
    memset(t->degrees, 0, bytes);
    memset(t->entries, 0, bytes);
    t->topology = t->feature = t->lines = 0;
}

static void add_hops(const struct tally_hops *from, int hops, struct tally_hops *to)
{
    for (int h = 0; h < hops; h++) {
        add_shared(&to->visits[h], from->visits[h]);
        add_shared(&to->draws[h], from->draws[h]);
    }
    add_shared(&to->all_draws, from->all_draws);
}

/* Sums one chunk for every placement, with the buffers of thread t. */
static void add_chunk(const struct session *s, const struct tally_counts *c, uint64_t from, int t,
                      struct tally_sums *sums, struct tally_hops *hops)
{
    const struct tally_problem *p = &s->p;
    uint64_t to = from + CHUNK < p->n ? from + CHUNK : p->n, count;
    struct tally_seen *seen = s->seen + (uint64_t)t * (p->n < CHUNK ? p->n : CHUNK);
    struct tally_hops mine = {{0}, {0}, 0};

    count = gather_chunk(s, c, from, to, seen, &mine);
    add_hops(&mine, p->hops, hops);
    for (int i = 0; i < p->placements; i++) {
        clear_sums(&s->part[t], p->sources);
        tally_chunk(seen, count, p->where[2 * i], p->where[2 * i + 1], &s->part[t]);
        add_sums(&s->part[t], p->sources, &sums[i]);
    }
}

static enum st session_add(void *of, const struct tally_counts *c, struct tally_sums *sums, struct tally_hops *hops,
                           struct err *err)
{
    enum st st = ST_OK;
    const struct session *s = of;
    uint64_t chunks = (s->p.n + CHUNK - 1) / CHUNK, next = 0;

    BUG_IF(c->on_device);
#pragma omp parallel for num_threads(s->team) schedule(static, 1)
    for (int t = 0; t < s->team; t++)
        for (uint64_t i; (i = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < chunks;)
            add_chunk(s, c, i * CHUNK, t, sums, hops);
done:
    return st;
}

const struct tally cpu_tally = {session_open, session_add, session_close};
