/* Verdicts on claims of papers, from made-up numbers: the same judge must say "holds" and, with the numbers turned
 * round, "does not hold". */
#include <math.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/claims/changes.h"
#include "planner/claims/expression.h"
#include "planner/claims/reproduce.h"
#include "tests/unit/unit.h"

static struct err err;
static doc *data; /* of the figure at hand, as figure/1 has them */
static struct paper_figures *all;

/* ---- a figure's data ---- */

static void anew(void)
{
    doc_free(data);
    data = doc_array();
}

static doc *panel(doc *panels)
{
    doc_append(panels, DOC(IS("categories", doc_array()), IS("series", doc_array())));
    return doc_at(panels, doc_size(panels) - 1);
}

static void point(doc *p, const char *series, double x, double y)
{
    doc *list = doc_get(p, "series"), *pair = doc_array();
    uint64_t i = 0;
    while (i < doc_size(list) && strcmp(doc_text_value(doc_get(doc_at(list, i), "name"), ""), series)) i++;
    if (i == doc_size(list))
        doc_append(list, DOC(IS("name", series), IS("source", text_starts(series, "paper") ? "paper" : "hotset"),
                             IS("points", doc_array()), IS("ranges", doc_array())));
    doc_append(pair, doc_real(x));
    doc_append(pair, doc_real(y));
    doc_append(doc_get(doc_at(list, i), "points"), pair);
}

static int category(doc *p, const char *name)
{
    doc *list = doc_get(p, "categories");
    int i = 0;
    while (i < (int)doc_size(list) && strcmp(doc_text_value(doc_at(list, (uint64_t)i), ""), name)) i++;
    if (i == (int)doc_size(list)) doc_append(list, doc_text(name));
    return i;
}

static void forget(uint64_t p, uint64_t series, uint64_t at)
{
    doc *points = doc_get(doc_at(doc_get(doc_at(data, p), "series"), series), "points"), *made = doc_array();
    for (uint64_t i = 0; i < doc_size(points); i++) {
        doc *pair = doc_array();
        doc_append(pair, doc_copy(doc_at(doc_at(points, i), 0)));
        doc_append(pair, i == at ? doc_null() : doc_copy(doc_at(doc_at(points, i), 1)));
        doc_append(made, pair);
    }
    doc_put(doc_at(doc_get(doc_at(data, p), "series"), series), "points", made);
}

static const struct paper_figure *start(const char *name)
{
    const struct paper_figure *x = NULL;
    GOOD(paper_figure_find(all, name, &x, &err));
    anew();
    return x;
}

static void put(doc *p, const char *series, const double *y, int count)
{
    for (int i = 0; i < count; i++) point(p, series, 1 << i, y[i]);
}

/* verdicts: one letter per claim: h holds, d does not, n not measured. */
static void judged(const struct paper_figure *x, const char *verdicts)
{
    static const char *const names_of[] = {"not measured", "holds", "does not hold"};
    struct finding f[CLAIMS_MAX];
    memset(f, 0, sizeof f);
    GOOD(paper_figure_judge(x, (const doc *[]){data}, 1, f, &err));
    assert_int_equal(strlen(verdicts), x->claims);
    for (int i = 0; i < x->claims; i++) {
        const char *want = verdicts[i] == 'h' ? "holds" : verdicts[i] == 'd' ? "does not hold" : "not measured";
        if (strcmp(names_of[f[i].verdict], want))
            fail_msg("%s, claim %d: %s, expected %s (%s%s)", x->name, i, names_of[f[i].verdict], want, f[i].ours,
                     f[i].reason);
        if (f[i].verdict == VERDICT_NOT_MEASURED) assert_true(*f[i].reason);
        else assert_true(*f[i].ours);
    }
}

