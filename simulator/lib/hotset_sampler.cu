/* hotset_sampler.cu - declared in hotset_sampler.h; hotset_sampler.cuh has the kernels.
 *
 * Order. A mini-batch is drawn in the sampler's own stream, which alone uses the scratch memory. What comes out of it
 * has `depth` pieces of memory, in turn: a piece is written again after `taken`, the event of the stream that copied it
 * out. Seeds from the host go through pinned memory, as in hotset_store.cu.
 */
#include "simulator/lib/hotset_sampler.cuh"
#include "simulator/lib/hotset_device.cuh"

#define WHO "hotset_sampler"
using namespace hotset_device;

struct hotset_sampler {
    int device;
    uint32_t depth, hops, gpu, own;
    uint32_t fanout[HOTSET_HOPS_MAX];
    uint64_t batch, frontier, widest, draws, capacity; /* the largest: of a hop vertices, draws; of a mini-batch */
    uint64_t rows_room, entries_room, table_room, age, tickets;
    const int64_t *indptr; /* as the host reads it */
    pinned *pinned_graph[2];
    task t; /* what does not change from mini-batch to mini-batch; t.memory: all lists */
    void *here, *work, *opened[HOTSET_MEMORIES_MAX]; /* here: own lists; work: all else but the table */
    hotset_lookup *table;
    cudaStream_t stream;
    cudaEvent_t before;
    u64 *counted; /* pinned */
    struct {
        cudaEvent_t ready, taken;
        uint32_t *found, *row, *column;
        u64 *edge, *mark, *seen; /* seen: the marks in pinned memory */
        void *seeds;             /* pinned */
    } turn[HOTSET_STORE_DEPTH_MAX];
};

