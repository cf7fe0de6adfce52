/* access.c - loads, stores and atomics of a warp (ptx.h), each lane's address checked: it must be aligned, lie in one
 * living block of memory that the device may use, and must not race.
 *
 * A cell of shadow memory holds who wrote last and who has read since: clock (37 bits), whether the access was strong
 * (atomic, volatile, relaxed), who (2 bits: a thread, several of a warp, of a block, of the grid; 24 bits: a thread).
 * Two accesses are ordered when a barrier of both lies between them: bar.sync for threads of a block, bar.warp.sync for
 * lanes that take part, the begin of the launch for all. Two that are not ordered, one of them a write, one of them not
 * strong, are a race.
 */
#include <string.h>
#include "tests/ptx/ops.h"
#include "tests/ptx/ptx.h"

enum kind { ONE, OF_WARP, OF_BLOCK, OF_GRID };
enum { WHO_BITS = 24, STAMP_SHIFT = 27 };
#define WHO_MASK ((1u << WHO_BITS) - 1)
#define STRONG_BIT (1ull << 26)

static u32 threads_of(const struct warp *w) { return w->block->grid->threads_each; }

static u64 stamp_of(const struct warp *w, int lane, enum kind kind, bool strong)
{
    u32 who = (w->block->linear * threads_of(w) + w->index * LANES + (u32)lane) & WHO_MASK;
    return ptx_clock << STAMP_SHIFT | (strong ? STRONG_BIT : 0) | (u64)kind << WHO_BITS | who;
}

static enum kind kind_of(u64 cell) { return cell >> WHO_BITS & 3; }
static bool same_block(const struct warp *w, u64 cell)
{
    u32 threads = threads_of(w);
    return (cell & WHO_MASK) / threads == (w->block->linear * threads & WHO_MASK) / threads;
}
static bool same_warp(const struct warp *w, u64 cell)
{
    return same_block(w, cell) && (cell & WHO_MASK) % threads_of(w) / LANES == w->index;
}

struct spot {
    u8 *at;
    u64 address;
    struct cell *cell; /* NULL: nobody else can reach it */
    u32 cells;
    u8 *valid; /* shared memory: per byte */
    enum holder holder;
    bool counted;
    u64 begin; /* of the launch; for shared memory, of the block */
};

/* begin: of the time that counts; what came before is ordered. */
static bool ordered(const struct warp *w, int lane, u64 cell, u64 begin)
{
    u64 stamp = cell >> STAMP_SHIFT;
    const struct block *b = w->block;
    if (stamp < begin) return true;
    if (kind_of(cell) == OF_GRID || !same_block(w, cell)) return false;
    if (stamp < b->barrier) return true;
    if (kind_of(cell) == OF_BLOCK || !same_warp(w, cell)) return false;
    u32 other = (u32)(cell & WHO_MASK) % threads_of(w) % LANES;
    if (stamp < w->synced || (kind_of(cell) == ONE && (other == (u32)lane || stamp < w->pair[lane][other])))
        return true;
    if (kind_of(cell) == ONE) return false;
    for (u32 left = w->live; left; left &= left - 1)
        if (stamp >= w->pair[lane][__builtin_ctz(left)]) return false;
    return true;
}

static void __attribute__((noreturn))
race(const struct warp *w, const struct op *op, int lane, u64 at, u64 cell, const char *what)
{
    u32 who = (u32)(cell & WHO_MASK), threads = threads_of(w);
    static const char *const kinds[] = {"", " and others of its warp", " and others of its block", " and others"};
    fault(w, op, lane,
          "race: %s of address 0x%llx and an access of thread %u of block %u%s with no barrier between them", what,
          (unsigned long long)at, who % threads, who / threads, kinds[kind_of(cell)]);
}

static bool conflict(const struct warp *w, int lane, u64 cell, u64 begin, bool strong)
{
    return cell && !(strong && cell & STRONG_BIT) && !ordered(w, lane, cell, begin);
}

