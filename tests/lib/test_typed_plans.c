/* libhotset on plans of graphs with several types: facts and tables against the files and against a slow truth, and
 * damaged plans. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <hotset.h>

enum { PAPERS = 736, DIM = 128 };

static struct hotset_error error;

static int make_plans(void **state)
{
    const char *hotset = getenv("HOTSET");
    char command[2000];
    if (scratch_make(state) || !hotset) return -1;
    snprintf(command, sizeof command,
             "cd '%s' && exec >/dev/null && '%s' graph synth like ogbn-mag --scale 0.001 --feature-dim 8 -o G --quiet "
             "&& "
             "'%s' plan --graph G --server dgx-v100 --budget 2%% --fanout 4,2 --batch 40 --presample-epochs 1 "
             "--simulate-epochs 0 --quiet -o P && "
             "'%s' plan --graph G --server dgx-v100:2 --budget 6%% --fanout 4,2 --batch 40 --presample-epochs 1 "
             "--simulate-epochs 0 --cache-type paper=f8 --quiet -o X && "
             "'%s' graph synth uniform --vertices 300 --edges 900 -o H --quiet && "
             "'%s' plan --graph H --server dgx-v100:2 --budget 6%% --presample-epochs 1 --simulate-epochs 0 --quiet -o "
             "Q",
             scratch, hotset, hotset, hotset, hotset, hotset);
    return system(command);
}

static hotset_plan *opened(const char *name)
{
    hotset_plan *p = NULL;
    if (hotset_open(in_scratch(name), NULL, &p, &error) != HOTSET_OK) fail_msg("%s", error.text);
    return p;
}

static struct hotset_table about(const hotset_plan *p, int table)
{
    struct hotset_table t = {.struct_bytes = sizeof t};
    assert_int_equal(hotset_table_about(p, table, &t, &error), HOTSET_OK);
    return t;
}

/* ---- names and arrays ---- */

static void tables_have_names(void **state)
{
    (void)state;
    hotset_plan *p = opened("P");
    struct hotset_table wrong = {.struct_bytes = 8};
    assert_int_equal(hotset_tables(p), 4 + 7);
    int author = hotset_find_table(p, HOTSET_KIND_FEATURE, "author", 0),
        writes = hotset_find_table(p, HOTSET_KIND_TOPOLOGY, "author-writes->paper", 0);
    struct hotset_table a = about(p, author), w = about(p, writes);
    assert_true(a.kind == HOTSET_KIND_FEATURE && !a.exact && a.train && a.rows == 1135 && !a.source && !a.relation);
    assert_string_equal(a.type, "author");
    assert_string_equal(a.element, "f32");
    assert_true(w.kind == HOTSET_KIND_TOPOLOGY && !w.train && w.rows == PAPERS);
    assert_string_equal(w.source, "author");
    assert_string_equal(w.relation, "writes");
    assert_string_equal(w.type, "paper");
    assert_int_equal(hotset_row_bytes(hotset_table_rows(p, author)), 32);
    assert_int_equal(hotset_find_table(p, HOTSET_KIND_FEATURE, "author", 1), -1);
    assert_int_equal(hotset_find_table(p, HOTSET_KIND_EDGE_FEATURE, "author-writes->paper", 0), -1);
    assert_int_equal(hotset_find_table(p, HOTSET_KIND_TOPOLOGY, "writes", 0), -1);
    assert_null(hotset_table_rows(p, 11));
    assert_null(hotset_table_rows(p, -1));
    assert_int_equal(hotset_table_about(p, 0, &wrong, &error), HOTSET_USAGE);
    assert_int_equal(hotset_table_about(p, 11, &a, &error), HOTSET_USAGE);
    uint32_t order[8];
    assert_int_equal(hotset_epoch_order(hotset_table_rows(p, 0), 0, 1, 0, 8, order, &error), HOTSET_USAGE);
    hotset_close(p);
    hotset_close(NULL);
}

/* The ids that the file `name` of a plan holds. Returns how many. */
static uint64_t read_ids(const char *name, uint32_t *ids)
{
    char head[128];
    FILE *f = fopen(in_scratch(name), "rb");
    if (!f) return 0;
    assert_int_equal(fread(head, 1, 128, f), 128);
    uint64_t count = fread(ids, 4, 4096, f);
    fclose(f);
    return count;
}

static const char *const kinds[] = {"feature", "topology", "edge_feature"};

