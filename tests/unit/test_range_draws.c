/* Mini-batches of a graph whose vertices several processes own: the processes are played one after the other, and the
 * test carries what they send. Their counts, laid end to end, must be those of one sampler of the whole graph. */
#include <stdlib.h>
#include <string.h>

#include "base/ranks.h"
#include "tests/oracle/instance.h"
#include "traces/recording/range_counts.h"
#include "traces/sampling/range_draws.h"

enum { MOST = 12, ROUNDS = 12 };
static struct err err;

struct process {
    struct graph_ranges ranges;
    struct sampler *s;
    struct range_draws *d;
    struct tally_sheet t;
    struct range_mail mail;
};

static void process_new(struct process *p, const struct graph *g, const struct graph_ranges *ranges, int mine,
                        const struct workload *w, int threads, uint64_t memory)
{
    p->ranges = *ranges;
    p->ranges.mine = mine;
    uint64_t first = graph_ranges_first(&p->ranges), end = graph_ranges_end(&p->ranges);
    OK(sampler_new_range(g, w, 64, threads, first, end, &p->s, &err));
    OK(range_draws_new(p->s, &p->ranges, memory, 1000, &p->d, &err));
    sheet_new(&p->t, end - first, w->hops);
}

static void process_free(struct process *p)
{
    range_draws_free(p->d);
    sampler_free(p->s);
    sheet_free(&p->t);
}

/* Carries the words of every process to every process. */
static void carry(struct process *all, int count)
{
    for (int to = 0; to < count; to++) {
        uint32_t *next = all[to].mail.receive;
        for (int from = 0; from < count; from++) {
            const uint32_t *at = all[from].mail.send;
            for (int i = 0; i < to; i++) at += all[from].mail.send_words[i];
            uint64_t words = all[from].mail.send_words[to];
            all[to].mail.receive_words[from] = words;
            memcpy(next, at, words * sizeof *at);
            next += words;
        }
    }
}

/* Draws all tasks; returns how many blocks it took. */
static int draw_all(struct process *all, int count, const struct workload *w, uint64_t tasks)
{
    int blocks = 0;
    for (uint64_t at = 0, some = 0; at < tasks; at += some, blocks++) {
        for (int i = 0; i < count; i++) {
            uint64_t mine = range_draws_begin(all[i].d, at, tasks, &all[i].t.c);
            assert_true(mine > 0 && (i == 0 || mine == some));
            some = mine;
        }
        for (int h = 0; h < w->hops; h++) {
            for (int i = 0; i < count; i++) range_draws_send(all[i].d, h, &all[i].t.c, &all[i].mail);
            carry(all, count);
            for (int i = 0; i < count; i++) range_draws_receive(all[i].d, h, &all[i].t.c);
        }
    }
    return blocks;
}

static void same_counts(const struct process *all, int count, const struct tally_sheet *whole)
{
    uint64_t lines = 0;
    for (int i = 0; i < count; i++) {
        uint64_t first = graph_ranges_first(&all[i].ranges), vertices = all[i].t.n;
        const struct sample_counts *c = &all[i].t.c;
        assert_memory_equal(c->feature, whole->c.feature + first, vertices * sizeof(uint32_t));
        assert_memory_equal(c->lines, whole->c.lines + first, vertices * sizeof(uint32_t));
        for (int h = 0; h < whole->hops; h++)
            assert_memory_equal(c->visits[h], whole->c.visits[h] + first, vertices * sizeof(uint32_t));
        lines += c->total_lines;
    }
    EQUAL(lines, whole->c.total_lines, "transactions");
}

