/* sampling.h - THE contract of sampling on a device: mini-batches are drawn, counted and kept there.
 *
 * A backend may have a table of these operations (struct kernels, member `sampling`; NULL: traces/sampling/sampler.c
 * draws on the CPU). The law is that of the uniform sampler of traces/sampling/sampler.h, with the same random
 * numbers, so every count equals the CPU's bit for bit. A session belongs to one thread at a time. Arrays given to
 * open() stay the caller's and must live as long as the session; they are host arrays, and may be mapped files; lists
 * of rows may go after open.
 *
 * Where the graph lies: in device memory when it fits; else read over PCIe from pinned host memory (zero-copy); else
 * both, with the rows that are named in device memory (the hybrid; a topology cache). Which one it was is stated in
 * `where`. Counts do not depend on it. Registering an array for zero-copy fails for files that are mapped read-only
 * on some systems; then a pinned copy is made, within the limit of mem.h. ST_LIMIT: the device's memory does not
 * suffice, with the bytes. ST_MISSING: the device failed.
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
    SAMPLING_AUTO,   /* device where it fits, else hybrid when rows are named, else host */
    SAMPLING_DEVICE, /* offsets and lists in device memory */
    SAMPLING_HOST,   /* both read from the host */
    SAMPLING_HYBRID  /* rows that a source holds in device memory, the others (offsets, too) from the host */
};

/* Rows that lie in some GPU's memory. Source 0 is the reader itself; a row that several sources name is read from the
 * first. */
struct sampling_rows {
    const uint32_t *ids; /* [count] vertices, each at most once */
    uint64_t count;
    int device; /* CUDA ordinal whose memory holds them; the reader's own where the machine has too few */
    bool some;  /* hold as many as fit, the first ones (on the reader's device only); false: all, or ST_LIMIT */
};

struct sampling_problem {
    uint64_t n;
    const int64_t *indptr;            /* [n + 1] */
    const uint32_t *indices;          /* [indptr[n]] */
    int hops;                         /* 1..SAMPLING_HOPS_MAX */
    const uint32_t *fanout;           /* [hops], >= 1 */
    bool frontier_all;                /* traces/sampling/workload.h */
    uint64_t seed, batch, line_bytes; /* line_bytes: bytes per transaction, a power of two */
    uint64_t capacity;                /* distinct vertices of a mini-batch at most */
    enum sampling_where where;
    int device;                       /* CUDA ordinal of the reader */
    uint64_t memory;                  /* device bytes the session may take; 0: what is free */
    const struct sampling_rows *rows; /* [sources]; may be NULL */
    int sources;
    int threads;  /* of the host, for copies; 0: one */
    bool counted; /* run and take will be called; false: batch alone, which saves 4 n (2 + hops) bytes */
};

/* Counts since the last take, added to host arrays of [n]; NULL members are left out. The same meaning as struct
 * sample_counts of traces/sampling/sampler.h. */
struct sampling_counts {
    uint32_t *feature, *visits[SAMPLING_HOPS_MAX], *lines;
    uint64_t total_lines;
};

/* One mini-batch that was drawn; ids lie on the device and are valid until the session draws again. Source s <
 * sources is a holder of rows, index `sources` is where the whole graph is read: the host, or with SAMPLING_DEVICE
 * device memory. */
struct sampling_batch {
    const uint32_t *ids; /* device array: distinct vertices, seeds first, the rest in no order */
    uint64_t count;
    uint64_t visits[SAMPLING_SOURCES_MAX + 1],
        lines[SAMPLING_SOURCES_MAX + 1]; /* who served the visits of all hops, and their transactions */
    double seconds;                      /* on the device, from the first kernel's start to the last one's end */
};

/* What a session takes. */
struct sampling_facts {
    enum sampling_where where; /* never SAMPLING_AUTO */
    uint64_t device_bytes;     /* of the reader's memory; orders (gpu) not counted */
    uint64_t pinned_bytes; /* of the host: staging, and copies of arrays that the driver would not register in place */
    uint64_t rows;         /* held by sources, where some were named */
    int streams;           /* mini-batches in flight */
};

struct sampling {
    /* Why this problem cannot be sampled on the device (static storage), or NULL. */
    const char *(*unsupported)(const struct sampling_problem *p);
    /* What open would do, from the memory that is free now: nothing is taken. pinned_bytes: without copies. */
    enum st (*survey)(const struct sampling_problem *p, struct sampling_facts *facts, struct err *err);
    enum st (*open)(const struct sampling_problem *p, void **session, struct sampling_facts *facts, struct err *err);
    /* Turns to GPU `id` (waits for what runs): order is [epochs][train_count] training vertices, epoch by epoch as
     * they are cut into mini-batches; copied. */
    enum st (*gpu)(void *session, int id, const uint32_t *order, uint64_t train_count, uint64_t epochs,
                   struct err *err);
    /* Draws tasks first..last-1 (task = epoch * batches + batch) and counts them on the device. Returns before they
     * are done. */
    enum st (*run)(void *session, uint64_t first, uint64_t last, struct err *err);
    /* Waits, adds the counts to `to`, and empties them. */
    enum st (*take)(void *session, struct sampling_counts *to, struct err *err);
    /* Waits and says where the counts since the last take or forget lie in device memory, in place of copying them:
     * [n] each, all members, to be read until the session draws again or forgets. */
    enum st (*lend)(void *session, struct sampling_counts *there, struct err *err);
    /* Empties the counts, as take does. */
    enum st (*forget)(void *session, struct err *err);
    /* Draws one task without counting and waits for it. */
    enum st (*batch)(void *session, uint64_t task, struct sampling_batch *out, struct err *err);
    void (*close)(void *session); /* NULL is allowed */
    /* Independent 4-byte loads and exchanges per second at random places of a device array of `bytes` (less where
     * memory is short), measured. */
    enum st (*probe)(int device, uint64_t bytes, double *loads, double *exchanges, struct err *err);
};

#ifdef __cplusplus
}
#endif

#endif
