/* graph_save.h - the last part of making a graph directory: training vertices, fingerprint, graph.json. */
#ifndef TRACES_BUILDER_GRAPH_SAVE_H
#define TRACES_BUILDER_GRAPH_SAVE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/file.h"
#include "base/status.h"
#include "traces/builder/builder.h"
#include "traces/builder/graph_labels.h"
#include "traces/builder/graph_train.h"

/* What graph.json states besides the arrays. Texts are borrowed. */
struct graph_facts {
    const char *name, *sample;
    uint64_t feature_dim, feature_bytes;
    const char *feature_type;   /* a word of GRAPH_ELEMENT_WORDS */
    const char *feature_origin; /* who states the rows: GRAPH_ROWS_ASSUMED, an option, a file; NULL: not known */
    const char *origin;         /* name of the format or generator */
    const char *train_origin;   /* where the training vertices come from */
    const char *relabelled;     /* the metric by which vertices were renumbered; NULL: they were not */
    const struct train_set *valid, *test; /* NULL or empty: none */
    const struct label_list *labels;      /* NULL or without list: none */
    uint64_t name_bytes;                  /* of names that were written; 0: none */
    bool edge_times;                      /* edge_times.npy is there */
    bool times_fine;                      /* times are in millionths of the source's unit */
    const int64_t *vertex_times;          /* [n] or NULL: none */
};

/* What was made: for tables and --json. */
struct graph_summary {
    uint64_t n, m, duplicates, self_loops, train;
    uint64_t valid, test, classes, labelled; /* 0: none */
    uint64_t name_bytes;                     /* of the vertices' names; 0: none */
    uint64_t topology_bytes, feature_bytes;  /* of all rows */
    uint64_t feature_dim;
    char feature_type[8], feature_origin[80];
    char name[128], sample[8], origin[64], train_origin[128], fingerprint[80], sampled[80];
    bool counted;            /* n is the largest id + 1; set by graph_import */
    char doubt[GRAPH_DOUBT]; /* what is doubtful about the source, a sentence; "" for nothing; set by graph_import */
};

/* Writes train.npy, what facts has of valid.npy, test.npy, labels.npy and vertex_times.npy, and graph.json next to the
 * arrays that csr_write left in `to`. *summary is filled; it may be NULL. ST_LIMIT when disk or memory is out. */
enum st graph_save(const struct output *to, uint64_t n, const struct csr_result *csr, const struct train_set *train,
                   const struct graph_facts *facts, int threads, struct graph_summary *summary, struct err *err)
    MUST_USE;

/* What the rows of a graph with this `sample` list, in words (static). */
const char *graph_sample_words(const char *sample);

/* The document graph-made/1; the caller frees it with doc_free. */
doc *graph_summary_document(const struct graph_summary *s);
/* The table for people. */
void graph_summary_print(const struct graph_summary *s, FILE *to);

#endif