/* Draws everything once as a whole and once by the owners. Returns the number of blocks. */
static int compare(const struct graph *g, const struct workload *w, const struct graph_ranges *ranges, int threads,
                   uint64_t memory)
{
    enum { EPOCHS = 2, GPU = 3 };
    struct process all[MOST] = {0};
    struct tally_sheet whole;
    struct sampler *s;
    OK(sampler_new(g, w, 64, 1, &s, &err));
    OK(sampler_gpu(s, GPU, g->train, g->train_count, EPOCHS, &err));
    sheet_new(&whole, g->n, w->hops);
    uint64_t tasks = EPOCHS * sampler_batches(s);
    sampler_run(s, 0, tasks, &whole.c);
    for (int i = 0; i < ranges->count; i++) {
        process_new(&all[i], g, ranges, i, w, threads, memory);
        OK(sampler_gpu(all[i].s, GPU, g->train, g->train_count, EPOCHS, &err));
        EQUAL(sampler_batches(all[i].s) * EPOCHS, tasks, "tasks");
    }
    int blocks = draw_all(all, ranges->count, w, tasks);
    same_counts(all, ranges->count, &whole);
    for (int i = 0; i < ranges->count; i++) process_free(&all[i]);
    sheet_free(&whole);
    sampler_free(s);
    return blocks;
}

/* A graph, a workload, and ranges: even ones of 1 to 12 processes (also more than there are vertices), all vertices at
 * one of them, or cut anywhere, so that ranges are empty. */
static void counts_are_those_of_one_process(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < test_rounds(ROUNDS * 6); round++) {
        struct dice d = {test_seed(round)};
        struct graph g;
        struct graph_ranges ranges = {0};
        uint64_t n = dice_range(&d, 1, round % 3 ? 60 : 9);
        struct arcs a = {0};
        for (uint64_t i = dice_below(&d, 8 * n + 1); i > 0; i--) arcs_add(&a, dice_below(&d, n), dice_below(&d, n));
        graph_of(&g, n, &a, 4, 4, "in");
        graph_trains(&g, &d, 0.6);
        float weights[500]; /* arcs are at most 8 n */
        for (uint64_t i = 0; i < g.m; i++) weights[i] = (float)dice_below(&d, 5);
        bool biased = dice_chance(&d, 0.3);
        if (biased) g.weights = weights;
        struct workload w = {.hops = (int)dice_range(&d, 1, 3),
                             .batch = dice_range(&d, 1, 7),
                             .frontier = (enum frontier_rule)dice_below(&d, FRONTIER_RULES),
                             .sampler = biased ? SAMPLER_BIASED : SAMPLER_UNIFORM,
                             .seed = dice_word(&d)};
        for (int h = 0; h < w.hops; h++)
            w.fanout[h] = dice_chance(&d, 0.2) ? FANOUT_ALL : (uint32_t)dice_range(&d, 1, 6);
        graph_ranges_make(&g, (int)dice_range(&d, 1, MOST), 0, &ranges);
        uint64_t last = 0, kind = dice_below(&d, 3), one = dice_below(&d, (uint64_t)ranges.count);
        for (int i = 1; kind && i < ranges.count; i++)
            last = ranges.begin[i] = kind == 1 ? ((uint64_t)i > one ? n : 0) : dice_range(&d, last, n);
        int few = compare(&g, &w, &ranges, 1 + (int)dice_below(&d, 2), 1 << 24), many = compare(&g, &w, &ranges, 1, 1);
        assert_true(g.train_count ? few >= 1 && many >= 2 && many >= few
                                  : !few && !many); /* one mini-batch at a time */
        graph_drop(&g);
    }
}

/* Offsets of 8 bytes and ids of 4: rows of 8, 8 + 4 x 10, 8, 8 bytes. Half of 72 is reached behind vertex 1. */
static void ranges_share_bytes(void **state)
{
    int64_t indptr[] = {0, 0, 10, 10, 10};
    struct graph g = {.n = 4, .m = 10, .indptr = indptr};
    struct graph_ranges r = {0};
    (void)state;
    graph_ranges_make(&g, 2, 1, &r);
    assert_true(r.begin[0] == 0 && r.begin[1] == 2 && r.begin[2] == 4);
    assert_true(graph_ranges_first(&r) == 2 && graph_ranges_end(&r) == 4);
    assert_int_equal(graph_ranges_bytes(&g, &r), 16);
    assert_int_equal(graph_ranges_all_bytes(&g), 72);
    /* Ninths of 8 bytes: 1 is reached behind vertex 0; 2 to 6 behind vertex 1; 7 behind 1 as 56 bytes; 8 behind 2. */
    graph_ranges_make(&g, 9, 0, &r);
    const uint64_t begin[] = {0, 1, 2, 2, 2, 2, 2, 2, 3, 4};
    assert_memory_equal(r.begin, begin, sizeof begin);
    const int owner[] = {0, 1, 7, 8};
    for (uint64_t v = 0; v < 4; v++) assert_int_equal(graph_ranges_owner(&r, v), owner[v]);
    /* Offsets that were not checked: whatever they are, the ranges cover the vertices. */
    indptr[1] = -5;
    indptr[2] = INT64_MAX;
    graph_ranges_make(&g, 3, 0, &r);
    for (int i = 0; i < 3; i++) assert_true(r.begin[i] <= r.begin[i + 1]);
    assert_true(r.begin[0] == 0 && r.begin[3] == 4);
}

