/* Kinds of keys: what a text of kinds accepts and how it names what it does not. */
#include <string.h>

#include "base/doc_kinds.h"
#include "unit/unit.h"

static const char kinds[] = "name:text count:integer share:number on:bool list:array text:text|array "
                            "of{id:integer in{deep:text}} gpus[id:integer peers:array sets[name:text]]";

static enum st check(const char *text, struct err *err)
{
    doc *d = NULL;
    assert_int_equal(doc_parse(text, strlen(text), "f", &d, err), ST_OK);
    enum st st = doc_kinds(d, kinds, "f", err);
    doc_free(d);
    return st;
}

static void test_good(void **state)
{
    static const char *const good[] = {"{}",
                                       "{\"name\": null, \"of\": null, \"gpus\": null}",
                                       "{\"name\": \"a\", \"count\": 3, \"share\": 0.5, \"on\": true, \"list\": [1], "
                                       "\"text\": [], \"other\": {}}",
                                       "{\"share\": 1, \"text\": \"t\", \"of\": {\"id\": 1, \"in\": {\"deep\": "
                                       "\"x\"}}}",
                                       "{\"gpus\": [], \"of\": {}}",
                                       "{\"gpus\": [{\"id\": 0, \"peers\": [], \"sets\": [{\"name\": \"n\"}]}, {}]}"};
    struct err err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (check(good[i], &err) != ST_OK) fail_msg("%s: %s", good[i], err.text);
}

static void test_wrong(void **state)
{
    static const struct {
        const char *text, *said;
    } wrong[] = {{"{\"name\": 7}", "f: key \"name\" is an integer, expected text; correct it or leave it out"},
                 {"{\"count\": 7.5}", "f: key \"count\" is a number, expected integer; correct it or leave it out"},
                 {"{\"share\": \"x\"}", "f: key \"share\" is a text, expected number; correct it or leave it out"},
                 {"{\"on\": 1}", "f: key \"on\" is an integer, expected bool; correct it or leave it out"},
                 {"{\"text\": {}}", "f: key \"text\" is an object, expected text/array; correct it or leave it out"},
                 {"{\"of\": []}", "f: key \"of\" is an array, expected object; correct it or leave it out"},
                 {"{\"of\": {\"in\": {\"deep\": true}}}", "f: key \"of.in.deep\" is a bool, expected text; correct it "
                                                          "or leave it out"},
                 {"{\"gpus\": {}}", "f: key \"gpus\" is an object, expected array; correct it or leave it out"},
                 {"{\"gpus\": [{}, 4]}", "f: key \"gpus[1]\" is an integer, expected object; correct it or leave it "
                                         "out"},
                 {"{\"gpus\": [{}, {\"peers\": -5}]}", "f: key \"gpus[1].peers\" is an integer, expected array; "
                                                       "correct it or leave it out"},
                 {"{\"gpus\": [{\"sets\": [{}, {}, {\"name\": []}]}]}", "f: key \"gpus[0].sets[2].name\" is an array, "
                                                                        "expected text; correct it or leave it out"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct err err = {0};
        assert_int_equal(check(wrong[i].text, &err), ST_INPUT);
        assert_string_equal(err.text, wrong[i].said);
    }
}

/* A schema is what a document states, not what stands in it; a solidus may be escaped. */
static void test_schema(void **state)
{
    static const struct {
        const char *text;
        bool has;
    } of[] = {{"{\"schema\": \"plan/1\"}", true},
              {"{\"schema\": \"plan\\/1\"}", true},
              {"{\"schema\": \"plan/2\"}", false},
              {"{\"schema\": \"plan/12\"}", false},
              {"{\"schema\": \"plan/2\", \"was\": \"plan/1\"}", false},
              {"[\"plan/1\"]", false},
              {"{\"schema\": \"plan/1\"", false},
              {"", false}};
    struct err err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bool has = !of[i].has;
        put_file("d.json", of[i].text, strlen(of[i].text));
        GOOD(doc_has_schema(in_scratch("d.json"), "plan/1", &has, &err));
        assert_int_equal(has, of[i].has);
    }
    bool has = true;
    GOOD(doc_has_schema(in_scratch("none.json"), "plan/1", &has, &err));
    assert_false(has);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_wrong),
                                       cmocka_unit_test(test_schema)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
