/* test_report.c - hand-made result documents through rows, CSV and the whole report. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/test_report_help.h"
#include "base/file.h"
#include "base/text.h"
#include "base/mem.h"
#include "reports/formats/csv.h"
#include "reports/formats/gnuplot.h"
#include "reports/formats/html.h"
#include "reports/report.h"
#include "reports/plots/grid.h"
#include "reports/comparison/comparison.h"
#include "reports/results/results_answer.h"

static char folder[] = "/tmp/test_report_XXXXXX";
static char input[PATH_BYTES], target[PATH_BYTES];

static int folder_make(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(input, sizeof input, "%s/R.json", folder);
    snprintf(target, sizeof target, "%s/out", folder);
    return 0;
}

static int folder_remove(void **state)
{
    char command[2 * PATH_BYTES];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void text_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static char *text_read(const char *name)
{
    char path[2 * PATH_BYTES];
    char *text;
    FILE *f;
    size_t n;
    snprintf(path, sizeof path, "%s/%s", target, name);
    f = fopen(path, "rb");
    assert_non_null(f);
    text = calloc(1, 1 << 21);
    n = fread(text, 1, (1 << 21) - 1, f);
    assert_true(n < (1 << 21) - 1);
    fclose(f);
    return text;
}

static int entries(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
    closedir(d);
    return n;
}

static bool have_gnuplot(void) { return system("gnuplot --version >/dev/null 2>&1") == 0; }

static enum st draw(const char *json, struct err *err)
{
    const char *inputs[] = {input};
    text_write(input, json);
    err_clear(err);
    return report_write(inputs, 1, target, &(struct report_options){.quiet = true}, err);
}

/* Two policies, two budgets, one run out of memory; 60 -> 40 transactions. */
static const char good[] = "{\"schema\":\"results/"
                           "1\",\"workload\":{\"fanout\":[25,10],\"batch\":8000,\"frontier\":\"new\",\"sampler\":"
                           "\"uniform\",\"seed\":1},\"rows\":["
                           "{\"policy\":\"a, "
                           "\\\"b\\\"\",\"server\":\"s<1>\",\"graph\":\"g&co\",\"budget\":\"5%\",\"budget_bytes\":1000,"
                           "\"budget_share\":0.05,\"status\":\"ok\",\"reason\":"
                           "null,\"predicted\":{\"feature_hit_rate\":0.5,\"topology_hit_rate\":0.25,\"topology_"
                           "transactions\":20,\"feature_transactions\":34,\"total_"
                           "transactions\":54},"
                           "\"simulated\":{\"epochs\":2,\"seed\":77,\"feature_hit_rate\":0.4,\"topology_hit_rate\":0.2,"
                           "\"topology_transactions\":20,\"feature_"
                           "transactions\":40,\"total_transactions\":60,"
                           "\"total_interval\":[55,65],\"prediction_error\":-0.1,\"max_per_switch\":30,\"max_per_"
                           "socket\":60},\"uncached_transactions\":100},"
                           "{\"policy\":\"hotset\",\"server\":\"s<1>\",\"graph\":\"g&co\",\"budget\":\"5%\",\"budget_"
                           "bytes\":1000,\"budget_share\":0.05,\"status\":\"ok\","
                           "\"simulated\":{\"total_transactions\":40}},"
                           "{\"policy\":\"hotset\",\"server\":\"s<1>\",\"graph\":\"g&co\",\"budget\":\"10%\",\"budget_"
                           "bytes\":2000,\"budget_share\":0.1,\"status\":\"oom\","
                           "\"reason\":\"no <room>\"}]}";

/* Names that spreadsheets would run stay texts; numbers are numbers, and an apostrophe counts to the text. */
static void no_cell_is_a_formula(void **state)
{
    static const char *const names[] = {"=1+1", "+a,b", "@a\"b", "-2", "\ta", "\ra", "a=b", "", NULL};
    char *text = NULL;
    size_t n;
    struct csv c = {open_memstream(&text, &n), 0};
    (void)state;
    for (int i = 0; names[i]; i++) csv_text(&c, names[i]);
    csv_name(&c, "=2");
    csv_number(&c, -2);
    csv_end(&c);
    fclose(c.to);
    assert_string_equal(text, "'=1+1,\"'+a,b\",\"'@a\"\"b\",'-2,'\ta,\"'\ra\",a=b,,'=2,-2\r\n");
    free(text);
}