static void note_read(struct warp *w, const struct op *op, int lane, const struct spot *s, struct cell *c)
{
    if (conflict(w, lane, c->write, s->begin, op->strong)) race(w, op, lane, s->address, c->write, "a read");
    u64 old = c->read, mine = stamp_of(w, lane, ONE, op->strong);
    if (!old || (old ^ mine) << 37 == 0 || ordered(w, lane, old, s->begin)) {
        c->read = mine;
        return;
    }
    enum kind kind = same_warp(w, old) ? OF_WARP : same_block(w, old) ? OF_BLOCK : OF_GRID;
    if (kind < kind_of(old)) kind = kind_of(old);
    c->read = stamp_of(w, lane, kind, op->strong && old & STRONG_BIT);
}

/* out: what is written; bytes that are there already do no harm. NULL: an atomic. */
static void note_write(struct warp *w, const struct op *op, int lane, const struct spot *s, struct cell *c,
                       const u8 *out)
{
    if (conflict(w, lane, c->write, s->begin, op->strong) &&
        (options.races_same || !out || memcmp(s->at, out, (size_t)op->size * op->count)))
        race(w, op, lane, s->address, c->write, "a write");
    if (conflict(w, lane, c->read, s->begin, op->strong)) race(w, op, lane, s->address, c->read, "a write");
    c->write = stamp_of(w, lane, ONE, op->strong);
    c->read = 0;
}

/* ---- addresses ---- */

static struct block_of_memory *last;
static enum order_kind accessing;

static void find_global(struct warp *w, const struct op *op, int lane, u64 at, u32 bytes, struct spot *s)
{
    struct block_of_memory *b = last;
    int device = w->block->grid->device;
    if (!b || at < b->at || at - b->at >= b->bytes || b->freed) b = memory_find(at);
    if (!b) fault(w, op, lane, "out of bounds: address 0x%llx is in no block of memory", (unsigned long long)at);
    if (b->freed)
        fault(w, op, lane, "address 0x%llx lies in a block of %llu bytes that was freed", (unsigned long long)at,
              (unsigned long long)b->bytes);
    if (at - b->at + bytes > b->bytes || at < b->at)
        fault(w, op, lane, "out of bounds: %u bytes at byte %lld of a block of %llu", bytes, (long long)(at - b->at),
              (unsigned long long)b->bytes);
    last = b;
    s->holder = b->is_host ? HOST : b->holder_device == device ? OWN : PEER;
    if (s->holder == PEER && !peer_allowed(device, b->holder_device))
        fault(w, op, lane, "device %d may not read memory of device %d", device, b->holder_device);
    const char *wrong = order_touch(b, at - b->at, bytes, accessing);
    if (wrong) fault(w, op, lane, "%s", wrong);
    s->at = (u8 *)(uintptr_t)(at + (u64)b->host);
    s->counted = true;
    if (!options.races) return;
    if (!b->shadow) memory_shadow(b);
    if (op->size < 4 && b->shift) memory_split(b);
    s->cell = b->shadow + ((at - b->at) >> b->shift);
    s->cells = bytes >> b->shift;
    s->begin = w->block->grid->begin;
}

static void find_shared(struct warp *w, const struct op *op, int lane, u64 at, u32 bytes, struct spot *s)
{
    const struct block *b = w->block;
    const struct kernel *k = b->grid->kernel;
    if (at + bytes > b->grid->shared_bytes || at + bytes < at)
        fault(w, op, lane, "out of bounds: %u bytes at byte %lld of shared memory", bytes, (long long)at);
    s->at = b->shared + at;
    s->valid = b->valid + at;
    if (bytes == 4 && !((*(const u32 *)s->valid - 0x01010101u) & 0x80808080u)) bytes = 0; /* none of the four is 0 */
    for (u32 i = 0; i < bytes; i++)
        if (!s->valid[i])
            fault(w, op, lane, "out of bounds: byte %lld of shared memory is between its variables",
                  (long long)(at + i));
    if (!options.races) return;
    s->cell = b->shadow + (at >> k->shared_shift);
    s->cells = (u32)op->size * op->count >> k->shared_shift;
    s->begin = b->begin;
}