namespace
{

const uint64_t BLOCKS_MAX = 4096, ENTRIES_MAX = (uint64_t)1 << 48; /* no sum of two overflows */
const char wrong_table[] = "hotset_sampler: table must be one that hotset_lookup_build made for `own` over topology";

unsigned blocks_for(uint64_t things)
{
    uint64_t blocks = (things + TILE - 1) / TILE;
    return (unsigned)(blocks < 1 ? 1 : blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX);
}

/* ---- sizes ---- */

uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The largest mini-batch. Fan-outs are at most 64 and vertices below 2^32, so nothing overflows. */
void size(hotset_sampler *s, const hotset_sampler_request *r)
{
    uint64_t level = least(r->batch, r->vertices), all = level;
    s->frontier = s->widest = s->draws = 0;
    for (uint32_t h = 0; h < r->hops; h++) {
        uint64_t expands = r->every ? all : level, some = expands * r->fanout[h];
        if (expands > s->frontier) s->frontier = expands;
        if (some > s->widest) s->widest = some;
        s->draws += some;
        level = least(r->vertices, some);
        all = least(r->vertices, all + level);
    }
    s->capacity = all;
    s->batch = r->batch;
    s->rows_room = r->rows > r->rows_room ? r->rows : r->rows_room;
}

uint64_t lists_bytes(uint64_t rows, uint64_t entries, uint32_t places)
{
    return 8 * (rows + 1) + (places ? 8 * rows : 0) + 4 * entries;
}

/* What a plan brings. */
struct lists {
    uint64_t *offset, *at, *there; /* [rows + 1], [rows]: in the slots' memory, in the graph; on the device */
    hotset_lookup *table;          /* memory for it, where it is larger than any before */
    uint64_t rows, entries;
};

/* Where lists lie (l->offset NULL: only how many neighbours they have, at most `room`). HOTSET_INPUT: indptr, which is
 * the caller's, is damaged. */
int lay_out(const int64_t *indptr, uint64_t edges, const uint32_t *ids, uint64_t room, lists *l, hotset_error *error)
{
    for (uint64_t k = 0; k < l->rows; k++) {
        int64_t begin = indptr[ids[k]], end = indptr[ids[k] + (uint64_t)1];
        if (begin < 0 || end < begin || (uint64_t)end > edges)
            return say(error, HOTSET_INPUT, "hotset_sampler: indptr is damaged: it must rise from 0 to `edges`", "");
        if (l->offset) l->at[k] = (uint64_t)begin, l->offset[k] = l->entries;
        if ((l->entries += (uint64_t)(end - begin)) > room)
            return say(error, HOTSET_LIMIT, "hotset_sampler: the plan has more neighbours than there is room for", "");
    }
    if (l->offset) l->offset[l->rows] = l->entries;
    return HOTSET_OK;
}

int check(const hotset_sampler_request *r, hotset_error *error)
{
    uint64_t line = r && r->line_bytes ? r->line_bytes : 64;
    if (!r || r->struct_bytes != sizeof *r)
        return say(error, HOTSET_USAGE, "hotset_sampler: a request must be given, with struct_bytes set to its size",
                   "");
    if (!r->memories || r->memories > HOTSET_MEMORIES_MAX || r->own >= r->memories || r->gpu > 255)
        return say(error, HOTSET_USAGE,
                   "hotset_sampler: own must be below memories, 1 to HOTSET_MEMORIES_MAX, and gpu below 256", "");
    if (!r->indptr || !r->indices || !r->vertices || r->vertices > UINT32_MAX || r->edges > ENTRIES_MAX)
        return say(error, HOTSET_USAGE, "hotset_sampler: a graph of 1 to 2^32 - 1 vertices must be given", "");
    if (!r->hops || r->hops > HOTSET_HOPS_MAX || !r->batch || r->batch > UINT32_MAX || line < 4 || (line & (line - 1)))
        return say(error, HOTSET_USAGE,
                   "hotset_sampler: hops must be 1 to HOTSET_HOPS_MAX, batch 1 to 2^32 - 1, line_bytes a power of two",
                   "");
    for (uint32_t h = 0; h < r->hops; h++)
        if (!r->fanout[h] || r->fanout[h] > HOTSET_SAMPLER_FANOUT_MAX)
            return say(error, HOTSET_USAGE, "hotset_sampler: fan-outs must be 1 to 64 here; sample on the CPU", "");
    if (r->rows > UINT32_MAX || r->rows_room > UINT32_MAX || r->entries_room > ENTRIES_MAX ||
        r->depth > HOTSET_STORE_DEPTH_MAX)
        return say(error, HOTSET_USAGE,
                   "hotset_sampler: depth must be at most HOTSET_STORE_DEPTH_MAX, and room that of memory", "");
    if (r->table && r->table->vertices != r->vertices)
        return say(error, HOTSET_USAGE, "hotset_sampler: the table is of another graph", "");
    return check_plan(r->table, r->own, r->vertices, r->ids, r->rows, wrong_table, error);
}

/* Checks a request and sets the sizes of s, which is zeroed. */
int begin_with(hotset_sampler *s, const hotset_sampler_request *r, hotset_error *error)
{
    lists l = {nullptr, nullptr, nullptr, nullptr, r ? r->rows : 0, 0};
    int code = check(r, error);
    if (code == HOTSET_OK) code = lay_out(r->indptr, r->edges, r->ids, ENTRIES_MAX, &l, error);
    if (code != HOTSET_OK) return code;
    size(s, r);
    s->t.vertices = r->vertices, s->t.memories = r->memories, s->t.places = r->places != 0;
    s->entries_room = l.entries > r->entries_room ? l.entries : r->entries_room;
    s->depth = r->depth ? r->depth : 2;
    if (s->capacity + s->widest >= UINT32_MAX)
        return say(error, HOTSET_LIMIT,
                   "hotset_sampler: a mini-batch may have 2^32 draws or more; take smaller mini-batches or fan-outs",
                   "");
    return HOTSET_OK;
}

/* ---- memory ---- */

/* All of a sampler's memory on its GPU but the table and the lists. */
uint64_t share_out(hotset_sampler *s, char *base)
{
    task *t = &s->t;
    uint64_t tiles = (s->widest > s->batch ? s->widest : s->batch) / TILE + 1; /* frontiers are no wider */
    parts p = {base, 0};
    p.give(&t->word, t->vertices);
    p.give(&t->visit, s->frontier);
    p.give(&t->entry, s->widest);
    p.give(&t->tile, tiles);
    p.give(&t->seeds, s->batch);
    p.give(&t->counts, t->memories + 3);
    for (uint32_t k = 0; k < s->depth; k++) {
        p.give(&s->turn[k].found, s->capacity);
        p.give(&s->turn[k].row, s->draws);
        p.give(&s->turn[k].column, s->draws);
        p.give(&s->turn[k].edge, t->places ? s->draws : 0);
        p.give(&s->turn[k].mark, MARKS);
    }
    return p.used;
}

int make(hotset_sampler *s, const hotset_sampler_request *r, hotset_error *error)
{
    uint64_t bytes = share_out(s, nullptr);
    TRY(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking), "a stream");
    TRY(cudaEventCreateWithFlags(&s->before, cudaEventDisableTiming), "an event");
    TRY(cudaMalloc(&s->here, lists_bytes(s->rows_room, s->entries_room, s->t.places)), "memory for neighbour lists");
    TRY(cudaMalloc(&s->work, bytes), "memory for mini-batches");
    (void)share_out(s, (char *)s->work);
    TRY(cudaMemsetAsync(s->work, 0, bytes, s->stream), "clearing memory");
    TRY(cudaHostAlloc((void **)&s->counted, (r->memories + 3) * sizeof(u64), cudaHostAllocDefault), "memory for "
                                                                                                    "counts");
    for (uint32_t k = 0; k < s->depth; k++) {
        TRY(cudaEventCreateWithFlags(&s->turn[k].ready, cudaEventDisableTiming), "an event");
        TRY(cudaEventCreateWithFlags(&s->turn[k].taken, cudaEventDisableTiming), "an event");
        TRY(cudaHostAlloc((void **)&s->turn[k].seen, MARKS * sizeof(u64), cudaHostAllocDefault), "memory for sizes");
        TRY(cudaHostAlloc(&s->turn[k].seeds, r->batch * 8, cudaHostAllocDefault), "memory for seeds");
    }
    return HOTSET_OK;
}

