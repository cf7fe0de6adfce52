/* Every rule step by step: letters are rows, 'h' and 'm' what the rule's paper says of each request, worked by hand
 * beside it. */
#include "tests/unit/unit.h"
#include "base/mem.h"
#include "simulator/caches/cache.h"

static struct err err;

struct worked {
    const char *cache;
    uint64_t rows;
    const char *requests, *answers;
}; /* '|' parts mini-batches: admission at their end */

static const struct worked worked[] = {
    /* A stays first although it hits: D pushes out A, then A pushes out B, B pushes out C; D is still there */
    {"fifo", 3, "ABCADABD", "mmmhmmmh"},
    /* after A's hit B is oldest: D pushes out B, B pushes out C, C pushes out D */
    {"lru", 3, "ABCADABC", "mmmhmhmm"},
    /* A and B have two uses when C comes with one: D pushes out C, C pushes out D */
    {"lfu", 3, "AABBCDBCA", "mhmhmmhmh"},
    /* A and B both have two uses, B has had them for longer: C pushes out B; A has three, so B pushes out C */
    {"lfu", 2, "ABBACAB", "mmhhmhm"},
    /* uses before eviction are forgotten: A (3) leaves for C, then B (4) for A, which comes back with one use and
     * leaves for D before C (5) */
    {"lfu", 2, "AAABBBBCCCCCADAC", "mhhmhhhmhhhhmmmh"},
    /* A is marked: the hand passes it, D takes B's place, B takes C's; A, marked again, is passed: E takes D's place,
     * D takes B's */
    {"clock", 3, "ABCADBAEDA", "mmmhmmhmmh"},
    /* D: A and B lose their marks, C goes, and the hand falls off the newest end. E: from the oldest, A goes; the
     * hand stays at B. F: B loses its mark, D goes. G: E loses its mark, F goes, off the end. H: B goes. B: the hand
     * stands at E, E goes; G and H are there */
    {"sieve", 3, "ABCABDEBFEGHBGH", "mmmhhmmhmhmmmhh"},
    /* small 1, main 1, ghost 1. B finds small full before anything went: main. C: A (two hits) moves to main, which
     * is over its size: B goes. D: C to the ghost. C comes from the ghost to main, D to the ghost. E: main is over: A
     * goes. A: E to the ghost, D is forgotten. D: A to the ghost. C hits twice. E: D to the ghost; D from there to
     * main, E to the ghost. A: main is over: C goes round (2 -> 1), D goes. C hits */
    {"s3fifo", 2, "ABAACDCEADCCEDAC", "mmhhmmmmmmhhmmmh"},
    /* one row, no ghost */
    {"s3fifo", 1, "AABAA", "mhmmh"},
    /* C: A comes next at 3, B at 4: B goes. B: A is never asked for again: A goes. C hits */
    {"belady", 2, "ABCABC", "mmmhmh"},
    /* rows that nobody asks for again go first, whichever they are: with B and C useless, A stays */
    {"belady", 2, "ABCADA", "mmmhmh"},
    /* mini-batches: A hits and becomes the newer one before C is admitted, so B goes; then B misses, C hits */
    {"lru", 2, "AB|AC|BC", "mmhmmh"},
    /* a mini-batch that is larger than the cache: the late ones stay; A is looked up before it is admitted */
    {"fifo", 2, "ABC|ABC|AB", "mmmmhhhm"},
    {"fifo", 2, "ABCABCAB", "mmmmmmmm"},
    /* A's hit is its last request, so when C is admitted at the end of the mini-batch, A goes */
    {"belady", 2, "AB|AC|CB", "mmhmhh"},
    {"fifo", 0, "AAA", "mmm"},
    {"belady", 26, "ABABC", "mmhhm"},
};

static void make(const char *requests, struct stream *s)
{
    memset(s, 0, sizeof *s);
    s->ids = 26;
    for (const char *p = requests; *p; p += *p == '|') {
        uint32_t batch[64];
        uint64_t count = 0;
        for (; *p && *p != '|'; p++) batch[count++] = (uint32_t)(*p - 'A');
        GOOD(stream_add(s, (struct stream_batch){0}, batch, count, &err));
    }
}

static void test_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof worked / sizeof *worked; i++) {
        const struct worked *w = &worked[i];
        const struct cache *c;
        struct stream s;
        struct cache_counts k;
        uint32_t *next;
        uint8_t hit[64];
        uint64_t misses = 0;
        make(w->requests, &s);
        GOOD(cache_find(w->cache, &c, &err));
        GOOD(stream_next(&s, &next, &err));
        GOOD(cache_run(c, &s, next, w->rows, strchr(w->requests, '|') ? ADMISSION_BATCH : ADMISSION_REQUEST, hit, &k,
                       &err));
        assert_int_equal(strlen(w->answers), s.requests);
        for (uint64_t r = 0; r < s.requests; r++) {
            if (hit[r] != (w->answers[r] == 'h'))
                fail_msg("%s with %d rows, %s: request %d should be '%c'", w->cache, (int)w->rows, w->requests, (int)r,
                         w->answers[r]);
            misses += w->answers[r] == 'm';
        }
        assert_int_equal(k.misses, misses);
        assert_int_equal(k.admitted, w->rows ? misses : 0);
        assert_int_equal(k.evicted, w->rows && misses > w->rows ? misses - w->rows : 0);
        mem_free(next);
        stream_release(&s);
    }
}

static void test_next(void **state)
{
    struct stream s;
    uint32_t *next;
    const uint32_t expected[] = {2, 3, STREAM_NEVER, 4, STREAM_NEVER, STREAM_NEVER};
    (void)state;
    make("ABABBC", &s);
    GOOD(stream_next(&s, &next, &err));
    assert_memory_equal(next, expected, sizeof expected);
    mem_free(next);
    stream_release(&s);
}

static void test_lists(void **state)
{
    const struct cache *list[CACHES_MAX];
    int count;
    (void)state;
    GOOD(cache_list("lru,fifo,lru", list, &count, &err));
    assert_int_equal(count, 3);
    assert_string_equal(list[1]->name, "fifo");
    GOOD(cache_list("all", list, &count, &err));
    assert_true(count >= 7);
    BAD(ST_USAGE, "did you mean 'sieve'", cache_list("lru,seive", list, &count, &err));
    BAD(ST_USAGE, "hotset list caches", cache_list("quux-of-nowhere", list, &count, &err));
    BAD(ST_USAGE, "there is no cache ''", cache_list("", list, &count, &err));
}

/* Every allocation of a run fails once: nothing is kept, and the sentence speaks of memory. */
static void test_out_of_memory(void **state)
{
    struct stream s;
    uint32_t *next;
    (void)state;
    make("ABC|ABD|DCA", &s);
    GOOD(stream_next(&s, &next, &err));
    for (const struct cache *const *c = caches_registered; *c; c++)
        for (uint64_t k = 1;; k++) {
            struct cache_counts counts;
            uint64_t before = mem_in_use();
            err_clear(&err);
            mem_fail_at(k);
            enum st st = cache_run(*c, &s, next, 2, ADMISSION_BATCH, NULL, &counts, &err);
            mem_fail_at(0);
            assert_int_equal(mem_in_use(), before);
            if (st == ST_OK) break;
            assert_int_equal(st, ST_LIMIT);
            assert_true(k < 50);
        }
    mem_free(next);
    stream_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_next),
                                       cmocka_unit_test(test_lists), cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
