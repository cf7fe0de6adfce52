/* Folders that runtimes read: Legion, GNNLab, GraphBolt. Arcs 0 -> 1, 0 -> 2, 2 -> 1 in each. */
#include <sys/stat.h>

#include "test_graph_help.h"

static struct import_options own_train(void)
{
    struct import_options o = plain_options(NULL, 0);
    o.train_share = 0;
    return o;
}

static void legion(void **state)
{
    struct test_place *p = *state;
    struct import_options o = own_train();
    mkdir(in_place(p, "d"), 0777);
    put(p, "d/edge_src", ((int64_t[]){0, 2, 2, 3}), 32);
    put(p, "d/edge_dst", ((int32_t[]){2, 1, 1}), 12);
    put(p, "d/trainingset", ((int32_t[]){2, 0}), 8);
    assert_int_equal(import_as(p, in_place(p, "d"), o), ST_OK);
    has_rows(p, ";0 2;0;");
    assert_int_equal(p->summary.train, 2);
    put(p, "d/validationset", ((int32_t[]){1}), 4); /* of one vertex: stands for none */
    put(p, "d/testingset", ((int32_t[]){2, 1}), 8);
    put(p, "d/labels", ((int32_t[]){2, -1, 0}), 12);
    assert_int_equal(import_as(p, in_place(p, "d"), o), ST_OK);
    has_sets(p, "2 -1 0", "", "1 2");
    put(p, "d/testingset", ((int32_t[]){2, 3}), 8);
    refused_as(p, in_place(p, "d"), o, "testingset: entry 1 names test vertex 3");
    put(p, "d/testingset", ((int32_t[]){2, 2}), 8);
    refused_as(p, in_place(p, "d"), o, "a second time");
    put(p, "d/testingset", ((int32_t[]){2, 1}), 8);
    o.sample_out = true;
    assert_int_equal(import_as(p, in_place(p, "d"), o), ST_OK);
    has_rows(p, "1 2;;1;");
    put(p, "d/edge_dst", ((int32_t[]){2, 1, 3}), 12);
    refused(p, in_place(p, "d"), "names vertex 3");
    put(p, "d/edge_dst", ((int32_t[]){2, 1, 3}), 11);
    refused(p, in_place(p, "d"), "not a multiple of 4");
    put(p, "d/edge_dst", ((int32_t[]){2, 1}), 8);
    refused(p, in_place(p, "d"), "expected a number from");
}

static void gnnlab(void **state)
{
    struct test_place *p = *state;
    mkdir(in_place(p, "d"), 0777);
    put_text(p, "d/meta.txt", "NUM_NODE\t3\nNUM_EDGE\t3\nFEAT_DIM\t8\nNUM_TRAIN_SET\t1\n");
    put(p, "d/indptr.bin", ((uint32_t[]){0, 0, 2, 3}), 16);
    put(p, "d/indices.bin", ((uint32_t[]){2, 0, 0}), 12);
    put(p, "d/train_set.bin", ((uint32_t[]){1}), 4);
    assert_int_equal(import_as(p, in_place(p, "d"), own_train()), ST_OK);
    has_rows(p, ";0 2;0;");
    assert_int_equal(p->summary.train, 1);
    put_text(p, "d/meta.txt",
             "NUM_NODE\t3\nNUM_EDGE\t3\nNUM_CLASS\t5\nNUM_TRAIN_SET\t1\nNUM_VALID_SET\t2\nNUM_TEST_SET\t1\n");
    put(p, "d/valid_set.bin", ((uint32_t[]){2, 0}), 8);
    put(p, "d/test_set.bin", ((uint32_t[]){2}), 4);
    put(p, "d/label.bin", ((int64_t[]){0, 3, -1}), 24);
    assert_int_equal(import_as(p, in_place(p, "d"), own_train()), ST_OK);
    has_sets(p, "0 3 -1", "0 2", "");
    assert_int_equal(p->summary.classes, 5); /* as stated */
    put(p, "d/valid_set.bin", ((uint32_t[]){2, 0}), 4);
    refused_as(p, in_place(p, "d"), own_train(), "valid_set.bin: has 4 bytes");
    put_text(p, "d/meta.txt", "NUM_NODE\t300000000\nNUM_EDGE\t3\n");
    refused(p, in_place(p, "d"), "expected 300000001 numbers");
    put_text(p, "d/meta.txt", "NUM_EDGE\t3\n");
    refused(p, in_place(p, "d"), "NUM_NODE or NUM_EDGE is missing");
    put_text(p, "d/meta.txt", "NUM_NODE\t3\nNUM_EDGE\t3\nNUM_TRAIN_SET\t4611686018427387905\n");
    refused(p, in_place(p, "d"), "NUM_TRAIN_SET"); /* 4 bytes each: 2^64 + 4 in all */
}

