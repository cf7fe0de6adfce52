/* fold_sums.h - adds the counts of one GPU's fold to its rows and to the sums of its clique, in memory or in a file.
 *
 * Sums in a file are not changed in place: they become a new file, so that the old one stays right when the run is
 * killed. They are written, not stored through a mapping, because the system would fill each page with zeros first.
 */
#ifndef TRACES_RECORDING_FOLD_SUMS_H
#define TRACES_RECORDING_FOLD_SUMS_H

#include "base/checkpoint.h"

/* A row of sums: where it is before and after. */
struct fold_row {
    int bytes;                      /* of a sum: 1 or 2 */
    const void *before;             /* [n]; NULL: zeros */
    void *after;                    /* [n] in memory, may be `before`; NULL: in a file, or not kept */
    const struct checkpoint *store; /* borrowed, with the name of a file that is there; NULL: no file */
    const char *file;
    uint64_t at; /* the row's first byte in the file */
};

/* to += from and after = before + from, for n counts each; then from = 0. Sets *overflow when a sum does not fit into
 * its bytes. ST_LIMIT when the file cannot be written. */
enum st fold_add(const struct fold_row *f, uint32_t *from, uint32_t *to, uint64_t n, int threads, bool *overflow,
                 struct err *err) MUST_USE;
/* Moves on by n sums. */
void fold_skip(struct fold_row *f, uint64_t n);

#endif
