/* trace_parts.h - the arrays of trace directories: lists of training vertices, and counts. trace_file.c puts them
 * together.
 */
#ifndef TRACES_RECORDING_TRACE_PARTS_H
#define TRACES_RECORDING_TRACE_PARTS_H

#include "base/folder.h"
#include "base/npy.h"
#include "traces/recording/assignment.h"
#include "traces/recording/count_row.h"

enum { TRACE_NAME_BYTES = 64, TRACE_PRINT_BYTES = 80 }; /* a server's name and fingerprint */

/* ---- saving ---- */

/* Writes an array of unsigned integers, `element` "u2" or "u4", whose rows[0..count) follow each other; each has
 * product(shape) / count counts of any width, all of which fit. ST_LIMIT when it cannot be written. */
enum st trace_save_counts(const struct output *o, const char *name, const char *element, int dims,
                          const uint64_t *shape, const struct count_row *rows, int count, struct err *err) MUST_USE;
/* Writes train_gpu<id>.npy and, where the assignment has circles, order_gpu<id>.npy. ST_LIMIT when they cannot be. */
enum st trace_save_train(const struct output *o, const struct assignment *a, struct err *err) MUST_USE;

/* ---- loading ---- */

/* Maps an array of the folder; type and shape as for npy_expect. Release *out with npy_release. ST_INPUT otherwise. */
enum st trace_load_array(const char *folder, const char *name, const char *type, int dims, const uint64_t *shape,
                         struct npy *out, struct err *err) MUST_USE;
/* Reads the training vertices of every GPU, which are below n. ST_INPUT when two GPUs have the same one. */
enum st trace_load_train(const char *folder, uint64_t n, struct assignment *a, struct err *err) MUST_USE;
/* Maps folds.npy, uint16 [cliques, folds, quantities, n], and points rows[0..cliques) at its parts. *folds stays 0 when
 * there is none: it is optional, because other programs record traces, too. */
enum st trace_load_folds(const char *folder, int cliques, uint64_t epochs, int quantities, uint64_t n, struct npy *out,
                         int *folds, struct count_row *rows, struct err *err) MUST_USE;

enum { FOLDS_MAX = 8 };
/* How many folds a recording of `epochs` epochs has: 2..FOLDS_MAX. */
int trace_folds(uint64_t epochs);
/* 1 / epochs per fold; of one epoch, whose folds are parts of it, the number of folds. */
double trace_folds_per_epoch(uint64_t epochs);

#endif
