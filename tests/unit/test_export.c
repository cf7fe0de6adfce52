/* Exports: limits of every format's integers, targets by name, and what is taken from a plan's placement. */
#include "tests/unit/unit.h"
#include "base/mem.h"
#include "planner/exports/export.h"

static struct err err;

static struct export_input input(struct graph *g, struct plan *p, struct server *s)
{
    p->assignment.gpus = p->assignment.cliques = 1;
    p->placement.gpus = 1;
    static const struct graph_sets none;
    return (
        struct export_input){.graph = g, .sets = &none, .plan = p, .server = s, .kernels = &kernels_ref, .threads = 1};
}

static enum st check(const char *name, uint64_t n, uint64_t m)
{
    static struct plan p;
    static struct server s;
    struct graph g = {.n = n, .m = m, .feature_dim = 1, .feature_bytes = 4, .row_bytes = 4};
    struct export_input in = input(&g, &p, &s);
    const struct export_target *t = NULL;
    enum st st = export_find("--to", name, &t, &err);
    return st == ST_OK ? t->check(&in, &err) : st;
}

static void test_limits(void **state)
{
    (void)state;
    const uint64_t two31 = (uint64_t)1 << 31, two32 = (uint64_t)1 << 32;
    GOOD(check("legion", two31 - 1, two32 * 100)); /* ids are int32, offsets int64 */
    BAD(ST_LIMIT, "2,147,483,648 vertices", check("legion", two31, 10));
    GOOD(check("gnnlab", two31, two32 - 1)); /* offsets are uint32, the last one is the number of edges */
    BAD(ST_LIMIT, "4,294,967,296 edges", check("gnnlab", 10, two32));
    BAD(ST_LIMIT, "4,294,967,295 vertices", check("gnnlab", two32 - 1, 10));
    BAD(ST_LIMIT, "edges", check("ugache", 10, two32));
    GOOD(check("quiver", two31, two32));
    GOOD(check("dgl", two31, two32));
    GOOD(check("npy", two31, two32));
    BAD(ST_USAGE, "did you mean 'gnnlab'", check("gnnlob", 1, 1));
    BAD(ST_USAGE, "dgl, gids, glt, gnnlab, legion, npy, pagraph, pyg, quiver, ugache", check("graphs", 1, 1));
}

/* Four GPUs, cliques {0, 2} and {1, 3}; everybody reads everybody. */
static uint32_t rows[4][3] = {{5, 1, 2}, {4, 5, 0}, {2, 5, 3}, {7, 6, 4}};
static void make(struct plan *p)
{
    memset(p, 0, sizeof *p);
    p->assignment.gpus = p->placement.gpus = 4;
    p->assignment.cliques = 2;
    for (int g = 0; g < 4; g++) {
        p->assignment.id[g] = g;
        p->assignment.clique_of[g] = g % 2;
        p->placement.feature[g] = (struct row_list){.id = rows[g], .count = 3};
        for (int i = 0; i < 4; i++)
            if (i != g) p->placement.peer[g][p->placement.peers[g]++] = i;
    }
}

static void test_taking(void **state)
{
    (void)state;
    static struct plan p;
    struct export_runs r = {0};
    struct export_run *run = NULL;
    bool taken = false;
    make(&p);
    GOOD(export_runs_begin(&r, &p, &err));
    GOOD(export_lack(&r, &run, "x", &err, "y %d", 1));
    assert_string_equal(run->why, "y 1");
    assert_true(export_run_clique_peers(run, &p.assignment));
    assert_int_equal(run->placement.peers[3], 1);
    assert_int_equal(run->placement.peer[3][0], 1);
    assert_false(export_run_clique_peers(run, &p.assignment));
    assert_int_equal(p.placement.peers[3], 3); /* the plan is as it was */
    GOOD(export_run_once_per_clique(&r, run, 8, &taken, &err));
    assert_true(taken);
    /* clique {0, 2}, slot by slot: 5 2 | 1 (5) | (2) 3; clique {1, 3}: 4 7 | 5 6 | 0 (4) */
    const uint32_t kept[4][3] = {{5, 1}, {4, 5, 0}, {2, 3}, {7, 6}};
    const uint64_t count[4] = {2, 3, 2, 2};
    for (int g = 0; g < 4; g++) {
        assert_int_equal(run->placement.feature[g].count, count[g]);
        assert_memory_equal(run->placement.feature[g].id, kept[g], count[g] * 4);
    }
    GOOD(export_run_once_per_clique(&r, run, 8, &taken, &err));
    assert_false(taken);
    assert_false(export_run_no_topology(run));
    assert_true(export_run_no_peers(run));
    assert_false(export_run_no_peers(run));
    export_runs_release(&r);
    assert_int_equal(mem_in_use(), 0);
}

