/* size_variants.h - from the lists of the command line to the variants to try: every server with every number of GPUs,
 * feature type, fan-out, .. */
#ifndef PLANNER_DECISIONS_SIZE_VARIANTS_H
#define PLANNER_DECISIONS_SIZE_VARIANTS_H

#include "planner/decisions/size_vary.h"

struct size_lists {
    const char *server, *nvlink, *feature_type, *fanouts, *grow, *share, *host_memory, *ssd, *nic;
    const char *batches; /* "2048,dgx-b200=4096": a server that is named has its own alone */
    struct int_list gpus;
};

/* All variants, in the order of the lists. */
struct size_variants {
    int count, dropped; /* dropped: combinations that the lists name once more */
    struct size_variant list[SIZE_CURVES_MAX];
    char left_out[512]; /* numbers of GPUs that servers do not have, in words; "" for none */
    char text[2048];    /* owns the names of servers */
};

/* True for variants that differ at most in what lies beside the GPUs, on which no cache depends. */
bool size_variant_same_caches(const struct size_variant *a, const struct size_variant *b);

/* The product of all lists; a quantity of --vary without a list of its own takes a default list; a
 * combination that is listed more than once is taken once, and a number of GPUs that a server does not have is left
 * out. workload: fan-out and batch where no list is given; element: bytes of a feature element of the graph. ST_USAGE
 * for a wrong word; ST_LIMIT beyond SIZE_CURVES_MAX. */
enum st size_variants_make(const struct size_lists *l, const struct size_vary *v, const struct workload_args *workload,
                           uint64_t element, struct size_variants *out, struct err *err) MUST_USE;

#endif
