/* study_order.h - in which order training vertices are taken, and how random mini-batches are then.
 *
 * --order names the order of all policies. With auto, policies that plan the deal plan the order, too, once the deal is
 * chosen: shuffle, blocks:K for K = 32, 8, 2 and 1, and bfs are recorded for one epoch each (of a quick study shuffle,
 * bfs and blocks:1), policy hotset places rows at the cell's budget, and the order with the fewest predicted
 * transactions is taken; ties go to the more random one, which is earlier in this list. Other policies shuffle. Where
 * no GPU has two mini-batches nothing is tried: every order then fills the same one. What was tried, and how random
 * mini-batches are (partition/locality.h), is stated in the plan (`order`).
 */
#ifndef PLANNER_ENGINE_STUDY_ORDER_H
#define PLANNER_ENGINE_STUDY_ORDER_H

#include "planner/engine/study_recording.h"

enum { ORDERS_MOST = 6 };

/* Completes a key that study_deal made: *key gets the order. Records and places the candidates the first time that a
 * budget asks. Errors of study_record, study_estimate and placing. */
enum st study_order(struct study *s, const struct study_cell *cell, struct recording_key *key, struct err *err)
    MUST_USE;
/* True when the order of a cell of this policy is to be planned. */
bool study_order_planned(const struct study_options *o, const struct policy *policy);
/* True when communities are found: an order is asked for, or the graph is small enough to state the mixture unasked,
 * and half of --memory holds them. */
bool study_order_communities(const struct study_options *o);
/* Sets the circles that the workload's order needs (assignment.h). Places of vertices in an order are found once for
 * all studies that share a memo. ST_LIMIT without memory. */
enum st study_order_circles(struct study *s, const struct workload *w, struct assignment *a, struct err *err) MUST_USE;
/* Finds the communities that study_order_state counts by, where plans state them (study_order_communities). */
enum st study_order_prepare(struct study *s, const struct study_recording *r, struct err *err) MUST_USE;
/* States in the cell's plan how training vertices are ordered: {chosen, tried: [{order, predicted_transactions}],
 * mini_batches, communities, largest_community, largest_community_shuffled}; the last two are shares of a mini-batch.
 * Nothing for seeds that are edges; nothing of communities where there are none. ST_LIMIT without memory. */
enum st study_order_state(const struct study *s, const struct study_cell *cell, struct plan *p, struct err *err)
    MUST_USE;

#endif
