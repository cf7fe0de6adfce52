/* test_report_many.c - a page of more policies than one panel can name: families, names that do not touch, samplers,
 * causes. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/test_report_help.h"
#include "base/file.h"
#include "reports/report.h"
#include "reports/formats/style.h"

static char folder[] = "/tmp/test_report_many_XXXXXX";

static int folder_make(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
    char command[2 * PATH_BYTES];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static char *text_read(const char *name)
{
    enum { MOST = 1 << 22 };
    char path[2 * PATH_BYTES], *text = calloc(1, MOST);
    snprintf(path, sizeof path, "%s/out/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s: cannot be opened", path);
    assert_true(fread(text, 1, MOST - 1, f) < MOST - 1);
    fclose(f);
    return text;
}

static const char *const policies[] = {"hotset",
                                       "exact",
                                       "oracle",
                                       "random",
                                       "legion",
                                       "legion-public",
                                       "legion-topocpu",
                                       "legion+density",
                                       "legion+exact-split",
                                       "quiver",
                                       "quiver-plus",
                                       "data-tiering",
                                       "dsp",
                                       "gnnlab",
                                       "pagraph",
                                       "bgl",
                                       "dgl-uva",
                                       "hyscale",
                                       "somebody",
                                       "cache:lru",
                                       "legion-topogpu"};
enum { POLICIES = sizeof policies / sizeof *policies, BUDGETS = 3, WITHOUT = POLICIES - 1 };

/* All lines end in few places, which is the hard case for names. The last policy is out of memory at the two smaller
 * budgets. */
static void document_write(const char *path)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs("{\"schema\":\"results/1\",\"rows\":[", f);
    for (int b = 0; b < BUDGETS; b++)
        for (int p = 0; p < POLICIES; p++) {
            int total = b == BUDGETS - 1 ? p % 3 * 1000 : 1000000 / (b + 1) + 1000 * p;
            fprintf(f,
                    "%s{\"policy\":\"%s\",\"server\":\"s\",\"graph\":\"g\",\"budget\":\"%d%%\",\"budget_bytes\":%d,"
                    "\"budget_share\":%g,",
                    b || p ? "," : "", policies[p], 1 + b, 1000 + 1000 * b, 0.01 * (1 + b));
            if (p == WITHOUT && b < BUDGETS - 1) {
                fprintf(f, "\"status\":\"oom\",\"reason\":\"needs 9999 bytes, has %d\"}", 1000 + 1000 * b);
                continue;
            }
            fprintf(f,
                    "%s\"simulated\":{\"total_transactions\":%d,\"feature_hit_rate\":%g,\"topology_hit_rate\":%g,"
                    "\"gpus\":[",
                    strcmp(policies[p], "gnnlab") ? "" : "\"sampler_gpus\":[4],", total, b == BUDGETS - 1 ? 1.0 : 0.3,
                    p % 2 ? 1.0 : 0.0);
            fprintf(f,
                    "{\"id\":4,\"feature_rows\":{\"local\":%d,\"peer\":0,\"host\":0}},{\"id\":6,\"feature_rows\":{"
                    "\"local\":1,\"peer\":0,\"host\":3}}]}}",
                    strcmp(policies[p], "gnnlab") ? 5 : 0);
        }
    fputs("]}", f);
    assert_int_equal(fclose(f), 0);
}

/* Names right of one plot, from bottom to top by their places: at least a line of text apart. Returns how many. */
static int judge_names(const char *from, const char *to, double height)
{
    double low = 0, high = 1, place[64];
    int n = 0;
    const char *b = strstr(from, "set bmargin at screen "), *t = strstr(from, "set tmargin at screen ");
    assert_true(b && t && b < to && t < to);
    low = atof(b + strlen("set bmargin at screen "));
    high = atof(t + strlen("set tmargin at screen "));
    for (const char *at = from; (at = strstr(at, " at graph ")) && at < to; at++) {
        double x = atof(at + strlen(" at graph "));
        const char *y = strstr(at, ", graph ");
        if (x <= 1 || !y) continue;
        assert_true(n < 64);
        place[n++] = atof(y + strlen(", graph ")) * (high - low) * height;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(place[i] - place[j]) < 15.9)
                fail_msg("two names are %.1f pixels apart", fabs(place[i] - place[j]));
    return n;
}

