/* checkpoint.h - the folder in which a long run keeps large arrays and finished parts, so that a later run can
 * continue.
 *
 * The folder is "<target>.partial", beside the output or in a scratch folder. Its file partial.json (schema partial/1)
 * states what the run depends on. A run that states the same finds the finished parts; any other run starts over.
 *
 * Arrays are files that are mapped. They count for no limit of mem.h, and the system may write their pages out. A part
 * is finished when its note exists: the note is written after its arrays, and atomically. Nothing is flushed to disk. A
 * killed process loses no data, but a restart of the machine may, so a folder from before the restart is dropped. The
 * folder is locked while it is open.
 *
 * Nothing that is found is believed without proof. A note has a checksum of its own text and the SHA-256 of every array
 * of its part (seals.h); checkpoint_open compares all of them, and starts over when a byte differs. The folder is the
 * user's own, and only its owner may write in it; files in it are opened from its descriptor, never through a link, and
 * only those that hotset made are removed.
 *
 * Several threads may make and finish parts of different names. An array belongs to the code that mapped it, and may
 * outlive the checkpoint.
 */
#ifndef BASE_CHECKPOINT_H
#define BASE_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/file.h"
#include "base/seals.h"

struct checkpoint {
    char folder[PATH_BYTES]; /* "": no checkpoint; then only checkpoint_close may be called */
    int lock;                /* descriptor that holds the lock */
    int threads;             /* that compute checksums; set before checkpoint_open; 0: one */
    bool large;              /* arrays are too large for the page cache, see checkpoint_expect */
    bool resumed;            /* the folder holds parts that an earlier run of the same inputs finished */
    char why[200];           /* why an earlier run's parts were dropped, a sentence; "" when none were */
    char of[65];             /* digest of what the results depend on, in every note */
    struct seals *seals;
};

/* An array in a file: mapped for reading and writing. */
struct checkpoint_array {
    void *data;
    uint64_t bytes;
};

/* Opens or makes the folder. target: the output's path (trailing slashes are dropped). scratch: the folder to be in
 * instead of the target's, or NULL. about: an object of texts, what the results depend on; borrowed. anew: start over,
 * and drop what is there. ST_INPUT when the folder is a link or another user's, holds other files, or another run uses
 * it; ST_USAGE for an unusable path; ST_LIMIT when the disk is full. */
enum st checkpoint_open(struct checkpoint *s, const char *target, const char *scratch, const doc *about, bool anew,
                        struct err *err) MUST_USE;
/* Unlocks the folder. finished: also removes it, but not what others put there; otherwise it stays for a later run. A
 * zeroed struct is allowed. */
void checkpoint_close(struct checkpoint *s, bool finished);

/* Tells how many bytes all arrays of the run will take. When that is more than half of the memory that the process may
 * use, checkpoint_write goes past the page cache (direct_write.h) where the file system can. */
void checkpoint_expect(struct checkpoint *s, uint64_t bytes);

/* Makes a file of that name and maps it as a zeroed array. An older file of the name is removed, and the note of that
 * name, if there is one; code that has it mapped keeps its pages. The caller unmaps. ST_LIMIT when the disk is full. */
enum st checkpoint_make(const struct checkpoint *s, const char *name, uint64_t bytes, struct checkpoint_array *out,
                        struct err *err) MUST_USE;
/* Writes into the file of an array that checkpoint_make made, from byte `at` on: the array's mapping holds the same
 * bytes then. Pages that are written so are not filled with zeros before, which a first store into the mapping costs,
 * and they are not read back for their checksum: what is written so is not changed through the mapping. Several threads
 * may write different arrays. ST_LIMIT when it fails. */
enum st checkpoint_write(const struct checkpoint *s, const char *name, uint64_t at, const void *data, uint64_t bytes,
                         struct err *err) MUST_USE;
/* Maps an array of a finished part, for reading. The caller unmaps. ST_INPUT when no note states one of that name and
 * size. */
enum st checkpoint_map(const struct checkpoint *s, const char *name, uint64_t bytes, struct checkpoint_array *out,
                       struct err *err) MUST_USE;
/* Ends the mapping; the file stays. A zeroed array is allowed. */
void checkpoint_unmap(struct checkpoint_array *a);
/* Removes the note and the array of that name; a mapping of the array stays valid. */
void checkpoint_drop(const struct checkpoint *s, const char *name);

/* Lets the system drop the pages of a mapped array from memory; they are read from the file when they are touched
 * again. Only for arrays of a checkpoint: memory without a file would read as zeros. */
void checkpoint_drop_pages(const void *data, uint64_t bytes);
/* Asks the system to begin reading a mapped array: on Linux, one window of its read-ahead. (All of it, by read_ahead,
 * was slower: counts of several GPUs pushed each other and the graph out of memory.) */
void checkpoint_prefetch_pages(const void *data, uint64_t bytes);

/* Marks a part as finished. note (taken): what a later run must know beside the arrays; its keys "part", "of", "arrays"
 * and "checksum" are set here. arrays (taken): the names of the part's arrays, or NULL; they are not changed from then
 * on. ST_LIMIT when the note cannot be written. */
enum st checkpoint_finish(const struct checkpoint *s, const char *part, doc *note, doc *arrays, struct err *err)
    MUST_USE;
/* The same of a part that is one array of its name. */
enum st checkpoint_finish_array(const struct checkpoint *s, const char *part, doc *note, struct err *err) MUST_USE;
/* Whether any part is finished. */
bool checkpoint_any(const struct checkpoint *s);
/* The note of a finished part, owned by the caller; NULL when the part is not finished. */
doc *checkpoint_finished(const struct checkpoint *s, const char *part);

/* Tells whether a file is still the same: its size and the times at which its content and its state changed, or
 * "absent"; the second time changes with every write, also where a program sets the first one back. Of a folder: a
 * digest of the names and stamps of its files (without names that begin with a dot, and without inner folders). Returns
 * out. */
enum { CHECKPOINT_STAMP = 100 };
const char *checkpoint_stamp(const char *path, char out[CHECKPOINT_STAMP]);

#endif
