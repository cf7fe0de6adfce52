/* Labels and sets of a graph directory: what graph.json lists is checked, what it does not list is not read. */
#include <sys/stat.h>

#include "test_graph_help.h"

/* A directory of three vertices whose graph.json has `more` members. */
static void put_graph(struct test_place *p, const char *more)
{
    char text[400];
    const uint64_t four = 4, three = 3, one = 1;
    mkdir(in_place(p, "G"), 0777);
    snprintf(text, sizeof text,
             "{\"schema\": \"graph/1\", \"vertices\": 3, \"edges\": 3, \"sample\": \"in\", \"feature_dim\": 128%s}",
             more);
    put_text(p, "G/graph.json", text);
    assert_int_equal(npy_save(in_place(p, "G/indptr.npy"), "i8", 1, &four, ((int64_t[]){0, 1, 2, 3}), &p->err), ST_OK);
    assert_int_equal(npy_save(in_place(p, "G/indices.npy"), "u4", 1, &three, ((uint32_t[]){1, 2, 0}), &p->err), ST_OK);
    assert_int_equal(npy_save(in_place(p, "G/train.npy"), "u4", 1, &one, ((uint32_t[]){0}), &p->err), ST_OK);
}

static void put_labels(struct test_place *p, const char *type, uint64_t count, const void *labels)
{
    assert_int_equal(npy_save(in_place(p, "G/labels.npy"), type, 1, &count, labels, &p->err), ST_OK);
}

static void put_valid(struct test_place *p, const char *type, uint64_t count, const void *ids)
{
    assert_int_equal(npy_save(in_place(p, "G/valid.npy"), type, 1, &count, ids, &p->err), ST_OK);
}

/* The graph opens, its sets do not, and the sentence has `part`. */
static void sets_refused(struct test_place *p, const char *part)
{
    struct graph g;
    struct graph_sets s;
    assert_int_equal(graph_open(in_place(p, "G"), 1, &g, &p->err), ST_OK);
    enum st st = graph_sets_open(&g, 2, &s, &p->err);
    if (st != ST_INPUT || !strstr(p->err.text, part)) fail_msg("got %d '%s', expected '%s'", st, p->err.text, part);
    graph_close(&g);
    err_clear(&p->err);
}

/* The graph does not open, and the sentence has `part`. */
static void graph_refused(struct test_place *p, const char *part)
{
    struct graph g;
    if (graph_open(in_place(p, "G"), 1, &g, &p->err) != ST_INPUT || !strstr(p->err.text, part))
        fail_msg("'%s', expected '%s'", p->err.text, part);
    err_clear(&p->err);
}

static void older_directories(void **state)
{
    struct test_place *p = *state;
    put_graph(p, "");
    put_labels(p, "f8", 1, ((double[]){0.25})); /* somebody's own file */
    put_valid(p, "i8", 1, ((int64_t[]){-7}));
    has_sets(p, "", "", "");
    put_graph(p, ", \"valid_vertices\": 0, \"label_classes\": null");
    has_sets(p, "", "", "");
}

static void labels(void **state)
{
    struct test_place *p = *state;
    put_graph(p, ", \"label_classes\": 3, \"labelled_vertices\": 2");
    sets_refused(p, "labels.npy");
    put_labels(p, "i8", 3, ((int64_t[]){2, -1, 0}));
    has_sets(p, "2 -1 0", "", "");
    put_labels(p, "i8", 3, ((int64_t[]){2, -1, 3}));
    sets_refused(p, "entry 2 is 3; expected a class below 3");
    put_labels(p, "i8", 3, ((int64_t[]){2, -2, 0}));
    sets_refused(p, "entry 1 is -2");
    put_labels(p, "i8", 3, ((int64_t[]){2, 1, 0}));
    sets_refused(p, "has 3 labels, but graph.json says 2");
    put_labels(p, "i8", 2, ((int64_t[]){2, 1}));
    sets_refused(p, "expected");
    put_labels(p, "i4", 3, ((int32_t[]){2, -1, 0}));
    sets_refused(p, "i4");
    put_labels(p, "i8", 3, ((int64_t[]){2, 1, 0}));
    put_graph(p, ", \"label_classes\": 3, \"labelled_vertices\": 4");
    sets_refused(p, "has 3 labels, but graph.json says 4");
    put_graph(p, ", \"label_classes\": -3");
    graph_refused(p, "label_classes");
    put_graph(p, ", \"label_classes\": 99999999999");
    graph_refused(p, "label_classes");
    put_graph(p, ", \"label_classes\": 3, \"labelled_vertices\": 4294967296");
    graph_refused(p, "labelled_vertices");
}

static void sets(void **state)
{
    struct test_place *p = *state;
    put_graph(p, ", \"valid_vertices\": 2");
    sets_refused(p, "valid.npy");
    put_valid(p, "u4", 2, ((uint32_t[]){2, 0}));
    has_sets(p, "", "2 0", "");
    put_valid(p, "u4", 2, ((uint32_t[]){2, 3}));
    sets_refused(p, "valid.npy: entry 1 is 3, but the graph has 3 vertices");
    put_valid(p, "u4", 2, ((uint32_t[]){2, 2}));
    sets_refused(p, "valid.npy: names vertex 2 twice");
    put_valid(p, "u4", 1, ((uint32_t[]){2}));
    sets_refused(p, "valid.npy");
    put_valid(p, "i8", 2, ((int64_t[]){2, 0}));
    sets_refused(p, "i8");
    put_graph(p, ", \"test_vertices\": 4");
    sets_refused(p, "test.npy");
    put_graph(p, ", \"test_vertices\": -1");
    graph_refused(p, "test_vertices");
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_PLACE(older_directories), WITH_PLACE(labels), WITH_PLACE(sets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
