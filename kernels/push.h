/* push.h - many PageRank steps over one graph, for PageRank and for inclusion probabilities.
 *
 * A step is pagerank_step of kernel.h: every row pushes its value to the vertices that it lists. A session keeps what
 * each step reads. A backend with a table of its own (struct kernels, member `push`) keeps it as suits it: a device
 * offsets, values and, when they fit, lists in its memory (other lists stream through two buffers), the CPU for many
 * steps a copy of the edges by blocks of sums. Without a table a session calls pagerank_step with one scratch array.
 * Results are equal bit for bit. A session belongs to one thread at a time; the arrays of the problem are borrowed
 * until push_close. Errors as in kernel.h.
 */
#ifndef KERNELS_PUSH_H
#define KERNELS_PUSH_H

#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One step from x to y, host arrays of [n]. *change: the sum of |y - x|. */
typedef enum st push_step_of(void *session, const uint64_t *x, uint64_t *y, uint64_t *change, struct err *err);

/* The table of a backend; the functions are those below. */
struct push_device {
    enum st (*open)(int threads, const struct pagerank_problem *p, void **session, struct err *err);
    push_step_of *step;
    enum st (*iterate)(void *session, int rounds, uint64_t limit, uint64_t *x, int *taken, struct err *err);
    void (*close)(void *session); /* NULL is allowed */
    /* Bytes of host memory that a session takes at most for many steps, beside arrays of n; NULL: none. */
    uint64_t (*bytes)(uint64_t n, uint64_t edges);
};

struct push;

/* *out: to be closed. */
enum st push_open(const struct kernels *k, int threads, const struct pagerank_problem *p, struct push **out,
                  struct err *err) MUST_USE;
/* One step from x to y, host arrays of [n]. *change: the sum of |y - x|. */
enum st push_step(struct push *s, const uint64_t *x, uint64_t *y, uint64_t *change, struct err *err) MUST_USE;
/* Makes steps on x in place until one changes less than `limit` (0: never), at most `rounds`. *taken: steps made. */
enum st push_iterate(struct push *s, int rounds, uint64_t limit, uint64_t *x, int *taken, struct err *err) MUST_USE;
/* Bytes of host memory that push_iterate takes at most, beside arrays of n. */
uint64_t push_iterate_bytes(const struct kernels *k, uint64_t n, uint64_t edges);
/* push_iterate by single steps, for tables that have no better way. */
enum st push_rounds(push_step_of *step, void *session, uint64_t n, int rounds, uint64_t limit, uint64_t *x, int *taken,
                    struct err *err) MUST_USE;
void push_close(struct push *s); /* NULL is allowed */

#ifdef __cplusplus
}
#endif

#endif