static int count_of(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)); text++) n++;
    return n;
}

/* Every family has its panels, every policy is named in one of its family, and names keep apart. */
static void judge_figure(const char *name, int values)
{
    char *text = text_read(name), heading[100];
    const char *size = strstr(text, "set terminal svg noenhanced size ");
    double height = atof(strchr(size + strlen("set terminal svg noenhanced size "), ',') + 1);
    int panels = 0;
    for (int f = 0; f < FAMILIES; f++) {
        snprintf(heading, sizeof heading, "%s' at screen", style_family((enum family)f));
        assert_int_equal(count_of(text, heading), values);
    }
    for (const char *at = strstr(text, "set lmargin"), *next; at; at = next, panels++) {
        next = strstr(at + 1, "set lmargin");
        int names = judge_names(at, next ? next : text + strlen(text), height);
        assert_true(names >= 1 && names <= 12);
    }
    assert_int_equal(panels, values * FAMILIES);
    for (int p = 0; p < POLICIES; p++) {
        snprintf(heading, sizeof heading, "set label '%s' at graph", policies[p]);
        assert_true(count_of(text, heading) >= values);
    }
    free(text);
}

/* What the answer names (hotset, and the best that is not ours: random), and the best of each family at the middle
 * budget, where totals grow with the place in the list; six fill the page, so that the rest is left to the appendix. */
static void judge_first(void)
{
    static const char *const first[] = {"hotset", "random", "legion", "dsp", "gnnlab", "dgl-uva"};
    char *text = text_read("plots/g-s-transactions.gp"), name[100];
    for (int p = 0; p < POLICIES; p++) {
        bool shown = false;
        for (int i = 0; i < 6; i++) shown |= !strcmp(policies[p], first[i]);
        snprintf(name, sizeof name, "set label '%s  ", policies[p]);
        assert_int_equal(count_of(text, name), shown);
    }
    assert_int_equal(count_of(text, "set lmargin"), 1);
    free(text);
}

static void many_policies(void **state)
{
    char input[PATH_BYTES], target[PATH_BYTES];
    const char *inputs[] = {input};
    struct err err = {0};
    char *text, *table;
    (void)state;
    if (system("gnuplot --version >/dev/null 2>&1") != 0) skip();
    snprintf(input, sizeof input, "%s/R.json", folder);
    snprintf(target, sizeof target, "%s/out", folder);
    document_write(input);
    if (report_write(inputs, 1, target, &(struct report_options){.quiet = true}, &err) != ST_OK)
        fail_msg("%s", err.text);
    judge_first();
    judge_figure("plots/g-s-all-transactions.gp", 1);
    judge_figure("plots/g-s-all-hit-rates.gp", 2);
    text = text_read("plots/g-s-all-gpus-features.gp");
    assert_int_equal(count_of(text, "'sampler' at first 0"), 1);
    assert_int_equal(count_of(text, "'4' 0, '6' 1"), POLICIES - 1); /* the one without memory has no panel */
    free(text);
    text = text_read("index.html");
    judge_script(text);
    /* of the appendix: the totals, and the details of each budget, of which one is seen */
    assert_int_equal(count_of(text, "<tr class=\"family\">"), FAMILIES * (1 + BUDGETS));
    assert_int_equal(count_of(strstr(text, "id=\"a1\""), " data-budget="), BUDGETS);
    assert_int_equal(count_of(strstr(text, "id=\"a1\""), "hidden><table>"), BUDGETS - 1);
    assert_int_equal(count_of(text, "Shown are 6 of 21 policies"), 1);
    assert_true(strstr(text, "Shown are 6 of") < strstr(text, "id=\"a1\""));
    assert_int_equal(count_of(text, "<figure class=\"screen\">"), 2); /* hit rates and GPUs of all stay off paper */
    table = strstr(text, "Runs without numbers");
    assert_non_null(table);
    *strstr(table, "</table>") = 0;
    assert_int_equal(count_of(table, "legion-topogpu"), 1);
    assert_non_null(strstr(table, "1 %, 2 %"));
    assert_non_null(strstr(table, "at 1 %: needs 9999 bytes, has 1000; at 2 %: needs 9999 bytes, has 2000"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_policies)};
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
