/* assignment.h - which GPU trains which vertices, and how the GPUs are grouped.
 *
 * GPUs are positions 0..gpus-1; `id` is what the server calls them and what keys the random numbers. Training sets
 * are disjoint and ascending.
 */
#ifndef TRACES_RECORDING_ASSIGNMENT_H
#define TRACES_RECORDING_ASSIGNMENT_H

#include <stdint.h>
#include "base/doc.h"
#include "base/status.h"

enum { GPUS_MAX = 72 };

enum assignment_kind {
    ASSIGNMENT_HIERARCHICAL, /* graph parts per clique, hash inside the clique (Legion S2-S3) */
    ASSIGNMENT_GLOBAL,       /* one random deal over all GPUs: the law of a global shuffle */
    ASSIGNMENT_PER_GPU,      /* a graph part with few cut edges per GPU (PaGraph-plus, DSP) */
    ASSIGNMENT_SELF_RELIANT, /* PaGraph's algorithm 1: training vertices that share L-hop neighbours together */
    ASSIGNMENT_BFS,          /* stretches of the order in which a breadth-first search finds training vertices (BGL) */
    ASSIGNMENT_KINDS
};

struct assignment {
    enum assignment_kind kind;
    char partition[16]; /* how the graph was split: "metis", "stream", "hash", "none"; "" for a global deal or when not
                           known */
    int gpus, cliques;
    int id[GPUS_MAX];
    int clique_of[GPUS_MAX];
    uint32_t *train[GPUS_MAX]; /* owned; [train_count] ascending */
    uint64_t train_count[GPUS_MAX];
};

void assignment_release(struct assignment *a); /* zeroed is allowed */
enum st assignment_copy(const struct assignment *a, struct assignment *out, struct err *err) MUST_USE;
const char *assignment_name(enum assignment_kind kind); /* "hierarchical", "global", "per-gpu", "self-reliant", "bfs" */
enum assignment_kind assignment_kind_of(
    const char *name); /* hierarchical for what it does not know: others write documents, too */

/* [[0,1,2,3],[4,5,6,7]]: ids per clique. */
doc *assignment_cliques_document(const struct assignment *a);
/* Reads `gpus` (ids) and `cliques` (lists of ids) of a document into id, clique_of, gpus and cliques. */
enum st assignment_read_groups(const doc *gpus, const doc *cliques, const char *where, struct assignment *out,
                               struct err *err) MUST_USE;

/* Checks a list of training vertices that came from a file: ascending after sorting, unique, below n. Copies it into
 * position g. */
enum st assignment_set_train(struct assignment *a, int g, const uint32_t *ids, uint64_t count, uint64_t n,
                             const char *where, struct err *err) MUST_USE;

#endif
