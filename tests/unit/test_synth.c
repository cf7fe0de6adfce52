/* Random graphs: equal on any number of threads, of the size and shape asked for. */
#include <math.h>

#include "test_graph_help.h"
#include "traces/synth/synth.h"

static void make(struct test_place *p, const struct synth_options *o, int threads)
{
    if (synth_graph(o, in_place(p, "G"), threads, false, &p->summary, &p->err) != ST_OK) fail_msg("%s", p->err.text);
}

static void same_on_any_threads(void **state)
{
    struct test_place *p = *state;
    static const char *const kinds[] = {"rmat", "community", "citation", "web", "uniform"};
    for (int k = 0; k < 5; k++) {
        struct synth_options o;
        char first[80];
        synth_defaults(&o);
        assert_int_equal(synth_kind_find(kinds[k], &o.kind, &p->err), ST_OK);
        o.vertices = 3001;
        o.edges = 100000;
        make(p, &o, 1);
        memcpy(first, p->summary.fingerprint, sizeof first);
        make(p, &o, 5);
        assert_string_equal(first, p->summary.fingerprint);
        o.seed = 2;
        make(p, &o, 2);
        assert_string_not_equal(first, p->summary.fingerprint);
    }
}

/* Share of arcs inside communities is about 1 - mixing (plus what the rest hits by chance); no self-loops; rows are
 * symmetric. */
static void communities_are_there(void **state)
{
    struct test_place *p = *state;
    struct synth_options o;
    struct graph g;
    uint64_t near = 0;
    synth_defaults(&o);
    o.vertices = 20000;
    o.edges = 400000;
    o.communities = 20;
    o.mixing = 0.25;
    make(p, &o, 2);
    assert_in_range(p->summary.m, 380000, 420000);
    assert_int_equal(p->summary.self_loops, 0);
    assert_string_equal(p->summary.sample, "both");
    assert_int_equal(graph_open(in_place(p, "G"), 2, &g, &p->err), ST_OK);
    for (uint64_t v = 0; v < g.n; v++)
        for (int64_t i = g.indptr[v]; i < g.indptr[v + 1]; i++)
            near += llabs((int64_t)g.indices[i] - (int64_t)v) < 1000;
    /* communities are ranges of 500 to 1500 ids; without them a tenth of the arcs would be near */
    assert_true((double)near / (double)g.m > 0.5);
    graph_close(&g);
}

/* Without mixing papers cite older papers of their field alone: all but the oldest of a field, which cite any of it.
 * Training vertices lie in the last tenth of the ids, as many as asked for. */
static void papers_cite_older_papers(void **state)
{
    struct test_place *p = *state;
    struct synth_options o;
    struct graph g;
    uint64_t newer = 0;
    synth_defaults(&o);
    o.kind = &synth_citation;
    o.vertices = 10000;
    o.edges = 150000;
    o.communities = 10;
    o.mixing = 0;
    o.train_share = 0.02;
    o.train_span = 0.1;
    make(p, &o, 2);
    assert_in_range(p->summary.m, 142000, 158000);
    assert_string_equal(p->summary.sample, "in");
    assert_int_equal(graph_open(in_place(p, "G"), 2, &g, &p->err), ST_OK);
    for (uint64_t v = 0; v < g.n; v++)
        for (int64_t i = g.indptr[v]; i < g.indptr[v + 1]; i++) newer += g.indices[i] >= v;
    assert_true(newer > 0 && newer < 10 * 150); /* ten oldest papers; a row is rarely ten times the mean */
    assert_int_equal(g.train_count, 200);
    for (uint64_t i = 0; i < g.train_count; i++) assert_in_range(g.train[i], 9000, 9999);
    graph_close(&g);
    o.train_share = 0.3; /* more than the span has: the last 30 % */
    make(p, &o, 1);
    assert_int_equal(graph_open(in_place(p, "G"), 1, &g, &p->err), ST_OK);
    assert_int_equal(g.train_count, 3000);
    assert_int_equal(g.train[0], 7000);
    graph_close(&g);
    o.train_span = 0;
    assert_int_equal(synth_graph(&o, in_place(p, "G"), 1, false, NULL, &p->err), ST_USAGE);
}

/* Mean and variance of the lengths of rows. */
static void lengths(struct test_place *p, const struct synth_options *o, double *mean, double *variance)
{
    struct graph g;
    double sum = 0, squares = 0;
    make(p, o, 2);
    assert_int_equal(graph_open(in_place(p, "G"), 2, &g, &p->err), ST_OK);
    for (uint64_t v = 0; v < g.n; v++) {
        double length = (double)(g.indptr[v + 1] - g.indptr[v]);
        sum += length;
        squares += length * length;
    }
    *mean = sum / (double)g.n;
    *variance = squares / (double)g.n - *mean * *mean;
    graph_close(&g);
}

