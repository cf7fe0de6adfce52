/* cslp.cu - CSLP: the device finds preferences, row sizes and sums; the host handles ties and full GPUs (cslp_codes.h).
 *
 * The GPUs that a vertex prefers do not depend on its position in the order. So preferences are found vertex by vertex,
 * with each GPU's counts read once and in order, and positions then gather one byte each. Positions pass in chunks:
 * while the host places one chunk, the device makes and copies the next. Counts that do not fit the device pass in
 * pieces. Counts that fit stay there, and preferences are found again whenever a GPU has no room for any row left.
 * Device memory: 1 byte per vertex (8 or 16 with more than 8 GPUs), 4 per position, and 4 per vertex and GPU for counts
 * that stay.
 */
#include "kernels/cuda/cslp.cuh"

#ifdef HOTSET_CUDA_EMULATED
enum { CHUNK = 2 * CSLP_BLOCK }; /* so that small inputs take several */
#else
enum { CHUNK = 1 << 22 }; /* positions, a multiple of CSLP_BLOCK */
#endif

enum st cuda_preferences::allocate(uint64_t n, int gpus, struct err *err)
{
    int words = cslp_mask_words(gpus);
    return words ? mask.allocate(n * (uint64_t)words, "CSLP preferences", err)
                 : code.allocate(n, "CSLP preferences", err);
}

/* ---- kernels ---- */

static __global__ void find_preferences(cuda_rows rows, int gpus, cuda_gpu_set out, uint64_t from, uint64_t n,
                                        int words, uint8_t *code, uint64_t *mask)
{
    CUDA_EACH(v, n)
    {
        struct cslp_preference preference;
        cuda_find_preference(rows, gpus, out, v, &preference);
        cuda_store_preference(preference, words, from + v, code, mask);
    }
}

static __global__ void find_sizes(const int64_t *indptr, const uint32_t *order, uint64_t count, uint64_t *bytes)
{
    CUDA_EACH(i, count)
    {
        uint32_t v = order[i];
        bytes[i] = 4 * (uint64_t)(indptr[v + 1] - indptr[v]) + 8;
    }
}

static __global__ void gather_codes(const uint32_t *order, uint64_t count, int words, const uint8_t *code,
                                    const uint64_t *mask, uint8_t *out)
{
    CUDA_EACH(i, count)
    {
        int members = 0, last = 0;
        if (!words) {
            out[i] = code[order[i]];
            continue;
        }
        for (int word = 0; word < words; word++) {
            uint64_t set = mask[order[i] * (uint64_t)words + (uint64_t)word];
            members += __popcll(set);
            last = set ? word * 64 + __popcll((set & (0 - set)) - 1) : last;
        }
        out[i] = (uint8_t)(members == 1 ? last : CSLP_TIED);
    }
}

/* One warp sums one block of positions: the bytes of each GPU, then those of ties. The codes of the block stay in the
 * first-level cache between the rounds. */
static __global__ void sum_blocks(const uint8_t *code, const uint64_t *bytes, uint64_t row_bytes, uint64_t count,
                                  uint64_t blocks, int gpus, uint64_t *sums)
{
    const uint64_t warp = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / CUDA_WARP,
                   warps = (uint64_t)gridDim.x * blockDim.x / CUDA_WARP;
    const unsigned lane = threadIdx.x % CUDA_WARP;
    for (uint64_t b = warp; b < blocks; b += warps) {
        uint64_t from = b * CSLP_BLOCK, to = from + CSLP_BLOCK < count ? from + CSLP_BLOCK : count,
                 *out = sums + b * (uint64_t)(gpus + CSLP_EXTRAS);
        u64 all = 0, ties = 0, smallest = ~0ull, largest = 0, alone = 0;
        for (uint64_t i = from + lane; i < to; i += CUDA_WARP) {
            u64 here = bytes ? bytes[i] : row_bytes;
            all += here;
            ties += code[i] >= gpus;
            smallest = here < smallest ? here : smallest;
        }
        for (int g = 0; g < gpus; g++) {
            u64 mine = 0;
            for (uint64_t i = from + lane; i < to; i += CUDA_WARP)
                mine += code[i] == g ? (bytes ? bytes[i] : row_bytes) : 0;
            mine = cuda_warp_sum(mine);
            alone += mine;
            if (!lane) out[g] = mine;
        }
        all = cuda_warp_sum(all);
        ties = cuda_warp_sum(ties);
        cuda_warp_range(&smallest, &largest);
        if (!lane) {
            out[gpus + CSLP_TIED_BYTES] = all - alone;
            out[gpus + CSLP_TIES] = ties;
            out[gpus + CSLP_SMALLEST] = smallest;
        }
    }
}

