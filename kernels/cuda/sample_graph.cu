/* sample_graph.cu - the graph for sampling: in device memory, read from the host, or some of both (sample.cuh).
 *
 * The hybrid: a byte per vertex says which source holds its row, and a slot where. A source's rows lie one after the
 * other in its memory.
 */
#include "kernels/cuda/sample.cuh"

/* The tables of rows while they are made, on the host. */
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

template <class T> static enum st take_host(T **out, uint64_t count, struct err *err)
{
    *out = static_cast<T *>(mem_array(count, sizeof(T), "rows for the GPU", err));
    return *out ? ST_OK : err->code;
}

/* Deals slots to the rows that source s holds: those of its list that nobody holds yet, `room` bytes at most where it
 * may leave some out. *count of them. */
static void deal(const struct sampling_problem *p, int s, uint64_t room, struct tables *t, uint64_t *count)
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

/* Lets the reader's device read another one's memory. */
static enum st reach(int reader, int other, struct err *err)
{
    int can = 0;
    if (reader == other) return ST_OK;
    CUDA_TRY(cuda_check(cudaDeviceCanAccessPeer(&can, reader, other), "asking whether GPUs reach each other", err));
    if (!can)
        return err_set(err, ST_MISSING,
                       "GPU %d cannot read the memory of GPU %d, which holds rows of the cache; name GPUs that reach "
                       "each other, or use --device cpu",
                       reader, other);
    cudaError_t code = cudaDeviceEnablePeerAccess(other, 0);
    if (code == cudaErrorPeerAccessAlreadyEnabled) {
        (void)cudaGetLastError();
        code = cudaSuccess;
    }
    return cuda_check(code, "letting GPUs reach each other", err);
}

/* Puts the rows of source s, dealt, into its device's memory. */
static enum st put_rows(struct sample_place *g, const struct sampling_problem *p, int s, const struct tables *t,
                        uint64_t count, sample_staging &staging, struct err *err)
{
    const struct sampling_rows *r = &p->rows[s];
    CUDA_TRY(reach(p->device, r->device, err));
    {
        sample_turn turn(r->device, err);
        CUDA_TRY(turn.st);
        CUDA_TRY(g->offset[s].take(count + 1, "rows of the cache", err));
        CUDA_TRY(g->phase[s].take(count, "rows of the cache", err));
        CUDA_TRY(g->list[s].take(t->offset[count], "rows of the cache", err));
    }
    CUDA_TRY(staging.put(g->offset[s], t->offset, count + 1, err));
    CUDA_TRY(staging.put(g->phase[s], t->phase, count, err));
    staging.aim(g->list[s].at);
    for (uint64_t i = 0, slot = 0; slot < count; i++) {
        uint32_t v = r->ids[i];
        if (t->at[v] != s || t->slot[v] != slot) continue; /* another source's */
        CUDA_TRY(staging.add(p->indices + p->indptr[v], 4 * (t->offset[slot + 1] - t->offset[slot]), err));
        slot++;
    }
    return staging.flush(err);
}

static enum st make_hybrid(struct sample_place *g, const struct sampling_problem *p, uint64_t left,
                           sample_staging &staging, struct sampling_facts *facts, struct err *err)
{
    struct tables t;
    struct sample_held held[SAMPLING_SOURCES_MAX];
    uint64_t longest = 0;
    for (int s = 0; s < p->sources; s++) longest = p->rows[s].count > longest ? p->rows[s].count : longest;
    CUDA_TRY(take_host(&t.at, p->n, err));
    CUDA_TRY(take_host(&t.slot, p->n, err));
    CUDA_TRY(take_host(&t.phase, longest, err));
    CUDA_TRY(take_host(&t.offset, longest + 1, err));
    for (uint64_t v = 0; v < p->n; v++) t.at[v] = (uint8_t)p->sources;
    for (int s = 0; s < p->sources; s++) {
        uint64_t count = 0;
        deal(p, s, left, &t, &count);
        CUDA_TRY(put_rows(g, p, s, &t, count, staging, err));
        held[s] = sample_held{g->offset[s].at, g->phase[s].at, g->list[s].at};
        facts->rows += count;
        if (!p->rows[s].some) continue;
        uint64_t taken = SAMPLE_ROW_BYTES * count + 4 * t.offset[count];
        left -= taken;
        facts->device_bytes += taken;
    }
    CUDA_TRY(g->at.take(p->n, "where rows lie", err));
    CUDA_TRY(g->slot.take(p->n, "where rows lie", err));
    CUDA_TRY(staging.put(g->at, t.at, p->n, err));
    CUDA_TRY(staging.put(g->slot, t.slot, p->n, err));
    CUDA_TRY(g->held.take_copy(held, (uint64_t)p->sources, "where rows lie", err));
    g->view.at = g->at.at;
    g->view.slot = g->slot.at;
    g->view.held = g->held.at;
    return staging.wait(err);
}

enum st sample_place::make(const struct sampling_problem *p, const struct sample_sizes *z, sample_staging &staging,
                           struct sampling_facts *facts, struct err *err)
{
    const uint64_t m = (uint64_t)p->indptr[p->n];
    view = sample_graph();
    view.sources = (unsigned)p->sources;
    if (facts->where == SAMPLING_DEVICE) {
        CUDA_TRY(indptr.take(p->n + 1, "the graph", err));
        CUDA_TRY(indices.take(m, "the graph", err));
        CUDA_TRY(staging.put(indptr, p->indptr, p->n + 1, err));
        CUDA_TRY(staging.put(indices, p->indices, m, err));
        view.indptr = indptr.at;
        view.indices = indices.at;
        return staging.wait(err);
    }
    CUDA_TRY(host_indptr.map(p->indptr, 8 * (p->n + 1), staging.threads, err));
    CUDA_TRY(host_indices.map(p->indices, 4 * m, staging.threads, err));
    facts->pinned_bytes += host_indptr.copy.bytes + host_indices.copy.bytes;
    view.indptr = static_cast<const int64_t *>(host_indptr.at);
    view.indices = static_cast<const uint32_t *>(host_indices.at);
    return facts->where == SAMPLING_HYBRID ? make_hybrid(this, p, z->left, staging, facts, err) : ST_OK;
}
