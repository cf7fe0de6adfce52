/* Numbers stay with their units in running text, and a figure's title stands above it; expected texts by hand. */
#include <string.h>
#include <unistd.h>

#include "reports/formats/html.h"
#include "reports/formats/html_joined.h"
#include "tests/unit/unit.h"

static char folder[] = "/tmp/test_html_joined_XXXXXX";

static void read_text(const char *path, char *out, size_t size)
{
    FILE *from = fopen(path, "r");
    assert_non_null(from);
    size_t got = fread(out, 1, size - 1, from);
    out[got] = '\0';
    fclose(from);
}

static void numbers_stay_with_their_units(void **state)
{
    static const char *const cases[][2] = {{"<p>needs 45.0 % of 3 GPUs</p>", "<p>needs 45.0\xC2\xA0% of 3 GPUs</p>"},
                                           {"<li>78.6 k of 1.5 GiB, 3 ms; 2 us.</li>", "<li>78.6\xC2\xA0k of "
                                                                                       "1.5\xC2\xA0GiB, "
                                                                                       "3\xC2\xA0ms; "
                                                                                       "2\xC2\xA0us.</li>"},
                                           {"<p>2 servers, 4 more, x %</p>", "<p>2 servers, 4 more, x %</p>"},
                                           {"<a title=\"5 %\">5 %</a>", "<a title=\"5 %\">5\xC2\xA0%</a>"},
                                           {"<td>5 %</td><th>5 %</th>", "<td>5 %</td><th>5\xC2\xA0%</th>"},
                                           {"<svg><text>5 %</text></svg> 5 s", "<svg><text>5 %</text></svg> "
                                                                               "5\xC2\xA0s"},
                                           {"<td>5 s<br><small>1 s to 9 s</small></td>", "<td>5 s<br><small>1\xC2\xA0s "
                                                                                         "to 9\xC2\xA0s</small></td>"},
                                           {"<script>a = 5 %b</script>", "<script>a = 5 %b</script>"},
                                           {"<p>9 ", "<p>9 "}};
    struct err err = {0};
    char path[200], text[400];
    (void)state;
    snprintf(path, sizeof path, "%s/p.html", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct html_joined page = {0};
        assert_non_null(html_joined_open(&page));
        fputs(cases[i][0], page.to);
        assert_int_equal(html_joined_save(&page, folder, "p.html", &err), ST_OK);
        html_joined_release(&page);
        read_text(path, text, sizeof text);
        assert_string_equal(text, cases[i][1]);
    }
    unlink(path);
}

static void a_title_is_not_in_its_figure(void **state)
{
    struct err err = {0};
    char path[200], out[200], text[400];
    (void)state;
    snprintf(path, sizeof path, "%s/f.svg", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs("<svg w='1'><text>A &lt; B</text><text>A &lt; B, c</text><text>d</text></svg>", to);
    fclose(to);
    to = fopen(out, "w");
    assert_non_null(to);
    assert_int_equal(html_svg(to, path, 1, "A < B", &err), ST_OK);
    fclose(to);
    read_text(out, text, sizeof text);
    assert_string_equal(text, "<svg role=\"img\" aria-label=\"A &lt; B\" w='1'><text>A &lt; B, c</text><text>d</text>"
                              "</svg>");
    unlink(path);
    unlink(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_stay_with_their_units),
                                       cmocka_unit_test(a_title_is_not_in_its_figure)};
    if (!mkdtemp(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
