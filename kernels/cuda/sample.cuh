/* sample.cuh - sampling on the GPU (contract: kernels/sampling.h).
 *
 * sample_sizes.cu decides from free memory where the graph lies and how many mini-batches are in flight.
 * sample_graph.cu puts the graph there. sample_draw.cu has the kernels and launches them. sample.cu is the session. One
 * stream draws a mini-batch, in scratch memory of its own. Sizes that are known only while drawing (frontiers, draws)
 * stay in device memory, and a launch has threads for the largest possible size.
 */
#ifndef KERNELS_CUDA_SAMPLE_CUH
#define KERNELS_CUDA_SAMPLE_CUH

#include "kernels/cuda/staging.cuh"
#include "kernels/sampling.h"

enum { SAMPLE_STREAMS = 8, SAMPLE_SMALL = 64 }; /* SMALL: the largest fan-out whose draws a thread searches as a list */
/* Most entries that a step draws; bytes of hash sets for larger fan-outs. Small in tests, so that inputs take several
 * steps. */
#ifdef HOTSET_CUDA_EMULATED
constexpr uint64_t SAMPLE_ROOM = 1 << 12, SAMPLE_SETS = 1 << 16;
#else
constexpr uint64_t SAMPLE_ROOM = 1 << 23, SAMPLE_SETS = 1 << 26;
#endif

/* ---- sizes ---- */

struct sample_sizes {
    uint64_t frontier[SAMPLING_HOPS_MAX]; /* most vertices that a hop expands */
    uint64_t room;                        /* most entries that a step draws */
    uint64_t sets, set_cells;             /* hash sets for large fan-outs, one per thread, and their cells; 0: none */
    uint64_t scratch;                     /* bytes of one stream's scratch memory */
    uint64_t counts, graph;               /* bytes of the counts; of the whole graph */
    uint64_t index;                       /* bytes of the tables that say where rows lie (hybrid) */
    uint64_t rows;      /* bytes of the rows that are named on the reader's device, duplicates included */
    uint64_t available; /* bytes that the session may allocate */
    uint64_t left;      /* bytes left for the rows of a source that holds as many as fit */
};
/* Decides where the graph will lie, and the sizes; facts->rows is not set. The reader's device is current. ST_LIMIT
 * when nothing fits. */
enum st sample_plan(const struct sampling_problem *p, struct sample_sizes *z, struct sampling_facts *facts,
                    struct err *err);
/* Device bytes of one held row beyond its entries. */
enum { SAMPLE_ROW_BYTES = 12 };

/* ---- the graph ---- */

/* The rows of one source. The row in slot s has entries list[offset[s]..offset[s + 1]). phase[s]: the entries between
 * the begin of a transaction and the begin of the row in host memory. */
struct sample_held {
    const uint64_t *offset;
    const uint32_t *phase, *list;
};

/* The graph as an argument of kernels. */
struct sample_graph {
    const int64_t *indptr;
    const uint32_t *indices;
    const uint8_t *at;    /* [n] source of a row; `sources` stands for the whole graph; NULL: all rows there */
    const uint32_t *slot; /* [n] slot of a row at its source */
    const struct sample_held *held; /* [sources] */
    unsigned sources;
};

/* The owner of its arrays. */
struct sample_place {
    device_array<int64_t> indptr;
    device_array<uint32_t> indices, slot, phase[SAMPLING_SOURCES_MAX], list[SAMPLING_SOURCES_MAX];
    device_array<uint64_t> offset[SAMPLING_SOURCES_MAX];
    device_array<uint8_t> at;
    device_array<struct sample_held> held;
    cuda_mapped host_indptr, host_indices;
    struct sample_graph view = {};

    /* Puts the graph where facts->where says; adds pinned copies and rows to facts. The reader's device is current.
     * Waits. */
    enum st make(const struct sampling_problem *p, const struct sample_sizes *z, cuda_staging &staging,
                 const cuda_stream &stream, struct sampling_facts *facts, struct err *err);
};

/* ---- drawing ---- */

/* Cells of `mark`: mark[h] and mark[h + 1] are the begin and end of hop h's new vertices in `found`; then the numbers
 * of distinct vertices and of draws. */
enum { SAMPLE_COUNT = SAMPLING_HOPS_MAX + 2, SAMPLE_DRAWS, SAMPLE_MARKS };

/* The scratch memory of a stream, as an argument of kernels. */
struct sample_view {
    uint32_t *stamp;        /* [n] the tick of the last mini-batch that had the vertex */
    uint32_t *found;        /* distinct vertices of the mini-batch */
    uint32_t *set;          /* hash sets */
    const uint32_t **entry; /* the address of each draw's neighbour */
    u64 *mark;
    uint32_t tick; /* number of the mini-batch */
};

/* The owner of its arrays. */
struct sample_scratch {
    device_array<uint32_t> stamp, found, set;
    device_array<const uint32_t *> entry;
    device_array<u64> mark;
    cuda_stream stream;
    uint32_t tick = 0;

    enum st make(const struct sampling_problem *p, const struct sample_sizes *z, struct err *err);
};

struct sample_session {
    struct sampling_problem p;
    uint32_t fanout[SAMPLING_HOPS_MAX]; /* p.fanout points here */
    struct sample_sizes z;
    struct sampling_facts facts;
    cuda_stream copies;
    cuda_staging staging;
    struct sample_place place;
    sample_scratch scratch[SAMPLE_STREAMS];
    device_array<uint32_t> counts; /* [2 + hops][n] feature, lines, visits */
    device_array<u64> sums; /* [0] transactions of all visits; then, per source, visits and lines of a mini-batch */
    device_array<uint32_t> order;
    cuda_event begin, end;
    uint64_t train_count, batches, epochs;
    uint64_t wave; /* threads of a launch: as many as the device runs at once, twice */
    int id;
};
enum { SAMPLE_SERVED = 1, SAMPLE_SUMS = SAMPLE_SERVED + 2 * (SAMPLING_SOURCES_MAX + 1) };

extern const struct sampling cuda_sampling;
/* Member `probe` of struct sampling. */
enum st cuda_sampling_probe(int device, uint64_t bytes, double *loads, double *exchanges, struct err *err);

/* Launches the drawing of a task in the stream of b. counted: into `counts`; otherwise into `sums`. */
enum st sample_launch(struct sample_session *s, sample_scratch &b, uint64_t task, bool counted, struct err *err);

#endif
