/* hotset_store.cu - declared in hotset_store.h; needs that header, hotset_device.cuh, hotset_cuda.h, hotset.h and CUDA
 * alone.
 *
 * Order. All work of a store that is not in a caller's stream is in its own, so mini-batches and reloads follow each
 * other. It waits for the caller's stream by the event `before`, and the caller's stream waits for `ready` of a ticket.
 * Ids from the host go through `depth` pieces of pinned memory in turn; a piece is written again when the event of the
 * mini-batch that read it has passed, which is the only wait, and only where a caller is so far ahead.
 */
#include "simulator/lib/hotset_store.h"
#include "simulator/lib/hotset_cuda.h"
#include "simulator/lib/hotset_device.cuh"

#define WHO "hotset_store"
using namespace hotset_device;

struct hotset_store {
    int device;
    uint32_t memories, own, depth;
    uint64_t row_bytes, held_bytes, rows, room; /* row_bytes: on the host */
    hotset_held held;
    hotset_store_fill *fill;
    void *fill_context;
    struct pinned *pinned; /* the host's rows, where stores pinned them */
    struct hotset_rows host, memory[HOTSET_MEMORIES_MAX];
    void *here, *opened[HOTSET_MEMORIES_MAX]; /* here: own memory; opened: by IPC */
    struct hotset_lookup *table;
    uint64_t table_room;
    uint64_t *counts, *counted; /* counts: on the device; counted: pinned, to read them */
    uint32_t *ids;              /* [room] vertices by slot, in host memory */
    cudaStream_t stream;
    cudaEvent_t before, ready[HOTSET_STORE_DEPTH_MAX];
    void *staged[HOTSET_STORE_DEPTH_MAX]; /* pinned, of staged_room bytes each */
    uint64_t staged_room[HOTSET_STORE_DEPTH_MAX], tickets;
};

