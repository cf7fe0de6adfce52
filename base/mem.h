/* mem.h - memory that is checked, counted and bounded.
 *
 * Every array of hotset is allocated here. Sizes are multiplied with an overflow check, bytes in use are counted, and
 * an allocation beyond the limit (--memory; 0 means none) fails. Blocks are zeroed. Blocks of a MiB and more get a
 * mapping of their own, with huge pages where the system has them, so that pages that are never touched cost nothing.
 * Freed ones are kept for those that come next (kept.h; where there are several memory nodes, large ones that are
 * interleaved); whenever one comes or goes, what is kept and what is in use together are within the most that was ever
 * in use. The counters are process-wide and atomic: any thread may call any function.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates `count` zeroed elements of `size` bytes; never NULL on success, also for 0 elements. what: the noun for the
 * error sentence ("frontier lists"). Returns NULL and sets err (ST_LIMIT) on overflow, beyond the limit, or when the
 * system has no memory. Free with mem_free. */
void *mem_array(uint64_t count, size_t size, const char *what, struct err *err) MUST_USE;

/* The same for arrays of one thread, or of which each thread has a range: a page lies on the memory node of the thread
 * that touches it first. Pages of mem_array may be interleaved over the machine's nodes instead (numa.h). */
void *mem_array_near(uint64_t count, size_t size, const char *what, struct err *err) MUST_USE;

/* Moves a block (NULL: none) to one of `count` elements; elements beyond the old ones are zero. The old block is freed
 * on success and untouched on failure. */
void *mem_resize(void *block, uint64_t count, size_t size, const char *what, struct err *err) MUST_USE;

/* Sets a block's bytes to 0, each thread a range: pages that were never touched are made by all of them. */
void mem_zero(void *data, uint64_t bytes, int threads);
/* Makes the pages of a new block, which is zero, by a write to each. What is read first comes as a page of zeros, which
 * the first write then replaces while all threads wait: sums that begin at 0 are touched before. */
void mem_touch(void *data, uint64_t bytes, int threads);

void mem_free(void *block); /* NULL is allowed */

/* Gives what is kept for later blocks back to the system, but for `most` bytes: for the beginning of long work that has
 * all of its arrays, and whose files need the room. */
void mem_trim(uint64_t most);

/* Bytes that all blocks together may hold; 0: no limit. */
void mem_limit_set(uint64_t bytes);
uint64_t mem_limit(void);
uint64_t mem_in_use(void); /* bytes of all live blocks */
uint64_t mem_peak(void);   /* the largest mem_in_use since mem_peak_reset */
void mem_peak_reset(void); /* sets the peak to what is in use now */

/* For tests: makes the k-th allocation from now fail (1: the next); 0 turns it off. */
void mem_fail_at(uint64_t k);

/* Allocates for the typed pointer `ptr`, or leaves through `done:`. Needs locals `st` and `err`. */
#define NEW(ptr, count, what)                                                                                          \
    do {                                                                                                               \
        (ptr) = mem_array((uint64_t)(count), sizeof *(ptr), (what), err);                                              \
        if (!(ptr)) {                                                                                                  \
            st = err->code;                                                                                            \
            goto done;                                                                                                 \
        }                                                                                                              \
    } while (0)

/* The same for a function without `done:`, which returns. */
#define MAKE(ptr, count, what)                                                                                         \
    do {                                                                                                               \
        (ptr) = mem_array((uint64_t)(count), sizeof *(ptr), (what), err);                                              \
        if (!(ptr)) return err->code;                                                                                  \
    } while (0)

/* Frees the block of a pointer that is declared behind it when its scope is left; NULL is allowed, so a block that goes
 * elsewhere is replaced by NULL. */
#define OWNED OWNED_BY(mem_give_back)
void mem_give_back(void *pointer); /* mem_free of the block that the pointer at `pointer` names */

/* Declares `name`, an array of `count` elements of a type, which is freed when its scope is left. Without memory the
 * function returns what `err` says. Nothing may jump over it. */
#define OWNED_NEW(type, name, count, what)                                                                             \
    OWNED type *name = mem_array((uint64_t)(count), sizeof(type), (what), err);                                        \
    if (!name) return err->code

/* The same with mem_array_near. */
#define NEW_NEAR(ptr, count, what)                                                                                     \
    do {                                                                                                               \
        (ptr) = mem_array_near((uint64_t)(count), sizeof *(ptr), (what), err);                                         \
        if (!(ptr)) {                                                                                                  \
            st = err->code;                                                                                            \
            goto done;                                                                                                 \
        }                                                                                                              \
    } while (0)

/* Resizes the block of the typed pointer `ptr`, or leaves through `done:` with the old block still valid. */
#define GROW(ptr, count, what)                                                                                         \
    do {                                                                                                               \
        void *grown_ = mem_resize((ptr), (uint64_t)(count), sizeof *(ptr), (what), err);                               \
        if (!grown_) {                                                                                                 \
            st = err->code;                                                                                            \
            goto done;                                                                                                 \
        }                                                                                                              \
        (ptr) = grown_;                                                                                                \
    } while (0)

/* Declares `name`, a pointer to one zeroed struct that would be large on a stack; it goes back when its block is left.
 * Without memory the function returns: ON_HEAP what `err` says, ON_HEAP_OR `value`. Nothing may jump over either. */
#define ON_HEAP(type, name) ON_HEAP_OR(type, name, err, err->code)
#define ON_HEAP_OR(type, name, err, value)                                                                             \
    __attribute__((cleanup(mem_leave))) type *name = mem_fixed(sizeof(type), "a " #type, err);                         \
    if (!name) return value
/* A zeroed block of a size that data do not change, which no limit counts (as none counts stacks); NULL as mem_array.
 */
void *mem_fixed(size_t size, const char *what, struct err *err);
void mem_leave(void *pointer); /* frees the block that the pointer at `pointer` names */

#ifdef __cplusplus
}
#endif

#endif
