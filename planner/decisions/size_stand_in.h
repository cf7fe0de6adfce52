/* size_stand_in.h - a scaled random graph instead of a data set that is not available. */
#ifndef PLANNER_DECISIONS_SIZE_STAND_IN_H
#define PLANNER_DECISIONS_SIZE_STAND_IN_H

#include "base/cmd.h"
#include "traces/graph/graph.h"

/* How far stand-ins of a data set are off: feature hit rates of one GPU with `cached` of the vertices cached by
 * pre-sampling (policy quiver-plus, fan-outs 15,10,5, frontier all, one epoch of pre-sampling; mini-batch scaled with
 * the graph), ours against the published one. */
struct stand_in_error {
    const char *like;
    bool reversed;                  /* of the data set with reverse arcs */
    double cached, published, ours; /* 0..1 */
    const char *source;             /* of the published rate */
    double worst, worst_at; /* the largest difference, ours - published, with 1 to 50 % cached, and where; 0: only
                               `cached` was published */
};
/* What is known of a data set, with reverse arcs or without; NULL: nothing was published that could be compared. */
const struct stand_in_error *stand_in_known(const char *like, bool reversed);
/* Hit rates of stand-ins are at least so far off where they are known, and so far where they are not. */
#define STAND_IN_LEAST 0.02
#define STAND_IN_WORST 0.24
/* ln of how much too long epochs of the stand-in are known to be; 0: not known to be off. */
double stand_in_slow(const char *like);
/* How far off an answer from a stand-in is known to be, or that this is not known. steps: seconds have the interval of
 * measured steps of R-GAT. out: [bytes]. */
void stand_in_warning(const char *like, bool reversed, bool steps, char *out, size_t bytes);

/* ST_USAGE for a data set that is not known, or for reverse arcs without one; NULL: not asked for. */
enum st stand_in_named(const char *like, const char *reverse, struct err *err) MUST_USE;
/* Whether it has several types. */
bool stand_in_typed(const char *like);
/* Where counts, rows and training set of a data set stand; NULL: it is not known. */
const char *stand_in_source(const char *like);
/* A scale at which its stand-in has about 250,000 vertices, or 5 million arcs where these are fewer; at most 1. */
double stand_in_scale(const char *like);
/* Whether the stand-in g has the reverse of every arc that is published in one direction. */
bool stand_in_reversed(const char *like, const struct graph *g);
/* The line that opens an answer from a stand-in g: what it stands for (the full size is factor x g, trains x its
 * training vertices), with its rows, its training set and where these are stated. out: [bytes]. */
void stand_in_facts(const char *like, const struct graph *g, double factor, double trains, char *out, size_t bytes);

/* Training vertices of a stand-in, at most: a random part of them stands for all. */
enum { STAND_IN_TRAIN = 4000 };
struct stand_in {
    struct output folder; /* scratch, below TMPDIR */
    struct graph graph;
    double trains; /* training vertices of the data set at this scale : those of the graph, 1 or more */
};

/* Generates the data set `like` at `scale` (0..1], with reverse arcs or without ("yes", "no"; NULL: as its examples
 * train it), with train_share (0..1] of its vertices for training (of several
 * types: of the type that trains; 0: the data set's own share), in a scratch folder and opens it. element: "f16", ..,
 * of all rows; NULL: the data set's. Release *out with stand_in_release. ST_USAGE for an unknown data set, ST_LIMIT
 * without disk or memory. */
enum st stand_in_make(struct call *call, const char *like, double scale, const char *reverse, double train_share,
                      const char *element, uint64_t seed, struct stand_in *out, struct err *err) MUST_USE;
/* Closes the graph and removes the folder; zeroed is allowed. */
void stand_in_release(struct stand_in *s);

#endif
