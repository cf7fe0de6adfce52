/* graph_sets.h - what a graph directory may hold for training beside train.npy: labels, validation and test vertices.
 *
 * Planning and simulation read none of it, so graph_open does not either; commands that hand it on (info, relabel,
 * export) open it with graph_sets_open. graph.json lists what is there: label_classes and labelled_vertices for
 * labels.npy (int64, [n]), valid_vertices for valid.npy, test_vertices for test.npy (uint32 ids, each once). A file
 * that graph.json does not list is not read. The fingerprint of a graph is over none of them.
 */
#ifndef TRACES_GRAPH_GRAPH_SETS_H
#define TRACES_GRAPH_GRAPH_SETS_H

#include "traces/graph/graph.h"

enum { GRAPH_NO_LABEL = -1 };       /* the label of a vertex without one */
enum { CLASSES_MOST = 2147483647 }; /* more classes than 31 bits number are no classes */
enum vertex_set { SET_TRAIN, SET_VALID, SET_TEST, VERTEX_SETS };

struct graph_sets {
    const int64_t *labels; /* [n] 0 .. classes-1 or GRAPH_NO_LABEL; NULL: the graph has none */
    uint64_t classes, labelled;
    const uint32_t *valid, *test; /* [valid_count], [test_count] ids; NULL: none */
    uint64_t valid_count, test_count;
    struct npy arrays[3]; /* owner of the mappings */
};

/* Maps and checks what g's directory has of them; an older directory and one of schema graph/2
 * have nothing, which is no error. Close with
 * graph_sets_close, before or after g. ST_INPUT, with file and entry, when a file is missing, has another shape or type
 * than stated above, names a vertex twice or one that the graph does not have, or a class beyond label_classes. Takes n
 * / 8 bytes while it checks. */
enum st graph_sets_open(const struct graph *g, int threads, struct graph_sets *out, struct err *err) MUST_USE;
/* Unmaps the files; a zeroed struct is allowed. */
void graph_sets_close(struct graph_sets *s);
/* Writes label_classes, labelled_vertices, valid_vertices and test_vertices into an object, those that are not 0; the
 * arrays are not looked at. */
void graph_sets_put(const struct graph_sets *s, doc *object);

/* "training", "validation" or "test" (static). */
const char *graph_set_word(enum vertex_set set);
/* Checks that ids[count] of the file folder/name are below n, the vertices of `of` ("the graph"), and unique. ST_INPUT,
 * with the entry; ST_LIMIT without memory (n / 8 bytes). */
enum st graph_set_check(const uint32_t *ids, uint64_t count, uint64_t n, const char *of, const char *folder,
                        const char *name, struct err *err) MUST_USE;

#endif
