/* Graph directories: what graph_open refuses, fingerprints, info. */
#include "test_graph_help.h"
#include "traces/builder/graph_info.h"

static void make(struct test_place *p) { imports(p, put_text(p, "a", "0 1\n0 2\n2 1\n3 3\n"), ";0 2;0;3;"); }

static void not_opened(struct test_place *p, const char *part)
{
    struct graph g;
    if (graph_open(in_place(p, "G"), 2, &g, &p->err) != ST_INPUT || !strstr(p->err.text, part))
        fail_msg("'%s', expected '%s'", p->err.text, part);
}

static void save_array(struct test_place *p, const char *name, const char *type, uint64_t count, const void *data)
{
    assert_int_equal(npy_save(in_place(p, name), type, 1, &count, data, &p->err), ST_OK);
}

static void opens_what_was_made(void **state)
{
    struct test_place *p = *state;
    struct graph g;
    struct graph_info info;
    char print[80];
    make(p);
    assert_int_equal(graph_open(in_place(p, "G/"), 2, &g, &p->err), ST_OK);
    assert_int_equal(g.n, 4);
    assert_int_equal(g.m, 4);
    assert_int_equal(g.row_bytes, 16);
    assert_int_equal(g.train_count, 2);
    assert_string_equal(g.name, "G");
    assert_int_equal(graph_total_bytes(&g), 4 * 4 + 8 * 4 + 4 * 16);
    assert_int_equal(graph_fingerprint(&g, 3, print, &p->err), ST_OK);
    assert_string_equal(print, g.fingerprint);
    assert_int_equal(graph_info_make(&g, true, 1, &info, &p->err), ST_OK);
    assert_int_equal(info.check, CHECK_EQUAL);
    g.fingerprint[20] ^= 1;
    assert_int_equal(graph_info_make(&g, true, 1, &info, &p->err), ST_OK);
    assert_int_equal(info.check, CHECK_DIFFERS);
    graph_close(&g);
    graph_close(&g);
}

static void refuses_broken_arrays(void **state)
{
    struct test_place *p = *state;
    make(p);
    save_array(p, "G/indices.npy", "u4", 4, ((uint32_t[]){0, 2, 4, 3}));
    not_opened(p, "indices.npy: entry 2 is 4");
    save_array(p, "G/indices.npy", "u4", 3, ((uint32_t[]){0, 2, 1}));
    not_opened(p, "expected (4,)");
    make(p);
    save_array(p, "G/indptr.npy", "i8", 5, ((int64_t[]){0, 2, 1, 3, 4}));
    not_opened(p, "decreases from 2 to 1 at entry 2");
    save_array(p, "G/indptr.npy", "i8", 5, ((int64_t[]){1, 2, 2, 3, 4}));
    not_opened(p, "begins with 1");
    save_array(p, "G/indptr.npy", "i8", 5, ((int64_t[]){0, 0, 2, 3, 3}));
    not_opened(p, "ends with 3");
    save_array(p, "G/indptr.npy", "i8", 5, ((int64_t[]){0, 0, 2, 3, 5}));
    not_opened(p, "ends with 5, but graph.json says 4 edges");
    make(p);
    save_array(p, "G/train.npy", "u4", 2, ((uint32_t[]){1, 1}));
    not_opened(p, "names vertex 1 twice");
    save_array(p, "G/train.npy", "u4", 2, ((uint32_t[]){1, 4}));
    not_opened(p, "entry 1 is 4");
}

static void refuses_broken_documents(void **state)
{
    struct test_place *p = *state;
    not_opened(p, "expected a graph directory");
    make(p);
    put_text(p, "G/graph.json", "{\"schema\": \"graph/3\", \"vertices\": 4}");
    not_opened(p, "graph/");
    put_text(p, "G/graph.json", "{\"schema\": \"graph/1\", \"vertices\": 4, \"edges\": 4}");
    not_opened(p, "sample");
    put_text(p, "G/graph.json", "{\"schema\": \"graph/1\", \"vertices\": 4, \"edges\": 4, \"sample\": \"up\"}");
    not_opened(p, "expected one of in, out, both");
    put_text(p, "G/graph.json",
             "{\"schema\": \"graph/1\", \"vertices\": 99999999999, \"edges\": 4, \"sample\": \"in\"}");
    not_opened(p, "vertices");
    put_text(p, "G/graph.json",
             "{\"schema\": \"graph/1\", \"vertices\": 4294967294, \"edges\": 4, \"sample\": \"in\", \"feature_dim\": "
             "16777216, \"feature_bytes\": 1024}");
    not_opened(p, "32 PiB"); /* whose sizes would not fit 64 bits */
}

