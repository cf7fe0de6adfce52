/* figure/1 documents that are not what they must be; axes by the kind of number. */
#include <math.h>

#include "reports/claims/claims_figure.h"
#include "reports/figures/drawing_parts.h"
#include "tests/unit/unit.h"

static struct err err;

static enum st load(const char *panels)
{
    char text[2000];
    struct drawing d = {0};
    doc *document = NULL;
    int n = snprintf(text, sizeof text,
                     "{\"schema\": \"figure/1\", \"name\": \"a\", \"title\": \"t\", \"panels\": [%s]}", panels);
    enum st st = claims_figure_load(put_file("figure.json", text, (size_t)n), &document, &d, &err);
    drawing_release(&d);
    doc_free(document);
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
    BAD(ST_INPUT, "key \"panels[0].kind\" is \"pie\", expected one of lines, bars, matrix", load(PANEL("pie", "", "")));
    BAD(ST_INPUT, "key \"panels[0].title\" is missing, expected a text", load("{\"kind\": \"bars\"}"));
    BAD(ST_INPUT, "key \"panels[0].categories[0]\" is an integer, expected text", load(PANEL("bars", "7", "")));
    BAD(ST_INPUT, "is not [x, y]", load(PANEL("lines", "", "[0]")));
    BAD(ST_INPUT, "a number out of range", load(PANEL("lines", "", "[1e300, 0]")));
    BAD(ST_INPUT, "none of the 1 categories", load(PANEL("bars", "\"c\"", "[1, 1]")));
    BAD(ST_INPUT, "none of the 1 categories", load(PANEL("matrix", "\"c\"", "[-1, 1]")));
    BAD(ST_INPUT, "none of the 0 categories", load(PANEL("bars", "", "[0.5, 1]")));
}

/* What the upright axis of a line to `most` shows. */
static struct range range_of(enum quantity quantity, int flags, double least, double most)
{
    struct drawing d = {0};
    const struct drawing_axis x = {0}, y = {.quantity = quantity, .flags = flags};
    drawing_panel(&d, NULL, &x, &y);
    drawing_series(&d, &(struct drawing_series){.name = "s"});
    drawing_point(&d, 0, least, NULL);
    drawing_point(&d, 1, most, NULL);
    d.panels[0].box = (struct box){0, 100, 0, 100};
    drawing_axes_make(&d, &d.panels[0], &d.panels[0], 1);
    const struct range r = d.panels[0].range[AXIS_Y];
    drawing_release(&d);
    return r;
}

static void axes_by_quantity(void **state)
{
    struct range r = range_of(QUANTITY_BYTES, 0, 0, 3 * 1048576.0);
    (void)state;
    assert_true(r.low == 0 && r.high == 3 * 1048576.0 && r.tick[1] == 524288);
    r = range_of(QUANTITY_RATE, 0, 0.1, 0.2);
    assert_true(r.low == 0 && r.high == 1);
    r = range_of(QUANTITY_RATE, AXIS_NEAR, 0.75, 0.95);
    assert_true(fabs(r.low - 0.7) < 1e-9 && r.high == 1);
    r = range_of(QUANTITY_SECONDS, 0, NAN, NAN);
    assert_true(r.low == 0 && r.high == 1);
    r = range_of(QUANTITY_COUNT, 0, 5, 870);
    assert_true(r.low == 0 && r.high >= 870 && r.high <= 1000 && !r.log);
    r = range_of(QUANTITY_COUNT, AXIS_FAR, 10, 1000);
    assert_true(r.log && r.low == 10 && r.high == 1000 && !(r.broken > 0));
    r = range_of(QUANTITY_ERROR, 0, -0.2, -0.1);
    assert_true(r.low <= -0.2 && r.high >= 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hostile_figures), cmocka_unit_test(axes_by_quantity)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
