/* Random graphs: equal on any number of threads, of the size and shape asked for. */
#include <math.h>

#include "test_graph_help.h"
#include "traces/synth/synth.h"

static void make(struct place *p, const struct synth_options *o, int threads)
{
    if (synth_graph(o, in_place(p, "G"), threads, false, &p->summary, &p->err) != ST_OK) fail_msg("%s", p->err.text);
}

static void same_on_any_threads(void **state)
{
    struct place *p = *state;
    static const char *const kinds[] = {"rmat", "community", "uniform"};
    for (int k = 0; k < 3; k++) {
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
    struct place *p = *state;
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

static void small_and_odd(void **state)
{
    struct place *p = *state;
    struct synth_options o;
    for (uint64_t n = 1; n < 6; n++)
        for (int k = 0; k < 3; k++) {
            synth_defaults(&o);
            o.kind = (const struct synth_kind *[]){&synth_rmat, &synth_community, &synth_uniform}[k];
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
    for (int i = 0; synth_like_names[i]; i++)
        assert_int_equal(synth_like(&o, synth_like_names[i], 0.001, &p->err), ST_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_PLACE(same_on_any_threads), WITH_PLACE(communities_are_there),
                                       WITH_PLACE(small_and_odd)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