namespace
{

enum { BLOCK = 256, WARP = 32 };
const uint64_t BLOCKS_MAX = 4096, PIECE_BYTES = 1 << 22;

struct move {
    uint32_t id, slot;
};

/* A warp copies a row from the host into its slot. */
template <class W> __global__ void put_rows(const W *host, const move *moves, uint64_t count, uint32_t words, W *rows)
{
    uint64_t warps = (uint64_t)gridDim.x * (BLOCK / WARP);
    for (uint64_t i = ((uint64_t)blockIdx.x * BLOCK + threadIdx.x) / WARP; i < count; i += warps) {
        const W *from = host + (uint64_t)moves[i].id * words;
        W *to = rows + (uint64_t)moves[i].slot * words;
        for (uint32_t w = threadIdx.x % WARP; w < words; w += WARP) to[w] = from[w];
    }
}

template <class W> void launch_put(const hotset_store *s, const void *from, const move *moves, uint64_t count)
{
    uint64_t blocks = (count + BLOCK / WARP - 1) / (BLOCK / WARP);
    put_rows<W>
        <<<(unsigned)(blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX), BLOCK, 0, s->stream>>>((const W *)from, moves, count,
                                                                                         (uint32_t)(s->held_bytes /
                                                                                                    sizeof(W)),
                                                                                         (W *)s->here);
}

/* Rows of `from` into slots. */
void put(const hotset_store *s, const void *from, const move *moves, uint64_t count)
{
    size_t all = (size_t)s->held_bytes | (size_t)from;
    if (!count) return;
    if (all % 16 == 0) launch_put<uint4>(s, from, moves, count);
    else if (all % 4 == 0) launch_put<uint32_t>(s, from, moves, count);
    else launch_put<uint8_t>(s, from, moves, count);
}

const char wrong_table[] = "hotset_store: table must be one that hotset_lookup_build made for `own`, of a graph whose "
                           "vertices all have rows of the host";

int check(const hotset_store_request *r, hotset_error *error)
{
    if (!r || r->struct_bytes != sizeof *r)
        return say(error, HOTSET_USAGE, "hotset_store: a request must be given, with struct_bytes set to its size", "");
    if (!r->memories || r->memories > HOTSET_MEMORIES_MAX || r->own >= r->memories)
        return say(error, HOTSET_USAGE, "hotset_store: own must be below memories, 1 to HOTSET_MEMORIES_MAX", "");
    if (!r->row_bytes || r->row_bytes > UINT32_MAX || !r->host.base)
        return say(error, HOTSET_USAGE, "hotset_store: host must have rows of 1 to 2^32 - 1 bytes", "");
    if (!hotset_held_bytes((hotset_held)r->held, r->row_bytes) || (r->held && !r->fill) ||
        (r->held && (size_t)r->host.base % 4))
        return say(error, HOTSET_USAGE,
                   "hotset_store: rows that GPUs hold in another form are float32 on the host, and `fill` makes them",
                   "");
    if (r->rows > UINT32_MAX || r->room > UINT32_MAX || r->depth > HOTSET_STORE_DEPTH_MAX)
        return say(error, HOTSET_USAGE, "hotset_store: depth must be at most HOTSET_STORE_DEPTH_MAX", "");
    return check_plan(r->table, r->own, r->host.rows, r->ids, r->rows, wrong_table, error);
}

/* Pinned memory for ids of turn k. */
int stage(hotset_store *s, unsigned k, uint64_t bytes, hotset_error *error)
{
    if (bytes <= s->staged_room[k]) return HOTSET_OK;
    uint64_t room = bytes > 2 * s->staged_room[k] ? bytes : 2 * s->staged_room[k];
    TRY(cudaFreeHost(s->staged[k]), "memory for ids");
    s->staged[k] = nullptr, s->staged_room[k] = 0;
    TRY(cudaHostAlloc(&s->staged[k], room, cudaHostAllocDefault), "memory for ids");
    s->staged_room[k] = room;
    return HOTSET_OK;
}

int pin_host(hotset_store *s, const hotset_store_request *r, hotset_error *error)
{
    void *base = (void *)(uintptr_t)r->host.base, *there = base;
    cudaError_t code = pin(base, r->host.rows * r->row_bytes, r->pinned, &s->pinned);
    if (code != cudaSuccess) {
        (void)cuda(code,
                   "hotset_store: the host's rows cannot be pinned; raise `ulimit -l`, or give pinned memory: ", error);
        return error ? error->code = HOTSET_LIMIT : HOTSET_LIMIT;
    }
    TRY(cudaHostGetDevicePointer(&there, base, 0), "the device's address of the host's rows");
    s->host = {there, r->host.rows};
    return HOTSET_OK;
}

int make_streams(hotset_store *s, hotset_error *error)
{
    TRY(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking), "a stream");
    TRY(cudaEventCreateWithFlags(&s->before, cudaEventDisableTiming), "an event");
    for (uint32_t k = 0; k < s->depth; k++)
        TRY(cudaEventCreateWithFlags(&s->ready[k], cudaEventDisableTiming), "an event");
    return HOTSET_OK;
}

/* What a plan changes: rows whose slot has another vertex than before, and the table. */
struct change {
    move *list, *there;   /* in host memory, on the device */
    uint32_t *ids;        /* their vertices, where rows are held in another form; `list` then says which of a piece */
    void *rows, *piece;   /* a piece of them in that form: in host memory, on the device */
    hotset_lookup *table; /* memory for it, where it is larger than any before */
    uint64_t moved;
};

/* Rows that `fill` makes at a time. */
uint64_t piece_rows(const hotset_store *s)
{
    uint64_t rows = PIECE_BYTES / s->held_bytes;
    return rows ? rows : 1;
}

/* All that may fail for want of memory; nothing of the store has changed then. */
int prepare(hotset_store *s, const hotset_lookup *table, const uint32_t *ids, uint64_t rows, change *c,
            hotset_error *error)
{
    c->list = (move *)malloc(rows * sizeof *c->list + 1);
    if (!c->list) return say(error, HOTSET_LIMIT, "hotset_store: no memory for the list of rows", "");
    for (uint64_t k = 0; k < rows; k++)
        if (k >= s->rows || s->ids[k] != ids[k]) c->list[c->moved++] = {ids[k], (uint32_t)k};
    if (s->held != HOTSET_HELD_AS_HOST && c->moved) {
        uint64_t most = c->moved < piece_rows(s) ? c->moved : piece_rows(s);
        c->ids = (uint32_t *)malloc(c->moved * sizeof *c->ids);
        c->rows = malloc(most * s->held_bytes);
        if (!c->ids || !c->rows) return say(error, HOTSET_LIMIT, "hotset_store: no memory for rows", "");
        for (uint64_t k = 0; k < c->moved; k++)
            c->ids[k] = c->list[k].id, c->list[k].id = (uint32_t)(k % piece_rows(s));
        TRY(cudaMalloc(&c->piece, most * s->held_bytes), "memory for rows");
    }
    if (c->moved) TRY(cudaMalloc((void **)&c->there, c->moved * sizeof *c->list), "memory for the list of rows");
    if (table->bytes > s->table_room) TRY(cudaMalloc((void **)&c->table, table->bytes), "memory for the table");
    return HOTSET_OK;
}

