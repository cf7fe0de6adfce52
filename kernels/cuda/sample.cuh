/* sample.cuh - sampling on the GPU (contract: kernels/sampling.h): what its parts share.
 *
 * sample_sizes decides where the graph lies and how many mini-batches are in flight, from free memory; sample_graph
 * puts the graph there; sample_draw has the kernels and the order of their launches; sample is the session. A
 * mini-batch is drawn by one stream, in its own work space; sizes that are found while drawing (frontiers, draws)
 * stay in device memory, and launches are made for the most that there can be.
 */
#ifndef KERNELS_CUDA_SAMPLE_CUH
#define KERNELS_CUDA_SAMPLE_CUH

#include "kernels/cuda/streams.cuh"
#include "kernels/sampling.h"

enum { SAMPLE_STREAMS = 8, SAMPLE_SMALL = 64 /* draws: up to here a thread looks through its own list */ };
/* Bytes of a staging buffer, of which there are two; entries that a step draws at most; bytes of sets for wide
 * fan-outs. Small where it is tested. */
#ifdef HOTSET_CUDA_EMULATED
constexpr uint64_t SAMPLE_PIECE = 1 << 12, SAMPLE_ROOM = 1 << 12, SAMPLE_SETS = 1 << 16;
#else
constexpr uint64_t SAMPLE_PIECE = 1 << 25, SAMPLE_ROOM = 1 << 23, SAMPLE_SETS = 1 << 26;
#endif

/* ---- sizes ---- */

struct sample_sizes {
    uint64_t frontier[SAMPLING_HOPS_MAX]; /* vertices that a hop expands at most */
    uint64_t room;                        /* entries that are drawn between two looks */
    uint64_t sets,
        set_cells; /* threads that draw wide fan-outs, and the cells of each one's set; 0: every fan-out is small */
    uint64_t bench, counts, graph,
        index;     /* bytes: of one stream's work space; of counts; of the whole graph; of where rows lie (hybrid) */
    uint64_t rows; /* bytes of the rows that are named on the reader's device, duplicates included */
    uint64_t available; /* bytes that the session may take */
    uint64_t left;      /* of that, for the rows of a source that holds some */
};
/* Where the graph will lie and what that takes; facts->rows is not set. ST_LIMIT when it cannot be. The reader's
 * device is current. */
enum st sample_plan(const struct sampling_problem *p, struct sample_sizes *z, struct sampling_facts *facts,
                    struct err *err);
/* Device bytes of one held row beyond its entries. */
enum { SAMPLE_ROW_BYTES = 12 };

/* ---- owners ---- */

/* Makes a device the current one for as long as it lives. */
struct sample_turn {
    int before = 0;
    enum st st;
    sample_turn(int device, struct err *err)
    {
        st = cuda_check(cudaGetDevice(&before), "choosing a GPU", err);
        if (st == ST_OK && device != before) st = cuda_check(cudaSetDevice(device), "choosing a GPU", err);
    }
    ~sample_turn() { cuda_let_go(cudaSetDevice(before)); }
};

/* Host memory that a device can read and copy at full speed. */
struct sample_pinned {
    void *at = nullptr;
    uint64_t bytes = 0;
    sample_pinned() = default;
    sample_pinned(const sample_pinned &) = delete;
    ~sample_pinned()
    {
        if (at) cuda_let_go(cudaFreeHost(at));
    }
    enum st take(uint64_t count, const char *what, struct err *err);
};

/* A host array that kernels read in place: registered, or where that fails a pinned copy. */
struct sample_mapped {
    const void *at = nullptr; /* as the device sees it */
    void *registered = nullptr;
    sample_pinned copy;
    sample_mapped() = default;
    sample_mapped(const sample_mapped &) = delete;
    ~sample_mapped()
    {
        if (registered) cuda_let_go(cudaHostUnregister(registered));
    }
    enum st map(const void *host, uint64_t bytes, int threads, struct err *err);
};