/* Writes the masks of tied positions, block after block; first: [blocks] where the masks of each block begin. */
static __global__ void pack_masks(const uint32_t *order, const uint8_t *code, uint64_t count, uint64_t blocks,
                                  int words, const uint64_t *mask, const uint64_t *first, uint64_t *out)
{
    CUDA_EACH(b, blocks)
    {
        uint64_t to = (b + 1) * CSLP_BLOCK < count ? (b + 1) * CSLP_BLOCK : count, at = first[b];
        for (uint64_t i = b * CSLP_BLOCK; i < to; i++)
            for (int word = 0; word < words && code[i] == CSLP_TIED; word++)
                out[at++] = mask[order[i] * (uint64_t)words + (uint64_t)word];
    }
}

static __global__ void gather_local(cuda_rows rows, int gpus, const uint32_t *order, uint64_t count, uint32_t *out)
{
    CUDA_EACH(i, count * (uint64_t)gpus)
    out[i] = rows.row[i % (uint64_t)gpus][order[i / (uint64_t)gpus]];
}

enum st cuda_find_preferences(const cuda_rows *rows, int gpus, const cuda_gpu_set *out, uint64_t from, uint64_t n,
                              cuda_preferences *preferences, cudaStream_t stream, struct err *err)
{
    if (!n) return ST_OK;
    CUDA_LAUNCH(find_preferences, n, stream, *rows, gpus, *out, from, n, cslp_mask_words(gpus), preferences->code.at,
                preferences->mask.at);
    return cuda_check(cudaGetLastError(), "finding CSLP preferences", err);
}

/* ---- chunks ---- */

namespace
{

/* A chunk of positions that is copied to the host. */
struct chunk {
    device_array<uint8_t> code;
    device_array<uint64_t> bytes, sums;
    host_array<uint8_t> code_here;
    host_array<uint64_t> bytes_here, sums_here;
    cuda_event over;
    uint64_t from, count;
    bool fresh; /* made with the current preferences */
};

struct assignment {
    const cuda_cslp_device *d;
    uint64_t count;
    cudaStream_t stream;
    cuda_stream side; /* for copies of a block while the next chunk is being made */
    chunk chunks[2];
    int turn = 0; /* chunks[turn] is being placed, the other one is being made */
    struct cslp_codes codes;
    cuda_gpu_set out;
    device_array<uint64_t> first, masks;
    host_array<uint64_t> first_here, masks_here;
    uint64_t masks_most = 0;
    device_array<uint32_t> local;
    host_array<uint32_t> local_here, ids_here;

