/* graph_import.h - from files of any known format to a graph directory. */
#ifndef TRACES_FORMATS_GRAPH_IMPORT_H
#define TRACES_FORMATS_GRAPH_IMPORT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "traces/builder/graph_save.h"
#include "traces/formats/graph_format.h"

struct import_options {
    char **sources; /* [source_count]; several only for edge lists (read in turn) and indptr.npy with indices.npy */
    int source_count;
    const char *format; /* a registered name; NULL: told by content */
    bool sample_out, undirected, names, renumber, weights, times, parallel;
    struct column_words columns;           /* of text */
    uint64_t vertices;                     /* 0: as the source says */
    const char *edge_times, *vertex_times; /* files, or NULL */
    const char *train;                     /* file of training vertices, or NULL */
    const char *labels, *valid, *test;     /* files, or NULL: what the source has of them */
    double train_share;                    /* 0: the source's own training vertices if it has some, else 0.1 */
    uint64_t seed;
    uint64_t feature_dim;     /* 0, and */
    const char *feature_type; /* NULL: as the source states, else 128 x f32 */
    const char *name;         /* NULL: that of the target folder */
    int threads;
    bool progress;
};

/* Makes the directory `target`; on failure there is the old one or none. *summary is filled; it may be NULL. ST_INPUT,
 * with file and place, when no format knows a source or a source is wrong; ST_USAGE for options that do not go
 * together; ST_LIMIT when disk or memory is out. */
enum st graph_import(const struct import_options *o, const char *target, struct graph_summary *summary, struct err *err)
    MUST_USE;

#endif
