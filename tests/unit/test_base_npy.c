/* .npy arrays: what is written is read back; every malformed header is refused with a sentence. */
#include "tests/unit/unit.h"
#include "base/npy.h"

static struct err err;
static unsigned char file[1 << 18];

/* An array of version 1..3 in memory with `payload` zero bytes; returns its size. length < 0: the header's own. */
static size_t make(int version, const char *header, long length, size_t payload)
{
    size_t n = strlen(header), start = version == 1 ? 10 : 12;
    unsigned long claim = length < 0 ? n : (unsigned long)length;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    file[7] = 0;
    for (size_t i = 8; i < start; i++) file[i] = (unsigned char)(claim >> 8 * (i - 8));
    memcpy(file + start, header, n);
    memset(file + start + n, 0, payload);
    return start + n + payload;
}

static void versions(void **state)
{
    struct npy a;
    (void)state;
    for (int v = 1; v <= 3; v++) {
        size_t size = make(v, "{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3), }\n", -1, 24);
        GOOD(npy_parse(file, size, "x", &a, &err));
        assert_int_equal(a.dims, 2);
        assert_true(a.shape[0] == 2 && a.shape[1] == 3 && a.count == 6 && a.item == 4 && a.data == file + size - 24);
        assert_string_equal(a.type, "u4");
        npy_release(&a);
    }
    size_t size = make(1, "{'descr':'<i8','fortran_order':True,'shape':(3,),}\n", -1,
                       24); /* one dimension has no order; blanks are free */
    GOOD(npy_parse(file, size, "x", &a, &err));
    size = make(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (), }\n", -1, 1);
    GOOD(npy_parse(file, size, "x", &a, &err));
    assert_true(a.dims == 0 && a.count == 1);
    size = make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 7), }\n", -1, 0);
    GOOD(npy_parse(file, size, "x", &a, &err));
    assert_true(a.count == 0 && !a.data);
    size = make(1, "{'shape': (1,), 'fortran_order': False, 'descr': '<u2'}", -1, 2); /* any order of keys */
    GOOD(npy_parse(file, size, "x", &a, &err));
}

static void malformed(void **state)
{
#define HEAD(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }\n"
    static const struct {
        const char *header;
        size_t payload;
        const char *words;
    } cases[] = {{HEAD("'>u4'", "False", "(1,)"), 4, "big-endian"},
                 {HEAD("'|O'", "False", "(1,)"), 8, "pickled"},
                 {HEAD("'<u4'", "True", "(2, 2)"), 16, "Fortran"},
                 {HEAD("[('a', '<u4')]", "False", "(1,)"), 4, "structured"},
                 {HEAD("'<c8'", "False", "(1,)"), 8, "element type"},
                 {HEAD("'<U4'", "False", "(1,)"), 16, "element type"},
                 {HEAD("'<f1'", "False", "(1,)"), 1, "element type"},
                 {HEAD("'<b2'", "False", "(1,)"), 2, "element type"},
                 {HEAD("'<u3'", "False", "(1,)"), 3, "element type"},
                 {HEAD("'<u16'", "False", "(1,)"), 16, "element type"},
                 {HEAD("''", "False", "(1,)"), 4, "element type"},
                 {HEAD("'<u4'", "Maybe", "(1,)"), 4, "fortran_order"},
                 {HEAD("'<u4'", "False", "1"), 4, "shape"},
                 {HEAD("'<u4'", "False", "(-1,)"), 4, "shape"},
                 {HEAD("'<u4'", "False", "(1;)"), 4, "shape"},
                 {HEAD("'<u4'", "False", "(1.5,)"), 4, "shape"},
                 {HEAD("'<u4'", "False", "(1,"), 4, "shape"},
                 {HEAD("'<u4'", "False", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), 4, "more than 8"},
                 {HEAD("'<u4'", "False", "(18446744073709551616,)"), 4, "64 bits"},
                 {HEAD("'<u4'", "False", "(4294967296, 4294967296)"), 4, "64 bits"},
                 {HEAD("'<u8'", "False", "(2305843009213693952,)"), 8, "header states"}, /* the bytes wrap to 0 */
                 {HEAD("'<u4'", "False", "(275000000000,)"), 4, "header states"},        /* a terabyte */
                 {HEAD("'<u4'", "False", "(2,)"), 7, "header states"},
                 {HEAD("'<u4'", "False", "(2,)"), 9, "header states"},
                 {HEAD("'<u4'", "False", "(0,)"), 1, "header states"},
                 {"{'fortran_order': False, 'shape': (1,), }\n", 4, "descr"},
                 {"{'descr': '<u4', 'shape': (1,), }\n", 4, "fortran_order"},
                 {"{'descr': '<u4', 'fortran_order': False, }\n", 4, "shape"},
                 {"{'descr': '<u4", 4, ""},
                 {"", 4, "descr"}};
    struct npy a, before;
    (void)state;
    memset(&a, 7, sizeof a);
    before = a;
    for (int v = 1; v <= 3; v += 2)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            size_t size = make(v, cases[i].header, -1, cases[i].payload);
            BAD(ST_INPUT, cases[i].words, npy_parse(file, size, "x.npy", &a, &err));
            assert_non_null(strstr(err.text, "x.npy"));
        }
    assert_memory_equal(&a, &before, sizeof a);
}

