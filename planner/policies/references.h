/* references.h - the papers behind policies, as BibTeX entries, for those who publish a comparison. */
#ifndef PLANNER_POLICIES_REFERENCES_H
#define PLANNER_POLICIES_REFERENCES_H

#include "planner/policies/policy.h"

struct reference {
    const char *source; /* a policy whose `source` contains these words cites it */
    const char *bibtex; /* one entry */
};
extern const struct reference references[]; /* ended by one without a source */

/* Whether the policy's `source` names the reference. */
bool reference_of(const struct reference *r, const struct policy *p);

#endif