/* Legion falls and Quiver stops at the clique; then the two are exchanged, GNNLab falls, and PaGraph is far from it. */
static void transactions_by_gpus(void **state)
{
    static const double falls[] = {1, 0.8, 0.6, 0.4}, siton[] = {1, 0.8, 0.8, 0.81}, dgx[] = {1, 0.8, 0.6, 0.61},
                        flat[] = {1, 1, 1, 1}, near[] = {1, 0.9, 0.9, 0.8};
    const struct paper_figure *x = start("legion-fig2");
    (void)state;
    for (int p = 0; p < 2; p++) {
        doc *to = panel(data);
        put(to, "Legion", falls, 4);
        put(to, "Quiver", p ? dgx : siton, 4);
        put(to, "GNNLab", flat, 4);
        put(to, "PaGraph", near, 4);
    }
    judged(x, "hhhh");
    x = start("legion-fig2");
    for (int p = 0; p < 2; p++) {
        doc *to = panel(data);
        put(to, "Legion", p ? dgx : siton, 4);
        put(to, "Quiver", falls, 4);
        put(to, "GNNLab", falls, 4);
        put(to, "PaGraph", flat, 4);
    }
    judged(x, "dddd");
    forget(0, 0, 2);
    judged(x, "nddd");
}

static void hit_rate_with_partitions(void **state)
{
    static const double up[] = {60, 62, 64}, down[] = {64, 62, 60}, flat[] = {60, 60.1, 60.2};
    static const double *const with[] = {up, down, flat}, *const without[] = {down, up, flat};
    static const char *const want[] = {"hh", "dd", "dd"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        const struct paper_figure *x = start("pagraph-fig16a");
        doc *p = panel(data);
        put(p, "PaGraph", with[i], 3);
        put(p, "DGL+Cache", without[i], 3);
        judged(x, want[i]);
    }
}

/* Rows of two, the first with a baseline; the second is at hand. */
static struct scope rows_and_points(doc *rows, doc *let)
{
    doc *p = panel(data);
    point(p, "a", 1, 10);
    point(p, "a", 2, 20);
    point(p, "b", 2, NAN);
    return (struct scope){.panels = data, .let = let, .rows = rows, .row = 1, .group = 2};
}

static const char rows_text[] = "{\"rows\": [{\"s\": 8}, {\"s\": 4, \"on\": true, \"gpus\": [{\"r\": 1}, {\"r\": 3}, "
                                "{}], "
                                "\"list\": [5, 6], \"name\": \"x\", \"none\": null}], \"let\": {\"both\": [\"a\", "
                                "\"b\"], "
                                "\"rel\": \"s / of(0, s)\", \"two\": \"1, 2\", \"round\": \"round\"}}";

/* What expressions say, by hand; n stands for NaN. */
static void expressions(void **state)
{
    static const struct {
        const char *text, *want;
    } good[] = {{"1 + 2 * 3", "7"},
                {"(1 + 2) * 3 - -1", "10"},
                {"8 / 4 / 2", "1"},
                {"[1, 2, 3] * 2, 9", "2 4 6 9"},
                {"1 < 2 & 2 < 1 | 1 == 1", "1"},
                {"[1, 2] >= 2", "0 1"},
                {"!(1 > 2)", "1"},
                {"min([3, 1, 2]), max(two, 1.5), sum(two), mean(two)", "1 1.5 2 3 1.5"},
                {"max([1, nan])", "n"},
                {"all([1, 2] > 0), any([0, 0]), all([1, 0])", "1 0 0"},
                {"abs(-2), floor(1.7), ceil(1.2), rint(2.5)", "2 1 2 2"},
                {"else([nan, 2], 7)", "7 2"},
                {"where([1, 0], 5, 6), within(2, 2, 3), within(1.9, 2, 3)", "5 6 1 0"},
                {"near(1.19, 1, 0.2), near(1.21, 1, 0.2)", "1 0"},
                {"falls([4, 3, 2], 0.2), falls([4, 3.9], 0.2), rises([1, 2], 0)", "1 0 1"},
                {"highest(-[3, 1, 1]), highest([1, 3, 3]), index([7, 7])", "1 1 0 1"},
                {"at(0, 'a', [1, 2])", "10 20"},
                {"at(0, both, 2)", "20 n"},
                {"at([0, 1], 'a', 2)", "20 n"},
                {"at(0, 'a'), at(0, 'c')", "10 20 n"},
                {"two[1], two[2]", "2 n"},
                {"rel, s, on, list", "0.5 4 1 5 6"},
                {"gpus[].r, gpus.1.r, none.deep, name", "1 3 n 3 n n"}};
    static const char *const bad[] =
        {"1 +", "(1", "unknown", "1 2", "f(1)", "min()", "[1, 2] + [1, 2, 3]", "at(0, none, 1)", "round", "abs(1, 2)"};
    doc *d = NULL;
    struct vector v;
    (void)state;
    anew();
    GOOD(doc_parse(rows_text, strlen(rows_text), "rows", &d, &err));
    struct scope s = rows_and_points(doc_get(d, "rows"), doc_get(d, "let"));
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char out[200] = "";
        GOOD(expression_value(good[i].text, &s, &v, &err));
        for (int k = 0; k < v.count; k++)
            snprintf(out + strlen(out), sizeof out - strlen(out), isnan(v.v[k]) ? "%sn" : "%s%g", k ? " " : "", v.v[k]);
        if (strcmp(out, good[i].want)) fail_msg("%s: %s, expected %s", good[i].text, out, good[i].want);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (expression_value(bad[i], &s, &v, &err) != ST_INPUT) fail_msg("%s is not refused", bad[i]);
    doc_free(d);
}