static void test_train_order(void **state)
{
    (void)state;
    static struct plan p;
    uint32_t a[] = {1, 6}, b[] = {0, 4}, listed[] = {6, 3, 0, 1}, *ids = NULL;
    uint8_t owner[8];
    uint64_t count = 0;
    struct graph g = {.n = 8, .train = listed, .train_count = 4};
    make(&p);
    p.assignment.train[1] = a;
    p.assignment.train[2] = b;
    p.assignment.train_count[1] = p.assignment.train_count[2] = 2;
    struct export_input in = {.graph = &g, .plan = &p};
    GOOD(export_train(&in, &ids, &count, owner, &err));
    assert_int_equal(count, 4); /* 3 is nobody's; 4 is not in the graph's list and comes last */
    assert_memory_equal(ids, ((uint32_t[]){6, 0, 1, 4}), 16);
    assert_memory_equal(owner, ((uint8_t[]){2, 1, 255, 255, 2, 255, 1, 255}), 8);
    assert_int_equal(export_stand_in(&in, owner), 2);
    mem_free(ids);
}

static void test_files(void **state)
{
    (void)state;
    struct export_folder f = {0};
    struct export_file file = {0};
    int64_t offsets[] = {0, 4294967295};
    char text[64];
    GOOD(export_folder_begin(&f, in_scratch("out"), &err));
    GOOD(export_offsets_raw(&f, "offsets", "offsets", offsets, 2, 4, &err));
    GOOD(export_file_raw(&f, "many", "many", 1000, 8, &file, &err));
    GOOD(export_file_repeat(&file, 258, 1000, 8, &err));
    GOOD(export_file_end(&file, &err));
    GOOD(export_file_raw(&f, "short", "short", 3, 4, &file, &err));
    GOOD(export_file_repeat(&file, 1, 2, 4, &err));
    BAD(ST_BUG, "lacks 4 bytes", export_file_end(&file, &err));
    BAD(ST_BUG, "more data", export_file_repeat(&file, 1, 2, 4, &err));
    export_file_cancel(&file);
    BAD(ST_LIMIT, "2^64 bytes", export_file_raw(&f, "vast", "vast", UINT64_MAX, 8, &file, &err));
    doc *d = doc_object();
    doc_put(d, "schema", doc_text("export/1"));
    doc_put(d, "files", doc_copy(f.files));
    GOOD(export_folder_commit(&f, d, &err));
    doc_free(d);
    export_folder_release(&f);
    assert_int_equal(get_file(in_scratch("out/offsets"), text, sizeof text), 8);
    assert_memory_equal(text, "\0\0\0\0\xff\xff\xff\xff", 8);
    static char many[8002];
    assert_int_equal(get_file(in_scratch("out/many"), many, sizeof many), 8000);
    for (int i = 0; i < 1000; i++) assert_memory_equal(many + 8 * i, "\x02\x01\0\0\0\0\0\0", 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits), cmocka_unit_test(test_taking),
                                       cmocka_unit_test(test_train_order),
                                       cmocka_unit_test_setup_teardown(test_files, scratch_make, scratch_remove)};
    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
