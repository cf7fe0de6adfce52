/* hotset_cuda.h - hotset_gather and hotset_find_rows on a GPU: one launch each, nothing is sorted, copied or waited
 * for.
 *
 * All addresses but those named below are read by the current device: its own memory, peers' memory that
 * cudaDeviceEnablePeerAccess or an IPC handle opened, and pinned host memory, which is read over PCIe in place
 * (cudaHostAlloc or cudaHostRegister, through unified addressing). The table is one that hotset_lookup_build copied to
 * the device (struct hotset_request, `copy`). Rows are copied in the widest words that divide a row and all base
 * addresses, up to 16 bytes, by neighbouring threads, so that a row is read in whole lines wherever it lies.
 *
 * Work is put into the caller's stream and results are there when the stream has come so far; until then the memory
 * that is named must stay. No state is kept, any thread may call, each for its current device. The library has its own
 * copy of the CUDA runtime, which shares the device's context with others. To build the kernels into a program of your
 * own instead, compile hotset_cuda.cu with this header.
 */
#ifndef SIMULATOR_LIB_HOTSET_CUDA_H
#define SIMULATOR_LIB_HOTSET_CUDA_H

#include "simulator/lib/hotset.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* As hotset_gather, in a stream (a cudaStream_t; NULL: the default one). gather and gather->memory lie in host memory
 * and may go when the call returns; `threads` is not used. counts: [memories + 2] of 8 bytes, in memory that the device
 * can write; what could not be read is reported only there (counts[memories + 1]). HOTSET_USAGE: a wrong argument;
 * HOTSET_MISSING: the device refused the launch. */
int hotset_cuda_gather(const struct hotset_gather_request *gather, void *stream, struct hotset_error *error);

/* How GPUs hold rows whose elements the host has as float32 (HOTSET_TEXT_CACHE_TYPE): as the host does; as IEEE halves;
 * as bfloat16; as E4M3 without infinities; as signed bytes, then the row's float32 factor, in 4 bytes more. */
enum hotset_held { HOTSET_HELD_AS_HOST, HOTSET_HELD_F16, HOTSET_HELD_BF16, HOTSET_HELD_F8, HOTSET_HELD_I8 };

/* As hotset_cuda_gather, where memories hold rows so, one behind the other, and those of the host have float32: all
 * come out as float32. row_bytes: of the host, a multiple of 4; memories with 2-byte elements begin at an even address.
 */
int hotset_cuda_gather_held(const struct hotset_gather_request *gather, enum hotset_held held, void *stream,
                            struct hotset_error *error);

/* Bytes of a row that is held so, where the host's has row_bytes; 0: there is no such row. */
static inline uint64_t hotset_held_bytes(enum hotset_held held, uint64_t row_bytes)
{
    if (held != HOTSET_HELD_AS_HOST && row_bytes % 4) return 0;
    switch (held) {
    case HOTSET_HELD_AS_HOST: return row_bytes;
    case HOTSET_HELD_F16:
    case HOTSET_HELD_BF16: return row_bytes / 2;
    case HOTSET_HELD_F8: return row_bytes / 4;
    case HOTSET_HELD_I8: return row_bytes / 4 + 4;
    }
    return 0;
}

/* As hotset_find_rows, in a stream; ids that are beyond the graph are HOTSET_NOWHERE. Errors as above. */
int hotset_cuda_find_rows(const struct hotset_lookup *table, const void *ids, uint32_t id_bytes, uint64_t count,
                          int32_t *memory, int64_t *slot, void *stream, struct hotset_error *error);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
