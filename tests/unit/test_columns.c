/* Tables of columns: where values come from, when columns are shown, and that the terminal and a page have the same
 * rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "reports/formats/document_table.h"
#include "unit/unit.h"

static doc *parsed(const char *text)
{
    doc *d = NULL;
    struct err err = {0};
    assert_int_equal(doc_parse(text, strlen(text), "it", &d, &err), ST_OK);
    return d;
}

/* What a terminal prints and a page has; the caller frees it. */
static char *printed(const struct column_table *t, bool page)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (page) document_columns(to, "caption", t);
    else columns_print(t, to);
    fclose(to);
    return text;
}

static void expect(const struct column_table *t, bool page, const char *want)
{
    char *text = printed(t, page);
    if (!strstr(text, want)) fprintf(stderr, "%s\nhas no\n%s\n", text, want);
    assert_non_null(strstr(text, want));
    free(text);
}

static const char *shout(const struct column_row *r, char out[COLUMN_TEXT])
{
    snprintf(out, COLUMN_TEXT, "%s!", doc_text_value(doc_get(r->row, "name"), "?"));
    return out;
}

static double twice(const struct column_row *r) { return 2 * doc_number(r->row, "n"); }
static bool first(const struct column_row *r) { return r->group == 0; }
static bool large(const struct column_row *r) { return doc_number(r->row, "n") > 1000; }

static const struct column all[] = {COLUMN("name", "name", CELL_TEXT),
                                    COLUMN("shouted", NULL, CELL_TEXT, .text = shout, .flags = COLUMN_TERMINAL),
                                    COLUMN("n", "n", CELL_COUNT, .page = "how many", .unit = "of all"),
                                    COLUMN("twice", NULL, CELL_COUNT, .number = twice, .flags = COLUMN_PAGE),
                                    COLUMN("sum", "of.a+of.b", CELL_BYTES),
                                    COLUMN("ratio", "of.a/of.a+of.b", CELL_PERCENT, .form = "%.1f %%"),
                                    COLUMN("or", "absent|n", CELL_COUNT),
                                    COLUMN("part", "n", CELL_OF_ALL, .flags = COLUMN_TERMINAL),
                                    COLUMN("less", "less", CELL_CHANGE, .times = -100, .flags = COLUMN_TERMINAL),
                                    COLUMN("good", "good", CELL_TEXT, .yes = "yes", .no = "no", .none = "?"),
                                    COLUMN("never", "never", CELL_COUNT, .flags = COLUMN_IF_ANY),
                                    COLUMN("same", "same", CELL_TEXT, .flags = COLUMN_IF_DIFFERS),
                                    COLUMN("when", "n", CELL_COUNT, .when = large, .help = "when: it is large\n"),
                                    COLUMN("beside", "=x", CELL_COUNT),
                                    COLUMN("above", "^x", CELL_COUNT),
                                    {0}};

static void test_values(void **state)
{
    (void)state;
    doc *d = parsed("{\"x\": 9, \"rows\": [{\"name\": \"a\", \"n\": 1500, \"of\": {\"a\": 1, \"b\": 3}, \"less\": 0, "
                    "\"good\": "
                    "true, \"same\": \"s\"}, {\"name\": \"<b>\", \"n\": 500, \"of\": {\"a\": 2}, \"less\": 0.5, "
                    "\"same\": "
                    "\"s\"}], \"beside\": [{\"x\": 7}, {}]}");
    struct column_table t = {.columns = all, .rows = doc_get(d, "rows"), .of = d, .beside = doc_get(d, "beside")};
    expect(&t, false,
           "name  shouted      n  sum   ratio     or    part      less  good   when  beside  above\n"
           "----  -------  -----  ---  ------  -----  ------  --------  ----  -----  ------  -----\n"
           "a     a!       1,500  4 B  25.0 %  1,500  75.0 %   +0.00 %  yes   1,500       7      9\n"
           "<b>   <b>!       500    -       -    500  25.0 %  -50.00 %  ?       500       -      9\n");
    expect(&t, true, "<th scope=\"col\">how many<span>of all</span></th><th scope=\"col\">twice</th>");
    expect(&t, true, "<tr><th scope=\"row\">&lt;b&gt;</th><td>500</td><td>1.00 k</td><td>-</td>");
    t.skip = first; /* decides which columns are shown, but is not */
    char *text = printed(&t, false);
    assert_null(strstr(text, "a!"));
    assert_non_null(strstr(text, " when"));
    free(text);
    doc_free(d);
}

static void test_rows(void **state)
{
    static const struct column inner[] = {COLUMN("of", "^of", CELL_TEXT, .flags = COLUMN_ONCE),
                                          COLUMN("n", "n", CELL_COUNT),
                                          {0}},
                               keyed[] = {COLUMN("key", "@", CELL_TEXT),
                                          COLUMN("n", "n", CELL_FORM, .form = "%.1f"),
                                          {0}};
    (void)state;
    doc *d = parsed("{\"lists\": [{\"of\": \"p\", \"in\": [{\"n\": 1}, {\"n\": 2}]}, {\"of\": \"none\", \"in\": []}, "
                    "{\"of\": \"q\", "
                    "\"in\": [{\"n\": 3}]}], \"keys\": {\"b\": {\"n\": 1}, \"a\": {\"n\": 2}}, \"all\": {\"n\": 3}}");
    expect(&(struct column_table){.columns = inner, .rows = doc_get(d, "lists"), .inner = "in"}, false,
           "p   1\n    2\nq   3\n");
    expect(&(struct column_table){.columns = inner, .rows = doc_get(d, "lists"), .inner = "in"}, true,
           "<tr><th scope=\"row\">p</th><td>2</td></tr>");
    expect(&(struct column_table){.columns = keyed, .rows = doc_get(d, "keys")}, false, "b    1.0\na    2.0\n");
    const doc *picked[] = {doc_get(doc_get(d, "keys"), "a"), doc_get(d, "all")};
    expect(&(struct column_table){.columns = keyed + 1, .picked = picked, .picks = 2}, false, "  n\n---\n2.0\n3.0\n");
    const struct column_table nothing = {.columns = inner, .rows = doc_get(d, "absent"), .before = "\n"};
    for (int page = 0; page < 2; page++) {
        char *text = printed(&nothing, page);
        assert_string_equal(text, "");
        free(text);
    }
    doc_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
