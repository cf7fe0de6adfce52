/* refresh_across.h - the next rows of GPUs that read beyond their cliques (model/optimum.md), where a copy serves
 * GPUs of several cliques and their rows cannot be chosen clique by clique.
 *
 * Rows that are not held come in the order of what a copy saves per byte, less its load. Each takes the place of the
 * rows that save least on the GPU where it gains most, if it gains anything. So nothing moves that does not pay.
 */
#ifndef PLANNER_RUNNING_REFRESH_ACROSS_H
#define PLANNER_RUNNING_REFRESH_ACROSS_H

#include "planner/policies/cross_worth.h"

struct refresh_across {
    struct cross_worth worth;
    struct count_row held[2]; /* of features [0] and topology [1]: the GPUs that hold a row in the next plan */
    char *bits[2];            /* owned */
    uint64_t room[GPUS_MAX];  /* bytes that are left */
    struct row_list loaded[2][GPUS_MAX]; /* owned: rows that come, hottest first */
};

/* From in->before, of which GPUs read peers of other cliques (cross_clique_reads), with the options of policy refresh.
 * plan: its budgets and peers are set. ST_LIMIT without memory. */
enum st refresh_across_choose(const struct policy_input *in, const struct plan *plan, struct refresh_across *out,
                              struct err *err) MUST_USE;
/* Whether GPU g holds the item. */
bool refresh_across_holds(const struct refresh_across *a, int g, uint64_t item);
void refresh_across_release(struct refresh_across *a); /* a zeroed one is allowed */

#endif
