/* numa.h - where the pages of large arrays lie on a machine with several memory nodes (sockets).
 *
 * A page lies on the node of the thread that first touches it. Arrays that one thread fills and all threads then read
 * at random would all lie on one node: every read of half the threads would cross the sockets' link, and one memory
 * controller would serve all of them. So arrays of NUMA_FROM bytes and more that threads share are interleaved: their
 * pages go to the nodes in turn, whoever touches them (Linux, mbind). Arrays of one thread stay near it, because it
 * is the first to touch them (mem_array_near). Files that are mapped lie where the page cache put them; mbind does
 * not move those, but `numactl --interleave=all hotset ..` spreads what is read afterwards. Results do not depend on
 * any of this, and on one node nothing is done. Called directly, without libnuma: one system call is all there is.
 */
#ifndef BASE_NUMA_H
#define BASE_NUMA_H

#include <stdbool.h>
#include <stdint.h>

enum { NUMA_FROM = 64 << 20, NUMA_NODES_MAX = 1024, NUMA_WORDS = NUMA_NODES_MAX / 64 };

/* Reads a list of nodes as Linux writes it ("0-1,4\n"). Returns how many there are, with a bit for each; 0 when it
 * cannot be read. */
int numa_nodes(const char *path, uint64_t mask[NUMA_WORDS]);

/* Interleaves pages that are not yet touched over the nodes in the mask. block: page aligned. False when the system
 * refuses. */
bool numa_interleave(void *block, uint64_t bytes, const uint64_t mask[NUMA_WORDS]);

/* The same over this machine's nodes, when it has more than one: a wish. */
void numa_spread(void *block, uint64_t bytes);

#endif