    ~assignment() /* pinned memory must not be freed during copies into it */
    {
        if (side.at) (void)cudaStreamSynchronize(side.at);
        (void)cudaStreamSynchronize(stream);
    }
};

uint64_t blocks_of(uint64_t count) { return (count + CSLP_BLOCK - 1) / CSLP_BLOCK; }

enum st open_chunk(const assignment *a, chunk *c, struct err *err)
{
    uint64_t most = a->count < CHUNK ? a->count : (uint64_t)CHUNK,
             sums = blocks_of(most) * (uint64_t)(a->d->gpus + CSLP_EXTRAS);
    CUDA_TRY(c->code.allocate(most, "CSLP positions", err));
    CUDA_TRY(c->code_here.allocate(most, "CSLP positions", err));
    CUDA_TRY(c->sums.allocate(sums, "CSLP sums", err));
    CUDA_TRY(c->sums_here.allocate(sums, "CSLP sums", err));
    if (a->d->indptr) {
        CUDA_TRY(c->bytes.allocate(most, "CSLP row sizes", err));
        CUDA_TRY(c->bytes_here.allocate(most, "CSLP row sizes", err));
    }
    return c->over.open(err);
}

/* Starts making and copying the chunk of positions from..to-1. */
enum st begin_chunk(assignment *a, chunk *c, uint64_t from, uint64_t to, struct err *err)
{
    const cuda_cslp_device *d = a->d;
    const uint32_t *order = d->order + from;
    uint64_t n = c->count = to - from, blocks = blocks_of(n);
    c->from = from;
    c->fresh = true;
    if (d->indptr) CUDA_LAUNCH(find_sizes, n, a->stream, d->indptr, order, n, c->bytes.at);
    CUDA_LAUNCH(gather_codes, n, a->stream, order, n, cslp_mask_words(d->gpus), d->preferences->code.at,
                d->preferences->mask.at, c->code.at);
    CUDA_LAUNCH(sum_blocks, blocks * CUDA_WARP, a->stream, c->code.at, d->indptr ? c->bytes.at : (uint64_t *)nullptr,
                d->row_bytes, n, blocks, d->gpus, c->sums.at);
    CUDA_TRY(cuda_check(cudaGetLastError(), "finding CSLP preferences", err));
    CUDA_TRY(cuda_check(cudaMemcpyAsync(c->code_here.at, c->code.at, n, cudaMemcpyDeviceToHost, a->stream),
                        "copying from the GPU", err));
    CUDA_TRY(cuda_check(cudaMemcpyAsync(c->sums_here.at, c->sums.at,
                                        blocks * (uint64_t)(d->gpus + CSLP_EXTRAS) * sizeof(uint64_t),
                                        cudaMemcpyDeviceToHost, a->stream),
                        "copying from the GPU", err));
    if (d->indptr)
        CUDA_TRY(cuda_check(cudaMemcpyAsync(c->bytes_here.at, c->bytes.at, n * sizeof(uint64_t), cudaMemcpyDeviceToHost,
                                            a->stream),
                            "copying from the GPU", err));
    return c->over.record(a->stream, err);
}

/* The masks of a chunk's ties, for more than 8 GPUs. */
enum st fetch_masks(assignment *a, const chunk *c, struct err *err)
{
    const int words = cslp_mask_words(a->d->gpus);
    uint64_t blocks = blocks_of(c->count), ties = 0;
    for (uint64_t b = 0; b < blocks; b++) {
        a->first_here.at[b] = ties * (uint64_t)words;
        ties += cslp_sums(&a->codes, b)[a->d->gpus + CSLP_TIES];
    }
    if (!ties) return ST_OK;
    if (ties > a->masks_most) { /* colder chunks tie more: the buffer doubles, so that it grows a few times only */
        uint64_t twice = 2 * a->masks_most, grown = ties > twice ? ties : twice < CHUNK ? twice : (uint64_t)CHUNK;
        a->masks.release();
        a->masks_here.release();
        a->masks_most = 0;
        CUDA_TRY(a->masks.allocate(grown * (uint64_t)words, "CSLP ties", err));
        CUDA_TRY(a->masks_here.allocate(grown * (uint64_t)words, "CSLP ties", err));
        a->masks_most = grown;
    }
    CUDA_TRY(cuda_check(cudaMemcpyAsync(a->first.at, a->first_here.at, blocks * sizeof(uint64_t),
                                        cudaMemcpyHostToDevice, a->side.at),
                        "copying to the GPU", err));
    CUDA_LAUNCH(pack_masks, blocks, a->side.at, a->d->order + c->from, c->code.at, c->count, blocks, words,
                a->d->preferences->mask.at, a->first.at, a->masks.at);
    CUDA_TRY(cuda_check(cudaGetLastError(), "finding CSLP preferences", err));
    CUDA_TRY(cuda_check(cudaMemcpyAsync(a->masks_here.at, a->masks.at, ties * (uint64_t)words * sizeof(uint64_t),
                                        cudaMemcpyDeviceToHost, a->side.at),
                        "copying from the GPU", err));
    return a->side.wait("finding CSLP preferences", err);
}

/* The cslp_local of this assignment. */
enum st fetch_local(void *of, uint64_t from, uint64_t count, const uint32_t **hot, struct err *err)
{
    assignment *a = static_cast<assignment *>(of);
    const cuda_cslp_device *d = a->d;
    const uint32_t *order = d->order + a->chunks[a->turn].from + from;
    const uint64_t gpus = (uint64_t)d->gpus;
    *hot = a->local_here.at;
    if (d->rows) {
        CUDA_LAUNCH(gather_local, count * gpus, a->side.at, *d->rows, d->gpus, order, count, a->local.at);
        CUDA_TRY(cuda_check(cudaGetLastError(), "assigning rows", err));
        CUDA_TRY(cuda_check(cudaMemcpyAsync(a->local_here.at, a->local.at, count * gpus * sizeof(uint32_t),
                                            cudaMemcpyDeviceToHost, a->side.at),
                            "copying from the GPU", err));
        return a->side.wait("assigning rows", err);
    }
    CUDA_TRY(
        cuda_check(cudaMemcpyAsync(a->ids_here.at, order, count * sizeof(uint32_t), cudaMemcpyDeviceToHost, a->side.at),
                   "copying from the GPU", err));
    CUDA_TRY(a->side.wait("assigning rows", err));
    for (uint64_t i = 0; i < count; i++) {
        for (uint64_t g = 0; g < gpus && i + CSLP_AHEAD < count; g++)
            __builtin_prefetch(&d->host[g][a->ids_here.at[i + CSLP_AHEAD]]);
        for (uint64_t g = 0; g < gpus; g++) a->local_here.at[i * gpus + g] = d->host[g][a->ids_here.at[i]];
    }
    return ST_OK;
}

enum st open_assignment(assignment *a, struct err *err)
{
    const uint64_t block = a->count < CSLP_BLOCK ? a->count : (uint64_t)CSLP_BLOCK,
                   blocks = blocks_of(a->count < CHUNK ? a->count : (uint64_t)CHUNK);
    CUDA_TRY(a->side.open(err));
    CUDA_TRY(open_chunk(a, &a->chunks[0], err));
    if (a->count > CHUNK) CUDA_TRY(open_chunk(a, &a->chunks[1], err));
    CUDA_TRY(a->local_here.allocate(block * (uint64_t)a->d->gpus, "CSLP spills", err));
    CUDA_TRY(a->d->rows ? a->local.allocate(block * (uint64_t)a->d->gpus, "CSLP spills", err)
                        : a->ids_here.allocate(block, "CSLP spills", err));
    if (!cslp_mask_words(a->d->gpus)) return ST_OK;
    CUDA_TRY(a->first.allocate(blocks, "CSLP ties", err));
    return a->first_here.allocate(blocks, "CSLP ties", err);
}

/* Removes the GPUs without room for a row of `smallest` bytes from the preferences, and adds the others again:
 * preferences that lack a GPU with room would be wrong, so this precedes every chunk. *changed: preferences were found
 * again. *none: no GPU has room. */
enum st leave_out(assignment *a, uint64_t smallest, const uint64_t *room, bool *changed, bool *none, struct err *err)
{
    const cuda_cslp_device *d = a->d;
    int with_room = 0;
    *changed = false;
    for (int g = 0; g < d->gpus; g++) {
        bool out = room[g] < smallest;
        with_room += !out;
        *changed |= out != a->codes.left_out[g];
    }
    *none = !with_room;
    if (*none || !*changed || !d->rows) return *changed = false, ST_OK;
    a->out = cuda_gpu_set();
    for (int g = 0; g < d->gpus; g++) {
        a->codes.left_out[g] = room[g] < smallest;
        if (a->codes.left_out[g]) a->out.word[g / 64] |= (uint64_t)1 << g % 64;
    }
    a->chunks[0].fresh = a->chunks[1].fresh = false;
    return cuda_find_preferences(d->rows, d->gpus, &a->out, 0, d->n, d->preferences, a->stream, err);
}

uint64_t chunk_end(const assignment *a, uint64_t from) { return a->count - from < CHUNK ? a->count : from + CHUNK; }

/* Waits for the chunk of positions from..to-1, made with preferences that are right for it, and starts the next chunk.
 */
enum st next_chunk(assignment *a, uint64_t from, uint64_t to, const uint64_t *room, bool *none, struct err *err)
{
    bool changed = true;
    if (a->chunks[a->turn ^ 1].fresh && a->chunks[a->turn ^ 1].from == from) a->turn ^= 1;
    else CUDA_TRY(begin_chunk(a, &a->chunks[a->turn], from, to, err));
    chunk *now = &a->chunks[a->turn], *then = &a->chunks[a->turn ^ 1];
    then->fresh = false;
    while (changed) {
        CUDA_TRY(now->over.wait("finding CSLP preferences", err));
        a->codes.count = now->count;
        a->codes.code = now->code_here.at;
        a->codes.bytes = a->d->indptr ? now->bytes_here.at : nullptr;
        a->codes.sums = now->sums_here.at;
        CUDA_TRY(leave_out(a, cslp_smallest(&a->codes, 0, blocks_of(now->count)), room, &changed, none, err));
        if (*none) return ST_OK;
        if (changed) CUDA_TRY(begin_chunk(a, now, from, to, err));
    }
    if (cslp_mask_words(a->d->gpus))
        CUDA_TRY(fetch_masks(a, now, err)); /* before the next chunk, which would delay them */
    if (to < a->count) CUDA_TRY(begin_chunk(a, then, to, chunk_end(a, to), err));
    a->codes.mask = a->masks_here.at;
    return ST_OK;
}

} // namespace

