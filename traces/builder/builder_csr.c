#include "traces/builder/builder_csr.h"

#include <string.h>
#include <omp.h>

#include "base/machine.h"
#include "base/mem.h"
#include "base/npy.h"
#include "base/progress.h"
#include "traces/builder/builder_sort.h"

enum { BLOCK_ARCS = 1 << 16, WINDOW_LEAST = 1 << 22, NAME_BYTES = 64 };

DEFINE_ROW_SORT(sort_ids, uint32_t)
DEFINE_ROW_SORT(sort_weighted, uint64_t)

struct work {
    const struct arc_source *arcs;
    const struct csr_options *rules;
    /* [n+1]. While counting: row lengths. Then: ends of rows, which the scatter moves down to the begins. At last:
     * begins without duplicates. */
    int64_t *offset;
    uint32_t *ids;   /* the range's entries, without weights */
    uint64_t *pairs; /* the range's entries, id << 32 | bits of the weight: weights are not negative, so their bits sort
                        as they do */
    uint64_t capacity;  /* entries of ids or pairs */
    uint64_t low, high; /* rows of the range */
    uint64_t base;      /* entries before the range */
    struct progress bar;
    struct npy_writer indices, weights;
    struct csr_result result;
};

static inline void count_one(struct work *w, uint32_t row)
{
#pragma omp atomic
    w->offset[row]++;
}

static inline void place_one(struct work *w, uint32_t row, uint32_t id, float weight)
{
    int64_t at;
    if (row < w->low || row >= w->high) return;
#pragma omp atomic capture
    at = --w->offset[row];
    uint64_t slot = (uint64_t)at - w->base;
    if (w->pairs) {
        uint32_t bits;
        memcpy(&bits, &weight, sizeof bits);
        w->pairs[slot] = (uint64_t)id << 32 | bits;
    } else {
        w->ids[slot] = id;
    }
}

static void count_block(struct work *w, const uint32_t *pair, const float *weight, uint64_t count)
{
    const struct csr_options *r = w->rules;
    (void)weight;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t u = pair[2 * i], v = pair[2 * i + 1];
        if (u == ARC_NONE) continue;
        count_one(w, r->rows_list_targets ? u : v);
        if (r->both && u != v) count_one(w, r->rows_list_targets ? v : u);
    }
}

static void place_block(struct work *w, const uint32_t *pair, const float *weight, uint64_t count)
{
    const struct csr_options *r = w->rules;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t u = pair[2 * i], v = pair[2 * i + 1];
        float x = w->pairs ? weight[i] : 0;
        if (u == ARC_NONE) continue;
        place_one(w, r->rows_list_targets ? u : v, r->rows_list_targets ? v : u, x);
        if (r->both && u != v) place_one(w, r->rows_list_targets ? v : u, r->rows_list_targets ? u : v, x);
    }
}

/* Runs `take` over all arcs, in blocks that the threads share out. */
static enum st scan(struct work *w, void (*take)(struct work *, const uint32_t *, const float *, uint64_t),
                    struct err *err)
{
    uint64_t count = w->arcs->count, blocks = (count + BLOCK_ARCS - 1) / BLOCK_ARCS;
    int threads = w->rules->threads, failed = 0;
    OWNED uint32_t *pairs = NULL;
    OWNED float *weights = NULL;
    enum st st = ST_OK;
    NEW(pairs, (uint64_t)threads * 2 * BLOCK_ARCS, "blocks of arcs");
    if (w->arcs->weighted) NEW(weights, (uint64_t)threads * BLOCK_ARCS, "blocks of weights");
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4)
    for (uint64_t b = 0; b < blocks; b++) {
        int stop;
#pragma omp atomic read
        stop = failed;
        if (stop) continue;
        uint64_t first = b * BLOCK_ARCS, some = count - first < BLOCK_ARCS ? count - first : BLOCK_ARCS;
        uint32_t *mine = pairs + (uint64_t)omp_get_thread_num() * 2 * BLOCK_ARCS;
        float *heavy = weights ? weights + (uint64_t)omp_get_thread_num() * BLOCK_ARCS : NULL;
        struct err own = {0};
        if (w->arcs->read(w->arcs->self, first, some, mine, heavy, &own) != ST_OK) {
#pragma omp critical(csr_scan_error)
            {
                if (!failed) *err = own;
#pragma omp atomic write
                failed = 1;
            }
            continue;
        }
        take(w, mine, heavy, some);
        progress_add(&w->bar, some);
    }
    if (failed) st = err->code;
