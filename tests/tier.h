/* tier.h - what a C program leaves out in the short tier of the suite (tests/tiers): tests/run says so by TEST_TIER. */
#ifndef TESTS_TIER_H
#define TESTS_TIER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline bool test_tier_is(const char *name)
{
    const char *tier = getenv("TEST_TIER");
    return tier && !strcmp(tier, name);
}
static inline bool test_is_short(void) { return test_tier_is("short"); }
static inline bool test_is_rest(void) { return test_tier_is("rest"); }

/* A loop over all places of something takes such steps: 1, in the short tier `wide`. */
static inline uint64_t test_step(uint64_t wide) { return test_is_short() ? wide : 1; }

/* How many random instances to judge: `usual`, in the short tier a fortieth; one where the environment names its seed.
 */
static inline uint64_t test_rounds(uint64_t usual)
{
    return getenv("HOTSET_TEST_SEED") ? 1 : test_is_short() ? (usual + 39) / 40 : usual;
}

#endif
