/* read_ahead.h - parts of mapped files read into memory before they are touched. */
#ifndef BASE_READ_AHEAD_H
#define BASE_READ_AHEAD_H

#include <stdint.h>

/* Has the system read the whole pages of a mapped file's range into its page cache, from the first to the last, while
 * the caller goes on. It is advice: a range that is unmapped meanwhile is let be, and nothing happens where no thread
 * is to be had. Linux reads only one window of its read-ahead (128 KiB to a few MiB) for a single madvise of any length
 * (force_page_cache_ra in mm/readahead.c), so a thread of its own asks for one piece after the other; where all of it
 * is in memory, that takes 20 ms per GiB. */
void read_ahead(const void *data, uint64_t bytes);

#endif