static void results_csv_bytes(void **state)
{
    static const char rows_expected[] = "R.json,1,g&co,s<1>,\"a, "
                                        "\"\"b\"\"\",5%,1000,0.05,ok,,0.5,0.25,20,34,54,0.4,0.2,20,40,60,55,65,-0.1,2,"
                                        "100,30,60,no,,no,,\r\n"
                                        "R.json,2,g&co,s<1>,hotset,5%,1000,0.05,ok,,,,,,,,,,,40,,,,,,,,no,,yes,,\r\n"
                                        "R.json,3,g&co,s<1>,hotset,10%,2000,0.1,oom,no "
                                        "<room>,,,,,,,,,,,,,,,,,,no,,yes,,\r\n";
    const char *inputs[] = {input};
    struct result_rows rows = {0};
    struct err err = {0};
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    (void)state;
    text_write(input, good);
    assert_int_equal(result_rows_load(inputs, 1, &rows, &err), ST_OK);
    results_csv_write(f, &rows);
    fclose(f);
    assert_non_null(strstr(text, "\r\n"));
    assert_string_equal(strstr(text, "\r\n") + 2, rows_expected);
    assert_true(strncmp(text, "document,row,graph,server,policy,", 33) == 0);
    free(text);
    result_rows_release(&rows);
}

/* By hand: 40 % and 20 % of hits, 60 of 100 transactions, predicted 10 % too few; what is not stated is a dash, as the
 * epoch. */
static void results_tex_bytes(void **state)
{
    static const char expected[] = "\\multicolumn{8}{l}{g\\&co on s<1>} \\\\\n",
                      rows_expected[] = "\\midrule\n5\\% & a, \"b\" & -- & 40.0 & 20.0 & 60 & 60.0 & -10.0 \\\\\n & "
                                        "hotset & -- & -- & -- & 40 & -- & -- \\\\\n"
                                        "\\midrule\n10\\% & hotset & \\multicolumn{6}{l}{oom} "
                                        "\\\\\n\\bottomrule\n\\end{tabular}\n";
    const char *inputs[] = {input};
    struct result_rows rows = {0};
    struct err err = {0};
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    (void)state;
    text_write(input, good);
    assert_int_equal(result_rows_load(inputs, 1, &rows, &err), ST_OK);
    results_tex_write(f, &rows);
    fclose(f);
    assert_non_null(strstr(text, expected));
    assert_non_null(strstr(text, rows_expected));
    free(text);
    result_rows_release(&rows);
}

static void cells_are_quoted(void **state)
{
    char *text = NULL;
    size_t n;
    struct csv c = {open_memstream(&text, &n), 0};
    (void)state;
    csv_text(&c, "plain");
    csv_text(&c, NULL);
    csv_text(&c, "two\nlines");
    csv_text(&c, "say \"x\"");
    csv_name(&c, "two\n\"lines\"");
    csv_number(&c, NAN);
    csv_number(&c, 1234567890123);
    csv_number(&c, 1.0 / 3);
    csv_end(&c);
    fclose(c.to);
    assert_string_equal(text, "plain,,\"two\nlines\",\"say \"\"x\"\"\",two 'lines',,1234567890123,0.333333333\r\n");
    free(text);
}

static void html_is_escaped(void **state)
{
    char *text = NULL, *longer = malloc(5000);
    size_t n;
    FILE *f = open_memstream(&text, &n);
    (void)state;
    html_text(f, "<a href=\"x\">&'\n\x01</a>");
    fclose(f);
    assert_string_equal(text, "&lt;a href=&quot;x&quot;&gt;&amp;&#39;  &lt;/a&gt;");
    free(text);
    memset(longer, 'x', 4999);
    longer[4999] = 0;
    f = open_memstream(&text, &n);
    html_text(f, longer);
    fclose(f);
    assert_int_equal(strlen(text), 2003);
    free(text);
    free(longer);
}

/* In content an option is kept whole; in attributes and titles nothing is put around it, nor around other dashes. */
static void options_do_not_break(void **state)
{
    static const struct {
        const char *open, *text, *close, *written;
    } one[] = {{"<td>", "hotset --reach forward", "</td>",
                "<td>hotset <span class=\"whole\">--reach</span> forward</td>"},
               {"", "--a-b=1 (--c)", "", "<span class=\"whole\">--a-b</span>=1 (<span class=\"whole\">--c</span>)"},
               {"<code>", "run --last", "</code>", "<code>run <span class=\"whole\">--last</span></code>"},
               {"<p>", "a--b, ---c, -- d, x-y", "</p>", "<p>a--b, ---c, -- d, x-y</p>"},
               {"<i title=\"", "--reach", "\">", "<i title=\"--reach\">"},
               {"", "--reach", "\">", "--reach\">"},
               {"<title>", "--reach", "</title>", "<title>--reach</title>"}};
    (void)state;
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        char *text = NULL;
        size_t n;
        FILE *f = open_memstream(&text, &n);
        html_element(f, one[i].open, one[i].text, one[i].close);
        fclose(f);
        assert_string_equal(text, one[i].written);
        free(text);
    }
}

static void script_texts_are_literal(void **state)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    (void)state;
    gnuplot_label(f, "it's `id` \\ 5%\n", "graph 0, graph 1", "left offset %d,0", 2);
    gnuplot_tic(f, "5 %", 5, false);
    fclose(f);
    assert_string_equal(text, "set label 'it\xE2\x80\x99s \xE2\x80\x99id\xE2\x80\x99 / 5% ' at graph 0, graph 1 left "
                              "offset 2,0\n, '5 %%' 5");
    free(text);
}

