/* figure/1 documents that are not what they must be. */
#include "reports/claims/drawing.h"
#include "tests/unit/unit.h"

static struct err err;

static enum st load(const char *panels)
{
    char text[2000];
    static struct drawing d;
    int n = snprintf(text, sizeof text,
                     "{\"schema\": \"figure/1\", \"name\": \"a\", \"title\": \"t\", \"panels\": [%s]}", panels);
    memset(&d, 0, sizeof d);
    enum st st = drawing_load(put_file("figure.json", text, (size_t)n), &d, &err);
    drawing_release(&d);
    return st;
}

#define PANEL(kind, categories, points)                                                                                \
    "{\"kind\": \"" kind "\", \"title\": \"\", \"x\": \"\", \"y\": \"\", \"categories\": [" categories                 \
    "], \"series\": [{\"name\": \"s\", \"source\": \"hotset\", \"points\": [" points "]}]}"

#define RANGED(ranges) "{\"name\": \"s\", \"source\": \"hotset\", \"points\": [[0, 2]], \"ranges\": [" ranges "]}"

static void hostile_figures(void **state)
{
    (void)state;
    GOOD(load(PANEL("lines", "", "[0, 1], [1, null]")));
    GOOD(load(PANEL("bars", "\"c\"", "[0, 1]")));
    GOOD(load("{\"kind\": \"lines\", \"title\": \"\", \"x\": \"\", \"y\": \"\", \"categories\": [], \"series\": "
              "[" RANGED("[1, 3]") "]}"));
    BAD(ST_INPUT, "not [low, high] around the point",
        load("{\"kind\": \"lines\", \"title\": \"\", \"x\": \"\", \"y\": \"\", \"categories\": [], \"series\": "
             "[" RANGED("[3, 4]") "]}"));
    BAD(ST_INPUT, "1 points and 2 ranges",
        load("{\"kind\": \"lines\", \"title\": \"\", \"x\": \"\", \"y\": \"\", \"categories\": [], \"series\": "
             "[" RANGED("[1, 3], [1, 3]") "]}"));
    BAD(ST_INPUT, "1 to 8", load(""));
    BAD(ST_INPUT, "lines, bars or matrix", load(PANEL("pie", "", "")));
    BAD(ST_INPUT, "is not [x, y]", load(PANEL("lines", "", "[0]")));
    BAD(ST_INPUT, "a number out of range", load(PANEL("lines", "", "[1e300, 0]")));
    BAD(ST_INPUT, "none of the 1 categories", load(PANEL("bars", "\"c\"", "[1, 1]")));
    BAD(ST_INPUT, "none of the 1 categories", load(PANEL("matrix", "\"c\"", "[-1, 1]")));
    BAD(ST_INPUT, "none of the 0 categories", load(PANEL("bars", "", "[0.5, 1]")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hostile_figures)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
