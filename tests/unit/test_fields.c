/* Field tables: what a table reads into a struct, and how it names what it refuses. */
#include <math.h>
#include <string.h>

#include "base/fields.h"
#include "unit/unit.h"

struct part {
    int id, peers;
    int peer[3];
};
struct whole {
    char name[8];
    int64_t bytes;
    double share;
    bool on;
    int colour, parts;
    struct part part[2];
    int inner;
};
static const char *const colours[] = {"red", "green", NULL};
static const struct field part_fields[] =
    {{.key = "id", .kind = FIELD_INTEGER, FIELD_TO(struct part, id), .high = 9, .flags = FIELD_NEEDED},
     {.key = "peers", .kind = FIELD_INTEGERS, FIELD_EACH(struct part, peer, peers), .high = 9, .absent = -1},
     FIELDS_END};
static const struct field inner_fields[] =
    {{.key = "inner", .kind = FIELD_INTEGER, FIELD_TO(struct whole, inner), .low = -2, .high = 2, .absent = 7},
     FIELDS_OPEN};
static const struct field whole_fields[] =
    {{.key = "name", .kind = FIELD_TEXT, FIELD_TO(struct whole, name), .flags = FIELD_NEEDED},
     {.key = "bytes", .kind = FIELD_INTEGER, FIELD_TO(struct whole, bytes), .high = INT64_MAX, .absent = -1},
     {.key = "share", .kind = FIELD_REAL, FIELD_TO(struct whole, share), .most = 1, .absent = NAN},
     {.key = "on", .kind = FIELD_BOOL, FIELD_TO(struct whole, on), .absent = 1},
     {.key = "colour", .kind = FIELD_WORD, FIELD_TO(struct whole, colour), .words = colours, .absent = 1},
     {.key = "parts", .kind = FIELD_LIST, FIELD_EACH(struct whole, part, parts), .of = part_fields},
     {.key = "of", .kind = FIELD_OBJECT, .of = inner_fields},
     {.key = "any", .kind = FIELD_ANY},
     FIELDS_END};

static enum st read_text(const char *text, struct whole *out, struct err *err)
{
    doc *d = NULL;
    assert_int_equal(doc_parse(text, strlen(text), "f", &d, err), ST_OK);
    enum st st = fields_read(whole_fields, d, "f", out, err);
    doc_free(d);
    return st;
}

static void test_read(void **state)
{
    struct whole w = {.inner = 1};
    struct err err = {0};
    (void)state;
    assert_int_equal(read_text("{\"name\": \"a\"}", &w, &err), ST_OK);
    assert_true(!strcmp(w.name, "a") && w.bytes == -1 && isnan(w.share) && w.on && w.colour == 1 && !w.parts &&
                w.inner == 7);
    assert_int_equal(read_text("{\"name\": \"longer than that\", \"bytes\": 9223372036854775807, \"share\": 1, \"on\": "
                               "false, \"colour\": \"red\", \"of\": {\"inner\": -2, \"x\": 1}, \"any\": [], \"parts\": "
                               "[{\"id\": 9}, {\"id\": 0, \"peers\": [4, 5]}]}",
                               &w, &err),
                     ST_OK);
    assert_true(!strcmp(w.name, "longer ") && w.bytes == INT64_MAX && w.share == 1 && !w.on && !w.colour);
    assert_true(w.inner == -2 && w.parts == 2 && w.part[0].id == 9 && w.part[0].peers == -1 && w.part[1].peers == 2 &&
                w.part[1].peer[1] == 5);
    assert_int_equal(read_text("{\"name\": \"a\"}", NULL, &err), ST_OK); /* checks only */
}

static void test_wrong(void **state)
{
    static const char *const wrong[][2] =
        {{"{}", "f: key \"name\" is missing, expected a text"},
         {"{\"name\": null}", "f: key \"name\" is null, expected text; correct it"},
         {"{\"name\": \"a\", \"bytes\": -1}", "f: key \"bytes\" is -1, expected 0 to 9223372036854775807"},
         {"{\"name\": \"a\", \"bytes\": 1.5}", "f: key \"bytes\" is a number, expected integer; correct it or leave it "
                                               "out"},
         {"{\"name\": \"a\", \"share\": 2}", "f: key \"share\" is 2, expected 0 to 1"},
         {"{\"name\": \"a\", \"on\": 1}", "f: key \"on\" is an integer, expected bool; correct it or leave it out"},
         {"{\"name\": \"a\", \"colour\": \"blue\"}", "f: key \"colour\" is \"blue\", expected one of red, green"},
         {"{\"name\": \"a\", \"parts\": [{\"id\": 1}, 4]}", "f: key \"parts[1]\" is an integer, expected object; "
                                                            "correct it"},
         {"{\"name\": \"a\", \"parts\": [{\"id\": 1, \"peers\": [1, 10]}]}", "f: key \"parts[0].peers[1]\" is 10, "
                                                                             "expected 0 to 9"},
         {"{\"name\": \"a\", \"parts\": [{\"id\": 1}, {\"id\": 1}, {\"id\": 1}]}", "f: key \"parts\" has 3 entries, "
                                                                                   "expected at most 2"},
         {"{\"name\": \"a\", \"of\": {\"inner\": 3}}", "f: key \"of.inner\" is 3, expected -2 to 2"},
         {"{\"name\": \"a\", \"share2\": 3}", "f: key \"share2\" is not known, did you mean \"share\"?; remove it or "
                                              "correct its name"}};
    struct whole w;
    struct err err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(read_text(wrong[i][0], &w, &err), ST_INPUT);
        assert_string_equal(err.text, wrong[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read), cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
