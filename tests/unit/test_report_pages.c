/* test_report_pages.c - what all pages share: sections and their figures, failures that leave nothing, documents of
 * different kinds. */
#define _GNU_SOURCE
#include <dirent.h>
#include <math.h>
#include <sys/stat.h>
#include "tests/unit/unit.h"
#include "base/mem.h"
#include "reports/claims/claims_page.h"
#include "reports/report.h"
#include "reports/shell/page.h"

static struct err err;

static const char size_document[] = "{\"schema\": \"size/1\", \"sentence\": \"buy <two>\", \"primary\": "
                                    "\"feature_hit_rate\", \"graph\": {\"name\": \"g\"},"
                                    "\"answer\": {\"candidate\": 1}, \"shown\": 0, \"knee\": {\"candidate\": 1}, "
                                    "\"rules\": {\"knee\": \"where it turns\"},"
                                    "\"curves\": [{\"label\": \"s\", \"limit_bytes\": 100, \"reservation\": "
                                    "{\"total_bytes\": 5, \"terms\": []}}],"
                                    "\"candidates\": [{\"curve\": 0, \"budget_bytes\": 0, \"feature_hit_rate\": 0, "
                                    "\"transactions\": 10},"
                                    "{\"curve\": 0, \"budget_bytes\": 100, \"feature_hit_rate\": 1, \"transactions\": "
                                    "0}]}";
static const char executed_document[] = "{\"schema\": \"executed/1\", \"policy\": \"legion\", \"graph\": {\"name\": "
                                        "\"g\"}, \"server\": {\"name\": \"s\"},"
                                        "\"totals\": {\"predicted\": {\"total_transactions\": 100, "
                                        "\"topology_transactions\": 40, \"feature_transactions\": 60},"
                                        "\"counted\": {\"total_transactions\": 110}}, \"gpus\": [{\"id\": 0, "
                                        "\"equals_simulated\": true,"
                                        "\"stages\": {\"sample\": {\"median_seconds\": 0.5}}}]}";
static const char claims_document[] = "{\"schema\": \"claims/1\", \"counts\": {\"holds\": 1}, \"exhibits\": "
                                      "[{\"name\": \"a\", \"title\": \"t\","
                                      "\"paper\": \"P\", \"place\": \"figure 1\", \"figure\": \"figures/a.json\", "
                                      "\"claims\": [{\"statement\": \"s\","
                                      "\"verdict\": \"holds\", \"ours\": \"1\"}]}]}";
static const char figure_document[] = "{\"schema\": \"figure/1\", \"name\": \"a\", \"title\": \"t\", \"panels\": "
                                      "[{\"kind\": \"lines\", \"title\": \"\","
                                      "\"x\": \"x\", \"y\": \"y\", \"categories\": [], \"series\": [{\"name\": "
                                      "\"one\", \"source\": \"hotset\","
                                      "\"points\": [[0, 1], [1, 2]]}]}]}";

static bool have_gnuplot(void) { return system("gnuplot --version >/dev/null 2>&1") == 0; }

/* Files and folders in the scratch folder. */
static int entries(void)
{
    int n = 0;
    DIR *d = opendir(scratch);
    for (struct dirent *e; (e = readdir(d));) n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(d);
    return n;
}

static void remove_all(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'/*", scratch);
    assert_int_equal(system(command), 0);
}

static enum st draw(const char *const *inputs, int count)
{
    return report_write(inputs, count, in_scratch("out"), &(struct report_options){.quiet = true}, &err);
}

static char *page_read(const char *name)
{
    enum { MOST = 1 << 20 };
    char *text = calloc(1, MOST);
    assert_true(get_file(in_scratch(name), text, MOST) < MOST - 1);
    return text;
}

/* Whichever allocation fails, the code is ST_LIMIT, nothing is left and no memory is kept; then gnuplot is missing. */
static void fails_clean(const char *name, const char *document)
{
    char input[400], *old = strdup(getenv("PATH") ? getenv("PATH") : "");
    uint64_t before = mem_in_use(), k;
    enum st st = ST_LIMIT;
    snprintf(input, sizeof input, "%s", put_file(name, document, strlen(document)));
    const char *inputs[] = {input};
    setenv("PATH", scratch, 1);
    for (k = 1; st == ST_LIMIT && k < 500; k++) {
        err_clear(&err);
        mem_fail_at(k);
        st = draw(inputs, 1);
        mem_fail_at(0);
        assert_int_equal(entries(), 1);
        assert_true(mem_in_use() == before);
    }
    setenv("PATH", old, 1);
    free(old);
    assert_true(k > 2);
    if (st != ST_MISSING) fail_msg("%s: code %d, expected %d: %s", name, st, ST_MISSING, err.text);
    remove_all();
}