static void words_of_expressions(void **state)
{
    struct scope s = {0};
    doc *row = doc_object();
    char out[100];
    (void)state;
    GOOD(expression_words("a %.1f, %+.2f %d %% %{no|yes}%{|, too} %{.1f|oom}/%{.1f|oom}", "1.25, 2, 3, 1, 0, nan, 4",
                          &s, 1, out, sizeof out, &err));
    assert_string_equal(out, "a 1.2, +2.00 3 % yes oom/4.0");
    BAD(ST_INPUT, "too few", expression_words("%d %d", "1", &s, 1, out, sizeof out, &err));
    doc_put(row, "set", doc_text("enwiki"));
    doc_put(row, "share", doc_real(1.25));
    assert_string_equal(expression_fill("{set}: {share}%V", row, out, sizeof out), "enwiki: 1.25%V");
    doc_free(row);
}

/* 1.4 and 2.3 times as fast, within 20 %: inside and outside both ends of each. */
static void speed_with_partitions(void **state)
{
    static const double pagraph[] = {2.3, 2.75, 2.77, 1.85, 1.83}, cached[] = {2.3 / 1.4, 2.46, 2.48, 1.11, 1.07};
    static const char *const want[] = {"hh", "dh", "dd", "hh", "dd"};
    (void)state;
    for (int i = 0; i < 5; i++) {
        const struct paper_figure *x = start("pagraph-fig16b");
        doc *p = panel(data);
        for (int k = 0; k < 3; k++) {
            point(p, "PaGraph", k, k < 2 ? 9 : pagraph[i]);
            point(p, "DGL+Cache", k, k < 2 ? 9 : cached[i]);
            point(p, "DGL", k, 1);
        }
        judged(x, want[i]);
    }
}

/* Stated speed-ups within 20 %, others in the stated range, reddit first. */
static void speed_on_one_gpu(void **state)
{
    static const double gcn[][3] = {{3.7, 3, 2}, {4.4, 4.4, 1.37}, {4.5, 4, 2}, {3.7, 4.5, 2}, {3.7, 3, 1.3}},
                        sage[][3] = {{4.8, 3, 2.1}, {5.7, 5.6, 2.5}, {4.8, 3, 2.6}, {4.8, 1.6, 2.1}, {3.8, 3, 2.1}};
    static const char *const want[] = {"hhh", "hhd", "ddh", "ddd", "ddh"};
    (void)state;
    for (int i = 0; i < 5; i++) {
        const struct paper_figure *x = start("pagraph-fig9");
        doc *p = panel(data);
        for (int k = 0; k < 3; k++) {
            point(p, "GCN", k, gcn[i][k]);
            point(p, "GraphSAGE", k, sage[i][k]);
        }
        judged(x, want[i]);
    }
}

/* DGL extracts for the published share and `more` percent, samples for 10 and trains for the rest; the others extract
 * `left` of that, and train GraphSAGE on PA for `train` percent. */
