/* test_report_colour.c - colours on dark ground, contrast, and the style sheet that an SVG gets. */
#include "tests/unit/unit.h"
#include <math.h>
#include "planner/policies/policy.h"
#include "reports/formats/colour.h"
#include "reports/formats/style.h"
#include "reports/formats/svg_dark.h"

static struct err err;

static void contrasts(void **state)
{
    (void)state;
    assert_true(fabs(colour_contrast(0x000000, 0xFFFFFF) - 21) < 1e-9); /* (1 + 0.05) / (0 + 0.05) */
    assert_true(fabs(colour_contrast(0x777777, 0x777777) - 1) < 1e-9);
    assert_true(fabs(colour_contrast(0xFFFFFF, 0x767676) - 4.54) < 0.01); /* the greyest that WCAG takes for text */
}

/* Lightness is turned round, the ground is white's counterpart, and greys stay grey. */
static void dark_counterparts(void **state)
{
    unsigned ground = colour_dark(0xFFFFFF);
    (void)state;
    assert_int_equal(ground, 0x161616); /* --paper in html.c */
    assert_true(colour_contrast(colour_dark(0x000000), ground) > 12);
    for (unsigned grey = 0; grey < 255; grey++) {
        unsigned a = colour_dark(grey * 0x010101), b = colour_dark((grey + 1) * 0x010101);
        assert_true((a & 255) == (a >> 8 & 255) && (a & 255) == a >> 16);
        assert_true(b <= a);
    }
}

static void readable(const char *name)
{
    unsigned colour = style_look(name).colour;
    if (colour_contrast(colour, 0xFFFFFF) < 3.5) fail_msg("%s is too pale on white", name);
    if (colour_contrast(colour_dark(colour), 0x161616) < 4) fail_msg("%s is too dark on a dark ground", name);
}

/* Every policy's name can be read in its colour, on white and on dark. */
static void looks_are_readable(void **state)
{
    static const char *const others[] = {"cache:fifo",  "cache:lru",    "cache:lfu", "cache:clock",
                                         "cache:sieve", "cache:s3fifo", "other"};
    (void)state;
    for (const struct policy *const *p = policies_registered; *p; p++) readable((*p)->name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) readable(others[i]);
}

static char *figure_of(const char *svg, char *out, size_t size)
{
    char path[400];
    snprintf(path, sizeof path, "%s", put_file("f.svg", svg, strlen(svg)));
    GOOD(svg_dark(path, &err));
    get_file(path, out, size);
    return out;
}

static void sheets(void **state)
{
    static const char svg[] = "<?xml version=\"1.0\"?>\n<svg width=\"9\">\n<g fill = 'rgb( 12,  58, 119)' "
                              "stroke=\"none\" "
                              "color=\"black\"/><rect fill=\"#ffffff\"/><path stroke='rgb( 12,  58, 119)'/>"
                              "<path stroke='rgb( 12,  58, 119)'/><text> fill=\"#123456\" </text></svg>";
    char text[4000], again[4000], rule[100];
    (void)state;
    figure_of(svg, text, sizeof text);
    assert_non_null(strstr(text, "<svg width=\"9\"><style>@media screen and (prefers-color-scheme:dark){"));
    snprintf(rule, sizeof rule, "[stroke='rgb( 12,  58, 119)']{stroke:#%06x}", colour_dark(0x0C3A77));
    assert_non_null(strstr(text, rule));
    assert_null(strstr(strstr(text, rule) + 1, rule)); /* once */
    assert_non_null(strstr(text, "[fill='rgb( 12,  58, 119)']{fill:"));
    assert_non_null(strstr(text, "[fill='#ffffff']{fill:#161616}"));
    assert_non_null(strstr(text, "[color='black']{color:"));
    assert_null(strstr(text, "[fill='#123456']")); /* a text, not an attribute */
    assert_null(strstr(text, "[stroke='none']"));
    figure_of(text, again, sizeof again);
    assert_string_equal(text, again);
}

/* A value cannot bring rules of its own, and what is no SVG stays as it is. */
static void hostile_figures(void **state)
{
    static const char evil[] = "<svg><g fill=\"rgb(1,2,3);}</style><script>\"/><g fill=\"rgb(1,2,300)\"/><g "
                               "stroke=\"#12345"
                               "g\"/><g fill=\"rgb(1,2,3)x\"/><g fill=\"#ab";
    char text[4000];
    (void)state;
    figure_of(evil, text, sizeof text);
    assert_non_null(strstr(text, "{}</style>"));
    assert_string_equal(figure_of("no picture", text, sizeof text), "no picture");
    BAD(ST_INPUT, "missing.svg", svg_dark(in_scratch("missing.svg"), &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contrasts), cmocka_unit_test(dark_counterparts),
                                       cmocka_unit_test(looks_are_readable), cmocka_unit_test(sheets),
                                       cmocka_unit_test(hostile_figures)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
