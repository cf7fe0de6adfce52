/* Explanations: ranks, places and the byte a row lost to, recounted from the plan and the estimates; the bytes that
 * are said to be missing do buy the row. */
#include <math.h>
#include "planner/policies/density.h"
#include "planner/results/explain.h"
#include "tests/oracle/case.h"

static struct err err;
static struct graph graph;
static struct server server;

/* One policy's plan and its trace. */
struct made {
    struct study s;
    struct study_cell cell;
    struct workload w;
};

static void make(struct made *m, const char *policy, uint64_t bytes)
{
    m->w = (struct workload){.hops = 2, .fanout = {4, 3}, .batch = 8, .seed = 21};
    struct study_options o = case_options(&graph, &server, &m->w, 3, 0, 1);
    study_begin(&m->s, &o);
    case_cell(&m->cell, policy, bytes);
    OK(study_plan_all(&m->s, &m->cell, 1, &err));
    assert_int_equal(m->cell.verdict.status, POLICY_OK);
}

static void drop(struct made *m)
{
    study_cell_release(&m->cell);
    study_end(&m->s);
}

static void ask(const struct explain_subject *of, const struct made *m, struct explanation *e)
{
    struct explain_input in = {.graph = &graph,
                               .plan = &m->cell.plan,
                               .trace = m->cell.recording->trace,
                               .kernels = &kernels_cpu,
                               .threads = 1};
    OK(explain_make(&in, of, e, &err));
}

/* Rows of a vertex: topology, feature. */
static struct explanation *explain(const struct made *m, uint64_t v)
{
    static struct explanation e;
    struct explain_subject of = {.tables = 2, .table = {0, 1}, .vertex = v};
    explanation_release(&e);
    ask(&of, m, &e);
    return &e;
}

static const struct explained_row *row_of(const struct explanation *e, int pool, int kind)
{
    return &e->row[2 * pool + kind];
}

static void begin(uint64_t seed, const int *cliques)
{
    struct dice d = {seed};
    graph_shape(&graph, SHAPE_HUBS, 150, &d, 16, 4);
    graph_trains(&graph, &d, 0.4);
    server_cliques(&server, cliques, 64);
}

static bool holds(const struct plan *p, int g, bool topology, uint64_t v, uint64_t *slot)
{
    const struct row_list *l = topology ? &p->placement.topology[g] : &p->placement.feature[g];
    for (*slot = 0; *slot < l->count; ++*slot)
        if (l->id[*slot] == v) return true;
    return false;
}

/* Copies and sources are the plan's own: own memory, else a peer that holds the row, else the host. */
static void judge_places(const struct plan *p, const struct explanation *e)
{
    uint64_t slot;
    for (int i = 0; i < e->pools; i++)
        for (int kind = 0; kind < 2; kind++) {
            const struct explained_row *row = row_of(e, i, kind);
            int copies = 0;
            for (int k = 0; k < e->pool[i].gpus; k++) {
                if (!holds(p, e->pool[i].gpu[k], kind == 0, e->of.vertex, &slot)) continue;
                EQUAL(row->copy[copies].gpu, e->pool[i].gpu[k], "a copy");
                EQUAL(row->copy[copies++].slot, slot, "its slot");
            }
            EQUAL(row->copies, copies, "vertex %d", (int)e->of.vertex);
            EQUAL(row->bytes, kind ? graph.row_bytes : 4 * degree_of(&graph, e->of.vertex) + 8, "bytes");
        }
    for (int g = 0; g < p->assignment.gpus; g++)
        for (int kind = 0; kind < 2; kind++) {
            int from = e->source[kind][g];
            bool own = holds(p, g, kind == 0, e->of.vertex, &slot), any = own;
            for (int i = 0; i < p->placement.peers[g]; i++)
                any |= holds(p, p->placement.peer[g][i], kind == 0, e->of.vertex, &slot);
            HOLDS(own   ? from == g
                  : any ? from != g && holds(p, from, kind == 0, e->of.vertex, &slot)
                        : from < 0,
                  "reader %d of vertex %d: %d", g, (int)e->of.vertex, from);
        }
}

/* Place of row (kind, v) by insertion: how many of both kinds save more per byte, ties to topology and the lower id. */
static uint64_t plain_rank(const struct estimates *s, int kind, uint64_t v)
{
    uint64_t mine = 0, rank = 1;
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t x = 0; x < 2 * graph.n; x++) {
            uint64_t u = x % graph.n, of = x < graph.n ? 0 : 1;
            uint64_t key = of ? density_key((double)s->feature[u], graph.row_bytes)
                              : density_key((double)s->topology[u], 4 * degree_of(&graph, u) + 8);
            bool self = of == (uint64_t)kind && u == v, before = of < (uint64_t)kind || (of == (uint64_t)kind && u < v);
            if (!pass && self) mine = key;
            if (pass && !self) rank += key > mine || (key == mine && before);
        }
    return rank;
}