/* Two pinned buffers with a stream each: while one is copied, the host fills or empties the other. */
struct sample_staging {
    sample_pinned buffer[2];
    cuda_stream stream[2];
    int turn = 0, threads = 1;
    char *to = nullptr; /* where on the device the next byte goes */
    uint64_t used = 0;  /* bytes of the current buffer */

    enum st make(int host_threads, struct err *err);
    void aim(void *device) { to = static_cast<char *>(device); }
    enum st add(const void *host, uint64_t bytes, struct err *err); /* what follows on the device */
    enum st flush(struct err *err);
    enum st wait(struct err *err); /* flushes, too */
    template <class T> enum st put(device_array<T> &a, const T *host, uint64_t count, struct err *err)
    {
        aim(a.at);
        CUDA_TRY(add(host, count * sizeof(T), err));
        return flush(err);
    }
    /* Adds `count` counts on the device to a host array. */
    enum st add_out(uint32_t *host, const uint32_t *device, uint64_t count, struct err *err);
};

/* ---- the graph ---- */

/* Rows of one source, slot by slot: entries [offset[s], offset[s + 1]) of list; phase: entries between a
 * transaction's begin and the row's, on the host. */
struct sample_held {
    const uint64_t *offset;
    const uint32_t *phase, *list;
};

/* As kernels see it. */
struct sample_graph {
    const int64_t *indptr;
    const uint32_t *indices;
    const uint8_t *at;              /* [n] source of a row, `sources`: the whole graph; NULL: all there */
    const uint32_t *slot;           /* [n] */
    const struct sample_held *held; /* [sources] */
    unsigned sources;
};

/* What owns it. */
struct sample_place {
    device_array<int64_t> indptr;
    device_array<uint32_t> indices, slot, phase[SAMPLING_SOURCES_MAX], list[SAMPLING_SOURCES_MAX];
    device_array<uint64_t> offset[SAMPLING_SOURCES_MAX];
    device_array<uint8_t> at;
    device_array<struct sample_held> held;
    sample_mapped host_indptr, host_indices;
    struct sample_graph view = {};

    /* facts->where is decided; adds the pinned copies and the rows to facts. The reader's device is current. */
    enum st make(const struct sampling_problem *p, const struct sample_sizes *z, sample_staging &staging,
                 struct sampling_facts *facts, struct err *err);
};

/* ---- drawing ---- */

/* Cells of `mark`: where hop h's frontier of rule new begins (h) and ends (h + 1); how many distinct vertices and
 * draws there are. */
enum { SAMPLE_COUNT = SAMPLING_HOPS_MAX + 2, SAMPLE_DRAWS, SAMPLE_MARKS };

/* A stream's work space, as kernels see it. */
struct sample_view {
    uint32_t *stamp, *found, *set;
    const uint32_t **entry; /* where each draw's neighbour is written */
    u64 *mark;
    uint32_t tick;
};

/* The same, owned. */
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
    sample_staging staging;
    struct sample_place place;
    sample_scratch bench[SAMPLE_STREAMS];
    device_array<uint32_t> counts; /* [2 + hops][n] feature, lines, visits */
    device_array<u64> sums; /* transactions of all visits; then per source visits and transactions of a mini-batch */
    device_array<uint32_t> order;
    cuda_event begin, end;
    uint64_t train_count, batches, epochs, wave; /* wave: threads that the device runs at once */
    int id;
};
enum { SAMPLE_SERVED = 1, SAMPLE_SUMS = SAMPLE_SERVED + 2 * (SAMPLING_SOURCES_MAX + 1) };

extern const struct sampling cuda_sampling;
enum st cuda_sampling_probe(int device, uint64_t bytes, double *loads, double *exchanges, struct err *err);

/* Launches all of a mini-batch; counted: into counts, else into sums. */
enum st sample_launch(struct sample_session *s, sample_scratch &b, uint64_t task, bool counted, struct err *err);

#endif