static void stages_of_systems(double more, double left, double train)
{
    static const double published[] = {66, 68, 86, 78};
    static const char *const systems[] = {"DGL", "T_SOTA", "GNNLab"};
    for (int c = 0; c < 4; c++) {
        doc *p = panel(data);
        double extract = published[c] + more;
        for (int i = 0; i < 3; i++) {
            point(p, systems[i], 0, 10);
            point(p, systems[i], 1, i ? left * extract : extract);
            point(p, systems[i], 2, i && c == 3 ? train : 90 - extract);
        }
    }
}

static void stages_by_system(void **state)
{
    static const struct {
        double more, left, train;
        const char *want;
    } made[] = {{-9, 0.05, 14, "hhhh"},  /* nearly 10 points away */
                {-11, 0.11, 30, "hddh"}, /* beyond them, and too much is left */
                {-17, 0.05, 41, "ddhh"}, /* 49 % is not most */
                {-9, 0.05, 9, "hhhd"},   /* sampling takes longer */
                {-9, 0.09, 6, "hhhd"}};  /* and extracting, too */
    (void)state;
    for (int i = 0; i < 5; i++) {
        const struct paper_figure *x = start("gnnlab-table5");
        stages_of_systems(made[i].more, made[i].left, made[i].train);
        judged(x, made[i].want);
    }
    const struct paper_figure *last = start("gnnlab-table5");
    stages_of_systems(-9, 0.05, 14);
    forget(2, 1, 0);
    judged(last, "nnnn");
}

/* Ratios as published, then T_SOTA ahead on PA, then DGL far off. */
static void epochs_by_system(void **state)
{
    static const double dgl[] = {3.7, 5.1, 5.5, 8.4}, t_sota[] = {0.70, 3.3, 0.85, 3.6},
                        ahead[] = {0.70, 0.9, 0.85, 3.6}, far[] = {3.7, 5.1, 5.5, 6.6};
    static const double *const of[][2] = {{dgl, t_sota}, {dgl, ahead}, {far, t_sota}};
    static const char *const want[] = {"hhh", "dhd", "hdh"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        const struct paper_figure *x = start("gnnlab-table4");
        doc *p = panel(data);
        for (int c = 0; c < 4; c++) {
            point(p, "DGL", c, of[i][0][c]);
            point(p, "T_SOTA", c, of[i][1][c]);
        }
        judged(x, want[i]);
    }
}

/* The number at both thresholds and just beyond them: 81 % less, within 5 points on either side. */
static void threshold_of_a_number(void **state)
{
    static const double left[] = {24, 24.1, 14, 13.9, 9.4};
    (void)state;
    for (int i = 0; i < 5; i++) {
        const struct paper_figure *x = start("pagraph-table5");
        doc *p = panel(data);
        point(p, "hotset", category(p, "enwiki"), left[i]);
        judged(x, i == 0 || i == 2 ? "h" : "d");
    }
}

/* A tie is not better, and half a percent is a tie. */
static void a_tie_is_not_better(void **state)
{
    static const char *const graphs[] = {"PA", "CO", "UKS", "UKL", "CL"};
    static const double last[] = {49, 49.9, 50};
    (void)state;
    for (int k = 0; k < 3; k++) {
        const struct paper_figure *x = start("legion-fig12");
        doc *p = panel(data);
        for (int g = 0; g < 5; g++) {
            int at = category(p, graphs[g]);
            point(p, "unified", at, g < 4 ? 30 : last[k]);
            point(p, "TopoCPU", at, 50);
            point(p, "TopoGPU", at, g % 2 ? NAN : 60);
        }
        judged(x, k ? "d" : "h");
    }
}

/* "Much less" is at most half. */
static void much_less_is_half(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const struct paper_figure *x = start("dsp-fig1");
        doc *p = panel(data);
        for (int g = 0; g < 3; g++) {
            point(p, "UVA", g, 9);
            point(p, "pull data", g, 2);
            point(p, "CSP (push)", g, k && g == 2 ? 1.1 : 1);
        }
        judged(x, k ? "hd" : "hh");
    }
}

