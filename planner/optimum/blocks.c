#include "planner/optimum/blocks.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum st items_divide(const struct reach *r, struct items *items, struct err *err)
{
    const uint64_t n = graph_topology_rows(items->graph), all = items_count(items), gpus = (uint64_t)r->gpus;
    uint16_t *share = NULL;
    if (!r->by_gpu) return ST_OK;
    MAKE(share, all * gpus, "shares of GPUs");
#pragma omp parallel for num_threads(items->threads)
    for (uint64_t x = 0; x < all; x++) {
        uint64_t count[GPUS_MAX], sum = reader_counts(items->graph, items->trace, x < n, x < n ? x : x - n, count);
        uint32_t mine[GPUS_MAX];
        for (int c = 0; c < items->trace->assignment.cliques; c++)
            reader_shares_counted(items->trace, items->estimates[c].readers, c, x < n, count, sum, mine);
        for (uint64_t g = 0; g < gpus; g++) share[x * gpus + g] = (uint16_t)mine[g];
    }
    items->share = share;
    items->gpus = r->gpus;
    return ST_OK;
}

/* Cells are the finest steps; they are counted in one pass over all items and then merged into blocks. */
enum { CELLS = 1 << 17, LEVEL_STEPS = 32, RATIO_STEPS = 4, RATIO_MOST = 31, ZERO_LEVEL = 4096, BAND_STEPS = 32 };

static const uint64_t TOO_LARGE =
    (uint64_t)1 << 62; /* key of the block of items that fit on no GPU; others are below 2^33 or from 2^63 on */

struct cells {
    uint64_t *key, *bytes, *items, *rate; /* [CELLS], rate: [CELLS][cliques] */
    int used;
};

static void cells_release(struct cells *c)
{
    mem_free(c->key);
    mem_free(c->bytes);
    mem_free(c->items);
    mem_free(c->rate);
}

static enum st cells_new(int cliques, struct cells *c, struct err *err)
{
    MAKE(c->key, CELLS, "groups of similar rows");
    MAKE(c->bytes, CELLS, "groups of similar rows");
    MAKE(c->items, CELLS, "groups of similar rows");
    MAKE(c->rate, (uint64_t)CELLS * (uint64_t)cliques, "groups of similar rows");
    return ST_OK;
}

/* splitmix64's finish: for tables, and for cliques beyond what a key has bits for (there, cells may share a key,
 * which only merges them). */
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

enum { PART_BITS = 5, PARTS_WHOLE = 10 }; /* of a key by density: a clique's step, and how many lie side by side */
static const uint64_t KEY_MARK = (uint64_t)1 << 63;

static uint64_t add_to_key(uint64_t key, uint64_t part, int i)
{
    return i < PARTS_WHOLE ? key << PART_BITS | part : mix(key ^ part);
}

/* Finest steps of an item: those of the hungriest clique's density, then how far below it each clique is. rate:
 * [cliques] */
static void item_steps(const struct blocks *b, const uint64_t *rate, uint64_t top, uint64_t bytes, uint32_t *level,
                       uint8_t *ratio)
{
    *level = (uint32_t)(ZERO_LEVEL + (int)floor(log2((double)top / (double)bytes) * LEVEL_STEPS));
    for (int c = 0; c < b->cliques; c++) {
        double below = rate[c] ? log2((double)top / (double)rate[c]) * RATIO_STEPS : RATIO_MOST;
        ratio[c] = below < RATIO_MOST ? (uint8_t)below : RATIO_MOST;
    }
}

static uint64_t make_key(const struct blocks *b, uint32_t level, const uint8_t *ratio)
{
    uint64_t key = (level >> b->level_shift) + 1;
    for (int c = 0; b->cliques > 1 && c < b->cliques; c++)
        key = add_to_key(key, (uint64_t)ratio[c] >> b->ratio_shift, c);
    return key | KEY_MARK;
}

/* The key that make_key gives the items of a cell whose steps were finer by the two shifts. At most PARTS_WHOLE
 * cliques. */
