/* assignment.h - which GPU trains which vertices, and which GPUs form a clique.
 *
 * GPUs are positions 0..gpus-1; `id` is the server's number of a GPU and keys its random numbers. Training sets are
 * disjoint and ascending.
 */
#ifndef TRACES_RECORDING_ASSIGNMENT_H
#define TRACES_RECORDING_ASSIGNMENT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/status.h"

enum { GPUS_MAX = 72 };

enum assignment_kind {
    ASSIGNMENT_HIERARCHICAL, /* a graph part per clique, hash inside the clique (Legion S2-S3) */
    ASSIGNMENT_GLOBAL,       /* one random deal over all GPUs: as a global shuffle */
    ASSIGNMENT_PER_GPU,      /* a graph part with few cut edges per GPU (PaGraph-plus, DSP) */
    ASSIGNMENT_SELF_RELIANT, /* training vertices that share L-hop neighbours on one GPU (PaGraph, algorithm 1) */
    ASSIGNMENT_NESTED,       /* a graph part per clique, cut into one part per GPU of the clique */
    ASSIGNMENT_BFS,          /* consecutive pieces of the order in which a breadth-first search finds them (BGL) */
    ASSIGNMENT_KINDS
};

struct assignment {
    enum assignment_kind kind;
    char partition[16]; /* how the graph was split: "metis", "stream", "hash", "none"; "": not split, or not known */
    int gpus, cliques;
    bool uneven; /* of kind hierarchical: parts of the graph are smaller than what a clique trains */
    int id[GPUS_MAX];
    int clique_of[GPUS_MAX];
    uint32_t *train[GPUS_MAX]; /* owned; [train_count] ascending */
    uint64_t train_count[GPUS_MAX];
    uint32_t *circle[GPUS_MAX]; /* owned; the same vertices in the order that bfs and blocks go by (order.h), or NULL */
};

/* Frees the training sets; a zeroed struct is allowed. */
void assignment_release(struct assignment *a);
/* *out: a copy with training sets of its own; release it. ST_LIMIT when memory is out. */
enum st assignment_copy(const struct assignment *a, struct assignment *out, struct err *err) MUST_USE;
/* "hierarchical", "global", "per-gpu", "self-reliant", "nested", "bfs" (static). */
const char *assignment_name(enum assignment_kind kind);
/* The kind of that name; hierarchical for an unknown one, because other programs write documents, too. */
enum assignment_kind assignment_kind_of(const char *name);

/* True when the GPUs of a clique train random parts of one set, so that all of them read a row equally often. */
static inline bool assignment_even(const struct assignment *a)
{
    return (a->kind == ASSIGNMENT_HIERARCHICAL && !a->uneven) || a->kind == ASSIGNMENT_GLOBAL;
}

/* [train_count] what GPU g's mini-batches are cut from: the circle, where there is one. */
static inline const uint32_t *assignment_seeds(const struct assignment *a, int g)
{
    return a->circle[g] ? a->circle[g] : a->train[g];
}

/* True for kinds with a part of the graph for each GPU. */
static inline bool assignment_parts_per_gpu(enum assignment_kind kind)
{
    return kind == ASSIGNMENT_PER_GPU || kind == ASSIGNMENT_NESTED;
}

/* [[0,1,2,3],[4,5,6,7]]: ids per clique. The caller frees it with doc_free. */
doc *assignment_cliques_document(const struct assignment *a);
/* Reads `gpus` (ids) and `cliques` (lists of ids) of a document into id, clique_of, gpus and cliques of *out; the rest
 * is zeroed. where: the file, for messages. ST_INPUT unless every GPU is in one clique. */
enum st assignment_read_groups(const doc *gpus, const doc *cliques, const char *where, struct assignment *out,
                               struct err *err) MUST_USE;

/* Sets the training vertices of position g: a sorted copy of ids[count], which came from the file `where`. ST_INPUT for
 * ids that are not below n or are there twice; ST_LIMIT when memory is out. */
enum st assignment_set_train(struct assignment *a, int g, const uint32_t *ids, uint64_t count, uint64_t n,
                             const char *where, struct err *err) MUST_USE;
/* Sets the circle of position g: a copy of ids[count], which came from the file `where`. ST_INPUT unless these are its
 * training vertices; ST_LIMIT when memory is out. */
enum st assignment_set_circle(struct assignment *a, int g, const uint32_t *ids, uint64_t count, const char *where,
                              struct err *err) MUST_USE;
/* Gives the training vertices of position i to position to[i], a permutation. */
void assignment_exchange(struct assignment *a, const int *to);
/* Frees the circles of all GPUs. */
void assignment_drop_circles(struct assignment *a);

#endif
