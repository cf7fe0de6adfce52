/* test_report_style.c - numbers, names, looks and label places of reports. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "reports/figures/layout.h"
#include "planner/policies/policy.h"
#include "reports/formats/style.h"
#include "simulator/caches/cache.h"

static void counts(void **state)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {{0, "0"},           {7, "7"},           {980, "980"},      {2.5, "2.50"},      {999.7, "1.00 k"},
                 {1000, "1.00 k"},   {12345, "12.3 k"},  {999499, "999 k"}, {999500, "1.00 M"}, {1.2e6, "1.20 M"},
                 {1.23e9, "1.23 G"}, {-1200, "-1.20 k"}, {8e12, "8.00 T"},  {NAN, "-"}};
    char text[STYLE_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(style_count(text, cases[i].v), cases[i].text);
    assert_string_equal(style_tick(text, 1e6), "1 M");
    assert_string_equal(style_tick(text, 2500), "2.5 k");
    assert_string_equal(style_tick(text, 0.5), "0.5");
    assert_string_equal(style_tick(text, 4e-6), "0.000004");
    assert_string_equal(style_tick(text, -1.25e-4), "-0.000125");
    assert_string_equal(style_tick(text, 0), "0");
}

static void rates_and_bytes(void **state)
{
    char text[STYLE_TEXT];
    (void)state;
    assert_string_equal(style_percent(text, 0.97312, 1), "97.3 %");
    assert_string_equal(style_percent(text, 1, 0), "100 %");
    assert_string_equal(style_percent(text, 0.99951, 1), "100 %");
    assert_string_equal(style_percent(text, 3.449, 1), "345 %");
    assert_string_equal(style_percent(text, NAN, 1), "-");
    assert_string_equal(style_number(text, 0.0950145), "0.095");
    assert_string_equal(style_number(text, 0.00004123), "0.0000412");
    assert_string_equal(style_number(text, 13.04), "13");
    assert_string_equal(style_number(text, 1555.2), "1555");
    assert_string_equal(style_number(text, 17179869184), "17.2 G");
    assert_string_equal(style_number(text, NAN), "-");
    assert_string_equal(style_bytes(text, 0), "0 B");
    assert_string_equal(style_bytes(text, 1023), "1023 B");
    assert_string_equal(style_bytes(text, 1024), "1.00 KiB");
    assert_string_equal(style_bytes(text, 1.5 * 1073741824), "1.50 GiB");
    assert_string_equal(style_bytes(text, 437.0 * 1048576), "437 MiB");
    assert_string_equal(style_bytes(text, 19.41 * 1073741824), "19.4 GiB");
    assert_string_equal(style_bytes(text, 99.97 * 1073741824), "100 GiB");
}

static void names(void **state)
{
    char text[STYLE_NAME], slug[STYLE_TEXT];
    (void)state;
    assert_string_equal(style_cut(text, "legion", 10), "legion");
    assert_string_equal(style_cut(text, "data-tiering", 5), "data\xE2\x80\xA6");
    assert_string_equal(style_cut(text, "a\nb\tc", 10), "a b c");
    assert_string_equal(style_cut(text, "\xC3\xA9\xC3\xA9\xC3\xA9", 3), "\xC3\xA9\xC3\xA9\xC3\xA9");
    assert_string_equal(style_cut(text, "\xC3\xA9\xC3\xA9\xC3\xA9", 2), "\xC3\xA9\xE2\x80\xA6");
    assert_int_equal(style_length("\xC3\xA9x"), 2);
    int longest;
    assert_int_equal(style_wrap(text, "cache:clock = cache:fifo", 14, &longest), 2);
    assert_string_equal(text, "cache:clock =" STYLE_BREAK "cache:fifo");
    assert_int_equal(longest, 13);
    assert_int_equal(style_wrap(text, "hotset  45.2 k", 13, &longest), 2); /* a number keeps its unit */
    assert_string_equal(text, "hotset" STYLE_BREAK "45.2 k");
    assert_int_equal(style_wrap(text, "hotset  +1.0 %", 13, &longest), 2);
    assert_string_equal(text, "hotset" STYLE_BREAK "+1.0 %");
    assert_int_equal(style_wrap(text, "legion:alpha=0.25", 8, NULL), 3);
    assert_string_equal(text, "legion:" STYLE_BREAK "alpha=" STYLE_BREAK "0.25");
    assert_int_equal(style_wrap(text, "", 8, &longest), 1);
    assert_string_equal(text, "");
    assert_string_equal(style_slug(slug, "Papers100M (8x V100)"), "papers100m-8x-v100");
    assert_string_equal(style_slug(slug, "../../etc/passwd"), "etc-passwd");
    assert_string_equal(style_slug(slug, "\xC3\xA9\xC3\xA9"), "unnamed");
    assert_string_equal(style_slug(slug, ""), "unnamed");
}

