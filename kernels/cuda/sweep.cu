/* sweep.cu - the cost model at every alpha, one thread per alpha. A thread reads about thirty numbers, so nearly all
 * the time goes into copying a problem's sums to the device. Problems run one after another, device memory holds the
 * sums of one, and sums that the next problem shares are not copied again. */
#include "kernels/cuda/cuda.cuh"
#include "kernels/sweep_point.h"

static __global__ void sweep_alphas(struct sweep_problem p, struct sweep_point *points)
{
    CUDA_EACH(i, (uint64_t)p.steps + 1)
    points[i] = sweep_point_at(&p, i);
}

/* The sums of the current problem in device memory. */
struct device_sums {
    device_array<uint64_t> size, topology, feature;
    const struct sweep_problem *of = nullptr;

    bool same(const struct sweep_problem *p) const
    {
        return of && of->n == p->n && of->size_topology == p->size_topology && of->hot_topology == p->hot_topology &&
               of->hot_feature == p->hot_feature;
    }
    enum st load(const struct sweep_problem *p, struct err *err)
    {
        if (same(p)) return ST_OK;
        of = nullptr;
        size.release();
        topology.release();
        feature.release();
        CUDA_TRY(size.allocate_copy(p->size_topology, p->n, "sweeping alpha", err));
        CUDA_TRY(topology.allocate_copy(p->hot_topology, p->n, "sweeping alpha", err));
        CUDA_TRY(feature.allocate_copy(p->hot_feature, p->n, "sweeping alpha", err));
        of = p;
        return ST_OK;
    }
};

static enum st sweep_one(struct sweep_problem p, const device_sums &sums, struct sweep_point *out, struct err *err)
{
    const uint64_t alphas = (uint64_t)p.steps + 1;
    device_array<struct sweep_point> points;

    CUDA_TRY(points.allocate(alphas, "sweeping alpha", err));
    p.size_topology = sums.size.at;
    p.hot_topology = sums.topology.at;
    p.hot_feature = sums.feature.at;
    CUDA_LAUNCH(sweep_alphas, alphas, 0, p, points.at);
    CUDA_TRY(cuda_check(cudaGetLastError(), "sweeping alpha", err));
    return points.copy_out(out, alphas, err);
}

enum st cuda_sweep(int threads, const struct sweep_problem *p, int count, struct sweep_point *points, struct err *err)
{
    device_sums sums;
    (void)threads;
    for (int c = 0; c < count; c++) {
        if (p[c].steps < 1 || p[c].steps != p[0].steps || !p[c].epochs || !p[c].row_bytes)
            return err_set(err, ST_BUG,
                           "internal error: a sweep of %d steps was asked for; please report it with the command you "
                           "ran",
                           p[c].steps);
        CUDA_TRY(sums.load(&p[c], err));
        CUDA_TRY(sweep_one(p[c], sums, points + (uint64_t)c * ((uint64_t)p[c].steps + 1), err));
    }
    return ST_OK;
}
