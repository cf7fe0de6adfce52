/* execute_measure.cu - transactions of mini-batches by measurement (declared in execute_engine.cuh).
 *
 * The clock gives seconds and the driver's counter gives bytes, but neither gives transactions. So both are calibrated
 * by reads of known rows of the host: rows of the same size, at random places, each read once, so that no cache serves
 * them. Seconds and bytes per cache line of these reads turn the seconds of a mini-batch and the bytes of a run into
 * lines. A GPU requests sectors of 32 bytes, not lines; the calibration accounts for this for feature rows only.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/execute/execute_engine.cuh"
extern "C" {
#include "base/cacheline.h"
#include "base/rng.h"
#include "traces/sampling/sampler.h"
}

enum { STREAM_RATE = 0x72617465, FEW = 16, TIMES = 5, ROUNDS = TIMES + 1 /* the first warms up */, CACHES = 4 };
constexpr uint64_t MANY_BYTES = 64 << 20, MANY_MAX = 1 << 20;

/* A read of the host takes start + lines * line seconds, and line_bytes bytes per line by the counter. NAN: not known,
 * for the reason `why`. */
struct rate {
    double start, line, gbps, line_bytes;
    const char *why;
};

/* Reads of `count` rows per round: their lines and seconds. */
struct reads {
    uint64_t count, lines[ROUNDS];
    double seconds[ROUNDS];
};

/* Rows of a read: so few that the window has different rows for every round, and for a second read of a sixteenth as
 * many. 0: the window is too small. */
static uint64_t rows_to_time(const struct execute_setup *s)
{
    uint64_t many = MANY_BYTES / s->rows->row_bytes, have = s->rows->window / (ROUNDS + 1);
    if (s->tables > 1) return 0;
    many = many < 16 * FEW ? 16 * FEW : many > MANY_MAX ? MANY_MAX : many;
    many = many < have ? many : have;
    return many < FEW ? 0 : many;
}

static uint64_t rows_of_all_rounds(uint64_t many) { return ROUNDS * (many + many / FEW); }

uint64_t execute_engine_measure_bytes(const struct execute_setup *s, uint64_t *of_host)
{
    uint64_t many = rows_to_time(s);
    *of_host = 4 * rows_of_all_rounds(many);
    return *of_host + many * s->rows->row_bytes;
}