/* The graph, where the device reads it. */
int pin_graph(hotset_sampler *s, const hotset_sampler_request *r, hotset_error *error)
{
    void *there[2] = {(void *)(uintptr_t)r->indptr, (void *)(uintptr_t)r->indices};
    const uint64_t bytes[2] = {8 * (r->vertices + 1), 4 * r->edges};
    for (int k = 0; k < 2; k++) {
        if (!bytes[k]) continue;
        cudaError_t code = pin(there[k], bytes[k], r->pinned, &s->pinned_graph[k]);
        if (code != cudaSuccess) {
            (void)cuda(code,
                       "hotset_sampler: the graph cannot be pinned; raise `ulimit -l`, or give pinned memory: ", error);
            return error ? error->code = HOTSET_LIMIT : HOTSET_LIMIT;
        }
        TRY(cudaHostGetDevicePointer(&there[k], there[k], 0), "the device's address of the graph");
    }
    s->indptr = r->indptr;
    s->t.indptr = (const int64_t *)there[0], s->t.indices = (const uint32_t *)there[1];
    return HOTSET_OK;
}

/* ---- lists ---- */

void forget(lists *l)
{
    free(l->offset);
    (void)cudaFree(l->there);
    (void)cudaFree(l->table);
}

/* All that may fail for want of memory; nothing of the sampler has changed then. */
int prepare(hotset_sampler *s, const hotset_lookup *table, const uint32_t *ids, lists *l, hotset_error *error)
{
    l->offset = (uint64_t *)malloc((2 * l->rows + 1) * sizeof *l->offset);
    if (!l->offset) return say(error, HOTSET_LIMIT, "hotset_sampler: no memory for the places of lists", "");
    l->at = l->offset + l->rows + 1;
    int code = lay_out(s->indptr, s->t.edges, ids, s->entries_room, l, error);
    if (code != HOTSET_OK) return code;
    if (l->rows) TRY(cudaMalloc((void **)&l->there, l->rows * sizeof *l->there), "memory for the places of lists");
    if (table->bytes > s->table_room) TRY(cudaMalloc((void **)&l->table, table->bytes), "memory for the table");
    return HOTSET_OK;
}