enum st cuda_cslp_assign(const struct cuda_cslp_device *d, uint64_t count, cudaStream_t stream, uint64_t *room,
                         uint8_t *owner, uint64_t *held, struct err *err)
{
    assignment a = {};
    enum cslp_end end = CSLP_ALL;
    uint64_t from = 0, to = 0;

    a.d = d;
    a.count = count;
    a.stream = stream;
    a.codes.gpus = d->gpus;
    a.codes.row_bytes = d->row_bytes;
    if (count) CUDA_TRY(open_assignment(&a, err));
    while (from < count && end != CSLP_NO_FIT) {
        bool none = false;
        uint64_t placed = 0;
        if (end != CSLP_NEW) to = chunk_end(&a, from); /* otherwise the rest of the chunk again, without the full GPU */
        CUDA_TRY(next_chunk(&a, from, to, room, &none, err));
        if (none) break;
        CUDA_TRY(cslp_place(&a.codes, fetch_local, &a, d->rows != nullptr, room, owner + from, &placed, &end, err));
        from += placed;
    }
    *held = from;
    if (a.out.word[0] | a.out.word[1]) { /* the next assignment begins with all GPUs */
        const cuda_gpu_set none = {};
        CUDA_TRY(cuda_find_preferences(d->rows, d->gpus, &none, 0, d->n, d->preferences, stream, err));
    }
    return cuda_check(cudaStreamSynchronize(stream), "assigning rows", err); /* before the arrays are freed */
}

