/* mem.h - checked, counted, bounded memory.
 *
 * Every array of hotset comes from here: sizes are multiplied with an overflow check, what is in use is counted, and
 * nothing beyond the limit is taken (--memory; 0 means no limit). Blocks are zeroed. Blocks of a MiB and more are
 * mapped for themselves, with huge pages where the system gives them, so that a zeroed array that is never touched
 * costs nothing.
 * The counters are the only process-wide state here; they are atomic, and any thread may call any function.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

/* `count` zeroed elements of `size` bytes (at least 1 byte is reserved, so the result is never NULL on success).
 * what: the noun for the error sentence ("frontier lists"). Returns NULL and sets err (ST_LIMIT) on overflow, limit
 * or exhaustion. */
void *mem_array(uint64_t count, size_t size, const char *what, struct err *err) MUST_USE;

/* The same for what one thread works with (or each thread a range of): pages lie near the thread that first touches
 * them, however large the array; those of mem_array may be interleaved over the machine's memory nodes (numa.h). */
void *mem_array_near(uint64_t count, size_t size, const char *what, struct err *err) MUST_USE;

/* A block with `count` elements that begins with the old contents (the rest is zero); the old block is gone on
 * success, untouched on failure. */
void *mem_resize(void *block, uint64_t count, size_t size, const char *what, struct err *err) MUST_USE;

void mem_free(void *block); /* NULL is allowed */

/* Bytes that all blocks may hold together; 0: no limit. */
void mem_limit_set(uint64_t bytes);
uint64_t mem_limit(void);
uint64_t mem_in_use(void); /* bytes of all live blocks */
uint64_t mem_peak(void);   /* largest mem_in_use since mem_peak_reset */
void mem_peak_reset(void);
uint64_t mem_machine(void); /* physical memory of this machine, bytes; 0: unknown */

/* For tests: the k-th mem_array or mem_resize from now fails (1 = the next); 0 turns it off. */
void mem_fail_at(uint64_t k);

/* Allocates `ptr` (typed) or leaves through `done:`. Needs locals `st` and `err`. */
#define NEW(ptr, count, what)                                                                                          \
    do {                                                                                                               \
        (ptr) = mem_array((uint64_t)(count), sizeof *(ptr), (what), err);                                              \
        if (!(ptr)) {                                                                                                  \
            st = err->code;                                                                                            \
            goto done;                                                                                                 \
        }                                                                                                              \
    } while (0)

/* The same with mem_array_near. */
#define NEW_NEAR(ptr, count, what)                                                                                     \
    do {                                                                                                               \
        (ptr) = mem_array_near((uint64_t)(count), sizeof *(ptr), (what), err);                                         \
        if (!(ptr)) {                                                                                                  \
            st = err->code;                                                                                            \
            goto done;                                                                                                 \
        }                                                                                                              \
    } while (0)

/* Resizes `ptr` (typed) or leaves through `done:`, with the old block still valid. */
#define GROW(ptr, count, what)                                                                                         \
    do {                                                                                                               \
        void *grown_ = mem_resize((ptr), (uint64_t)(count), sizeof *(ptr), (what), err);                               \
        if (!grown_) {                                                                                                 \
            st = err->code;                                                                                            \
            goto done;                                                                                                 \
        }                                                                                                              \
        (ptr) = grown_;                                                                                                \
    } while (0)

#endif
