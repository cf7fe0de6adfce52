/* Request files: the bytes of a record, there and back, and files that lie. */
#include "tests/unit/unit.h"
#include "base/mem.h"
#include "simulator/caches/cache.h"
#include "simulator/caches/requests.h"

static struct err err;

static void put(FILE *f, uint32_t time, uint64_t id, uint32_t size, int64_t next)
{
    fwrite(&time, 4, 1, f);
    fwrite(&id, 8, 1, f);
    fwrite(&size, 4, 1, f);
    fwrite(&next, 8, 1, f);
}

static void test_bytes(void **state)
{
    struct stream s = {.ids = 300}, back = {0};
    uint32_t *next;
    unsigned char bytes[100];
    /* mini-batch 0: 258, 1; mini-batch 1: 258 */
    const unsigned char expected[72] = {0,   0,   0,   0, 2,   1,   0,   0,   0,   0,   0,   0,   0,   2,   0,
                                        0,   2,   0,   0, 0,   0,   0,   0,   0,   0,   0,   0,   0,   1,   0,
                                        0,   0,   0,   0, 0,   0,   0,   2,   0,   0,   255, 255, 255, 255, 255,
                                        255, 255, 127, 1, 0,   0,   0,   2,   1,   0,   0,   0,   0,   0,   0,
                                        0,   2,   0,   0, 255, 255, 255, 255, 255, 255, 255, 127};
    (void)state;
    GOOD(stream_add(&s, (struct stream_batch){0}, (uint32_t[]){258, 1}, 2, &err));
    GOOD(stream_add(&s, (struct stream_batch){0}, (uint32_t[]){258}, 1, &err));
    GOOD(stream_next(&s, &next, &err));
    GOOD(requests_save(&s, next, 512, in_scratch("r"), &err));
    FILE *f = fopen(in_scratch("r"), "rb");
    assert_int_equal(fread(bytes, 1, sizeof bytes, f), 72);
    fclose(f);
    assert_memory_equal(bytes, expected, 72);
    GOOD(requests_load(in_scratch("r"), false, &back, &err));
    assert_int_equal(back.ids, 2);
    assert_int_equal(back.batches, 2);
    assert_int_equal(back.batch[1].from, 2);
    assert_memory_equal(back.id, ((uint32_t[]){0, 1, 0}), 12);
    stream_release(&back);
    BAD(ST_LIMIT, "32 bits", requests_save(&s, next, (uint64_t)1 << 32, in_scratch("r2"), &err));
    BAD(ST_INPUT, "", requests_save(&s, next, 4, scratch, &err));
    mem_free(next);
    stream_release(&s);
}

/* Ids of 64 bits, and many of them, are numbered in the order of their first request, by either table. */
static void test_ids(void **state)
{
    enum { IDS = 5000 };
    (void)state;
    for (int large = 0; large < 2; large++) {
        struct stream s = {0};
        FILE *f = fopen(in_scratch("ids"), "wb");
        for (uint32_t i = 0; i < 3 * IDS; i++) {
            uint64_t number = i < IDS ? i : i * 7919u % IDS;
            put(f, i, large ? number * 0x9E3779B97F4A7C15u : IDS - number, 1, -1);
        }
        fclose(f);
        GOOD(requests_load(in_scratch("ids"), true, &s, &err));
        assert_int_equal(s.ids, IDS);
        for (uint32_t i = 0; i < 3 * IDS; i++) assert_int_equal(s.id[i], i < IDS ? i : i * 7919u % IDS);
        stream_release(&s);
    }
}

/* The same id twice in one mini-batch: counted as it is, or once. */
static void test_once(void **state)
{
    struct stream s = {0};
    (void)state;
    FILE *f = fopen(in_scratch("twice"), "wb");
    put(f, 4, 9, 1, 0);
    put(f, 4, 9, 1, 0);
    put(f, 9, 9, 1, 0);
    fclose(f);
    GOOD(requests_load(in_scratch("twice"), false, &s, &err));
    assert_int_equal(s.requests, 3);
    stream_release(&s);
    GOOD(requests_load(in_scratch("twice"), true, &s, &err));
    assert_int_equal(s.requests, 2);
    assert_int_equal(s.batches, 2);
    stream_release(&s);
}

static void refuse(const char *words, const void *bytes, size_t size)
{
    struct stream s = {0};
    uint64_t before = mem_in_use();
    FILE *f = fopen(in_scratch("bad"), "wb");
    fwrite(bytes, 1, size, f);
    fclose(f);
    BAD(ST_INPUT, words, requests_load(in_scratch("bad"), true, &s, &err));
    assert_int_equal(mem_in_use(), before);
}

static void test_hostile(void **state)
{
    unsigned char r[48] = {5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8};
    struct stream s = {0};
    (void)state;
    r[24] = 4;
    r[36] = 8;
    refuse("empty", r, 0);
    refuse("multiple of the record size", r, 23);
    refuse("multiple of the record size", r, 47);
    refuse("times must not decrease", r, 48);
    r[24] = 5;
    r[36] = 0;
    refuse("the record at byte 24 has size 0", r, 48);
    refuse("zstd", (unsigned char[]){0x28, 0xb5, 0x2f, 0xfd, 0, 0}, 6);
    refuse("gunzip", (unsigned char[]){0x1f, 0x8b, 8, 0, 0, 0}, 6);
    BAD(ST_INPUT, "nowhere", requests_load(in_scratch("nowhere"), true, &s, &err));
    BAD(ST_INPUT, "", requests_load(scratch, true, &s, &err));
}

/* Allocation after allocation fails. */
static void test_out_of_memory(void **state)
{
    (void)state;
    FILE *f = fopen(in_scratch("oom"), "wb");
    for (uint32_t i = 0; i < 3000; i++) put(f, i / 7, i * 0x9E3779B97F4A7C15u, 1, -1);
    fclose(f);
    for (uint64_t k = 1;; k++) {
        struct stream s = {0};
        uint64_t before = mem_in_use();
        err_clear(&err);
        mem_fail_at(k);
        enum st st = requests_load(in_scratch("oom"), true, &s, &err);
        mem_fail_at(0);
        if (st == ST_OK) {
            stream_release(&s);
            assert_true(k > 5);
            break;
        }
        assert_int_equal(st, ST_LIMIT);
        assert_int_equal(mem_in_use(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bytes), cmocka_unit_test(test_ids),
                                       cmocka_unit_test(test_once), cmocka_unit_test(test_hostile),
                                       cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