static void truncated_and_foreign(void **state)
{
    struct npy a;
    (void)state;
    for (int v = 1; v <= 3; v++) {
        size_t size = make(v, "{'descr': '<u4', 'fortran_order': False, 'shape': (5,), }\n", -1, 20);
        for (size_t cut = 0; cut < size; cut++) {
            unsigned char *exact = malloc(cut ? cut : 1); /* so that a sanitizer sees a read behind the end */
            memcpy(exact, file, cut);
            BAD(ST_INPUT, "x.npy", npy_parse(exact, cut, "x.npy", &a, &err));
            free(exact);
        }
    }
    size_t size = make(1, "{'descr': '<u4', 'fortran_order': False, 'shape': (5,), }\n", -1, 20);
    file[6] = 4;
    BAD(ST_INPUT, "version", npy_parse(file, size, "x", &a, &err));
    file[6] = 0;
    BAD(ST_INPUT, "version", npy_parse(file, size, "x", &a, &err));
    size = make(1, "{}", 60000, 20);
    BAD(ST_INPUT, "header should have", npy_parse(file, size, "x", &a, &err));
    size = make(2, "{}", 0x7fffffff, 20);
    BAD(ST_INPUT, "header should have", npy_parse(file, size, "x", &a, &err));
    BAD(ST_INPUT, "not a NumPy", npy_parse("\x1f\x8b", 2, "x", &a, &err));
    BAD(ST_INPUT, "cannot be opened", npy_map(in_scratch("nowhere.npy"), &a, &err));
    BAD(ST_INPUT, "not a regular file", npy_map(scratch, &a, &err));
    BAD(ST_INPUT, "not a NumPy", npy_map(put_file("empty.npy", "", 0), &a, &err));
}

static void round_trip(void **state)
{
    static const char *const types[] = {"u1", "i1", "b1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"};
    char data[120], head[128];
    (void)state;
    for (size_t i = 0; i < sizeof data; i++) data[i] = (char)i;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int dims = 1; dims <= 3; dims++) {
            uint64_t shape[3] = {dims == 1 ? 15 : 5, 3, 1};
            struct npy a;
            const char *path = in_scratch("r.npy");
            GOOD(npy_save(path, types[t], dims, shape, data, &err));
            GOOD(npy_map(path, &a, &err));
            GOOD(npy_expect(&a, path, types[t], dims, shape, &err));
            assert_true(a.count == 15 && (uintptr_t)a.data % 64 == 0);
            assert_memory_equal(a.data, data, 15 * a.item);
            uint64_t other[4] = {99, 99, 99, 99};
            BAD(ST_INPUT, "expected", npy_expect(&a, path, types[t], dims, other, &err));
            BAD(ST_INPUT, "has shape", npy_expect(&a, path, types[t], dims + 1, other, &err));
            BAD(ST_INPUT, "type", npy_expect(&a, path, "zz", dims, shape, &err));
            npy_release(&a);
            get_file(path, head, sizeof head);
            assert_true(head[6] == 1 && head[7] == 0); /* version 1.0 */
        }
}