static void both_kinds_in_one_order(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(4); i++) {
        struct made m;
        begin(test_seed(i) * 13 + 1, (const int[]){2, 1, 0});
        make(&m, "hotset", 2000);
        for (uint64_t v = 0; v < graph.n; v += 7) {
            struct explanation *e = explain(&m, v);
            assert_true(e->one_order && !e->substitute && !e->beyond);
            assert_int_equal(e->pools, 2);
            judge_places(&m.cell.plan, e);
            for (int c = 0; c < 2; c++)
                for (int kind = 0; kind < 2; kind++) {
                    const struct estimates *s = &m.cell.recording->estimates[RATE_CALIBRATED][c];
                    const struct explained_row *row = row_of(e, c, kind);
                    EQUAL(row->rank, plain_rank(s, kind, v), "vertex %d, kind %d", (int)v, kind);
                    EQUAL(row->of, 2 * graph.n, "rows");
                    HOLDS(fabs(row->saved - (double)(kind ? s->feature : s->topology)[v]) < 1e-6, "vertex %d", (int)v);
                    HOLDS(row->copies || (row->lost && (row->more_bytes || !row->useful)),
                          "vertex %d is not held and lacks nothing", (int)v);
                    HOLDS(!row->copies || !row->more_bytes, "vertex %d is held and lacks something", (int)v);
                }
        }
        drop(&m);
        graph_drop(&graph);
    }
}

/* On one GPU the bytes that are missing, added to the budget, buy the row; and one byte less does not, unless smaller
 * rows behind it left room. */
static void missing_bytes_buy_the_row(void **state)
{
    static const char *const names[] = {"hotset", "legion+exact-split"};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        struct made m, more;
        uint64_t bought = 0;
        begin(5, (const int[]){1, 0});
        make(&m, names[k], 3000);
        for (uint64_t v = 0; v < graph.n; v += 5 * test_step(9))
            for (int kind = 0; kind < 2; kind++) {
                const struct explained_row row = *row_of(explain(&m, v), 0, kind);
                if (row.copies || !row.useful) continue;
                make(&more, names[k], 3000 + row.more_bytes);
                HOLDS(row_of(explain(&more, v), 0, kind)->copies == 1, "%s: vertex %d, kind %d with %d bytes more",
                      names[k], (int)v, kind, (int)row.more_bytes);
                drop(&more);
                bought++;
            }
        assert_true(bought > (test_is_short() ? 0 : 20));
        drop(&m);
        graph_drop(&graph);
    }
}

/* quiver ranks features by degree, each kind for itself: rank, loser and missing bytes by plain counting. */
static void each_kind_by_hotness(void **state)
{
    struct made m;
    (void)state;
    begin(9, (const int[]){2, 0});
    make(&m, "quiver", 10 * graph.row_bytes); /* the 20 longest rows */
    for (uint64_t v = 0; v < graph.n; v++) {
        const struct explanation *e = explain(&m, v);
        const struct explained_row *row = row_of(e, 0, 1);
        uint64_t rank = 1;
        for (uint64_t u = 0; u < graph.n; u++)
            rank += degree_of(&graph, u) > degree_of(&graph, v) ||
                    (degree_of(&graph, u) == degree_of(&graph, v) && u < v);
        judge_places(&m.cell.plan, e);
        EQUAL(row->rank, rank, "vertex %d", (int)v);
        EQUAL(row->copies, rank <= 20, "vertex %d", (int)v);
        if (!row->copies) EQUAL(row->more_bytes, (rank - 20) * graph.row_bytes, "vertex %d", (int)v);
        HOLDS(row->lost && row->last_table == 1, "vertex %d", (int)v);
        EQUAL(row_of(explain(&m, row->last_row), 0, 1)->rank, 20, "the last one taken");
        HOLDS(!e->one_order && !row_of(e, 0, 0)->copies && !row_of(e, 0, 0)->lost, "quiver holds no topology");
    }
    drop(&m);
    graph_drop(&graph);
}

/* Other policies: places are right, replicated copies make pools of single GPUs, and nothing is ranked where nothing
 * is cached. */
static bool is_one_of(const char *name, const char *const *list)
{
    while (*list && strcmp(*list, name)) list++;
    return *list != NULL;
}

