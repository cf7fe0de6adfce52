/* numa.h - where the pages of large arrays lie on a machine with several memory nodes (sockets).
 *
 * A page lies on the node of the thread that first touches it. If one thread filled an array that all threads then read
 * at random, the whole array would lie on one node: half of the reads would cross the link between the sockets, and one
 * memory controller would serve all of them. So arrays that threads share, from NUMA_FROM bytes on, are interleaved:
 * their pages go to the nodes round-robin (Linux, mbind). Arrays of one thread stay on its node (mem_array_near).
 * Mapped files lie where the page cache put them, and mbind does not move them; `numactl --interleave=all hotset ..`
 * spreads what is read from then on. Results never depend on this, and on one node nothing is done. mbind is called
 * directly, without libnuma.
 */
#ifndef BASE_NUMA_H
#define BASE_NUMA_H

#include <stdbool.h>
#include <stdint.h>

enum { NUMA_FROM = 64 << 20, NUMA_NODES_MAX = 1024, NUMA_WORDS = NUMA_NODES_MAX / 64 };

/* Reads a list of nodes as Linux writes it ("0-1,4\n") from the file `path`. mask: one bit per node. Returns the number
 * of nodes; 0 when the file cannot be read. */
int numa_nodes(const char *path, uint64_t mask[NUMA_WORDS]);

/* Whether this machine has more than one; read once. */
bool numa_several(void);

/* Interleaves pages that are not yet touched over the nodes in the mask. block: page-aligned. False when the system
 * refuses. */
bool numa_interleave(void *block, uint64_t bytes, const uint64_t mask[NUMA_WORDS]);

/* Interleaves the pages over this machine's nodes when it has more than one. A refusal is ignored: it costs speed only.
 */
void numa_spread(void *block, uint64_t bytes);

#endif