/* Lists and table, in the sampler's stream. */
int carry_out(hotset_sampler *s, const hotset_lookup *table, lists *l, hotset_error *error)
{
    uint64_t *offset = (uint64_t *)s->here, *at = offset + s->rows_room + 1;
    if (l->table) {
        TRY(cudaStreamSynchronize(s->stream), "mini-batches before"); /* they read the old table */
        (void)cudaFree(s->table);
        s->table = l->table, s->table_room = table->bytes, l->table = nullptr;
        s->t.table = s->table;
    }
    TRY(cudaMemcpyAsync(s->table, table, table->bytes, cudaMemcpyHostToDevice, s->stream), "copying the table");
    TRY(cudaMemcpyAsync(offset, l->offset, (l->rows + 1) * 8, cudaMemcpyHostToDevice, s->stream), "copying places");
    if (!l->rows) return HOTSET_OK;
    TRY(cudaMemcpyAsync(l->there, l->at, l->rows * 8, cudaMemcpyHostToDevice, s->stream), "copying places");
    if (s->t.places) TRY(cudaMemcpyAsync(at, l->at, l->rows * 8, cudaMemcpyHostToDevice, s->stream), "copying places");
    put_lists<<<blocks_for(l->rows * WARP), TILE, 0, s->stream>>>(s->t.indices, l->there, offset, l->rows,
                                                                  (uint32_t *)(at + (s->t.places ? s->rows_room : 0)));
    return cuda(cudaGetLastError(), "hotset_sampler: the kernel could not be started: ", error);
}

int go_over(hotset_sampler *s, const hotset_lookup *table, const uint32_t *ids, uint64_t rows, hotset_error *error)
{
    lists l = {nullptr, nullptr, nullptr, nullptr, rows, 0};
    int code = prepare(s, table, ids, &l, error);
    if (code == HOTSET_OK) {
        code = carry_out(s, table, &l, error);
        cudaError_t done = cudaStreamSynchronize(s->stream); /* it reads the lists, and the caller's table */
        if (code == HOTSET_OK) code = cuda(done, "hotset_sampler: filling the GPU's memory: ", error);
    }
    forget(&l);
    return code;
}

/* ---- mini-batches ---- */

/* Gives numbers to what is new in a stretch. most: ids in it. */
void number(const hotset_sampler *s, const task &t, stretch ids, uint64_t most)
{
    tell<<<blocks_for(most), TILE, 0, s->stream>>>(t, ids);
    add_new<<<1, TILE, 0, s->stream>>>(t, ids);
    keep<<<blocks_for(most), TILE, 0, s->stream>>>(t, ids);
}

void launch(const hotset_sampler *s, task &t, const void *seeds, uint32_t id_bytes, uint64_t count)
{
    look_at_seeds<<<blocks_for(count), TILE, 0, s->stream>>>(t, seeds, id_bytes, count);
    number(s, t, {t.seeds, NOTHING, SEEDS, KNOWN}, count);
    for (t.hop = 0; t.hop < s->hops; t.hop++) {
        t.fanout = s->fanout[t.hop];
        visit<<<blocks_for(s->frontier), TILE, 0, s->stream>>>(t);
        add_draws<<<1, TILE, 0, s->stream>>>(t);
        choose<<<blocks_for(s->frontier), TILE, 0, s->stream>>>(t);
        look<<<blocks_for(s->widest), TILE, 0, s->stream>>>(t);
        number(s, t, {t.column, DRAWN + t.hop, DRAWN + t.hop + 1, KNOWN + t.hop + 1}, s->widest);
    }
    number_columns<<<blocks_for(s->draws), TILE, 0, s->stream>>>(t, s->hops);
}

