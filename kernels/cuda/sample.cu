/* sample.cu - a session of sampling on the GPU (contract: kernels/sampling.h). */
#include "kernels/cuda/sample.cuh"
#include <new>

/* Threads per multiprocessor that every device since sm_30 can hold, and how many times that a launch has. */
enum { THREADS_EACH = 2048, WAVES = 2 };

static const char *cuda_sampling_unsupported(const struct sampling_problem *p)
{
    if (p->n == 0 || p->batch == 0) return "there are no mini-batches to draw";
    if (p->hops < 1 || p->hops > SAMPLING_HOPS_MAX) return "it draws 1 to 16 hops";
    if (p->sources < 0 || p->sources > SAMPLING_SOURCES_MAX) return "it reads rows from at most 128 GPUs";
    if (p->line_bytes < 4 || (p->line_bytes & (p->line_bytes - 1)))
        return "it counts transactions whose size is a power of two";
    for (int h = 0; h < p->hops; h++)
        if (p->fanout[h] < 1 || p->fanout[h] > 65535) return "it draws 1 to 65535 neighbours";
    return NULL;
}

static enum st cuda_sampling_survey(const struct sampling_problem *p, struct sampling_facts *facts, struct err *err)
{
    struct sample_sizes z;
    cuda_device_guard guard(p->device, err);
    CUDA_TRY(guard.st);
    return sample_plan(p, &z, facts, err);
}

/* ---- opening ---- */

enum st sample_scratch::make(const struct sampling_problem *p, const struct sample_sizes *z, struct err *err)
{
    static const char what[] = "drawing a mini-batch";
    CUDA_TRY(stamp.allocate(p->n, what, err));
    CUDA_TRY(stamp.clear(p->n, err));
    CUDA_TRY(found.allocate(p->capacity + 1, what, err));
    CUDA_TRY(entry.allocate(z->room, what, err));
    CUDA_TRY(set.allocate(z->sets * z->set_cells, what, err));
    CUDA_TRY(mark.allocate(SAMPLE_MARKS, what, err));
    return stream.open(err);
}

static enum st find_wave(struct sample_session *s, struct err *err)
{
    struct cudaDeviceProp device;
    CUDA_TRY(cuda_check(cudaGetDeviceProperties(&device, s->p.device), "asking for the GPU's properties", err));
    s->wave = (uint64_t)device.multiProcessorCount * THREADS_EACH * WAVES;
    return ST_OK;
}

static enum st open_here(struct sample_session *s, const struct sampling_problem *p, struct err *err)
{
    cuda_device_guard guard(p->device, err);
    CUDA_TRY(guard.st);
    s->p = *p;
    for (int h = 0; h < p->hops; h++) s->fanout[h] = p->fanout[h];
    s->p.fanout = s->fanout;
    CUDA_TRY(sample_plan(&s->p, &s->z, &s->facts, err));
    CUDA_TRY(find_wave(s, err));
    CUDA_TRY(s->copies.open(err));
    CUDA_TRY(s->staging.open(p->threads, UINT64_MAX, err));
    CUDA_TRY(s->sums.allocate(SAMPLE_SUMS, "counts of mini-batches", err));
    CUDA_TRY(s->sums.clear(SAMPLE_SUMS, err));
    if (p->counted) {
        CUDA_TRY(s->counts.allocate((2 + (uint64_t)p->hops) * p->n, "counts of mini-batches", err));
        CUDA_TRY(s->counts.clear((2 + (uint64_t)p->hops) * p->n, err));
    }
    for (int b = 0; b < s->facts.streams; b++) CUDA_TRY(s->scratch[b].make(&s->p, &s->z, err));
    CUDA_TRY(s->place.make(&s->p, &s->z, s->staging, s->copies, &s->facts, err));
    s->p.rows = NULL; /* borrowed until here */
    CUDA_TRY(s->begin.open(err));
    CUDA_TRY(s->end.open(err));
    return cuda_check(cudaDeviceSynchronize(), "preparing the GPU", err);
}

static void cuda_sampling_close(void *session)
{
    struct sample_session *s = static_cast<struct sample_session *>(session);
    struct err unused = {};
    if (!s) return;
    cuda_device_guard guard(s->p.device, &unused);
    (void)cudaDeviceSynchronize(); /* nothing may read what is freed now; a failure is reported by a checked call */
    delete s;
}