static void absent_keys_are_absent(void **state)
{
    const char *inputs[] = {input};
    struct result_rows rows = {0};
    struct err err = {0};
    (void)state;
    text_write(input, "{\"schema\":\"results/"
                      "1\",\"rows\":[{},{\"policy\":null,\"simulated\":null,\"budget_bytes\":null,\"cliques\":null}]}");
    assert_int_equal(result_rows_load(inputs, 1, &rows, &err), ST_OK);
    assert_int_equal(rows.count, 2);
    assert_string_equal(rows.list[0].policy, "unnamed policy");
    assert_true(isnan(row_total(&rows.list[0])) && isnan(rows.list[1].budget_bytes) && isnan(row_error(&rows.list[0])));
    result_rows_release(&rows);
}

static void prediction_stands_in(void **state)
{
    struct result_row r = {.error = NAN,
                           .predicted = {.total = 90, .feature_hit = 0.5, .topology_hit = NAN},
                           .simulated = {.total = 100, .feature_hit = NAN, .topology_hit = 0.1}};
    (void)state;
    assert_true(row_total(&r) == 100 && row_feature_hit(&r) == 0.5 && row_topology_hit(&r) == 0.1);
    assert_true(fabs(row_error(&r) + 0.1) < 1e-12);
}

/* 60 against 40: a third fewer; 100 uncached: 60 % fewer. */
static void summary_in_words(void **state)
{
    const char *inputs[] = {input};
    struct result_rows rows = {0};
    struct grids grids = {0};
    struct err err = {0};
    char text[SUMMARY_BYTES], answer[ANSWER_SENTENCE];
    (void)state;
    text_write(input, good);
    assert_int_equal(result_rows_load(inputs, 1, &rows, &err), ST_OK);
    assert_int_equal(grids_make(&rows, &grids, &err), ST_OK);
    assert_int_equal(grids.count, 1);
    assert_string_equal(grids.list[0].policies[0], "hotset");
    assert_string_equal(grids.list[0].budgets[0].label, "5 %");
    results_sentence(grids.list[0].group, 2, true, answer); /* what the terminal says */
    assert_string_equal(answer, "hotset leaves the fewest transactions, 40: 33.3 % fewer than a, \"b\", the best "
                                "other");
    summary_answer(&grids.list[0], text);
    assert_memory_equal(text, answer, strlen(answer));
    assert_string_equal(text + strlen(answer), "; on g&co with s<1> at a budget of 5 %.");
    summary_more(&grids.list[0], text);
    assert_string_equal(text, "hotset needs 40 PCIe transactions per epoch, 60 % fewer than the same "
                              "assignment with nothing cached.");
    summary_all(&rows, &grids, text);
    assert_string_equal(text, "3 runs: 2 policies, 1 graph, 1 server, 2 budgets. 1 did not fit into the budget.");
    grids_release(&grids);
    result_rows_release(&rows);
}

/* The first sentence speaks of one budget; the next ones tell how far hotset is ahead at each. */
static void summary_of_budgets(void **state)
{
#define ROW(policy, budget, total)                                                                                     \
    "{\"policy\":\"" policy "\",\"reach\":\"direct\",\"server\":\"s\",\"graph\":\"g\",\"budget\":\"" budget            \
    "\",\"status\":\"ok\",\"simulated\":{\"total_transactions\":" total "}}"
    static const char text_in[] =
        "{\"schema\":\"results/1\",\"rows\":[" ROW("hotset", "1%",
                                                   "90") "," ROW("legion", "1%",
                                                                 "100") "," ROW("hotset", "5%",
                                                                                "50") "," ROW("legion", "5%", "40") "]"
                                                                                                                    "}";
#undef ROW
    const char *inputs[] = {input};
    struct result_rows rows = {0};
    struct grids grids = {0};
    struct err err = {0};
    char text[SUMMARY_BYTES];
    (void)state;
    text_write(input, text_in);
    assert_int_equal(result_rows_load(inputs, 1, &rows, &err), ST_OK);
    assert_int_equal(grids_make(&rows, &grids, &err), ST_OK);
    summary_more(&grids.list[0], text);
    if (!strstr(text, "Against the best other at equal peer access, at 1 %: 10.0 % fewer, 5 %: 25.0 % more."))
        fail_msg("%s", text);
    grids_release(&grids);
    result_rows_release(&rows);
}

/* 30 of GPUs that forward against 50 of others that do: 40 % fewer; the 40 between them read over direct NVLinks, where
 * there is no other system. */