/* The mini-batch in its turn's memory. */
int draw(hotset_sampler *s, unsigned turn, const void *seeds, uint32_t id_bytes, uint64_t count, uint64_t epoch,
         uint64_t batch, hotset_error *error)
{
    auto &to = s->turn[turn];
    task t = s->t;
    TRY(cudaStreamWaitEvent(s->stream, to.taken, 0), "waiting for a mini-batch to be taken");
    if (s->age <= 1) { /* ages are used up, or there were none */
        TRY(cudaMemsetAsync(t.word, 0xff, t.vertices * sizeof *t.word, s->stream), "clearing words");
        s->age = UINT32_MAX;
    }
    t.age = --s->age << 32;
    t.number = (uint32_t)batch, t.who = s->gpu << 24 | (uint32_t)epoch;
    t.found = to.found, t.row = to.row, t.column = to.column, t.edge = to.edge, t.mark = to.mark;
    TRY(cudaMemsetAsync(t.mark, 0, MARKS * sizeof *t.mark, s->stream), "clearing sizes");
    launch(s, t, seeds, id_bytes, count);
    TRY(cudaGetLastError(), "a kernel could not be started");
    TRY(cudaMemcpyAsync(to.seen, t.mark, MARKS * sizeof *t.mark, cudaMemcpyDeviceToHost, s->stream), "reading sizes");
    TRY(cudaEventRecord(to.ready, s->stream), "an event");
    return HOTSET_OK;
}

/* Waits for a mini-batch: *turn is where it lies. */
int drawn(hotset_sampler *s, uint64_t ticket, unsigned *turn, hotset_error *error)
{
    if (ticket >= s->tickets || s->tickets - ticket > s->depth)
        return say(error, HOTSET_USAGE, "hotset_sampler: there is no such mini-batch, or others took its place", "");
    *turn = (unsigned)(ticket % s->depth);
    TRY(cudaEventSynchronize(s->turn[*turn].ready), "drawing a mini-batch");
    return HOTSET_OK;
}

} // namespace

int hotset_sampler_bytes(const struct hotset_sampler_request *r, uint64_t *device, uint64_t *pinned,
                         struct hotset_error *error)
{
    hotset_sampler s;
    memset(&s, 0, sizeof s);
    int code = begin_with(&s, r, error);
    if (code != HOTSET_OK) return code;
    if (device)
        *device = lists_bytes(s.rows_room, s.entries_room, s.t.places) + share_out(&s, nullptr) + r->table->bytes;
    if (pinned)
        *pinned = (r->pinned ? 0 : 8 * (r->vertices + 1) + 4 * r->edges) + (r->memories + 3) * 8 +
                  s.depth * (MARKS * 8 + 8 * r->batch);
    return say(error, HOTSET_OK, "", "");
}

int hotset_sampler_create(const struct hotset_sampler_request *r, hotset_sampler **out, struct hotset_error *error)
{
    hotset_sampler *s = (hotset_sampler *)calloc(1, sizeof *s);
    if (!s) return say(error, HOTSET_LIMIT, "hotset_sampler: no memory", "");
    int code = begin_with(s, r, error);
    if (code != HOTSET_OK) return free(s), code;
    s->device = r->device, s->own = r->own, s->hops = r->hops, s->gpu = r->gpu;
    memcpy(s->fanout, r->fanout, sizeof s->fanout);
    s->t.edges = r->edges, s->t.seed = r->seed, s->t.every = r->every;
    for (uint64_t line = r->line_bytes ? r->line_bytes : 64; line > 1; line /= 2) s->t.shift++;
    on_device here(r->device);
    code = cuda(here.code, "hotset_sampler: the device: ", error);
    if (code == HOTSET_OK) code = make(s, r, error);
    if (code == HOTSET_OK) code = pin_graph(s, r, error);
    if (code == HOTSET_OK) code = go_over(s, r->table, r->ids, r->rows, error);
    if (code != HOTSET_OK) return hotset_sampler_free(s), code;
    s->t.memory[r->own] = {s->here, s->rows_room, s->entries_room};
    *out = s;
    return HOTSET_OK;
}

