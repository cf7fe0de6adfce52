/* Labels, validation and test vertices: those of a graph directory, and files that an import is given. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/tiny_graph.h"
#include "traces/builder/graph_labels.h"

/* A directory's files: what opens is what graph_sets.h states. */
static void open_sets(const struct graph *g)
{
    struct err err = {0};
    struct graph_sets s = {0};
    uint64_t before = mem_in_use();
    enum st st = graph_sets_open(g, 1, &s, &err);
    for (uint64_t v = 0; s.labels && v < g->n; v++)
        if (s.labels[v] < GRAPH_NO_LABEL || s.labels[v] >= (int64_t)s.classes) abort();
    for (uint64_t i = 0; i < s.valid_count; i++)
        if (s.valid[i] >= g->n) abort();
    for (uint64_t i = 0; i < s.test_count; i++)
        if (s.test[i] >= g->n) abort();
    graph_sets_close(&s);
    fuzz_verdict(st, &err, before);
}

static void read_files(const char *folder, const int64_t *original)
{
    struct id_map map = {.n = 4, .original = original, .set = "test"};
    struct train_set set = {0};
    struct label_list labels = {0};
    char path[400];
    struct err err = {0};
    uint64_t before = mem_in_use();
    snprintf(path, sizeof path, "%s/labels.npy", folder);
    enum st st = labels_from_file(path, &map, &labels, &err);
    for (uint64_t v = 0; labels.label && v < map.n; v++)
        if (labels.label[v] < GRAPH_NO_LABEL || labels.label[v] >= (int64_t)labels.classes) abort();
    mem_free(labels.label);
    fuzz_verdict(st, &err, before);
    err = (struct err){0};
    snprintf(path, sizeof path, "%s/test.npy", folder);
    st = train_from_file(path, &map, &set, &err);
    mem_free(set.ids);
    fuzz_verdict(st, &err, before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t original[] = {2, 3, 5, 1000000000000};
    struct graph g = tiny_graph;
    const char *folder = fuzz_bundle("G", data, size);
    snprintf(g.path, sizeof g.path, "%s", folder);
    open_sets(&g);
    read_files(folder, NULL);
    read_files(folder, original);
    return 0;
}
