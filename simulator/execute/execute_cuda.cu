/* execute_cuda.cu - the engine for machines with NVIDIA GPUs (declared in execute.h).
 *
 * Caches are device memory. The features of the host are pinned and mapped, and kernels read them by address
 * (zero-copy). The GPU draws mini-batches when the CUDA backend can sample this workload and the plan's GPUs sample;
 * otherwise the CPU does. Events on the GPU time the stages. When the machine has a reachable GPU for every GPU of the
 * plan, rows of peers lie in the peers' memory and are read over NVLink; otherwise they lie in buffers of their own on
 * the one GPU. Device d stands for position d.
 */
#include <new>
#include <stdio.h>
#include <string.h>

#include "simulator/execute/execute_engine.cuh"
extern "C" {
#include "base/progress.h"
#include "traces/sampling/sampler.h"
}

static_assert(HOPS_MAX <= (int)SAMPLING_HOPS_MAX && GPUS_MAX <= (int)SAMPLING_SOURCES_MAX, "a sampler has all hops and "
                                                                                           "sources");

enum { ALIGNED = 256 }; /* bytes at which the rows of a table begin */

static const char *missing(void) { return kernels_cuda.missing(); }

/* ---- the machine ---- */

static struct sampling_problem problem_of(const struct execute_setup *s, int device)
{
    struct sampling_problem p = {};
    p.n = s->graph->n;
    p.indptr = s->graph->indptr;
    p.indices = s->graph->indices;
    p.hops = s->workload->hops;
    p.fanout = s->workload->fanout;
    p.frontier_all = s->workload->frontier == FRONTIER_ALL;
    p.seed = s->workload->seed;
    p.batch = s->workload->batch;
    p.line_bytes = s->plan->line_bytes;
    p.capacity = sampler_largest(s->graph, s->workload);
    p.where = SAMPLING_HYBRID;
    p.device = device;
    p.threads = s->threads;
    return p;
}

/* The sampling of the GPU; NULL when the plan's GPUs do not sample or the GPU cannot sample this workload. */
static const struct sampling *choose_sampling(const struct execute_setup *s)
{
    struct sampling_problem p = problem_of(s, 0);
    bool plain = s->workload->sampler == SAMPLER_UNIFORM && !workload_edges(s->workload);
    if (!graph_plain(s->graph) || !kernels_cuda.sampling || s->plan->placement.access != ACCESS_GPU || !plain ||
        kernels_cuda.sampling->unsupported(&p))
        return NULL;
    return kernels_cuda.sampling;
}

/* Whether the machine has a GPU for every GPU of the plan, and readers reach their peers. *over: struct
 * execute_machine's `peers`. GPUs reach each other over PCIe as well, but without atomics. */
static bool all_linked(const struct placement *p, const char **over)
{
    int devices = 0, may = 0, atomics = 0;
    cudaError_t code = cudaGetDeviceCount(&devices);
    bool linked = code == cudaSuccess && devices >= p->gpus, any = false, nvlink = true;
    for (int g = 0; g < p->gpus; g++)
        for (int i = 0; i < p->peers[g]; i++) {
            any = true;
            if (linked) linked = (code = cudaDeviceCanAccessPeer(&may, g, p->peer[g][i])) == cudaSuccess && may;
            if (linked && nvlink)
                nvlink = cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, g, p->peer[g][i]) ==
                             cudaSuccess &&
                         atomics;
        }
    (void)cudaGetLastError(); /* a later check must not report this code */
    *over = !any ? "none" : !linked ? "stand-in" : nvlink ? "nvlink" : "pcie";
    return linked;
}

/* ---- memory ---- */

uint64_t execute_engine_buffer_bytes(const struct execute_setup *s)
{
    return execute_largest(s) * (4 * (2 + TIERS) + execute_rows_widest(s));
}