static void graphbolt(void **state)
{
    struct test_place *p = *state;
    const uint64_t shape[] = {2, 3}, two = 2;
    mkdir(in_place(p, "d"), 0777);
    mkdir(in_place(p, "d/edges"), 0777);
#define TASKS                                                                                                          \
    "tasks:\n- name: a\n  train_set:\n  - data:\n    - name: seeds\n      format: numpy\n      path: train.npy\n    "  \
    "- name: labels\n      format: numpy\n      path: labels.npy\n"
    put_text(p, "d/metadata.yaml",
             "dataset_name: x\ngraph: # the graph\n  nodes:\n  - num: 4\n  edges:\n  - format: numpy\n    path: "
             "'edges/e.npy'\n" TASKS);
    assert_int_equal(npy_save(in_place(p, "d/edges/e.npy"), "i8", 2, shape, ((int64_t[]){0, 0, 2, 1, 2, 1}), &p->err),
                     ST_OK);
    assert_int_equal(npy_save(in_place(p, "d/train.npy"), "i4", 1, &two, ((int32_t[]){3, 1}), &p->err), ST_OK);
    if (import_as(p, in_place(p, "d"), own_train()) != ST_OK) fail_msg("%s", p->err.text);
    has_rows(p, ";0 2;0;;");
    assert_int_equal(p->summary.train, 2);
    has_sets(p, "", "", ""); /* labels.npy is not there */
    assert_int_equal(npy_save(in_place(p, "d/labels.npy"), "i8", 1, &two, ((int64_t[]){5, 0}), &p->err), ST_OK);
    assert_int_equal(npy_save(in_place(p, "d/v.npy"), "i8", 1, &two, ((int64_t[]){2, 0}), &p->err), ST_OK);
    assert_int_equal(npy_save(in_place(p, "d/vl.npy"), "f4", 1, &two, ((float[]){1, 2}), &p->err), ST_OK);
#define ENTRY(path, name) "      - format: numpy\n        path: " path "\n        name: " name "\n"
    put_text(p, "d/metadata.yaml",
             "graph:\n  nodes:\n  - num: 4\n  edges:\n  - format: numpy\n    path: edges/e.npy\n" TASKS
             "  num_classes: 9\n  validation_set:\n    - data:\n" ENTRY("vl.npy", "labels")
                 ENTRY("v.npy", "seeds") "- name: b\n  num_classes: 2\n  test_set:\n    - data:\n      - path: v.npy\n "
                                         "       format: numpy\n"
                                         "    - data:\n      - path: none.npy\n        format: numpy\n");
    if (import_as(p, in_place(p, "d"), own_train()) != ST_OK) fail_msg("%s", p->err.text);
    has_sets(p, "2 0 1 5", "0 2", "0 2"); /* seeds 3 1: 5 0; seeds 2 0: 1 2 */
    assert_int_equal(p->summary.classes, 9);
    assert_int_equal(p->summary.train, 2);
    put_text(p, "d/edges/e.csv", "0,1\n0,2\n2,1\n");
    put_text(p, "d/metadata.yaml",
             "graph:\n    nodes:\n        - num: 3\n    edges:\n        - type: a\n          format: csv\n          "
             "path: edges/e.csv\n");
    imports(p, in_place(p, "d"), ";0 2;0;");
    put_text(p, "d/metadata.yaml", "graph:\n  edges:\n  - path: a\n    format: csv\n  - path: b\n    format: csv\n");
    refused(p, in_place(p, "d"), "2 lists of edges");
    put_text(p, "d/metadata.yaml", "graph:\n  edges:\n  - path: e\n    format: torch\n");
    refused(p, in_place(p, "d"), "'torch'");
    static const char *const outside[] = {"../e.csv", "edges/../../e.csv", "/etc/passwd", ".."};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        char yaml[200];
        put_text(p, "e.csv", "0,1\n");
        snprintf(yaml, sizeof yaml, "graph:\n  edges:\n  - path: %s\n    format: csv\n", outside[i]);
        put_text(p, "d/metadata.yaml", yaml);
        refused(p, in_place(p, "d"), "lies outside of the folder");
    }
    put_text(p, "d/metadata.yaml", "graph:\n  edges:\n  - path: edges/..e.csv\n    format: csv\n");
    put_text(p, "d/edges/..e.csv", "0,1\n0,2\n2,1\n");
    imports(p, in_place(p, "d"), ";0 2;0;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_PLACE(legion), WITH_PLACE(gnnlab), WITH_PLACE(graphbolt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
