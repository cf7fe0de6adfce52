/* checkpoint.h - the folder in which a long run keeps large arrays and what it has finished, so that it can go on
 * after it was ended.
 *
 * "<target>.partial", beside the output or in a scratch folder. partial.json (schema partial/1) says what the run
 * works on; whoever comes with the same words finds what is finished there, anybody else starts over. Arrays are
 * files that are mapped: they count for no limit of mem.h, and the system may write them out. A part is finished when
 * its note is there: notes are written after the arrays they speak of, and atomically. Data is not flushed to disk -
 * a killed process loses nothing of it - so a folder that an earlier start of the machine left is not believed. The
 * folder is locked while it is open. Several threads may make and finish parts of different names; arrays belong to
 * whoever mapped them, and may outlive the store.
 */
#ifndef BASE_CHECKPOINT_H
#define BASE_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/file.h"

struct checkpoint {
    char folder[PATH_BYTES]; /* "": there is none, and everything below that takes a store must not be called */
    int lock;
    bool resumed;  /* it holds what an earlier run of the same words finished */
    char why[200]; /* a sentence when something was there and was dropped; else "" */
};

/* An array in a file: mapped for reading and writing. */
struct checkpoint_array {
    void *data;
    uint64_t bytes;
};

/* target: the output (trailing slashes are dropped). scratch: a folder to be in instead of the target's, or NULL.
 * about: what the results depend on; borrowed. anew: drop what is there. ST_INPUT when the folder is another's, or in
 * use by another run. */
enum st checkpoint_open(struct checkpoint *s, const char *target, const char *scratch, const doc *about, bool anew,
                        struct err *err) MUST_USE;
/* finished: removes the folder; else it stays for a later run. Zeroed is allowed. */
void checkpoint_close(struct checkpoint *s, bool finished);

/* A zeroed array in a new file of that name; an old file of the name is gone from the folder (whoever has it mapped
 * keeps it). ST_LIMIT when the disk is full. */
enum st checkpoint_make(const struct checkpoint *s, const char *name, uint64_t bytes, struct checkpoint_array *out,
                        struct err *err) MUST_USE;
/* Maps what checkpoint_make made. ST_INPUT when it is not there in that size. */
enum st checkpoint_map(const struct checkpoint *s, const char *name, uint64_t bytes, struct checkpoint_array *out,
                       struct err *err) MUST_USE;
void checkpoint_unmap(struct checkpoint_array *a);                  /* zeroed is allowed */
void checkpoint_drop(const struct checkpoint *s, const char *name); /* removes the file of an array */

/* Lets go of pages of a store's array (of nothing else: memory without a file would be zeroed); the file has them
 * when they are touched again. */
void checkpoint_drop_pages(const void *data, uint64_t bytes);
/* Asks for an array's pages to be read ahead, in their order. */
void checkpoint_prefetch_pages(const void *data, uint64_t bytes);

/* Finishes a part: `note` (taken) says what its arrays do not. */
enum st checkpoint_finish(const struct checkpoint *s, const char *part, doc *note, struct err *err) MUST_USE;
bool checkpoint_any(const struct checkpoint *s); /* whether any part is finished */
/* The note of a finished part, owned by the caller; NULL when it is not finished. */
doc *checkpoint_finished(const struct checkpoint *s, const char *part);

/* Size and time of change of a file, to tell whether it is still the same: "bytes:seconds.nanoseconds", or "absent".
 * Returns out. */
enum { CHECKPOINT_STAMP = 80 };
const char *checkpoint_stamp(const char *path, char out[CHECKPOINT_STAMP]);

#endif
