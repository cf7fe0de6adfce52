/* reach.h - what a copy of a row on a set of GPUs saves: which GPUs read from which over NVLink, reduced to what
 * matters for a placement.
 *
 * GPU i reads from itself and from every GPU that the server's reach allows (hwprofiles/model/server_reach.h), also
 * beyond its clique. GPUs that the same GPUs
 * reach are interchangeable as memory: they form one *pool* with the sum of their budgets (a clique without links to
 * other cliques is one pool, a GPU of a DGX-1's hybrid cube mesh is a pool of its own). Readers whose host reads add up
 * together form a *group*: a clique, or what a clique has below one PCIe switch. A *pattern* is a set of pools that
 * hold a row; its miss[q] is the share of group q's clique that still reads the row from the host. Only patterns
 * without a superfluous pool are listed: a pool whose readers all reach another one costs bytes and saves nothing.
 * Pools that share readers, directly or through others, form a *component*; components share nothing but the row, so
 * the best pattern of a row is chosen in each component by itself.
 */
#ifndef PLANNER_OPTIMUM_REACH_H
#define PLANNER_OPTIMUM_REACH_H

#include "hwprofiles/model/server.h"

typedef unsigned __int128 pool_set; /* bit k: pool k, or GPU k */

enum { PATTERNS_MAX = 1024 };

struct pattern {
    pool_set pools;
    double miss[SERVER_GPUS_MAX]; /* [groups of the component], 0..1 */
};

struct component {
    int groups;
    int group[SERVER_GPUS_MAX]; /* ids of its groups */
    int patterns;
    struct pattern *pattern; /* owned; the first one is the empty set */
    uint64_t largest;        /* bytes of the largest budget of one of its GPUs: a larger row fits nowhere */
    bool complete;           /* false: there are too many patterns, and only sets of up to two pools are listed */
};

struct reach {
    int gpus, cliques, pools, groups, components;
    bool by_gpu; /* GPUs of a clique reach different pools, and how its reads divide is known: every GPU is a reader
                    of its own, and stands for a clique of one in what follows */
    int clique_of[SERVER_GPUS_MAX]; /* of a GPU */
    int clique_size[SERVER_GPUS_MAX];
    int pool_of[SERVER_GPUS_MAX];         /* of a GPU */
    int component_of[SERVER_GPUS_MAX];    /* of a pool */
    pool_set readers[SERVER_GPUS_MAX];    /* GPUs that reach the pool, its own included */
    uint64_t budget[SERVER_GPUS_MAX];     /* bytes of the pool */
    int group_of[SERVER_GPUS_MAX];        /* of a GPU */
    int clique_of_group[SERVER_GPUS_MAX]; /* of a group */
    int switch_of_group[SERVER_GPUS_MAX]; /* of a group: number of its PCIe switch, 0..links-1 */
    int links;                            /* PCIe switches */
    struct component component[SERVER_GPUS_MAX];
};

/* budget: [gpus] bytes. divided: it is known how the reads of cliques divide among GPUs. by_switch: groups are (clique,
 * switch), and a GPU whose switch is unknown is taken to have one of its own; else groups are cliques. most: limit of
 * patterns per component, at most PATTERNS_MAX. Release *out with reach_release. ST_LIMIT without memory. */
enum st reach_make(const struct server *s, const uint64_t *budget, bool by_switch, bool divided, int most,
                   struct reach *out, struct err *err) MUST_USE;
/* Zeroed is allowed. */
void reach_release(struct reach *r);

#endif
