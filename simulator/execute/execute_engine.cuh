/* execute_engine.cuh - what the CUDA engine keeps while it is open, for the files that it is made of. Private to
 * execute*.cu. */
#ifndef SIMULATOR_EXECUTE_ENGINE_CUH
#define SIMULATOR_EXECUTE_ENGINE_CUH

#include "simulator/execute/execute_gather.cuh"
extern "C" {
#include "hwprofiles/probe/pcie_bytes.h"
#include "kernels/sampling.h"
}

enum { MARKS = 2 * EXECUTE_STAGES };

/* A mini-batch that was drawn. */
struct execute_drawn {
    device_array<uint32_t> ids;
    uint32_t *host = nullptr; /* the same ids */
    uint64_t count = 0, room = 0;
    struct execute_batch batch;
    ~execute_drawn() { mem_free(host); }
};

/* Pinned host memory that the device reads. */
struct execute_mapped {
    uint8_t *at = nullptr;
    ~execute_mapped() { cuda_let_go(cudaFreeHost(at)); }
};

struct execute_engine {
    const struct execute_setup *setup = nullptr;
    const struct execute_reader *reader = nullptr;
    const struct sampling *sampling = nullptr; /* NULL: the CPU draws */
    void *session = nullptr;
    struct execute_drawer *drawer = nullptr;
    bool links = false;          /* peers' rows lie in their own GPUs */
    const char *peers = nullptr; /* as in struct execute_machine */
    uint64_t largest = 0;        /* vertices of a mini-batch at most */
    int device = 0;
    cudaStream_t stream = nullptr;
    cudaEvent_t mark[MARKS] = {};
    struct pcie_bytes *counter = nullptr;
    const char *no_counter = nullptr;
    uint64_t received = 0; /* by the counter, since the caches were filled */
    execute_mapped host;
    device_array<uint8_t> rows[GPUS_MAX], at, out;
    device_array<uint32_t> slot, order;
    device_array<const uint8_t *> base;
    device_array<u64> counts;
    struct execute_places places = {};
    uint64_t room = 0; /* rows that order and out have place for */
    struct execute_drawn drawn[2];

    ~execute_engine()
    {
        cuda_let_go(cudaSetDevice(device));
        if (sampling) sampling->close(session);
        execute_drawer_free(drawer);
        pcie_bytes_close(counter);
        for (cudaEvent_t e : mark)
            if (e) cuda_let_go(cudaEventDestroy(e));
        if (stream) cuda_let_go(cudaStreamDestroy(stream));
    }
};

/* execute_batches.cu: as in struct executor. */
enum st execute_engine_run(void *state, uint64_t first, uint64_t count, bool verify, struct execute_batch *out,
                           struct err *err);
/* Draws and gathers the first mini-batch unrecorded: kernels are loaded when they are first run, and rooms are taken.
 * The reader is filled. */
enum st execute_engine_warm(struct execute_engine *e, struct err *err);
/* Device bytes that a mini-batch of the largest size takes: two lists of ids, one of every tier, the rows. */
uint64_t execute_engine_rooms(const struct execute_setup *s);
/* Of those, what was not taken yet: some may have been for the reader before. */
uint64_t execute_engine_rooms_to_come(const struct execute_engine *e);
/* Begin or end of a stage, in the engine's stream; seconds between, once the stream was waited for. */
enum st execute_engine_mark(struct execute_engine *e, int stage, bool end, struct err *err);
enum st execute_engine_seconds(const struct execute_engine *e, int stage, double *out, struct err *err);
/* Brings `received` up to date; a counter that fails is closed. */
void execute_engine_ask_counter(struct execute_engine *e);

/* execute_measure.cu: as in struct executor; memory that it takes (device and host alike), and the bytes that one
 * mini-batch can receive over PCIe at most. */
enum st execute_engine_measure(void *state, const struct execute_batch *batches, uint64_t count,
                               struct execute_measured *out, struct err *err);
uint64_t execute_engine_measure_bytes(const struct execute_setup *s, uint64_t *of_host);
uint64_t execute_engine_batch_receives(const struct execute_setup *s);

#endif
