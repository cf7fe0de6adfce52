#include "simulator/caches/cache.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

const char *admission_name(enum admission a) { return a == ADMISSION_BATCH ? "batch" : "request"; }

enum st cache_find(const char *name, const struct cache **out, struct err *err)
{
    const char *names[64] = {0};
    int count = 0;
    for (const struct cache *const *c = caches_registered; *c && count < 63; c++) {
        if (!strcmp((*c)->name, name)) {
            *out = *c;
            return ST_OK;
        }
        names[count++] = (*c)->name;
    }
    const char *near = text_nearest(name, names);
    if (near) return err_set(err, ST_USAGE, "there is no cache '%.40s'; did you mean '%s'?", name, near);
    return err_set(err, ST_USAGE, "there is no cache '%.40s'; `hotset list caches` shows all", name);
}

enum st cache_list(const char *names, const struct cache *out[CACHES_MAX], int *count, struct err *err)
{
    char copy[512], *part[CACHES_MAX];
    *count = 0;
    if (!strcmp(names, "all")) {
        for (const struct cache *const *c = caches_registered; *c && *count < CACHES_MAX; c++) out[(*count)++] = *c;
        return ST_OK;
    }
    if (strlen(names) >= sizeof copy) return err_set(err, ST_USAGE, "--cache: the list is too long");
    strcpy(copy, names);
    int n = text_split(copy, ',', part, CACHES_MAX);
    if (n < 0) return err_set(err, ST_USAGE, "--cache: more than %d caches", CACHES_MAX);
    for (int i = 0; i < n; i++) PASS(cache_find(part[i], &out[i], err));
    *count = n;
    return ST_OK;
}

/* ---- the engine ---- */

enum { CHUNK = 1 << 14 };

/* One run. */
struct run {
    const struct cache *c;
    const struct stream *s;
    void *state;
    uint8_t *hit, *chunk; /* the caller's [requests] or NULL; [CHUNK] when it is NULL */
    uint32_t *missed;     /* positions, for admission at the end of a mini-batch */
};

/* ---- the state of a rule ---- */

uint64_t cache_per_id(const struct cache_setup *s) { return s->ids; }
uint64_t cache_per_row(const struct cache_setup *s) { return s->capacity; }

static void state_free(const struct cache *c, void *state)
{
    if (!state) return;
    for (const struct cache_array *a = c->arrays; a->what; a++) {
        void *block;
        memcpy(&block, (char *)state + a->offset, sizeof block);
        mem_free(block);
    }
    mem_free(state);
}

static enum st state_new(const struct cache *c, const struct cache_setup *s, void **out, struct err *err)
{
    char *state = mem_array(1, c->state_bytes, "a cache", err);
    for (const struct cache_array *a = c->arrays; state && a->what; a++) {
        void *block = mem_array(a->count(s), a->size, a->what, err);
        if (!block) {
            state_free(c, state);
            return err->code;
        }
        memcpy(state + a->offset, &block, sizeof block); /* into a pointer of any type */
    }
    if (!state) return err->code;
    c->start(state, s);
    *out = state;
    return ST_OK;
}

/* ---- counting ---- */

static uint64_t zeros(const uint8_t *flag, uint64_t count)
{
    uint64_t ones = 0;
    for (uint64_t i = 0; i < count; i++) ones += flag[i];
    return count - ones;
}

static uint64_t run_on_demand(const struct run *r)
{
    uint64_t misses = 0;
    for (uint64_t from = 0; from < r->s->requests; from += CHUNK) {
        uint64_t to = from + CHUNK < r->s->requests ? from + CHUNK : r->s->requests;
        uint8_t *hit = r->hit ? r->hit + from : r->chunk;
        r->c->serve(r->state, r->s->id, from, to, hit);
        misses += zeros(hit, to - from);
    }
    return misses;
}

static uint64_t run_by_batch(const struct run *r)
{
    uint64_t misses = 0;
    for (uint64_t b = 0; b < r->s->batches; b++) {
        uint64_t from = r->s->batch[b].from, end = stream_end(r->s, b), count = 0;
        for (; from < end; from += CHUNK) {
            uint64_t to = from + CHUNK < end ? from + CHUNK : end;
            uint8_t *hit = r->hit ? r->hit + from : r->chunk;
            r->c->look_up(r->state, r->s->id, from, to, hit);
            for (uint64_t i = from; i < to; i++) {
                r->missed[count] = (uint32_t)i;
                count += !hit[i - from];
            }
        }
        r->c->admit(r->state, r->s->id, r->missed, count);
        misses += count;
    }
    return misses;
}

static uint64_t largest_batch(const struct stream *s)
{
    uint64_t most = 0;
    for (uint64_t b = 0; b < s->batches; b++)
        if (stream_end(s, b) - s->batch[b].from > most) most = stream_end(s, b) - s->batch[b].from;
    return most;
}

enum st cache_run(const struct cache *c, const struct stream *s, const uint32_t *next, uint64_t capacity,
                  enum admission admission, uint8_t *hit, struct cache_counts *out, struct err *err)
{
    enum st st = ST_OK;
    struct run r = {.c = c, .s = s, .hit = hit};
    struct cache_setup setup = {.ids = s->ids,
                                .capacity = capacity < s->ids ? capacity : s->ids,
                                .requests = s->requests,
                                .id = s->id,
                                .next = next};
    uint64_t misses = s->requests;
    BUG_IF(c->future && !next);
    if (!setup.capacity || !s->requests) {
        if (hit) memset(hit, 0, s->requests);
        *out = (struct cache_counts){.requests = s->requests, .misses = misses};
        return ST_OK;
    }
    NEW(r.chunk, CHUNK, "a cache's answers");
    if (admission == ADMISSION_BATCH) NEW(r.missed, largest_batch(s) + 1, "a mini-batch's misses");
    TRY(state_new(c, &setup, &r.state, err));
    misses = admission == ADMISSION_BATCH ? run_by_batch(&r) : run_on_demand(&r);
    *out = (struct cache_counts){.requests = s->requests,
                                 .misses = misses,
                                 .admitted = misses,
                                 .evicted = misses > setup.capacity ? misses - setup.capacity : 0};
done:
    state_free(c, r.state);
    mem_free(r.chunk);
    mem_free(r.missed);
    return st;
}