static void summary_at_equal_reach(void **state)
{
    static const char text_in[] = "{\"schema\":\"results/1\",\"rows\":["
                                  "{\"policy\":\"hotset\",\"reach\":\"direct\",\"server\":\"s\",\"graph\":\"g\","
                                  "\"budget\":\"5%\",\"status\":\"ok\","
                                  "\"uncached_transactions\":100,\"simulated\":{\"total_transactions\":40}},"
                                  "{\"policy\":\"exact\",\"reach\":\"direct\",\"server\":\"s\",\"graph\":\"g\","
                                  "\"budget\":\"5%\",\"status\":\"ok\","
                                  "\"uncached_transactions\":100,\"simulated\":{\"total_transactions\":40}},"
                                  "{\"policy\":\"dsp\",\"reach\":\"forward\",\"server\":\"s\",\"graph\":\"g\","
                                  "\"budget\":\"5%\",\"status\":\"ok\","
                                  "\"uncached_transactions\":100,\"simulated\":{\"total_transactions\":50}},"
                                  "{\"policy\":\"hotset --reach "
                                  "forward\",\"reach\":\"forward\",\"server\":\"s\",\"graph\":\"g\",\"budget\":\"5%\","
                                  "\"status\":\"ok\",\"uncached_transactions\":100,\"simulated\":{\"total_"
                                  "transactions\":30}}]}";
    const char *inputs[] = {input};
    struct result_rows rows = {0};
    struct grids grids = {0};
    struct err err = {0};
    char text[SUMMARY_BYTES];
    (void)state;
    text_write(input, text_in);
    assert_int_equal(result_rows_load(inputs, 1, &rows, &err), ST_OK);
    assert_int_equal(grids_make(&rows, &grids, &err), ST_OK);
    summary_answer(&grids.list[0], text);
    assert_string_equal(text, "hotset (forwarded) leaves the fewest transactions, 30: 40.0 % fewer than dsp, the best "
                              "other; on g with s at a budget of 5 %.");
    summary_all(&rows, &grids, text);
    assert_string_equal(text, "4 runs: 3 policies, 1 graph, 1 server, 1 budget.");
    assert_string_equal(grids.list[0].label[0], "hotset (forwarded)");
    grids_release(&grids);
    result_rows_release(&rows);
    for (int i = 0; i < 3; i++) { /* as pages name it, as a command would, and as the document does */
        static const char *const names[] = {"hotset (forwarded)", "hotset --peer-access forward",
                                            "hotset --reach forward"};
        char labels[80];
        int left;
        snprintf(labels, sizeof labels, "%s=Far", names[i]);
        assert_int_equal(result_rows_load(inputs, 1, &rows, &err), ST_OK);
        assert_int_equal(chosen_rows(&rows, names[i], &left, &err), ST_OK);
        assert_int_equal(rows.count, 1);
        assert_int_equal(left, 3);
        assert_int_equal(grids_make(&rows, &grids, &err), ST_OK);
        assert_int_equal(chosen_labels(&grids, labels, &err), ST_OK);
        assert_string_equal(grids.list[0].label[0], "Far");
        grids_release(&grids);
        result_rows_release(&rows);
    }
}

/* The order of the terminal's table: by seconds, those without behind them; the fewest transactions do not lead. */
static void seconds_come_first(void **state)
{
#define ROW(policy, total, seconds)                                                                                    \
    "{\"policy\":\"" policy "\",\"server\":\"s\",\"graph\":\"g\",\"budget\":\"5%\",\"status\":\"ok\",\"simulated\":{"  \
    "\"total_transactions\":" total seconds "}}"
#define SECONDS(s) ",\"epoch_time\":{\"seconds\":" s "}"
    static const char text_in[] =
        "{\"schema\":\"results/1\",\"rows\":[" ROW("dsp", "10",
                                                   "") "," ROW("legion", "20",
                                                               SECONDS("0.5")) "," ROW("quiver", "30",
                                                                                       SECONDS("0.25")) "," ROW("bgl",
                                                                                                                "5",
                                                                                                                "") "]"
                                                                                                                    "}",
                      *const order[] = {"quiver", "legion", "bgl", "dsp"};
#undef SECONDS
#undef ROW
    const char *inputs[] = {input};
    struct result_rows rows = {0};
    struct grids grids = {0};
    struct err err = {0};
    char text[SUMMARY_BYTES];
    (void)state;
    text_write(input, text_in);
    assert_int_equal(result_rows_load(inputs, 1, &rows, &err), ST_OK);
    assert_int_equal(grids_make(&rows, &grids, &err), ST_OK);
    for (int p = 0; p < 4; p++) assert_string_equal(grids.list[0].policies[p], order[p]);
    assert_int_equal(grids.list[0].best, 0);
    summary_answer(&grids.list[0], text);
    if (!strstr(text, "quiver has the shortest epoch, 250 ms: 50.0 % less than legion")) fail_msg("%s", text);
    grids_release(&grids);
    result_rows_release(&rows);
}