/* Others make graph directories too: no name, no fingerprint, a header that leaves the numbers unaligned. */
static void opens_what_others_made(void **state)
{
    struct test_place *p = *state;
    struct graph g;
    struct graph_info info;
    unsigned char bytes[200];
    make(p);
    put_text(p, "G/graph.json",
             "{\"schema\": \"graph/1\", \"vertices\": 4, \"edges\": 4, \"sample\": \"undirected\", "
             "\"feature_dim\": 128, \"fingerprint\": \"ours\"}");
    int n = snprintf((char *)bytes, sizeof bytes,
                     "\x93NUMPY\x01%c%c%c{'descr': '<i8', 'fortran_order': False, 'shape': (5,), }\n", 0, 58, 0);
    memcpy(bytes + n, ((int64_t[]){0, 0, 2, 3, 4}), 40);
    assert_int_equal(n, 68);
    put(p, "G/indptr.npy", bytes, (size_t)n + 40);
    if (graph_open(in_place(p, "G"), 1, &g, &p->err) != ST_OK) fail_msg("%s", p->err.text);
    assert_string_equal(g.name, "G");
    assert_string_equal(g.sample, "both");
    assert_int_equal(g.row_bytes, 512);
    assert_int_equal(graph_info_make(&g, true, 2, &info, &p->err), ST_OK);
    assert_int_equal(info.check, CHECK_FOREIGN);
    assert_int_equal(info.rows.max, 2);
    assert_int_equal(info.rows.median, 1);
    assert_int_equal(info.rows.p99, 2);
    assert_int_equal(info.rows.zeros, 1);
    assert_int_equal(info.listed.zeros, 1); /* vertex 1 stands in no row */
    graph_close(&g);
    put_text(p, "G/graph.json",
             "{\"schema\": \"graph/1\", \"vertices\": 4, \"edges\": 4, \"sample\": \"in\", \"feature_dim\": 3, "
             "\"feature_type\": \"f16\"}");
    assert_int_equal(graph_open(in_place(p, "G"), 1, &g, &p->err), ST_OK);
    assert_int_equal(g.row_bytes, 6); /* the type says the bytes */
    graph_close(&g);
}

/* The digest of a large graph reads the beginning of every 16 MiB alone. */
static void samples_other_arrays(void **state)
{
    enum { EDGES = 5 << 20 }; /* 20 MiB: two pieces */
    struct err err = {0};
    char whole[3][80], some[3][80];
    const int64_t indptr[2] = {0, EDGES};
    uint32_t *indices = calloc(EDGES, sizeof *indices);
    const uint32_t changed[3] = {0, 100, 1 << 20}; /* in neither, the first, the middle of the first piece */
    (void)state;
    for (int i = 0; i < 3; i++) {
        indices[changed[i]] = (uint32_t)i;
        assert_int_equal(graph_arrays_digest(indptr, 1, indices, NULL, 0, false, 2, whole[i], &err), ST_OK);
        assert_int_equal(graph_arrays_digest(indptr, 1, indices, NULL, 0, true, 2, some[i], &err), ST_OK);
        indices[changed[i]] = 0;
    }
    free(indices);
    assert_true(strcmp(whole[0], whole[1]) && strcmp(whole[0], whole[2]) && strcmp(some[0], some[1]));
    assert_string_equal(some[0], some[2]);
    assert_true(!strncmp(some[0], "sha256-sample:", 14) && strlen(some[0]) == 78);
    assert_true(graph_samples(0, (64 << 20) + 1) && !graph_samples(0, 64 << 20));
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_PLACE(opens_what_was_made), WITH_PLACE(refuses_broken_arrays),
                                       WITH_PLACE(refuses_broken_documents), WITH_PLACE(opens_what_others_made),
                                       cmocka_unit_test(samples_other_arrays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
