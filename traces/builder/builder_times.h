/* builder_times.h - the times of arcs and vertices while a graph is built (graph_times.h).
 *
 * A time is an integer of 64 bits, of the source's unit or, as soon as one of its times has a fraction, of a millionth
 * of it: cut off, fractions would make times equal, and arcs of one time and pair are dropped as duplicates. Times of
 * arcs are spilled beside the arcs, 8 bytes each, and become ranks among the distinct times, so that rows are sorted as
 * those with weights are. Memory: 8 bytes per arc while the ranks are found.
 */
#ifndef TRACES_BUILDER_BUILDER_TIMES_H
#define TRACES_BUILDER_BUILDER_TIMES_H

#include <stdbool.h>
#include <stdint.h>
#include "traces/builder/builder_csr.h"
#include "traces/builder/builder_spill.h"
#include "traces/builder/graph_train.h"

struct arc_time {
    int64_t value;
    bool fine; /* in millionths */
};

/* A list of times; owned: mem_free. */
struct time_list {
    int64_t *time;
    uint64_t count;
    bool fine; /* all of them */
};
/* Takes one time from *p and moves *p behind it; false for what is none. */
bool times_take(const char **p, struct arc_time *out);

struct builder_times {
    bool on;
    struct spill spill;     /* of arcs, in the order of the arcs */
    struct time_list given; /* --edge-times: those of arcs without one of their own */
    const char *path;       /* its file, or NULL; borrowed */
    uint64_t taken;         /* of given */
    uint64_t added, coarse; /* times of arcs, and how many came before the first in millionths */
    bool fine;
    int64_t *distinct; /* [ranks] ascending, after times_rank; owned */
    uint64_t ranks;
};
/* Begins; near: where scratch files go. path: the file of --edge-times, or NULL. */
enum st builder_times_open(struct builder_times *t, const char *near, const char *path, struct err *err) MUST_USE;
void builder_times_close(struct builder_times *t); /* zeroed is allowed */
/* The next time of the file for arc number `place`; where: file and place, for messages. */
enum st builder_times_next(struct builder_times *t, const char *where, const char *unit, uint64_t place,
                           struct arc_time *out, struct err *err) MUST_USE;
/* Spills the time of the next arc. ST_INPUT: it has no room for six digits more. */
enum st builder_times_add(struct builder_times *t, const char *where, struct arc_time time, struct err *err) MUST_USE;
/* Finds the distinct times of `arcs` arcs. ST_INPUT when the file has more times than there were arcs; ST_LIMIT. */
enum st builder_times_rank(struct builder_times *t, uint64_t arcs, struct err *err) MUST_USE;
/* Writes the ranks of arcs first .. first + count - 1, as bits of floats (csr_options.times). */
enum st builder_times_read(const struct builder_times *t, uint64_t first, uint64_t count, float *ranks, struct err *err)
    MUST_USE;
/* out[n]: the last time of an arc at each vertex, either end; the first of all for one without arcs. */
enum st builder_times_last(const struct builder_times *t, const struct arc_source *arcs, uint64_t n, int64_t **out,
                           struct err *err) MUST_USE;
/* The times of vertices from a file, in the source's numbering. *fine: they are in millionths; arcs: as the arcs' times
 * are, where there are some (fractions between whole times are cut off then: the comparisons are the same). ST_INPUT
 * unless there is one for each. */
enum st builder_times_of_vertices(const char *path, const struct id_map *map, bool arcs, int64_t **out, bool *fine,
                                  struct err *err) MUST_USE;

#endif