/* One graph decides: 64 % less time within 10 points at the most, never more time, and at least twice the bytes. */
static void pushing_against_pulling(void **state)
{
    static const struct {
        double push, bytes;
        const char *want;
    } last[] = {{0.36, 2, "hhh"},  {0.461, 2, "hdh"}, {0.459, 1.99, "hhd"}, {0.259, 2, "hdh"},
                {0.261, 2, "hhh"}, {1, 2, "ddh"},     {1.2, 1, "ddd"}};
    (void)state;
    for (size_t k = 0; k < sizeof last / sizeof *last; k++) {
        const struct paper_figure *x = start("dsp-fig11");
        doc *p[3];
        for (int i = 0; i < 3; i++) p[i] = panel(data);
        for (int g = 0; g < 3; g++) {
            point(p[0], "CSP (push)", g, g < 2 ? 1 : last[k].push);
            point(p[0], "pull data", g, g < 2 ? 2 : 1);
            point(p[2], "CSP (push)", g, 1);
            point(p[2], "pull data", g, g < 2 ? 50 : last[k].bytes);
        }
        judged(x, last[k].want);
        forget(0, 0, 1);
        judged(x, k == 2 || k == 6 ? "nnd" : "nnh");
    }
}

/* Both graphs must be within the paper's ranges: 2.5 to 4.6, then 1.6 to 2.1; the busy share within 5 points more. */
static void three_ways_to_fetch(void **state)
{
    static const struct {
        double seconds[3], busy;
        const char *want;
    } second[] = {{{115, 46, 23.5}, 30, "hhhh"},
                  {{230, 51, 27}, 35, "hhhh"},
                  {{210, 45, 27.1}, 36, "dhdd"},
                  {{110, 46, 20}, 5, "ddhh"},
                  {{140, 38, 19.9}, 4, "hhdd"}};
    static const char *const ways[] = {"CPU gathers", "zero copy", "data tiering"};
    (void)state;
    for (size_t k = 0; k < sizeof second / sizeof *second; k++) {
        const struct paper_figure *x = start("data-tiering-fig8");
        doc *p = panel(data), *busy = panel(data);
        for (int w = 0; w < 3; w++) {
            static const double first[] = {90, 30, 15};
            point(p, ways[w], 0, first[w]);
            point(p, ways[w], 1, second[k].seconds[w]);
            point(busy, ways[w], 0, 20);
            point(busy, ways[w], 1, second[k].busy);
        }
        judged(x, second[k].want);
    }
}

/* Times on four GPUs with 0, 5 and 30 % loaded, and what one GPU takes: a slow CPU, then a fast one. */
static void sampling_throttles(void **state)
{
    static const struct {
        double cpu[3], gpus, sample, rest[2];
        const char *want;
    } one[] = {{{30, 21, 20.5}, 10, 20.5, {23.5, 9}, "hhhh"}, {{30, 26.9, 25.6}, 23.1, 20, {29.4, 9}, "hhhd"},
               {{30, 26.9, 24}, 20, 20, {25.4, 21}, "dddh"},  {{30, 27.1, 27}, 24.2, 9, {31, 9}, "dhdh"},
               {{6, 4, 3.1}, 3, 2, {13, 4}, "hddd"},          {{6, 4, 3.1}, 2, 14, {13, 4}, "hddh"}};
    (void)state;
    for (size_t k = 0; k < sizeof one / sizeof *one; k++) {
        const struct paper_figure *x = start("data-tiering-fig11");
        doc *p[3];
        for (int i = 0; i < 3; i++) p[i] = panel(data);
        for (int i = 0; i < 3; i++) {
            static const double share[] = {0, 5, 30};
            point(p[0], "CPU samples", share[i], one[k].cpu[i]);
            point(p[0], "GPUs sample", share[i], one[k].gpus);
        }
        for (int i = 0; i < 2; i++) {
            point(p[2], "sampling by the CPU", i, one[k].sample);
            point(p[2], "fetching and training", i, one[k].rest[i]);
        }
        judged(x, one[k].want);
    }
}

/* "Least well on products" is a part of the claim. */
static void products_scales_least(void **state)
{
    static const char *const names[] = {"ogbn-products", "ogbn-papers100M", "MAG240M"};
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        const struct paper_figure *x = start("hyscale-fig9");
        doc *p = panel(data);
        for (int g = 0; g < 3; g++) {
            double more = (turned ? g == 0 : g > 0) ? 1.5 : 0;
            point(p, names[g], 8, 5 + more);
            point(p, names[g], 12, 1.3 * (5 + more));
            point(p, names[g], 16, 1.4 * (5 + more));
        }
        judged(x, turned ? "dh" : "hh");
    }
}