static void workloads_are_refused(void **state)
{
    struct workload w = {.hops = 1, .fanout = {2}, .batch = 4};
    (void)state;
    assert_null(range_draws_why_not(&w));
    w.sampler = SAMPLER_BIASED;
    assert_null(range_draws_why_not(&w));
    const enum sampler_kind others[] = {SAMPLER_WALK, SAMPLER_LAYER_WISE, SAMPLER_LAYER_WISE_REPLACE, SAMPLER_LABOR};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        w.sampler = others[i];
        assert_non_null(range_draws_why_not(&w));
    }
    w.sampler = SAMPLER_UNIFORM;
    w.order = ORDER_BFS;
    assert_non_null(range_draws_why_not(&w));
    w.order = ORDER_SHUFFLE;
    w.edge_share = 0.5;
    assert_non_null(range_draws_why_not(&w));
}

/* 2^20 seeds of fan-out 1000 may draw 10^9 neighbours in one hop, more than ranks exchange at once. */
static void a_mini_batch_that_is_too_large(void **state)
{
    struct graph g = {.n = 1 << 20, .m = (uint64_t)1 << 40};
    struct workload w = {.hops = 1, .fanout = {1000}, .batch = 1 << 20};
    struct graph_ranges r = {.count = 1, .begin = {0, 0}};
    struct sampler *s = NULL;
    struct range_draws *d = NULL;
    (void)state;
    OK(sampler_new_range(&g, &w, 64, 1, 0, 0, &s, &err));
    assert_int_equal(range_draws_new(s, &r, 1 << 20, 1, &d, &err), ST_LIMIT);
    assert_non_null(strstr(err.text, "smaller --batch"));
    sampler_free(s);
}

static uint32_t gathered[5];
static void take(void *context, uint64_t first, uint32_t *counts, uint64_t count)
{
    ++*(int *)context;
    memcpy(gathered + first, counts, count * sizeof *counts);
}

/* Alone, what a rank exchanges comes back to it; counts of 8, 16 and 32 bits. */
static void one_rank_gathers(void **state)
{
    const uint32_t most[] = {255, 256, 65535, 65536, UINT32_MAX};
    uint64_t number = 7, back = 0;
    struct graph_ranges r = {.count = 1, .begin = {0, 5}};
    (void)state;
    OK(ranks_exchange_numbers(&number, &back, &err));
    assert_int_equal(back, 7);
    for (size_t i = 0; i < COUNT_OF(most); i++) {
        const uint32_t counts[] = {0, 0, most[i], 0, 0};
        int calls = 0;
        OK(range_counts_gather(&r, counts, take, &calls, &err));
        assert_int_equal(calls, 1);
        assert_memory_equal(gathered, counts, sizeof counts);
    }
    r.begin[1] = 0; /* an empty range: nobody is asked */
    int calls = 0;
    OK(range_counts_gather(&r, NULL, take, &calls, &err));
    assert_int_equal(calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_those_of_one_process),
                                       cmocka_unit_test(ranges_share_bytes), cmocka_unit_test(workloads_are_refused),
                                       cmocka_unit_test(a_mini_batch_that_is_too_large),
                                       cmocka_unit_test(one_rank_gathers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
