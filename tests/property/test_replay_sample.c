/* A replay that counts some of the rows, on random graphs with hot rows: with every row it is the replay of all rows to
 * the last read; with one in four it is right in the mean, off by as much as it says, reads nothing and everything
 * where that is so, and the same on any number of threads. */
#include <math.h>
#include "simulator/replay/replay.h"
#include "tests/oracle/instance.h"

enum { ROWS = 4000, ARCS = 24000, TRAINED = 500, GPUS = 2, PLACEMENTS = 4, EACH = 4 };

static struct err err;

/* Placements of the graph's rows, and of those of a sample that are among them. */
struct instance {
    struct graph g;
    struct assignment a;
    struct workload w;
    struct placement all[PLACEMENTS], some[PLACEMENTS];
    struct replay_sample sample;
    uint64_t id[ROWS];
    int64_t indptr[ROWS + 1];
};

/* Low numbers are drawn most: as the cube of what is drawn evenly. */
static void make_graph(struct instance *x, struct dice *d)
{
    struct arcs a = {0};
    uint32_t train[GPUS][TRAINED];
    for (int i = 0; i < ARCS; i++) {
        const double u = (double)(dice_word(d) >> 11) * 0x1p-53;
        arcs_add(&a, dice_below(d, ROWS), (uint64_t)(ROWS * u * u * u));
    }
    graph_of(&x->g, ROWS, &a, 25, 4, "in");
    x->a.gpus = GPUS;
    x->a.cliques = 1;
    for (int g = 0; g < GPUS; g++) {
        x->a.id[g] = g;
        for (uint32_t i = 0; i < TRAINED; i++) train[g][i] = (uint32_t)(ROWS / TRAINED * i + (uint32_t)g);
        OK(assignment_set_train(&x->a, g, train[g], TRAINED, ROWS, "a test", &err));
    }
    x->w = (struct workload){.hops = 2, .fanout = {5, 3}, .batch = 20, .seed = d->at};
}

/* One row in `each` of those that follow each other; 1: all. */
static void take_sample(struct instance *x, struct dice *d, uint64_t each)
{
    x->sample = (struct replay_sample){ROWS / each, x->id, x->indptr};
    for (uint64_t i = 0; i < x->sample.rows; i++) {
        x->id[i] = each * i + dice_below(d, each);
        x->indptr[i + 1] = x->indptr[i] + (int64_t)graph_degree(&x->g, x->id[i]);
    }
}

static void hold(struct placement *p, bool topology, int g, uint64_t row)
{
    OK(row_list_add(topology ? &p->topology[g] : &p->feature[g], (uint32_t)row, &err));
}

/* Placement k holds the hottest rows of each kind in turn on both GPUs: none, few, a third, all. */
static void place(struct instance *x)
{
    static const uint64_t held[PLACEMENTS][2] = {{0, 0}, {100, 300}, {1200, 1500}, {ROWS, ROWS}};
    for (int k = 0; k < PLACEMENTS; k++) {
        placement_release(&x->all[k]);
        placement_release(&x->some[k]);
        x->all[k] = x->some[k] = (struct placement){.gpus = GPUS, .peers = {1, 1}, .peer = {{1}, {0}}};
        for (uint64_t kind = 0; kind < 2; kind++) {
            for (uint64_t v = 0; v < held[k][kind]; v++) hold(&x->all[k], kind == 0, (int)(v % GPUS), v);
            for (uint64_t i = 0; i < x->sample.rows; i++)
                if (x->id[i] < held[k][kind]) hold(&x->some[k], kind == 0, (int)(x->id[i] % GPUS), i);
        }
    }
}

static void replay(const struct instance *x, bool sampled, int threads, struct replay *out)
{
    const struct placement *list[PLACEMENTS];
    for (int k = 0; k < PLACEMENTS; k++) list[k] = sampled ? &x->some[k] : &x->all[k];
    const struct replay_request r = {.graph = &x->g,
                                     .assignment = &x->a,
                                     .workload = &x->w,
                                     .line_bytes = 64,
                                     .epochs = 2,
                                     .seed = x->w.seed + 5,
                                     .threads = threads,
                                     .sample = sampled ? &x->sample : NULL};
    memset(out, 0, PLACEMENTS * sizeof *out);
    OK(replay_run(&r, list, PLACEMENTS, out, &err));
}

static void drop(struct replay *of)
{
    for (int k = 0; k < PLACEMENTS; k++) replay_release(&of[k]);
}