/* Bytes of the features that the host holds, files included; every table begins where any word may, at at[table]. */
static uint64_t host_bytes(const struct execute_setup *s, uint64_t *at)
{
    uint64_t bytes = 0;
    for (int k = 0; k < s->tables; k++) {
        if (at) at[k] = bytes;
        bytes += (s->rows[k].window * s->rows[k].row_bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
    return bytes;
}

/* Names the topology rows that a reader and its peers hold: source 0 is the reader, then come its peers in serving
 * order. rows: [GPUS_MAX]. */
static void name_rows(const struct placement *p, int reader, bool links, struct sampling_rows *rows,
                      struct sampling_problem *to)
{
    for (int i = 0; i <= p->peers[reader]; i++) {
        int who = i ? p->peer[reader][i - 1] : reader;
        rows[i].ids = p->topology[who].id;
        rows[i].count = p->topology[who].count;
        rows[i].device = links ? who : to->device;
        rows[i].some = false;
    }
    to->rows = rows;
    to->sources = 1 + p->peers[reader];
}

/* The memory of the GPU's sampler; none when the CPU draws or when it does not fit, which opening it will report. */
static struct sampling_facts survey(const struct execute_setup *s, int gpu, bool links)
{
    const struct sampling *sampling = choose_sampling(s);
    struct sampling_rows rows[GPUS_MAX] = {};
    struct sampling_facts facts = {};
    struct sampling_problem problem = problem_of(s, links ? gpu : 0);
    struct err unused = {};
    if (!sampling) return facts;
    name_rows(&s->plan->placement, gpu, links, rows, &problem);
    if (sampling->survey(&problem, &facts, &unused) != ST_OK) facts = sampling_facts();
    return facts;
}

/* Member `memory`. When GPUs are linked, rows of peers lie on other devices. */
static void memory(const struct execute_setup *s, int gpu, struct execute_memory *out)
{
    const struct placement *p = &s->plan->placement;
    const char *over;
    bool links = all_linked(p, &over), sampling = choose_sampling(s);
    struct sampling_facts facts = survey(s, gpu, links);
    uint64_t n = s->graph->n, rows = graph_feature_rows(s->graph), largest = execute_largest(s),
             row = execute_rows_widest(s), of_host, timing = execute_engine_measure_bytes(s, &of_host);
    uint64_t held = placement_feature_bytes(&s->plan->placement, gpu, s->graph),
             orders = sampling ? 4 * s->plan->assignment.train_count[gpu] * s->epochs : 0;
    for (int i = 0; i < p->peers[gpu] && !links; i++)
        held += placement_feature_bytes(&s->plan->placement, p->peer[gpu][i], s->graph);
    out->features = host_bytes(s, NULL);
    out->host = graph_topology_rows(s->graph) + 5 * rows + execute_drawer_bytes(s, gpu) + 8 * largest + largest * row +
                of_host;                                                           /* with a verified batch */
    if (sampling) out->host += facts.pinned_bytes + 8 * (n + 1) + 4 * s->graph->m; /* with the pinned graph */
    out->device = held + 5 * rows + ALIGNED * 2 * (uint64_t)s->tables + execute_engine_buffer_bytes(s) +
                  facts.device_bytes + orders + timing;
}

/* ---- opening ---- */

/* Makes a device the current one, with a stream and events of its own. */
static enum st use_device(struct execute_engine *e, int device, struct err *err)
{
    for (cuda_event &m : e->mark) m.close();
    e->stream.close();
    e->device = device;
    CUDA_TRY(cuda_check(cudaSetDevice(device), "choosing a GPU", err));
    CUDA_TRY(e->stream.open(err));
    for (cuda_event &m : e->mark) CUDA_TRY(m.open(err));
    return ST_OK;
}

static enum st pin_rows(struct execute_engine *e, struct err *err)
{
    const struct execute_setup *s = e->setup;
    CUDA_TRY(e->host.allocate_pinned(host_bytes(s, e->host_at),
                                     "the features of the host (--feature-memory SIZE holds fewer)", err));
    for (int k = 0; k < s->tables; k++)
        execute_rows_make(&s->rows[k], 0, s->rows[k].window, e->host.at + e->host_at[k], s->threads);
    return ST_OK;
}

static enum st describe(const struct execute_engine *e, struct execute_machine *m, struct err *err)
{
    struct cudaDeviceProp prop;
    CUDA_TRY(cuda_check(cudaGetDeviceProperties(&prop, 0), "asking for the GPU's name", err));
    *m = execute_machine();
    snprintf(m->device, sizeof m->device, "%.100s", prop.name);
    snprintf(m->kind, sizeof m->kind, "cuda");
    m->pcie = true;
    m->sampling = e->sampling ? "device" : "host";
    m->peers = e->peers;
    m->overlap = e->setup->overlap ? "sampling while gathering" : "none";
    return ST_OK;
}

static enum st execute_cuda_begin(struct execute_engine *e, const struct execute_setup *s,
                                  struct execute_machine *machine, struct err *err)
{
    e->setup = s;
    for (int k = 0; k < s->tables; k++)
        if (s->rows[k].cached != PRECISION_HOST)
            return err_set(err, ST_NO,
                           "the plan's GPUs hold rows as %s, which this engine does not turn back; take --device cpu",
                           precision_name(s->rows[k].cached));
    e->links = all_linked(&s->plan->placement, &e->peers);
    e->largest = execute_largest(s);
    e->sampling = choose_sampling(s);
    CUDA_TRY(use_device(e, 0, err));
    CUDA_TRY(execute_drawer_new(s, &e->drawer, err));
    CUDA_TRY(pin_rows(e, err));
    return describe(e, machine, err);
}

static enum st open(const struct execute_setup *s, void **state, struct execute_machine *machine, struct err *err)
{
    struct execute_engine *e = new (std::nothrow) execute_engine();
    if (!e) return err_set(err, ST_LIMIT, "there is no memory left for the execution");
    enum st st = execute_cuda_begin(e, s, machine, err);
    if (st == ST_OK) *state = e;
    else delete e;
    return st;
}

static void close(void *state) { delete static_cast<struct execute_engine *>(state); }

/* ---- caches ---- */

/* Fills the feature cache of one position in the current GPU's memory; this GPU reads the rows from the host. */
static enum st fill_held(struct execute_engine *e, int position, const struct execute_held *held, struct err *err)
{
    const struct execute_setup *s = e->setup;
    uint64_t at[GRAPH_TABLES_MAX + 1] = {}, count = held->from[s->tables];
    device_array<uint32_t> ids;
    for (int k = 0; k < s->tables; k++) {
        uint64_t bytes = (held->from[k + 1] - held->from[k]) * s->rows[k].row_bytes;
        at[k + 1] = at[k] + (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
    CUDA_TRY(e->rows[position].allocate(at[s->tables], "the feature cache", err));
    for (int k = 0; k < s->tables; k++) e->begin[k][1 + position] = e->rows[position].at + at[k];
    if (!count) return ST_OK;
    CUDA_TRY(ids.allocate_copy(held->id, count, "the rows of a cache", err));
    for (int k = 0; k < s->tables; k++) {
        uint64_t from = held->from[k], to = held->from[k + 1];
        if (to > from)
            CUDA_TRY(fetch(ids.at + from, to - from, e->host.at + e->host_at[k], s->rows[k],
                           e->rows[position].at + at[k], 0, err));
    }
    return cuda_check(cudaDeviceSynchronize(), "filling a cache", err);
}

static enum st fill_rows(struct execute_engine *e, int position, struct err *err)
{
    struct execute_held held = {};
    enum st st = execute_held_make(e->setup, position, &held, err);
    if (st == ST_OK) st = fill_held(e, position, &held, err);
    execute_held_release(&held);
    return st;
}

/* Fills a peer's cache: on the peer's GPU, to which access is enabled, or beside the reader's. */
static enum st fill_peer(struct execute_engine *e, int position, struct err *err)
{
    if (!e->links) return fill_rows(e, position, err);
    cudaError_t code = cudaDeviceEnablePeerAccess(position, 0);
    if (code == cudaErrorPeerAccessAlreadyEnabled) {
        (void)cudaGetLastError(); /* no error */
        code = cudaSuccess;
    }
    CUDA_TRY(cuda_check(code, "reaching a peer", err));
    CUDA_TRY(cuda_check(cudaSetDevice(position), "choosing a GPU", err));
    enum st st = fill_rows(e, position, err);
    struct err other = {};
    enum st back = cuda_check(cudaSetDevice(e->device), "choosing a GPU", st == ST_OK ? err : &other);
    return st == ST_OK ? back : st;
}

uint64_t execute_engine_buffer_bytes_left(const struct execute_engine *e)
{
    uint64_t most = execute_engine_buffer_bytes(e->setup),
             held = e->room * (4 * TIERS + execute_rows_widest(e->setup)) + 4 * (e->drawn[0].room + e->drawn[1].room);
    return held < most ? most - held : 0;
}

/* Opens the sampler on the reader's GPU, with the topology rows of the reader and its peers. */
static enum st open_session(struct execute_engine *e, struct err *err)
{
    const struct plan *plan = e->setup->plan;
    const struct assignment *a = &plan->assignment;
    struct sampling_rows rows[GPUS_MAX] = {};
    struct sampling_facts facts;
    size_t available = 0, unused = 0;
    uint64_t mine = execute_engine_buffer_bytes_left(e);
    struct sampling_problem problem = problem_of(e->setup, e->device);
    int own = e->reader->gpu;
    CUDA_TRY(cuda_check(cudaMemGetInfo(&available, &unused), "asking for free GPU memory", err));
    problem.memory = available > mine ? available - mine : 1; /* the buffers of a mini-batch are allocated later */
    name_rows(&plan->placement, own, e->links, rows, &problem);
    CUDA_TRY(e->sampling->open(&problem, &e->session, &facts, err));
    return e->sampling->gpu(e->session, a->id[own], execute_drawer_order(e->drawer), a->train_count[own],
                            e->setup->epochs, err);
}

static enum st place_rows(struct execute_engine *e, struct err *err)
{
    const struct execute_reader *r = e->reader;
    uint64_t rows = graph_feature_rows(e->setup->graph), bases = (uint64_t)e->setup->tables * (GPUS_MAX + 1);
    for (int k = 0; k < e->setup->tables; k++) e->begin[k][0] = e->host.at + e->host_at[k];
    e->at.release();
    e->slot.release();
    if (!e->base.at) CUDA_TRY(e->base.allocate(bases, "the lookup table", err));
    if (!e->counts.at) CUDA_TRY(e->counts.allocate(TIERS, "the lookup table", err));
    CUDA_TRY(e->base.copy_in(e->begin[0], bases, err));
    CUDA_TRY(e->at.allocate_copy(r->at_feature, rows, "the lookup table", err));
    CUDA_TRY(e->slot.allocate_copy(r->slot, rows, "the lookup table", err));
    e->places.at = e->at.at;
    e->places.slot = e->slot.at;
    e->places.base = e->base.at;
    return ST_OK;
}

/* Opens the driver's PCIe counter of the reader's GPU. */
static void start_counter(struct execute_engine *e)
{
    struct cudaDeviceProp prop;
    char address[40];
    e->received = 0;
    e->no_counter = "one mini-batch can move more than 3 GiB, in which the GPU's PCIe counter of 32 bits may wrap "
                    "unnoticed";
    if (execute_engine_batch_receives(e->setup) > PCIE_BYTES_BETWEEN) return;
    e->no_counter = "the GPU does not report its PCI address";
    if (cudaGetDeviceProperties(&prop, e->device) != cudaSuccess) {
        (void)cudaGetLastError();
        return;
    }
    snprintf(address, sizeof address, "%08x:%02x:%02x.0", (unsigned)prop.pciDomainID, (unsigned)prop.pciBusID,
             (unsigned)prop.pciDeviceID);
    e->counter = pcie_bytes_open(NULL, address, &e->no_counter);
}

/* Uses the reader's own GPU, when it has one; buffers on the last GPU are freed. */
static enum st use_reader(struct execute_engine *e, int gpu, struct err *err)
{
    if (!e->links || e->device == gpu) return ST_OK;
    for (struct execute_drawn &d : e->drawn) {
        d.ids.release();
        d.room = 0;
    }
    e->out.release();
    e->order.release();
    e->base.release();
    e->counts.release();
    e->room = 0;
    return use_device(e, gpu, err);
}

/* Member `fill`. The reader's own cache is timed; opening the sampler copies its topology rows. The counter starts
 * after the warm-up. */
static enum st execute_cuda_fill(void *state, const struct execute_reader *r, struct execute_fill *out, struct err *err)
{
    struct execute_engine *e = static_cast<struct execute_engine *>(state);
    const struct plan *plan = e->setup->plan;
    const struct placement *p = &plan->placement;
    double began;
    e->reader = r;
    pcie_bytes_close(e->counter);
    e->counter = nullptr;
    for (int g = 0; g < GPUS_MAX; g++) e->rows[g].release();
    memset(e->begin, 0, sizeof e->begin);
    if (e->sampling) e->sampling->close(e->session);
    e->session = nullptr;
    CUDA_TRY(use_reader(e, r->gpu, err));
    CUDA_TRY(execute_drawer_turn(e->drawer, r, err));
    *out = execute_fill();
    out->topology_bytes = e->sampling ? placement_topology_bytes(&plan->placement, r->gpu, e->setup->graph)
                                      : 0; /* only the sampler on the GPU reads them */
    out->feature_bytes = placement_feature_bytes(&plan->placement, r->gpu, e->setup->graph);
    began = clock_seconds();
    CUDA_TRY(fill_rows(e, r->gpu, err));
    out->feature_seconds = clock_seconds() - began;
    for (int i = 0; i < p->peers[r->gpu]; i++) CUDA_TRY(fill_peer(e, p->peer[r->gpu][i], err));
    CUDA_TRY(place_rows(e, err));
    began = clock_seconds();
    if (e->sampling && plan->assignment.train_count[r->gpu]) CUDA_TRY(open_session(e, err));
    out->topology_seconds = clock_seconds() - began;
    CUDA_TRY(cuda_check(cudaDeviceSynchronize(), "filling a cache", err));
    CUDA_TRY(execute_engine_warm(e, err));
    start_counter(e);
    return ST_OK;
}

extern "C" {
extern const struct executor executor_cuda;
const struct executor executor_cuda = {"cuda",
                                       "caches in GPU memory, host memory read over PCIe by zero copy",
                                       missing,
                                       memory,
                                       open,
                                       execute_cuda_fill,
                                       execute_engine_run,
                                       execute_engine_measure,
                                       close};
}
