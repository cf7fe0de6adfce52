/* workload.h - what is trained: how mini-batches are drawn. */
#ifndef TRACES_WORKLOAD_H
#define TRACES_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/param.h"
#include "base/status.h"

enum { HOPS_MAX = INT_LIST_MAX, FANOUT_MAX = 65535 };

struct workload {
    int hops;
    uint32_t fanout[HOPS_MAX]; /* 1..FANOUT_MAX; hop 0 expands the seeds */
    uint64_t batch;            /* training vertices per mini-batch and GPU, >= 1 */
    bool frontier_all;         /* false: a hop expands what the previous hop found first ("new"); true: every vertex so far ("all") */
    uint64_t seed;
};

/* The words of the command line: fanout list, batch size, "new" or "all". */
enum st workload_make(const struct int_list *fanout, int64_t batch, const char *frontier, uint64_t seed, struct workload *out, struct err *err) MUST_USE;
/* Writes fanout, batch, frontier, sampler, seed into an object. */
void workload_put(const struct workload *w, doc *object);
/* Reads them from an object of a document. */
enum st workload_read(const doc *object, const char *where, struct workload *out, struct err *err) MUST_USE;

#endif