static void find_spot(struct warp *w, const struct op *op, int lane, struct spot *s)
{
    const struct kernel *k = w->block->grid->kernel;
    u32 bytes = (u32)op->size * op->count;
    u64 at = op->base == 8 ? ((const u64 *)place(w, op->r[4]))[lane] : ((const u32 *)place(w, op->r[4]))[lane];
    enum space space = op->space;
    at += (u64)op->offset;
    if (space == GENERIC) {
        space = at >> 60 == WINDOW_OF(SHARED_WINDOW)  ? SHARED
                : at >> 60 == WINDOW_OF(LOCAL_WINDOW) ? LOCAL
                : at >> 60 == WINDOW_OF(PARAM_WINDOW) ? PARAM
                                                      : GLOBAL;
        if (space != GLOBAL) at &= (1ull << 60) - 1;
    }
    *s = (struct spot){.address = at};
    if (at & (bytes - 1)) fault(w, op, lane, "misaligned: %u bytes at address 0x%llx", bytes, (unsigned long long)at);
    if (space == GLOBAL) find_global(w, op, lane, at, bytes, s);
    else if (space == SHARED) find_shared(w, op, lane, at, bytes, s);
    else if (space == LOCAL) {
        if (at + bytes > k->local_bytes)
            fault(w, op, lane, "out of bounds: %u bytes at byte %lld of local memory", bytes, (long long)at);
        s->at = w->local + (u64)lane * k->local_bytes + at;
    } else {
        if (at + bytes > k->param_bytes)
            fault(w, op, lane, "out of bounds: %u bytes at byte %lld of the parameters", bytes, (long long)at);
        s->at = w->block->grid->params + at;
    }
}

/* ---- lines of memory that a warp touches ---- */

static void add_lines(struct warp *w, const struct op *op, const struct spot *s, u32 mask, u32 bytes)
{
    struct kernel *k = w->block->grid->kernel;
    struct lines *t;
    if (!k->touched) k->touched = memory_zeros(k->ops * sizeof *k->touched);
    t = &k->touched[op - k->op];
    for (int h = 0; h < HOLDERS; h++) {
        u32 seen = 0, counts[3] = {0};
        for (u32 left = mask; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            if (!s[lane].counted || s[lane].holder != (enum holder)h) continue;
            bool fresh[3] = {true, true, true};
            for (u32 before = seen; before; before &= before - 1)
                for (int g = 0; g < 3; g++)
                    if (s[__builtin_ctz(before)].address >> (5 + g) == s[lane].address >> (5 + g)) fresh[g] = false;
            for (int g = 0; g < 3; g++) counts[g] += fresh[g];
            seen |= 1u << lane;
        }
        if (!seen) continue;
        t->accesses[h]++;
        t->bytes[h] += bytes * (u32)__builtin_popcount(seen);
        t->of_32[h] += counts[0], t->of_64[h] += counts[1], t->of_128[h] += counts[2];
    }
}

/* Turns that an access to shared memory takes: 32 banks of 4 bytes, of which each serves one word at a time. */
static void add_banks(struct warp *w, const struct spot *s, u32 mask)
{
    struct kernel *k = w->block->grid->kernel;
    u32 words[LANES], seen = 0, turns[LANES] = {0}, most = 0;
    for (u32 left = mask; left; left &= left - 1) {
        const struct spot *x = &s[__builtin_ctz(left)];
        u32 word = (u32)(x->address >> 2), i = 0;
        if (!x->valid) continue;
        while (i < seen && words[i] != word) i++;
        if (i < seen) continue;
        words[seen++] = word;
        if (++turns[word % LANES] > most) most = turns[word % LANES];
    }
    k->shared_accesses += seen > 0;
    k->shared_turns += most;
}

/* ---- the three ---- */

static u64 bits_at(const void *registers, u32 width, int lane)
{
    return width == 8   ? ((const u64 *)registers)[lane]
           : width == 4 ? ((const u32 *)registers)[lane]
                        : ((const u16 *)registers)[lane];
}
static void set_bits(void *registers, u32 width, int lane, u64 value)
{
    if (width == 8) ((u64 *)registers)[lane] = value;
    else if (width == 4) ((u32 *)registers)[lane] = (u32)value;
    else ((u16 *)registers)[lane] = (u16)value;
}

static u64 fetch(const u8 *at, u32 size, bool is_signed)
{
    u64 value = 0;
    switch (size) {
    case 8: memcpy(&value, at, 8); break;
    case 4: memcpy(&value, at, 4); break;
    case 2: memcpy(&value, at, 2); break;
    default: value = *at;
    }
    u32 up = 64 - 8 * size;
    return is_signed ? (u64)((s64)(value << up) >> up) : value;
}

