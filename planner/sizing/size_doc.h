/* size_doc.h - a size question and its answer as the document size/1 and for people.
 *
 * size/1: schema, graph{name, vertices, edges, ..} that was recorded, stand_in (null or {like, scale, seed,
 * full_vertices, note}), policy, targets[]{text, metric, value}, rules{knee, cheapest, ..}, curves[]{label, server,
 * gpus, cliques, largest_clique, nvlink, feature_type, fanout[], batch, grow, share, factor, price_per_hour,
 * memory_bytes, reservation{..}, limit_bytes, step_bytes, everything_bytes, missing_bytes, unknown[],
 * answer_budget_bytes, knee_budget_bytes}, candidates[] (every point of every curve: curve, what the
 * curve is, budget_bytes per GPU, rates, transactions and seconds of an epoch, cost_per_epoch, stages, bottleneck,
 * limited_by, meets), sentence, answer (null or {curve, candidate, budget_bytes, step_bytes, ..}), shown (the curve
 * that the rest is about), primary (metric), knee, next_gigabyte, frontier{time_cost[], hit_memory[]} (numbers of
 * candidates), vary (null or a map), uncertainty (null or {repeats[], ..}).
 */
#ifndef PLANNER_SIZING_SIZE_DOC_H
#define PLANNER_SIZING_SIZE_DOC_H

#include "planner/sizing/size_vary.h"

enum { SIZE_REPEATS_MAX = 4, SIZE_SENTENCE = 1200 };

/* The shown curve again, on another stand-in. */
struct size_repeat {
    double scale;
    uint64_t seed;
    struct size_curve curve;
};

struct size_result {
    const struct size_question *q;
    const struct size_vary *vary;
    const struct graph *graph;
    const char *like; /* data set that a stand-in stands for, or NULL */
    double scale;
    const struct size_curve *curves;
    int count, answer, shown; /* indices of curves, -1 none */
    enum size_metric primary;
    const struct size_repeat *repeat;
    int repeats;
};

/* One sentence (or two) that answers. */
void size_sentence(const struct size_result *r, char out[SIZE_SENTENCE]);
doc *size_document(const struct size_result *r);

/* Tables for people; of: a size/1 document. */
void size_print(const doc *of, FILE *to);

#endif
