/* workload.h - how mini-batches are drawn: batch size, fan-outs, frontier, sampler, seeds, order.
 *
 * Zeroed sampler, seeds and order are the defaults: uniform draws, seeds are training vertices, shuffled in every
 * epoch. sampler.h defines each sampler, seeds.h edge seeds, order.h the orders.
 */
#ifndef TRACES_SAMPLING_WORKLOAD_H
#define TRACES_SAMPLING_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/param.h"
#include "base/status.h"
#include "traces/graph/graph.h"
#include "traces/sampling/order.h"

enum { HOPS_MAX = INT_LIST_MAX, FANOUT_MAX = 65535, WALKS_MAX = 65535, NEGATIVES_MAX = 65535 };
/* A fan-out that takes every entry of a row (PyG's and DGL's -1, as options and documents write it). No finite one is
 * as large, so min(fan-out, length) is the length. */
#define FANOUT_ALL UINT32_MAX
enum { LABOR_ITERATIONS_MAX = 50, LABOR_CONVERGE = -1, BATCH_DEPENDENCY_MAX = 65535 };

enum sampler_kind {
    SAMPLER_UNIFORM,
    SAMPLER_BIASED,
    SAMPLER_LAYER_WISE,
    SAMPLER_LAYER_WISE_REPLACE,
    SAMPLER_WALK,
    SAMPLER_LABOR,
    SAMPLER_TEMPORAL,
    SAMPLER_TEMPORAL_LAST,
    SAMPLER_KINDS
};
#define TIME_DIRECTION_WORDS "backward|forward"
#define SAMPLER_WORDS "uniform|biased|layer-wise|layer-wise-replace|walk|labor|temporal|temporal-last"

/* What hop h > 0 expands. new: what the previous hop found first. all: every vertex so far. layers: the distinct
 * vertices that the previous hop drew, known or not; a feature row is read once per layer in which its vertex is, layer
 * 0 being the seeds (the NodeFlow of PaGraph and DGL 0.4). */
enum frontier_rule { FRONTIER_NEW, FRONTIER_ALL, FRONTIER_LAYERS, FRONTIER_RULES };
#define FRONTIER_WORDS "new|all|layers"

/* A graph of several types is drawn relation by relation: in hop h each frontier vertex v draws, from its row of every
 * relation r whose target type is v's, min(fan-out of r in hop h, length) distinct neighbours, every set equally likely
 * and rows of different relations independently (PyG's NeighborLoader on HeteroData; GraphBolt with one fan-out per
 * edge type). A relation with fan-out 0 in a hop is not visited. What is found joins the frontier of its own type.
 *
 * With `together` (GraphBolt with one fan-out for all edge types) v draws min(fan-out, sum of its lengths) distinct
 * entries of its rows of all relations, one behind the other, every set equally likely: the entries drawn from one row
 * are hypergeometric. All its rows are visited, since their lengths must be known.
 *
 * A walk follows a metapath, relations one after the other, over and over (DGL's RandomWalkNeighborSampler, PinSAGE):
 * the relation of a step has fan-out 1 in that hop, all others 0. */
enum { WORKLOAD_LISTS = 31 };