/* A header of odd length: valid, if unusual; the numbers must come where a uint32_t may lie. */
static void unaligned_files(void **state)
{
    (void)state;
    for (int pad = 0; pad < 8; pad++) {
        char header[100] = "{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }";
        uint32_t values[2] = {7, 9};
        struct npy a;
        memset(header + strlen(header), ' ', (size_t)pad);
        size_t size = make(1, header, -1, 8);
        memcpy(file + size - 8, values, 8);
        GOOD(npy_map(put_file("odd.npy", file, size), &a, &err));
        assert_int_equal((uintptr_t)a.data % 4, 0);
        assert_memory_equal(a.data, values, 8);
        npy_release(&a);
    }
}

static void integers(void **state)
{
    static const struct {
        const char *type;
        unsigned char raw[8];
        int64_t value;
        bool ok;
    } cases[] = {{"u1", {255}, 255, true},
                 {"i1", {255}, -1, true},
                 {"b1", {1}, 1, true},
                 {"i2", {0, 128}, -32768, true},
                 {"u2", {0, 128}, 32768, true},
                 {"i4", {255, 255, 255, 255}, -1, true},
                 {"u4", {255, 255, 255, 255}, 4294967295, true},
                 {"i8", {0, 0, 0, 0, 0, 0, 0, 128}, INT64_MIN, true},
                 {"u8", {255, 255, 255, 255, 255, 255, 255, 127}, INT64_MAX, true},
                 {"u8", {0, 0, 0, 0, 0, 0, 0, 128}, 0, false},
                 {"f4", {0}, 0, false}};
    uint64_t one = 1;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct npy a;
        bool ok;
        GOOD(npy_save(in_scratch("i.npy"), cases[i].type, 1, &one, cases[i].raw, &err));
        GOOD(npy_map(in_scratch("i.npy"), &a, &err));
        int64_t v = npy_integer(&a, 0, &ok);
        assert_int_equal(ok, cases[i].ok);
        if (ok) assert_true(v == cases[i].value);
        npy_release(&a);
    }
}

static void writer_keeps_promises(void **state)
{
    struct npy_writer w;
    uint64_t shape = 3, huge[2] = {UINT64_MAX, 2};
    uint32_t data[4] = {1, 2, 3, 4};
    (void)state;
    GOOD(npy_begin(&w, in_scratch("w.npy"), "u4", 1, &shape, &err));
    GOOD(npy_add(&w, data, 8, &err));
    BAD(ST_BUG, "lacks 4 bytes", npy_end(&w, &err));
    BAD(ST_BUG, "more data", npy_add(&w, data, 8, &err));
    GOOD(npy_add(&w, data, 4, &err));
    GOOD(npy_end(&w, &err));
    npy_cancel(&w);
    BAD(ST_LIMIT, "more than 2^64 bytes", npy_begin(&w, in_scratch("w.npy"), "u4", 2, huge, &err));
    BAD(ST_LIMIT, "cannot be created", npy_begin(&w, in_scratch("no/w.npy"), "u4", 1, &shape, &err));
    shape = sizeof file / 4;
    BAD(ST_LIMIT, "disk full", npy_save("/dev/full", "u4", 1, &shape, file, &err));
}

