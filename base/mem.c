#include "base/mem.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/kept.h"
#include "base/numa.h"
#include "base/units.h"

/* Precedes every block. 64 bytes, so that blocks begin at a cache line. */
struct header {
    uint64_t bytes;  /* of the user's part */
    uint64_t mapped; /* bytes mapped in all; 0: from malloc */
    uint64_t spread; /* 1: shared by threads and interleaved over the memory nodes */
    char padding[40];
};

/* Blocks of MAP_FROM bytes and more get a mapping of their own. Where there are several memory nodes, only spread
 * blocks are kept for others, so that a page never turns up on the node of a thread that is not its owner. */
enum { MAP_FROM = KEPT_LEAST };
static_assert((int)KEPT_FROM >= (int)NUMA_FROM, "kept blocks are interleaved");

/* Process-wide counters; see mem.h. */
static uint64_t limit_bytes, used_bytes, peak_bytes, most_bytes, fail_countdown;

static struct header *header_of(void *block) { return (struct header *)((char *)block - sizeof(struct header)); }

static void raise_to(uint64_t *peak, uint64_t now)
{
    uint64_t seen = __atomic_load_n(peak, __ATOMIC_RELAXED);
    while (now > seen && !__atomic_compare_exchange_n(peak, &seen, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

/* Counts `bytes` as in use; false when that would exceed the limit. */
static bool reserve(uint64_t bytes)
{
    uint64_t limit = __atomic_load_n(&limit_bytes, __ATOMIC_RELAXED);
    uint64_t now = __atomic_add_fetch(&used_bytes, bytes, __ATOMIC_RELAXED);
    if (limit && now > limit) {
        __atomic_sub_fetch(&used_bytes, bytes, __ATOMIC_RELAXED);
        return false;
    }
    raise_to(&peak_bytes, now);
    raise_to(&most_bytes, now);
    return true;
}

static bool fails_for_test(void)
{
    if (!__atomic_load_n(&fail_countdown, __ATOMIC_RELAXED)) return false;
    return __atomic_sub_fetch(&fail_countdown, 1, __ATOMIC_RELAXED) == 0;
}

static void *map_pages(uint64_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Bytes that may be kept: with them the process holds no more than it held at its worst, but for what blocks are
 * rounded up by. */
static uint64_t keep_most(void)
{
    uint64_t most = __atomic_load_n(&most_bytes, __ATOMIC_RELAXED), used = mem_in_use();
    return most > used ? most - used + KEPT_STEP : 0;
}

/* A kept mapping made new: its bytes are cleared, as a fresh one's are. */
static struct header *block_kept(uint64_t bytes, bool spread)
{
    uint64_t mapped;
    struct header *h = kept_take(bytes, &mapped);
    if (!h) return NULL;
    memset(h, 0, bytes);
    h->mapped = mapped;
    h->spread = spread;
    return h;
}

static struct header *block_new(uint64_t bytes, bool shared)
{
    uint64_t total = bytes + sizeof(struct header);
    if (total < MAP_FROM) return calloc(1, total);
    bool spread = shared && total >= KEPT_FROM;
    struct header *old = spread || !numa_several() ? block_kept(total, spread) : NULL;
    if (old) return old;
    kept_trim(keep_most());
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), mapped = (total + page - 1) / page * page;
    struct header *h = map_pages(mapped);
    if (!h) kept_trim(0);
    if (!h) h = map_pages(mapped);
    if (!h) return NULL;
    madvise(h, mapped, MADV_HUGEPAGE); /* may be refused; gathers run 1.3 to 1.5 times faster from large pages */
    if (spread) numa_spread(h, mapped);
    h->mapped = mapped;
    h->spread = spread;
    return h;
}

static void block_free(struct header *h)
{
    if (!h->mapped) free(h);
    else if ((!h->spread && numa_several()) || !kept_add(h, h->mapped, keep_most())) munmap(h, h->mapped);
}

static enum st refuse(uint64_t count, size_t size, const char *what, struct err *err)
{
    char want[UNIT_TEXT], have[UNIT_TEXT], bound[UNIT_TEXT];
    unsigned __int128 bytes = (unsigned __int128)count * size;
    units_bytes(want, bytes > UINT64_MAX ? UINT64_MAX : (uint64_t)bytes);
    units_bytes(have, mem_in_use());
    units_bytes(bound, mem_limit());
    if (mem_limit())
        return err_set(err, ST_LIMIT,
                       "memory for %s: %s needed with %s in use, above the limit of %s; raise --memory or use a "
                       "smaller graph",
                       what, want, have, bound);
    return err_set(err, ST_LIMIT,
                   "memory for %s: the system refused %s with %s in use; use a smaller graph or a machine with more "
                   "memory",
                   what, want, have);
}

static void *array(uint64_t count, size_t size, bool shared, const char *what, struct err *err)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(count, (uint64_t)size, &bytes) || bytes > (UINT64_MAX >> 2) || fails_for_test() ||
        !reserve(bytes)) {
        refuse(count, size, what, err);
        return NULL;
    }
    struct header *h = block_new(bytes, shared);
    if (!h) {
        __atomic_sub_fetch(&used_bytes, bytes, __ATOMIC_RELAXED);
        refuse(count, size, what, err);
        return NULL;
    }
    h->bytes = bytes;
    return h + 1;
}

void *mem_array(uint64_t count, size_t size, const char *what, struct err *err)
{
    return array(count, size, true, what, err);
}
void *mem_array_near(uint64_t count, size_t size, const char *what, struct err *err)
{
    return array(count, size, false, what, err);
}

void *mem_resize(void *block, uint64_t count, size_t size, const char *what, struct err *err)
{
    void *fresh = mem_array(count, size, what, err);
    if (!fresh) return NULL;
    if (block) {
        uint64_t old = header_of(block)->bytes, now = header_of(fresh)->bytes;
        memcpy(fresh, block, old < now ? old : now);
        mem_free(block);
    }
    return fresh;
}

void mem_zero(void *data, uint64_t bytes, int threads)
{
    enum { PIECE = 1 << 21 };
    char *at = data;
    if (!bytes) return;
#pragma omp parallel for schedule(static) num_threads(threads > 0 ? threads : 1) if (bytes > PIECE)
    for (uint64_t from = 0; from < bytes; from += PIECE)
        memset(at + from, 0, bytes - from < PIECE ? bytes - from : PIECE);
}

void mem_touch(void *data, uint64_t bytes, int threads)
{
    enum { PAGE = 4096 };
#pragma omp parallel for schedule(static) num_threads(threads > 0 ? threads : 1)
    for (uint64_t at = 0; at < bytes; at += PAGE) ((volatile char *)data)[at] = 0;
}

void mem_free(void *block)
{
    if (!block) return;
    struct header *h = header_of(block);
    __atomic_sub_fetch(&used_bytes, h->bytes, __ATOMIC_RELAXED);
    block_free(h);
}

void *mem_fixed(size_t size, const char *what, struct err *err)
{
    void *block = fails_for_test() ? NULL : calloc(1, size);
    if (!block) refuse(1, size, what, err);
    return block;
}

void mem_give_back(void *pointer) { mem_free(*(void **)pointer); }

void mem_leave(void *pointer) { free(*(void **)pointer); }

void mem_trim(uint64_t most) { kept_trim(most); }

void mem_limit_set(uint64_t bytes) { __atomic_store_n(&limit_bytes, bytes, __ATOMIC_RELAXED); }
uint64_t mem_limit(void) { return __atomic_load_n(&limit_bytes, __ATOMIC_RELAXED); }
uint64_t mem_in_use(void) { return __atomic_load_n(&used_bytes, __ATOMIC_RELAXED); }
uint64_t mem_peak(void) { return __atomic_load_n(&peak_bytes, __ATOMIC_RELAXED); }
void mem_peak_reset(void) { __atomic_store_n(&peak_bytes, mem_in_use(), __ATOMIC_RELAXED); }
void mem_fail_at(uint64_t k) { __atomic_store_n(&fail_countdown, k, __ATOMIC_RELAXED); }
