/* Curves against one simulation per size: LRU and rankings equal, sampled rules within their bars. */
#include <math.h>

#include "base/mem.h"
#include "simulator/caches/cache.h"
#include "simulator/curves/curve_exact.h"
#include "simulator/curves/curve_samples.h"
#include "simulator/curves/curves.h"
#include "tests/oracle/instance.h"

static struct err err;

/* A stream of mini-batches of distinct ids, some ids hotter than others; skew 1: none. */
static void make_stream(struct stream *s, uint64_t seed, uint64_t ids, uint64_t requests, uint64_t batch, double skew)
{
    struct dice d = {seed};
    uint32_t *list = calloc(batch, sizeof *list), *seen = calloc(ids, sizeof *seen);
    memset(s, 0, sizeof *s);
    s->ids = ids;
    for (uint32_t b = 1; s->requests < requests; b++) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < batch; i++) {
            double u = (double)dice_below(&d, 1u << 30) / (1u << 30);
            uint32_t id = (uint32_t)((double)ids * pow(u, skew));
            if (seen[id] != b) list[count++] = id;
            seen[id] = b;
        }
        OK(stream_add(s, (struct stream_batch){0}, list, count, &err));
    }
    free(list);
    free(seen);
}

static uint64_t misses_at(const char *rule, const struct stream *s, const uint32_t *next, uint64_t capacity)
{
    const struct cache *c;
    struct cache_counts k;
    OK(cache_find(rule, &c, &err));
    OK(cache_run(c, s, next, capacity, ADMISSION_REQUEST, NULL, &k, &err));
    return k.misses;
}

/* Every size of small streams, and 60 sizes of longer ones. */
static void test_lru_equals_simulation(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        struct dice d = {test_seed(i) + 9};
        struct stream s;
        uint64_t ids = i % 6 ? dice_range(&d, 60, 200) : 5000, hits[200], capacity[200], sizes = ids < 200 ? ids : 60;
        make_stream(&s, test_seed(i), ids, 20 * ids, dice_range(&d, 1, 50), 1 + (double)dice_below(&d, 3));
        for (uint64_t k = 0; k < sizes; k++) capacity[k] = ids * (k + 1) / sizes;
        OK(curve_exact_lru(&s, &(struct curve_sizes){capacity, sizes, NULL}, hits, &err));
        for (uint64_t k = 0; k < sizes; k++)
            EQUAL(s.requests - hits[k], misses_at("lru", &s, NULL, capacity[k]), "seed %d, %d rows", (int)test_seed(i),
                  (int)capacity[k]);
        stream_release(&s);
    }
}

/* LRU of rows of several sizes as a textbook has it: a list, evicted from its end until the new row fits. */
static uint64_t plain_lru(const struct stream *s, const uint64_t *bytes, uint64_t capacity)
{
    static uint32_t list[64];
    uint64_t count = 0, held = 0, hits = 0;
    for (uint64_t at = 0; at < s->requests; at++) {
        uint32_t id = s->id[at];
        uint64_t place = 0;
        while (place < count && list[place] != id) place++;
        if (place < count) {
            hits++;
            memmove(list + 1, list, place * sizeof *list);
            list[0] = id;
            continue;
        }
        while (count && held + bytes[id] > capacity) held -= bytes[list[--count]];
        if (bytes[id] > capacity) continue;
        memmove(list + 1, list, count * sizeof *list);
        list[0] = id;
        held += bytes[id];
        count++;
    }
    return hits;
}

static void test_lru_of_bytes(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        struct dice d = {test_seed(i) + 3};
        struct stream s;
        uint64_t ids = dice_range(&d, 2, 60), bytes[60], hits[80], capacity[80], all = 0, most = 0;
        make_stream(&s, test_seed(i), ids, 600, dice_range(&d, 1, 20), 2);
        for (uint64_t k = 0; k < ids; k++) {
            all += bytes[k] = dice_range(&d, 1, 40);
            most = bytes[k] > most ? bytes[k] : most;
        }
        /* a row larger than the cache empties a textbook's; sizes begin where every row fits */
        for (uint64_t k = 0; k < 80; k++) capacity[k] = most + (all - most) * k / 79;
        OK(curve_exact_lru(&s, &(struct curve_sizes){capacity, 80, bytes}, hits, &err));
        for (uint64_t k = 0; k < 80; k++)
            EQUAL(hits[k], plain_lru(&s, bytes, capacity[k]), "seed %d, %d bytes", (int)test_seed(i), (int)capacity[k]);
        stream_release(&s);
    }
}

