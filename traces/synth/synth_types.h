/* synth_types.h - random stand-ins for published graphs with several types.
 *
 * Counts per type and relation are the published ones times a scale (sources: synth_types_sets.c). Edges of a relation
 * are drawn by the popularity of both ends: the rank of the target and of the source in their types follows a power
 * law; a share of the edges keeps to the community of the target, and communities of all types correspond. Every edge
 * is a function of (seed, relation, number), so a graph is the same on any number of threads and no list of edges is
 * kept. A reverse relation is the exact transpose of its forward one. Duplicates are dropped; somewhat more edges are
 * drawn, so that about the published number remains.
 */
#ifndef TRACES_SYNTH_SYNTH_TYPES_H
#define TRACES_SYNTH_SYNTH_TYPES_H

#include "traces/builder/graph_draft.h"

struct synth_set_type {
    const char *name;
    double count;
    uint64_t dim; /* of its feature rows; 0: none */
    const char *element;
    double train; /* published training vertices */
};
/* Exponents a >= 1: rank x of n has popularity ~ x^(1/a - 1); 1 is uniform. */
struct synth_set_relation {
    const char *source, *name, *target;
    double edges;
    double source_skew, target_skew;
    const char *reverse; /* name of the transposed relation that is added; NULL: none */
    bool both;           /* between vertices of one type: the relation gets the reverse edges itself */
};
enum { SYNTH_SET_TYPES = 8, SYNTH_SET_RELATIONS = 8 };
struct synth_set {
    const char *name, *source;
    const char *reversed; /* who trains it with reverse relations, and citations in both directions */
    struct synth_set_type type[SYNTH_SET_TYPES];
    struct synth_set_relation relation[SYNTH_SET_RELATIONS];
};
extern const struct synth_set synth_types_sets[]; /* ended by one without a name */

/* *out: the set of that name, or NULL. */
const struct synth_set *synth_set_find(const char *name);

struct synth_types_options {
    const struct synth_set *set;
    const char *name;    /* of the graph; NULL: the set's with the scale */
    double scale;        /* 0 < scale <= 4 */
    bool reverse;        /* with reverse edges; else only what is published */
    double train_share;  /* of the type that trains; 0: as published */
    uint64_t embedding;  /* elements of the rows that types without features get; 0: they get none */
    const char *element; /* of all feature rows; NULL: the set's */
    uint64_t seed;
};

/* Makes the graph directory `path`; on failure there is the old one or none. Release *out, which holds the counts, with
 * graph_draft_release. ST_USAGE for options out of range; ST_LIMIT when disk or memory is out. */
enum st synth_types(const struct synth_types_options *o, const char *path, int threads, bool progress,
                    struct graph_draft *out, struct err *err) MUST_USE;

#endif
