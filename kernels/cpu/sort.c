/* sort.c - vertices by descending hotness: a stable radix sort, least significant digit first.
 *
 * The sort key is (largest - key), so ascending order is hottest first, and only the bits of the range (largest -
 * smallest) matter. Up to 32 of these bits are packed above the vertex id into one u64. Ids begin in ascending order
 * and every pass is stable, so ties go to the lower id. Digits have at most 9 bits: their 512 write streams still fit
 * the second-level cache, and 26-bit hotness needs three passes. Digits that are equal everywhere are skipped. The
 * first pass reads the keys and the last one writes the order, so there is no extra pass for packing and unpacking.
 *
 * A wider range (PageRank, densities) is sorted by a code of 32 bits first, rounded like a floating-point number
 * (sort_code.h); vertices whose codes are equal are few and are then ordered by their whole keys (sort_ties.c). Where
 * too many are equal, the range is sorted in two words, the lower one first.
 */
#include <stdbool.h>
#include <string.h>
#include "base/mem.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/sort_code.h"

enum {
    DIGIT_BITS = 9,
    BUCKETS = 1 << DIGIT_BITS,
    WORD_BITS = 32,
    PASSES_MAX = (WORD_BITS + DIGIT_BITS - 1) / DIGIT_BITS
};
_Static_assert(PASSES_MAX == 4, "count_digits has a case for every number of passes");

struct sorter {
    const uint64_t *key;
    uint64_t n, smallest, largest;
    uint32_t *order;
    uint64_t *packed[2]; /* [n] each */
    uint64_t *counts;    /* [parts][PASSES_MAX][BUCKETS] */
    int parts;           /* contiguous parts of the input, one per thread */
};

/* One word of the sort key: `bits` bits from bit `shift` on, or of the rounded key, in `passes` digits of `digit`
 * bits. */
struct word {
    int shift, bits, digit, passes;
    uint64_t code; /* code of the largest key; 0: not rounded */
};

static struct word word_of(int shift, int bits)
{
    int passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    return (struct word){shift, bits, passes ? (bits + passes - 1) / passes : 0, passes, 0};
}

static int length_of(uint64_t value) { return value ? 64 - __builtin_clzll(value) : 0; }

static struct word rounded_word(const struct sorter *s)
{
    uint64_t code = sort_code(s->largest - s->smallest);
    struct word w = word_of(0, length_of(code));
    w.code = code;
    return w;
}

/* rounded: whether the word is; a constant where loops are long. */
static inline __attribute__((always_inline)) uint64_t pack(const struct sorter *s, const struct word *w, uint32_t id,
                                                           bool rounded)
{
    uint64_t bits = rounded ? w->code - sort_code(s->key[id] - s->smallest)
                            : (s->largest - s->key[id]) >> w->shift & ((1ull << w->bits) - 1);
    return bits << 32 | id;
}

static void find_range(struct sorter *s)
{
    uint64_t low = UINT64_MAX, high = 0;
#pragma omp parallel for num_threads(s->parts) schedule(static) reduction(min : low) reduction(max : high)
    for (uint64_t v = 0; v < s->n; v++) {
        low = s->key[v] < low ? s->key[v] : low;
        high = s->key[v] > high ? s->key[v] : high;
    }
    s->smallest = low;
    s->largest = high;
}

/* The counting loop. Inlined with a constant number of passes, so that the inner loop is unrolled. */
static inline __attribute__((always_inline)) void count_part(const struct sorter *s, const struct word *w,
                                                             const uint64_t *from, uint64_t begin, uint64_t end,
                                                             int first, int passes, bool rounded,
                                                             uint64_t (*mine)[BUCKETS])
{
    uint64_t mask = (1ull << w->digit) - 1;
    int step = w->digit, skip = 32 + first * step;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t bits = (from ? from[i] : pack(s, w, (uint32_t)i, rounded)) >> skip;
        for (int d = 0; d < passes; d++) mine[d][bits >> d * step & mask]++;
    }
}

/* Counts the digits of `passes` passes from `first` on, in part t. from: packed values, or NULL for the keys. */
static void count_digits(const struct sorter *s, const struct word *w, const uint64_t *from, int first, int passes,
                         int t)
{
    uint64_t(*mine)[BUCKETS] = (uint64_t(*)[BUCKETS])s->counts + (uint64_t)t * PASSES_MAX + first;
    uint64_t begin = cpu_cut(s->n, t, s->parts), end = cpu_cut(s->n, t + 1, s->parts);

    memset(mine, 0, (size_t)passes * sizeof *mine);
    switch (w->code && !from ? -passes : passes) {
    case 1: count_part(s, w, from, begin, end, first, 1, false, mine); break;
    case 2: count_part(s, w, from, begin, end, first, 2, false, mine); break;
    case 3: count_part(s, w, from, begin, end, first, 3, false, mine); break;
    case 4: count_part(s, w, from, begin, end, first, 4, false, mine); break;
    default: count_part(s, w, NULL, begin, end, first, passes, true, mine);
    }
}

/* Turns the counts of one pass into first positions, by bucket and then by part. Returns whether the pass moves any
 * element. */
static bool place_buckets(const struct sorter *s, int pass)
{
    uint64_t(*count)[PASSES_MAX][BUCKETS] = (uint64_t(*)[PASSES_MAX][BUCKETS])s->counts, at = 0;
    bool moves = true;
    for (int b = 0; b < BUCKETS; b++) {
        uint64_t begin = at;
        for (int t = 0; t < s->parts; t++) {
            uint64_t here = count[t][pass][b];
            count[t][pass][b] = at;
            at += here;
        }
        if (at - begin == s->n) moves = false;
    }
    return moves;
}

