/* replay_sample.h - the counting of a replay on a sample of the rows (replay.h, struct replay_sample). Private to
 * simulator/replay.
 *
 * What is read of all rows is known: it is counted once, without a placement. What the host serves of it under a
 * placement is estimated from the sample by regression on the reads of each row: host = f x host' + b (all - f x all'),
 * f the rows of the graph per row of the sample, ' the sample's, b the share of the squared reads that the host serves
 * (Cochran, Sampling Techniques, chapter 7). So hot rows, which GPUs hold, hardly disturb it, and an empty placement
 * reads exactly all. The residuals say how far that may be off.
 */
#ifndef SIMULATOR_REPLAY_REPLAY_SAMPLE_H
#define SIMULATOR_REPLAY_REPLAY_SAMPLE_H

#include "kernels/tally.h"
#include "simulator/replay/replay.h"

/* One reader under several placements. */
struct sampled {
    const struct replay_request *r;
    int placements, sources;
    struct tally_counts group; /* of the sample; arrays of `counts` */
    uint32_t *counts;          /* owned */
    uint64_t *feature, *lists; /* [sample] transactions of all groups, if the host served all; owned */
    uint8_t *host;             /* [n] zeros: the host serves every row; owned */
    const uint8_t **where;     /* [2 * (placements + 1)]; owned */
    struct tally_sums all;     /* of all rows, from the host */
    struct tally_sums *few;    /* [placements + 1] of the sample, the last one from the host; owned */
    void *whole, *part;        /* sessions; owned */
};

/* whole: the problem with the graph's rows and no placement. where: [2 * placements] of the sample's rows. *out: to be
 * ended with sampled_end also after an error. ST_LIMIT. */
enum st sampled_begin(const struct replay_request *r, const struct tally_problem *whole, uint8_t *const *where,
                      int placements, struct sampled *out, struct err *err) MUST_USE;
/* Adds a group of mini-batches, and to *hops. */
enum st sampled_add(struct sampled *s, const struct sample_counts *c, struct tally_hops *hops, struct err *err)
    MUST_USE;
/* What the host has served under placement i so far, about. */
uint64_t sampled_transactions(const struct sampled *s, int i);
/* The sums of placement i, of all rows. Returns the standard error of its transactions. */
double sampled_finish(const struct sampled *s, int i, struct tally_sums *out);
void sampled_end(struct sampled *s);

#endif