uint64_t cuda_cslp_bytes(uint64_t n, int gpus, uint64_t count)
{
    int words = cslp_mask_words(gpus);
    uint64_t most = count < CHUNK ? count : (uint64_t)CHUNK;
    return n * (words ? 8 * (uint64_t)words : 1) +
           2 * (most * 9 + blocks_of(most) * 8 * (uint64_t)(gpus + CSLP_EXTRAS)) + most * 8 * (uint64_t)words;
}

/* ---- the operation ---- */

/* Finds all preferences: with the counts of all GPUs in device memory when they stay, otherwise piece by piece. */
static enum st find_all_preferences(int threads, const struct cslp_problem *p, device_array<uint32_t> &hot, bool stay,
                                    cuda_rows *rows, cuda_preferences *preferences, cudaStream_t stream,
                                    struct err *err)
{
    const uint64_t gpus = (uint64_t)p->gpus, most = cuda_piece(gpus * sizeof(uint32_t)),
                   piece = stay || p->n < most ? p->n : most;
    const cuda_gpu_set none = {};
    cuda_staging staging;

    CUDA_TRY(staging.open(threads, piece * sizeof(uint32_t), err));
    CUDA_TRY(hot.allocate(gpus * piece, "finding CSLP preferences", err));
    for (uint64_t g = 0; g < gpus; g++) rows->row[g] = hot.at + g * piece;
    for (uint64_t from = 0; from < p->n; from += piece) {
        uint64_t here = p->n - from < piece ? p->n - from : piece;
        for (uint64_t g = 0; g < gpus; g++)
            CUDA_TRY(staging.to_device(hot.at + g * piece, p->hot[g] + from, here * sizeof(uint32_t), stream, err));
        CUDA_TRY(cuda_find_preferences(rows, p->gpus, &none, from, here, preferences, stream, err));
    }
    return cuda_check(cudaStreamSynchronize(stream), "finding CSLP preferences",
                      err); /* before the buffers are freed */
}