/* Moves the elements of part t to their places: packed values, or the final order when `to` is NULL. */
static void scatter(const struct sorter *s, const struct word *w, const uint64_t *from, uint64_t *to, int pass, int t)
{
    uint64_t *place = s->counts + ((uint64_t)t * PASSES_MAX + (uint64_t)pass) * BUCKETS;
    uint64_t begin = cpu_cut(s->n, t, s->parts), end = cpu_cut(s->n, t + 1, s->parts), mask = (1ull << w->digit) - 1;
    int shift = 32 + pass * w->digit;

    if (from && to)
        for (uint64_t i = begin; i < end; i++) to[place[from[i] >> shift & mask]++] = from[i];
    else if (from)
        for (uint64_t i = begin; i < end; i++) s->order[place[from[i] >> shift & mask]++] = (uint32_t)from[i];
    else if (w->code)
        for (uint64_t i = begin; i < end; i++) {
            uint64_t value = pack(s, w, (uint32_t)i, true);
            to[place[value >> shift & mask]++] = value;
        }
    else
        for (uint64_t i = begin; i < end; i++) {
            uint64_t value = pack(s, w, (uint32_t)i, false);
            uint64_t at = place[value >> shift & mask]++;
            if (to) to[at] = value;
            else s->order[at] = (uint32_t)i;
        }
}

/* The passes that move any element, with the first positions of each. Positions hold while parts have the elements that
 * were counted. */
static int choose_passes(const struct sorter *s, const struct word *w, const uint64_t *from, int chosen[PASSES_MAX])
{
    int count = 0;
#pragma omp parallel for num_threads(s->parts) schedule(static, 1)
    for (int t = 0; t < s->parts; t++) count_digits(s, w, from, 0, w->passes, t);
    for (int pass = 0; pass < w->passes; pass++)
        if (place_buckets(s, pass)) chosen[count++] = pass;
    return count;
}

static void recount(const struct sorter *s, const struct word *w, const uint64_t *from, int pass)
{
#pragma omp parallel for num_threads(s->parts) schedule(static, 1)
    for (int t = 0; t < s->parts; t++) count_digits(s, w, from, pass, 1, t);
    place_buckets(s, pass);
}

/* Sorts by one word; `refine`: among equals of that word keep the order that s->order has already. Returns the packed
 * values in their order when the word is rounded, else writes the order. */
static const uint64_t *sort_word(const struct sorter *s, struct word w, bool refine)
{
    int chosen[PASSES_MAX], passes;
    const uint64_t *from = NULL;

    if (refine) {
#pragma omp parallel for num_threads(s->parts) schedule(static)
        for (uint64_t i = 0; i < s->n; i++) s->packed[0][i] = pack(s, &w, s->order[i], false);
        from = s->packed[0];
    }
    passes = choose_passes(s, &w, from, chosen);
    if (!passes && !refine)
        for (uint64_t v = 0; v < s->n; v++) s->order[v] = (uint32_t)v;
    for (int k = 0; k < passes; k++) {
        bool last = k + 1 == passes && !w.code;
        uint64_t *to = last ? NULL : from == s->packed[0] ? s->packed[1] : s->packed[0];
        if (k > 0 && s->parts > 1) /* the pass before moved elements between parts */
            recount(s, &w, from, chosen[k]);
#pragma omp parallel for num_threads(s->parts) schedule(static, 1)
        for (int t = 0; t < s->parts; t++) scatter(s, &w, from, to, chosen[k], t);
        from = to;
    }
    return from;
}

/* Sorts by rounded keys and settles what they leave equal. Returns false, with no order, when too many are equal. */
static bool sort_rounded(const struct sorter *s)
{
    const uint64_t *sorted = sort_word(s, rounded_word(s), false);
    bool settled = true;
#pragma omp parallel for num_threads(s->parts) schedule(static, 1) reduction(&& : settled)
    for (int t = 0; t < s->parts; t++)
        settled = sort_ties(s->key, sorted, s->n, cpu_cut(s->n, t, s->parts), cpu_cut(s->n, t + 1, s->parts), s->order);
    return settled;
}

/* Sorts by a range of `bits` bits in two words. */
static void sort_two_words(const struct sorter *s, int bits)
{
    int low = (bits + 1) / 2;
    sort_word(s, word_of(0, low), false);
    sort_word(s, word_of(low, bits - low), true);
}

enum st cpu_sort_hottest(int threads, const uint64_t *key, uint64_t n, uint32_t *order, struct err *err)
{
    enum st st = ST_OK;
    struct sorter s = {.key = key, .n = n, .order = order, .parts = cpu_team(threads, n)};
    int bits;

    if (!n) goto done;
    find_range(&s);
    bits = length_of(s.largest - s.smallest);
    NEW(s.counts, (uint64_t)s.parts * PASSES_MAX * BUCKETS, "digit counts");
    if (bits > DIGIT_BITS) NEW(s.packed[0], n, "sorting by hotness");
    if (bits > 2 * DIGIT_BITS) NEW(s.packed[1], n, "sorting by hotness");
    if (bits <= WORD_BITS) sort_word(&s, word_of(0, bits), false);
    else if (!sort_rounded(&s)) sort_two_words(&s, bits);
done:
    mem_free(s.packed[0]);
    mem_free(s.packed[1]);
    mem_free(s.counts);
    return st;
}