static void every_policy_can_be_asked(void **state)
{
    static const char *const own_order[] = {"oracle", "pagraph", "pagraph-plus",
                                            "ducati", "dsp",     NULL}; /* of no metric that a clique has */
    (void)state;
    begin(3, (const int[]){2, 2, 0});
    for (int g = 0; g < server.gpus; g++) server.gpu[g].memory_bytes = 1 << 20;
    for (const struct policy *const *p = policies_registered; *p; p++) {
        struct made m;
        if ((*p)->cache) continue; /* rows that come and go have no reason to be held */
        make(&m, (*p)->name, 4 * graph.m + 8 * graph.n + 20 * graph.row_bytes);
        for (uint64_t v = 0; v < graph.n; v += 29 * test_step(4)) judge_places(&m.cell.plan, explain(&m, v));
        const struct explanation *e = explain(&m, 0);
        EQUAL(e->pools, (*p)->own_memory ? 4 : 2, "%s", (*p)->name);
        EQUAL(e->ranked, strcmp((*p)->hotness, "none") != 0, "%s", (*p)->name);
        EQUAL(e->substitute, is_one_of((*p)->name, own_order), "%s", (*p)->name);
        drop(&m);
    }
    graph_drop(&graph);
}

/* A table's held rows, and where the budget ends, by plain counting; what is expected of a table is the sum of what is
 * expected of its rows. */
static void tables_are_sums_of_rows(void **state)
{
    struct counted {
        double saved, held_saved, least, left;
        uint64_t held, held_bytes;
    } counted[4]; /* [2 pool + kind] */
    struct made m;
    struct explain_subject of;
    struct explanation e;
    (void)state;
    begin(7, (const int[]){2, 1, 0});
    make(&m, "hotset", 2500);
    OK(explain_tables(&graph, NULL, &of, &err));
    assert_int_equal(of.tables, 2);
    ask(&of, &m, &e);
    for (int i = 0; i < 4; i++) counted[i] = (struct counted){.least = INFINITY, .left = -INFINITY};
    for (uint64_t v = 0; v < graph.n; v++) {
        const struct explanation *of_row = explain(&m, v);
        for (int i = 0; i < 4; i++) {
            const struct explained_row *row = row_of(of_row, i / 2, i % 2);
            double density = row->saved / (double)row->bytes;
            struct counted *sum = &counted[i];
            sum->saved += row->saved;
            sum->held += row->copies > 0;
            sum->held_bytes += row->copies ? row->bytes : 0;
            sum->held_saved += row->copies ? row->saved : 0;
            if (row->copies) sum->least = fmin(sum->least, density);
            else sum->left = fmax(sum->left, density);
        }
    }
    for (int i = 0; i < 4; i++) {
        const struct explained_table *t = &e.table[i];
        const struct counted *sum = &counted[i];
        EQUAL(t->held, sum->held, "rows held");
        EQUAL(t->held_bytes, sum->held_bytes, "bytes held");
        HOLDS(fabs(t->saved - sum->saved) < 1e-3 && fabs(t->saved_held - sum->held_saved) < 1e-3, "saved");
        HOLDS(sum->held ? fabs(t->least_held - sum->least) < 1e-9 : isnan(t->least_held), "least held");
        HOLDS(sum->held < graph.n ? fabs(t->best_left - sum->left) < 1e-9 : isnan(t->best_left), "best left");
    }
    explanation_release(&e);
    drop(&m);
    graph_drop(&graph);
}

static void wrong_subjects(void **state)
{
    struct explain_subject of;
    struct graph_names names;
    static const char *const wrong[] = {"-1", "150", "9223372036854775807", "-9223372036854775808"};
    (void)state;
    begin(4, (const int[]){1, 0});
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        err_clear(&err);
        assert_int_equal(explain_vertex(&graph, wrong[i], 1, &of, &names, &err), ST_INPUT);
        assert_non_null(strstr(err.text, "0 to 149"));
    }
    err_clear(&err);
    assert_int_equal(explain_vertex(&graph, "x", 1, &of, &names, &err), ST_USAGE);
    err_clear(&err);
    assert_int_equal(explain_tables(&graph, "nobody", &of, &err), ST_USAGE);
    err_clear(&err);
    OK(explain_tables(&graph, "feature", &of, &err));
    assert_true(of.tables == 1 && of.table[0] == 1 && of.whole);
    graph_drop(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_kinds_in_one_order),
                                       cmocka_unit_test(missing_bytes_buy_the_row),
                                       cmocka_unit_test(each_kind_by_hotness),
                                       cmocka_unit_test(every_policy_can_be_asked),
                                       cmocka_unit_test(tables_are_sums_of_rows),
                                       cmocka_unit_test(wrong_subjects)};
    return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