/* 16 references on average. Equal: one and a Poisson number with mean and variance 15. Half by an exponential
 * distribution of mean 7.5: its variance, 56 (of 64 parts each taken as its mean: 0.97 of it), is added. */
static void numbers_of_references(void **state)
{
    struct test_place *p = *state;
    struct synth_options o;
    double mean, variance;
    synth_defaults(&o);
    o.kind = &synth_citation;
    o.vertices = 50000;
    o.edges = 800000;
    o.communities = 5;
    o.mixing = 1;
    o.gamma = 20;
    lengths(p, &o, &mean, &variance);
    assert_true(fabs(mean - 16) < 0.2 && fabs(variance - 15) < 0.6);
    o.exponential = true;
    lengths(p, &o, &mean, &variance);
    assert_true(fabs(mean - 16) < 0.2 && fabs(variance - (15 + 0.97 * 56.25)) < 4);
}

/* With the reverse every arc that is stored is stored the other way round, too, and none is new. */
static void reverse_arcs(void **state)
{
    struct test_place *p = *state;
    struct synth_options o;
    struct graph g;
    synth_defaults(&o);
    o.kind = &synth_uniform;
    o.vertices = 100;
    o.edges = 1000;
    make(p, &o, 2);
    uint64_t published = p->summary.m;
    o.reverse = true;
    make(p, &o, 3);
    assert_string_equal(p->summary.sample, "both");
    assert_true(p->summary.m > 1.5 * (double)published && p->summary.m < 2 * published);
    assert_int_equal(graph_open(in_place(p, "G"), 2, &g, &p->err), ST_OK);
    for (uint64_t v = 0; v < g.n; v++)
        for (int64_t i = g.indptr[v]; i < g.indptr[v + 1]; i++) {
            uint32_t u = g.indices[i];
            int64_t k = g.indptr[u];
            while (k < g.indptr[u + 1] && g.indices[k] != v) k++;
            assert_true(k < g.indptr[u + 1]);
        }
    graph_close(&g);
}

/* Every page has links, most lead to its host, many of them to pages next to it; a tenth of the hosts has more than its
 * share of them. */
static void pages_link_near_by(void **state)
{
    struct test_place *p = *state;
    struct synth_options o;
    struct graph g;
    uint64_t empty = 0, near = 0, host = 0, dense = 0;
    synth_defaults(&o);
    o.kind = &synth_web;
    o.vertices = 20000;
    o.edges = 600000;
    o.communities = 20;
    o.mixing = 0.1;
    o.gamma = 2.2;
    make(p, &o, 2);
    assert_in_range(p->summary.m, 540000, 660000);
    assert_int_equal(graph_open(in_place(p, "G"), 2, &g, &p->err), ST_OK);
    for (uint64_t v = 0; v < g.n; v++) {
        empty += g.indptr[v] == g.indptr[v + 1];
        if (v < g.n / 10) dense += graph_degree(&g, v);
        for (int64_t i = g.indptr[v]; i < g.indptr[v + 1]; i++) {
            int64_t far = llabs((int64_t)g.indices[i] - (int64_t)v);
            near += far <= 8;
            host += far < 1500;
        }
    }
    assert_int_equal(empty, 0);
    assert_true((double)host / (double)g.m > 0.8);
    assert_true((double)near / (double)g.m > 0.03); /* 8 of 1000 pages of a host would be 1.6 % */
    assert_true((double)dense / (double)g.m > 0.3);
    graph_close(&g);
}

static void small_and_odd(void **state)
{
    struct test_place *p = *state;
    struct synth_options o;
    for (uint64_t n = 1; n < 6; n++)
        for (int k = 0; k < 5; k++) {
            synth_defaults(&o);
            o.kind = (const struct synth_kind *[]){&synth_rmat, &synth_community, &synth_citation, &synth_web,
                                                   &synth_uniform}[k];
            o.vertices = n;
            o.edges = 50;
            o.communities = n;
            make(p, &o, 2);
            assert_true(p->summary.m <= n * n);
        }
    o.kind = &synth_community;
    o.communities = 9;
    assert_int_equal(synth_graph(&o, in_place(p, "G"), 1, false, NULL, &p->err), ST_USAGE);
    assert_int_equal(synth_like(&o, "product", 1, &p->err), ST_USAGE);
    assert_non_null(strstr(p->err.text, "did you mean products"));
    for (const struct synth_data_set *d = synth_data_sets; d->name; d++) {
        assert_int_equal(synth_like(&o, d->name, 0.001, &p->err), ST_OK);
        assert_true(d->train > 0 && d->train < d->vertices && *d->source && o.feature_dim == d->dim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_PLACE(same_on_any_threads),
                                       WITH_PLACE(communities_are_there),
                                       WITH_PLACE(papers_cite_older_papers),
                                       WITH_PLACE(numbers_of_references),
                                       WITH_PLACE(reverse_arcs),
                                       WITH_PLACE(pages_link_near_by),
                                       WITH_PLACE(small_and_odd)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
