/* search.cu - the candidate search in device memory.
 *
 * Topology and features have a stream each: while the counts of one kind are copied in, the other is summed, sorted and
 * scanned. Then one launch evaluates every alpha of every variant of every clique. Points and orders are copied back. A
 * session allocates all its arrays before work starts, so that times contain no allocation. Counts that do not fit pass
 * in pieces.
 */
#include <new>
#include "kernels/cuda/rank.cuh"
#include "kernels/search.h"
#include "kernels/sweep_point.h"

namespace
{

#ifdef HOTSET_CUDA_EMULATED
constexpr uint64_t SPARE = 1 << 16;
#else
constexpr uint64_t SPARE = 64 << 20; /* for CUB's scratch memory, points and alignment */
#endif

/* One kind of rows of one clique. The marks are the events between its stages. */
enum { BEGUN, COPIED, SUMMED, RANGED, SORTED, SCANNED, MARKS };
struct side {
    cuda_rank rank;
    device_array<uint32_t> hot; /* [gpus][piece] */
    cuda_rows rows;
    uint64_t piece; /* vertices of a piece; n: one piece, and counts stay */
    cuda_event mark[MARKS];
    bool sizes; /* rank has the prefix sums of row bytes */
};

struct clique {
    struct search_problem p;
    side sides[SEARCH_KINDS];
    const int64_t *indptr; /* device array */
    bool stays;            /* counts stay in device memory */
};

struct session {
    int count = 0, threads = 1, variants = 0, steps = 1;
    clique *cliques = nullptr;               /* [count] */
    device_array<int64_t> *indptr = nullptr; /* [count]; cliques of one graph use the first one's */
    cuda_stream stream[SEARCH_KINDS];
    cuda_event begun, swept_from, swept, ended, assign_from, assign_to;
    device_array<struct sweep_problem> problems;
    host_array<struct sweep_problem> problems_here;
    device_array<struct sweep_point> points;
    host_array<struct sweep_point> points_here;
    cuda_staging staging;
    struct search_facts facts = {};
    ~session()
    {
        for (int s = 0; s < SEARCH_KINDS; s++)
            if (stream[s].at) (void)cudaStreamSynchronize(stream[s].at); /* nothing may use the arrays that are freed */
        delete[] cliques;
        delete[] indptr;
    }
};

__global__ void sweep_all(const struct sweep_problem *p, uint64_t alphas, uint64_t all, struct sweep_point *points)
{
    CUDA_EACH(i, all)
    points[i] = sweep_point_at(&p[i / alphas], i % alphas);
}

/* out[0] = the rows of the longest prefix that fits `room`; out[1] = their bytes. */
__global__ void longest_prefix(const uint64_t *size, uint64_t count, uint64_t room, uint64_t *out)
{
    CUDA_EACH(i, 1)
    {
        uint64_t rows = sweep_rows(size, count, room);
        out[i] = rows;
        out[i + 1] = rows ? size[rows - 1] : 0;
    }
}

/* ---- memory ---- */

uint64_t row_bytes_of(const struct search_problem *p) { return 4 * p->n * (uint64_t)p->gpus * SEARCH_KINDS; }

bool same_graph(const struct search_problem *a, const struct search_problem *b)
{
    return a->indptr == b->indptr && a->n == b->n;
}

/* Vertices of a piece when counts do not stay. */
uint64_t piece_of(const struct search_problem *p)
{
    uint64_t most = CUDA_PIECE / 4 / (4 * (uint64_t)p->gpus);
    return p->n < most ? p->n : most;
}

/* Whether the search fits, and which cliques' counts stay: as many as fit beside an assignment, with an eighth of the
 * memory left for another operation. */
enum st plan_memory(const struct search_problem *p, int count, clique *cliques, bool *fits, struct err *err)
{
    size_t available = 0, all = 0;
    uint64_t need = SPARE, spare = 0;
    CUDA_TRY(cuda_check(cudaMemGetInfo(&available, &all), "asking for free GPU memory", err));
    for (int c = 0; c < count; c++) {
        uint64_t assigning = cuda_cslp_bytes(0, p[c].gpus, p[c].n), graph = 8 * (p[c].n + 1);
        need += search_device_bytes(&p[c]) + p[c].n / 4 +
                (p[c].on_device ? 0 : SEARCH_KINDS * 4 * (uint64_t)p[c].gpus * piece_of(&p[c]));
        for (int d = 0; d < c; d++)
            if (same_graph(&p[c], &p[d])) {
                need -= graph;
                break;
            }
        spare = assigning > spare ? assigning : spare;
    }
    *fits = need + spare <= available;
    for (int c = 0; *fits && c < count; c++) {
        uint64_t more = p[c].on_device ? 0 : row_bytes_of(&p[c]);
        cliques[c].stays = p[c].on_device || need + spare + more + available / 8 <= available;
        need += cliques[c].stays ? more : 0;
    }
    return ST_OK;
}

enum st allocate_side(clique *c, enum search_kind kind, struct err *err)
{
    side *s = &c->sides[kind];
    const struct search_problem *p = &c->p;
    for (int m = 0; m < MARKS; m++) CUDA_TRY(s->mark[m].open(err));
    CUDA_TRY(s->rank.allocate(p->n, p->gpus, err));
    s->piece = c->stays ? p->n : piece_of(p);
    if (!p->on_device) CUDA_TRY(s->hot.allocate(s->piece * (uint64_t)p->gpus, "the candidate search", err));
    for (int g = 0; g < p->gpus; g++)
        s->rows.row[g] = p->on_device ? p->hot[kind][g] : s->hot.at + (uint64_t)g * s->piece;
    return ST_OK;
}

enum st allocate_session(session *s, struct err *err)
{
    uint64_t most = 1;
    for (int c = 0; c < s->count; c++)
        most = (s->cliques[c].p.n + 1) * sizeof(int64_t) > most ? (s->cliques[c].p.n + 1) * sizeof(int64_t) : most;
    for (int k = 0; k < SEARCH_KINDS; k++) CUDA_TRY(s->stream[k].open(err));
    for (cuda_event *e : {&s->begun, &s->swept_from, &s->swept, &s->ended, &s->assign_from, &s->assign_to})
        CUDA_TRY(e->open(err));
    for (int c = 0; c < s->count; c++) {
        s->variants += s->cliques[c].p.variants;
        s->steps = s->cliques[c].p.variants ? s->cliques[c].p.steps : s->steps;
        for (int k = 0; k < SEARCH_KINDS; k++) CUDA_TRY(allocate_side(&s->cliques[c], (enum search_kind)k, err));
    }
    const uint64_t points = (uint64_t)s->variants * ((uint64_t)s->steps + 1);
    CUDA_TRY(s->problems.allocate((uint64_t)s->variants, "the sweep", err));
    CUDA_TRY(s->problems_here.allocate((uint64_t)s->variants, "the sweep", err));
    CUDA_TRY(s->points.allocate(points, "the sweep", err));
    CUDA_TRY(s->points_here.allocate(points, "the sweep", err));
    for (int c = 0; c < s->count; c++) { /* cliques of one graph share its offsets */
        clique *k = &s->cliques[c];
        for (int d = 0; d < c && !k->indptr; d++)
            k->indptr = same_graph(&k->p, &s->cliques[d].p) ? s->cliques[d].indptr : nullptr;
        if (k->indptr) continue;
        CUDA_TRY(s->indptr[c].allocate(k->p.n + 1, "the candidate search", err));
        k->indptr = s->indptr[c].at;
    }
    return s->staging.open(s->threads, most, err);
}

/* ---- the search ---- */

cudaStream_t stream_of(const session *s, const clique *c, int kind) { return s->stream[c->p.one_stream ? 0 : kind].at; }

enum st load_graphs(session *s, struct err *err)
{
    for (int c = 0; c < s->count; c++) {
        const clique *k = &s->cliques[c];
        if (s->indptr[c].at)
            CUDA_TRY(s->staging.to_device(s->indptr[c].at, k->p.indptr, (k->p.n + 1) * sizeof(int64_t),
                                          stream_of(s, k, SEARCH_TOPOLOGY), err));
    }
    return s->stream[SEARCH_TOPOLOGY].wait("copying to the GPU", err); /* both streams read the graph */
}

enum st copy_and_sum(session *s, clique *c, int kind, struct err *err)
{
    side *d = &c->sides[kind];
    const struct search_problem *p = &c->p;
    cudaStream_t stream = stream_of(s, c, kind);
    CUDA_TRY(d->mark[BEGUN].record(stream, err));
    for (uint64_t from = 0; from < p->n; from += d->piece) {
        uint64_t here = p->n - from < d->piece ? p->n - from : d->piece;
        for (int g = 0; g < p->gpus && !p->on_device; g++)
            CUDA_TRY(s->staging.to_device(d->hot.at + (uint64_t)g * d->piece, p->hot[kind][g] + from,
                                          here * sizeof(uint32_t), stream, err));
        if (!from) CUDA_TRY(d->mark[COPIED].record(stream, err));
        CUDA_TRY(d->rank.sum(&d->rows, from, here, stream, err));
    }
    if (p->was_read) p->was_read(p->of);
    CUDA_TRY(d->mark[SUMMED].record(stream, err));
    return d->rank.range_to_host(stream, err);
}

enum st sort_and_scan(session *s, clique *c, int kind, struct err *err)
{
    side *d = &c->sides[kind];
    cudaStream_t stream = stream_of(s, c, kind);
    CUDA_TRY(d->mark[RANGED].record(stream, err));
    CUDA_TRY(d->rank.sort(stream, err));
    CUDA_TRY(d->mark[SORTED].record(stream, err));
    if (c->p.variants) {
        CUDA_TRY(d->rank.scan_hot(stream, err));
        d->sizes = kind == SEARCH_TOPOLOGY;
        if (d->sizes) CUDA_TRY(d->rank.scan_sizes(c->indptr, stream, err));
    }
    return d->mark[SCANNED].record(stream, err);
}

/* Ranks every kind of every clique. Counts that are on the device are all summed before the host waits for a range. */
enum st rank_all(session *s, struct err *err)
{
    for (int c = 0; c < s->count; c++)
        for (int k = 0; k < SEARCH_KINDS && s->cliques[c].p.n; k++) {
            CUDA_TRY(copy_and_sum(s, &s->cliques[c], k, err));
            if (!s->cliques[c].p.on_device) CUDA_TRY(sort_and_scan(s, &s->cliques[c], k, err));
        }
    for (int c = 0; c < s->count; c++)
        for (int k = 0; k < SEARCH_KINDS && s->cliques[c].p.n; k++)
            if (s->cliques[c].p.on_device) CUDA_TRY(sort_and_scan(s, &s->cliques[c], k, err));
    return ST_OK;
}

void list_sweeps(session *s)
{
    struct sweep_problem *at = s->problems_here.at;
    for (int c = 0; c < s->count; c++) {
        const clique *k = &s->cliques[c];
        for (int i = 0; i < k->p.variants; i++) {
            const struct search_variant *v = &k->p.variant[i];
            struct sweep_problem one = {};
            one.n = k->p.n;
            one.size_topology = k->p.n ? k->sides[SEARCH_TOPOLOGY].rank.size_at() : nullptr;
            one.hot_topology = k->p.n ? k->sides[SEARCH_TOPOLOGY].rank.hot_at() : nullptr;
            one.hot_feature = k->p.n ? k->sides[SEARCH_FEATURE].rank.hot_at() : nullptr;
            one.budget = v->budget;
            one.row_bytes = k->p.row_bytes;
            one.n_tsum = v->n_tsum;
            one.lines = v->lines;
            one.epochs = v->epochs;
            one.steps = s->steps;
            *at++ = one;
        }
    }
}

enum st sweep_variants(session *s, struct err *err)
{
    cudaStream_t stream = s->stream[SEARCH_TOPOLOGY].at;
    const uint64_t alphas = (uint64_t)s->steps + 1, all = alphas * (uint64_t)s->variants;
    for (int c = 0; c < s->count; c++)
        if (s->cliques[c].p.n)
            CUDA_TRY(cuda_check(cudaStreamWaitEvent(stream, s->cliques[c].sides[SEARCH_FEATURE].mark[SCANNED].at, 0),
                                "sweeping alpha", err));
    CUDA_TRY(s->swept_from.record(stream, err));
    if (all) {
        list_sweeps(s);
        CUDA_TRY(cuda_check(cudaMemcpyAsync(s->problems.at, s->problems_here.at,
                                            (uint64_t)s->variants * sizeof(struct sweep_problem),
                                            cudaMemcpyHostToDevice, stream),
                            "copying to the GPU", err));
        CUDA_LAUNCH(sweep_all, all, stream, s->problems.at, alphas, all, s->points.at);
        CUDA_TRY(cuda_check(cudaGetLastError(), "sweeping alpha", err));
    }
    CUDA_TRY(s->swept.record(stream, err));
    if (all)
        CUDA_TRY(cuda_check(cudaMemcpyAsync(s->points_here.at, s->points.at, all * sizeof(struct sweep_point),
                                            cudaMemcpyDeviceToHost, stream),
                            "copying from the GPU", err));
    CUDA_TRY(s->ended.record(stream, err));
    return s->stream[SEARCH_TOPOLOGY].wait("sweeping alpha", err);
}

enum st copy_results(session *s, struct search_result *out, struct err *err)
{
    const struct sweep_point *at = s->points_here.at;
    for (int c = 0; c < s->count; c++) {
        clique *k = &s->cliques[c];
        uint64_t points = (uint64_t)k->p.variants * ((uint64_t)s->steps + 1);
        if (points) memcpy(out[c].points, at, points * sizeof *at);
        at += points;
        for (int kind = 0; kind < SEARCH_KINDS; kind++)
            if (out[c].order[kind] && k->p.n)
                CUDA_TRY(s->staging.to_host(out[c].order[kind], k->sides[kind].rank.order_at(),
                                            k->p.n * sizeof(uint32_t), stream_of(s, k, kind), err));
    }
    return ST_OK;
}

/* Adds the times of one kind, and the least bytes that its stages move: sums; keys, read once more for the range, and
 * every pass of the sort; scans, with gathered row lengths (rank.cuh). */
void note_side(struct search_facts *f, const clique *c, int kind)
{
    const side *d = &c->sides[kind];
    const double n = (double)c->p.n, key = d->rank.narrow ? 4 : 8;
    const int words = cslp_mask_words(c->p.gpus);
    const bool whole = d->piece >= c->p.n; /* otherwise copies and sums alternate, and both count as copying */
    f->seconds[SEARCH_COPY] += d->mark[BEGUN].until(d->mark[whole ? COPIED : SUMMED]);
    f->bytes[SEARCH_COPY] += c->p.on_device ? 0 : n * 4 * c->p.gpus;
    f->seconds[SEARCH_SUM] += whole ? d->mark[COPIED].until(d->mark[SUMMED]) : 0;
    f->bytes[SEARCH_SUM] += !whole ? 0 : n * (4 * c->p.gpus + 8 + (c->p.gpus == 1 ? 0 : words ? 8 * words : 1));
    f->seconds[SEARCH_SORT] += d->mark[RANGED].until(d->mark[SORTED]);
    f->bytes[SEARCH_SORT] += n * (8 + key + 4 + key + d->rank.sort_passes() * 2 * (key + 4));
    f->seconds[SEARCH_SCAN] += d->mark[SORTED].until(d->mark[SCANNED]);
    f->bytes[SEARCH_SCAN] += c->p.variants ? n * (key + 8 + (kind == SEARCH_TOPOLOGY ? 4 + 16 + 8 : 0)) : 0;
}

void note_all(session *s)
{
    struct search_facts *f = &s->facts;
    f->resident = true;
    for (int c = 0; c < s->count; c++)
        for (int k = 0; k < SEARCH_KINDS && s->cliques[c].p.n; k++) note_side(f, &s->cliques[c], k);
    f->seconds[SEARCH_SWEEP] = s->swept_from.until(s->swept);
    f->bytes[SEARCH_SWEEP] = (double)s->variants * (s->steps + 1.0) * sizeof(struct sweep_point);
    f->all_seconds = s->begun.until(s->ended);
}

enum st run_session(session *s, struct search_result *out, struct err *err)
{
    CUDA_TRY(load_graphs(s, err));
    CUDA_TRY(s->begun.record(s->stream[SEARCH_TOPOLOGY].at, err));
    CUDA_TRY(
        cuda_check(cudaStreamWaitEvent(s->stream[SEARCH_FEATURE].at, s->begun.at, 0), "the candidate search", err));
    CUDA_TRY(rank_all(s, err));
    CUDA_TRY(sweep_variants(s, err));
    CUDA_TRY(cuda_check(cudaStreamSynchronize(s->stream[SEARCH_FEATURE].at), "the candidate search", err));
    note_all(s);
    return copy_results(s, out, err);
}

/* Prepares a session. *fits is false when memory does not suffice, or another user of the GPU took it meanwhile. */
enum st begin(session *s, const struct search_problem *p, int count, int threads, bool *fits, struct err *err)
{
    s->count = count;
    s->threads = threads;
    s->cliques = new (std::nothrow) clique[(size_t)count]();
    s->indptr = new (std::nothrow) device_array<int64_t>[(size_t)count]();
    if (!s->cliques || !s->indptr) return err_set(err, ST_LIMIT, "there is no memory left for the candidate search");
    CUDA_TRY(plan_memory(p, count, s->cliques, fits, err));
    if (!*fits) return ST_OK;
    size_t before = 0, after = 0, all = 0;
    CUDA_TRY(cuda_check(cudaMemGetInfo(&before, &all), "asking for free GPU memory", err));
    for (int c = 0; c < count; c++) s->cliques[c].p = p[c];
    enum st st = allocate_session(s, err);
    if (st == ST_LIMIT) return *fits = false, ST_OK;
    CUDA_TRY(st);
    CUDA_TRY(cuda_check(cudaMemGetInfo(&after, &all), "asking for free GPU memory", err));
    s->facts.device_bytes = before > after ? before - after : 0;
    return ST_OK;
}

enum st search_on_device(int threads, const struct search_problem *p, int count, struct search_result *out, void **made,
                         struct err *err)
{
    session *s;
    bool fits = false;
    *made = nullptr;
    if (count < 1) return ST_OK;
    s = new (std::nothrow) session;
    if (!s) return err_set(err, ST_LIMIT, "there is no memory left for the candidate search");
    enum st st = begin(s, p, count, threads, &fits, err);
    if (st == ST_OK && fits) st = run_session(s, out, err);
    if (st == ST_OK && fits) *made = s;
    else delete s;
    return st == ST_LIMIT ? ST_OK : st; /* memory was taken by another user: single operations follow */
}

/* ---- assignment ---- */

/* With one GPU the rows placed are the longest prefix that fits. */
enum st assign_single(session *s, clique *c, int kind, uint64_t count, uint64_t *room, uint64_t *held, struct err *err)
{
    side *d = &c->sides[kind];
    cudaStream_t stream = stream_of(s, c, kind);
    uint64_t found[2];
    if (kind == SEARCH_FEATURE) {
        *held = *room / c->p.row_bytes < count ? *room / c->p.row_bytes : count;
        *room -= *held * c->p.row_bytes;
        return ST_OK;
    }
    if (!d->sizes) CUDA_TRY(d->rank.scan_sizes(c->indptr, stream, err));
    d->sizes = true;
    CUDA_LAUNCH(longest_prefix, 1, stream, d->rank.size_at(), count, *room, d->rank.range.at);
    CUDA_TRY(cuda_check(cudaGetLastError(), "assigning rows", err));
    CUDA_TRY(cuda_check(cudaMemcpyAsync(found, d->rank.range.at, sizeof found, cudaMemcpyDeviceToHost, stream),
                        "copying from the GPU", err));
    CUDA_TRY(cuda_check(cudaStreamSynchronize(stream), "assigning rows", err));
    *held = found[0];
    *room -= found[1];
    return ST_OK;
}

enum st search_assign_on_device(void *of, int problem, enum search_kind kind, uint64_t count, uint64_t *room,
                                uint8_t *owner, uint64_t *held, struct err *err)
{
    session *s = static_cast<session *>(of);
    clique *c = &s->cliques[problem];
    side *d = &c->sides[kind];
    cudaStream_t stream = stream_of(s, c, kind);
    *held = 0;
    if (!count) return ST_OK;
    CUDA_TRY(s->assign_from.record(stream, err));
    if (c->p.gpus == 1) {
        CUDA_TRY(assign_single(s, c, kind, count, room, held, err));
        memset(owner, 0, *held);
    } else {
        struct cuda_cslp_device on = {c->stays ? &d->rows : nullptr,
                                      c->p.hot[kind],
                                      d->rank.order_at(),
                                      kind == SEARCH_TOPOLOGY ? c->indptr : nullptr,
                                      &d->rank.preferences,
                                      c->p.n,
                                      c->p.row_bytes,
                                      c->p.gpus};
        CUDA_TRY(cuda_cslp_assign(&on, count, stream, room, owner, held, err));
    }
    CUDA_TRY(s->assign_to.record(stream, err));
    CUDA_TRY(s->assign_to.wait("assigning rows", err));
    s->facts.seconds[SEARCH_ASSIGN] += s->assign_from.until(s->assign_to);
    s->facts.bytes[SEARCH_ASSIGN] += (double)*held * (4 + 1 + 1 + (kind == SEARCH_TOPOLOGY ? 16 + 8 : 0));
    return ST_OK;
}

void search_facts_on_device(const void *s, struct search_facts *out) { *out = static_cast<const session *>(s)->facts; }

void search_free_on_device(void *s) { delete static_cast<session *>(s); }

} // namespace

const struct search_device cuda_search = {
    search_on_device, search_assign_on_device, search_facts_on_device, search_free_on_device,
    cuda_to_device,   cuda_device_free,        cuda_copy_rate,
};