/* A ranking's curve is what a static list of each size answers. */
static void test_rankings_equal_lists(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(40); i++) {
        struct dice d = {test_seed(i) + 5};
        struct stream s;
        enum { IDS = 60 };
        uint64_t bytes[IDS], requested[IDS], hits[80], held[80], capacity[80];
        uint32_t order[IDS];
        make_stream(&s, test_seed(i), IDS, 900, 10, 2);
        for (uint32_t k = 0; k < IDS; k++) {
            uint64_t at = dice_below(&d, k + 1);
            order[k] = order[at];
            order[at] = k;
            bytes[k] = dice_range(&d, 1, 9);
        }
        for (uint64_t k = 0; k < 80; k++) capacity[k] = 5 * k;
        curve_exact_requests(&s, requested);
        curve_exact_ranked(requested, order, IDS, &(struct curve_sizes){capacity, 80, bytes}, hits, held);
        for (uint64_t k = 0; k < 80; k++) {
            bool in[IDS] = {0};
            uint64_t size = 0, count = 0, rows = 0;
            for (; rows < IDS && size + bytes[order[rows]] <= capacity[k]; rows++) {
                size += bytes[order[rows]];
                in[order[rows]] = true;
            }
            for (uint64_t at = 0; at < s.requests; at++) count += in[s.id[at]];
            EQUAL(hits[k], count, "seed %d, %d bytes", (int)test_seed(i), (int)capacity[k]);
            EQUAL(held[k], rows, "seed %d, %d bytes", (int)test_seed(i), (int)capacity[k]);
        }
        stream_release(&s);
    }
}

/* [0]: of simulated sizes, [1]: of sizes between them. */
struct judged {
    int within[2], cases[2];
};

/* The cases in which a rule's misses lie within the bar, of those that are sampled. */
static void judge_bars(const struct stream *s, uint64_t seed, struct judged *j)
{
    enum { SIZES = 100 };
    static const char *const rules[] = {"fifo", "sieve", "s3fifo", "lfu", "clock", "belady"};
    uint64_t capacity[SIZES], lru[SIZES];
    struct curve_estimate one[SIZES], two[SIZES];
    struct curve_samples *c;
    uint32_t *next;
    for (uint64_t k = 0; k < SIZES; k++) capacity[k] = s->ids * (k + 1) / SIZES;
    OK(curve_exact_lru(s, &(struct curve_sizes){capacity, SIZES, NULL}, lru, &err));
    for (int k = 0; k < SIZES; k++) lru[k] = s->requests - lru[k];
    OK(curve_samples_new(s, capacity, SIZES, lru, true, seed, &c, &err));
    HOLDS(curve_samples_groups(c) > 1, "the stream is too short to be sampled");
    OK(stream_next(s, &next, &err));
    for (size_t r = 0; r < COUNT_OF(rules); r++) {
        const struct cache *rule;
        OK(cache_find(rules[r], &rule, &err));
        OK(curve_samples_run(c, rule, ADMISSION_REQUEST, 1, one, &err));
        OK(curve_samples_run(c, rule, ADMISSION_REQUEST, 2, two, &err));
        for (int k = 0; k < SIZES; k++)
            HOLDS(one[k].misses == two[k].misses && one[k].bar == two[k].bar, "%s on one and two threads", rules[r]);
        for (int k = 3; k < SIZES; k += 12) {
            double truth = (double)misses_at(rules[r], s, next, capacity[k]);
            j->within[one[k].between] += fabs(one[k].misses - truth) <= one[k].bar + 0.5;
            j->cases[one[k].between]++;
        }
    }
    mem_free(next);
    curve_samples_free(c);
}

