/* hotset_cuda.cu - declared in hotset_cuda.h; needs that header, hotset.h and CUDA alone.
 *
 * A warp takes a few rows at a time. Each of its first lanes looks one up, so that look-ups overlap; then all lanes
 * copy the rows, as many at a time as there are lanes for, several loads before the first store. What each place served
 * is counted per block, in shared memory, and added to the caller's counts once.
 */
#include "simulator/lib/hotset_cuda.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

namespace
{

typedef unsigned long long u64;
enum { WARP = 32, DEEP = 4 }; /* DEEP: loads of a lane before it stores */
#ifdef HOTSET_EMULATED_WARPS  /* tests/emulated/warps/cuda_runtime.h */
enum { BLOCK = 64 };
const uint64_t BLOCKS_MAX = 3, WARPS_WANTED = 16;
#define LAUNCH(kernel, blocks, stream, ...) emulated_launch(blocks, BLOCK, [&] { kernel(__VA_ARGS__); })
#else
enum { BLOCK = 256 };
const uint64_t BLOCKS_MAX = 1 << 16, WARPS_WANTED = 4096; /* fewer leave a large GPU idle */
#define LAUNCH(kernel, blocks, stream, ...) kernel<<<blocks, BLOCK, 0, (cudaStream_t)(stream)>>>(__VA_ARGS__)
#endif

/* A gather, as kernels get it. */
struct task {
    const hotset_lookup *table;
    const void *ids;
    uint64_t count, row_bytes, held_bytes;    /* of a row: on the host, and that comes out; in a memory */
    uint32_t id_bytes, memories, each, lanes; /* each: rows of a warp at a time; lanes: that share a row */
    unsigned char *out;
    u64 *counts;
    hotset_rows host, memory[HOTSET_MEMORIES_MAX];
};

__device__ inline uint64_t id_at(const void *ids, uint32_t id_bytes, uint64_t i)
{
    return id_bytes == 4 ? (uint64_t)((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

/* Where row i lies, or NULL. *place: the position of the GPU, `memories` for the host, one more for neither. */
__device__ inline const unsigned char *row_of(const task &t, uint64_t i, uint32_t *place)
{
    uint64_t v = id_at(t.ids, t.id_bytes, i), slot = v, vertices = t.table ? t.table->vertices : t.host.rows;
    uint32_t m = t.memories;
    const hotset_rows *from = &t.host;
    if (t.table && hotset_find(t.table, v, &m, &slot)) from = m < t.memories ? &t.memory[m] : nullptr;
    bool there = v < vertices && from && from->base && slot < from->rows;
    *place = there ? m : t.memories + 1;
    return there ? (const unsigned char *)from->base + slot * (m < t.memories ? t.held_bytes : t.row_bytes) : nullptr;
}

__device__ inline uint32_t four_bytes(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

__device__ inline float as_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Element w of a row of `words` that is held so, as the bits of a float; nothing is rounded but the product of i8. */
template <int HELD> __device__ inline uint32_t widened(const unsigned char *row, uint32_t w, uint32_t words)
{
    uint32_t x = HELD == HOTSET_HELD_F16 || HELD == HOTSET_HELD_BF16 ? ((const uint16_t *)row)[w] : row[w], sign, bits;
    float wide;
    if (HELD == HOTSET_HELD_BF16) return x << 16;
    if (HELD == HOTSET_HELD_I8) {
        wide = (float)(int8_t)x * as_float(four_bytes(row + words));
        sign = 0;
    } else if (HELD == HOTSET_HELD_F16) {
        sign = (x & 0x8000) << 16, x &= 0x7fff;
        if (x >= 0x7c00) return sign | 0x7f800000 | (x & 0x3ff) << 13;
        wide = as_float(x << 13) * 0x1p112f; /* the exponent's bias; exact for subnormal ones, too */
    } else {
        sign = (x & 0x80) << 24, x &= 0x7f;
        if (x == 0x7f) return sign | 0x7fc00000;
        wide = as_float(x << 20) * 0x1p120f;
    }
    memcpy(&bits, &wide, sizeof bits);
    return sign | bits;
}

/* Word w of a row, as it comes out. held: it lies in a memory. */
template <class W, int HELD> __device__ inline W word_of(const W *row, bool held, uint32_t w, uint32_t words)
{
    if constexpr (HELD != HOTSET_HELD_AS_HOST)
        if (held) return widened<HELD>((const unsigned char *)row, w, words);
    (void)words;
    return row[w];
}

/* The warp copies rows first .. first + each - 1, whose addresses its lanes have. Of a row that takes several turns,
 * each turn begins where a line does, so that no line is asked for twice (lanes left out of the first turn: `late`). */
template <class W, int HELD>
__device__ inline void copy_rows(const task &t, uint64_t first, const unsigned char *mine, bool my_held)
{
    uint32_t lane = threadIdx.x % WARP, at_once = WARP / t.lanes, words = (uint32_t)(t.row_bytes / sizeof(W));
    for (uint32_t r = 0; r < t.each; r += DEEP * at_once) {
        const W *from[DEEP];
        W *to[DEEP], word[DEEP];
        uint32_t late[DEEP], most = 0;
        bool held[DEEP];
        for (int d = 0; d < DEEP; d++) {
            uint32_t row = r + (uint32_t)d * at_once + lane / t.lanes;
            from[d] = (const W *)__shfl_sync(~0u, (u64)(size_t)mine, (int)(row % WARP));
            to[d] = row < t.each && first + row < t.count ? (W *)(t.out + (first + row) * t.row_bytes) : nullptr;
            held[d] = HELD != HOTSET_HELD_AS_HOST && __shfl_sync(~0u, (int)my_held, (int)(row % WARP));
            late[d] = words > WARP ? (uint32_t)((size_t)from[d] / sizeof(W) % WARP) : 0;
            most = late[d] > most ? late[d] : most;
        }
        for (uint32_t w = lane % t.lanes; w < words + most; w += t.lanes) {
            for (int d = 0; d < DEEP; d++)
                word[d] = to[d] && from[d] && w - late[d] < words
                              ? word_of<W, HELD>(from[d], held[d], w - late[d], words)
                              : W();
            for (int d = 0; d < DEEP; d++)
                if (to[d] && w - late[d] < words) to[d][w - late[d]] = word[d];
        }
    }
}

template <class W, int HELD> __global__ void gather_rows(const __grid_constant__ task t)
{
    __shared__ u64 counted[HOTSET_MEMORIES_MAX + 2];
    uint32_t lane = threadIdx.x % WARP;
    uint64_t warps = (uint64_t)gridDim.x * (blockDim.x / WARP),
             warp = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    for (uint32_t k = threadIdx.x; k < t.memories + 2; k += blockDim.x) counted[k] = 0;
    __syncthreads();
    for (uint64_t first = warp * t.each; first < t.count; first += warps * t.each) {
        const unsigned char *mine = nullptr;
        uint32_t place = t.memories;
        if (lane < t.each && first + lane < t.count) {
            mine = row_of(t, first + lane, &place);
            if (t.counts) atomicAdd(&counted[place], (u64)1);
        }
        copy_rows<W, HELD>(t, first, mine, place < t.memories);
    }
    __syncthreads();
    for (uint32_t k = threadIdx.x; t.counts && k < t.memories + 2; k += blockDim.x)
        if (counted[k]) atomicAdd(&t.counts[k], counted[k]);
}

__global__ void find_rows(const hotset_lookup *table, const void *ids, uint32_t id_bytes, uint64_t count,
                          int32_t *memory, int64_t *slot)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x) {
        uint64_t v = id_at(ids, id_bytes, i), s = v;
        uint32_t m = 0;
        bool inside = v < table->vertices, held = hotset_find(table, v, &m, &s) != 0;
        memory[i] = held ? (int32_t)m : inside ? HOTSET_HOST : HOTSET_NOWHERE;
        slot[i] = inside ? (int64_t)s : 0;
    }
}

/* ---- on the host ---- */

int say(hotset_error *error, int code, const char *what, const char *why)
{
    if (error) {
        error->code = code;
        snprintf(error->text, sizeof error->text, "%s%s", what, why);
    }
    return code;
}

int check_ids(const void *ids, uint32_t id_bytes, uint64_t count, hotset_error *error)
{
    if (id_bytes != 4 && id_bytes != 8)
        return say(error, HOTSET_USAGE, "hotset_cuda: ids must have 4 or 8 bytes each; set id_bytes", "");
    if (count && (!ids || (size_t)ids % id_bytes))
        return say(error, HOTSET_USAGE, "hotset_cuda: ids must be given, and lie at a multiple of their size", "");
    return HOTSET_OK;
}

int check_gather(const hotset_gather_request *g, hotset_error *error)
{
    if (!g || g->struct_bytes != sizeof *g)
        return say(error, HOTSET_USAGE,
                   "hotset_cuda_gather: a request must be given, with struct_bytes set to its size", "");
    if (g->memories > HOTSET_MEMORIES_MAX || (g->memories && !g->memory))
        return say(error, HOTSET_USAGE, "hotset_cuda_gather: memory must list at most HOTSET_MEMORIES_MAX memories",
                   "");
    if (!g->row_bytes || g->row_bytes > UINT32_MAX || (g->count && g->count > (SIZE_MAX / 2) / g->row_bytes))
        return say(error, HOTSET_USAGE, "hotset_cuda_gather: row_bytes must be 1 to 2^32 - 1, and all rows fit memory",
                   "");
    if (g->count && !g->out) return say(error, HOTSET_USAGE, "hotset_cuda_gather: out must be given", "");
    return check_ids(g->ids, g->id_bytes, g->count, error);
}

int check_held(const hotset_gather_request *g, hotset_held held, hotset_error *error)
{
    size_t all = (size_t)g->row_bytes | (size_t)g->out | (size_t)g->host.base, even = 0;
    for (uint32_t m = 0; m < g->memories; m++) even |= (size_t)g->memory[m].base;
    if (!hotset_held_bytes(held, g->row_bytes) || all % 4 ||
        ((held == HOTSET_HELD_F16 || held == HOTSET_HELD_BF16) && even % 2))
        return say(error, HOTSET_USAGE,
                   "hotset_cuda_gather_held: rows of the host must be float32, and memories aligned to their elements",
                   "");
    return HOTSET_OK;
}

/* Bytes of the widest word, 1 to 16, that divides a row and every address that is used. */
unsigned word_bytes(const hotset_gather_request *g)
{
    size_t all = (size_t)g->row_bytes | (size_t)g->out | (size_t)g->host.base | 16;
    for (uint32_t m = 0; m < g->memories; m++) all |= (size_t)g->memory[m].base;
    return (unsigned)(all & (~all + 1)); /* the lowest bit */
}

unsigned blocks_for(uint64_t threads)
{
    uint64_t blocks = (threads + BLOCK - 1) / BLOCK;
    return (unsigned)(blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX);
}

template <class W, int HELD = HOTSET_HELD_AS_HOST> void launch(task &t, void *stream)
{
    uint64_t words = t.row_bytes / sizeof(W);
    for (t.lanes = 1; t.lanes < WARP && t.lanes < words;) t.lanes *= 2;
    for (t.each = WARP; t.each > DEEP && t.count / t.each < WARPS_WANTED;) t.each /= 2;
    LAUNCH((gather_rows<W, HELD>), blocks_for((t.count + t.each - 1) / t.each * WARP), stream, t);
    (void)stream;
}

int launched(hotset_error *error)
{
    cudaError_t code = cudaGetLastError();
    if (code != cudaSuccess)
        return say(error, HOTSET_MISSING, "hotset_cuda: the kernel could not be started: ", cudaGetErrorString(code));
    return say(error, HOTSET_OK, "", "");
}

} // namespace

int hotset_cuda_gather(const struct hotset_gather_request *g, void *stream, struct hotset_error *error)
{
    return hotset_cuda_gather_held(g, HOTSET_HELD_AS_HOST, stream, error);
}

int hotset_cuda_gather_held(const struct hotset_gather_request *g, enum hotset_held held, void *stream,
                            struct hotset_error *error)
{
    task t;
    int code = check_gather(g, error);
    if (code == HOTSET_OK && held != HOTSET_HELD_AS_HOST) code = check_held(g, held, error);
    if (code != HOTSET_OK || !g->count) return code == HOTSET_OK ? say(error, code, "", "") : code;
    memset(&t, 0, sizeof t);
    t.table = g->table;
    t.ids = g->ids;
    t.count = g->count;
    t.row_bytes = g->row_bytes;
    t.held_bytes = hotset_held_bytes(held, g->row_bytes);
    t.id_bytes = g->id_bytes;
    t.memories = g->memories;
    t.out = (unsigned char *)g->out;
    t.counts = (u64 *)g->counts;
    t.host = g->host;
    if (g->memories) memcpy(t.memory, g->memory, g->memories * sizeof *g->memory);
    switch (held == HOTSET_HELD_AS_HOST ? word_bytes(g) : 32 + held) {
    case 32 + HOTSET_HELD_F16: launch<uint32_t, HOTSET_HELD_F16>(t, stream); break;
    case 32 + HOTSET_HELD_BF16: launch<uint32_t, HOTSET_HELD_BF16>(t, stream); break;
    case 32 + HOTSET_HELD_F8: launch<uint32_t, HOTSET_HELD_F8>(t, stream); break;
    case 32 + HOTSET_HELD_I8: launch<uint32_t, HOTSET_HELD_I8>(t, stream); break;
    case 16: launch<uint4>(t, stream); break;
    case 8: launch<u64>(t, stream); break;
    case 4: launch<uint32_t>(t, stream); break;
    case 2: launch<uint16_t>(t, stream); break;
    default: launch<uint8_t>(t, stream);
    }
    return launched(error);
}

int hotset_cuda_find_rows(const struct hotset_lookup *table, const void *ids, uint32_t id_bytes, uint64_t count,
                          int32_t *memory, int64_t *slot, void *stream, struct hotset_error *error)
{
    int code = check_ids(ids, id_bytes, count, error);
    if (code != HOTSET_OK) return code;
    if (!table || (count && (!memory || !slot)))
        return say(error, HOTSET_USAGE, "hotset_cuda_find_rows: table, memory and slot must be given", "");
    if (!count) return say(error, HOTSET_OK, "", "");
    LAUNCH(find_rows, blocks_for(count), stream, table, ids, id_bytes, count, memory, slot);
    (void)stream;
    return launched(error);
}
