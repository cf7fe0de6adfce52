/* sampling.h - the contract of sampling on a device: mini-batches are drawn and counted there.
 *
 * A backend may have a table of these operations (struct kernels, member `sampling`). The distribution is that of the
 * uniform sampler of traces/sampling/sampler.h, with the same random numbers, so every count equals the CPU's bit for
 * bit.
 *
 * A session belongs to one thread at a time. Arrays given to open() are host arrays, perhaps mapped files. They are
 * borrowed until close(); lists of rows only until open() returns.
 *
 * The graph lies in device memory when it fits; otherwise kernels read it over PCIe from pinned host memory
 * (zero-copy), with some rows in device memory when the caller names rows (the hybrid: a topology cache). Counts do not
 * depend on this; sampling_facts.where states it. Some systems cannot pin a file that is mapped read-only: then a
 * pinned copy is made, within the limit of mem.h.
 *
 * Errors: ST_LIMIT when memory does not suffice, with the bytes needed; ST_MISSING when the device fails.
 */
#ifndef KERNELS_SAMPLING_H
#define KERNELS_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SAMPLING_HOPS_MAX = 16, SAMPLING_SOURCES_MAX = 128 };

enum sampling_where {
    SAMPLING_AUTO,   /* the device when the graph fits; otherwise hybrid when rows are named; otherwise the host */
    SAMPLING_DEVICE, /* offsets and lists in device memory */
    SAMPLING_HOST,   /* both in host memory */
    SAMPLING_HYBRID  /* the named rows in device memory; all others, and their offsets, in host memory */
};

/* Rows that lie in the memory of one GPU, a source. Source 0 is the reader itself. A row that several sources name is
 * read from the first of them. */
struct sampling_rows {
    const uint32_t *ids; /* [count] vertices, each at most once */
    uint64_t count;
    int device; /* CUDA ordinal of the GPU that holds them; the reader's own when the machine has too few GPUs */
    bool some;  /* true: hold the first ones, as many as fit (on the reader's device only); false: all, or ST_LIMIT */
};

struct sampling_problem {
    uint64_t n;
    const int64_t *indptr;            /* [n + 1] */
    const uint32_t *indices;          /* [indptr[n]] */
    int hops;                         /* 1..SAMPLING_HOPS_MAX */
    const uint32_t *fanout;           /* [hops], >= 1 */
    bool frontier_all;                /* traces/sampling/workload.h */
    uint64_t seed, batch, line_bytes; /* line_bytes: bytes per transaction, a power of two */
    uint64_t capacity;                /* most distinct vertices of a mini-batch */
    enum sampling_where where;
    int device;                       /* CUDA ordinal of the reader */
    uint64_t memory;                  /* device bytes that the session may allocate; 0: all that is free */
    const struct sampling_rows *rows; /* [sources]; may be NULL */
    int sources;
    int threads;  /* of the host, for copies; 0: one */
    bool counted; /* run and take will be called; false: only batch, which saves 4 n (2 + hops) bytes */
};

/* Counts of the mini-batches drawn, in arrays of [n] with the meaning of struct sample_counts of
 * traces/sampling/sampler.h. A member that is NULL is left out. */
struct sampling_counts {
    uint32_t *feature, *visits[SAMPLING_HOPS_MAX], *lines;
    uint64_t total_lines;
};

/* One mini-batch. Source s < sources is a GPU that holds rows; index `sources` stands for the whole graph: host memory,
 * or device memory with SAMPLING_DEVICE. */
struct sampling_batch {
    const uint32_t *ids; /* [count] device array, valid until the session draws again: distinct vertices, seeds first */
    uint64_t count;
    uint64_t visits[SAMPLING_SOURCES_MAX + 1]; /* of all hops, by the source of the row */
    uint64_t lines[SAMPLING_SOURCES_MAX + 1];  /* their transactions */
    double seconds;                            /* on the device, from the start of the first kernel to the last end */
};

/* Where the graph lies and what a session allocates. */
struct sampling_facts {
    enum sampling_where where; /* never SAMPLING_AUTO */
    uint64_t device_bytes;     /* of the reader's memory, without the order of gpu() */
    uint64_t pinned_bytes; /* of host memory: staging buffers, and copies of arrays that cannot be pinned in place */
    uint64_t rows;         /* rows that the sources hold */
    int streams;           /* mini-batches in flight */
};

struct sampling {
    /* Why this problem cannot be sampled on the device (static storage); NULL when it can. */
    const char *(*unsupported)(const struct sampling_problem *p);
    /* Says what open would do with the memory that is free now; allocates nothing. pinned_bytes: without copies. */
    enum st (*survey)(const struct sampling_problem *p, struct sampling_facts *facts, struct err *err);
    /* *session: to be closed. facts: may be NULL. ST_USAGE for an unsupported problem. */
    enum st (*open)(const struct sampling_problem *p, void **session, struct sampling_facts *facts, struct err *err);
    /* Draws for GPU `id` from now on; waits for running work. order: [epochs][train_count] training vertices in the
     * order in which they are cut into mini-batches; copied. */
    enum st (*gpu)(void *session, int id, const uint32_t *order, uint64_t train_count, uint64_t epochs,
                   struct err *err);
    /* Starts drawing and counting tasks first..last-1 (task = epoch * batches + batch), and returns. */
    enum st (*run)(void *session, uint64_t first, uint64_t last, struct err *err);
    /* Waits, adds the counts to the host arrays in `to`, and clears them. */
    enum st (*take)(void *session, struct sampling_counts *to, struct err *err);
    /* Waits and lends the counts since the last take or forget in place: device arrays of [n], all members, valid until
     * the session draws again or forgets. */
    enum st (*lend)(void *session, struct sampling_counts *there, struct err *err);
    /* Waits and clears the counts. */
    enum st (*forget)(void *session, struct err *err);
    /* Draws one task, not counted, and waits for it. */
    enum st (*batch)(void *session, uint64_t task, struct sampling_batch *out, struct err *err);
    void (*close)(void *session); /* NULL is allowed */
    /* Measures the independent 4-byte loads and exchanges per second at random places of a device array of `bytes`, or
     * of half of the free memory when that is less. */
    enum st (*probe)(int device, uint64_t bytes, double *loads, double *exchanges, struct err *err);
};

#ifdef __cplusplus
}
#endif

#endif
