/* execute_engine.cuh - what the CUDA engine keeps while it is open, for the files that it is made of. Private to execute*.cu. */
#ifndef SIMULATOR_EXECUTE_ENGINE_CUH
#define SIMULATOR_EXECUTE_ENGINE_CUH

#include "simulator/execute_gather.cuh"
extern "C" {
#include "hwprofiles/pcie_bytes.h"
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
    ~execute_mapped() { (void)cudaFreeHost(at); }
};

struct execute_engine {
    const struct execute_setup *setup = nullptr;
    const struct execute_reader *reader = nullptr;
    const struct sampling *sampling = nullptr; /* NULL: the CPU draws */
    void *session = nullptr;
    struct execute_drawer *drawer = nullptr;
    bool links = false;                        /* peers' rows lie in their own GPUs */
    int device = 0;
    cudaStream_t stream = nullptr;
    cudaEvent_t mark[MARKS] = {};
    struct pcie_bytes *counter = nullptr;
    const char *no_counter = nullptr;
    uint64_t received = 0;                     /* by the counter, since the caches were filled */
    execute_mapped host;
    device_array<uint8_t> rows[GPUS_MAX], at, out;
    device_array<uint32_t> slot, order;
    device_array<const uint8_t *> base;
    device_array<u64> counts;
    struct execute_places places = {};
    uint64_t room = 0;                         /* rows that order and out have place for */
    struct execute_drawn drawn[2];

    ~execute_engine()
    {
        (void)cudaSetDevice(device);
        if (sampling) sampling->close(session);
        execute_drawer_free(drawer);
        pcie_bytes_close(counter);
        for (cudaEvent_t e : mark)
            if (e) (void)cudaEventDestroy(e);
        if (stream) (void)cudaStreamDestroy(stream);
    }
};

/* execute_batches.cu: as in struct executor. */
enum st execute_engine_run(void *state, uint64_t first, uint64_t count, bool verify, struct execute_batch *out, struct err *err);
enum st execute_engine_measure(void *state, const struct execute_batch *batches, uint64_t count, struct execute_measured *out, struct err *err);

#endif