/* No text, however long and whatever its characters, leaves the buffer or ends within a character. */
static void cut_never_overflows(void **state)
{
    char text[4000], out[STYLE_NAME];
    (void)state;
    for (int width = 1; width <= 4; width++) {
        static const char *const forms[] = {"", "x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
        text[0] = 0;
        while (strlen(text) + 8 < sizeof text) strcat(text, forms[width]);
        for (int most = 1; most < 300; most++) {
            style_cut(out, text, most);
            assert_true(strlen(out) < STYLE_NAME);
            assert_true(style_length(out) <= most);
            assert_true(strlen(out) >= 3 && !strcmp(out + strlen(out) - 3, "\xE2\x80\xA6"));
            assert_true((strlen(out) - 3) % (size_t)width == 0);
            style_wrap(out, text, most, NULL);
            assert_true(strlen(out) < STYLE_NAME);
            for (const char *line = out; line; line = strstr(line + 1, STYLE_BREAK))
                assert_true(strcspn(line + (line > out ? 3 : 0), "\xE2") <= (size_t)most * (size_t)width);
        }
    }
}

static void looks(void **state)
{
    struct look a = style_look("hotset"), b = style_look("somebody's policy"), c = style_look("somebody's policy");
    (void)state;
    assert_int_equal(a.colour, 0xD55E00);
    assert_int_equal(b.colour, c.colour);
    assert_int_equal(b.mark, c.mark);
    assert_true(style_is_yardstick("oracle"));
    assert_false(style_is_yardstick("exact"));
}

/* Every policy that can be planned has a family; no two share a colour, and no two of a family a mark (what is left
 * in grey). */
static void registered_looks(void **state)
{
    (void)state;
    for (const struct policy *const *p = policies_registered; *p; p++) {
        struct look a = style_look((*p)->name);
        if (a.family == FAMILY_OTHER)
            fail_msg("policy %s has no family: add a row {name, colour, dash, mark, width, family} to looks[] in "
                     "reports/formats/style.c, with a colour of its own and a mark that its family does not have",
                     (*p)->name);
        for (const struct policy *const *q = policies_registered; q < p; q++) {
            struct look b = style_look((*q)->name);
            if (a.colour == b.colour) fail_msg("%s and %s share a colour", (*p)->name, (*q)->name);
            if (a.family == b.family && a.mark == b.mark) fail_msg("%s and %s share a mark", (*p)->name, (*q)->name);
        }
    }
    assert_int_equal(style_look("gnnlab:samplers=2").family, FAMILY_ALONE);
    assert_int_equal(style_look("cache:lru").family, FAMILY_DYNAMIC);
    assert_int_equal(style_look("cache:newest").family, FAMILY_DYNAMIC);
    assert_int_equal(style_look("legion2").family, FAMILY_OTHER);
    assert_int_equal(style_look("somebody's policy").family, FAMILY_OTHER);
    for (int f = 0; f < FAMILIES; f++) assert_true(strlen(style_family((enum family)f)) > 3);
}

/* Every dynamic cache has a colour that no other cache and no policy has, and a mark of its own. */
static void cache_looks(void **state)
{
    (void)state;
    for (const struct cache *const *c = caches_registered; *c; c++) {
        char name[80], other[80];
        snprintf(name, sizeof name, "cache:%s", (*c)->name);
        struct look a = style_look(name);
        for (const struct cache *const *d = caches_registered; d < c; d++) {
            snprintf(other, sizeof other, "cache:%s", (*d)->name);
            if (a.colour == style_look(other).colour) fail_msg("%s and %s share a colour", name, other);
            if (a.mark == style_look(other).mark) fail_msg("%s and %s share a mark", name, other);
        }
        for (const struct policy *const *p = policies_registered; *p; p++)
            if (a.colour == style_look((*p)->name).colour) fail_msg("%s and %s share a colour", name, (*p)->name);
    }
}

static void ranges(void **state)
{
    struct range r = layout_range(0, 8.7e6, false);
    (void)state;
    assert_true(r.low == 0 && r.high >= 8.7e6 && r.count >= 3 && r.count <= 9);
    r = layout_range(126e3, 9.9e6, true);
    assert_true(r.log && r.low == 1e5 && r.high == 1e7);
    assert_true(r.tick[0] == 1e5 && r.tick[1] == 2e5 && r.tick[2] == 5e5);
    r = layout_range(5, 5, false);
    assert_true(r.high > r.low);
    r = layout_range(5, 5, true);
    assert_true(r.high > r.low);
    for (double high = 1; high < 1e18; high *= 3.7) {
        r = layout_range(1, high, true);
        assert_true(r.low <= 1 && r.high >= high && r.count >= 2 && r.count <= TICKS_MAX);
        r = layout_range(-high, high / 3, false);
        assert_true(r.low <= -high && r.high >= high / 3 && r.count <= TICKS_MAX);
    }
    assert_true(layout_place(&(struct range){.low = 1, .high = 100, .log = true}, 10) == 0.5);
    assert_true(layout_place(&(struct range){.low = 1, .high = 100, .log = true}, 0) == 0);
    assert_true(layout_place(&(struct range){.low = 0, .high = 4}, 5) == 1);
}

static void labels_keep_apart(void **state)
{
    double at[] = {10, 11, 12, 50}, same[20] = {0};
    (void)state;
    layout_spread(at, 4, 16, 0, 300);
    assert_true(at[1] - at[0] >= 15.999 && at[2] - at[1] >= 15.999 && at[3] == 50);
    assert_true(at[0] >= 0);
    layout_spread(same, 20, 16, -20, 400);
    for (int i = 1; i < 20; i++) assert_true(same[i] - same[i - 1] >= 15.999);
    assert_true(same[0] >= -20 && same[19] <= 400);
}

static void ends_of_ranges(void **state)
{
    double low = NAN, high = NAN, taken = -1e9;
    (void)state;
    layout_include(NAN, &low, &high);
    assert_true(isnan(low) && isnan(high));
    layout_include(3, &low, &high);
    layout_include(-1, &low, &high);
    layout_include(NAN, &low, &high);
    assert_true(low == -1 && high == 3);
    assert_true(layout_label_fits(100, 10, &taken)); /* 58 to 142 */
    assert_true(taken == 142);
    assert_false(layout_label_fits(188, 10, &taken)); /* from 146, no more than 4 pixels behind */
    assert_true(taken == 142);
    assert_true(layout_label_fits(189, 10, &taken));
}

/* Numbers by what they are; by hand from the units. */
static void quantities(void **state)
{
    char text[STYLE_TEXT];
    (void)state;
    assert_string_equal(style_quantity(text, QUANTITY_RATE, 0.9731), "97.3 %");
    assert_string_equal(style_quantity(text, QUANTITY_COUNT, 12345), "12.3 k");
    assert_string_equal(style_quantity(text, QUANTITY_BYTES, 1536), "1.50 KiB");
    assert_string_equal(style_quantity(text, QUANTITY_SECONDS, 0.0125), "12.5 ms");
    assert_string_equal(style_quantity(text, QUANTITY_SECONDS, 0), "0 s");
    assert_string_equal(style_quantity(text, QUANTITY_PRICE, 0.123456), "0.123");
    assert_string_equal(style_quantity(text, QUANTITY_PRICE, 0.0003), "0.0003");
    assert_string_equal(style_quantity(text, QUANTITY_PRICE, 5.1e-7), "5.1e-7");
    for (int q = QUANTITY_RATE; q <= QUANTITY_PRICE; q++)
        assert_string_equal(style_quantity(text, (enum quantity)q, NAN), "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(rates_and_bytes),
        cmocka_unit_test(names),
        cmocka_unit_test(cut_never_overflows),
        cmocka_unit_test(looks),
        cmocka_unit_test(registered_looks),
        cmocka_unit_test(cache_looks),
        cmocka_unit_test(ranges),
        cmocka_unit_test(labels_keep_apart),
        cmocka_unit_test(ends_of_ranges),
        cmocka_unit_test(quantities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
