/* bench.h - timing the operations and stages of a plan against what memory allows.
 *
 * A case makes its input once, runs several times, and says what the least work is: bytes that must stream through
 * memory, and loads at random places of an array. The limit is that work at the measured rates of limits.h; the share
 * reached is limit / time.
 */
#ifndef PLANNER_BENCH_BENCH_H
#define PLANNER_BENCH_BENCH_H

#include "kernels/kernel.h"
#include "kernels/limits.h"
#include "traces/graph/graph.h"

struct bench_setup {
    const struct graph *graph;     /* for stages; with training vertices */
    const struct kernels *kernels; /* for operations */
    uint64_t n;                    /* elements of the operations' inputs */
    int threads;
    uint64_t seed;
};

/* The least work that any program must do. items: what the rate counts; bytes streamed; gathers: random loads from
 * arrays of `span` bytes. seconds: the least time, where this machine's memory does not set it; else 0. */
struct bench_work {
    double items, bytes, gathers, span, more_gathers, more_span, seconds;
};

struct bench_case {
    const char *name, *items; /* "sort.power-law"; "keys" */
    const char *what;         /* one line */
    bool stage;               /* needs the graph; else an operation of the backend */
    enum st (*begin)(const struct bench_setup *s, void **state, struct err *err);
    enum st (*run)(const struct bench_setup *s, void *state, struct err *err);
    void (*work)(const struct bench_setup *s, const void *state, struct bench_work *w); /* after a run */
    void (*end)(void *state);
};

extern const struct bench_case bench_operations[], bench_stages[]; /* end with a NULL name */

struct bench_result {
    double best, median, worst; /* seconds */
    struct bench_work work;
};
/* One warm-up, then `repeats` (1..101) timed runs. Errors of the case. */
enum st bench_run(const struct bench_case *c, const struct bench_setup *s, int repeats, struct bench_result *out,
                  struct err *err) MUST_USE;
/* Seconds that the work takes at least, at the measured rates of this machine's memory. */
double bench_limit(const struct bench_work *w, const struct limits *l);

#endif
