/* synth.h - random graphs.
 *
 * Every arc is a pure function of (seed, number), so a graph is the same on any number of threads and needs no list
 * of arcs: it is generated twice, once for counting and once for filling the rows. Memory is that of the result, plus
 * 12 bytes per vertex for `community`.
 */
#ifndef TRACES_SYNTH_SYNTH_H
#define TRACES_SYNTH_SYNTH_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "traces/builder/graph_save.h"

struct synth_options;

/* A kind of graph: one file synth_<name>.c. */
struct synth_kind {
    const char *name;
    bool both; /* undirected: every arc that is drawn is stored in both directions */
    /* Checks the options and makes what `arcs` needs; *state is freed by `finish` (may be NULL). */
    enum st (*begin)(const struct synth_options *o, int threads, void **state, struct err *err);
    /* Fills pairs (u, v) of arcs first .. first + count; ARC_NONE as u leaves one out. Any thread. */
    void (*arcs)(const struct synth_options *o, const void *state, uint64_t first, uint64_t count, uint32_t *pairs);
    /* Arcs to draw, so that about o->edges are stored after duplicates were dropped. NULL: as many as wanted. */
    enum st (*draws)(const struct synth_options *o, const void *state, uint64_t *out, struct err *err);
    void (*finish)(void *state);
};

extern const struct synth_kind synth_community, synth_rmat, synth_uniform;

struct synth_options {
    const struct synth_kind *kind;
    char name[128];
    uint64_t vertices, edges; /* edges: stored arcs aimed at, both directions counted */
    uint64_t communities;
    double mixing;  /* share of arcs that ignore communities */
    double gamma;   /* power law of expected degrees */
    double a, b, c; /* rmat: chances of the four quarters; the last is 1 - a - b - c */
    uint64_t seed, feature_dim;
    const char *feature_type; /* "f32", "f16", "i8" */
    double train_share;
};

/* The demo graph: community, 200,000 vertices, 4 million stored arcs, 64 communities, mixing 0.1, 128 x f32, 10 %
 * training vertices, seed 1. */
void synth_defaults(struct synth_options *o);
/* "rmat", "community", "uniform"; ST_USAGE otherwise. */
enum st synth_kind_find(const char *name, const struct synth_kind **out, struct err *err) MUST_USE;
/* Turns the options into a data set of the literature, its vertices and arcs scaled. ST_USAGE for an unknown name or
 * scale. */
enum st synth_like(struct synth_options *o, const char *name, double scale, struct err *err) MUST_USE;
/* Names that synth_like knows: NULL-ended. */
extern const char *const synth_like_names[];

/* Makes the graph directory `path`. summary may be NULL. */
enum st synth_graph(const struct synth_options *o, const char *path, int threads, bool progress,
                    struct graph_summary *summary, struct err *err) MUST_USE;

#endif