/* Equal at both budgets: one row, named by all, hotset first; at one budget or at another reach: two. */
static void equal_policies_share_a_row(void **state)
{
    static const struct {
        const char *policy, *reach;
        int total[2];
        double hit;
    } run[] = {{"exact", "direct", {40, 30}, 0.5},    {"a", "direct", {40, 31}, 0.5},
               {"hotset", "direct", {40, 30}, 0.5},   {"legion", "direct", {60, 50}, 0.25},
               {"b", "own", {60, 50}, 0.25},          {"c", "direct", {40, 30}, 0.75},
               {"legion-x", "direct", {60, 50}, 0.25}};
    enum { RUNS = sizeof run / sizeof *run };
    static const char *const labels[] = {"a", "c", "hotset = exact", "b", "legion = legion-x"};
    const char *inputs[] = {input};
    struct result_rows rows = {0};
    struct grids grids = {0};
    struct grid few;
    struct err err = {0};
    char text[8000] = "{\"schema\":\"results/1\",\"rows\":[";
    (void)state;
    for (int i = 0; i < 2 * RUNS; i++)
        text_append(text, sizeof text,
                    "%s{\"policy\":\"%s\",\"reach\":\"%s\",\"server\":\"s\",\"graph\":\"g\",\"budget\":\"%d%%\","
                    "\"budget_bytes\":%d,\"status\":\"ok\",\"simulated\":{\"total_transactions\":%d,"
                    "\"feature_hit_rate\":%g}}",
                    i ? "," : "", run[i % RUNS].policy, run[i % RUNS].reach, 1 + i / RUNS, 1000 * (1 + i / RUNS),
                    run[i % RUNS].total[i / RUNS], run[i % RUNS].hit);
    text_append(text, sizeof text, "]}");
    text_write(input, text);
    assert_int_equal(result_rows_load(inputs, 1, &rows, &err), ST_OK);
    assert_int_equal(grids_make(&rows, &grids, &err), ST_OK);
    const struct grid *g = &grids.list[0];
    assert_int_equal(g->policy_count, 5);
    for (int p = 0; p < 5; p++) {
        bool found = false;
        for (int k = 0; k < 5; k++) found |= !strcmp(g->label[p], labels[k]);
        if (!found) fail_msg("%s is no label", g->label[p]);
        assert_string_equal(g->cell[p][0]->policy, g->policies[p]);
        assert_string_equal(g->cell[p][1]->policy, g->policies[p]);
        if (!strcmp(g->label[p], "hotset = exact")) assert_string_equal(g->policies[p], "hotset");
    }
    assert_true(g->best >= 0 && row_total(g->cell[g->best][0]) == 40);
    grid_first(g, &few);
    for (int p = 0; p < few.policy_count; p++) assert_string_equal(few.label[p], g->label[p]);
    grids_release(&grids);
    result_rows_release(&rows);
}

static void later_rows_replace(void **state)
{
    const char *inputs[] = {input, input};
    struct result_rows rows = {0};
    struct grids grids = {0};
    struct err err = {0};
    (void)state;
    text_write(input, good);
    assert_int_equal(result_rows_load(inputs, 2, &rows, &err), ST_OK);
    assert_int_equal(grids_make(&rows, &grids, &err), ST_OK);
    assert_int_equal(rows.count, 6);
    for (int i = 0; i < 6; i++) assert_int_equal(rows.list[i].replaced, i < 3);
    grids_release(&grids);
    result_rows_release(&rows);
}

static void plans_are_rows(void **state)
{
    const char *inputs[] = {folder};
    char path[PATH_BYTES];
    struct result_rows rows = {0};
    struct err err = {0};
    (void)state;
    snprintf(path, sizeof path, "%s/plan.json", folder);
    text_write(path, "{\"schema\":\"plan/"
                     "1\",\"policy\":\"legion\",\"server\":{\"name\":\"siton\"},\"graph\":{\"name\":\"g\",\"vertices\":"
                     "10,\"edges\":100,\"feature_"
                     "dim\":2,\"feature_bytes\":4},"
                     "\"gpus\":[{\"id\":0,\"budget_bytes\":56}],\"cliques\":[{\"gpus\":[0],\"budget_bytes\":56}],"
                     "\"predicted\":{\"total_"
                     "transactions\":9},\"simulated\":null}");
    assert_int_equal(result_rows_load(inputs, 1, &rows, &err), ST_OK);
    assert_string_equal(rows.list[0].server, "siton");
    assert_true(rows.list[0].budget_bytes == 56 && row_total(&rows.list[0]) == 9);
    assert_true(fabs(rows.list[0].share - 56.0 / 560) < 1e-12); /* 100 * 4 + 10 * 8 + 10 * 2 * 4 */
    result_rows_release(&rows);
    unlink(path);
}

