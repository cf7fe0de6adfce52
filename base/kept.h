/* kept.h - mappings of freed arrays, kept for the arrays that come next.
 *
 * The system clears every page that it hands out, and where it runs under a hypervisor it may have to ask for the page
 * first: touching a GiB of new memory was measured at 0.1 s when the pages had just been in use and at 0.5 to 1.5 s
 * when the hypervisor had taken them back; clearing a GiB that is still mapped takes 0.03 s. A plan allocates and frees
 * arrays of a word per vertex hundreds of times. Used by mem.c alone, which says how much may be kept. Any thread may
 * call any function.
 */
#ifndef BASE_KEPT_H
#define BASE_KEPT_H

#include <stdbool.h>
#include <stdint.h>

/* Regions at most. Those of KEPT_FROM bytes and more are cut at multiples of a huge page, what is left over is kept
 * while it is as large, and neighbours become one; of smaller ones, down to KEPT_LEAST, it is given back. */
enum { KEPT_REGIONS = 64, KEPT_SMALL = 256, KEPT_STEP = 2 << 20, KEPT_FROM = 64 << 20, KEPT_LEAST = 1 << 20 };

/* Keeps a mapping of `bytes` (a multiple of the page, at least KEPT_LEAST) when all that is kept stays within `most`
 * bytes; when its list (of large or of smaller ones) is full, the smallest is given back for it. False: it was not
 * taken, and stays with the caller. */
bool kept_add(void *mapping, uint64_t bytes, uint64_t most);

/* A mapping of at least `bytes`, cut from the smallest kept one that is large enough; below KEPT_FROM from one that is
 * at most a quarter larger. *got: its bytes. It holds what its last owner left there. NULL when there is none. */
void *kept_take(uint64_t bytes, uint64_t *got);

/* Gives mappings, or their ends, back to the system, the smallest first, until at most `most` bytes are kept. */
void kept_trim(uint64_t most);

/* Bytes kept now. */
uint64_t kept_bytes(void);

#endif