int hotset_sampler_handle(hotset_sampler *s, struct hotset_sampler_handle *out, struct hotset_error *error)
{
    on_device here(s->device);
    TRY(say_place(s->here, s->device, out), "a handle of the GPU's memory");
    out->rows = s->rows_room, out->entries = s->entries_room, out->own = s->own, out->places = s->t.places;
    return HOTSET_OK;
}

int hotset_sampler_open(hotset_sampler *s, const struct hotset_sampler_handle *peer, struct hotset_error *error)
{
    on_device here(s->device);
    void *base;
    if (peer->own >= s->t.memories || s->t.memory[peer->own].base || peer->places != s->t.places)
        return say(error, HOTSET_USAGE,
                   "hotset_sampler_open: the handle must be of another GPU of the same plan, once, with the same "
                   "places",
                   "");
    TRY(open_place(peer, s->device, &base, &s->opened[peer->own]), "opening a peer's memory");
    s->t.memory[peer->own] = {base, peer->rows, peer->entries};
    return say(error, HOTSET_OK, "", "");
}

int hotset_sampler_begin(hotset_sampler *s, const void *seeds, uint32_t id_bytes, uint64_t count,
                         enum hotset_ids_place place, uint64_t epoch, uint64_t batch, void *stream, uint64_t *ticket,
                         struct hotset_error *error)
{
    on_device here(s->device);
    unsigned turn = (unsigned)(s->tickets % s->depth);
    if ((id_bytes != 4 && id_bytes != 8) || (count && !seeds) || count > s->batch ||
        (count && place == HOTSET_STORE_ON_DEVICE && (size_t)seeds % id_bytes))
        return say(error, HOTSET_USAGE,
                   "hotset_sampler_begin: at most `batch` seeds must be given, of 4 or 8 bytes each, aligned", "");
    if (epoch >> 24 || batch > UINT32_MAX)
        return say(error, HOTSET_USAGE, "hotset_sampler_begin: epochs go to 2^24, their mini-batches to 2^32", "");
    if (place == HOTSET_STORE_ON_HOST) {
        TRY(cudaEventSynchronize(s->turn[turn].ready), "a mini-batch before");
        if (count) memcpy(s->turn[turn].seeds, seeds, count * id_bytes);
        seeds = s->turn[turn].seeds;
    }
    int code = place == HOTSET_STORE_ON_HOST ? HOTSET_OK : come_after(s->stream, s->before, stream, error);
    if (code == HOTSET_OK) code = draw(s, turn, seeds, id_bytes, count, epoch, batch, error);
    if (code == HOTSET_OK) *ticket = s->tickets++;
    return code;
}

int hotset_sampler_sizes(hotset_sampler *s, uint64_t ticket, struct hotset_sampled *out, struct hotset_error *error)
{
    on_device here(s->device);
    unsigned turn;
    if (!out || out->struct_bytes != sizeof *out)
        return say(error, HOTSET_USAGE, "hotset_sampler_sizes: struct_bytes must be the size of the structure", "");
    int code = drawn(s, ticket, &turn, error);
    if (code != HOTSET_OK) return code;
    const u64 *mark = s->turn[turn].seen;
    *out = {sizeof *out, s->hops + 1, mark[KNOWN + s->hops + 1], mark[DRAWN + s->hops], {0}, {0}};
    for (uint32_t l = 0; l <= s->hops; l++) out->found[l] = mark[KNOWN + l + 1], out->drawn[l] = mark[DRAWN + l];
    if (mark[BAD])
        return say(error, HOTSET_INPUT,
                   "hotset_sampler: neighbour lists could not be read (a peer that was not opened, a plan or graph "
                   "that "
                   "is damaged), or seeds are beyond the graph",
                   "");
    return HOTSET_OK;
}