done:
    return st;
}

/* Drops duplicates from a sorted row; a shortened row ends with a mark that is no id. Returns the number of self-loops.
 */
static uint64_t unique_ids(uint32_t *a, uint64_t count, uint32_t row)
{
    uint64_t kept = 0, loops = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (i && a[i] == a[i - 1]) continue;
        loops += a[i] == row;
        a[kept++] = a[i];
    }
    if (kept < count) a[kept] = UINT32_MAX;
    return loops;
}

static uint64_t unique_weighted(uint64_t *a, uint64_t count, uint32_t row)
{
    uint64_t kept = 0, loops = 0, last = UINT64_MAX;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t id = a[i] >> 32;
        if (id == last) continue;
        last = id;
        loops += id == row;
        a[kept++] = a[i];
    }
    if (kept < count) a[kept] = UINT64_MAX;
    return loops;
}

/* The same with times: only entries with the same time are duplicates. */
static uint64_t unique_timed(uint64_t *a, uint64_t count, uint32_t row)
{
    uint64_t kept = 0, loops = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (i && a[i] == a[kept - 1]) continue;
        loops += a[i] >> 32 == row;
        a[kept++] = a[i];
    }
    if (kept < count) a[kept] = UINT64_MAX;
    return loops;
}

/* With parallel arcs nothing is dropped. */
static uint64_t loops_of(const struct work *w, uint64_t from, uint64_t to, uint32_t row)
{
    uint64_t loops = 0;
    for (uint64_t i = from - w->base; i < to - w->base; i++)
        loops += (w->pairs ? (uint32_t)(w->pairs[i] >> 32) : w->ids[i]) == row;
    return loops;
}

static void sort_rows(struct work *w, uint64_t end)
{
    int shift = sort_shift((w->rules->listed ? w->rules->listed : w->rules->n) - 1);
    uint64_t loops = 0;
#pragma omp parallel for num_threads(w->rules->threads) schedule(dynamic, 512) reduction(+ : loops)
    for (uint64_t v = w->low; v < w->high; v++) {
        uint64_t from = (uint64_t)w->offset[v], to = v + 1 < w->high ? (uint64_t)w->offset[v + 1] : end;
        if (w->pairs) {
            sort_weighted(w->pairs + (from - w->base), to - from, shift + 32);
            if (w->rules->numbered) continue;
            if (w->rules->parallel) loops += loops_of(w, from, to, (uint32_t)v);
            else
                loops += (w->rules->times ? unique_timed : unique_weighted)(w->pairs + (from - w->base), to - from,
                                                                            (uint32_t)v);
        } else {
            sort_ids(w->ids + (from - w->base), to - from, shift);
            loops += w->rules->parallel ? loops_of(w, from, to, (uint32_t)v)
                                        : unique_ids(w->ids + (from - w->base), to - from, (uint32_t)v);
        }
    }
    w->result.self_loops += loops;
}

/* Closes the gaps of dropped entries and sets the final offsets of the range. Returns the number of entries kept. */
static uint64_t compact(struct work *w, uint64_t end)
{
    uint64_t kept = 0;
    for (uint64_t v = w->low; v < w->high; v++) {
        uint64_t at = (uint64_t)w->offset[v] - w->base,
                 to = (v + 1 < w->high ? (uint64_t)w->offset[v + 1] : end) - w->base;
        w->offset[v] = (int64_t)(w->result.m + kept);
        if (w->pairs)
            for (; at < to && w->pairs[at] != UINT64_MAX; at++) w->pairs[kept++] = w->pairs[at];
        else
            for (; at < to && w->ids[at] != UINT32_MAX; at++) w->ids[kept++] = w->ids[at];
    }
    return kept;
}