static uint64_t coarser_key(int cliques, int level_shift, int ratio_shift, uint64_t key)
{
    int parts = cliques > 1 ? cliques : 0;
    uint64_t left = key & ~KEY_MARK, coarse = (((left >> PART_BITS * parts) - 1) >> level_shift) + 1;
    if (key == TOO_LARGE) return key;
    for (int c = 0; c < parts; c++) {
        uint64_t part = left >> PART_BITS * (parts - 1 - c) & ((1 << PART_BITS) - 1);
        coarse = add_to_key(coarse, part >> ratio_shift, c);
    }
    return coarse | KEY_MARK;
}

/* The patterns within the band of the best, and each one's distance in steps. */
static uint64_t prices_key(const struct blocks *b, const uint64_t *rates, double bytes)
{
    double rate[SERVER_GPUS_MAX], cost[PATTERNS_MAX];
    int best;
    uint64_t key = 0;
    for (int c = 0; c < b->cliques; c++) rate[c] = (double)rates[c] * 0x1p-20;
    double least = pattern_prices_cheapest(&b->prices, rate, bytes, cost, &best);
    for (int p = 0; p < b->prices.count; p++) {
        double margin = (cost[p] - least) / bytes;
        if (margin < b->band) key = mix(key ^ ((uint64_t)p << 32 | (uint64_t)(sqrt(margin / b->band) * b->steps)));
    }
    return key | KEY_MARK;
}

/* 0: in no block. */
static uint64_t item_key(const struct blocks *b, const struct items *items, uint64_t x)
{
    uint64_t rate[SERVER_GPUS_MAX], top = 0, bytes = items_bytes(items, x);
    uint32_t level = 0;
    uint8_t ratio[SERVER_GPUS_MAX];
    for (int c = 0; c < b->cliques; c++) {
        rate[c] = items_rate(items, b->clique[c], x);
        if (rate[c] > top) top = rate[c];
    }
    if (!top) return 0;
    if (bytes > b->largest) return TOO_LARGE;
    if (b->single) return x + 1;
    if (b->by_prices) return prices_key(b, rate, (double)bytes);
    item_steps(b, rate, top, bytes, &level, ratio);
    return make_key(b, level, ratio);
}

static uint32_t slot_of(const uint64_t *table, uint32_t slots, uint64_t key)
{
    uint32_t at = (uint32_t)mix(key) & (slots - 1);
    while (table[at] && table[at] != key) at = (at + 1) & (slots - 1);
    return at;
}

/* False: too many different cells. */
static bool cells_add(struct cells *c, int cliques, uint64_t key, uint64_t bytes, uint64_t items, const uint64_t *rate)
{
    uint32_t at = slot_of(c->key, CELLS, key);
    if (!c->key[at]) {
        if (c->used == CELLS / 2) return false;
        c->key[at] = key;
        c->used++;
    }
    c->bytes[at] += bytes;
    c->items[at] += items;
    for (int i = 0; i < cliques; i++) c->rate[(uint64_t)at * (uint64_t)cliques + (uint64_t)i] += rate[i];
    return true;
}

/* Stops where there are more than `most` cells. */
static bool cells_scan(const struct blocks *b, const struct items *items, uint64_t from, uint64_t to, uint64_t stride,
                       int most, struct cells *c)
{
    uint64_t rate[SERVER_GPUS_MAX];
    for (uint64_t x = from; x < to && c->used <= most; x += stride) {
        uint64_t key = item_key(b, items, x);
        if (!key) continue;
        for (int i = 0; i < b->cliques; i++) rate[i] = items_rate(items, b->clique[i], x);
        if (!cells_add(c, b->cliques, key, items_bytes(items, x), 1, rate)) return false;
    }
    return true;
}

static bool cells_merge(struct cells *into, const struct cells *c, int cliques)
{
    for (uint32_t at = 0; at < CELLS; at++)
        if (c->key[at] && !cells_add(into, cliques, c->key[at], c->bytes[at], c->items[at],
                                     &c->rate[(uint64_t)at * (uint64_t)cliques]))
            return false;
    return true;
}

/* By prices every look needs all patterns, so that it ends as soon as there are clearly too many cells. */
static int cells_enough(const struct blocks *b) { return b->by_prices && !b->single ? 2 * BLOCKS_MAX : CELLS; }

/* Every stride-th item at the present steps, or some of them where there are more cells than enough, of whatever
 * thread; *fits: false when there are more cells than the table takes. Sums are integers, so threads do not show. */