/* Whether the counts of all GPUs fit the device beside everything else. */
static enum st counts_fit(const struct cslp_problem *p, bool *fit, struct err *err)
{
    size_t available = 0, all = 0;
    uint64_t others = 4 * p->count + (p->indptr ? 8 * (p->n + 1) : 0) + cuda_cslp_bytes(p->n, p->gpus, p->count),
             counts = 4 * p->n * (uint64_t)p->gpus;
    CUDA_TRY(cuda_check(cudaMemGetInfo(&available, &all), "asking for free GPU memory", err));
    *fit = available > others && available - others > counts + counts / 16;
    return ST_OK;
}

static enum st assign(int threads, const struct cslp_problem *p, bool stay, uint64_t *room, uint8_t *owner,
                      uint64_t *held, struct err *err)
{
    device_array<uint32_t> order, hot;
    device_array<int64_t> indptr;
    cuda_rows rows;
    cuda_preferences preferences;
    cuda_stream stream;

    CUDA_TRY(stream.open(err));
    CUDA_TRY(preferences.allocate(p->n, p->gpus, err));
    CUDA_TRY(order.allocate_copy(p->order, p->count, "assigning rows", err));
    if (p->indptr) CUDA_TRY(indptr.allocate_copy(p->indptr, p->n + 1, "assigning rows", err));
    CUDA_TRY(
        cuda_check(cudaDeviceSynchronize(), "assigning rows", err)); /* the stream does not wait for these copies */
    CUDA_TRY(find_all_preferences(threads, p, hot, stay, &rows, &preferences, stream.at, err));
    if (!stay) hot.release();
    struct cuda_cslp_device d = {stay ? &rows : nullptr, p->hot, order.at,     p->indptr ? indptr.at : nullptr,
                                 &preferences,           p->n,   p->row_bytes, p->gpus};
    return cuda_cslp_assign(&d, p->count, stream.at, room, owner, held, err);
}

enum st cuda_cslp(int threads, const struct cslp_problem *p, uint64_t *room, uint8_t *owner, uint64_t *held,
                  struct err *err)
{
    if (p->gpus < 1 || p->gpus > KERNEL_GPUS_MAX)
        return err_set(err, ST_BUG,
                       "internal error: CSLP over %d GPUs was asked for; please report it with the command you ran",
                       p->gpus);
    if (!p->indptr && p->row_bytes >> CSLP_ROW_BITS)
        return err_set(err, ST_BUG,
                       "internal error: CSLP over rows of 2^48 bytes was asked for; please report it with the command "
                       "you ran");
    if (p->gpus == 1 || !p->count) {
        *held = cslp_walk_single(p, room, owner);
        return ST_OK;
    }
    uint64_t before[KERNEL_GPUS_MAX];
    bool stay = false;
    CUDA_TRY(counts_fit(p, &stay, err));
    memcpy(before, room, (size_t)p->gpus * sizeof *room);
    enum st st = assign(threads, p, stay, room, owner, held, err);
    if (st != ST_LIMIT || !stay) return st;
    memcpy(room, before, (size_t)p->gpus * sizeof *room); /* the counts did not fit after all: again without them */
    return assign(threads, p, false, room, owner, held, err);
}
