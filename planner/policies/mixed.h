/* mixed.h - policy hotset where errors have a price: rows of rounded tables are held rounded, exactly or not at all, in
 * one knapsack (MODEL.md, section 7.2).
 *
 * A read of a held row saves its lines l; of a rounded copy it also costs price x error c. Rounded it takes b bytes,
 * exactly B > b. Of the two choices the upper hull counts (the fractional optimum of a knapsack with classes, Sinha and
 * Zoltners 1979): if (l - c) / b > l / B, the row enters rounded at density r (l - c) / b, r its expected reads, and
 * may be upgraded at density r c / (B - b); otherwise it enters exactly at density r l / B. All steps stand in one
 * order and are taken while there is room.
 */
#ifndef PLANNER_POLICIES_MIXED_H
#define PLANNER_POLICIES_MIXED_H

#include "planner/policies/policy.h"

/* Fills the lists and the marks of exact rows, clique by clique, from in->error and in->price; the plan states
 * `error_price`: {price, expected_error, rounded_rows, exact_rows}. ST_LIMIT without memory, or where rows cannot be
 * numbered in both forms. */
enum st mixed_place(const struct policy_input *in, struct plan *plan, struct err *err) MUST_USE;

#endif
