/* Reading JSON: jansson's own parser, with all the memory it wants, is the judge. Good texts, and texts with random
 * faults in them: both accept or both refuse, and what is read is written with equal bytes. */
#include <jansson.h>
#include "base/doc.h"
#include "tests/unit/unit.h"

static struct err err;
static uint64_t state_of_random = 2026;

static uint32_t draw(uint32_t below)
{
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state_of_random >> 33) % below);
}

/* Both readings of one text; true when both accept it. */
static bool judge(const char *text, size_t bytes)
{
    json_error_t about;
    doc *d = NULL;
    char *copy = malloc(bytes ? bytes : 1); /* exact size, so that a sanitizer sees a read behind the end */
    memcpy(copy, text, bytes);
    json_t *want = json_loadb(copy, bytes, JSON_REJECT_DUPLICATES, &about);
    err_clear(&err);
    enum st st = doc_parse(copy, bytes, "text", &d, &err);
    free(copy);
    if (st == ST_INPUT && want && strstr(err.text, "expected 0 or 1e-60 to 1e60")) { /* hotset's own rule */
        json_decref(want);
        return false;
    }
    if ((st == ST_OK) != (want != NULL))
        fail_msg("%.*s: code %d (%s), jansson says '%s'", (int)bytes, text, (int)st, err.text,
                 want ? "good" : about.text);
    if (st != ST_OK && (st != ST_INPUT || !strstr(err.text, "not valid JSON")))
        fail_msg("%.*s: code %d: %s", (int)bytes, text, (int)st, err.text);
    if (!want) return false;
    char *a = json_dumps(want, JSON_REAL_PRECISION(17)), *b = json_dumps((json_t *)d, JSON_REAL_PRECISION(17));
    assert_string_equal(a, b);
    free(a);
    free(b);
    json_decref(want);
    doc_free(d);
    return true;
}

static const char *const good[] = {"{}",
                                   "[]",
                                   " [ ] ",
                                   "{\"a\":1}\n",
                                   "[0,-0,1,-1,9223372036854775807,-9223372036854775808]",
                                   "[0.5,-0.25,1e3,1E-3,1.5e+2,123456789.123456789,1e-59]",
                                   "[true,false,null]",
                                   "{\"a\":{\"b\":[{\"c\":[[]]}]},\"d\":\"e\"}",
                                   "[\"\\\"\\\\\\/"
                                   "\\b\\f\\n\\r\\t\",\"\\u00e4\\u20ac\\ud83d\\ude00\","
                                   "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"]",
                                   "{\"plan\":{\"alpha\":0.37,\"gpus\":[0,1,2]},\"name\":\"siton\"}"};
static const char *const bad[] = {"",
                                  " ",
                                  "1",
                                  "\"a\"",
                                  "{",
                                  "[",
                                  "]",
                                  "{\"a\"}",
                                  "{\"a\":}",
                                  "{a:1}",
                                  "{\"a\":1,}",
                                  "[1,]",
                                  "[1 2]",
                                  "[01]",
                                  "[1.]",
                                  "[.5]",
                                  "[+1]",
                                  "[-]",
                                  "[1e]",
                                  "[1e+]",
                                  "[1e999]",
                                  "[9223372036854775808]",
                                  "[tru]",
                                  "[nullx]",
                                  "[\"a]",
                                  "[\"\n\"]",
                                  "[\"\\x\"]",
                                  "[\"\\u12\"]",
                                  "[\"\\u0000\"]",
                                  "[\"\\ud800\"]",
                                  "[\"\\ud800\\u0041\"]",
                                  "[\"\\udc00\"]",
                                  "[\"\xff\"]",
                                  "[\"\xc0\x80\"]",
                                  "[\"\xe0\x80\x80\"]",
                                  "[\"\xed\xa0\x80\"]",
                                  "[\"\xf4\x90\x80\x80\"]",
                                  "[\"\xe2\x82\"]",
                                  "[] []",
                                  "[]x",
                                  "{\"a\":1,\"a\":2}",
                                  "{\"\\u0061\":1,\"a\":2}",
                                  "{1:2}",
                                  "[1}",
                                  "{\"a\":1]",
                                  "{\"a\" 1}",
                                  "[NaN]",
                                  "[Infinity]",
                                  "// x\n[]",
                                  "['a']"};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!judge(good[i], strlen(good[i]))) fail_msg("%s is refused", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (judge(bad[i], strlen(bad[i]))) fail_msg("%s is accepted", bad[i]);
    assert_false(judge("[\0]", 3));
    assert_false(judge("[]\0", 3));
}

/* Random texts of JSON's own characters, and good texts with bytes replaced, removed, doubled and cut off. */
static void test_faults(void **state)
{
    static const char letters[] = "{}[]:,\"\\/ue+-.0159aftn \n\t\xc3\xa4\x01";
    char text[300];
    int accepted = 0;
    (void)state;
    for (int i = 0; i < 60000; i++) {
        const char *from = good[draw(sizeof good / sizeof *good)];
        size_t bytes = strlen(from);
        memcpy(text, from, bytes);
        for (uint32_t faults = 1 + draw(3); faults && bytes; faults--) {
            size_t at = draw((uint32_t)bytes);
            uint32_t what = draw(4);
            if (what == 0) text[at] = letters[draw(sizeof letters - 1)];
            else if (what == 1) memmove(text + at, text + at + 1, --bytes - at);
            else if (what == 2) {
                memmove(text + at + 1, text + at, bytes - at);
                text[at] = letters[draw(sizeof letters - 1)];
                bytes++;
            } else if (draw(4) == 0) bytes = at;
        }
        accepted += judge(text, bytes);
    }
    assert_in_range(accepted, 3000, 50000); /* both kinds were met */
}

static void test_depth(void **state)
{
    char text[5000];
    (void)state;
    for (int depth = 2040; depth < 2056; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        bool accepted = judge(text, 2 * (size_t)depth);
        assert_true(accepted == (depth <= 2048));
    }
}

/* Where it is wrong: lines and columns are counted from 1. */
static void test_place(void **state)
{
    doc *d;
    (void)state;
    BAD(ST_INPUT, "f: line 3, column 7: not valid JSON: ',' or '}' expected, found '\"'",
        doc_parse("{\n\"a\": 1,\n\"b\":\"\"\"\"}", 20, "f", &d, &err));
    BAD(ST_INPUT, "f: line 1, column 2: not valid JSON: a value expected, but the text ends here",
        doc_parse("[", 1, "f", &d, &err));
    BAD(ST_INPUT, "line 1, column 1: not valid JSON: '{' or '[' expected, but", doc_parse(NULL, 0, "f", &d, &err));
    BAD(ST_INPUT, "line 1, column 2: not valid JSON: a value expected, found the byte 0x07",
        doc_parse("[\a]", 3, "f", &d, &err));
    GOOD(doc_parse("\xef\xbb\xbf[]", 5, "f", &d, &err));
    doc_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_depth), cmocka_unit_test(test_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
