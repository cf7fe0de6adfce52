/* graph_ranges.h - a graph whose vertices are owned by several processes, a range of them each.
 *
 * Every process maps the whole graph, which takes no memory, and touches the rows of its own range only. Ranges are
 * contiguous, in the order of the processes, and divide the bytes of the topology (offsets, ids, weights where the
 * graph has them) as evenly as whole rows allow. A range may be empty.
 */
#ifndef TRACES_GRAPH_GRAPH_RANGES_H
#define TRACES_GRAPH_GRAPH_RANGES_H

#include "traces/graph/graph.h"

enum { GRAPH_RANGES_MOST = 1024 };

struct graph_ranges {
    int count, mine;                       /* processes; this one's number */
    uint64_t begin[GRAPH_RANGES_MOST + 1]; /* process i owns begin[i] .. begin[i + 1) - 1; begin[count] = n */
};

/* Divides g among `count` processes, of which this is number `mine`; 1 <= count <= GRAPH_RANGES_MOST. Reads about
 * 32 count offsets, which need not have been checked: ranges are disjoint and cover 0..n-1 whatever they are. */
void graph_ranges_make(const struct graph *g, int count, int mine, struct graph_ranges *out);

/* Opens a graph as graph_open does, but checks the rows of this process's range only, so that no others are read; when
 * all processes have opened theirs, all rows are checked. *ranges: as graph_ranges_make. ST_LIMIT beyond
 * GRAPH_RANGES_MOST processes, else the errors of graph_open. Close with graph_close. */
enum st graph_open_range(const char *path, int threads, int count, int mine, struct graph *out,
                         struct graph_ranges *ranges, struct err *err) MUST_USE;

/* Who owns v < n. */
static inline int graph_ranges_owner(const struct graph_ranges *r, uint64_t v)
{
    int low = 0, high = r->count; /* the last process whose range begins at v or before: an empty range is never last */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (r->begin[middle] <= v) low = middle;
        else high = middle;
    }
    return low;
}
/* The vertices of this process: first, and behind the last. */
static inline uint64_t graph_ranges_first(const struct graph_ranges *r) { return r->begin[r->mine]; }
static inline uint64_t graph_ranges_end(const struct graph_ranges *r) { return r->begin[r->mine + 1]; }

/* Bytes of the topology; of this process's range; and how many of all it has in memory (file_resident). */
uint64_t graph_ranges_all_bytes(const struct graph *g);
uint64_t graph_ranges_bytes(const struct graph *g, const struct graph_ranges *r);
uint64_t graph_resident_bytes(const struct graph *g);

#endif
