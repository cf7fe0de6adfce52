/* server_cliques.c - maximum cliques of the NVLink graph by branch and bound over bitsets.
 *
 * One search answers both questions, "how large" and "is there one of this size". A greedy colouring of the remaining
 * vertices bounds the clique from above, as in MaxCliqueDyn. Two additions bound the worst case: a vertex with at most
 * one non-neighbour can always be taken, and the search branches on the vertex with most non-neighbours, so that both
 * branches shrink. Without them a graph whose non-neighbours form many short cycles defeats every colouring bound.
 */
#include "hwprofiles/model/server_cliques.h"

#include <string.h>

#include "hwprofiles/model/server_reach.h"

struct set {
    uint64_t w[2];
};

struct search {
    struct set joined[SERVER_GPUS_MAX]; /* neighbours of each vertex, itself excluded */
    struct set best;                    /* the largest clique found */
    int best_size;                      /* only larger cliques are of interest */
    int enough;                         /* stop at this size */
};

_Static_assert(SERVER_GPUS_MAX <= 128, "a set has 128 bits");

static inline struct set set_and(struct set a, struct set b)
{
    return (struct set){{a.w[0] & b.w[0], a.w[1] & b.w[1]}};
}
static inline struct set set_less(struct set a, struct set b)
{
    return (struct set){{a.w[0] & ~b.w[0], a.w[1] & ~b.w[1]}};
}
static inline int set_size(struct set a) { return __builtin_popcountll(a.w[0]) + __builtin_popcountll(a.w[1]); }
static inline bool set_empty(struct set a) { return !(a.w[0] | a.w[1]); }
static inline bool set_has(struct set a, int v) { return a.w[v >> 6] >> (v & 63) & 1; }
static inline void set_add(struct set *a, int v) { a->w[v >> 6] |= 1ull << (v & 63); }
static inline void set_drop(struct set *a, int v) { a->w[v >> 6] &= ~(1ull << (v & 63)); }
static inline int set_first(struct set a)
{
    return a.w[0] ? __builtin_ctzll(a.w[0]) : 64 + __builtin_ctzll(a.w[1]);
} /* not empty */

/* Number of colours of a greedy colouring of p (no neighbours in a colour): no clique in p is larger. */
static int colours(const struct search *s, struct set p)
{
    int count = 0;
    while (!set_empty(p)) {
        struct set open = p;
        while (!set_empty(open)) {
            int v = set_first(open);
            set_drop(&p, v);
            set_drop(&open, v);
            open = set_less(open, s->joined[v]);
        }
        count++;
    }
    return count;
}

/* The vertex of p with most non-neighbours in p, or the first one with at most one; *others: their number. */
static int pick(const struct search *s, struct set p, int *others)
{
    int chosen = -1, most = -1;
    for (struct set rest = p; !set_empty(rest);) {
        int v = set_first(rest), k;
        set_drop(&rest, v);
        k = set_size(set_less(p, s->joined[v])) - 1;
        if (k <= 1) {
            *others = k;
            return v;
        }
        if (k > most) {
            most = k;
            chosen = v;
        }
    }
    *others = most;
    return chosen;
}

/* Extends the clique `chosen` by vertices of p, all of which are joined to all of it. */
static void extend(struct search *s, struct set chosen, struct set p)
{
    while (s->best_size < s->enough) {
        int v, others;
        if (set_empty(p)) {
            if (set_size(chosen) > s->best_size) {
                s->best = chosen;
                s->best_size = set_size(chosen);
            }
            return;
        }
        if (set_size(chosen) + colours(s, p) <= s->best_size) return;
        v = pick(s, p, &others);
        /* All have two non-neighbours, which form cycles: any vertex of a cycle is in some largest choice. */
        if (others > 2) {
            struct set with = chosen;
            set_add(&with, v);
            extend(s, with, set_and(p, s->joined[v]));
            set_drop(&p, v);
        } else {
            set_add(&chosen, v);
            p = set_and(p, s->joined[v]);
        }
    }
}

/* True when the vertices of p hold a clique of `size`; s->best is one then. */
static bool holds(struct search *s, struct set p, int size)
{
    s->best = (struct set){{0, 0}};
    s->best_size = size - 1;
    s->enough = size;
    if (size <= 0) return true;
    extend(s, (struct set){{0, 0}}, p);
    return s->best_size == size;
}

/* The lexicographically smallest of the largest cliques of p. */
static struct set largest(struct search *s, struct set p)
{
    struct set result = {{0, 0}}, witness; /* witness: a largest clique that contains result */
    int left;
    s->best = result;
    s->best_size = 0;
    s->enough = SERVER_GPUS_MAX;
    extend(s, result, p);
    witness = s->best;
    left = s->best_size;
    while (left > 0) {
        int v = set_first(p);
        struct set behind = set_and(p, s->joined[v]);
        bool take = set_has(witness, v);
        if (!take && holds(s, behind, left - 1)) {
            take = true;
            witness = s->best;
        }
        set_drop(&p, v);
        if (!take) continue;
        set_add(&result, v);
        p = set_and(p, s->joined[v]);
        left--;
    }
    return result;
}

/* Whether GPU a reads GPU b without a third one between them. */
static bool reads_directly(const struct server *s, int a, int b)
{
    return server_reads(s, a, b) && (s->links[a][b] > 0 || server_same_switch(s, a, b));
}

/* Repeatedly takes the largest clique of those that are left; of: [gpus] its number. Returns how many. */
static int find(const struct server *s, bool (*joined)(const struct server *, int, int), int *of)
{
    struct search search = {0};
    struct set left = {{0, 0}};
    int count = 0;
    for (int i = 0; i < s->gpus; i++) {
        set_add(&left, i);
        for (int j = 0; j < s->gpus; j++)
            if (joined(s, i, j)) set_add(&search.joined[i], j);
    }
    for (; !set_empty(left); count++) {
        struct set c = largest(&search, left);
        left = set_less(left, c);
        for (int v; !set_empty(c); set_drop(&c, v)) {
            v = set_first(c);
            of[v] = count;
        }
    }
    return count;
}

void server_find_cliques(struct server *s)
{
    s->groups = find(s, reads_directly, s->group_of);
    s->cliques = find(s, server_reads, s->clique_of);
    memset(s->clique_size, 0, sizeof s->clique_size);
    for (int g = 0; g < s->gpus; g++) {
        int k = s->clique_of[g];
        s->clique[k][s->clique_size[k]++] = g;
    }
}
