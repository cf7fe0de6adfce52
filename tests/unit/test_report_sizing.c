/* test_report_sizing.c - figures and tables of capacity planning, from a document made here: no configuration is left
 * out, the answer is ringed, axes suit the values, equal rows are one. */
#include "tests/unit/unit.h"
#include <math.h>
#include "reports/formats/colour.h"
#include "reports/report.h"
#include "reports/sizing/sizing.h"

enum { SERVERS = 4, COUNTS = 4, CURVES = SERVERS * COUNTS, POINTS = 6, FULL = 3 /* the first point that holds all */ };
static const int counts[COUNTS] = {1, 2, 4, 8};
/* Server 3 with 2 GPUs at its third point: on no frontier, because more GPUs are faster and cheaper per epoch. */
enum { ANSWER_CURVE = 3 * COUNTS + 1, ANSWER = ANSWER_CURVE * POINTS + 2, FASTEST = (CURVES - 1) * POINTS + FULL };

static struct err err;

static bool have_gnuplot(void) { return system("gnuplot --version >/dev/null 2>&1") == 0; }

static double hit_of(int point) { return point >= FULL ? 1 : 0.3 * point; }

static void point_write(FILE *f, int curve, int point)
{
    int server = curve / COUNTS, gpus = counts[curve % COUNTS];
    double seconds = (point >= FULL ? 0.01 : 1 - 0.3 * point) * (5 - server) / gpus;
    fprintf(f,
            "%s{\"curve\": %d, \"budget_bytes\": %.0f, \"budget_all_gpus_bytes\": %.0f, \"feature_hit_rate\": %g, "
            "\"topology_hit_rate\": %g, \"transactions\": %.0f, \"epoch_seconds\": %g, \"best_epoch_seconds\": %g, "
            "\"cost_per_epoch\": %g, \"stages\": {\"sample\": 0.001, \"transfer\": 0.002}, \"meets\": %s}",
            curve || point ? ", " : "", curve, point * 1073741824.0, point * gpus * 1073741824.0, hit_of(point),
            hit_of(point), 1000 * (1 - hit_of(point)), seconds, seconds, seconds * 0.1, point > 1 ? "true" : "false");
}

static void document_write(const char *path)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fprintf(f,
            "{\"schema\": \"size/1\", \"sentence\": \"s\", \"primary\": \"feature_hit_rate\", \"graph\": {\"name\": "
            "\"g\"}, \"answer\": {\"candidate\": %d}, \"shown\": %d, \"knee\": {\"candidate\": %d}, \"targets\": "
            "[{\"metric\": \"feature_hit_rate\", \"value\": 0.5, \"text\": \"t\"}], \"frontier\": {\"time_cost\": "
            "[%d], \"time_memory\": [0, %d], \"hit_memory\": [0, 1, 3]}, \"vary\": {\"x\": {\"quantity\": \"budget\", "
            "\"labels\": [\"none\", \"a name that is so long\", \"another one as long\", \"4\", \"5\", \"6\", \"7\", "
            "\"8\"]}, \"y\": {\"quantity\": \"gpus\", \"labels\": [\"1 GPU\"]}, \"metric\": \"feature_hit_rate\", "
            "\"values\": [[0, 0.2, 0.4, 0.6, 0.8, 1, 1, null]]}, \"curves\": [",
            ANSWER, ANSWER_CURVE, ANSWER - 1, FASTEST, FASTEST);
    for (int i = 0; i < CURVES; i++)
        fprintf(f, "%s{\"label\": \"server%d:%d\", \"gpus\": %d, \"limit_bytes\": %.0f}", i ? ", " : "", i / COUNTS,
                counts[i % COUNTS], counts[i % COUNTS], (POINTS - 1) * 1073741824.0);
    fputs("], \"candidates\": [", f);
    for (int i = 0; i < CURVES; i++)
        for (int k = 0; k < POINTS; k++) point_write(f, i, k);
    fputs("]}", f);
    assert_int_equal(fclose(f), 0);
}

static char *file_text(const char *name)
{
    enum { MOST = 1 << 21 };
    char *text = calloc(1, MOST);
    assert_true(get_file(in_scratch(name), text, MOST) < MOST - 1);
    return text;
}

static int count_of(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)); text++) n++;
    return n;
}

static bool page_make(void)
{
    static bool made;
    char input[400];
    if (!have_gnuplot()) return false;
    if (made) return true;
    snprintf(input, sizeof input, "%s", in_scratch("S.json"));
    document_write(input);
    GOOD(report_write((const char *const[]){input}, 1, in_scratch("out"), &(struct report_options){.quiet = true},
                      &err));
    return made = true;
}