/* An array whose length is known at its end reads as any other; of any length, and with no element at all. */
static void growing_arrays_are_like_others(void **state)
{
    struct npy_writer w;
    struct npy a;
    static const uint64_t lengths[] = {0, 1, 9, 10, 12345};
    static char grown[200000], whole[200000];
    static int64_t data[12345];
    (void)state;
    for (int64_t i = 0; i < 12345; i++) data[i] = i * i - 7;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        uint64_t n = lengths[k];
        GOOD(npy_begin_growing(&w, in_scratch("grown.npy"), "i8", &err));
        for (uint64_t i = 0; i < n; i += 1000) GOOD(npy_add(&w, data + i, 8 * (n - i < 1000 ? n - i : 1000), &err));
        GOOD(npy_end(&w, &err));
        GOOD(npy_save(in_scratch("whole.npy"), "i8", 1, &n, data, &err));
        size_t bytes = get_file(in_scratch("grown.npy"), grown, sizeof grown);
        assert_int_equal(bytes, 128 + 8 * n);
        assert_int_equal(get_file(in_scratch("whole.npy"), whole, sizeof whole), bytes);
        assert_memory_equal(grown, whole, bytes);
        GOOD(npy_map(in_scratch("grown.npy"), &a, &err));
        GOOD(npy_expect(&a, "grown.npy", "i8", 1, &n, &err));
        npy_release(&a);
    }
    GOOD(npy_begin_growing(&w, "/dev/full", "u4", &err));
    GOOD(npy_add(&w, data, 8, &err));
    BAD(ST_LIMIT, "disk full", npy_end(&w, &err));
    npy_cancel(&w);
}

/* KiB of mapped files that lie in the process's memory; those of a tmpfs are counted as shared memory. */
static long mapped_kib(void)
{
    static const char *const lines[] = {"RssFile:", "RssShmem:"};
    static char text[4096];
    size_t bytes = get_file("/proc/self/status", text, sizeof text - 1);
    long sum = 0;
    text[bytes < sizeof text ? bytes : sizeof text - 1] = 0;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *at = strstr(text, lines[i]);
        assert_non_null(at);
        sum += strtol(at + strlen(lines[i]), NULL, 10);
    }
    return sum;
}

static uint64_t sum_of(const struct npy *a)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < a->count; i++) sum += ((const uint32_t *)a->data)[i];
    return sum;
}

/* Dropped pages leave the process's memory, and come back as they were; what is not of the file stays. */
static void ranges_are_dropped(void **state)
{
    enum { COUNT = 1 << 20, HALF_KIB = COUNT * 4 / 2 / 1024, SLACK_KIB = 200 };
    struct npy a;
    uint64_t count = COUNT, other = 12345;
    uint32_t *data = test_malloc(COUNT * sizeof *data);
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) data[i] = i * 2654435761u;
    GOOD(npy_save(in_scratch("range.npy"), "u4", 1, &count, data, &err));
    GOOD(npy_map(in_scratch("range.npy"), &a, &err));
    uint64_t want = sum_of(&a);
    const uint32_t *first = a.data;
    long before = mapped_kib();
    npy_drop_range(&a, first + COUNT / 2, first + COUNT);
    long after = mapped_kib();
    assert_in_range(before - after, HALF_KIB - SLACK_KIB, HALF_KIB + SLACK_KIB);
    npy_drop_range(&a, first + 1, first + 2); /* no whole page */
    npy_drop_range(&a, first + 2, first);     /* none at all */
    npy_drop_range(&a, data, data + COUNT);   /* not of the file */
    npy_drop_range(&a, &other, &other + 1);
    assert_true(sum_of(&a) == want && other == 12345);
    for (uint32_t i = 0; i < COUNT; i++) assert_true(data[i] == i * 2654435761u && first[i] == data[i]);
    npy_release(&a);
    npy_drop_range(&a, first, first); /* a zeroed one is allowed */
    test_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(versions),
                                       cmocka_unit_test(malformed),
                                       cmocka_unit_test(truncated_and_foreign),
                                       cmocka_unit_test(round_trip),
                                       cmocka_unit_test(unaligned_files),
                                       cmocka_unit_test(integers),
                                       cmocka_unit_test(writer_keeps_promises),
                                       cmocka_unit_test(growing_arrays_are_like_others),
                                       cmocka_unit_test(ranges_are_dropped)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