/* Counts two lines of offsets per visit, a line per draw, and every vertex's row with two more lines. */
uint64_t execute_engine_batch_receives(const struct execute_setup *s)
{
    const struct workload *w = s->workload;
    unsigned __int128 bytes = (unsigned __int128)execute_largest(s) *
                              (execute_rows_widest(s) + 2 * s->plan->line_bytes);
    uint64_t n = s->graph->n, level = w->batch < n ? w->batch : n, all = level;
    for (int h = 0; h < w->hops; h++) {
        uint64_t frontier = w->frontier == FRONTIER_ALL ? all : level;
        uint64_t draws = workload_hop_draws(s->graph, w, h, frontier);
        bytes += ((unsigned __int128)2 * frontier + (draws < s->graph->m ? draws : s->graph->m)) * s->plan->line_bytes;
        level = draws < n ? draws : n;
        all = all + level < n ? all + level : n;
    }
    return bytes < UINT64_MAX ? (uint64_t)bytes : UINT64_MAX;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Chooses rows of the window, none twice: steps of about the golden ratio of the window, without a common divisor. */
static void choose_rows(const struct execute_setup *s, uint32_t *list, uint64_t count)
{
    uint64_t window = s->rows->window, step = (uint64_t)(0.6180339887 * (double)window) | 1,
             at = rng_hash(s->workload->seed, STREAM_RATE, 0) % window;
    while (common_divisor(step, window) != 1) step++;
    for (uint64_t i = 0; i < count; i++) {
        list[i] = (uint32_t)at;
        at = (at + step) % window;
    }
}

static uint64_t lines_of(const struct execute_setup *s, const uint32_t *list, uint64_t count)
{
    uint64_t lines = 0;
    for (uint64_t i = 0; i < count; i++)
        lines += cachelines_of_feature(list[i], s->rows->row_bytes, s->plan->line_bytes);
    return lines;
}

static enum st time_rows(struct execute_engine *e, const uint32_t *ids, uint64_t count, uint8_t *to, double *out,
                         struct err *err)
{
    CUDA_TRY(execute_engine_mark(e, EXECUTE_HOST, false, err));
    CUDA_TRY(fetch(ids, count, e->host.at, e->setup->rows[0], to, e->stream.at, err));
    CUDA_TRY(execute_engine_mark(e, EXECUTE_HOST, true, err));
    CUDA_TRY(e->stream.wait("timing reads of the host", err));
    return execute_engine_seconds(e, EXECUTE_HOST, out, err);
}

/* Reads many rows and then few, in every round, always different ones. */
static enum st time_rounds(struct execute_engine *e, const uint32_t *list, struct reads of[2], uint64_t *received,
                           struct err *err)
{
    device_array<uint32_t> ids;
    device_array<uint8_t> to;
    uint64_t at = 0;
    CUDA_TRY(ids.allocate_copy(list, rows_of_all_rounds(of[0].count), "rows to time", err));
    CUDA_TRY(to.allocate(of[0].count * e->setup->rows->row_bytes, "rows to time", err));
    CUDA_TRY(cuda_check(cudaDeviceSynchronize(), "copying rows to time", err));
    for (int i = 0; i < ROUNDS; i++)
        for (int k = 0; k < 2; k++) {
            execute_engine_ask_counter(e);
            uint64_t before = e->received;
            CUDA_TRY(time_rows(e, ids.at + at, of[k].count, to.at, &of[k].seconds[i], err));
            execute_engine_ask_counter(e);
            of[k].lines[i] = lines_of(e->setup, list + at, of[k].count);
            if (i && !k) *received += e->received - before;
            at += of[k].count;
        }
    return ST_OK;
}

static int by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static double median(double v[TIMES])
{
    qsort(v, TIMES, sizeof *v, by_value);
    return v[TIMES / 2];
}

/* Sets the rates to medians over the rounds. */
static void set_rate(const struct reads of[2], uint64_t row_bytes, struct rate *out)
{
    double line[TIMES], start[TIMES], gbps[TIMES];
    for (int i = 0; i < TIMES; i++) {
        const double many = of[0].seconds[i + 1], few = of[1].seconds[i + 1];
        line[i] = (many - few) / ((double)of[0].lines[i + 1] - (double)of[1].lines[i + 1]);
        start[i] = few - line[i] * (double)of[1].lines[i + 1];
        gbps[i] = many > 0 ? 1e-9 * (double)(of[0].count * row_bytes) / many : 0;
    }
    out->line = median(line);
    out->start = median(start);
    out->start = out->start > 0 ? out->start : 0;
    out->gbps = median(gbps);
    if (out->line > 0) return;
    out->line = NAN;
    out->why = "reads of the host took too little time to measure";
}

static enum st time_host(struct execute_engine *e, struct rate *out, struct err *err)
{
    const struct execute_setup *s = e->setup;
    struct reads of[2] = {};
    uint64_t received = 0, lines = 0;
    of[0].count = rows_to_time(s);
    of[1].count = of[0].count / FEW;
    uint64_t all = rows_of_all_rounds(of[0].count);
    uint32_t *list = static_cast<uint32_t *>(mem_array(all, sizeof *list, "rows to time", err));
    if (!list) return err->code;
    choose_rows(s, list, all);
    enum st st = time_rounds(e, list, of, &received, err);
    mem_free(list);
    CUDA_TRY(st);
    set_rate(of, s->rows->row_bytes, out);
    for (int i = 1; i < ROUNDS; i++) lines += of[0].lines[i];
    if (e->counter && received) out->line_bytes = (double)received / (double)lines;
    return ST_OK;
}

/* Measures the rate; without one *out says why, because a finished run must not fail for it. */
static enum st find_rate(struct execute_engine *e, struct rate *out, struct err *err)
{
    const struct execute_setup *s = e->setup;
    struct cudaDeviceProp prop;
    *out = rate{0, NAN, NAN, NAN, NULL};
    CUDA_TRY(cuda_check(cudaGetDeviceProperties(&prop, e->device), "asking for the GPU's caches", err));
    if (s->tables > 1) out->why = "rows have several sizes, so their times give no transactions";
    else if (s->rows->window * s->rows->row_bytes < CACHES * (uint64_t)prop.l2CacheSize)
        out->why = "the host's features have fewer bytes than four times the GPU's L2 cache, so timed reads "
                   "could hit in that cache";
    else if (!rows_to_time(s)) out->why = "host memory holds too few rows for timed reads that read each row once";
    if (out->why) return ST_OK;
    struct err refused = {};
    enum st st = time_host(e, out, &refused);
    if (st == ST_LIMIT) out->why = "there was no memory left for timed reads of the host";
    else if (st != ST_OK) *err = refused;
    return st == ST_LIMIT ? ST_OK : st;
}

/* Turns the time of the gathers into transactions. */
static void measure_features(const struct execute_engine *e, const struct execute_batch *batches, uint64_t count,
                             const struct rate *r, struct execute_measured *out)
{
    bool beside = e->setup->overlap && e->session;
    if (beside || isnan(r->line)) {
        out->feature = NAN;
        out->feature_how = beside ? "sampling read host memory at the same time as the gathers, so gather times "
                                    "give no transactions; run without --overlap"
                                  : r->why;
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        double reading = batches[i].seconds[EXECUTE_HOST] - r->start;
        if (batches[i].rows[TIER_HOST] && reading > 0) out->feature += reading / r->line;
    }
}

/* Why the counter's bytes cannot be turned into transactions; NULL when they can. */
static const char *why_no_total(const struct execute_engine *e, const struct rate *r)
{
    if (!e->counter) return e->no_counter;
    if (!e->session)
        return "the CPU drew the mini-batches, so the GPU's counter includes copies of mini-batches and no "
               "topology reads";
    if (e->links && e->setup->plan->placement.peers[e->reader->gpu] && strcmp(e->peers, "nvlink"))
        return "peers were read over PCIe as well, so the GPU's counter includes their rows";
    if (!isnan(r->line_bytes)) return NULL;
    return r->why ? r->why : "the GPU's PCIe counter did not change while known rows of the host were read";
}

enum st execute_engine_measure(void *state, const struct execute_batch *batches, uint64_t count,
                               struct execute_measured *out, struct err *err)
{
    struct execute_engine *e = static_cast<struct execute_engine *>(state);
    struct rate r;
    uint64_t received = e->received; /* timed reads increase the counter */
    bool counted = e->counter;
    *out = execute_measured();
    out->feature_how = "timed";
    out->total = out->host_gbps = out->received = out->line_bytes = NAN;
    out->total_how = "there were no mini-batches";
    if (!count) return ST_OK;
    CUDA_TRY(find_rate(e, &r, err));
    out->host_gbps = r.gbps;
    out->line_bytes = r.line_bytes;
    if (counted) out->received = (double)received;
    measure_features(e, batches, count, &r, out);
    out->total_how = why_no_total(e, &r);
    if (out->total_how) return ST_OK;
    out->total = (double)received / r.line_bytes;
    out->total_how = "counters";
    return ST_OK;
}