/* Splits weighted entries into the two files. */
static enum st write_weighted(struct work *w, uint64_t kept, struct err *err)
{
    enum { BLOCK = 512 };
    uint32_t id[BLOCK];
    float weight[BLOCK];
    int64_t time[BLOCK];
    const int64_t *times = w->rules->times;
    for (uint64_t i = 0; i < kept;) {
        uint64_t some = kept - i < BLOCK ? kept - i : BLOCK;
        for (uint64_t j = 0; j < some; j++) {
            uint32_t bits = (uint32_t)w->pairs[i + j];
            id[j] = (uint32_t)(w->pairs[i + j] >> 32);
            memcpy(&weight[j], &bits, sizeof bits);
            if (times) time[j] = times[bits];
        }
        PASS(npy_add(&w->indices, id, 4 * some, err));
        if (times) PASS(npy_add(&w->weights, time, 8 * some, err));
        else PASS(npy_add(&w->weights, weight, 4 * some, err));
        i += some;
    }
    return ST_OK;
}

/* Makes and writes rows low .. high; `end`: number of entries up to their end. */
static enum st write_range(struct work *w, uint64_t end, struct err *err)
{
    PASS(scan(w, place_block, err));
    sort_rows(w, end);
    uint64_t kept = compact(w, end);
    if (w->pairs) PASS(write_weighted(w, kept, err));
    else PASS(npy_add(&w->indices, w->ids, 4 * kept, err));
    w->result.m += kept;
    w->base = end;
    return ST_OK;
}

/* The end of the range that starts at row `low`: as many rows as the window holds, and at least one. */
static uint64_t range_end(const struct work *w, uint64_t low, uint64_t window)
{
    uint64_t high = low;
    while (high < w->rules->n && (high == low || (uint64_t)w->offset[high] - w->base <= window)) high++;
    return high;
}

static uint64_t choose_window(const struct csr_options *r, uint64_t entries, uint64_t item)
{
    uint64_t limit = mem_limit()        ? mem_limit()
                     : machine_memory() ? machine_memory() / 10 * 9
                                        : UINT64_MAX / 2,
             used = mem_in_use();
    uint64_t room = limit > used ? (limit - used) / 4 * 3 / item : 0;
    uint64_t window = r->window ? r->window : room < WINDOW_LEAST ? WINDOW_LEAST : room;
    return entries < window ? entries : window;
}

static enum st make_rows(struct work *w, uint64_t entries, struct err *err)
{
    uint64_t n = w->rules->n, window = choose_window(w->rules, entries, w->arcs->weighted ? 8 : 4), longest = 0,
             before = 0;
    for (uint64_t v = 0; v < n; v++) {
        uint64_t length = (uint64_t)w->offset[v] - before;
        if (length > longest) longest = length;
        before = (uint64_t)w->offset[v];
    }
    w->capacity = window > longest ? window : longest;
    if (w->arcs->weighted) MAKE(w->pairs, w->capacity, "weighted rows");
    else MAKE(w->ids, w->capacity, "rows");
    for (w->low = 0; w->low < n; w->low = w->high) {
        w->high = range_end(w, w->low, w->capacity);
        PASS(write_range(w, (uint64_t)w->offset[w->high - 1], err));
    }
    w->offset[n] = (int64_t)w->result.m;
    w->result.duplicates = entries - w->result.m;
    return ST_OK;
}

