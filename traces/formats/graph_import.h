/* graph_import.h - from files to a graph directory. */
#ifndef TRACES_FORMATS_GRAPH_IMPORT_H
#define TRACES_FORMATS_GRAPH_IMPORT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "traces/formats/graph_format.h"
#include "traces/builder/graph_save.h"

struct import_options {
    char **sources; /* [source_count]; several only for edge lists (read in turn) and indptr.npy + indices.npy */
    int source_count;
    const char *format; /* a registered name; NULL: told by content */
    bool sample_out, undirected, renumber, weights;
    const char *train;  /* file, or NULL */
    double train_share; /* 0: the source's own training vertices if it has some, else 0.1 */
    uint64_t seed, feature_dim;
    const char *feature_type; /* "f32", "f16", "i8" */
    const char *name;         /* NULL: from the first source */
    int threads;
    bool progress;
};

/* Makes the directory `target`. summary may be NULL. */
enum st graph_import(const struct import_options *o, const char *target, struct graph_summary *summary, struct err *err)
    MUST_USE;

/* The format of a path by content, or the one named. ST_INPUT with a sentence when there is none. */
enum st graph_format_find(const char *path, const char *name, const struct graph_format **out, struct err *err)
    MUST_USE;

#endif
