/* rounding.h - what holding feature rows in a smaller element type loses, measured on the user's features.
 *
 * The error of a row is the L2 norm of what rounding changes over the L2 norm of the row (base/rounded.h). Rows that
 * any GPU holds are sorted by recorded gathers, hottest first, and cut into ten bands of equally many rows: the rows of
 * the first band are read most.
 */
#ifndef PLANNER_ENGINE_ROUNDING_H
#define PLANNER_ENGINE_ROUNDING_H

#include <stdio.h>
#include "base/doc.h"
#include "base/precision.h"
#include "kernels/kernel.h"
#include "traces/recording/count_row.h"

struct rounding_input {
    const char *file;                /* .npy of float32 or float16, [rows][dim] */
    enum precision to;               /* not PRECISION_HOST */
    uint64_t rows, dim;              /* rows below 2^32 */
    const uint8_t *held;             /* [rows] not 0: some GPU holds the row */
    const struct count_row *gathers; /* [gpus][rows] recorded */
    int gpus, threads;
    const struct kernels *kernels;
};

/* Whether a file is such features, before work is done for them. ST_INPUT as below. */
enum st rounding_check(const char *file, uint64_t rows, uint64_t dim, struct err *err) MUST_USE;
/* *out: {file, element, bands[], all}; a band has first (rank of its hottest row, from 1), rows, gathers, mean and
 * worst error (of rows that do not overflow), overflowed (rows). all also has mean_of_gathers: weighted by gathers. The
 * same on any number of threads. The caller frees it with doc_free. ST_INPUT for a file of another type or shape, or a
 * held row that is not finite; ST_LIMIT without memory. */
enum st rounding_measure(const struct rounding_input *in, doc **out, struct err *err) MUST_USE;
/* error[v]: relative error of row v of the file once it is rounded, of all in->rows rows; infinite where it overflows.
 * Only file, to, rows, dim and threads of `in` are read. Errors as rounding_measure. */
enum st rounding_errors(const struct rounding_input *in, double *error, struct err *err) MUST_USE;
/* A table with a line per band. label: what is rounded. measured: of rounding_measure. */
void rounding_print(const char *label, const doc *measured, FILE *to);

#endif