int hotset_sampler_take(hotset_sampler *s, uint64_t ticket, int64_t *vertices, int64_t *rows, int64_t *columns,
                        int64_t *edges, void *stream, struct hotset_error *error)
{
    on_device here(s->device);
    unsigned turn;
    int code = drawn(s, ticket, &turn, error);
    if (code != HOTSET_OK) return code;
    if (edges && !s->t.places)
        return say(error, HOTSET_USAGE, "hotset_sampler_take: edges are known where the request had `places`", "");
    auto &from = s->turn[turn];
    const u64 count = from.seen[KNOWN + s->hops + 1], draws = from.seen[DRAWN + s->hops];
    copies c = {from.found, from.row, from.column, from.edge, vertices, rows, columns, edges, count, draws};
    TRY(cudaStreamWaitEvent((cudaStream_t)stream, from.taken, 0), "a take before"); /* the last stands for all */
    widen<<<blocks_for(c.count > c.draws ? c.count : c.draws), TILE, 0, (cudaStream_t)stream>>>(c);
    TRY(cudaGetLastError(), "a kernel could not be started");
    TRY(cudaEventRecord(from.taken, (cudaStream_t)stream), "an event");
    return HOTSET_OK;
}

int hotset_sampler_reload(hotset_sampler *s, const struct hotset_lookup *table, const uint32_t *ids, uint64_t rows,
                          void *stream, struct hotset_error *error)
{
    on_device here(s->device);
    if (rows > s->rows_room || (table && table->vertices != s->t.vertices))
        return say(error, HOTSET_LIMIT, "hotset_sampler_reload: more lists than there is room for, or another graph",
                   "");
    int code = check_plan(table, s->own, s->t.vertices, ids, rows, wrong_table, error);
    if (code == HOTSET_OK) code = come_after(s->stream, s->before, stream, error);
    return code == HOTSET_OK ? go_over(s, table, ids, rows, error) : code;
}

int hotset_sampler_count(hotset_sampler *s, struct hotset_sampler_counts *out, struct hotset_error *error)
{
    on_device here(s->device);
    size_t bytes = (s->t.memories + 3) * sizeof(u64);
    if (!out || out->struct_bytes != sizeof *out)
        return say(error, HOTSET_USAGE, "hotset_sampler_count: struct_bytes must be the size of the structure", "");
    TRY(cudaMemcpyAsync(s->counted, s->t.counts, bytes, cudaMemcpyDeviceToHost, s->stream), "reading counts");
    TRY(cudaStreamSynchronize(s->stream), "reading counts");
    *out = {sizeof *out, s->t.memories, {0}, s->counted[s->t.memories + 2]};
    for (uint32_t m = 0; m < s->t.memories + 2; m++) out->visits[m] = s->counted[m];
    return HOTSET_OK;
}

void hotset_sampler_free(hotset_sampler *s)
{
    if (!s) return;
    on_device here(s->device);
    if (s->stream) (void)cudaStreamSynchronize(s->stream);
    for (uint32_t k = 0; k < s->depth; k++) {
        auto &one = s->turn[k];
        if (one.taken) (void)cudaEventSynchronize(one.taken), (void)cudaEventDestroy(one.taken);
        if (one.ready) (void)cudaEventDestroy(one.ready);
        (void)cudaFreeHost(one.seen);
        (void)cudaFreeHost(one.seeds);
    }
    for (uint32_t m = 0; m < s->t.memories; m++)
        if (s->opened[m]) (void)cudaIpcCloseMemHandle(s->opened[m]);
    unpin(s->pinned_graph[0]);
    unpin(s->pinned_graph[1]);
    (void)cudaFreeHost(s->counted);
    (void)cudaFree(s->table);
    (void)cudaFree(s->work);
    (void)cudaFree(s->here);
    if (s->before) (void)cudaEventDestroy(s->before);
    if (s->stream) (void)cudaStreamDestroy(s->stream);
    free(s);
}
