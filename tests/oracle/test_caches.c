/* Dynamic caches against textbook lists, LRU against stack distances, and laws that hold between them. */
#include "base/mem.h"
#include "simulator/caches/cache.h"
#include "tests/oracle/caches.h"
#include "tests/oracle/instance.h"

static struct err err;

/* A random stream of mini-batches of distinct ids; half of the requests go to few ids. */
static void make_stream(struct stream *s, uint64_t seed, int *ends)
{
    struct dice d = {seed};
    uint64_t ids = dice_range(&d, 1, PLAIN_IDS), most = dice_range(&d, 1, ids < 20 ? ids : 20), hot = 1 + ids / 8;
    memset(s, 0, sizeof *s);
    s->ids = ids;
    while (s->requests + most <= 600) {
        uint32_t batch[PLAIN_IDS];
        uint64_t count = 0;
        for (uint64_t tries = dice_range(&d, 1, most); tries; tries--) {
            uint32_t id = (uint32_t)(dice_chance(&d, 0.5) ? dice_below(&d, hot) : dice_below(&d, ids));
            bool new = true;
            for (uint64_t i = 0; i < count; i++) new &= batch[i] != id;
            if (new) batch[count++] = id;
        }
        OK(stream_add(s, (struct stream_batch){0}, batch, count, &err));
        ends[s->batches - 1] = (int)s->requests;
    }
}

static const struct cache *cache_named(const char *name)
{
    const struct cache *c;
    OK(cache_find(name, &c, &err));
    return c;
}

static void judge_rule(const struct plain_rule *rule, const struct stream *s, const uint32_t *next, const int *ends,
                       uint64_t capacity, enum admission how, uint64_t seed)
{
    static uint8_t hit[PLAIN_REQUESTS], expected[PLAIN_REQUESTS];
    struct cache_counts counts, again;
    uint64_t misses = 0;
    plain_run(rule, s->id, (int)s->requests, ends, how == ADMISSION_BATCH ? (int)s->batches : 0,
              (int)(capacity < PLAIN_IDS ? capacity : PLAIN_IDS), expected);
    OK(cache_run(cache_named(rule->name), s, next, capacity, how, hit, &counts, &err));
    OK(cache_run(cache_named(rule->name), s, next, capacity, how, NULL, &again, &err));
    for (uint64_t i = 0; i < s->requests; i++) {
        EQUAL(hit[i], expected[i], "seed %d, %s with %d rows, %s, request %d", (int)seed, rule->name, (int)capacity,
              admission_name(how), (int)i);
        misses += !expected[i];
    }
    EQUAL(counts.misses, misses, "seed %d, %s", (int)seed, rule->name);
    EQUAL(counts.admitted, capacity ? misses : 0, "seed %d, %s", (int)seed, rule->name);
    EQUAL(memcmp(&counts, &again, sizeof counts), 0, "seed %d, %s: with and without answers", (int)seed, rule->name);
}

static void test_rules(void **state)
{
    static int ends[PLAIN_REQUESTS];
    (void)state;
    for (uint64_t i = 0; i < test_rounds(250); i++) {
        uint64_t seed = test_seed(i);
        struct stream s;
        uint32_t *next;
        make_stream(&s, seed, ends);
        OK(stream_next(&s, &next, &err));
        struct dice d = {seed + 77};
        const uint64_t capacities[] = {0, 1, 2, dice_range(&d, 1, s.ids), dice_range(&d, 1, s.ids), s.ids, s.ids + 5};
        for (const struct plain_rule *rule = plain_rules; rule->name; rule++)
            for (size_t c = 0; c < COUNT_OF(capacities); c++)
                for (int how = ADMISSION_BATCH; how <= ADMISSION_REQUEST; how++)
                    judge_rule(rule, &s, next, ends, capacities[c], (enum admission)how, seed);
        mem_free(next);
        stream_release(&s);
    }
}

/* Every registered cache has a textbook form here. */
static void test_all_rules_are_judged(void **state)
{
    (void)state;
    for (const struct cache *const *c = caches_registered; *c; c++) {
        bool found = false;
        for (const struct plain_rule *rule = plain_rules; rule->name; rule++) found |= !strcmp(rule->name, (*c)->name);
        if (!found) fail_msg("%s has no slow form in tests/oracle/caches.h", (*c)->name);
    }
}

/* LRU of any size at once: a request hits in caches of more rows than ids were used since its last use (Mattson et
 * al. 1970). */