static void failures_leave_nothing(void **state)
{
    (void)state;
    fails_clean("S.json", size_document);
    fails_clean("E.json", executed_document);
}

/* Documents of two kinds: a page per kind, in the order of their first documents, and one that leads to each. */
static void kinds_get_a_page_each(void **state)
{
    char size[400], executed[400], *front, *page;
    (void)state;
    if (!have_gnuplot()) skip();
    snprintf(size, sizeof size, "%s", put_file("S.json", size_document, strlen(size_document)));
    snprintf(executed, sizeof executed, "%s", put_file("E.json", executed_document, strlen(executed_document)));
    GOOD(draw((const char *const[]){executed, size, executed}, 3));
    front = page_read("out/index.html");
    const char *first = strstr(front, "<a href=\"executed/index.html\">"),
               *second = strstr(front, "<a href=\"size/index.html\">");
    assert_non_null(first);
    assert_non_null(second);
    assert_true(first < second);
    assert_null(strstr(second + 1, "<a href"));
    assert_non_null(strstr(second, "buy &lt;two&gt;"));
    assert_non_null(strstr(first, ": E.json, E.json</small>"));
    page = page_read("out/size/index.html");
    assert_non_null(strstr(page, "href=\"../index.html\""));
    assert_null(strstr(page, "legion"));
    free(page);
    page = page_read("out/executed/index.html");
    assert_non_null(strstr(page, "href=\"../index.html\""));
    assert_non_null(strstr(page, "legion"));
    assert_null(strstr(page, "buy"));
    free(page);
    free(front);
    assert_int_equal(entries(), 3);
    remove_all();
}

/* One of several that cannot be drawn: it is named, and nothing is left of the others. */
static void a_broken_one_leaves_no_front_page(void **state)
{
    char size[400], broken[400];
    (void)state;
    if (!have_gnuplot()) skip();
    snprintf(size, sizeof size, "%s", put_file("S.json", size_document, strlen(size_document)));
    snprintf(broken, sizeof broken, "%s", put_file("R.json", "{\"schema\": \"results/1\", \"rows\": 7}", 32));
    BAD(ST_INPUT, "R.json", draw((const char *const[]){size, broken}, 2));
    assert_int_equal(entries(), 2);
    remove_all();
}

static void foreign_folders_stay(void **state)
{
    char input[400];
    (void)state;
    snprintf(input, sizeof input, "%s", put_file("E.json", executed_document, strlen(executed_document)));
    assert_int_equal(mkdir(in_scratch("out"), 0777), 0);
    put_file("out/thesis.tex", "x", 1);
    BAD(ST_INPUT, "out", draw((const char *const[]){input}, 1));
    assert_int_equal(access(in_scratch("out/thesis.tex"), F_OK), 0);
    assert_int_equal(entries(), 2);
    remove_all();
}

/* Two documents of one graph: figures have numbers, and each stands in the section of its own document. */
static void figures_stand_in_their_sections(void **state)
{
    char input[400], *page;
    (void)state;
    if (!have_gnuplot()) skip();
    snprintf(input, sizeof input, "%s", put_file("E.json", executed_document, strlen(executed_document)));
    GOOD(draw((const char *const[]){input, input}, 2));
    page = page_read("out/index.html");
    const char *second = strstr(page, "id=\"s2\""), *end = page + strlen(page);
    assert_non_null(second);
    for (int i = 1; i <= 2; i++) {
        char name[80];
        snprintf(name, sizeof name, "href=\"data/%d-g-legion-transactions.csv\"", i);
        const char *at = strstr(page, name);
        assert_non_null(at);
        assert_true(i == 1 ? at < second : at > second);
        assert_null(strstr(at + 1, name));
    }
    assert_null(memmem(page, (size_t)(end - page), "href=\"data/g-legion", strlen("href=\"data/g-legion")));
    assert_non_null(strstr(page, "+10.00 %"));       /* 110 counted over 100 predicted */
    assert_null(strstr(page, "<p class=\"lead\">")); /* several answers stand in their sections */
    const char *answer = strstr(page, "<p>Counted while it ran: 110 PCIe");
    assert_non_null(answer);
    assert_true(answer < second);
    assert_non_null(strstr(second, "<p>Counted while it ran: 110 PCIe"));
    free(page);
    remove_all();
}

