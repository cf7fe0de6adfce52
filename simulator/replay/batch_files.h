/* batch_files.h - the arrays of exported mini-batches: one .npy file per array and GPU, mini-batches one after the
 * other.
 *
 * An array with parts (of a mini-batch: its hops, or its types and relations) has a second file `_at` with offsets:
 * where each part ends, the first number being 0. Used by both layouts of batches.h.
 */
#ifndef SIMULATOR_REPLAY_BATCH_FILES_H
#define SIMULATOR_REPLAY_BATCH_FILES_H

#include "base/doc.h"
#include "base/file.h"
#include "base/npy.h"

enum { BATCH_ARRAYS_MAX = 6 };

struct batch_array {
    const char *name, *type; /* "u4" or "i8" */
    bool parted;             /* it has offsets */
};

/* The files of one GPU. */
struct batch_files {
    const struct batch_array *of; /* [count], static */
    int count;
    struct npy_writer array[BATCH_ARRAYS_MAX], at[BATCH_ARRAYS_MAX];
    int64_t length[BATCH_ARRAYS_MAX]; /* elements so far */
};

/* Opens gpu<id>_<name>.npy and gpu<id>_<name>_at.npy in the directory. *f: zeroed; cancelled by the caller after any
 * outcome. ST_LIMIT, ST_INPUT: a file cannot be made. */
enum st batch_files_begin(const struct output *o, int id, const struct batch_array *of, int count,
                          struct batch_files *f, struct err *err) MUST_USE;
/* Appends `elements` to array k, whose parts end at end[0..parts) of them; parts: 0 for an array without. ST_LIMIT: the
 * disk is full. */
enum st batch_files_add(struct batch_files *f, int k, const void *data, uint64_t elements, const uint64_t *end,
                        int parts, struct err *err) MUST_USE;
enum st batch_files_end(struct batch_files *f, struct err *err) MUST_USE;
/* Closes what is open still; does nothing after batch_files_end. */
void batch_files_cancel(struct batch_files *f);
/* {id, batches, NAME: elements of every array with parts}. Owned by the caller. */
doc *batch_files_document(int id, uint64_t batches, const struct batch_files *f);

#endif