/* Who serves row v for reader g, and from which slot: looked for in the lists. */
static int slow_find(const hotset_plan *rows, int g, enum hotset_list list, uint32_t v, uint32_t *memory,
                     uint64_t *slot)
{
    int peers;
    const int32_t *peer = hotset_peers(rows, g, &peers);
    for (int i = -1; i < peers; i++) {
        uint64_t count;
        const uint32_t *ids = hotset_ids(rows, *memory = (uint32_t)(i < 0 ? g : peer[i]), list, &count);
        for (*slot = 0; *slot < count; ++*slot)
            if (ids[*slot] == v) return 1;
    }
    return 0;
}

static void check_lookup(const hotset_plan *rows, int g, enum hotset_list list)
{
    struct hotset_request r = HOTSET_REQUEST_INIT(g, list);
    struct hotset_lookup *t = NULL;
    assert_int_equal(hotset_lookup_build(rows, &r, &t, &error), HOTSET_OK);
    for (uint32_t v = 0; v < hotset_vertices(rows); v++) {
        uint32_t m1 = 0, m2 = 0;
        uint64_t s1 = 0, s2 = 0;
        int want = slow_find(rows, g, list, v, &m1, &s1);
        if (hotset_find(t, v, &m2, &s2) != want || (want && (m1 != m2 || s1 != s2))) fail_msg("GPU %d, row %u", g, v);
    }
    hotset_lookup_free(t);
}

/* Every list of every table is its file; returns the bytes of GPU g's lists. */
static uint64_t check_gpu(const char *folder, const hotset_plan *p, int g, const int *of)
{
    static uint32_t ids[4096];
    uint64_t held = 0;
    for (int t = 0; t < hotset_tables(p); t++) {
        const hotset_plan *rows = hotset_table_rows(p, t);
        struct hotset_table x = about(p, t);
        enum hotset_list list = x.kind == HOTSET_KIND_TOPOLOGY ? HOTSET_TOPOLOGY : HOTSET_FEATURE;
        char name[100];
        uint64_t count, trains, n;
        snprintf(name, sizeof name, "%s/gpu%d_%s_%d.npy", folder, hotset_gpu_id(rows, g), kinds[x.kind], of[t]);
        n = read_ids(name, ids);
        const uint32_t *mine = hotset_ids(rows, g, list, &count);
        if (count != n || (n && memcmp(mine, ids, 4 * n))) fail_msg("%s: another list", name);
        if (x.kind == HOTSET_KIND_FEATURE) {
            snprintf(name, sizeof name, "%s/gpu%d_train_%d.npy", folder, hotset_gpu_id(rows, g), of[t]);
            n = read_ids(name, ids);
            mine = hotset_ids(rows, g, HOTSET_TRAIN, &trains);
            if (trains != n || (n && memcmp(mine, ids, 4 * n))) fail_msg("%s: another list", name);
        }
        held += hotset_bytes(rows, g, HOTSET_BYTES_FEATURE) + hotset_bytes(rows, g, HOTSET_BYTES_TOPOLOGY);
        check_lookup(rows, g, list);
    }
    return held;
}

static void lists_are_the_files(void **state)
{
    static const int of[] = {0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6};
    (void)state;
    for (int k = 0; k < 2; k++) {
        hotset_plan *p = opened(k ? "X" : "P");
        const hotset_plan *rows = hotset_table_rows(p, 0);
        assert_int_equal(hotset_tables(p), 11);
        assert_int_equal(hotset_gpus(rows), k ? 2 : 8);
        assert_true(hotset_sealed(rows));
        for (int g = 0; g < hotset_gpus(rows); g++) {
            uint64_t held = check_gpu(k ? "X" : "P", p, g, of), budget = hotset_bytes(rows, g, 0);
            assert_true(held <= budget && held > budget / 2);
        }
        hotset_close(p);
    }
}

static void rounded_rows_are_smaller(void **state)
{
    (void)state;
    hotset_plan *p = opened("X");
    const hotset_plan *rounded = hotset_table_rows(p, hotset_find_table(p, HOTSET_KIND_FEATURE, "paper", 0)),
                      *other = hotset_table_rows(p, hotset_find_table(p, HOTSET_KIND_FEATURE, "author", 0));
    assert_int_equal(hotset_find_table(p, HOTSET_KIND_FEATURE, "paper", 1), -1);
    assert_string_equal(hotset_text(rounded, HOTSET_TEXT_CACHE_TYPE), "f8");
    assert_string_equal(hotset_text(other, HOTSET_TEXT_CACHE_TYPE), "");
    assert_int_equal(hotset_cached_row_bytes(rounded), DIM);
    assert_int_equal(hotset_row_bytes(rounded), 4 * DIM);
    hotset_close(p);
}