static void bad_documents_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {"", "JSON"},
        {"{\"schema\":\"results/2\",\"rows\":[]}", "expected results/1"},
        {"{\"rows\":[]}", "expected results/1"},
        {"{\"schema\":\"results/1\"}", "rows"},
        {"{\"schema\":\"results/1\",\"rows\":{}}", "rows"},
        {"{\"schema\":\"results/1\",\"rows\":[]}", "nothing to draw"},
        {"{\"schema\":\"results/1\",\"rows\":[7]}", "key \"rows[0]\" is an integer, expected object"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"policy\":7}]}", "key \"rows[0].policy\" is an integer, expected text"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"budget_bytes\":NaN}]}", "JSON"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"budget_bytes\":\"NaN\"}]}", "key \"rows[0].budget_bytes\" is a text, "
                                                                             "expected number"},
        {"{\"schema\":\"results/1\",\"rows\":[{},{\"simulated\":{\"feature_hit_rate\":1.5}}]}", "key "
                                                                                                "\"rows[1].simulated."
                                                                                                "feature_hit_rate\" is "
                                                                                                "1.5, expected 0 to 1"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"predicted\":{\"total_transactions\":-1}}]}", "key "
                                                                                              "\"rows[0].predicted."
                                                                                              "total_transactions\" is "
                                                                                              "-1, expected 0 to "},
        {"{\"schema\":\"results/1\",\"rows\":[{\"simulated\":[]}]}", "key \"rows[0].simulated\" is an array, expected "
                                                                     "object"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"simulated\":{\"total_interval\":[9,1]}}]}", "before it begins"},
        {"{\"schema\":\"results/1\",\"workload\":{\"batch\":[]},\"rows\":[{}]}", "key \"workload.batch\" is an array"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"simulated\":{\"gpus\":[{},7]}}]}", "key \"rows[0].simulated.gpus[1]\" "
                                                                                    "is an integer"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"simulated\":{\"gpus\":[null]}}]}", "simulated.gpus[0]\" is null"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"simulated\":{\"gpus\":[{\"id\":\"x\"}]}}]}", "simulated.gpus[0].id\" "
                                                                                              "is a text"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"simulated\":{\"gpus\":[{\"feature_rows\":{\"local\":\"x\"}}]}}]}",
         "feature_rows.local\" is a text"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"simulated\":{\"traffic_bytes\":[[1,2],[\"x\"]]}}]}", "simulated."
                                                                                                      "traffic_bytes[1]"
                                                                                                      "[0]\" is a "
                                                                                                      "text"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"simulated\":{\"traffic_bytes\":[3]}}]}", "simulated.traffic_bytes[0]"
                                                                                          "\" is an integer"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"cliques\":[5]}]}", "key \"rows[0].cliques[0]\" is an integer"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"cliques\":[{\"gpus\":[\"x\"]}]}]}", "key "
                                                                                     "\"rows[0].cliques[0].gpus[0]\" "
                                                                                     "is a text"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"cliques\":[{\"alpha\":7}]}]}", "key \"rows[0].cliques[0].alpha\" is "
                                                                                "7, expected 0 to 1"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"cliques\":[{\"sweep\":[{\"total_transactions\":-3}]}]}]}",
         "sweep[0].total_transactions\" is -3"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"simulated\":{\"gpus\":{}}}]}", "key \"rows[0].simulated.gpus\" is an "
                                                                                "object, expected array"},
        {"{\"schema\":\"results/1\",\"rows\":[{\"status\":\"maybe\"}]}", "key \"rows[0].status\" is \"maybe\", "
                                                                         "expected one of ok, oom, unsupported"},
    };
    struct err err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(draw(cases[i][0], &err), ST_INPUT);
        if (!strstr(err.text, cases[i][1])) fail_msg("case %zu: \"%s\" is not in: %s", i, cases[i][1], err.text);
        assert_non_null(strstr(err.text, "R.json"));
        assert_int_equal(entries(), 1); /* only R.json */
    }
}

static void huge_documents_are_refused(void **state)
{
    char *json = malloc(1 << 20), *at = json;
    struct err err = {0};
    (void)state;
    at += sprintf(at, "{\"schema\":\"results/1\",\"rows\":[{\"simulated\":{\"gpus\":[{}");
    for (int i = 0; i < 1000; i++) at += sprintf(at, ",{}");
    sprintf(at, "]}}]}");
    assert_int_equal(draw(json, &err), ST_LIMIT);
    assert_non_null(strstr(err.text, "row 1: simulated.gpus has 1001 members"));
    at = json + sprintf(json, "{\"schema\":\"results/1\",\"rows\":[{}");
    for (int i = 0; i < 100; i++) at += sprintf(at, ",{\"policy\":\"p%d\"}", i);
    sprintf(at, "]}");
    assert_int_equal(draw(json, &err), ST_LIMIT);
    assert_non_null(strstr(err.text, "64 policies"));
    at = json + sprintf(json, "{\"schema\":\"results/1\",\"rows\":[{}");
    for (int i = 0; i < 100; i++) at += sprintf(at, ",{\"graph\":\"g%d\"}", i);
    sprintf(at, "]}");
    assert_int_equal(draw(json, &err), ST_LIMIT);
    assert_int_equal(entries(), 1);
    free(json);
}

