/* synth.h - random graphs.
 *
 * Every arc is a function of (seed, number), so a graph is the same on any number of threads and no list of arcs is
 * kept: it is generated twice, once to count the rows and once to fill them. Memory is that of the result, plus 12
 * bytes per vertex for `community`, `citation` and `web`.
 */
#ifndef TRACES_SYNTH_SYNTH_H
#define TRACES_SYNTH_SYNTH_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "traces/builder/graph_save.h"

struct synth_options;

/* A kind of graph: one file synth_<name>.c, listed in synth.c. */
struct synth_kind {
    const char *name;
    bool both; /* undirected: every arc that is drawn is stored in both directions */
    /* Checks the options and makes what `arcs` needs; *state is freed by `finish`. NULL: nothing to do. */
    enum st (*begin)(const struct synth_options *o, int threads, void **state, struct err *err);
    /* Writes arcs first .. first + count as pairs (u, v) into pairs[2 * count]; ARC_NONE as u leaves one out. Called by
     * any thread. */
    void (*arcs)(const struct synth_options *o, const void *state, uint64_t first, uint64_t count, uint32_t *pairs);
    /* *out: arcs to draw, so that about o->edges are stored after duplicates were dropped. NULL: as many as wanted. */
    enum st (*draws)(const struct synth_options *o, const void *state, uint64_t *out, struct err *err);
    /* Frees state, which may be NULL. NULL: nothing to do. */
    void (*finish)(void *state);
};

extern const struct synth_kind synth_community, synth_citation, synth_web, synth_rmat, synth_uniform;

struct synth_options {
    const struct synth_kind *kind;
    char name[128];
    uint64_t vertices, edges; /* edges: arcs aimed at, both directions counted where the kind is undirected */
    bool reverse;             /* of a directed kind: every arc is stored the other way round, too */
    uint64_t communities;
    double mixing; /* share of arcs that ignore communities (citation: fields; web: hosts) */
    double gamma;  /* power law of expected degrees */
    bool
        exponential; /* citation: half of the references by an exponential distribution; else their numbers are equal */
    double a, b, c;  /* rmat: probabilities of the four quarters; the last is 1 - a - b - c */
    uint64_t seed, feature_dim;
    const char *feature_type;   /* "f32", "f16", "i8" */
    const char *feature_origin; /* who states the rows (traces/builder/graph_save.h) */
    double train_share;
    double train_span; /* training vertices are drawn from the last ids, this share of all; 1: from all */
};

/* Fills *o with the demo graph: community, 200,000 vertices, 4 million stored arcs, 64 communities, mixing 0.1, 128 x
 * f32, 10 % training vertices, seed 1. */
void synth_defaults(struct synth_options *o);
/* *out: the kind called "rmat", "community", "citation", "web" or "uniform" (static). ST_USAGE, with a did-you-mean,
 * for other names. */
enum st synth_kind_find(const char *name, const struct synth_kind **out, struct err *err) MUST_USE;
/* A published data set with one type and the kind that resembles it most (synth_data_sets.c). */
struct synth_data_set {
    const char *name;
    const struct synth_kind *kind;
    double vertices, edges;
    uint64_t dim;
    const char *element;  /* "f32", "f16" */
    double train;         /* training vertices */
    double gamma, mixing; /* community */
    double a, b;          /* rmat; c = b */
    double members;       /* community, citation, web: vertices per community */
    double span;          /* of the training vertices; 0: 1 */
    const char *source;   /* of counts, rows and training set */
    bool exponential;     /* citation */
    const char *reversed; /* who trains it with the reverse of every arc added; NULL: arcs are as published */
};
extern const struct synth_data_set synth_data_sets[]; /* ended by one without a name */
/* The set of that name, or NULL. */
const struct synth_data_set *synth_data_set_find(const char *name);
/* The name of the set that is nearest to a misspelt one, or NULL. */
const char *synth_data_set_near(const char *name);
/* Sets the options to a stand-in for a published data set, its vertices and arcs multiplied by scale; rows, the share
 * of training vertices, and whether reverse arcs are added are the data set's. ST_USAGE for an unknown name, or unless
 * 0 < scale <= 4. */
enum st synth_like(struct synth_options *o, const char *name, double scale, struct err *err) MUST_USE;

/* *out: whether the reverse of every arc is added. word: "yes", "no", or NULL: `usual`. kind: NULL of several types.
 * ST_USAGE for "no" of an undirected kind, which has both directions. */
enum st synth_reverse(const char *name, const struct synth_kind *kind, const char *word, bool usual, bool *out,
                      struct err *err) MUST_USE;

/* Makes the graph directory `path`; on failure there is the old one or none. *summary is filled; it may be NULL.
 * ST_USAGE for options out of range; ST_LIMIT when disk or memory is out. */
enum st synth_graph(const struct synth_options *o, const char *path, int threads, bool progress,
                    struct graph_summary *summary, struct err *err) MUST_USE;

#endif
