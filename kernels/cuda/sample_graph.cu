/* sample_graph.cu - the graph for sampling: in device memory, in host memory, or some rows of both (sample.cuh).
 *
 * In the hybrid a byte per vertex names the source that holds its row, and a slot its place there. The rows of a source
 * lie one after the other in its memory.
 */
#include "kernels/cuda/sample.cuh"

/* The tables of the hybrid while they are made, in host memory. */
struct tables {
    uint8_t *at = nullptr;
    uint32_t *slot = nullptr, *phase = nullptr; /* phase, offset: of one source */
    uint64_t *offset = nullptr;
    ~tables()
    {
        mem_free(at);
        mem_free(slot);
        mem_free(phase);
        mem_free(offset);
    }
};

template <class T> static enum st allocate_host(T **out, uint64_t count, struct err *err)
{
    *out = static_cast<T *>(mem_array(count, sizeof(T), "rows for the GPU", err));
    return *out ? ST_OK : err->code;
}

/* Gives slots to the rows of source s: those of its list that no source before holds; where it may leave some out, as
 * many as fit `room` bytes. *count: slots. */
static void give_slots(const struct sampling_problem *p, int s, uint64_t room, struct tables *t, uint64_t *count)
{
    const struct sampling_rows *r = &p->rows[s];
    const uint64_t line = p->line_bytes / 4;
    uint64_t slots = 0, used = 0;
    t->offset[0] = 0;
    for (uint64_t i = 0; i < r->count; i++) {
        uint32_t v = r->ids[i];
        uint64_t start = (uint64_t)p->indptr[v], degree = (uint64_t)p->indptr[v + 1] - start;
        if (t->at[v] != p->sources) continue;
        used += SAMPLE_ROW_BYTES + 4 * degree;
        if (r->some && used > room) break;
        t->at[v] = (uint8_t)s;
        t->slot[v] = (uint32_t)slots;
        t->phase[slots] = (uint32_t)(start % line);
        t->offset[slots + 1] = t->offset[slots] + degree;
        slots++;
    }
    *count = slots;
}

/* Lets the reader's device read the memory of another. */
static enum st enable_peer(int reader, int other, struct err *err)
{
    int can = 0;
    if (reader == other) return ST_OK;
    CUDA_TRY(cuda_check(cudaDeviceCanAccessPeer(&can, reader, other),
                        "asking which GPUs can read each other's "
                        "memory",
                        err));
    if (!can)
        return err_set(err, ST_MISSING,
                       "GPU %d cannot read the memory of GPU %d, which holds rows of the cache; name GPUs with "
                       "peer access to each other, or use --device cpu",
                       reader, other);
    cudaError_t code = cudaDeviceEnablePeerAccess(other, 0);
    if (code == cudaErrorPeerAccessAlreadyEnabled) {
        (void)cudaGetLastError();
        code = cudaSuccess;
    }
    return cuda_check(code, "enabling peer access", err);
}

/* Copies the `count` rows of source s into the memory of its device. */
static enum st copy_rows(struct sample_place *g, const struct sampling_problem *p, int s, const struct tables *t,
                         uint64_t count, cuda_staging &staging, cudaStream_t stream, struct err *err)
{
    const struct sampling_rows *r = &p->rows[s];
    CUDA_TRY(enable_peer(p->device, r->device, err));
    {
        cuda_device_guard guard(r->device, err);
        CUDA_TRY(guard.st);
        CUDA_TRY(g->offset[s].allocate(count + 1, "rows of the cache", err));
        CUDA_TRY(g->phase[s].allocate(count, "rows of the cache", err));
        CUDA_TRY(g->list[s].allocate(t->offset[count], "rows of the cache", err));
    }
    CUDA_TRY(staging.to_device(g->offset[s].at, t->offset, (count + 1) * sizeof *t->offset, stream, err));
    CUDA_TRY(staging.to_device(g->phase[s].at, t->phase, count * sizeof *t->phase, stream, err));
    staging.begin(g->list[s].at);
    for (uint64_t i = 0, slot = 0; slot < count; i++) {
        uint32_t v = r->ids[i];
        if (t->at[v] != s || t->slot[v] != slot) continue; /* a row of another source */
        CUDA_TRY(staging.append(p->indices + p->indptr[v], 4 * (t->offset[slot + 1] - t->offset[slot]), stream, err));
        slot++;
    }
    return staging.flush(stream, err);
}

