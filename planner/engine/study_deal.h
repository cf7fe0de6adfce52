/* study_deal.h - the deal of a cell: how its training vertices are assigned to GPUs
 * (measured: planner/BENCH.md).
 *
 * A policy has the deal of its system, or the one that --assignment or a given trace names, where its system leaves
 * that to the user. For policies that plan the deal, candidates of the server (partition/deal.h) are recorded for one
 * epoch, scouts place rows at the cell's budget (study_scout.h), and the deal with the best score is taken
 * (study_best.h): the shortest expected epoch, or the fewest predicted transactions; ties go to the one that was tried
 * first. Where parts per GPU are cut for reads and the epoch decides, they come first; others are tried where GPUs wait
 * for each other, but for a part per clique that is cut for edges, which was never best (all_deals tries it). Where one
 * recording takes more than 1 GiB (about 8 million vertices on eight GPUs), nothing is tried and every GPU gets a part.
 * Parts per GPU are then cut for reads (partition/reads.h), unless --partition names a method or that takes more than 4
 * GiB. Of many budgets a quick study tries some (deal_ranges.h). What was tried is stated in the plan (`deal`).
 */
#ifndef PLANNER_ENGINE_STUDY_DEAL_H
#define PLANNER_ENGINE_STUDY_DEAL_H

#include "planner/engine/study_best.h"

/* Takes parts of the graph from a file (partition/partition_file.h) for all deals with as many parts: one per GPU, or
 * one per clique. path: NULL does nothing. ST_INPUT for other numbers of parts and for what is no file of parts;
 * ST_USAGE where --assignment names a deal with another number of parts. */
enum st study_take_parts(struct study *s, const char *path, struct err *err) MUST_USE;
/* Takes who trains what from lists that have it (given_lists.h): the deal becomes a part per GPU, and nothing is moved
 * for balance. ST_USAGE when --assignment or --parts say otherwise; ST_LIMIT without memory. */
enum st study_take_lists(struct study *s, const struct given_lists *l, struct err *err) MUST_USE;
/* What will be recorded for the cells in any case, as far as it is known beforehand, each once: deals that are tried,
 * then those of policies whose deal is fixed. likely: also parts for equal draws, which are tried only where GPUs wait
 * for each other, as they mostly do. keys: [STUDY_KEYS]; returns how many. */
enum { STUDY_KEYS = 64 };
int study_keys_ahead(const struct study *s, const struct study_cell *cells, int count, bool likely,
                     struct recording_key *keys);
/* Chooses the deals of all cells' budgets that are not known yet, side by side. Errors of study_record, study_estimate
 * and placing. */
enum st study_deal_ahead(struct study *s, const struct study_cell *cells, int count, struct err *err) MUST_USE;
/* *key: what the cell's policy is planned from; study_deal_ahead has chosen. */
void study_deal(const struct study *s, const struct study_cell *cell, struct recording_key *key);
/* How many recordings the cells take at most, on a server with a graph whose deal is not known yet. */
int study_recordings(const struct study_options *o, const struct study_cell *cells, int count);
/* The method that cuts the graph for each GPU where the deal is planned; parts of unequal work only where `unequal` is
 * set and no GPU reads another. Static or the study's. */
const char *study_deal_method(const struct study_options *o);
/* How many deals may be tried; 0 where no cell's deal is to be planned. */
int study_deals_planned(const struct study_options *o, const struct study_cell *cells, int count);
/* States in the cell's plan how training vertices were assigned: {chosen, partition, tried: [{deal, partition,
 * predicted_transactions, busiest_gathers, busiest_rows}], gathers_per_gpu, busiest_gathers}. */
void study_deal_state(const struct study *s, const struct study_cell *cell, struct plan *p);

#endif
