/* Size questions: targets, the shape of curves, lists of variants, and reservations, worked by hand. */
#include "base/mem.h"
#include "tests/unit/unit.h"

#include <math.h>

#include "planner/engine/budget.h"
#include "planner/decisions/size.h"
#include "planner/decisions/size_shape.h"
#include "planner/decisions/size_shared.h"
#include "planner/decisions/size_target.h"
#include "planner/decisions/size_variants.h"

static struct err err;

static void targets_are_read(void **state)
{
    static const struct {
        const char *text;
        enum size_metric metric;
        double value;
    } good[] = {{"hit-rate>=0.9", SIZE_FEATURE_HIT, 0.9},
                {"hit-rate>=90%", SIZE_FEATURE_HIT, 0.9},
                {"topology-hit-rate>=1", SIZE_TOPOLOGY_HIT, 1},
                {"transactions<=5M", SIZE_TRANSACTIONS, 5e6},
                {"transactions<=1234", SIZE_TRANSACTIONS, 1234},
                {"epoch-time<=0.5s", SIZE_SECONDS, 0.5},
                {"epoch-time<=500ms", SIZE_SECONDS, 0.5},
                {"epoch-time<=250us", SIZE_SECONDS, 250e-6},
                {"epoch-time<=2min", SIZE_SECONDS, 120},
                {"epoch-time<=1h", SIZE_SECONDS, 3600},
                {"cost<=0.01", SIZE_COST, 0.01},
                {"hit-rate>=0", SIZE_FEATURE_HIT, 0}};
    static const char *const bad[] = {"",
                                      "hit-rate",
                                      "hit-rate>=",
                                      "hit-rate<=0.9",
                                      "hit-rate>0.9",
                                      "hit-rate>=1.1",
                                      "hit-rate>=-1",
                                      "hit-rate>=90",
                                      "transactions>=5",
                                      "transactions<=x",
                                      "transactions<=-1",
                                      "epoch-time<=5",
                                      "epoch-time<=nan s",
                                      "cost<=1e999",
                                      "speed<=3",
                                      "<=3",
                                      "hit-rate>=0.9,",
                                      "epoch-time<=s"};
    struct size_target t[SIZE_TARGETS_MAX];
    int n = 0;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        GOOD(size_targets(good[i].text, t, &n, &err));
        assert_int_equal(n, 1);
        assert_int_equal(t[0].metric, good[i].metric);
        if (fabs(t[0].value - good[i].value) > 1e-12 * (1 + good[i].value))
            fail_msg("%s is %.17g", good[i].text, t[0].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) BAD(ST_USAGE, "--target", size_targets(bad[i], t, &n, &err));
    GOOD(size_targets("hit-rate>=0.9,epoch-time<=1s", t, &n, &err));
    assert_int_equal(n, 2);
    BAD(ST_USAGE, "more than",
        size_targets("cost<=1,cost<=1,cost<=1,cost<=1,cost<=1,cost<=1,cost<=1,cost<=1,cost<=1", t, &n, &err));
    BAD(ST_USAGE, "did you mean hit-rate", size_targets("hitrate>=0.9", t, &n, &err));
}

static void targets_hold(void **state)
{
    struct size_target hit = {.metric = SIZE_FEATURE_HIT, .value = 0.9}, time = {.metric = SIZE_SECONDS, .value = 2};
    (void)state;
    assert_true(size_meets(&hit, 0.9) && size_meets(&hit, 1) && !size_meets(&hit, 0.8999));
    assert_true(size_meets(&time, 2) && size_meets(&time, 0) && !size_meets(&time, 2.0001));
    assert_false(size_meets(&hit, NAN) || size_meets(&time, NAN)); /* not known is not met */
}

static void knees(void **state)
{
    const double x[] = {0, 1, 2, 3, 4}, corner[] = {100, 20, 15, 10, 0}, rising[] = {0, 0.8, 0.9, 0.95, 1},
                 line[] = {4, 3, 2, 1, 0}, flat[] = {5, 5, 5, 5, 5}, late[] = {4, 4, 4, 4, 0};
    const double holes[] = {NAN, 100, NAN, 10, 0}, early[] = {10, 1, 1, 1, 1}, none[] = {NAN, NAN, NAN, NAN, NAN};
    (void)state;
    assert_int_equal(shape_knee(x, corner, 5), 1); /* 0.8 gained at 0.25 of the way */
    assert_int_equal(shape_knee(x, rising, 5), 1); /* the same upwards */
    assert_int_equal(shape_knee(x, line, 5), -1);
    assert_int_equal(shape_knee(x, flat, 5), -1);
    assert_int_equal(shape_knee(x, late, 5), -1); /* it bends the other way: nothing is bought but by the last step */
    assert_int_equal(shape_knee(x, holes, 5), 3); /* from 1 to 4: 0.9 gained at two thirds */
    assert_int_equal(shape_knee(x, early, 5), 1);
    assert_int_equal(shape_knee(x, none, 5), -1);
    assert_int_equal(shape_knee(x, corner, 2), -1);
    assert_int_equal(shape_knee(x, corner, 0), -1);
}