/* Out of memory is not a missing number, and is where the paper has it. */
static void out_of_memory(void **state)
{
    static const char *const graphs[] = {"PR", "PA", "CO", "UKS"}, *const systems[] = {"DGL (UVA)", "PaGraph", "GNNLab",
                                                                                       "Legion"};
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        const struct paper_figure *x = start("legion-fig8");
        doc *bars = panel(data), *marks = panel(data);
        for (int g = 0; g < 4; g++)
            for (int s = 0; s < 4; s++) {
                bool oom = (s == 1 && g > 0) || (s == 2 && g == 3);
                point(bars, systems[s], category(bars, graphs[g]), oom ? NAN : turned ? 10 + s : 100 - 20 * s);
                point(marks, systems[s], category(marks, graphs[g]), oom != turned);
            }
        judged(x, turned ? "ddd" : "hhh");
    }
}

/* Whatever is not there is not measured: no judge finds that a claim holds, or does not, without numbers. */
static void nothing_is_not_measured(void **state)
{
    char none[CLAIMS_MAX + 1];
    int measured = 0;
    (void)state;
    for (int k = 0; k < all->count; k++) {
        const struct paper_figure *x = &all->figure[k];
        assert_true(*x->title && *x->paper && *x->place);
        assert_true((doc_get(x->document, "points") != NULL) != (x->missing != NULL));
        for (int i = 0; i < x->claims; i++) {
            static const char *const keys[] = {"statement", "test", "why"};
            for (int n = 0; n < 3; n++) assert_true(*doc_text_value(doc_get(x->claim[i], keys[n]), ""));
        }
        if (x->missing) continue;
        measured++;
        assert_true(doc_is_text(doc_get(x->document, "caption")) && doc_is_text(doc_get(x->document, "differs")) &&
                    x->seconds > 0);
        anew();
        memset(none, 'n', sizeof none);
        none[x->claims] = '\0';
        judged(x, none);
    }
    assert_true(measured >= 16);
}

static void names(void **state)
{
    const struct paper_figure *x;
    (void)state;
    GOOD(paper_figure_find(all, "dsp-fig1", &x, &err));
    assert_string_equal(x->name, "dsp-fig1");
    BAD(ST_USAGE, "did you mean pagraph-fig11?", paper_figure_find(all, "pagraf-fig11", &x, &err));
}

/* A misspelt key of a file is not passed over. */
static void unknown_keys(void **state)
{
    struct paper_figure x = {0};
    (void)state;
    BAD(ST_INPUT, "did you mean \"caption\"",
        paper_figure_parse("f", "{\"title\": \"t\", \"captoin\": \"c\"}", &x, &err));
    doc_free(x.document);
    memset(&x, 0, sizeof x);
    BAD(ST_INPUT, "claims",
        paper_figure_parse("f", "{\"title\": \"t\", \"paper\": \"p\", \"place\": \"1\", \"claims\": []}", &x, &err));
    doc_free(x.document);
}

static void set(struct finding *f, bool holds, const char *ours)
{
    f->verdict = holds ? VERDICT_HOLDS : VERDICT_FAILS;
    snprintf(f->ours, sizeof f->ours, "%s", ours);
}

/* A verdict on a given graph beside the stand-in's: only a difference is told. */
static void stand_ins_may_differ(void **state)
{
    struct finding given = {0}, other = {0};
    (void)state;
    set(&given, true, "3 of 3");
    set(&other, true, "2 of 3");
    paper_figure_compare(&given, &other);
    assert_int_equal(given.verdict, VERDICT_HOLDS);
    assert_string_equal(given.reason, "");
    set(&other, false, "1 of 3");
    paper_figure_compare(&given, &other);
    assert_int_equal(given.verdict, VERDICT_HOLDS_GIVEN);
    assert_string_equal(given.reason, "On the stand-in it does not hold: 1 of 3.");
    memset(&given, 0, sizeof given);
    set(&given, false, "0 of 3");
    set(&other, true, "2 of 3");
    paper_figure_compare(&given, &other);
    assert_int_equal(given.verdict, VERDICT_FAILS);
    assert_string_equal(given.reason, "On the stand-in it holds: 2 of 3.");
}

