/* size_shared.h - what curves share: servers of the same GPUs and cliques deal, record and estimate alike, whatever
 * their rates, and parts of the graph do not depend on what is sampled. */
#ifndef PLANNER_DECISIONS_SIZE_SHARED_H
#define PLANNER_DECISIONS_SIZE_SHARED_H

#include "planner/decisions/size_pace.h"
#include "planner/engine/study_memories.h"

/* The study of the last curve that ran. Zeroed is none. One graph only; all owned, NULL where there is none. */
struct size_shared {
    struct graph *graph; /* its arrays are borrowed */
    struct server *server;
    struct study_nodes *study;   /* of one node */
    struct partition_memo *memo; /* borrowed where others use it, too */
    bool lent;
    unsigned char key[32];     /* of the curve */
    struct size_pace *pace;    /* told of every budget that is ready; NULL: nobody is. Borrowed */
    struct threads_crew *crew; /* whose members help with plans; NULL: nobody does. Borrowed */
};

struct size_variant;
/* key: equal for curves of one graph that share all that does not follow from rates; factor: of struct size_curve. */
void size_shared_key(const struct size_variant *v, const struct server *s, double factor, unsigned char key[32]);
/* Makes graph and server those of the next curve; the server is taken over where ST_OK is returned. What was recorded
 * for a curve of that key stays. ST_LIMIT without memory. */
enum st size_shared_next(struct size_shared *s, const unsigned char key[32], const struct graph *g,
                         struct server *server, struct err *err) MUST_USE;
/* Begins the study, or goes on with that of the curve before; sets o->memo. ST_LIMIT without memory. */
enum st size_shared_begin(struct size_shared *s, struct study_options *o, struct err *err) MUST_USE;
void size_shared_release(struct size_shared *s);

struct size_question;
struct size_graph;
struct size_curve;
struct size_kept;
/* size_curve_run (size.h) on all of them, those that share one after the other, others side by side where memory allows
 * it; says which one runs, and about how long the others take. Those that an interrupted run kept are taken from there,
 * and each is kept when it is finished (size_kept.h). Errors of size_curve_run: of the first curve that has one; of
 * keeping. */
enum st size_curves_run(const struct size_question *q, const struct size_graph *g, const struct size_kept *kept,
                        struct size_curve *curves, int count, struct err *err) MUST_USE;

#endif
