/* Memory that runs out while a document is built, at any depth: what is written is whole, or nothing is. */
#include <jansson.h>
#include <math.h>
#include "base/doc.h"
#include "base/file.h"
#include "base/text_stream.h"
#include "tests/unit/unit.h"

static struct err err;
static long calls, fail_from, fail_to; /* allocations fail_from..fail_to fail */

static void *counted(size_t bytes)
{
    calls++;
    return calls >= fail_from && calls <= fail_to ? NULL : malloc(bytes);
}

static long growth, growth_fails; /* the growth_fails-th realloc fails; sanitizers have a realloc of their own */
#if defined(__has_feature)        /* clang says so of sanitizers, gcc by the macros below */
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#if !defined(SANITIZED) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern void *__libc_realloc(void *, size_t);
void *realloc(void *old, size_t bytes) { return ++growth == growth_fails ? NULL : __libc_realloc(old, bytes); }
#endif

enum { LONG = 30 }; /* arrays and objects grow more than once */

static doc *build(void)
{
    char key[20];
    doc *d = doc_object(), *list = doc_array(), *inner = doc_object(), *deep = doc_array();
    doc_put(d, "list", list);
    for (int i = 0; i < LONG; i++) doc_append(list, doc_integer(i));
    doc_put(d, "inner", inner);
    doc_put(inner, "deep", deep);
    doc_append(deep, doc_text("a text that does not fit anywhere by chance"));
    doc_append(deep, doc_array());
    for (int i = 0; i < LONG; i++) {
        snprintf(key, sizeof key, "key %d", i);
        doc_put(inner, key, doc_real(i));
    }
    return d;
}

static char *text_of(const doc *d, enum st *st)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    err_clear(&err);
    *st = doc_print(d, f, &err);
    fclose(f);
    return text;
}

/* Fails allocations from..to while the document is built (and copied), none while it is printed. */
static enum st judge(long from, long to, bool copy, const char *whole)
{
    enum st st;
    calls = 0;
    fail_from = from;
    fail_to = to;
    doc *d = build();
    if (copy) {
        doc *other = doc_copy(d);
        doc_free(d);
        d = other;
    }
    fail_from = fail_to = -1;
    char *text = text_of(d, &st);
    if (st == ST_OK) {
        if (strcmp(text, whole)) fail_msg("allocations %ld..%ld: a part is missing: %s", from, to, text);
    } else if (st != ST_LIMIT || *text || !strstr(err.text, "memory"))
        fail_msg("allocations %ld..%ld: code %d: %s", from, to, (int)st, err.text);
    free(text);
    doc_free(d);
    return st;
}

static void test_every_allocation(void **state)
{
    enum st st;
    (void)state;
    fail_from = fail_to = -1;
    doc *d = build();
    char *whole = text_of(d, &st);
    assert_int_equal(st, ST_OK);
    doc_free(d);
    for (int copy = 0; copy < 2; copy++) {
        long k = 1;
        while (k < 2000 && judge(k, k, copy, whole) != ST_OK) k++;
        assert_true(k > 100 && k < 2000); /* every single one of them matters */
    }
    free(whole);
}

static void test_nothing_made(void **state)
{
    (void)state;
    enum st st;
    doc *d = doc_object(), *list = doc_array();
    doc_put(d, "list", list);
    doc_append(list, NULL);
    free(text_of(d, &st));
    assert_int_equal(st, ST_LIMIT);
    assert_int_equal(doc_size(list), 1);
    doc_free(d);
    free(text_of(NULL, &st));
    assert_int_equal(st, ST_LIMIT);
}