/* Words of several seeds: each has numbers of its own under the same names. */
static void words_are(const char *format, const char *const *lets, int count, const char *want)
{
    struct scope s[SEEDS_MOST];
    doc *d[SEEDS_MOST] = {NULL};
    char out[300];
    for (int i = 0; i < count; i++) {
        GOOD(doc_parse(lets[i], strlen(lets[i]), "let", &d[i], &err));
        s[i] = (struct scope){.let = d[i]};
    }
    GOOD(expression_words(format, "v", s, count, out, sizeof out, &err));
    assert_string_equal(out, want);
    for (int i = 0; i < count; i++) doc_free(d[i]);
}

/* Numbers that differ become median and range, ties to the first; texts that differ are told one by one, once. */
static void words_of_seeds(void **state)
{
    static const char *const lets[] = {"{\"v\": [1.9, -0.5, 1, 0]}", "{\"v\": [0.4, -0.5, 1, 1]}",
                                       "{\"v\": [2.1, 0.25, 1, 0]}"};
    static const char *const none[] = {"{\"v\": [7, 0]}", "{\"v\": \"[nan, 0]\"}"};
    (void)state;
    words_are("NV2: %+.1f %%, %.2f of %d GPUs", lets, 3, "NV2: +1.9 (+0.4 to +2.1) %, -0.50 (-0.50 to 0.25) of 1 GPUs");
    words_are("NV2: %+.1f %%, %.2f of %d GPUs", lets, 2, "NV2: +0.4 (+0.4 to +1.9) %, -0.50 of 1 GPUs");
    words_are("%.1f%.2f of %d%{|, not}", lets, 3,
              "1.9-0.50 of 1; with another seed: 0.4-0.50 of 1, not; with another seed: 2.10.25 of 1");
    words_are("%.0f%{|} MiB", none, 2, "7 MiB; with another seed: nan MiB");
}

/* More than half of the seeds decide; a number that any of them lacks is not measured. */
static void seeds_decide(void **state)
{
    static const double left[] = {24, 50, 20, 60};
    const doc *seeds[4];
    struct finding f[CLAIMS_MAX];
    const struct paper_figure *x = start("pagraph-table5");
    doc *lacks = doc_array();
    (void)state;
    for (int i = 0; i < 4; i++) {
        doc *d = doc_array(), *p = panel(d);
        point(p, "hotset", category(p, "enwiki"), left[i]);
        seeds[i] = d;
    }
    for (int count = 1; count <= 4; count++) { /* 24 and 20 are within 81 % less, less 5 points */
        static const enum verdict want[] = {VERDICT_HOLDS, VERDICT_FAILS, VERDICT_HOLDS, VERDICT_FAILS};
        memset(f, 0, sizeof f);
        GOOD(paper_figure_judge(x, seeds, count, f, &err));
        assert_int_equal(f[0].verdict, want[count - 1]);
        assert_int_equal(f[0].holds, count < 3 ? 1 : 2);
        assert_int_equal(f[0].seeds, count);
    }
    const doc *with[] = {seeds[0], lacks};
    memset(f, 0, sizeof f);
    GOOD(paper_figure_judge(x, with, 2, f, &err));
    assert_int_equal(f[0].verdict, VERDICT_NOT_MEASURED);
    assert_true(*f[0].reason && !*f[0].ours);
    for (int i = 0; i < 4; i++) doc_free((doc *)seeds[i]);
    doc_free(lacks);
}

/* The k-th pair of a series' list, as "first second"; n for null. */
static const char *pair_at(const doc *series, const char *list, uint64_t k)
{
    static char text[80];
    const doc *pair = doc_at(doc_get(series, list), k);
    snprintf(text, sizeof text, "%g %g", doc_real_value(doc_at(pair, 0), -1), doc_real_value(doc_at(pair, 1), -1));
    return text;
}