/* Corrects the count in a header that was written before the duplicates were known; both headers have the same size. */
static enum st correct_count(const struct output *to, const char *name, const char *type, uint64_t m, struct err *err)
{
    char path[PATH_BYTES], spare[PATH_BYTES], head[256];
    ON_HEAP(struct npy_writer, w);
    FILE *f = NULL;
    enum st st;
    TRY(output_path(to, name, path, err));
    TRY(output_path(to, "header.npy", spare, err));
    TRY(npy_begin(w, spare, type, 1, &m, err));
    npy_cancel(w);
    f = fopen(spare, "rb");
    size_t bytes = f ? fread(head, 1, sizeof head, f) : 0;
    if (f) fclose(f);
    remove(spare);
    f = fopen(path, "r+b");
    if (!bytes || bytes % 64 || !f || fwrite(head, 1, bytes, f) != bytes)
        FAIL(ST_LIMIT, "%s: its header cannot be written; is the disk full?", path);
    int closed = fclose(f);
    f = NULL;
    if (closed != 0) FAIL(ST_LIMIT, "%s: its header cannot be written; is the disk full?", path);
done:
    if (f) fclose(f);
    return st;
}

/* A file's name, with the prefix of the rules. */
static const char *name_of(const struct csr_options *r, const char *file, char out[NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "%s%s", r->prefix ? r->prefix : "", file);
    return out;
}

static enum st write_all(struct work *w, uint64_t entries, const struct output *to, struct err *err)
{
    char path[PATH_BYTES], indices[NAME_BYTES], weights[NAME_BYTES], indptr[NAME_BYTES];
    const char *kind = w->rules->numbered ? "u4"
                       : w->rules->times  ? "i8"
                                          : "f4",
               *values = w->rules->numbered ? "edge_ids.npy"
                         : w->rules->times  ? "edge_times.npy"
                                            : "weights.npy";
    uint64_t n1 = w->rules->n + 1;
    name_of(w->rules, "indices.npy", indices);
    name_of(w->rules, values, weights);
    PASS(output_path(to, indices, path, err));
    PASS(npy_begin(&w->indices, path, "u4", 1, &entries, err));
    if (w->arcs->weighted) {
        PASS(output_path(to, weights, path, err));
        PASS(npy_begin(&w->weights, path, kind, 1, &entries, err));
    }
    PASS(make_rows(w, entries, err));
    w->indices.left -= 4 * w->result.duplicates; /* the header is corrected below */
    PASS(npy_end(&w->indices, err));
    if (w->arcs->weighted) {
        w->weights.left -= (w->rules->times ? 8 : 4) * w->result.duplicates;
        PASS(npy_end(&w->weights, err));
    }
    if (w->result.duplicates) {
        PASS(correct_count(to, indices, "u4", w->result.m, err));
        if (w->arcs->weighted) PASS(correct_count(to, weights, kind, w->result.m, err));
    }
    PASS(output_path(to, name_of(w->rules, "indptr.npy", indptr), path, err));
    return npy_save(path, "i8", 1, &n1, w->offset, err);
}

enum st csr_write(const struct arc_source *arcs, const struct csr_options *rules, const struct output *to,
                  struct csr_result *out, struct err *err)
{
    ON_HEAP(struct work, w);
    enum st st;
    w->arcs = arcs;
    w->rules = rules;
    BUG_IF(rules->n < 1 || rules->n >= UINT32_MAX || rules->threads < 1);
    progress_begin(&w->bar, "sorting arcs into rows", 2 * arcs->count, rules->progress);
    NEW(w->offset, rules->n + 1, "row offsets");
    TRY(scan(w, count_block, err));
    uint64_t entries = 0;
    for (uint64_t v = 0; v < rules->n; v++) {
        entries += (uint64_t)w->offset[v];
        w->offset[v] = (int64_t)entries;
    }
    TRY(write_all(w, entries, to, err));
    *out = w->result;
done:
    progress_end(&w->bar);
    npy_cancel(&w->indices);
    npy_cancel(&w->weights);
    mem_free(w->offset);
    mem_free(w->ids);
    mem_free(w->pairs);
    return st;
}
