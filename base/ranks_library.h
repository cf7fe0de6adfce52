/* ranks_library.h - the few operations of a message-passing library that ranks.c needs. Private to base/ranks*.c.
 *
 * Combining and giving work on at most RANKS_CHUNK bytes, in place. All return NULL, or what the library says is wrong
 * (static, valid until the next call).
 */
#ifndef BASE_RANKS_LIBRARY_H
#define BASE_RANKS_LIBRARY_H

#include <stdint.h>
#include "base/status.h"

enum { RANKS_CHUNK = 1 << 22 };
enum ranks_type { RANKS_U8, RANKS_U16, RANKS_U32, RANKS_U64, RANKS_TYPES };
enum ranks_operation { RANKS_SUM, RANKS_LEAST, RANKS_MOST, RANKS_OPERATIONS };

struct ranks_library {
    int count, number; /* of the ranks */
    /* Combines data[count] of all ranks. root: the rank that gets the result; -1: all. */
    const char *(*combine)(void *data, int count, enum ranks_type type, enum ranks_operation how, int root);
    const char *(*give)(void *data, int bytes, int root); /* root's data to all */
    /* Number i of send goes to rank i, and rank i's number for this one comes to receive[i]. */
    const char *(*exchange_numbers)(const uint64_t *send, uint64_t *receive);
    /* The same for bytes: send_count[i] of them from send + send_at[i] to rank i. */
    const char *(*exchange)(const void *send, const int *send_count, const int *send_at, void *receive,
                            const int *receive_count, const int *receive_at);
    const char *(*leave)(void); /* waits for all, and ends the library */
    void (*stop)(int code);     /* ends all ranks */
};

/* Opens the library and joins the ranks. ST_MISSING where this build does not know it, or it is not installed. */
enum st ranks_library_open(struct ranks_library *out, struct err *err) MUST_USE;

#endif