static enum st count_cells(const struct blocks *b, const struct items *items, uint64_t stride, struct cells *out,
                           bool *fits, struct err *err)
{
    enum st st = ST_OK;
    uint64_t all = items_count(items);
    int parts = all < 1 << 16 || stride > 1 ? 1 : items->threads; /* a stride begins once */
    struct cells *each = NULL;
    bool good = true;
    NEW(each, parts, "groups of similar rows");
    for (int t = 0; t < parts; t++) TRY(cells_new(b->cliques, &each[t], err));
#pragma omp parallel for num_threads(parts) reduction(&& : good) schedule(static, 1)
    for (int t = 0; t < parts; t++)
        good = good && cells_scan(b, items, all * (uint64_t)t / (uint64_t)parts,
                                  all * (uint64_t)(t + 1) / (uint64_t)parts, stride, cells_enough(b), &each[t]);
    for (int t = 1; t < parts && good; t++) good = cells_merge(&each[0], &each[t], b->cliques);
    *fits = good;
    *out = each[0];
    memset(&each[0], 0, sizeof each[0]);
done:
    for (int t = 0; each && t < parts; t++) cells_release(&each[t]);
    mem_free(each);
    return st;
}

static uint64_t count_items(const struct blocks *b, const struct items *items)
{
    uint64_t count = 0, all = items_count(items);
#pragma omp parallel for num_threads(items->threads) reduction(+ : count)
    for (uint64_t x = 0; x < all; x++) {
        uint64_t read = 0;
        for (int c = 0; c < b->cliques; c++) read |= items_rate(items, b->clique[c], x);
        count += read && items_bytes(items, x) <= b->largest;
    }
    return count;
}

/* Merges cells into those of steps that are coarser by the two shifts; they are fewer and fit. */
static enum st cells_coarsen(int cliques, int level_shift, int ratio_shift, struct cells *c, struct err *err)
{
    enum st st = ST_OK;
    OWNED_BY(cells_release) struct cells next = {0};
    TRY(cells_new(cliques, &next, err));
    for (uint32_t at = 0; at < CELLS; at++)
        if (c->key[at])
            BUG_IF(!cells_add(&next, cliques, coarser_key(cliques, level_shift, ratio_shift, c->key[at]), c->bytes[at],
                              c->items[at], &c->rate[(uint64_t)at * (uint64_t)cliques]));
    cells_release(c);
    *c = next;
    memset(&next, 0, sizeof next);
done:
    return st;
}

/* Whichever of the two steps is the finer one doubles; several times where there are many times too many cells. */
static void coarsen(struct blocks *b, int over)
{
    do {
        if (b->by_prices && b->steps >= 1) b->steps *= 0.75;
        else if (b->by_prices && b->band > b->narrow) b->band /= 2; /* which patterns are near tells items apart, too */
        else if (b->by_prices) b->by_prices = false; /* more patterns are best for some item than there may be blocks */
        else if (b->cliques == 1 || b->level_shift < b->ratio_shift + 3) b->level_shift++; /* 32 and 4 per octave */
        else b->ratio_shift++;
        over /= 2;
    } while (over > 1);
}

/* Coarser steps until the blocks of every stride-th item are few. Items are looked at again only where cells do not say
 * their steps. */
static enum st coarsen_until_few(struct blocks *b, const struct items *items, uint64_t stride, struct cells *c,
                                 struct err *err)
{
    bool fits = false;
    PASS(count_cells(b, items, stride, c, &fits, err));
    while (!fits || (c->used > BLOCKS_MAX && !b->single)) { /* single: one more, of what is too large */
        int level = b->level_shift, ratio = b->ratio_shift;
        bool steps_in_keys = fits && !b->by_prices && b->cliques <= PARTS_WHOLE;
        coarsen(b, fits && !b->by_prices ? c->used / BLOCKS_MAX : 2);
        if (steps_in_keys) {
            PASS(cells_coarsen(b->cliques, b->level_shift - level, b->ratio_shift - ratio, c, err));
            continue;
        }
        cells_release(c);
        memset(c, 0, sizeof *c);
        PASS(count_cells(b, items, stride, c, &fits, err));
    }
    return ST_OK;
}