/* Also: whichever allocation fails, the code is ST_LIMIT and nothing is left. */
static void without_gnuplot(void **state)
{
    struct err err = {0};
    char *old = strdup(getenv("PATH") ? getenv("PATH") : "");
    enum st st = ST_LIMIT;
    uint64_t before = mem_in_use(), k;
    (void)state;
    setenv("PATH", folder, 1);
    for (k = 1; st == ST_LIMIT && k < 500; k++) {
        mem_fail_at(k);
        st = draw(good, &err);
        mem_fail_at(0);
        assert_int_equal(entries(), 1);
        assert_true(mem_in_use() == before);
    }
    setenv("PATH", old, 1);
    free(old);
    assert_true(k > 4);
    assert_int_equal(st, ST_MISSING);
    assert_non_null(strstr(err.text, "gnuplot-nox"));
}

static void gnuplot_failure_is_passed_on(void **state)
{
    struct err err = {0};
    char path[2 * PATH_BYTES], *old = strdup(getenv("PATH") ? getenv("PATH") : "");
    (void)state;
    snprintf(path, sizeof path, "%s/gnuplot", folder);
    text_write(path, "#!/bin/sh\necho 'line 3: no such terminal' >&2\nexit 2\n");
    assert_int_equal(chmod(path, 0755), 0);
    setenv("PATH", folder, 1);
    assert_int_equal(draw(good, &err), ST_INPUT);
    setenv("PATH", old, 1);
    free(old);
    unlink(path);
    assert_non_null(strstr(err.text, "line 3: no such terminal"));
    assert_int_equal(entries(), 1);
}

static void a_whole_report(void **state)
{
    static const char *const files[] = {"plots/g-co-s-1-transactions.svg", "plots/g-co-s-1-transactions.png",
                                        "plots/g-co-s-1-transactions.gp", "plots/g-co-s-1-hit-rates.svg",
                                        "data/results.csv"};
    static const char data[] = "panel,series,at,x,y,from [bars] or row [cells],low,high,x axis,y axis\r\n"
                               ",\"a, 'b'\",5 %,5,60,0,55,65,cache budget,PCIe transactions per epoch\r\n"
                               ",hotset,5 %,5,40,0,,,cache budget,PCIe transactions per epoch\r\n";
    struct err err = {0};
    char *page, *again, *table;
    (void)state;
    if (!have_gnuplot()) skip();
    assert_int_equal(draw(good, &err), ST_OK);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) free(text_read(files[i]));
    page = text_read("index.html");
    judge_script(page);
    assert_null(strstr(page, "s<1>"));
    assert_non_null(strstr(page, "s&lt;1&gt;"));
    assert_non_null(strstr(page, "no &lt;room&gt;"));
    assert_non_null(strstr(page, "out of memory"));
    table = text_read("data/g-co-s-1-transactions.csv");
    assert_string_equal(table, data);
    assert_int_equal(draw(good, &err), ST_OK); /* replaces the old report by equal bytes */
    again = text_read("index.html");
    assert_string_equal(page, again);
    assert_int_equal(draw("{}", &err), ST_INPUT); /* and a failure keeps it */
    free(again);
    again = text_read("index.html");
    assert_string_equal(page, again);
    free(page);
    free(again);
    free(table);
}

static void hostile_names_stay_texts(void **state)
{
    static const char evil[] = "</text><script>x</script>'`touch EVIL`\\n\\\"} ; system('touch EVIL') %s%n ../..";
    char json[4000], path[2 * PATH_BYTES];
    struct err err = {0};
    char *page;
    (void)state;
    if (!have_gnuplot()) skip();
    snprintf(json, sizeof json,
             "{\"schema\":\"results/"
             "1\",\"workload\":{\"fanout\":[\"%s\",{}],\"sampler\":\"%s\"},\"rows\":[{\"policy\":\"%s\","
             "\"server\":\"%s\",\"graph\":\"%s\",\"budget\":\"%s\",\"reason\":\"%s\",\"source\":\"%s\",\"reach\":\"%"
             "s\","
             "\"simulated\":{\"total_transactions\":5,\"feature_hit_rate\":0.5,\"gpus\":[{},{\"id\":7,\"feature_rows\":"
             "{\"local\":null,\"host\":3}}],\"traffic_bytes\":[[1,2],[null],[]]},"
             "\"tables\":[{\"kind\":\"feature\",\"type\":\"%s\",\"label\":\"%s\",\"rows\":5}],"
             "\"cache_types\":[{\"type\":\"%s\",\"element\":\"%s\"}],"
             "\"cliques\":[{},{\"gpus\":[],\"alpha\":1,\"sweep\":[{\"alpha\":0,\"total_transactions\":3},"
             "{\"alpha\":1,\"feature_transactions\":3},{}]}]}]}",
             evil, evil, evil, evil, evil, evil, evil, evil, evil, evil, evil, evil, evil);
    if (draw(json, &err) != ST_OK) fail_msg("%s", err.text);
    page = text_read("index.html");
    judge_script(page);
    free(page);
    snprintf(path, sizeof path, "%s/EVIL", target);
    assert_false(file_exists(path));
    assert_false(file_exists("EVIL"));
}

