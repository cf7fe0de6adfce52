/* typed_source.h - what a folder that others wrote says about a typed graph: types, relations, and where their edges
 * lie.
 *
 * A reader (one file typed_<name>.c, listed in typed_import.c) only fills a struct typed_source from small files and
 * array headers; typed_import reads the edges, checks every id, and writes the graph directory. Formats:
 *
 * hetero: a folder with hetero.json: types[]{name, count, feature_dim, feature_type, train} and relations[]{source,
 * name, target, edge_index, feature_dim, feature_type}; edge_index and train name files of the folder. A count may be
 * missing: the largest id + 1. processed: subfolders SOURCE___NAME___TARGET (MAG240M) or SOURCE__NAME__TARGET (IGBH),
 * each with edge_index.npy, and TYPE/node_feat.npy for features. ogb: OGB's heterogeneous raw csv (num-node-dict.csv,
 * triplet-type-list.csv, relations/S___N___T/edge.csv, node-feat/T/node-feat.csv, split/x/T/train.csv; .gz or not).
 * graphbolt: metadata.yaml of GraphBolt with a type per node list and edge list.
 *
 * An edge_index array has the shape (2, m), sources then targets, or (m, 2), pairs; (2, 2) is read as the former.
 */
#ifndef TRACES_TYPED_FORMATS_TYPED_SOURCE_H
#define TRACES_TYPED_FORMATS_TYPED_SOURCE_H

#include "traces/typed/typed_draft.h"

struct typed_source_type {
    char name[TYPED_NAME_BYTES];
    uint64_t count; /* 0: the largest id + 1 */
    uint64_t dim;   /* 0: no features */
    char element[8];
    char train[PATH_BYTES]; /* a file of ids or of a mask; "": none */
};

struct typed_source_relation {
    char source[TYPED_NAME_BYTES], name[TYPED_NAME_BYTES], target[TYPED_NAME_BYTES];
    char path[PATH_BYTES];
    bool csv; /* "source,target" per line; else .npy */
    uint64_t dim;
    char element[8];
};

struct typed_source {
    struct typed_source_type *type;         /* [types], owned */
    struct typed_source_relation *relation; /* [relations], owned */
    int types, relations;
};

void typed_source_free(struct typed_source *s); /* a zeroed struct is allowed */
/* Adds a type, or finds the one of that name. ST_LIMIT for memory, ST_INPUT beyond the limits of typed_graph.h. */
enum st typed_source_type(struct typed_source *s, const char *name, struct typed_source_type **out, struct err *err)
    MUST_USE;
/* Adds a relation; *out is zeroed but for the names. Errors likewise. */
enum st typed_source_relation(struct typed_source *s, const char *source, const char *name, const char *target,
                              struct typed_source_relation **out, struct err *err) MUST_USE;
/* Splits "author___writes___paper" or, with another separator, "author:writes:paper" into three names of
 * [TYPED_NAME_BYTES]. False when it has another form. */
bool typed_source_triple(const char *text, const char *separator, char out[3][TYPED_NAME_BYTES]);
/* Takes dim, element and, unless it is known, count of a type from the header of a .npy of rows (n, d). ST_INPUT. */
enum st typed_source_features(struct typed_source_type *t, const char *path, struct err *err) MUST_USE;

struct typed_format {
    const char *name, *summary;
    /* Whether the folder is of this format and has several types. */
    bool (*probe)(const char *path);
    enum st (*read)(const char *path, struct typed_source *out, struct err *err);
};
extern const struct typed_format typed_format_hetero, typed_format_processed, typed_format_ogb, typed_format_graphbolt;

#endif
