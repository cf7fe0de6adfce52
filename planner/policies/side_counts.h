/* side_counts.h - the counts of several GPUs side by side, vertex by vertex, for looking rows up at random places.
 *
 * A trace has one array per GPU and kind, so that placing a row touches as many pages as GPUs may get it. Here the
 * counts of all GPUs for a vertex are neighbours, a byte each: one line, in memory with large pages. A count of 255 or
 * more is looked up in the trace. The copy is made in one pass over the trace, and answers what the trace answers. Rows
 * are numbered within their kind; those of a plain graph are vertices. A study that places many times from one
 * recording keeps a copy of each clique for all of them (engine/study_recording.h).
 */
#ifndef PLANNER_POLICIES_SIDE_COUNTS_H
#define PLANNER_POLICIES_SIDE_COUNTS_H

#include "planner/hotness/reader_shares.h"
#include "traces/recording/trace.h"

struct side_counts {
    const struct graph *graph;
    const struct trace *t;
    int gpus, gpu[GPUS_MAX]; /* positions whose counts are here */
    uint8_t *hot[2];         /* of features [0] and topology [1]: [rows * gpus]; NULL: only the trace has them */
    uint8_t *reads;          /* visits of all hops: [n * gpus]; NULL: only the trace has them */
};

/* Copies the recorded hotness of both kinds for gpu[0..gpus), and with `reads`, of a plain graph, the visits. s:
 * released by the caller. ST_LIMIT without memory. */
enum st side_counts_make(const struct graph *g, const struct trace *t, const int *gpu, int gpus, bool reads,
                         int threads, struct side_counts *s, struct err *err) MUST_USE;
/* The same questions, all answered by the trace. */
struct side_counts side_counts_none(const struct graph *g, const struct trace *t, const int *gpu, int gpus);
void side_counts_release(struct side_counts *s); /* a zeroed one is allowed */

/* Recorded hotness of row v on gpu[i]: what it drew from topology, how often it read a feature row. */
static inline uint32_t side_hot(const struct side_counts *s, bool topology, uint64_t v, int i)
{
    uint8_t count = s->hot[topology] ? s->hot[topology][v * (uint64_t)s->gpus + (uint64_t)i] : UINT8_MAX;
    if (count < UINT8_MAX) return count;
    return (uint32_t)trace_item_heat(s->t, s->graph, (topology ? 0 : graph_topology_rows(s->graph)) + v, s->gpu[i]);
}

/* count[i]: reads of the row by gpu[i]; returns their sum. */
static inline uint64_t side_reads(const struct side_counts *s, bool topology, uint64_t v, uint64_t *count)
{
    const uint8_t *from = topology ? s->reads : s->hot[0];
    uint64_t sum = 0;
    for (int i = 0; i < s->gpus; i++) {
        uint8_t some = from ? from[v * (uint64_t)s->gpus + (uint64_t)i] : UINT8_MAX;
        sum += count[i] = some < UINT8_MAX ? some : reader_count(s->graph, s->t, s->gpu[i], topology, v);
    }
    return sum;
}

/* Starts loading what the two above need. */
static inline void side_prefetch(const struct side_counts *s, bool topology, uint64_t v)
{
    if (s->hot[topology]) __builtin_prefetch(&s->hot[topology][v * (uint64_t)s->gpus]);
    if (s->reads && topology) __builtin_prefetch(&s->reads[v * (uint64_t)s->gpus]);
    for (int i = 0; !s->hot[topology] && graph_plain(s->graph) && i < s->gpus; i++)
        count_prefetch(topology ? s->t->topology[s->gpu[i]] : s->t->feature[s->gpu[i]], v);
}

#endif