static void frontiers(void **state)
{
    const double x[] = {1, 2, 2, 3, 4, 1, NAN, 0}, y[] = {9, 5, 6, 5, 1, 9, 0, NAN};
    const bool expected[] =
        {true, true,  false, false,
         true, false, false, false}; /* 2,6 and 3,5 are beaten by 2,5; the second 1,9 is the first again */
    bool kept[8];
    (void)state;
    shape_frontier(x, y, 8, kept);
    for (int i = 0; i < 8; i++) assert_int_equal(kept[i], expected[i]);
}

/* Random clouds: what is kept is not beaten, what is not kept is beaten or a copy. */
static void frontiers_are_not_beaten(void **state)
{
    (void)state;
    srandom(7);
    for (int round = 0; round < 200; round++) {
        double x[20], y[20];
        bool kept[20];
        for (int i = 0; i < 20; i++) {
            x[i] = (double)(random() % 8);
            y[i] = (double)(random() % 8);
        }
        shape_frontier(x, y, 20, kept);
        for (int i = 0; i < 20; i++) {
            bool beaten = false, copy = false;
            for (int k = 0; k < 20; k++) {
                beaten |= x[k] <= x[i] && y[k] <= y[i] && x[k] + y[k] < x[i] + y[i];
                copy |= k < i && x[k] == x[i] && y[k] == y[i];
            }
            assert_int_equal(kept[i], !beaten && !copy);
        }
    }
}

static void lines_between(void **state)
{
    const double x[] = {0, 2, 4, 8}, y[] = {10, NAN, 6, 2};
    (void)state;
    assert_true(shape_between(x, y, 4, 0) == 10 && shape_between(x, y, 4, 2) == 8 && shape_between(x, y, 4, 6) == 4 &&
                shape_between(x, y, 4, 8) == 2);
    assert_true(isnan(shape_between(x, y, 4, 9)) && isnan(shape_between(x, y, 4, -1)) &&
                isnan(shape_between(x, y, 0, 1)));
}

static void variants_multiply(void **state)
{
    struct size_variants *v = calloc(1, sizeof *v);
    struct size_vary none = {0}, map;
    struct workload_args w = {.fanout = {2, {25, 10}}, .batch = 8000};
    struct size_lists l = {.server = "dgx-v100,siton",
                           .gpus = {2, {1, 4}},
                           .feature_type = "f32,i8",
                           .fanouts = "25,10/5",
                           .grow = "1,2"};
    (void)state;
    GOOD(size_variants_make(&l, &none, &w, 4, v, &err));
    assert_int_equal(v->count, 2 * 2 * 2 * 2 * 2);
    assert_string_equal(v->list[0].server, "dgx-v100");
    assert_true(v->list[0].gpus == 1 && v->list[0].nvlink && v->list[0].element == 4 && v->list[0].grow == 1 &&
                v->list[0].share == 1 && v->list[0].batch == 8000);
    assert_true(v->list[1].grow == 2 && v->list[31].element == 1 && v->list[31].fanout.count == 1 &&
                v->list[31].gpus == 4);
    GOOD(size_vary_parse("gpus,nvlink", &map, &err));
    GOOD(size_variants_make(&(struct size_lists){.server = "dgx-v100"}, &map, &w, 2, v, &err));
    assert_int_equal(v->count, 4 * 2); /* 1, 2, 4 and all; with and without */
    assert_true(v->list[0].element == 2 && v->list[6].gpus == 0 && !v->list[7].nvlink);
    BAD(ST_USAGE, "--feature-type",
        size_variants_make(&(struct size_lists){.server = "dgx-v100", .feature_type = "f8"}, &none, &w, 4, v, &err));
    BAD(ST_USAGE, "--fanouts",
        size_variants_make(&(struct size_lists){.server = "dgx-v100", .fanouts = "25,0"}, &none, &w, 4, v, &err));
    BAD(ST_USAGE, "--grow",
        size_variants_make(&(struct size_lists){.server = "dgx-v100", .grow = "0"}, &none, &w, 4, v, &err));
    BAD(ST_USAGE, "--memory-share",
        size_variants_make(&(struct size_lists){.server = "dgx-v100", .share = "1.5"}, &none, &w, 4, v, &err));
    BAD(ST_USAGE, "--gpus",
        size_variants_make(&(struct size_lists){.server = "dgx-v100:4", .gpus = {1, {2}}}, &none, &w, 4, v, &err));
    BAD(ST_USAGE, "two", size_vary_parse("gpus", &map, &err));
    BAD(ST_USAGE, "twice", size_vary_parse("gpus,gpus", &map, &err));
    BAD(ST_USAGE, "speed", size_vary_parse("gpus,speed", &map, &err));
    free(v);
}

