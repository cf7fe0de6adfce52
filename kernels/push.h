/* push.h - many steps over one graph: sums along the rows again and again, as PageRank and inclusion probabilities
 * need them.
 *
 * A step is pagerank_step of kernel.h. A session keeps what every step reads: on a backend with a table of its own
 * (struct kernels, member `push`) offsets, values and, where they fit, the lists lie in device memory, and lists that
 * do not fit pass through two buffers, one filling while the other is pushed; elsewhere steps are those of the
 * backend, with one scratch array. Results are the same bit for bit. A session belongs to one thread at a time; the
 * arrays of the problem must live as long as it does.
 */
#ifndef KERNELS_PUSH_H
#define KERNELS_PUSH_H

#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

struct push_device {
    enum st (*open)(int threads, const struct pagerank_problem *p, void **session, struct err *err);
    enum st (*step)(void *session, const uint64_t *x, uint64_t *y, uint64_t *change, struct err *err);
    enum st (*iterate)(void *session, int rounds, uint64_t limit, uint64_t *x, int *taken, struct err *err);
    void (*close)(void *session); /* NULL is allowed */
};

struct push;

enum st push_open(const struct kernels *k, int threads, const struct pagerank_problem *p, struct push **out,
                  struct err *err) MUST_USE;
/* One step from x to y, host arrays of [n]; *change: sum of |y - x|. */
enum st push_step(struct push *s, const uint64_t *x, uint64_t *y, uint64_t *change, struct err *err) MUST_USE;
/* Steps in place until one changes less than `limit` (0: never), `rounds` at most. *taken: steps made. */
enum st push_iterate(struct push *s, int rounds, uint64_t limit, uint64_t *x, int *taken, struct err *err) MUST_USE;
void push_close(struct push *s); /* NULL is allowed */

#ifdef __cplusplus
}
#endif

#endif