/* A single plan is no comparison: another title, its numbers line by line, no chart with one bar, no dashed level. */
static void one_plan_is_one_plan(void **state)
{
    static const char *const charts[] = {"transactions", "hit-rates", "errors"};
    struct err err = {0};
    char *page, path[2 * PATH_BYTES];
    (void)state;
    if (!have_gnuplot()) skip();
    assert_int_equal(draw("{\"schema\":\"results/1\",\"rows\":[{\"policy\":\"legion\",\"server\":\"s\",\"graph\":\"g\","
                          "\"budget_bytes\":2048,\"budget_share\":0.1,\"predicted\":{\"total_transactions\":110},"
                          "\"simulated\":{\"total_transactions\":100,\"feature_transactions\":60,\"feature_hit_rate\":"
                          "0.5,\"total_interval\":[97,103]}}]}",
                          &err),
                     ST_OK);
    page = text_read("index.html");
    assert_non_null(strstr(page, "<h1>A cache plan for GNN training</h1>"));
    assert_null(strstr(page, "compared"));
    assert_null(strstr(page, "dashed line"));
    assert_null(strstr(page, "1 run"));
    assert_non_null(strstr(page, "2.00 KiB per GPU (10 % of the graph per clique)"));
    assert_non_null(strstr(page, "100 (interval 97 to 103)"));
    assert_non_null(strstr(page, "110 (error +10.0 %)"));
    for (size_t i = 0; i < sizeof charts / sizeof *charts; i++) {
        snprintf(path, sizeof path, "%s/plots/g-s-%s.svg", target, charts[i]);
        assert_false(file_exists(path));
    }
    free(page);
}

/* 0 has no place on a scale of powers: it stands below a break, 0.15 of the decades from 1 k to 1 M below 1 k, which is
 * 10^(3 - 0.45). */
static void zero_breaks_the_axis(void **state)
{
    static const double values[] = {1000000, 50000, 0};
    char json[2000] = "{\"schema\":\"results/1\",\"rows\":[";
    struct err err = {0};
    char *script;
    (void)state;
    if (!have_gnuplot()) skip();
    for (int i = 0; i < 6; i++)
        snprintf(json + strlen(json), sizeof json - strlen(json),
                 "%s{\"policy\":\"%s\",\"server\":\"s\",\"graph\":\"g\",\"budget\":\"%d%%\",\"budget_bytes\":%d,"
                 "\"budget_share\":%.2f,\"simulated\":{\"total_transactions\":%.0f}}",
                 i ? "," : "", i < 3 ? "dsp" : "hotset", i % 3 + 1, 1000 * (i % 3 + 1), 0.01 * (i % 3 + 1),
                 i < 3 ? values[i % 3] : values[i % 3] / 2 + 1000);
    strcat(json, "]}");
    if (draw(json, &err) != ST_OK) fail_msg("%s", err.text);
    script = text_read("plots/g-s-transactions.gp");
    assert_non_null(strstr(script, "'1 k' 1000, '10 k' 10000, '100 k' 100000, '1 M' 1000000, '0' 354.813389)"));
    assert_non_null(strstr(script, "set arrow from graph -0.012")); /* the strokes of the break */
    free(script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_cell_is_a_formula),
        cmocka_unit_test(results_csv_bytes),
        cmocka_unit_test(results_tex_bytes),
        cmocka_unit_test(cells_are_quoted),
        cmocka_unit_test(html_is_escaped),
        cmocka_unit_test(options_do_not_break),
        cmocka_unit_test(script_texts_are_literal),
        cmocka_unit_test(absent_keys_are_absent),
        cmocka_unit_test(prediction_stands_in),
        cmocka_unit_test(summary_in_words),
        cmocka_unit_test(summary_at_equal_reach),
        cmocka_unit_test(seconds_come_first),
        cmocka_unit_test(summary_of_budgets),
        cmocka_unit_test(equal_policies_share_a_row),
        cmocka_unit_test(later_rows_replace),
        cmocka_unit_test(plans_are_rows),
        cmocka_unit_test(bad_documents_are_refused),
        cmocka_unit_test(huge_documents_are_refused),
        cmocka_unit_test(without_gnuplot),
        cmocka_unit_test(gnuplot_failure_is_passed_on),
        cmocka_unit_test(a_whole_report),
        cmocka_unit_test(hostile_names_stay_texts),
        cmocka_unit_test(one_plan_is_one_plan),
        cmocka_unit_test(zero_breaks_the_axis),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