static void points_of_seeds(void **state)
{
    static const double y[3][2] = {{3, 1}, {2, NAN}, {7, 1}};
    doc *each[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        each[i] = doc_array();
        doc *p = panel(each[i]);
        for (int k = 0; k < 2; k++) point(p, "s", k, y[i][k]);
        point(p, "paper", 0, 5);
    }
    paper_figure_merge((const doc *const *)each, 1, each[0]);
    assert_int_equal(doc_size(doc_get(expression_series(each[0], 0, "s"), "ranges")), 0);
    paper_figure_merge((const doc *const *)each, 3, each[0]);
    const doc *s = expression_series(each[0], 0, "s");
    assert_string_equal(pair_at(s, "points", 0), "0 3");
    assert_string_equal(pair_at(s, "ranges", 0), "2 7");
    assert_string_equal(pair_at(s, "points", 1), "1 -1");
    assert_string_equal(pair_at(s, "ranges", 1), "-1 -1");
    assert_int_equal(doc_size(doc_get(expression_series(each[0], 0, "paper"), "ranges")), 0);
    for (int i = 0; i < 3; i++) doc_free(each[i]);
}

static void changes(void **state)
{
    struct synth_options o;
    doc *d = NULL, *c = doc_object(), *bad[] = {doc_object(), doc_object(), doc_object()};
    (void)state;
    synth_defaults(&o);
    GOOD(synth_like(&o, "enwiki", 0.01, &err));
    uint64_t edges = o.edges;
    GOOD(
        changes_read("enwiki:a=0.35,products:gamma=3,enwiki:edges=0.5,s:cpu=3,s:tflops=0.5,t:cpu=9,u:pcie=3", c, &err));
    GOOD(changes_stand_in(c, "enwiki", &o, &err));
    assert_float_equal(o.a, 0.35, 1e-12);
    assert_float_equal(o.b, 0.19 * 0.65 / 0.43, 1e-12);
    assert_int_equal(o.edges, edges / 2);
    BAD(ST_USAGE, "did you mean gamma?", changes_read("products:gama=3", bad[0], &err));
    BAD(ST_USAGE, "TARGET:KEY=VALUE", changes_read("products:gamma", bad[1], &err));
    BAD(ST_USAGE, "number of 0 or more", changes_read("products:gamma=-1", bad[2], &err));
    static const char text[] = "{\"cpu\": 1, \"gpus\": [{\"tflops\": 2}, {\"tflops\": 2}]}";
    GOOD(doc_parse(text, strlen(text), "s", &d, &err));
    GOOD(changes_server(c, "s", d, &err));
    assert_int_equal(doc_integer_value(doc_get(d, "cpu"), 0), 3);
    assert_float_equal(doc_real_value(doc_get(doc_at(doc_get(d, "gpus"), 1), "tflops"), 0), 0.5, 0);
    BAD(ST_USAGE, "no number 'pcie'", changes_server(c, "u", d, &err));
    doc_free(d);
    doc_free(c);
    for (int i = 0; i < 3; i++) doc_free(bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stand_ins_may_differ),
                                       cmocka_unit_test(words_of_seeds),
                                       cmocka_unit_test(seeds_decide),
                                       cmocka_unit_test(points_of_seeds),
                                       cmocka_unit_test(changes),
                                       cmocka_unit_test(transactions_by_gpus),
                                       cmocka_unit_test(hit_rate_with_partitions),
                                       cmocka_unit_test(expressions),
                                       cmocka_unit_test(words_of_expressions),
                                       cmocka_unit_test(unknown_keys),
                                       cmocka_unit_test(speed_with_partitions),
                                       cmocka_unit_test(speed_on_one_gpu),
                                       cmocka_unit_test(stages_by_system),
                                       cmocka_unit_test(epochs_by_system),
                                       cmocka_unit_test(threshold_of_a_number),
                                       cmocka_unit_test(a_tie_is_not_better),
                                       cmocka_unit_test(much_less_is_half),
                                       cmocka_unit_test(pushing_against_pulling),
                                       cmocka_unit_test(three_ways_to_fetch),
                                       cmocka_unit_test(sampling_throttles),
                                       cmocka_unit_test(products_scales_least),
                                       cmocka_unit_test(out_of_memory),
                                       cmocka_unit_test(nothing_is_not_measured),
                                       cmocka_unit_test(names)};
    GOOD(paper_figures_open(&all, &err));
    int bad = cmocka_run_group_tests(tests, NULL, NULL);
    paper_figures_free(all);
    doc_free(data);
    return bad;
}