void forget(change *c)
{
    free(c->list);
    free(c->ids);
    free(c->rows);
    (void)cudaFree(c->piece);
    (void)cudaFree(c->there);
    (void)cudaFree(c->table);
}

/* Rows that are held in another form, piece by piece. */
int put_pieces(hotset_store *s, const change *c, hotset_error *error)
{
    for (uint64_t k = 0, most = piece_rows(s); k < c->moved; k += most) {
        uint64_t count = c->moved - k < most ? c->moved - k : most;
        if (s->fill(c->ids + k, count, c->rows, s->fill_context))
            return say(error, HOTSET_INPUT, "hotset_store: `fill` could not make rows", "");
        TRY(cudaMemcpyAsync(c->piece, c->rows, count * s->held_bytes, cudaMemcpyHostToDevice, s->stream), "copying "
                                                                                                          "rows");
        put(s, c->piece, c->there + k, count);
        TRY(cudaStreamSynchronize(s->stream), "copying rows"); /* the next piece takes this one's place */
    }
    return HOTSET_OK;
}

/* Rows and table, in the store's stream. */
int carry_out(hotset_store *s, const hotset_lookup *table, const uint32_t *ids, uint64_t rows, change *c,
              hotset_error *error)
{
    if (c->table) {
        (void)cudaDeviceSynchronize(); /* gathers in any stream read the old one */
        (void)cudaFree(s->table);
        s->table = c->table, s->table_room = table->bytes, c->table = nullptr;
    }
    TRY(cudaMemcpyAsync(s->table, table, table->bytes, cudaMemcpyHostToDevice, s->stream), "copying the table");
    if (c->moved) {
        TRY(cudaMemcpyAsync(c->there, c->list, c->moved * sizeof *c->list, cudaMemcpyHostToDevice, s->stream),
            "copying the list of rows");
        int code = HOTSET_OK;
        if (s->held == HOTSET_HELD_AS_HOST) put(s, s->host.base, c->there, c->moved);
        else code = put_pieces(s, c, error);
        if (code != HOTSET_OK) return code;
        TRY(cudaGetLastError(), "the kernel could not be started");
    }
    if (rows) memcpy(s->ids, ids, rows * sizeof *ids);
    s->rows = rows;
    return HOTSET_OK;
}

int go_over(hotset_store *s, const hotset_lookup *table, const uint32_t *ids, uint64_t rows, uint64_t *moved,
            hotset_error *error)
{
    change c = {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0};
    int code = prepare(s, table, ids, rows, &c, error);
    if (code == HOTSET_OK) {
        code = carry_out(s, table, ids, rows, &c, error);
        cudaError_t done = cudaStreamSynchronize(s->stream); /* it reads the lists, and the caller's table */
        if (code == HOTSET_OK) code = cuda(done, "hotset_store: filling the GPU's memory: ", error);
        if (code != HOTSET_OK) s->rows = 0; /* nobody knows what slots hold */
    }
    forget(&c);
    *moved = c.moved;
    return code;
}

int fill(hotset_store *s, const hotset_store_request *r, hotset_error *error)
{
    uint64_t moved;
    s->ids = (uint32_t *)malloc(s->room * sizeof *s->ids + 1);
    if (!s->ids) return say(error, HOTSET_LIMIT, "hotset_store: no memory for the list of rows", "");
    TRY(cudaMalloc(&s->here, s->room * s->held_bytes + 1), "memory for the GPU's rows");
    TRY(cudaMalloc((void **)&s->counts, (s->memories + 2) * sizeof *s->counts), "memory for counts");
    TRY(cudaMemsetAsync(s->counts, 0, (s->memories + 2) * sizeof *s->counts, s->stream), "clearing counts");
    TRY(cudaHostAlloc((void **)&s->counted, (s->memories + 2) * sizeof *s->counts, cudaHostAllocDefault), "memory for "
                                                                                                          "counts");
    for (uint32_t k = 0; k < s->depth; k++) {
        int code = stage(s, k, r->batch * 8, error);
        if (code != HOTSET_OK) return code;
    }
    int code = go_over(s, r->table, r->ids, r->rows, &moved, error);
    if (code != HOTSET_OK) return code;
    s->memory[s->own] = {s->here, s->room};
    return HOTSET_OK;
}

