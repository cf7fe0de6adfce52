/* cpu_sampling.h - how fast the CPU samples, measured with several numbers of threads and sizes of mini-batches: what
 * HyScale-GNN keeps in place of an equation (section V: "running the sampling algorithm under different numbers of
 * threads and different mini-batch sizes").
 *
 * In a server file:
 *   "cpu_sampling": {"threads": [1, 16, 64], "batch": [256, 1024, 8192], "edges_per_second": [[..3 rates..], ..3
 * rows..]} Row i has the rates of threads[i], one for each batch. Both lists ascend.
 */
#ifndef HWPROFILES_MODEL_CPU_SAMPLING_H
#define HWPROFILES_MODEL_CPU_SAMPLING_H

#include "base/doc.h"
#include "base/status.h"

enum { CPU_SAMPLING_MOST = 16 };
struct cpu_sampling {
    int threads, batches; /* 0: not measured */
    double thread[CPU_SAMPLING_MOST], batch[CPU_SAMPLING_MOST];
    double edges[CPU_SAMPLING_MOST][CPU_SAMPLING_MOST]; /* [thread][batch] draws per second */
};

/* Reads the rates of the object `cpu_sampling` (NULL: none) into *c, whose lists of threads and batches are read, and
 * checks them. where: the file, for messages. ST_INPUT says what is wrong. */
enum st cpu_sampling_read(const doc *d, const char *where, struct cpu_sampling *c, struct err *err) MUST_USE;
/* The object with the rates alone, owned by the caller. */
doc *cpu_sampling_rates(const struct cpu_sampling *c);

/* Draws per second with so many threads (fractions are allowed) on mini-batches of so many seeds: linear over the
 * logarithms of both between measured points. With fewer threads than measured, a thread is as fast as there; more
 * threads than measured, and batches outside, are taken as the nearest. c has points. */
double cpu_sampling_rate(const struct cpu_sampling *c, double threads, double batch);

#endif