struct workload {
    int hops;
    bool together;
    int lists;                               /* of relations that differ from `fanout`, 0..WORKLOAD_LISTS */
    uint8_t list_of[GRAPH_RELATIONS_MAX];    /* list of a relation; 0: fanout, k: list[k - 1] */
    uint32_t list[WORKLOAD_LISTS][HOPS_MAX]; /* [lists] 0..FANOUT_MAX, or FANOUT_ALL */
    uint32_t fanout[HOPS_MAX]; /* 1..FANOUT_MAX, or FANOUT_ALL; of several types from 0 on; hop 0 expands the seeds.
                                  Layer-wise: draws of the whole hop; walk: 1 */
    uint64_t batch;            /* training vertices (or edges) per mini-batch and GPU, >= 1 */
    enum frontier_rule frontier;
    uint64_t seed;
    enum sampler_kind sampler;
    uint32_t walks;            /* walk: per seed, 1..WALKS_MAX */
    int metapath;              /* walk: steps between two chances to restart, 1..hops; 0 is 1, of a plain graph */
    double restart;            /* walk: probability of beginning again at the seed, 0 <= restart < 1 */
    int labor_iterations;      /* labor: 0..LABOR_ITERATIONS_MAX, or LABOR_CONVERGE */
    uint32_t batch_dependency; /* labor: mini-batches over which variates change, 1..BATCH_DEPENDENCY_MAX; 0 is 1 */
    bool layer_dependency;     /* labor: all hops of a mini-batch share their variates */
    double time_window;        /* temporal: how far from the seed's time, in the unit of the source; 0: any */
    bool forward;              /* temporal: arcs at or after the seed's time; else at or before it */
    enum order_kind order;     /* of a GPU's training vertices in an epoch (order.h) */
    uint64_t order_blocks;     /* ORDER_BLOCKS: K, 1..batch; else 0 */
    double
        edge_share; /* share of the edges whose end points are the seeds, in (0, 1]; 0: seeds are training vertices */
    int seed_relation;  /* edge seeds: relation of the edges; 0 of a plain graph */
    uint32_t negatives; /* edge seeds: vertices drawn beside every edge (seeds.h), 0..NEGATIVES_MAX */
};

/* "uniform", "biased", .. (static). */
const char *sampler_name(enum sampler_kind kind);
/* "new", "all" or "layers" (static). */
const char *frontier_name(enum frontier_rule rule);
/* True when mini-batches begin with the end points of edges. */
static inline bool workload_edges(const struct workload *w) { return w->edge_share > 0; }
/* Vertices that each of `batch` brings into a mini-batch: one, or both ends of an edge and its negatives. */
static inline uint64_t workload_seed_vertices(const struct workload *w)
{
    return workload_edges(w) ? 2 + (uint64_t)w->negatives : 1;
}
/* Fan-out of a relation in a hop; 0: it is not visited there. */
static inline uint32_t workload_fanout(const struct workload *w, int relation, int hop)
{
    return w->lists && w->list_of[relation] ? w->list[w->list_of[relation] - 1][hop] : w->fanout[hop];
}
/* Whether a hop, or any hop, takes whole rows of some relation: a fan-out is FANOUT_ALL. */
bool workload_hop_takes_all(const struct workload *w, int hop);
bool workload_takes_all(const struct workload *w);
/* A fan-out as options and documents write it: -1 for FANOUT_ALL. */
static inline int64_t fanout_number(uint32_t fanout) { return fanout == FANOUT_ALL ? -1 : (int64_t)fanout; }
/* The fan-out that a number of an option or document stands for. false: it is neither FANOUT_ALL nor in
 * least..FANOUT_MAX. */
static inline bool fanout_of_number(int64_t number, int64_t least, uint32_t *out)
{
    *out = number == -1 ? FANOUT_ALL : (uint32_t)number;
    return number == -1 || (number >= least && number <= FANOUT_MAX);
}
/* Reads one, "-1" or "all" for FANOUT_ALL. name: the option. ST_USAGE. */
enum st workload_fanout_read(const char *text, const char *name, int64_t least, int64_t *out, struct err *err) MUST_USE;
/* True for both layer-wise samplers. */
static inline bool workload_layer_wise(const struct workload *w)
{
    return w->sampler == SAMPLER_LAYER_WISE || w->sampler == SAMPLER_LAYER_WISE_REPLACE;
}
/* True for both temporal samplers. */
static inline bool workload_temporal(const struct workload *w)
{
    return w->sampler == SAMPLER_TEMPORAL || w->sampler == SAMPLER_TEMPORAL_LAST;
}
/* Whether a hop of one mini-batch may visit a vertex several times: walks that meet, and trees of seeds. */
static inline bool workload_revisits(const struct workload *w)
{
    return w->sampler == SAMPLER_WALK || workload_temporal(w);
}
/* Whether the entries drawn from a row do not follow from its visits, so that they are counted by themselves. */
static inline bool workload_counts_draws(const struct workload *w)
{
    return workload_layer_wise(w) || w->sampler == SAMPLER_LABOR || workload_temporal(w) || w->together;
}
/* Bytes per entry that a visit reads of a row longer than the fan-out, where it reads all of it: 4 for its ids, 8
 * with its weights, 12 with its times, which it reads of short rows, too; 0: it reads what it draws. */