/* Legion's authors give 11 to 13 GB of a V100's 16 GB, and 32 to 36 of an A100's 40, to the cache: GraphSAGE, hidden
 * 256, batch 8000, fan-outs 25,10. The estimate is an upper bound, as if no two draws met, with NCCL's 0.7 GB: with
 * Products' 100 floats it leaves as much, with Papers100M's 128 half a GB less, which is what draws that meet save
 * (plans without a budget draw mini-batches). Rows of 256 floats are twice as large, and so is the larger part of the
 * reservation: up to 2.2 million of them, for two mini-batches, are 4.5 GB; the look-up of 133 million vertices is 1
 * GB. */
static void reservations_of_the_papers(void **state)
{
    static const struct {
        const char *name;
        uint64_t n, dim;
        double low, high;
    } sets[] = {{"products", 2400000, 100, 11, 13},
                {"papers100m", 111000000, 128, 10.5, 12.5},
                {"uk-union", 133000000, 256, 7, 9}};
    const double gib = 1 << 30;
    (void)state;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct graph g = {.n = sets[i].n, .feature_dim = sets[i].dim, .feature_bytes = 4, .row_bytes = 4 * sets[i].dim};
        struct workload w = {.hops = 2, .fanout = {25, 10}, .batch = 8000};
        struct reservation r;
        uint64_t sum = 0;
        reservation_estimate(&g, &w, 256, 8, &r);
        for (int t = 0; t < r.terms; t++) {
            sum += r.term[t].bytes;
            assert_true(strlen(r.term[t].formula) > 5);
        }
        assert_int_equal(sum, r.total);
        double v100 = 16 - (double)r.total / gib, a100 = 40 - (double)r.total / gib;
        if (!(v100 >= sets[i].low && v100 <= sets[i].high && a100 >= 32 && a100 <= 37))
            fail_msg("%s leaves %.2f of 16 GiB and %.2f of 40 GiB", sets[i].name, v100, a100);
    }
}

static void reservations_that_are_given(void **state)
{
    struct graph g = {.n = 1000, .feature_dim = 10, .feature_bytes = 4, .row_bytes = 40};
    struct workload w = {.hops = 1, .fanout = {5}, .batch = 10};
    struct reservation estimate, r;
    const uint64_t gib = (uint64_t)1 << 30;
    (void)state;
    reservation_estimate(&g, &w, 16, 4, &estimate);
    assert_int_equal(estimate.term[0].bytes, 2 * 16 * 16 * 8); /* one layer, 16 > 10 */
    assert_int_equal(estimate.term[2].bytes, 10 * 16 * 16);    /* 10 seeds x 16 channels x 4 bytes x 4 */
    assert_int_equal(estimate.term[3].bytes, 60 * 40 * 2);     /* 10 seeds and 50 draws */
    assert_int_equal(estimate.term[4].bytes, 50 * 3 * 8 * 2);  /* three ids of 8 bytes, two mini-batches */
    assert_int_equal(estimate.term[5].bytes, 60 * 2 * 16);     /* a table that is half full */
    assert_string_equal(estimate.term[7].name, "NCCL");
    assert_int_equal(estimate.term[7].bytes, (uint64_t)688 << 20);
    reservation_of_batch(&g, &w, 16, 2, (struct reservation_batch){30, 10, 50, true}, &r); /* drawn: some draws met */
    assert_string_equal(r.term[6].name, "allocator");
    assert_int_equal(r.term[6].bytes, (10 * 16 * 16 + 30 * 40 * 2 + 50 * 48 + 30 * 32) / 4);
    assert_int_equal(r.term[8].bytes, (uint64_t)544 << 20);
    reservation_estimate(&g, &w, 16, 1, &r);
    assert_true(r.total < estimate.total - ((uint64_t)688 << 20)); /* one GPU has no peers */
    r = estimate;
    GOOD(reservation_given("3GiB", &r, &err));
    assert_true(r.given && r.total == 3 * gib);
    r = estimate;
    GOOD(reservation_given("pagraph:3GiB", &r, &err));
    assert_int_equal(r.total, 4 * gib); /* total - used - 1 GiB is what the cache gets */
    r = estimate;
    GOOD(reservation_given("pagraph", &r, &err));
    assert_string_equal(estimate.term[estimate.terms - 2].name, "margin");
    assert_int_equal(estimate.term[estimate.terms - 1].bytes, 8 * 1000); /* the look-up of rows stays */
    assert_int_equal(r.total, estimate.total - estimate.term[estimate.terms - 2].bytes + gib);
    BAD(ST_USAGE, "--reserve", reservation_given("pagraph:", &r, &err));
    BAD(ST_USAGE, "--reserve", reservation_given("pagraphs", &r, &err));
    BAD(ST_USAGE, "--reserve", reservation_given("some", &r, &err));
}

