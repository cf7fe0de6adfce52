/* execute_engine.cuh - the state of the CUDA engine (struct executor of execute.h), shared by execute_cuda.cu,
 * execute_batches.cu and execute_measure.cu. */
#ifndef SIMULATOR_EXECUTE_ENGINE_CUH
#define SIMULATOR_EXECUTE_ENGINE_CUH

#include "kernels/cuda/staging.cuh"
#include "kernels/sampling.h"
#include "simulator/execute/execute_gather.cuh"
extern "C" {
#include "hwprofiles/probe/pcie_bytes.h"
}

enum { MARKS = 2 * EXECUTE_STAGES }; /* events: begin and end of each stage */

/* A mini-batch whose rows are known. */
struct execute_drawn {
    device_array<uint32_t> ids;               /* numbers of feature rows, table by table */
    uint32_t *host = nullptr;                 /* the same ids */
    uint64_t count = 0, room = 0;             /* ids; ids that fit the arrays */
    uint64_t from[GRAPH_TABLES_MAX + 1] = {}; /* where those of a table begin */
    struct execute_batch batch;
    ~execute_drawn() { mem_free(host); }
};

struct execute_engine {
    const struct execute_setup *setup = nullptr;
    const struct execute_reader *reader = nullptr;
    const struct sampling *sampling = nullptr; /* NULL: the CPU draws */
    void *session = nullptr;
    struct execute_drawer *drawer = nullptr;
    bool links = false;          /* rows of peers lie in the peers' own GPUs */
    const char *peers = nullptr; /* as in struct execute_machine */
    uint64_t largest = 0;        /* most rows of a mini-batch */
    int device = 0;
    cuda_stream stream;
    cuda_event mark[MARKS];
    struct pcie_bytes *counter = nullptr;
    const char *no_counter = nullptr;        /* why counter is NULL */
    uint64_t received = 0;                   /* bytes by the counter since the caches were filled */
    host_array<uint8_t> host;                /* the features of the host, pinned, table by table */
    uint64_t host_at[GRAPH_TABLES_MAX] = {}; /* where a table begins */
    device_array<uint8_t> rows[GPUS_MAX], at, out;
    device_array<uint32_t> slot, order;
    const uint8_t *begin[GRAPH_TABLES_MAX][GPUS_MAX + 1] = {}; /* of a table's rows at each source */
    device_array<const uint8_t *> base;                        /* the same */
    device_array<u64> counts;
    struct execute_places places = {}; /* base: of the first table */
    uint64_t room = 0;                 /* rows that fit `order` and `out` */
    struct execute_drawn drawn[2];

    ~execute_engine()
    {
        cuda_ignore(cudaSetDevice(device));
        if (sampling) sampling->close(session);
        execute_drawer_free(drawer);
        pcie_bytes_close(counter);
    }
};

/* ---- execute_batches.cu ---- */

/* Member `run` of struct executor. */
enum st execute_engine_run(void *state, uint64_t first, uint64_t count, bool verify, struct execute_batch *out,
                           struct err *err);
/* Draws and gathers the first mini-batch without recording it: CUDA loads kernels at their first launch, and buffers
 * are allocated. The caches are filled. */
enum st execute_engine_warm(struct execute_engine *e, struct err *err);
/* Device bytes of the buffers of a mini-batch of the largest size: two lists of ids, a list per tier, the rows. */
uint64_t execute_engine_buffer_bytes(const struct execute_setup *s);
/* The part of them that is not allocated yet: buffers of the reader before are used again. */
uint64_t execute_engine_buffer_bytes_left(const struct execute_engine *e);
/* Records begin or end of a stage in the engine's stream; seconds between them, after the stream was waited for. */
enum st execute_engine_mark(struct execute_engine *e, int stage, bool end, struct err *err);
enum st execute_engine_seconds(const struct execute_engine *e, int stage, double *out, struct err *err);
/* Where the rows of a table lie, for gather. */
static inline struct execute_places execute_places_of(const struct execute_engine *e, int table)
{
    struct execute_places p = e->places;
    p.base += table * (GPUS_MAX + 1);
    return p;
}
/* Updates `received` from the counter; a counter that fails is closed. */
void execute_engine_ask_counter(struct execute_engine *e);

/* ---- execute_measure.cu ---- */

/* Member `measure` of struct executor. */
enum st execute_engine_measure(void *state, const struct execute_batch *batches, uint64_t count,
                               struct execute_measured *out, struct err *err);
/* Device bytes that measuring needs; *of_host: host bytes. */
uint64_t execute_engine_measure_bytes(const struct execute_setup *s, uint64_t *of_host);
/* The most bytes that one mini-batch can receive over PCIe. */
uint64_t execute_engine_batch_receives(const struct execute_setup *s);

#endif