/* What the whole plan says, and what only its tables can. */
static void one_open_takes_every_plan(void **state)
{
    (void)state;
    hotset_plan *p = opened("P"), *plain = opened("Q");
    struct hotset_request r = HOTSET_REQUEST_INIT(0, HOTSET_FEATURE);
    struct hotset_graph g = {.struct_bytes = sizeof g, .vertices = hotset_vertices(p), .edges = hotset_edges(p)};
    int64_t indptr[2] = {0, 0};
    uint64_t vertices = 0, held = 0, table = 0;
    for (int t = 0; t < hotset_tables(p); t++) {
        vertices += about(p, t).kind == HOTSET_KIND_FEATURE ? about(p, t).rows : 0;
        held += hotset_bytes(hotset_table_rows(p, t), 0, HOTSET_BYTES_FEATURE);
    }
    assert_int_equal(hotset_vertices(p), vertices);
    assert_int_equal(hotset_bytes(p, 0, HOTSET_BYTES_FEATURE), held);
    assert_int_equal(hotset_bytes(p, 0, HOTSET_BYTES_BUDGET),
                     hotset_bytes(hotset_table_rows(p, 0), 0, HOTSET_BYTES_BUDGET));
    assert_int_equal(hotset_gpus(p), 8);
    assert_int_equal(hotset_check_graph(p, &g, &error), HOTSET_OK);
    g.edges++;
    assert_int_equal(hotset_check_graph(p, &g, &error), HOTSET_INPUT);
    g.indptr = indptr;
    assert_int_equal(hotset_check_graph(p, &g, &error), HOTSET_USAGE);
    assert_int_equal(hotset_lookup_bytes(p, &r, &table, NULL, &error), HOTSET_USAGE);
    assert_non_null(strstr(error.text, "hotset_table_rows"));

    assert_int_equal(hotset_tables(plain), 2);
    assert_ptr_equal(hotset_table_rows(plain, 1), plain);
    assert_null(hotset_table_rows(plain, 2));
    assert_int_equal(hotset_find_table(plain, HOTSET_KIND_TOPOLOGY, NULL, 0), 1);
    assert_int_equal(hotset_find_table(plain, HOTSET_KIND_FEATURE, "", 0), 0);
    assert_int_equal(hotset_find_table(plain, HOTSET_KIND_FEATURE, "paper", 0), -1);
    assert_true(about(plain, 0).train && !about(plain, 1).train && about(plain, 1).rows == 300);
    assert_string_equal(about(plain, 1).source, "");
    hotset_close(p);
    hotset_close(plain);
}

/* ---- damage ---- */

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    hotset_plan *p = NULL;
    struct hotset_options o = HOTSET_OPTIONS_INIT;
    assert_int_equal(hotset_open(in_scratch("none"), NULL, &p, &error), HOTSET_INPUT);
    assert_int_equal(hotset_open(NULL, NULL, &p, &error), HOTSET_USAGE);
    o.struct_bytes = 3;
    assert_int_equal(hotset_open(in_scratch("P"), &o, &p, &error), HOTSET_USAGE);
    o = (struct hotset_options)HOTSET_OPTIONS_INIT;
    o.memory_limit = 10;
    assert_int_equal(hotset_open(in_scratch("P"), &o, &p, &error), HOTSET_LIMIT);
    assert_null(p);
}

static size_t read_text(const char *name, char *text, size_t most)
{
    FILE *f = fopen(in_scratch(name), "rb");
    assert_non_null(f);
    size_t size = fread(text, 1, most - 1, f);
    fclose(f);
    text[size] = '\0';
    return size;
}

static void copy_plan(const char *from)
{
    char command[1200];
    snprintf(command, sizeof command, "cd '%s' && rm -rf D && cp -r %s D", scratch, from);
    assert_int_equal(system(command), 0);
}

static void flip(const char *name, long at)
{
    unsigned char byte;
    int f = open(in_scratch(name), O_RDWR);
    if (f < 0 || pread(f, &byte, 1, at) != 1) fail_msg("%s", name);
    byte ^= (unsigned char)(1 << at % 8);
    if (pwrite(f, &byte, 1, at) != 1 || close(f)) fail_msg("%s", name);
}

static void must_refuse(const char *what, long at)
{
    hotset_plan *p = NULL;
    int code = hotset_open(in_scratch("D"), NULL, &p, &error);
    if (code != HOTSET_INPUT || p || strlen(error.text) < 30)
        fail_msg("%s, %ld: code %d %s", what, at, code, error.text);
}