static void need_written(struct warp *w, const struct op *op, int lane, const struct spot *s, u32 bytes)
{
    if (bytes == 4 && *(const u32 *)s->valid == 0x02020202u) return;
    for (u32 i = 0; i < bytes; i++)
        if (s->valid[i] != 2)
            fault(w, op, lane, "byte %llu of shared memory was never written", (unsigned long long)(s->address + i));
}

void access_load(struct warp *w, const struct op *op, u32 mask)
{
    struct spot spots[LANES];
    u32 bytes = (u32)op->size * op->count;
    accessing = ORDER_READ;
    for (u32 left = mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        struct spot *s = &spots[lane];
        find_spot(w, op, lane, s);
        if (s->valid) need_written(w, op, lane, s, bytes);
        for (u32 c = 0; c < s->cells; c++) note_read(w, op, lane, s, &s->cell[c]);
    }
    for (u32 left = mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        for (u32 i = 0; i < op->count; i++)
            set_bits(place(w, op->r[i]), op->width, lane,
                     fetch(spots[lane].at + i * op->size, op->size, op->is_signed));
    }
    if (options.counts) add_lines(w, op, spots, mask, bytes);
    if (options.counts) add_banks(w, spots, mask);
}

void access_store(struct warp *w, const struct op *op, u32 mask)
{
    struct spot spots[LANES];
    u32 bytes = (u32)op->size * op->count;
    accessing = ORDER_WRITE;
    for (u32 left = mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        struct spot *s = &spots[lane];
        u64 value[4];
        u8 out[32];
        find_spot(w, op, lane, s);
        for (u32 i = 0; i < op->count; i++) {
            value[i] = bits_at(place(w, op->r[i]), op->width, lane);
            memcpy(out + i * op->size, &value[i], op->size);
        }
        if (s->at >= w->block->grid->params && s->at < w->block->grid->params + w->block->grid->kernel->param_bytes)
            fault(w, op, lane, "a store into the parameters");
        if (s->cells) {
            for (u32 c = 0; c < s->cells; c++) note_write(w, op, lane, s, &s->cell[c], out);
        }
        memcpy(s->at, out, bytes);
        if (s->valid) memset(s->valid, 2, bytes);
    }
    if (options.counts) add_lines(w, op, spots, mask, bytes);
    if (options.counts) add_banks(w, spots, mask);
}

static u64 combined(const struct op *op, u64 old, u64 by, u64 other)
{
    u32 up = 64 - 8 * op->size;
    s64 a = (s64)(old << up) >> up, b = (s64)(by << up) >> up;
    switch (op->mode) {
    case ATOM_ADD: return old + by;
    case ATOM_MIN: return op->is_signed ? (a < b ? old : by) : (old < by ? old : by);
    case ATOM_MAX: return op->is_signed ? (a > b ? old : by) : (old > by ? old : by);
    case ATOM_AND: return old & by;
    case ATOM_OR: return old | by;
    case ATOM_XOR: return old ^ by;
    case ATOM_EXCH: return by;
    case ATOM_CAS: return old == by ? other : old;
    case ATOM_INC: return old >= by ? 0 : old + 1;
    default: return !old || old > by ? by : old - 1;
    }
}

void access_atomic(struct warp *w, const struct op *op, u32 mask)
{
    struct spot spots[LANES];
    u32 first = (u32)chance(LANES);
    accessing = ORDER_ATOMIC;
    for (u32 i = 0; i < LANES; i++) { /* lanes in any order */
        int lane = (int)((i + first) % LANES);
        struct spot *s = &spots[lane];
        if (!(mask >> lane & 1)) continue;
        find_spot(w, op, lane, s);
        if (s->valid) need_written(w, op, lane, s, op->size);
        for (u32 c = 0; c < s->cells; c++) note_write(w, op, lane, s, &s->cell[c], NULL);
        u64 old = fetch(s->at, op->size, false), by = bits_at(place(w, op->r[1]), op->width, lane),
            value = combined(op, old, by, bits_at(place(w, op->r[2]), op->width, lane));
        memcpy(s->at, &value, op->size);
        set_bits(place(w, op->r[0]), op->width, lane, old);
    }
    if (options.counts) add_lines(w, op, spots, mask, op->size);
    if (options.counts) add_banks(w, spots, mask);
}