/* What stands for a value says what it becomes; a value that was not made breaks the object. */
static void test_members(void **state)
{
    (void)state;
    enum st st;
    const char *none = NULL;
    char name[8] = "row";
    doc *d = DOC(IS("count", UINT64_C(9007199254740993)), IS("less", -1), IS("share", 0.5), IS("half", 0.25f),
                 IS("yes", (bool)true), IS("name", name), IS("none", none), IS("gap", NAN), IS("list", doc_array()));
    DOC_PUT(d, IS("less", (int64_t)-2), IS("word", "x"));
    char *text = text_of(d, &st);
    assert_int_equal(st, ST_OK);
    assert_string_equal(text, "{\n \"count\": 9007199254740993,\n \"less\": -2,\n \"share\": 0.5,\n \"half\": 0.25,\n"
                              " \"yes\": true,\n \"name\": \"row\",\n \"none\": null,\n \"gap\": null,\n"
                              " \"list\": [],\n \"word\": \"x\"\n}\n");
    free(text);
    DOC_PUT(d, IS("lost", (doc *)NULL), IS("behind", 1));
    free(text_of(d, &st));
    assert_int_equal(st, ST_LIMIT);
    doc_free(d);
}

/* A text of 30 letters, numbers behind it: whatever allocation fails, it is told, and no letter is lost. */
static void test_reading(void **state)
{
    static const char text[] = "{\"name\": \"abcdefghijklmnopqrstuvwxyz0123\", \"list\": [1, 2.5, \"x\", {\"k\": -7}]}";
    long k = 1;
    (void)state;
    for (; k < 200; k++) {
        doc *d = NULL;
        calls = 0;
        fail_from = fail_to = k;
        err_clear(&err);
        enum st st = doc_parse(text, sizeof text - 1, "f.json", &d, &err);
        fail_from = fail_to = -1;
        if (st == ST_OK) {
            assert_string_equal(doc_text_value(doc_get(d, "name"), ""), "abcdefghijklmnopqrstuvwxyz0123");
            assert_true(calls < k);
            doc_free(d);
            break;
        }
        if (st != ST_LIMIT || !strstr(err.text, "f.json: out of memory"))
            fail_msg("allocation %ld: code %d: %s", k, (int)st, err.text);
    }
    assert_true(k > 10 && k < 200);
}

/* The text that is written grows in steps. Letters in front put the step before every byte of a member in turn. */
static void test_writing(void **state)
{
    char letters[1200], *whole = NULL, *text = NULL;
    size_t bytes;
    long failed = 0;
    (void)state;
    for (size_t n = 900; n < sizeof letters; n++) {
        memset(letters, 'x', n);
        letters[n] = '\0';
        doc *d = doc_object();
        doc_put(d, "letters", doc_text(letters));
        for (int i = 0; i < 20; i++) doc_put(d, (char[]){(char)('a' + i), '\0'}, doc_integer(i));
        GOOD(doc_dump(d, &whole, &bytes, &err));
        assert_int_equal(bytes, strlen(whole));
        growth = 0;
        growth_fails = 2;
        enum st st = doc_dump(d, &text, &bytes, &err);
        growth_fails = 0;
        if (st == ST_OK) assert_string_equal(text, whole);
        else failed++;
        if (st == ST_OK) free(text);
        free(whole);
        doc_free(d);
    }
    if (growth) assert_true(failed > 200);
}

/* A stream into memory: whole, or said to be lost. */
static void test_stream(void **state)
{
    size_t bytes;
    char *text;
    (void)state;
    for (long k = 0; k < 10; k++) {
        growth = 0;
        growth_fails = k;
        FILE *f = text_stream(&text, &bytes);
        assert_non_null(f);
        for (int i = 0; i < 3000; i++) fprintf(f, "%d,", i % 10);
        const bool lost = fclose(f) != 0;
        growth_fails = 0;
        assert_int_equal(lost, k > 0 && k <= growth);
        if (lost) assert_null(text);
        else assert_int_equal(strlen(text), 6000);
        assert_int_equal(bytes, lost ? 0 : 6000);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation), cmocka_unit_test(test_nothing_made),
                                       cmocka_unit_test(test_members),          cmocka_unit_test(test_reading),
                                       cmocka_unit_test(test_writing),          cmocka_unit_test(test_stream)};
    json_set_alloc_funcs(counted, free);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