/* First at a few of the items: steps that are too fine for these are too fine for all. */
static enum st choose_steps(struct blocks *b, const struct items *items, struct cells *c, struct err *err)
{
    enum { SOME = 1 << 13 };
    const uint64_t stride = items_count(items) / SOME;
    if (!b->single && stride > 1) {
        PASS(coarsen_until_few(b, items, stride, c, err));
        cells_release(c);
        memset(c, 0, sizeof *c);
    }
    return coarsen_until_few(b, items, 1, c, err);
}

/* Blocks in ascending order of their keys: the same for any number of threads. */
static enum st blocks_from_cells(struct blocks *b, const struct cells *c, struct err *err)
{
    int count = 0;
    OWNED_NEW(uint64_t, sorted, c->used + 1, "blocks");
    MAKE(b->bytes, c->used + 1, "blocks");
    MAKE(b->items, c->used + 1, "blocks");
    MAKE(b->rate, (c->used + 1) * b->cliques, "blocks");
    b->slots = 2048;
    MAKE(b->key, b->slots, "blocks");
    MAKE(b->block, b->slots, "blocks");
    for (uint32_t at = 0; at < CELLS; at++) {
        if (!c->key[at]) continue;
        int i = count++;
        for (; i > 0 && sorted[i - 1] > c->key[at]; i--) sorted[i] = sorted[i - 1];
        sorted[i] = c->key[at];
    }
    for (int i = 0; i < count; i++) {
        uint32_t from = slot_of(c->key, CELLS, sorted[i]), to = slot_of(b->key, b->slots, sorted[i]);
        b->key[to] = sorted[i];
        if (sorted[i] == TOO_LARGE) b->too_large = i;
        b->block[to] = (uint32_t)i;
        b->bytes[i] = c->bytes[from];
        b->items[i] = c->items[from];
        for (int k = 0; k < b->cliques; k++)
            b->rate[i * b->cliques + k] = (double)c->rate[(uint64_t)from * (uint64_t)b->cliques + (uint64_t)k] *
                                          0x1p-20;
    }
    b->count = count;
    return ST_OK;
}

/* The mean of the prices that are not zero. */
static double usual_price(const struct reach *r, int component, const double *price)
{
    double sum = 0;
    int count = 0;
    for (int k = 0; k < r->pools; k++) {
        if (r->component_of[k] != component || price[k] <= 0) continue;
        sum += price[k];
        count++;
    }
    return count ? sum / count : 0;
}

static enum st cut_by_prices(const struct reach *r, int component, const double *price, const double *weight,
                             double band, struct blocks *b, struct err *err)
{
    b->by_prices = true;
    b->band = band * usual_price(r, component, price);
    b->narrow = b->band / 64;
    b->steps = BAND_STEPS;
    return pattern_prices_make(r, component, price, weight, &b->prices, err);
}

enum st blocks_make(const struct reach *r, int component, const struct items *items, const double *price,
                    const double *weight, double band, struct blocks *out, struct err *err)
{
    enum st st = ST_OK;
    const struct component *comp_of = &r->component[component];
    struct blocks *b = out;
    struct cells c = {0};
    memset(b, 0, sizeof *b);
    b->largest = comp_of->largest;
    b->too_large = -1;
    for (int i = 0; i < comp_of->groups; i++) {
        int clique = r->clique_of_group[comp_of->group[i]], k = 0;
        while (k < b->cliques && b->clique[k] != clique) k++;
        if (k == b->cliques) b->clique[b->cliques++] = clique;
    }
    if (price && usual_price(r, component, price) > 0) TRY(cut_by_prices(r, component, price, weight, band, b, err));
    b->single = count_items(b, items) <= BLOCKS_MAX;
    TRY(choose_steps(b, items, &c, err));
    TRY(blocks_from_cells(b, &c, err));
done:
    cells_release(&c);
    if (st != ST_OK) blocks_release(b);
    return st;
}

void blocks_release(struct blocks *b)
{
    pattern_prices_release(&b->prices);
    mem_free(b->bytes);
    mem_free(b->items);
    mem_free(b->rate);
    mem_free(b->key);
    mem_free(b->block);
    memset(b, 0, sizeof *b);
}

int blocks_find(const struct blocks *b, const struct items *items, uint64_t item)
{
    uint64_t key = item_key(b, items, item);
    if (!key) return -1;
    uint32_t at = slot_of(b->key, b->slots, key);
    return b->key[at] ? (int)b->block[at] : -1;
}