/* Whether two servers, and two ways to train, share what does not follow from rates. */
static bool share(const char *one, const char *other, struct size_variant v, struct size_variant w, double factor)
{
    struct server *s = calloc(2, sizeof *s);
    unsigned char key[2][32];
    GOOD(server_load(one, &s[0], &err));
    GOOD(server_load(other, &s[1], &err));
    size_shared_key(&v, &s[0], 1, key[0]);
    size_shared_key(&w, &s[1], factor, key[1]);
    server_release(&s[0]);
    server_release(&s[1]);
    free(s);
    return !memcmp(key[0], key[1], sizeof key[0]);
}

static void alike_servers_share(void **state)
{
    struct size_variant v = {.batch = 8000, .element = 4, .fanout = {2, {25, 10}, NULL}, .share = 1, .grow = 1}, w = v;
    (void)state;
    w.share = 0.5;                                          /* of memory: follows at planning */
    assert_true(share("p3.16xlarge", "dgx-v100", v, w, 1)); /* two fully linked fours */
    assert_true(share("dgx-a100", "dgx-h100", v, w, 1));    /* eight behind switches */
    assert_false(share("p3.16xlarge", "dgx-h100", v, v, 1));
    assert_false(share("p3.16xlarge", "p3.8xlarge", v, v, 1));
    assert_false(share("dgx-h100", "dgx-h100:4", v, v, 1));
    assert_false(share("dgx-h100", "dgx-h100", v, v, 2)); /* a graph twice as large */
    w.batch = 4000;
    assert_false(share("dgx-h100", "dgx-h100", v, w, 1));
    w = v;
    w.element = 2;
    assert_false(share("dgx-h100", "dgx-h100", v, w, 1));
    w = v;
    w.fanout.value[1] = 5;
    assert_false(share("dgx-h100", "dgx-h100", v, w, 1));
    w = v;
    w.fanout.count = 1;
    assert_false(share("dgx-h100", "dgx-h100", v, w, 1));
}

static struct study *study_of(const struct size_shared *with) { return &with->study->node[0].s; }

/* The recordings of the study before are there, but for another key, or where a second curve's might not fit. */
static void recordings_stay(void **state)
{
    struct graph g = {.n = 3};
    struct size_shared with = {0};
    struct study_options o = {.graph = &g};
    const unsigned char one[32] = {1}, other[32] = {2};
    (void)state;
    GOOD(size_shared_next(&with, one, &g, NULL, &err));
    GOOD(size_shared_begin(&with, &o, &err));
    study_of(&with)->recordings = 7; /* none is owned, so none is freed */
    study_of(&with)->choice = mem_array(1, sizeof(struct deal_choice), "a choice", &err);
    study_of(&with)->choice[0].tried = doc_object();
    study_of(&with)->choices = 1;
    GOOD(size_shared_next(&with, one, &g, NULL, &err));
    GOOD(size_shared_begin(&with, &o, &err));
    assert_int_equal(study_of(&with)->recordings, 7);
    assert_int_equal(study_of(&with)->choices, 0);
    assert_ptr_equal(study_of(&with)->o.memo, with.memo);
    GOOD(size_shared_next(&with, other, &g, NULL, &err));
    GOOD(size_shared_begin(&with, &o, &err));
    assert_int_equal(study_of(&with)->recordings, 0);
    study_of(&with)->recordings = STUDY_RECORDINGS / 2 + 1;
    GOOD(size_shared_next(&with, other, &g, NULL, &err));
    GOOD(size_shared_begin(&with, &o, &err));
    assert_int_equal(study_of(&with)->recordings, 0);
    size_shared_release(&with);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(targets_are_read),
                                       cmocka_unit_test(targets_hold),
                                       cmocka_unit_test(knees),
                                       cmocka_unit_test(frontiers),
                                       cmocka_unit_test(frontiers_are_not_beaten),
                                       cmocka_unit_test(lines_between),
                                       cmocka_unit_test(variants_multiply),
                                       cmocka_unit_test(alike_servers_share),
                                       cmocka_unit_test(recordings_stay),
                                       cmocka_unit_test(reservations_of_the_papers),
                                       cmocka_unit_test(reservations_that_are_given)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
