#include "traces/builder/builder_renumber.h"

#include <string.h>

#include "base/mem.h"
#include "traces/builder/builder_sort.h"

enum { CHUNK_ARCS = 1 << 22, BLOCK_ARCS = 1 << 18, INDEX_BITS = 22 };

DEFINE_ROW_SORT(sort_wide, uint64_t)

/* Sorts and drops duplicates in place. Ids are below 2^63, so the unsigned order is right. Returns how many are left.
 */
static uint64_t sort_unique(uint64_t *a, uint64_t count)
{
    uint64_t kept = 0, all = 0;
    for (uint64_t i = 0; i < count; i++) all |= a[i];
    sort_wide(a, count, sort_shift(all));
    for (uint64_t i = 0; i < count; i++)
        if (!i || a[i] != a[i - 1]) a[kept++] = a[i];
    return kept;
}

/* Merges two ascending sets into out; returns its size. */
static uint64_t merge(const int64_t *a, uint64_t a_count, const uint64_t *b, uint64_t b_count, int64_t *out)
{
    uint64_t i = 0, j = 0, k = 0;
    while (i < a_count || j < b_count) {
        int64_t x = i < a_count ? a[i] : INT64_MAX, y = j < b_count ? (int64_t)b[j] : INT64_MAX;
        bool left = i < a_count && (j == b_count || x <= y), right = j < b_count && (i == a_count || y <= x);
        out[k++] = left ? x : y;
        i += left;
        j += right;
    }
    return k;
}

/* Collects the set of all ids, chunk by chunk: memory is two sets and one chunk. */
static enum st collect(const struct spill *wide, int64_t **ids, uint64_t *count, struct err *err)
{
    uint64_t arcs = wide->bytes / 16, chunk_arcs = arcs < CHUNK_ARCS ? arcs : CHUNK_ARCS, have = 0;
    int64_t *next = NULL;
    OWNED_NEW(uint64_t, chunk, 2 * chunk_arcs, "a chunk of ids");
    OWNED_NEW(int64_t, set, 1, "ids");
    for (uint64_t at = 0; at < arcs; at += chunk_arcs) {
        uint64_t some = arcs - at < chunk_arcs ? arcs - at : chunk_arcs;
        PASS(spill_read(wide, 16 * at, chunk, 16 * some, err));
        uint64_t fresh = sort_unique(chunk, 2 * some);
        MAKE(next, have + fresh, "ids");
        have = merge(set, have, chunk, fresh, next);
        mem_free(set);
        set = TAKE(next);
    }
    *ids = set;
    *count = have;
    set = NULL;
    return ST_OK;
}

/* A table over the leading bits of the ids narrows each search to a few entries. */
struct lookup {
    const int64_t *ids;
    uint64_t count, lowest;
    int shift;
    uint32_t *first; /* [buckets + 1] */
    uint64_t buckets;
};

static enum st lookup_make(struct lookup *l, const int64_t *ids, uint64_t count, struct err *err)
{
    uint64_t span = (uint64_t)ids[count - 1] - (uint64_t)ids[0];
    *l = (struct lookup){.ids = ids, .count = count, .lowest = (uint64_t)ids[0]};
    while (span >> l->shift >> INDEX_BITS) l->shift++;
    l->buckets = (span >> l->shift) + 1;
    MAKE(l->first, l->buckets + 1, "an index of ids");
    for (uint64_t i = 0; i < count; i++) l->first[(((uint64_t)ids[i] - l->lowest) >> l->shift) + 1]++;
    for (uint64_t b = 0; b < l->buckets; b++) l->first[b + 1] += l->first[b];
    return ST_OK;
}

static uint32_t lookup_find(const struct lookup *l, uint64_t id)
{
    uint64_t bucket = (id - l->lowest) >> l->shift, low = l->first[bucket], high = l->first[bucket + 1];
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        if ((uint64_t)l->ids[middle] <= id) low = middle;
        else high = middle;
    }
    return (uint32_t)low;
}

static enum st translate(const struct spill *wide, struct spill *dense, const struct lookup *l, int threads,
                         struct err *err)
{
    uint64_t arcs = wide->bytes / 16;
    OWNED uint64_t *from = NULL;
    OWNED uint32_t *to = NULL;
    MAKE(from, 2 * BLOCK_ARCS, "a block of ids");
    MAKE(to, 2 * BLOCK_ARCS, "a block of ids");
    for (uint64_t at = 0; at < arcs; at += BLOCK_ARCS) {
        uint64_t some = arcs - at < BLOCK_ARCS ? arcs - at : BLOCK_ARCS, piece = SPILL_BUFFER / 8;
        PASS(spill_read(wide, 16 * at, from, 16 * some, err));
#pragma omp parallel for num_threads(threads) schedule(static)
        for (uint64_t i = 0; i < 2 * some; i++) to[i] = lookup_find(l, from[i]);
        for (uint64_t i = 0; i < some; i += piece)
            PASS(spill_append(dense, to + 2 * i, 8 * (size_t)(some - i < piece ? some - i : piece), err));
    }
    return spill_flush(dense, err);
}

enum st renumber_ids(const struct spill *wide, struct spill *dense, int threads, int64_t **ids, uint64_t *count,
                     struct err *err)
{
    struct lookup l = {0};
    OWNED int64_t *set = NULL;
    uint64_t have = 0;
    enum st st;
    TRY(collect(wide, &set, &have, err));
    if (have >= UINT32_MAX)
        FAIL(ST_LIMIT, "the graph has %llu different ids; a graph has at most 4,294,967,294 vertices",
             (unsigned long long)have);
    if (have) {
        TRY(lookup_make(&l, set, have, err));
        TRY(translate(wide, dense, &l, threads, err));
    }
    *ids = set;
    *count = have;
    set = NULL;
done:
    mem_free(l.first);
    return st;
}

uint64_t renumber_find(const int64_t *ids, uint64_t count, int64_t id)
{
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (ids[middle] < id) low = middle + 1;
        else high = middle;
    }
    return low < count && ids[low] == id ? low : UINT64_MAX;
}