static void flipped_bytes_are_noticed(void **state)
{
    static char text[1 << 17];
    static const char *const files[] = {"D/plan.json", "D/gpu0_feature_0.npy", "D/gpu1_feature_0.npy",
                                        "D/gpu0_train_0.npy"};
    (void)state;
    copy_plan("X");
    for (int i = 0; i < 4; i++) {
        long size = (long)read_text(files[i], text, sizeof text), step = i ? 3 : 17;
        for (long at = 0; at < size; at += step) {
            flip(files[i], at);
            must_refuse(files[i], at);
            flip(files[i], at);
        }
    }
    hotset_close(opened("D"));
    assert_int_equal(unlink(in_scratch("D/gpu1_feature_0.npy")), 0);
    must_refuse("a list that is gone", 0);
}

/* Replaces a text of the unsealed plan X, from the first place behind `after`, and opens the result. */
static int open_with(const char *after, const char *old, const char *new)
{
    static char text[1 << 17], out[(1 << 17) + 1000];
    hotset_plan *p = NULL;
    read_text("X/plan.json", text, sizeof text);
    char *seal = strstr(text, ",\n \"checksum\"");
    assert_non_null(seal);
    strcpy(seal, "\n}\n");
    char *at = strstr(text, after);
    assert_non_null(at);
    at = strstr(at, old);
    assert_non_null(at);
    snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    put_file("D/plan.json", out, strlen(out));
    int code = hotset_open(in_scratch("D"), NULL, &p, &error);
    hotset_close(p);
    return code;
}

static void wrong_documents_are_refused(void **state)
{
    static const char *const wrong[][3] = {{"\"types\"", "\"count\": 736", "\"count\": 7"},
                                           {"\"types\"", "\"count\": 736", "\"count\": -1"},
                                           {"\"types\"", "\"count\": 736", "\"count\": 9999999999"},
                                           {"\"types\"", "\"name\": \"paper\"", "\"name\": 3"},
                                           {"\"types\"", "\"name\": \"paper\"", "\"name\": \"other\""},
                                           {"\"types\"", "\"feature_dim\": 128", "\"feature_dim\": 0"},
                                           {"\"types\"", "\"feature_dim\": 128", "\"feature_dim\": 64"},
                                           {"\"types\"", "\"feature_dim\": 128", "\"feature_dim\": null"},
                                           {"\"types\"", "\"feature_type\": \"f32\"", "\"feature_type\": \"f33\""},
                                           {"\"types\"", "\"types\"", "\"tipes\""},
                                           {"\"relations\"", "\"source\": \"paper\"", "\"source\": \"nobody\""},
                                           {"\"relations\"", "\"edges\": ", "\"edges\": -"},
                                           {"\"cache_types\"", "\"element\": \"f8\"", "\"element\": \"f64\""},
                                           {"\"cache_types\"", "\"type\": \"paper\"", "\"type\": \"author\""},
                                           {"\"cache_types\"", "\"kind\": \"feature\"", "\"kind\": \"topology\""},
                                           {"\"gpus\": [\n  {", "\"budget_bytes\": ", "\"budget_bytes\": -"},
                                           {"\"gpus\": [\n  {", "\"lists\"", "\"list\""},
                                           {"\"gpus\": [\n  {", "\"train\"", "\"trains\""},
                                           {"\"lists\"", "\"count\": ", "\"count\": 1"},
                                           {"\"lists\"", "\"bytes\": ", "\"bytes\": 9"},
                                           {"\"lists\"", "\"bytes\": ", "\"bytes\": 922337203685477"},
                                           {"\"lists\"", "\"count\": ", "\"exact\": true, \"count\": "},
                                           {"\"lists\"", "\"type\": \"paper\"", "\"type\": \"x\""}};
    (void)state;
    copy_plan("X");
    assert_int_equal(open_with("\"policy\"", "\"policy\"", "\"policy\""), HOTSET_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int code = open_with(wrong[i][0], wrong[i][1], wrong[i][2]);
        if (code != HOTSET_INPUT) fail_msg("%s -> %s: code %d", wrong[i][1], wrong[i][2], code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_have_names),
                                       cmocka_unit_test(lists_are_the_files),
                                       cmocka_unit_test(rounded_rows_are_smaller),
                                       cmocka_unit_test(one_open_takes_every_plan),
                                       cmocka_unit_test(wrong_calls_are_refused),
                                       cmocka_unit_test(flipped_bytes_are_noticed),
                                       cmocka_unit_test(wrong_documents_are_refused)};
    return cmocka_run_group_tests(tests, make_plans, scratch_remove);
}