hotset_gather_request request_of(const hotset_store *s)
{
    hotset_gather_request g = HOTSET_GATHER_INIT;
    g.table = s->table;
    g.memories = s->memories;
    g.memory = s->memory;
    g.host = s->host;
    g.row_bytes = s->row_bytes;
    g.counts = s->counts;
    return g;
}

} // namespace

int hotset_store_bytes(const struct hotset_store_request *r, uint64_t *device, uint64_t *pinned,
                       struct hotset_error *error)
{
    int code = check(r, error);
    if (code != HOTSET_OK) return code;
    uint64_t room = r->room > r->rows ? r->room : r->rows, depth = r->depth ? r->depth : 2;
    if (device)
        *device = room * hotset_held_bytes((hotset_held)r->held, r->row_bytes) + 1 + r->table->bytes +
                  (r->memories + 2) * sizeof(uint64_t);
    if (pinned)
        *pinned = (r->pinned ? 0 : r->host.rows * r->row_bytes) + depth * r->batch * 8 +
                  (r->memories + 2) * sizeof(uint64_t);
    return say(error, HOTSET_OK, "", "");
}

int hotset_store_create(const struct hotset_store_request *r, hotset_store **out, struct hotset_error *error)
{
    int code = check(r, error);
    if (code != HOTSET_OK) return code;
    hotset_store *s = (hotset_store *)calloc(1, sizeof *s);
    if (!s) return say(error, HOTSET_LIMIT, "hotset_store: no memory", "");
    s->device = r->device;
    s->memories = r->memories, s->own = r->own, s->depth = r->depth ? r->depth : 2;
    s->row_bytes = r->row_bytes;
    s->held = (hotset_held)r->held, s->held_bytes = hotset_held_bytes(s->held, s->row_bytes);
    s->fill = r->fill, s->fill_context = r->fill_context;
    s->room = r->room > r->rows ? r->room : r->rows;
    on_device here(r->device);
    code = cuda(here.code, "hotset_store: the device: ", error);
    if (code == HOTSET_OK) code = make_streams(s, error);
    if (code == HOTSET_OK) code = pin_host(s, r, error);
    if (code == HOTSET_OK) code = fill(s, r, error);
    if (code != HOTSET_OK) return hotset_store_free(s), code;
    *out = s;
    return HOTSET_OK;
}

int hotset_store_handle(hotset_store *s, struct hotset_store_handle *out, struct hotset_error *error)
{
    on_device here(s->device);
    TRY(say_place(s->here, s->device, out), "a handle of the GPU's memory");
    out->room = s->room, out->row_bytes = s->held_bytes, out->own = s->own, out->held = s->held;
    return HOTSET_OK;
}

int hotset_store_open(hotset_store *s, const struct hotset_store_handle *peer, struct hotset_error *error)
{
    on_device here(s->device);
    void *base;
    if (peer->own >= s->memories || peer->own == s->own || peer->row_bytes != s->held_bytes || peer->held != s->held ||
        s->opened[peer->own])
        return say(error, HOTSET_USAGE, "hotset_store_open: the handle must be of another GPU of the same plan, once",
                   "");
    TRY(open_place(peer, s->device, &base, &s->opened[peer->own]), "opening a peer's memory");
    s->memory[peer->own] = {base, peer->room};
    return say(error, HOTSET_OK, "", "");
}

int hotset_store_lend(hotset_store *s, uint32_t position, struct hotset_rows rows, struct hotset_error *error)
{
    if (position >= s->memories || position == s->own)
        return say(error, HOTSET_USAGE, "hotset_store_lend: the position must be of another GPU of the plan", "");
    s->memory[position] = rows;
    return say(error, HOTSET_OK, "", "");
}

