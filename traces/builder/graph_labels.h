/* graph_labels.h - the labels of a graph's vertices: from a file, or from what the source states. */
#ifndef TRACES_BUILDER_GRAPH_LABELS_H
#define TRACES_BUILDER_GRAPH_LABELS_H

#include "traces/builder/graph_train.h"
#include "traces/builder/source_sets.h"

struct label_list {
    int64_t *label; /* [n] class or GRAPH_NO_LABEL; owned: mem_free; NULL: the graph has no labels */
    uint64_t classes, labelled;
};

/* Reads a .npy file with a class per vertex, or text with one per line ("nan" or a negative number: none; a first line
 * that is no number is a header). In the source's numbering. ST_INPUT, with the place, for what is no class, for
 * another number of labels than vertices, and for a file without any; ST_LIMIT when memory is out. */
enum st labels_from_file(const char *path, const struct id_map *map, struct label_list *out, struct err *err) MUST_USE;
/* What the source states; out->label is NULL when that is nothing. why: "", or a sentence why the labels do not belong
 * to the graph, which then has none. ST_LIMIT when memory is out. */
enum st labels_from_source(const struct source_sets *sets, const struct id_map *map, struct label_list *out,
                           char why[200], struct err *err) MUST_USE;

#endif