/* Numbers of the figure are those of the document; the page escapes its sentence; the title is what was asked for. */
static void a_size_page(void **state)
{
    char input[400], *page, *data;
    (void)state;
    if (!have_gnuplot()) skip();
    snprintf(input, sizeof input, "%s", put_file("S.json", size_document, strlen(size_document)));
    const char *inputs[] = {input};
    GOOD(report_write(inputs, 1, in_scratch("out"), &(struct report_options){.title = "A & B", .quiet = true}, &err));
    page = page_read("out/index.html");
    assert_non_null(strstr(page, "<title>A &amp; B</title>"));
    assert_non_null(strstr(page, "buy &lt;two&gt;"));
    assert_non_null(strstr(page, "PCIe transactions per epoch. Dashed lines mark"));
    free(page);
    data = page_read("out/data/g-s-curve.csv");
    assert_non_null(strstr(data, "\r\n,features,,0,0,0,,,cache per GPU,\"hit rate (rows, "
                                 "visits)\"\r\n,features,,100,1,0,"));
    assert_non_null(strstr(data, "\r\n,PCIe transactions per epoch,,0,10,0,"));
    free(data);
    remove_all();
}

static void a_claims_page(void **state)
{
    char *page;
    (void)state;
    assert_int_equal(mkdir(in_scratch("figures"), 0777), 0);
    put_file("claims.json", claims_document, strlen(claims_document));
    BAD(ST_INPUT, "figures/a.json", claims_report(scratch, false, &err)); /* the figure is not there */
    put_file("figures/a.json", figure_document, strlen(figure_document));
    if (!have_gnuplot()) {
        remove_all();
        skip();
    }
    GOOD(claims_report(scratch, false, &err));
    page = page_read("index.html");
    assert_non_null(strstr(page, "<a href=\"figures/a.csv\">Data</a>, <a href=\"figures/a.json\">JSON</a>"));
    assert_non_null(strstr(page, "<b>Claims that hold: 1; that do not hold: 0;"));
    free(page);
    remove_all();
}

/* A page whose second section cannot be drawn. */
static enum st draw_one(const void *of, int section, struct figures *figures, struct err *e)
{
    enum st st;
    (void)of;
    if (section) return err_set(e, ST_INPUT, "the second section is broken");
    TRY(figure_begin(figures, "one", "One", 100, 100, e));
    TRY(figure_end(figures, e));
done:
    return st;
}
static enum st write_nothing(const void *of, int section, const struct figures *figures, FILE *to, struct err *e)
{
    (void)of, (void)section, (void)figures, (void)to, (void)e;
    return ST_OK;
}

static void a_failure_keeps_the_old_page(void **state)
{
    struct page page = {.title = "t", .sections = 2, .draw = draw_one, .section = write_nothing};
    struct page_request request = {.out_dir = in_scratch("out"), .quiet = true};
    char out[400];
    (void)state;
    snprintf(out, sizeof out, "%s", request.out_dir);
    request.out_dir = out;
    assert_int_equal(mkdir(out, 0777), 0);
    put_file("out/index.html", "old", 3);
    put_file("out/.hotset", "hotset wrote these files and replaces no others: report\nindex.html\n", 67);
    BAD(ST_INPUT, "second section", page_write(&page, &request, &err));
    char *text = page_read("out/index.html");
    assert_string_equal(text, "old");
    free(text);
    assert_int_equal(entries(), 1);
    remove_all();
}

static void subjects(void **state)
{
    struct figure_subject s = figure_subject_make("Products & co", "dgx-v100", "dgx-v100");
    (void)state;
    assert_string_equal(s.slug, "products-co-dgx-v100");
    figure_subject_number(&s, 2);
    assert_string_equal(s.slug, "2-products-co-dgx-v100");
    assert_string_equal(s.graph, "Products & co");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_leave_nothing),
        cmocka_unit_test(kinds_get_a_page_each),
        cmocka_unit_test(a_broken_one_leaves_no_front_page),
        cmocka_unit_test(foreign_folders_stay),
        cmocka_unit_test(figures_stand_in_their_sections),
        cmocka_unit_test(a_size_page),
        cmocka_unit_test(a_claims_page),
        cmocka_unit_test(a_failure_keeps_the_old_page),
        cmocka_unit_test(subjects),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