static void test_lru_by_stack_distance(void **state)
{
    static int ends[PLAIN_REQUESTS];
    static uint8_t hit[PLAIN_REQUESTS];
    (void)state;
    for (uint64_t i = 0; i < test_rounds(100); i++) {
        uint64_t seed = test_seed(i);
        struct stream s;
        make_stream(&s, seed, ends);
        for (uint64_t capacity = 0; capacity <= s.ids; capacity++) {
            struct cache_counts counts;
            OK(cache_run(cache_named("lru"), &s, NULL, capacity, ADMISSION_REQUEST, hit, &counts, &err));
            for (uint64_t at = 0; at < s.requests; at++) {
                bool used[PLAIN_IDS] = {0}, before = false;
                uint64_t distance = 0;
                for (uint64_t k = at; k-- > 0 && !before;) {
                    before = s.id[k] == s.id[at];
                    if (!before && !used[s.id[k]]) used[s.id[k]] = true, distance++;
                }
                EQUAL(hit[at], before && distance < capacity, "seed %d, %d rows, request %d", (int)seed, (int)capacity,
                      (int)at);
            }
        }
        stream_release(&s);
    }
}

/* More rows never cost LRU or Belady a miss; nobody who admits on demand misses less than Belady. */
static void test_laws(void **state)
{
    static int ends[PLAIN_REQUESTS];
    (void)state;
    for (uint64_t i = 0; i < test_rounds(100); i++) {
        uint64_t seed = test_seed(i), lru = UINT64_MAX, best = UINT64_MAX;
        struct stream s;
        uint32_t *next;
        make_stream(&s, seed, ends);
        OK(stream_next(&s, &next, &err));
        for (uint64_t capacity = 0; capacity <= s.ids; capacity++) {
            struct cache_counts belady, one;
            OK(cache_run(cache_named("belady"), &s, next, capacity, ADMISSION_REQUEST, NULL, &belady, &err));
            for (const struct cache *const *c = caches_registered; *c; c++) {
                OK(cache_run(*c, &s, next, capacity, ADMISSION_REQUEST, NULL, &one, &err));
                HOLDS(one.misses >= belady.misses, "seed %d, %d rows: %s misses less than belady", (int)seed,
                      (int)capacity, (*c)->name);
                if (strcmp((*c)->name, "lru")) continue;
                HOLDS(one.misses <= lru, "seed %d, %d rows: a larger lru misses more", (int)seed, (int)capacity);
                lru = one.misses;
            }
            HOLDS(belady.misses <= best, "seed %d, %d rows: a larger belady misses more", (int)seed, (int)capacity);
            best = belady.misses;
        }
        mem_free(next);
        stream_release(&s);
    }
}

/* Long enough that the numbers of LRU's window run out several times. */
static void test_lru_renumbers(void **state)
{
    enum { IDS = 40, ROWS = 9, REQUESTS = 3500000 };
    struct dice d = {test_seed(5)};
    struct stream s = {.ids = IDS};
    struct cache_counts counts;
    struct plain p = {.capacity = ROWS};
    uint64_t misses = 0;
    (void)state;
    uint32_t *ids = malloc(REQUESTS * sizeof *ids);
    for (uint64_t i = 0; i < REQUESTS; i++) {
        ids[i] = (uint32_t)dice_below(&d, dice_range(&d, 1, IDS));
        if (plain_touch_lru(&p, ids[i], 0)) continue;
        plain_take_fifo(&p, ids[i], 0);
        misses++;
    }
    OK(stream_add(&s, (struct stream_batch){0}, ids, REQUESTS, &err));
    OK(cache_run(cache_named("lru"), &s, NULL, ROWS, ADMISSION_REQUEST, NULL, &counts, &err));
    EQUAL(counts.misses, misses, "lru over many requests");
    free(ids);
    stream_release(&s);
}

/* Belady's set has as many levels as the stream is long. */
static void test_belady_long(void **state)
{
    enum { IDS = 3000, REQUESTS = 300000 };
    struct dice d = {test_seed(6)};
    struct stream s = {.ids = IDS};
    struct cache_counts counts;
    uint32_t *next, *ids = malloc(REQUESTS * sizeof *ids);
    uint64_t cold = 0;
    static bool seen[IDS];
    (void)state;
    for (uint64_t i = 0; i < REQUESTS; i++) {
        ids[i] = (uint32_t)dice_below(&d, IDS);
        cold += !seen[ids[i]];
        seen[ids[i]] = true;
    }
    OK(stream_add(&s, (struct stream_batch){0}, ids, REQUESTS, &err));
    OK(stream_next(&s, &next, &err));
    OK(cache_run(cache_named("belady"), &s, next, IDS, ADMISSION_REQUEST, NULL, &counts, &err));
    EQUAL(counts.misses, cold, "everything fits");
    OK(cache_run(cache_named("belady"), &s, next, 1, ADMISSION_REQUEST, NULL, &counts, &err));
    uint64_t repeats = 0;
    for (uint64_t i = 1; i < REQUESTS; i++) repeats += ids[i] == ids[i - 1];
    EQUAL(counts.misses, REQUESTS - repeats, "one row");
    mem_free(next);
    free(ids);
    stream_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules),
                                       cmocka_unit_test(test_all_rules_are_judged),
                                       cmocka_unit_test(test_lru_by_stack_distance),
                                       cmocka_unit_test(test_laws),
                                       cmocka_unit_test(test_lru_renumbers),
                                       cmocka_unit_test(test_belady_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