static enum st make_hybrid(struct sample_place *g, const struct sampling_problem *p, uint64_t left,
                           cuda_staging &staging, cudaStream_t stream, struct sampling_facts *facts, struct err *err)
{
    struct tables t;
    struct sample_held held[SAMPLING_SOURCES_MAX];
    uint64_t longest = 0;
    for (int s = 0; s < p->sources; s++) longest = p->rows[s].count > longest ? p->rows[s].count : longest;
    CUDA_TRY(allocate_host(&t.at, p->n, err));
    CUDA_TRY(allocate_host(&t.slot, p->n, err));
    CUDA_TRY(allocate_host(&t.phase, longest, err));
    CUDA_TRY(allocate_host(&t.offset, longest + 1, err));
    for (uint64_t v = 0; v < p->n; v++) t.at[v] = (uint8_t)p->sources;
    for (int s = 0; s < p->sources; s++) {
        uint64_t count = 0;
        give_slots(p, s, left, &t, &count);
        CUDA_TRY(copy_rows(g, p, s, &t, count, staging, stream, err));
        held[s] = sample_held{g->offset[s].at, g->phase[s].at, g->list[s].at};
        facts->rows += count;
        if (!p->rows[s].some) continue;
        uint64_t taken = SAMPLE_ROW_BYTES * count + 4 * t.offset[count];
        left -= taken;
        facts->device_bytes += taken;
    }
    CUDA_TRY(g->at.allocate(p->n, "places of rows", err));
    CUDA_TRY(g->slot.allocate(p->n, "places of rows", err));
    CUDA_TRY(staging.to_device(g->at.at, t.at, p->n, stream, err));
    CUDA_TRY(staging.to_device(g->slot.at, t.slot, p->n * sizeof *t.slot, stream, err));
    CUDA_TRY(g->held.allocate_copy(held, (uint64_t)p->sources, "places of rows", err));
    g->view.at = g->at.at;
    g->view.slot = g->slot.at;
    g->view.held = g->held.at;
    return ST_OK;
}

enum st sample_place::make(const struct sampling_problem *p, const struct sample_sizes *z, cuda_staging &staging,
                           const cuda_stream &stream, struct sampling_facts *facts, struct err *err)
{
    const uint64_t m = (uint64_t)p->indptr[p->n];
    view = sample_graph();
    view.sources = (unsigned)p->sources;
    if (facts->where == SAMPLING_DEVICE) {
        CUDA_TRY(indptr.allocate(p->n + 1, "the graph", err));
        CUDA_TRY(indices.allocate(m, "the graph", err));
        CUDA_TRY(staging.to_device(indptr.at, p->indptr, (p->n + 1) * sizeof *p->indptr, stream.at, err));
        CUDA_TRY(staging.to_device(indices.at, p->indices, m * sizeof *p->indices, stream.at, err));
        view.indptr = indptr.at;
        view.indices = indices.at;
        return stream.wait("copying the graph to the GPU", err);
    }
    CUDA_TRY(host_indptr.map(p->indptr, 8 * (p->n + 1), staging.threads, err));
    CUDA_TRY(host_indices.map(p->indices, 4 * m, staging.threads, err));
    facts->pinned_bytes += host_indptr.copy_bytes + host_indices.copy_bytes;
    view.indptr = static_cast<const int64_t *>(host_indptr.at);
    view.indices = static_cast<const uint32_t *>(host_indices.at);
    if (facts->where != SAMPLING_HYBRID) return ST_OK;
    CUDA_TRY(make_hybrid(this, p, z->left, staging, stream.at, facts, err));
    return stream.wait("copying rows to the GPU", err);
}
