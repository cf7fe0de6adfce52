/* policy.h - what a policy is: one file in policies/, one descriptor `policy_<file>`, listed by the Makefile. */
#ifndef PLANNER_POLICY_H
#define PLANNER_POLICY_H

struct policy;
extern const struct policy *const policies_registered[]; /* NULL-ended */

#endif
