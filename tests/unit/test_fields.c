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

struct written {
    char name[8];
    uint64_t bytes;
    double share;
    int place, colour, numbers, parts;
    uint16_t number[2];
    struct part part[1];
};
#define W struct written
static const struct field deep_fields[] = {{.key = "share", .kind = FIELD_REAL, FIELD_TO(W, share), .most = 1},
                                           {.key = "owned", .kind = FIELD_ANY},
                                           FIELDS_END};
static const struct field written_fields[] =
    {{.key = "name", .kind = FIELD_TEXT, FIELD_TO(W, name), .flags = FIELD_NULL | FIELD_WHOLE},
     {.key = "bytes", .kind = FIELD_SIZE, FIELD_TO(W, bytes)},
     {.key = "deep", .kind = FIELD_OBJECT, .of = deep_fields},
     {.key = "place", .kind = FIELD_INTEGER, FIELD_TO(W, place), .high = 9, .absent = -1, .flags = FIELD_NULL},
     {.key = "colour", .kind = FIELD_WORD, FIELD_TO(W, colour), .words = colours},
     {.key = "numbers", .kind = FIELD_INTEGERS, FIELD_EACH(W, number, numbers), .high = 9},
     {.key = "parts", .kind = FIELD_LIST, FIELD_EACH(W, part, parts), .of = part_fields},
     {.key = "rest", .kind = FIELD_REALS, .high = 9, .flags = FIELD_NESTED},
     FIELDS_END};

/* What is read is written again; what is unknown is null or left out. The owner's values come from `rest`. */
static void test_written(void **state)
{
    static const char *const texts[] = {"{\"name\":null,\"place\":null}", "{\"name\":\"a\",\"bytes\":16384,\"deep\":{"
                                                                          "\"share\":0.5,\"owned\":[1]},"
                                                                          "\"place\":0,\"colour\":\"green\","
                                                                          "\"numbers\":[7,9],\"parts\":[{\"id\":3}],"
                                                                          "\"rest\":[[1,2.5],[]]}"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        W w = {0};
        struct err err = {0};
        char *text = NULL;
        size_t bytes = 0;
        doc *d = NULL, *to = doc_object();
        assert_int_equal(doc_parse(texts[i], strlen(texts[i]), "f", &d, &err), ST_OK);
        assert_int_equal(fields_read(written_fields, d, "f", &w, &err), ST_OK);
        fields_put(written_fields, &w, d, to);
        FILE *line = open_memstream(&text, &bytes);
        assert_true(doc_print_line(to, line));
        fclose(line);
        assert_string_equal(text, texts[i]);
        free(text);
        doc_free(d);
        doc_free(to);
    }
}

static void test_written_wrong(void **state)
{
    static const char *const wrong[][2] = {{"{\"name\": \"12345678\"}", "\"name\" is 8 bytes long, expected at most 7"},
                                           {"{\"name\": \"a\\u001b\"}", "\"name\" holds the control character 27"},
                                           {"{\"bytes\": 0}", "\"bytes\" is 0, expected 1 byte to 1024 TiB"},
                                           {"{\"bytes\": \"1 mile\"}", "bytes: '1 mile' is not a size"},
                                           {"{\"bytes\": 1.5}", "\"bytes\" is a number, expected size"},
                                           {"{\"rest\": [7]}", "\"rest[0]\" is an integer, expected array"},
                                           {"{\"rest\": [[7, 10]]}", "\"rest[0][1]\" is 10, expected 0 to 9"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        W w = {0};
        struct err err = {0};
        doc *d = NULL;
        assert_int_equal(doc_parse(wrong[i][0], strlen(wrong[i][0]), "f", &d, &err), ST_OK);
        assert_int_equal(fields_read(written_fields, d, "f", &w, &err), ST_INPUT);
        if (!strstr(err.text, wrong[i][1])) fail_msg("%s: says '%s'", wrong[i][0], err.text);
        doc_free(d);
    }
}

/* ---- filling gaps: what one struct knows and another does not ---- */

static const struct field paired_fields[] =
    {{.key = "name", .kind = FIELD_TEXT, FIELD_TO(struct whole, name)},
     {.key = "share", .kind = FIELD_REAL, FIELD_TO(struct whole, share), .most = 1, .absent = NAN},
     {.key = "parts",
      .kind = FIELD_LIST,
      FIELD_EACH(struct whole, part, parts),
      .of = part_fields,
      .flags = FIELD_PAIRED},
     {.key = "of", .kind = FIELD_OBJECT, .of = inner_fields},
     FIELDS_END};

static void told(void *said, const char *path) { strcat(strcat(said, path), " "); }

static void test_filled(void **state)
{
    struct whole a = {.name = "a", .share = NAN, .parts = 2, .part = {{1, -1, {0}}, {2, 1, {3}}}, .inner = 7};
    const struct whole b = {.name = "b", .share = 0, .parts = 2, .part = {{4, 2, {8, 9}}, {5, 1, {6}}}, .inner = -1};
    char said[100] = "";
    (void)state;
    fields_fill(paired_fields, &a, &b, told, said);
    assert_string_equal(said, "share parts[].peers of.inner ");
    assert_true(!strcmp(a.name, "a") && a.share == 0 && a.part[0].id == 1 && a.part[0].peers == 2 &&
                a.part[0].peer[1] == 9 && a.part[1].peer[0] == 3 && a.inner == -1);
    fields_fill(paired_fields, &a, &b, told, said); /* nothing is left */
    assert_string_equal(said, "share parts[].peers of.inner ");
    fields_forget(paired_fields, &a);
    assert_true(!*a.name && isnan(a.share) && !a.parts && a.inner == 7);
}

static void test_gone(void **state)
{
    static const struct field fields[] = {{.key = "old", .kind = FIELD_GONE, .help = "of the past; write new"},
                                          FIELDS_OPEN};
    static const char *const texts[] = {"{\"old\": null}", "{}", "{\"old\": false}"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct err err = {0};
        doc *d = NULL;
        assert_int_equal(doc_parse(texts[i], strlen(texts[i]), "f", &d, &err), ST_OK);
        assert_int_equal(fields_read(fields, d, "f", NULL, &err), i < 2 ? ST_OK : ST_INPUT);
        assert_string_equal(err.text, i < 2 ? "" : "f: key \"old\" is of the past; write new");
        doc_free(d);
    }
}

/* Texts that are borrowed, and lists of texts. */
static void test_borrowed(void **state)
{
    static const struct field fields[] =
        {{.key = "name", .kind = FIELD_STRING, .flags = FIELD_NEEDED, .size = sizeof(char *)},
         {.key = "note", .kind = FIELD_STRING, .offset = sizeof(char *), .size = sizeof(char *)},
         {.key = "words", .kind = FIELD_TEXTS, .most = 2},
         FIELDS_END};
    static const struct {
        const char *text, *sentence;
    } of[] = {{"{\"name\": \"x\", \"words\": [\"a\", \"\"]}", ""},
              {"{\"name\": \"x\", \"words\": null}", ""},
              {"{\"name\": 1}", "f: key \"name\" is an integer, expected text; correct it"},
              {"{\"note\": \"x\"}", "f: key \"name\" is missing, expected a text"},
              {"{\"name\": \"\", \"words\": [\"a\", 7]}", "f: key \"words[1]\" is an integer, expected text; correct "
                                                          "it"},
              {"{\"name\": \"\", \"words\": [\"\", \"\", \"\"]}", "f: key \"words\" has 3 entries, expected at most "
                                                                  "2"}};
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const char *text[2] = {"before", "before"};
        struct err err = {0};
        doc *d = NULL, *again = doc_object();
        assert_int_equal(doc_parse(of[i].text, strlen(of[i].text), "f", &d, &err), ST_OK);
        const enum st st = fields_read(fields, d, "f", text, &err);
        assert_int_equal(st, *of[i].sentence ? ST_INPUT : ST_OK);
        assert_string_equal(err.text, of[i].sentence);
        if (st == ST_OK) {
            assert_ptr_equal(text[0], doc_text_value(doc_get(d, "name"), NULL));
            assert_null(text[1]);
            fields_put(fields, text, d, again);
            assert_string_equal(doc_text_value(doc_get(again, "name"), ""), "x");
            assert_int_equal(doc_size(doc_get(again, "words")), doc_size(doc_get(d, "words")));
            assert_null(doc_get(again, "note"));
        }
        doc_free(again);
        doc_free(d);
    }
}

