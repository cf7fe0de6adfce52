/* case.h - a study on a graph and a server that a test made: what the commands do, without files. */
#ifndef TESTS_ORACLE_CASE_H
#define TESTS_ORACLE_CASE_H

#include "planner/engine/study.h"
#include "tests/oracle/instance.h"

enum { CASE_RESERVE = 4096 };

/* options.reservation keeps CASE_RESERVE bytes; memory of GPU g = CASE_RESERVE + bytes[g], so that BUDGET_MEMORY
 * gives every GPU its own budget. */
static inline void case_memories(struct server *s, const uint64_t *bytes)
{
    for (int g = 0; g < s->gpus; g++) s->gpu[g].memory_bytes = CASE_RESERVE + bytes[g];
}

static inline struct study_options case_options(const struct graph *g, const struct server *s, const struct workload *w,
                                                uint64_t presample, int64_t simulate, int threads)
{
    struct study_options o = {.graph = g,
                              .server = s,
                              .kernels = &kernels_cpu,
                              .workload = *w,
                              .presample_epochs = presample,
                              .simulate_epochs = simulate,
                              .simulate_seed = w->seed + 1000,
                              .partition = "auto",
                              .threads = threads};
    o.reservation.total = CASE_RESERVE;
    o.reservation.given = true;
    return o;
}

/* A cell of the named policy: `bytes` per GPU, or each GPU's own memory when bytes is UINT64_MAX. */
static inline void case_cell(struct study_cell *c, const char *policy, uint64_t bytes)
{
    struct err err = {0};
    memset(c, 0, sizeof *c);
    OK(policy_find(policy, &c->policy, &err));
    c->budget.kind = bytes == UINT64_MAX ? BUDGET_MEMORY : BUDGET_BYTES;
    c->budget.bytes = bytes;
}

static inline uint64_t held_rows(const struct plan *p, bool topology)
{
    uint64_t rows = 0;
    for (int g = 0; g < p->assignment.gpus; g++)
        rows += topology ? p->placement.topology[g].count : p->placement.feature[g].count;
    return rows;
}

/* A workload of few hops that any small graph survives. */
static inline struct workload case_workload(struct dice *d, uint64_t seed)
{
    struct workload w = {.hops = (int)dice_range(d, 1, 3),
                         .batch = dice_range(d, 1, 12),
                         .frontier = dice_chance(d, 0.4) ? FRONTIER_ALL : FRONTIER_NEW,
                         .seed = seed};
    for (int h = 0; h < w.hops; h++) w.fanout[h] = (uint32_t)dice_range(d, 1, 6);
    return w;
}

#endif
