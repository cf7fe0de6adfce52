/* spool.h - inputs that are not files: standard input ("-" or /dev/stdin) and pipes (a FIFO, <(command)).
 *
 * Readers map files, or read them twice, so such an input is copied first: to a file in a folder next to the output,
 * called "standard-input", or after the pipe. spool_close removes the folder, and interrupts do. In sentences the copy
 * has its plain name. One struct belongs to one thread.
 */
#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include "base/file.h"
#include "base/status.h"

enum { SPOOL_MOST = 16 };
struct spool {
    struct output folder; /* never committed */
    char *copy[SPOOL_MOST];
    int count;
};

/* Copies the input `source` if it is not a file. *path: the copy's path, which holds until spool_close, or `source`.
 * near: the output; the copy is made next to it. s: zeroed before the first call. ST_USAGE for a terminal, for an input
 * named twice, and for more than SPOOL_MOST; ST_INPUT when it cannot be read; ST_LIMIT when the disk is full. */
enum st spool_open(struct spool *s, const char *source, const char *near, const char **path, struct err *err) MUST_USE;
/* Removes the copies. err: a sentence that names a copy gets its plain name. A zeroed struct is allowed. */
void spool_close(struct spool *s, struct err *err);

#endif
