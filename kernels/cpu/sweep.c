/* sweep.c - the cost model at every alpha: two binary searches and two exact quotients each. */
#include "kernels/cpu/cpu.h"
#include "kernels/sweep_point.h"

enum st cpu_sweep(int threads, const struct sweep_problem *p, int count, struct sweep_point *points, struct err *err)
{
    enum st st = ST_OK;
    uint64_t per_problem = count > 0 ? (uint64_t)p[0].steps + 1 : 0,
             all = per_problem * (uint64_t)(count > 0 ? count : 0);

    for (int c = 0; c < count; c++)
        BUG_IF(p[c].steps < 1 || p[c].steps != p[0].steps || !p[c].epochs || !p[c].row_bytes);
        /* A point costs two searches of some thirty cache misses each, as much as a thousand additions. */
#pragma omp parallel for num_threads(cpu_team(threads, all * 1024)) schedule(static)
    for (uint64_t i = 0; i < all; i++) points[i] = sweep_point_at(&p[i / per_problem], i % per_problem);
done:
    return st;
}