static inline uint8_t workload_entry_bytes(const struct workload *w)
{
    if (workload_temporal(w)) return 12;
    return w->sampler == SAMPLER_BIASED ? 8 : w->sampler == SAMPLER_LABOR ? 4 : 0;
}
/* Whether draws from a relation go by its weights; a biased sampler draws uniformly from one without weights. */
static inline bool workload_by_weight(const struct workload *w, const float *weights)
{
    return w->sampler == SAMPLER_BIASED && weights;
}
/* Whether a holder that samples for others (placement.pushes) must return whole rows, not what was drawn: what labor's
 * iterations draw depends on the rows of other holders. */
static inline bool workload_returns_rows(const struct workload *w)
{
    return w->sampler == SAMPLER_LABOR && w->labor_iterations;
}
/* Whether mini-batches of an epoch share random numbers, so that they are no independent samples. */
static inline bool workload_batches_depend(const struct workload *w)
{
    return w->sampler == SAMPLER_LABOR && w->batch_dependency > 1;
}

/* The rule of the workload's order on the GPU of that id. */
static inline struct order_rule workload_order(const struct workload *w, int gpu)
{
    return (struct order_rule){w->order, w->batch, w->order_blocks, w->seed, gpu};
}
static inline bool workload_same_order(const struct workload *a, const struct workload *b)
{
    return a->order == b->order && a->order_blocks == b->order_blocks;
}
enum { ORDER_TEXT = 32 };
/* "shuffle", "bfs" or "blocks:8" into out. Returns out. */
const char *workload_order_text(const struct workload *w, char out[ORDER_TEXT]);
/* Sets the order that the word names: shuffle, bfs or blocks:K with K from 1 to the batch; "auto" is shuffle, until
 * somebody plans it. where: the option or the file's member, for messages. ST_USAGE for other words and where the seeds
 * are edges. */
enum st workload_set_order(struct workload *w, const char *word, const char *where, struct err *err) MUST_USE;

/* What follows takes a graph for the names of its relations; NULL: a plain one. */

#define FANOUT_OVER_WORDS "relation|vertex"
/* Makes *out from the options --fanout (of several types one list for every relation, or "NAME=LIST;.."; NAME is a
 * relation's name, its SOURCE-NAME->TARGET, or * for those not named; -1 or all: every neighbour), --fanout-over (one
 * of FANOUT_OVER_WORDS; vertex: together; not looked at for a plain graph), --batch, --frontier (one of FRONTIER_WORDS)
 * and --seed; everything else is the default. ST_USAGE, naming the option, for a value out of range and a name that no
 * relation has. */
enum st workload_make(const struct graph *g, const struct int_list *fanout, const char *over, int64_t batch,
                      const char *frontier, uint64_t seed, struct workload *out, struct err *err) MUST_USE;
/* The other options of the command line; 0 or NULL: not given. */
struct sampler_args {
    const char *sampler, *seeds, *order, *restart, *metapath, *edge_share, *labor_iterations, *time_window,
        *time_direction;
    int64_t walks, walk_length, negatives, batch_dependency;
    bool layer_dependency;
};
/* Sets sampler, seeds and order of a workload that workload_make filled; a walk of length L becomes L hops of
 * fan-out 1, of several types along `metapath` ("REL,REL..", over and over); labor_iterations is a number, or "*" for
 * LABOR_CONVERGE; time_window is a number, or one with s, min, h or d of times in seconds; seeds is "vertices", "edges"
 * or "edges:RELATION". ST_USAGE, naming the option, for unknown words, values out of range and options of another
 * sampler or of other seeds, and errors of workload_check. */