static enum st cuda_sampling_open(const struct sampling_problem *p, void **session, struct sampling_facts *facts,
                                  struct err *err)
{
    const char *trouble = cuda_sampling_unsupported(p);
    struct sample_session *s;
    if (trouble) return err_set(err, ST_USAGE, "the GPU cannot draw these mini-batches: %s", trouble);
    s = new (std::nothrow) sample_session();
    if (!s) return err_set(err, ST_LIMIT, "there is no memory for sampling on the GPU");
    enum st st = open_here(s, p, err);
    if (st != ST_OK) {
        cuda_sampling_close(s);
        return st;
    }
    *session = s;
    if (facts) *facts = s->facts;
    return ST_OK;
}

/* ---- drawing ---- */

static enum st wait_all(struct sample_session *s, struct err *err)
{
    for (int b = 0; b < s->facts.streams; b++) CUDA_TRY(s->scratch[b].stream.wait("drawing mini-batches", err));
    return ST_OK;
}

static enum st cuda_sampling_gpu(void *session, int id, const uint32_t *order, uint64_t train_count, uint64_t epochs,
                                 struct err *err)
{
    struct sample_session *s = static_cast<struct sample_session *>(session);
    cuda_device_guard guard(s->p.device, err);
    CUDA_TRY(guard.st);
    CUDA_TRY(wait_all(s, err)); /* running work reads the old order */
    s->id = id;
    s->train_count = s->batches = s->epochs = 0;
    s->order.release();
    CUDA_TRY(s->order.allocate(train_count * epochs, "orders of training vertices", err));
    CUDA_TRY(s->staging.to_device(s->order.at, order, train_count * epochs * sizeof *order, s->copies.at, err));
    CUDA_TRY(s->copies.wait("copying orders of training vertices", err));
    s->train_count = train_count;
    s->batches = (train_count + s->p.batch - 1) / s->p.batch;
    s->epochs = epochs;
    return ST_OK;
}

static enum st check_tasks(const struct sample_session *s, uint64_t first, uint64_t last, bool counted, struct err *err)
{
    if (first <= last && last <= s->batches * s->epochs && (!counted || s->counts.at)) return ST_OK;
    return err_set(err, ST_BUG,
                   "internal error at %s:%d (mini-batches %llu to %llu of %llu); please report it with the command you "
                   "ran",
                   __FILE__, __LINE__, (unsigned long long)first, (unsigned long long)last,
                   (unsigned long long)(s->batches * s->epochs));
}

static enum st cuda_sampling_run(void *session, uint64_t first, uint64_t last, struct err *err)
{
    struct sample_session *s = static_cast<struct sample_session *>(session);
    cuda_device_guard guard(s->p.device, err);
    CUDA_TRY(guard.st);
    CUDA_TRY(check_tasks(s, first, last, true, err));
    for (uint64_t task = first; task < last; task++)
        CUDA_TRY(sample_launch(s, s->scratch[task % (uint64_t)s->facts.streams], task, true, err));
    return ST_OK;
}

static enum st clear_counts(struct sample_session *s, struct err *err)
{
    CUDA_TRY(s->sums.clear(1, err));
    CUDA_TRY(s->counts.clear((2 + (uint64_t)s->p.hops) * s->p.n, err));
    return cuda_check(cudaDeviceSynchronize(), "clearing counts", err);
}

static enum st cuda_sampling_take(void *session, struct sampling_counts *to, struct err *err)
{
    struct sample_session *s = static_cast<struct sample_session *>(session);
    const uint64_t n = s->p.n;
    u64 total = 0;
    cuda_device_guard guard(s->p.device, err);
    CUDA_TRY(guard.st);
    CUDA_TRY(check_tasks(s, 0, 0, true, err));
    CUDA_TRY(wait_all(s, err));
    if (to->feature) CUDA_TRY(s->staging.add_to_host(to->feature, s->counts.at, n, s->copies.at, err));
    if (to->lines) CUDA_TRY(s->staging.add_to_host(to->lines, s->counts.at + n, n, s->copies.at, err));
    for (int h = 0; h < s->p.hops; h++)
        if (to->visits[h])
            CUDA_TRY(s->staging.add_to_host(to->visits[h], s->counts.at + (2 + (uint64_t)h) * n, n, s->copies.at, err));
    CUDA_TRY(s->sums.copy_out(reinterpret_cast<u64 *>(&total), 1, err));
    to->total_lines += total;
    return clear_counts(s, err);
}