/* At least 95 % of the cases of streams with so many ids; so many of the 216 lie between simulated sizes. */
static void hold_bars(uint64_t ids, uint64_t streams, int least, int most)
{
    static const double skew[] = {1, 2, 3, 5};
    struct judged j = {{0}, {0}};
    for (uint64_t i = 0; i < streams; i++) {
        struct stream s;
        make_stream(&s, 40 + i, ids, 10 * ids, 3000, skew[i]);
        judge_bars(&s, 7 + i, &j);
        stream_release(&s);
    }
    for (int b = 0; b < 2; b++) {
        print_message("# %d ids: %d of %d%s within their bars\n", (int)ids, j.within[b], j.cases[b],
                      b ? " between simulated sizes" : "");
        HOLDS(j.within[b] >= 0.95 * j.cases[b], "%d of %d within their bars", j.within[b], j.cases[b]);
    }
    HOLDS(j.cases[1] >= least && j.cases[1] <= most, "%d lie between", j.cases[1]);
}

/* Every size is sampled. */
static void test_samples_within_bars(void **state)
{
    (void)state;
    hold_bars(40000, test_is_short() ? 1 : 4, 0, 0);
}

/* Few sizes are, and the rest lies between. */
static void test_between_within_bars(void **state)
{
    (void)state;
    hold_bars(80000, 4, 150, 215);
}

/* A rule that holds nothing and counts what it is asked. */
static uint64_t served;
static void count_start(void *state, const struct cache_setup *s)
{
    (void)state;
    (void)s;
}
static void count_serve(void *state, const uint32_t *id, uint64_t from, uint64_t to, uint8_t *hit)
{
    (void)state;
    (void)id;
    served += to - from;
    memset(hit, 0, to - from);
}

/* Requests that are simulated for so many sizes. */
static uint64_t work_of(const struct stream *s, uint64_t sizes)
{
    enum { MOST = 100 };
    static const struct cache_array none[] = {{.what = NULL}};
    const struct cache rule = {.name = "counting",
                               .state_bytes = 1,
                               .arrays = none,
                               .start = count_start,
                               .serve = count_serve};
    uint64_t capacity[MOST];
    struct curve_estimate out[MOST];
    struct curve_samples *c;
    for (uint64_t k = 0; k < sizes; k++) capacity[k] = s->ids * (k + 1) / (2 * sizes);
    OK(curve_samples_new(s, capacity, sizes, NULL, false, 1, &c, &err));
    served = 0;
    OK(curve_samples_run(c, &rule, ADMISSION_REQUEST, 1, out, &err));
    curve_samples_free(c);
    return served;
}

/* 100 sizes, of which 20 are simulated: each of a 160th of the ids eight times, and of an 80th four times, so 2
 * simulations of the stream. */
static void test_work(void **state)
{
    struct stream s;
    (void)state;
    make_stream(&s, 3, 300000, 900000, 3000, 1);
    EQUAL(work_of(&s, 1), s.requests, "one size is simulated as it is");
    double times = (double)work_of(&s, 100) / (double)s.requests;
    HOLDS(times > 1.9 && times < 2.1, "100 sizes take %g simulations", times);
    stream_release(&s);
}

static void test_knee(void **state)
{
    (void)state;
    const double turns[] = {0, 0.5, 0.9, 0.95, 1}, straight[] = {0, 0.25, 0.5, 0.75, 1},
                 ends[] = {0, 0.6, 0.7, 0.75, NAN};
    EQUAL(curves_knee(turns, 5), 2, "above the line by 0.25, 0.4, 0.2");
    EQUAL(curves_knee(straight, 5), 0, "a straight line");
    EQUAL(curves_knee(ends, 5), 1, "above the line by 0.35, 0.2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lru_equals_simulation),
                                       cmocka_unit_test(test_lru_of_bytes),
                                       cmocka_unit_test(test_rankings_equal_lists),
                                       cmocka_unit_test(test_samples_within_bars),
                                       cmocka_unit_test(test_between_within_bars),
                                       cmocka_unit_test(test_work),
                                       cmocka_unit_test(test_knee)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
