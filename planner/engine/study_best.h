/* study_best.h - the best of several plans of one cell, by the study's objective.
 *
 * A recording may be used in several ways: GPUs sample, from lists in their memory or line by line from the host; or
 * the CPU samples, copies blocks, and GPUs hold features alone. Where reads between GPUs take longest, copies of hot
 * rows may save more time than first copies of others (policies/timed.h). Which way is best follows from whole epochs
 * (expected_epoch.h), so each promising way is planned, and the best is kept: with --objective epoch the shortest
 * epoch, among epochs within 0.1 % the fewest transactions, and more of them only for 0.4 % or more; else the fewest
 * transactions. Ways that cannot win, because sampling, computing and blocks alone take longer or are more, are not
 * planned; nor is a search that takes more than STUDY_TIMED_MOST of memory.
 */
#ifndef PLANNER_ENGINE_STUDY_BEST_H
#define PLANNER_ENGINE_STUDY_BEST_H

#include "planner/engine/study_place.h"

/* The way that is planned first: the CPU samples where --sampling says so and the policy can; where a plan is
 * refreshed, reads are priced as in that one. */
struct study_way study_first_way(const struct study *s, const struct study_cell *cell);
/* Whether plans are compared by the seconds of their epochs. */
bool study_epochs_count(const struct study_options *o);
/* Whether the cell needs its recording's load (study_load). */
bool study_wants_load(const struct study_options *o, const struct policy *policy);
/* Bytes beyond which nobody searches for a short transfer stage unasked (timed_rows_bytes). */
#define STUDY_TIMED_MOST ((uint64_t)1 << 30)
/* What deals and ways are compared by. seconds: of an epoch, NaN where they are not known or not asked for. */
struct study_score {
    double seconds;
    double even; /* seconds if all GPUs had as much to compute and to read as their mean; NaN likewise */
    uint64_t transactions, busiest_rows; /* busiest_rows: of the GPU that gathers most; decides among equals */
};
bool study_score_less(struct study_score a, struct study_score b);
/* Of a plan that study_best chose. */
struct study_score study_score_of(const struct study *s, const struct plan *p);

/* Replaces the predicted plan *p, made by study_place_way with study_first_way, by the best way's; the plan states
 * `objective` where the epoch is one, and `sampling` where others were planned. Errors of study_place_way. */
enum st study_best(const struct study *s, struct study_cell *cell, int threads, struct plan *p, struct err *err)
    MUST_USE;

#endif