/* Entries that the caller made room for, and numbers that may be null. */
static void test_pointer(void **state)
{
    struct many {
        struct part *part;
        double pair[2];
        int parts, pairs;
    };
    static const struct field entry_fields[] =
        {{.key = "id", .kind = FIELD_INTEGER, FIELD_TO(struct part, id), .flags = FIELD_NEEDED, .high = 9},
         FIELDS_OPEN},
                              fields[] = {{.key = "parts",
                                           .kind = FIELD_LIST,
                                           FIELD_AT(struct many, part, parts),
                                           .of = entry_fields,
                                           .flags = FIELD_POINTER},
                                          {.key = "pair",
                                           .kind = FIELD_REALS,
                                           FIELD_EACH(struct many, pair, pairs),
                                           .high = 9,
                                           .flags = FIELD_GAPS},
                                          FIELDS_END};
    static const char good[] = "{\"parts\": [{\"id\": 1}, {\"id\": 2, \"x\": 0}, {\"id\": 3}], \"pair\": [null, 2]}",
                      bad[] = "{\"parts\": [{\"id\": 1}, {\"id\": 10}]}", wrong[] = "{\"pair\": [1, true]}";
    struct part room[3] = {{0}};
    struct many m = {.part = room};
    struct err err = {0};
    doc *d = NULL;
    (void)state;
    assert_int_equal(doc_parse(good, strlen(good), "f", &d, &err), ST_OK);
    assert_int_equal(fields_read(fields, d, "f", &m, &err), ST_OK);
    assert_true(m.part == room && m.parts == 3 && room[0].id == 1 && room[1].id == 2 && room[2].id == 3);
    assert_true(m.pairs == 2 && isnan(m.pair[0]) && m.pair[1] == 2);
    doc_free(d);
    assert_int_equal(doc_parse(bad, strlen(bad), "f", &d, &err), ST_OK);
    assert_int_equal(fields_read(fields, d, "f", &m, &err), ST_INPUT);
    assert_string_equal(err.text, "f: key \"parts[1].id\" is 10, expected 0 to 9");
    doc_free(d);
    err_clear(&err);
    assert_int_equal(doc_parse(wrong, strlen(wrong), "f", &d, &err), ST_OK);
    assert_int_equal(fields_read(fields, d, "f", NULL, &err), ST_INPUT);
    assert_string_equal(err.text, "f: key \"pair[1]\" is a bool, expected number; correct it");
    doc_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_filled),   cmocka_unit_test(test_gone),
                                       cmocka_unit_test(test_borrowed), cmocka_unit_test(test_pointer),
                                       cmocka_unit_test(test_read),     cmocka_unit_test(test_wrong),
                                       cmocka_unit_test(test_written),  cmocka_unit_test(test_written_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
