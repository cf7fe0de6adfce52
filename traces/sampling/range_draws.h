/* range_draws.h - draws mini-batches of a graph whose vertices are owned by several processes (graph_ranges.h).
 *
 * A mini-batch belongs to no process: each one keeps the vertices of the mini-batch that it owns. Many mini-batches, a
 * block, are expanded together, hop by hop. In a hop each process draws the neighbours of the frontier vertices that it
 * owns, sends every neighbour to its owner, all of them in one exchange, and finds the new vertices among those that it
 * receives: they are its part of the next frontier (the frontier of a breadth-first search on distributed memory is
 * kept so; Buluc and Madduri, SC'11, 1D). So a process reads its own rows only, and counts its own vertices only. The
 * draws of a vertex are a function of (seed, GPU, epoch, mini-batch, hop, vertex), and counting has no order, so the
 * counts are those of sampler_run.
 *
 * The steps of a block can be called one by one, as tests do, which move the words themselves: range_draws_begin, then
 * for each hop range_draws_send, an exchange, range_draws_receive. range_draws_run does it all by base/ranks.h.
 */
#ifndef TRACES_SAMPLING_RANGE_DRAWS_H
#define TRACES_SAMPLING_RANGE_DRAWS_H

#include "traces/graph/graph_ranges.h"
#include "traces/sampling/sampler.h"

struct range_draws;

/* Why mini-batches of this workload cannot be drawn so: a clause (static); NULL: they can be. */
const char *range_draws_why_not(const struct workload *w);

/* s: of sampler_new_range, for this process's range of `ranges`; both are borrowed. memory: bytes that the arrays of a
 * block may take; tasks: mini-batches that a block may have; both the same on all processes. A block has as many
 * mini-batches as fit for certain, at least one. Free with range_draws_free. ST_LIMIT when memory is out, or a
 * mini-batch might exceed what processes exchange at once. */
enum st range_draws_new(struct sampler *s, const struct graph_ranges *ranges, uint64_t memory, uint64_t tasks,
                        struct range_draws **out, struct err *err) MUST_USE;
/* NULL is allowed. */
void range_draws_free(struct range_draws *d);

/* Draws a block of the tasks first..last-1 of the sampler's GPU, first < last, as sampler_run does; all ranks together.
 * *counts: of this process's vertices, [end - first] each. *taken: how many tasks that were. Errors of ranks_exchange.
 */
enum st range_draws_run(struct range_draws *d, uint64_t first, uint64_t last, struct sample_counts *counts,
                        uint64_t *taken, struct err *err) MUST_USE;

/* ---- step by step ---- */

/* Words for and from every process, in its order. The arrays are the block's own. */
struct range_mail {
    uint32_t *send, *receive;
    uint64_t *send_words, *receive_words; /* [processes] */
};

/* Begins a block with the tasks first.., at most those before `last`; returns how many they are. */
uint64_t range_draws_begin(struct range_draws *d, uint64_t first, uint64_t last, struct sample_counts *counts);
/* Draws for the frontier of a hop. *out: send and send_words are set; receive and receive_words must be filled. */
void range_draws_send(struct range_draws *d, int hop, struct sample_counts *counts, struct range_mail *out);
/* Takes what was received in that hop. */
void range_draws_receive(struct range_draws *d, int hop, struct sample_counts *counts);

#endif
