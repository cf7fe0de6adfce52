/* types_source.h - what a folder that others wrote says about a typed graph: types, relations, and where their edges
 * lie.
 *
 * A reader (one file types_<name>.c, listed in types_import.c) only fills a struct types_source from small files and
 * array headers; types_import reads the edges, checks every id, and writes the graph directory. Formats:
 *
 * hetero: a folder with hetero.json: types[]{name, count, feature_dim, feature_type, train} and relations[]{source,
 * name, target, edge_index, columns, weights, feature_dim, feature_type}; edge_index (.npy, or text: .csv, .tsv, .txt,
 * also compressed, whose columns of source and target `columns` names), weights and train name files of the folder. A
 * count may be missing: the largest id + 1. processed: subfolders SOURCE___NAME___TARGET (MAG240M) or
 * SOURCE__NAME__TARGET (IGBH), each with edge_index.npy, and TYPE/node_feat.npy for features. ogb: OGB's heterogeneous
 * raw csv (num-node-dict.csv, triplet-type-list.csv, relations/S___N___T/edge.csv, node-feat/T/node-feat.csv,
 * split/x/T/train.csv; compressed or not). graphbolt: metadata.yaml of GraphBolt with a type per node list and edge
 * list.
 *
 * An edge_index array has the shape (2, m), sources then targets, or (m, 2), pairs; (2, 2) is read as the former.
 */
#ifndef TRACES_FORMATS_TYPES_SOURCE_H
#define TRACES_FORMATS_TYPES_SOURCE_H

#include "traces/builder/graph_draft.h"

struct types_source_type {
    char name[GRAPH_NAME_BYTES];
    uint64_t count; /* 0: the largest id + 1 */
    bool proven;    /* the count is that of rows in a file, not only a number that is stated */
    uint64_t dim;   /* 0: no features */
    char element[8];
    char train[PATH_BYTES]; /* a file of ids or of a mask; "": none */
};

struct types_source_relation {
    char source[GRAPH_NAME_BYTES], name[GRAPH_NAME_BYTES], target[GRAPH_NAME_BYTES];
    char path[PATH_BYTES];
    bool csv;                 /* text, an edge per line, in the columns of columns.h; else .npy */
    char column[2][64];       /* of sources and targets: number or name; "": as a header says, else the first two */
    char weights[PATH_BYTES]; /* a .npy of one float32 per edge; "": none */
    uint64_t dim;
    char element[8];
};

struct types_source {
    struct types_source_type *type;         /* [types], owned */
    struct types_source_relation *relation; /* [relations], owned */
    int types, relations;
};

void types_source_free(struct types_source *s); /* a zeroed struct is allowed */
/* Adds a type, or finds the one of that name. ST_LIMIT for memory, ST_INPUT beyond the limits of graph.h. */
enum st types_source_type(struct types_source *s, const char *name, struct types_source_type **out, struct err *err)
    MUST_USE;
/* Adds a relation; *out is zeroed but for the names. Errors likewise. */
enum st types_source_relation(struct types_source *s, const char *source, const char *name, const char *target,
                              struct types_source_relation **out, struct err *err) MUST_USE;
/* Splits "author___writes___paper" or, with another separator, "author:writes:paper" into three names of
 * [GRAPH_NAME_BYTES]. False when it has another form. */
bool types_source_triple(const char *text, const char *separator, char out[3][GRAPH_NAME_BYTES]);
/* Takes dim, element and, unless it is known, count of a type from the header of a .npy of rows (n, d). ST_INPUT. */
enum st types_source_features(struct types_source_type *t, const char *path, struct err *err) MUST_USE;

struct types_format {
    const char *name, *summary;
    /* Whether the folder is of this format and has several types. */
    bool (*probe)(const char *path);
    enum st (*read)(const char *path, struct types_source *out, struct err *err);
};
extern const struct types_format types_format_hetero, types_format_processed, types_format_ogb, types_format_graphbolt;

#endif