static void drop_instance(struct instance *x)
{
    for (int k = 0; k < PLACEMENTS; k++) {
        placement_release(&x->all[k]);
        placement_release(&x->some[k]);
    }
    assignment_release(&x->a);
    graph_drop(&x->g);
}

static void equal_counts(const struct replay *one, const struct replay *other, const char *what, int k)
{
    for (int g = 0; g < GPUS; g++)
        HOLDS(!memcmp(&one->gpu[g], &other->gpu[g], sizeof one->gpu[g]), "%s: GPU %d, placement %d", what, g, k);
}

static void every_row_is_all_rows(void **state)
{
    static struct instance x;
    struct replay all[PLACEMENTS], some[PLACEMENTS];
    (void)state;
    for (uint64_t i = 0; i < test_rounds(4); i++) {
        struct dice d = {test_seed(i) * 77 + 1};
        memset(&x, 0, sizeof x);
        make_graph(&x, &d);
        for (int s = 0; s < 2; s++) { /* also where draws are counted, which do not follow from visits */
            x.w.sampler = s ? SAMPLER_LABOR : SAMPLER_UNIFORM;
            take_sample(&x, &d, 1);
            place(&x);
            replay(&x, false, 1, all);
            replay(&x, true, 1, some);
            for (int k = 0; k < PLACEMENTS; k++) {
                equal_counts(&all[k], &some[k], "all rows", k);
                HOLDS(all[k].low == some[k].low && all[k].high == some[k].high, "%g..%g, not %g..%g", some[k].low,
                      some[k].high, all[k].low, all[k].high);
            }
            drop(all);
            drop(some);
        }
        drop_instance(&x);
    }
}

static double host_of(const struct replay *r)
{
    double sum = 0;
    for (int g = 0; g < GPUS; g++) sum += (double)(r->gpu[g].topology + r->gpu[g].feature);
    return sum / (double)r->epochs;
}

/* The half width of an interval in standard deviations, without the spread of mini-batches, which both have. */
static double stated_error(const struct replay *some, const struct replay *all)
{
    const double wide = (some->high - some->low) / 2, drawn = (all->high - all->low) / 2;
    return sqrt(fmax(0, wide * wide - drawn * drawn)) / 1.96;
}

static void some_rows_stand_for_all(void **state)
{
    enum { SAMPLES = 60 };
    static struct instance x;
    struct replay all[PLACEMENTS], some[PLACEMENTS], again[PLACEMENTS];
    double off[PLACEMENTS] = {0}, squares[PLACEMENTS] = {0}, stated[PLACEMENTS] = {0};
    struct dice d = {test_seed(0) * 31 + 7};
    (void)state;
    memset(&x, 0, sizeof x);
    make_graph(&x, &d);
    for (int i = 0; i < SAMPLES; i++) {
        take_sample(&x, &d, EACH);
        place(&x);
        replay(&x, false, 1, all);
        replay(&x, true, 1, some);
        replay(&x, true, 3, again);
        for (int k = 0; k < PLACEMENTS; k++) {
            const double error = host_of(&some[k]) - host_of(&all[k]), sigma = stated_error(&some[k], &all[k]);
            equal_counts(&some[k], &again[k], "three threads", k);
            off[k] += error / SAMPLES;
            squares[k] += error * error / SAMPLES;
            stated[k] += sigma / SAMPLES;
            for (int g = 0; g < GPUS; g++) EQUAL(some[k].gpu[g].lines, all[k].gpu[g].lines, "GPU %d", g);
        }
        equal_counts(&all[0], &some[0], "nothing cached", 0);
        HOLDS(host_of(&some[3]) == 0, "everything cached: %g transactions", host_of(&some[3]));
        for (int g = 0; g < GPUS; g++)
            HOLDS(!some[3].gpu[g].rows[GPUS] && !some[3].gpu[g].visits[GPUS], "everything cached: GPU %d", g);
        if (i < SAMPLES - 1) drop(all);
        drop(some);
        drop(again);
    }
    for (int k = 1; k < 3; k++) {
        const double root = sqrt(squares[k]), reads = host_of(&all[k]);
        HOLDS(fabs(off[k]) < 4 * root / sqrt(SAMPLES), "placement %d: off by %g in the mean, %g at a time", k, off[k],
              root);
        HOLDS(root < 0.05 * reads, "placement %d: off by %g of %g", k, root, reads);
        HOLDS(stated[k] > root && stated[k] < 2.5 * root, "placement %d: off by %g, said %g", k, root, stated[k]);
    }
    drop(all);
    drop_instance(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_is_all_rows),
                                       cmocka_unit_test(some_rows_stand_for_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