int hotset_store_gather(hotset_store *s, const void *ids, uint32_t id_bytes, uint64_t count, void *out, void *stream,
                        struct hotset_error *error)
{
    on_device here(s->device);
    hotset_gather_request g = request_of(s);
    g.ids = ids, g.id_bytes = id_bytes, g.count = count, g.out = out;
    return hotset_cuda_gather_held(&g, s->held, stream, error);
}

int hotset_store_ahead(hotset_store *s, const void *ids, uint32_t id_bytes, uint64_t count, enum hotset_ids_place place,
                       void *out, void *stream, uint64_t *ticket, struct hotset_error *error)
{
    on_device here(s->device);
    unsigned turn = (unsigned)(s->tickets % s->depth);
    if ((id_bytes != 4 && id_bytes != 8) || count > (SIZE_MAX / 2) / 8)
        return say(error, HOTSET_USAGE, "hotset_store_ahead: ids must have 4 or 8 bytes each; set id_bytes", "");
    if (place == HOTSET_STORE_ON_HOST) {
        TRY(cudaEventSynchronize(s->ready[turn]), "a mini-batch before");
        int code = stage(s, turn, count * id_bytes, error);
        if (code != HOTSET_OK) return code;
        if (count) memcpy(s->staged[turn], ids, count * id_bytes);
        ids = s->staged[turn];
    }
    int code = come_after(s->stream, s->before, stream, error);
    if (code == HOTSET_OK) code = hotset_store_gather(s, ids, id_bytes, count, out, s->stream, error);
    if (code != HOTSET_OK) return code;
    TRY(cudaEventRecord(s->ready[turn], s->stream), "an event");
    *ticket = s->tickets++;
    return HOTSET_OK;
}

int hotset_store_wait(hotset_store *s, uint64_t ticket, void *stream, struct hotset_error *error)
{
    on_device here(s->device);
    if (ticket >= s->tickets) return say(error, HOTSET_USAGE, "hotset_store_wait: there is no such mini-batch", "");
    TRY(cudaStreamWaitEvent((cudaStream_t)stream, s->ready[ticket % s->depth], 0), "waiting for the rows");
    return HOTSET_OK;
}

int hotset_store_reload(hotset_store *s, const struct hotset_lookup *table, const uint32_t *ids, uint64_t rows,
                        void *stream, uint64_t *moved, struct hotset_error *error)
{
    on_device here(s->device);
    if (rows > s->room)
        return say(error, HOTSET_LIMIT, "hotset_store_reload: the plan has more rows than the store has room for", "");
    int code = check_plan(table, s->own, s->host.rows, ids, rows, wrong_table, error);
    if (code == HOTSET_OK) code = come_after(s->stream, s->before, stream, error);
    return code == HOTSET_OK ? go_over(s, table, ids, rows, moved, error) : code;
}

int hotset_store_counts(hotset_store *s, uint64_t *counts, struct hotset_error *error)
{
    on_device here(s->device);
    size_t bytes = (s->memories + 2) * sizeof *counts;
    TRY(cudaMemcpyAsync(s->counted, s->counts, bytes, cudaMemcpyDeviceToHost, s->stream), "reading counts");
    TRY(cudaStreamSynchronize(s->stream), "reading counts");
    memcpy(counts, s->counted, bytes);
    return HOTSET_OK;
}

void hotset_store_free(hotset_store *s)
{
    if (!s) return;
    on_device here(s->device);
    if (s->stream) (void)cudaStreamSynchronize(s->stream);
    for (uint32_t m = 0; m < s->memories; m++)
        if (s->opened[m]) (void)cudaIpcCloseMemHandle(s->opened[m]);
    unpin(s->pinned);
    for (uint32_t k = 0; k < s->depth; k++) {
        (void)cudaFreeHost(s->staged[k]);
        if (s->ready[k]) (void)cudaEventDestroy(s->ready[k]);
    }
    (void)cudaFreeHost(s->counted);
    (void)cudaFree(s->counts);
    (void)cudaFree(s->table);
    (void)cudaFree(s->here);
    if (s->before) (void)cudaEventDestroy(s->before);
    if (s->stream) (void)cudaStreamDestroy(s->stream);
    free(s->ids);
    free(s);
}