/* A colour per server, a dash per number of GPUs, and only the answer is bold. */
static void every_configuration_is_drawn(void **state)
{
    char what[80], *text;
    (void)state;
    if (!page_make()) skip();
    text = file_text("out/plots/g-server3-2-choices.gp");
    const char *plot = strstr(text, "\nplot ");
    assert_non_null(plot);
    assert_int_equal(count_of(plot, " with linespoints "), CURVES);
    for (int i = 0; i < SERVERS; i++) {
        snprintf(what, sizeof what, "lc rgb '#%06X' dt", sizing_colours[i]);
        assert_int_equal(count_of(plot, what), COUNTS);
        snprintf(what, sizeof what, "set label 'server%d' at screen", i);
        assert_int_equal(count_of(text, what), 1);
    }
    for (int i = 0; i < COUNTS; i++) {
        snprintf(what, sizeof what, "set label '%d GPU%s' at screen", counts[i], counts[i] > 1 ? "s" : "");
        assert_int_equal(count_of(text, what), 1);
    }
    assert_int_equal(count_of(plot, " with linespoints ") - count_of(plot, " dt ("), SERVERS); /* 8 GPUs */
    assert_int_equal(count_of(plot, " lw 4.5"), 1);
    snprintf(what, sizeof what, "'#%06X' dt (2.5,4) lw 4.5", sizing_colours[3]); /* server3 with 2 GPUs */
    assert_int_equal(count_of(plot, what), 1);
    assert_non_null(strstr(text, "server3:2, 2.00 GiB of cache per GPU"));
    free(text);
}

/* Seconds from 0.00125 to 5 and costs are far apart; the answer, which is on no frontier, has a ring in both panels. */
static void the_answer_is_ringed(void **state)
{
    char *text;
    (void)state;
    if (!page_make()) skip();
    text = file_text("out/plots/g-server3-2-frontier.gp");
    assert_int_equal(count_of(text, "with points lc rgb '#A32638' dt 1 lw 2.0 pt 6"), 2);
    assert_int_equal(count_of(text, "set logscale y"), 1);
    assert_int_equal(count_of(text, "set logscale x"), 2);
    assert_int_equal(count_of(text, " (log scale)'"), 1); /* of y; ticks of x tell */
    assert_int_equal(count_of(text, "set label 'server3:2' at"), 2);
    assert_int_equal(count_of(text, "set label 'server3:8' at"), 1); /* all of the frontier of time and cost */
    assert_non_null(strstr(text, "set label 'cost per epoch'"));
    free(text);
}

/* The stronger a cell, the better; one dark ink is read on all of them, in the dark scheme, too; turned names stand
 * below the cells. */
static void the_map_is_read_one_way(void **state)
{
    static const unsigned palette[] = {0xF7F9FC, 0xC6DBEF, 0x8CC0E3};
    const unsigned ink = 0x16191D;
    char *text, *page;
    (void)state;
    if (!page_make()) skip();
    text = file_text("out/plots/g-server3-2-map.gp");
    assert_non_null(strstr(text, ":(($5-0)/1) with boxxyerror fs solid 1.0 noborder lc palette"));
    assert_non_null(strstr(text, "set palette defined (0 '#F7F9FC', 0.5 '#C6DBEF', 1 '#8CC0E3')"));
    for (int i = 0; i < 3; i++) {
        assert_true(colour_contrast(ink, palette[i]) > 4.5);
        assert_true(colour_contrast(colour_dark(ink), colour_dark(palette[i])) > 4.5);
    }
    assert_int_equal(count_of(text, "rotate by 30 right offset 0,-"), 1);
    free(text);
    page = file_text("out/index.html");
    assert_non_null(strstr(page, "The stronger the colour, the better."));
    assert_non_null(strstr(page, "A dash: no candidate with both values fits."));
    free(page);
}

/* Points 3, 4 and 5 hold everything: one row for all, and one group of bars. */
static void equal_rows_are_one(void **state)
{
    char *page, *bars;
    (void)state;
    if (!page_make()) skip();
    page = file_text("out/index.html");
    assert_int_equal(count_of(page, "<th scope=\"row\">3.00 GiB to 5.00 GiB</th>"), 1);
    assert_int_equal(count_of(page, "<th scope=\"row\">4.00 GiB"), 0);
    assert_int_equal(count_of(page, "<th scope=\"row\">2.00 GiB (answer)</th>"), 1);
    free(page);
    bars = file_text("out/plots/g-server3-2-bottleneck.gp");
    assert_non_null(strstr(bars, "'3.00 GiB' 3) norotate"));
    assert_null(strstr(bars, "rotate by 30"));
    free(bars);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_configuration_is_drawn),
                                       cmocka_unit_test(the_answer_is_ringed),
                                       cmocka_unit_test(the_map_is_read_one_way), cmocka_unit_test(equal_rows_are_one)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
