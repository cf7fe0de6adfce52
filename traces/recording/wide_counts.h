/* wide_counts.h - rows of counts as 32-bit integers, for operations that take no others (kernels/kernel.h). */
#ifndef TRACES_RECORDING_WIDE_COUNTS_H
#define TRACES_RECORDING_WIDE_COUNTS_H

#include "base/status.h"
#include "traces/recording/assignment.h"
#include "traces/recording/count_row.h"

struct wide_counts {
    const uint32_t *row[GPUS_MAX]; /* [to - from] each */
    uint32_t *owned;               /* copies of those that are narrow; NULL: none is */
};

/* Whether all rows are of 32-bit integers already. */
bool wide_counts_are(const struct count_row *rows, int count);
/* Counts from..to-1 of rows[0..count): borrowed where they are wide, else copied, 4 bytes each. Release *out with
 * wide_counts_release. ST_LIMIT without memory. */
enum st wide_counts_make(const struct count_row *rows, int count, uint64_t from, uint64_t to, int threads,
                         struct wide_counts *out, struct err *err) MUST_USE;
/* Frees copies; a zeroed struct is allowed. */
void wide_counts_release(struct wide_counts *w);

#endif
