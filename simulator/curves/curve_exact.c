#include "simulator/curves/curve_exact.h"

#include <string.h>

#include "base/mem.h"

/* The stack of rows by their last use, as marks over the positions of the stream: the row's last use is marked. Sums of
 * marked rows are kept per word of 64 positions, in a Fenwick tree (Fenwick 1994); inside a word marks are counted. */
struct stack {
    const struct stream *s;
    const struct curve_sizes *sizes;
    uint32_t *last; /* [ids] 1 + position of the last use; 0: never used */
    uint64_t *mark; /* [words] */
    uint64_t *sum;  /* [words] the tree */
    uint64_t words, all;
};

static inline void tree_add(struct stack *k, uint64_t word, uint64_t size)
{
    for (; word < k->words; word |= word + 1) k->sum[word] += size; /* negative sizes wrap around */
}

/* Size of the marked rows at positions 0..position. */
static inline uint64_t tree_until(const struct stack *k, uint64_t position)
{
    uint64_t word = position / 64, sum = 0, marks = k->mark[word] & ~(uint64_t)0 >> (63 - position % 64);
    for (uint64_t w = word; w; w &= w - 1) sum += k->sum[w - 1];
    if (!k->sizes->bytes) return sum + (uint64_t)__builtin_popcountll(marks);
    for (; marks; marks &= marks - 1) sum += k->sizes->bytes[k->s->id[64 * word + (uint64_t)__builtin_ctzll(marks)]];
    return sum;
}

/* The first size that is at least `need`; sizes->count: none. */
static inline uint64_t first_fit(const struct curve_sizes *s, uint64_t need)
{
    uint64_t low = 0, high = s->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (s->capacity[middle] < need) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Serves the request at a position; returns the first size that has it. */
static inline uint64_t use(struct stack *k, uint64_t at)
{
    uint32_t id = k->s->id[at];
    uint64_t size = curve_size_of(k->sizes, id), fit = k->sizes->count;
    if (k->last[id]) {
        uint64_t before = k->last[id] - 1;
        fit = first_fit(k->sizes, k->all - tree_until(k, before) + size);
        k->mark[before / 64] &= ~((uint64_t)1 << before % 64);
        tree_add(k, before / 64, 0 - size);
    } else k->all += size;
    k->mark[at / 64] |= (uint64_t)1 << at % 64;
    tree_add(k, at / 64, size);
    k->last[id] = (uint32_t)at + 1;
    return fit;
}

enum st curve_exact_lru(const struct stream *s, const struct curve_sizes *sizes, uint64_t *hits, struct err *err)
{
    enum { AHEAD = 16 };
    enum st st = ST_OK;
    struct stack k = {.s = s, .sizes = sizes, .words = (s->requests + 63) / 64};
    NEW(k.last, s->ids, "the last uses of rows");
    NEW(k.mark, k.words + 1, "the stack of a curve");
    NEW(k.sum, k.words + 1, "the stack of a curve");
    memset(hits, 0, sizes->count * sizeof *hits);
    for (uint64_t at = 0; at < s->requests; at++) {
        if (at + AHEAD < s->requests) __builtin_prefetch(&k.last[s->id[at + AHEAD]], 1);
        uint64_t fit = use(&k, at);
        if (fit < sizes->count) hits[fit]++;
    }
    for (uint64_t i = 1; i < sizes->count; i++) hits[i] += hits[i - 1];
done:
    mem_free(k.last);
    mem_free(k.mark);
    mem_free(k.sum);
    return st;
}

void curve_exact_requests(const struct stream *s, uint64_t *requested)
{
    enum { AHEAD = 32 };
    memset(requested, 0, s->ids * sizeof *requested);
    for (uint64_t at = 0; at < s->requests; at++) {
        if (at + AHEAD < s->requests) __builtin_prefetch(&requested[s->id[at + AHEAD]], 1);
        requested[s->id[at]]++;
    }
}

void curve_exact_ranked(const uint64_t *requested, const uint32_t *order, uint64_t rows,
                        const struct curve_sizes *sizes, uint64_t *hits, uint64_t *held)
{
    uint64_t row = 0, size = 0, sum = 0;
    for (uint64_t i = 0; i < sizes->count; i++) {
        for (; row < rows && size + curve_size_of(sizes, order[row]) <= sizes->capacity[i]; row++) {
            size += curve_size_of(sizes, order[row]);
            sum += requested[order[row]];
        }
        hits[i] = sum;
        if (held) held[i] = row;
    }
}