enum st workload_set_sampler(const struct graph *g, struct workload *w, const struct sampler_args *a, struct err *err)
    MUST_USE;
/* The one place that says what a sampler cannot: layer-wise samplers take no FANOUT_ALL; of several types layer-wise
 * and temporal samplers, and samplers but uniform `together`; temporal ones with edges as seeds and with other
 * frontiers than `new`. where: the file, for ST_INPUT; NULL: the options, for ST_USAGE. */
enum st workload_check(const struct graph *g, const struct workload *w, const char *where, struct err *err) MUST_USE;
/* Gives relation r of `relations` the fan-outs all[r]; hops is set. ST_LIMIT: there are more than WORKLOAD_LISTS + 1
 * different ones. */
enum st workload_set_lists(struct workload *w, const uint32_t all[][HOPS_MAX], int relations, struct err *err) MUST_USE;

/* Entries among which a visit of topology row `row` of a relation (within its table) draws: those of the row, or
 * together those of all rows of its vertex. Of a row with entries it is at least 1. Not of a plain graph. */
uint64_t workload_pool(const struct graph *g, const struct workload *w, int relation, uint64_t row);
/* Most entries that a vertex of any type draws in a hop, from all its rows, by the uniform sampler; FANOUT_ALL where it
 * takes a whole row. */
uint32_t workload_most_draws(const struct graph *g, const struct workload *w, int hop);
/* Most entries that so many vertices draw in a hop together, at most UINT64_MAX: each as many as workload_most_draws,
 * or, where rows are taken whole, what the vertices with the longest rows draw, within 1/8 above it. Looks at every
 * vertex then. */
uint64_t workload_hop_draws(const struct graph *g, const struct workload *w, int hop, uint64_t vertices);
/* The longest row of any relation. */
uint64_t workload_longest_row(const struct graph *g);
/* The workload that stands for w where all relations are taken as one (graph_union.h): as many draws as the types with
 * most make, by weight nowhere, walks along any relation. Of a plain graph w itself. */
struct workload workload_joined(const struct graph *g, const struct workload *w);
/* Expected entries that a visit draws of that row by the uniform sampler; a whole number unless `together`. */
double workload_mean_draws(const struct graph *g, const struct workload *w, int relation, int hop, uint64_t row);

/* Writes the workload into an object: fanout (of several types {relation: list}, with fanout_over where it is
 * "vertex"), batch, frontier, sampler, seed; walks and restart of a walk, of several types its metapath;
 * labor_iterations, batch_dependency and layer_dependency of labor; time_window and time_direction of a temporal
 * sampler, where they are not the defaults; seeds and edge_share of edge seeds, of several
 * types seed_relation, and negatives where there are some; order where it is not "shuffle". */
void workload_put(const struct graph *g, const struct workload *w, doc *object);
/* Reads what no graph is needed for: batch, seed, frontier, sampler, share of edge seeds, order. Errors likewise. */
enum st workload_read_head(const doc *object, const char *where, struct workload *out, struct err *err) MUST_USE;
/* Reads the workload of a plain graph, which need not be at hand. Errors likewise. */
enum st workload_read_plain(const doc *object, const char *where, struct workload *out, struct err *err) MUST_USE;
/* Reads it from such an object. where: the file, for messages. ST_INPUT, naming the key, for
 * missing or wrong values, and errors of workload_check. */
enum st workload_read(const struct graph *g, const doc *object, const char *where, struct workload *out,
                      struct err *err) MUST_USE;

#endif