static enum st cuda_sampling_lend(void *session, struct sampling_counts *there, struct err *err)
{
    struct sample_session *s = static_cast<struct sample_session *>(session);
    const uint64_t n = s->p.n;
    u64 total = 0;
    cuda_device_guard guard(s->p.device, err);
    CUDA_TRY(guard.st);
    CUDA_TRY(check_tasks(s, 0, 0, true, err));
    CUDA_TRY(wait_all(s, err));
    CUDA_TRY(s->sums.copy_out(reinterpret_cast<u64 *>(&total), 1, err));
    *there = sampling_counts();
    there->feature = s->counts.at;
    there->lines = s->counts.at + n;
    for (int h = 0; h < s->p.hops; h++) there->visits[h] = s->counts.at + (2 + (uint64_t)h) * n;
    there->total_lines = total;
    return ST_OK;
}

static enum st cuda_sampling_forget(void *session, struct err *err)
{
    struct sample_session *s = static_cast<struct sample_session *>(session);
    cuda_device_guard guard(s->p.device, err);
    CUDA_TRY(guard.st);
    CUDA_TRY(check_tasks(s, 0, 0, true, err));
    CUDA_TRY(wait_all(s, err));
    return clear_counts(s, err);
}

static enum st cuda_sampling_batch(void *session, uint64_t task, struct sampling_batch *out, struct err *err)
{
    struct sample_session *s = static_cast<struct sample_session *>(session);
    sample_scratch &b = s->scratch[0];
    const uint64_t served = 2 * ((uint64_t)s->p.sources + 1);
    u64 cell[2 * (SAMPLING_SOURCES_MAX + 1)], count = 0;
    float milliseconds = 0;
    cuda_device_guard guard(s->p.device, err);
    CUDA_TRY(guard.st);
    CUDA_TRY(check_tasks(s, task, task + 1, false, err));
    CUDA_TRY(cuda_check(cudaMemsetAsync(s->sums.at + SAMPLE_SERVED, 0, served * sizeof(u64), b.stream.at),
                        "drawing a mini-batch", err));
    CUDA_TRY(cuda_check(cudaEventRecord(s->begin.at, b.stream.at), "drawing a mini-batch", err));
    CUDA_TRY(sample_launch(s, b, task, false, err));
    CUDA_TRY(cuda_check(cudaEventRecord(s->end.at, b.stream.at), "drawing a mini-batch", err));
    /* in this stream, so that other streams are not waited for */
    CUDA_TRY(cuda_check(cudaMemcpyAsync(cell, s->sums.at + SAMPLE_SERVED, served * sizeof(u64), cudaMemcpyDeviceToHost,
                                        b.stream.at),
                        "copying from the GPU", err));
    CUDA_TRY(
        cuda_check(cudaMemcpyAsync(&count, b.mark.at + SAMPLE_COUNT, sizeof count, cudaMemcpyDeviceToHost, b.stream.at),
                   "copying from the GPU", err));
    CUDA_TRY(b.stream.wait("drawing mini-batches", err));
    CUDA_TRY(cuda_check(cudaEventElapsedTime(&milliseconds, s->begin.at, s->end.at), "timing a mini-batch", err));
    *out = sampling_batch();
    out->ids = b.found.at;
    out->count = count;
    for (int i = 0; i <= s->p.sources; i++) {
        out->visits[i] = cell[2 * i];
        out->lines[i] = cell[2 * i + 1];
    }
    out->seconds = 1e-3 * (double)milliseconds;
    return ST_OK;
}

const struct sampling cuda_sampling = {
    cuda_sampling_unsupported, cuda_sampling_survey, cuda_sampling_open,  cuda_sampling_gpu,
    cuda_sampling_run,         cuda_sampling_take,   cuda_sampling_lend,  cuda_sampling_forget,
    cuda_sampling_batch,       cuda_sampling_close,  cuda_sampling_probe,
};
