/* recording_rows.c - a recorded GPU's counts, as narrow as they can be, on their way to a file (see recording.h). */
#include "base/mem.h"
#include "traces/recording/recording.h"

enum { PART = 1 << 22 }; /* counts that are made at a time */

/* All bits of the counts of a row. */
static uint32_t bits_of(const struct recording *r, struct count_row row)
{
    const struct count_row two = {row.data, 2}, four = {row.data, 4}; /* loops of known widths */
    uint32_t all = 0;
    if (row.bytes == 1) return UINT8_MAX; /* cannot take fewer bytes */
#pragma omp parallel for num_threads(r->o->threads) reduction(| : all)
    for (uint64_t i = 0; i < r->t->n; i++) all |= row.bytes == 2 ? count_at(two, i) : count_at(four, i);
    return all;
}

/* As few bytes as the largest count of each kind needs; for draws that come last, as the most that visits allow do. */
static struct recording_widths widths_of(const struct recording *r, int gpu)
{
    const struct trace *t = r->t;
    uint64_t draws = 0;
    struct recording_widths w = {0, count_bytes(bits_of(r, t->feature[gpu])), 1};
    for (int h = 0; h < t->workload.hops; h++) {
        uint32_t bits = bits_of(r, t->visits[h][gpu]);
        draws += (uint64_t)bits * t->workload.fanout[h];
        if (draws > UINT32_MAX) draws = UINT32_MAX; /* no count is larger (sampler_fits) */
        if (count_bytes(bits) > w.visits) w.visits = count_bytes(bits);
    }
    if (!graph_plain(r->g)) return w;
    if (!recording_draws_last(r)) draws = bits_of(r, t->topology[gpu]);
    w.topology = count_bytes(draws > UINT32_MAX ? UINT32_MAX : (uint32_t)draws);
    return w;
}

/* A GPU's file while it is written. */
struct rows_file {
    const struct recording *r;
    const char *name;
    char *part;  /* room for PART counts, or n */
    uint64_t at; /* where the next row begins */
};

/* Adds a row of at most `bytes` bytes per count. */
static enum st write_row(struct rows_file *f, struct count_row row, int bytes, struct err *err)
{
    const struct recording *r = f->r;
    uint64_t n = r->t->n;
    if (bytes == row.bytes)
        PASS(checkpoint_write(r->o->checkpoint, f->name, f->at, row.data, n * (uint64_t)bytes, err));
    for (uint64_t from = 0; bytes != row.bytes && from < n; from += PART) {
        uint64_t some = n - from < PART ? n - from : PART;
#pragma omp parallel for num_threads(r->o->threads)
        for (uint64_t i = 0; i < some; i++) count_put(f->part, bytes, i, count_at(row, from + i));
        PASS(checkpoint_write(r->o->checkpoint, f->name, f->at + from * (uint64_t)bytes, f->part,
                              some * (uint64_t)bytes, err));
    }
    f->at += recording_row_bytes(n, bytes);
    return ST_OK;
}

/* Draws that follow from visits[hops]. */
static enum st write_draws(struct rows_file *f, const struct count_row *visits, int bytes, struct err *err)
{
    const struct recording *r = f->r;
    const struct workload *w = &r->t->workload;
    uint64_t n = r->t->n;
    for (uint64_t from = 0; from < n; from += PART) {
        uint64_t some = n - from < PART ? n - from : PART;
#pragma omp parallel for num_threads(r->o->threads)
        for (uint64_t i = 0; i < some; i++) {
            uint64_t degree = graph_degree(r->g, from + i), draws = 0;
            for (int h = 0; h < w->hops; h++) draws += sample_draws_of(w, degree, h, count_at(visits[h], from + i));
            count_put(f->part, bytes, i, (uint32_t)draws);
        }
        PASS(checkpoint_write(r->o->checkpoint, f->name, f->at + from * (uint64_t)bytes, f->part,
                              some * (uint64_t)bytes, err));
    }
    f->at += recording_row_bytes(n, bytes);
    return ST_OK;
}

enum st recording_keep_rows(struct recording *r, int gpu, const char *name, struct err *err)
{
    enum st st;
    struct trace *t = r->t;
    struct recording_widths w = widths_of(r, gpu);
    struct rows_file f = {.r = r, .name = name};
    struct count_row visits[HOPS_MAX];
    for (int h = 0; h < t->workload.hops; h++) visits[h] = t->visits[h][gpu];
    NEW(f.part, sizeof(uint32_t) * (t->n < PART ? t->n : PART), "counts on their way to a file");
    TRY(checkpoint_make(r->o->checkpoint, name, recording_rows_bytes(t, w), &t->kept[gpu], err));
    if (recording_draws_last(r)) TRY(write_draws(&f, visits, w.topology, err));
    else if (w.topology) TRY(write_row(&f, t->topology[gpu], w.topology, err));
    TRY(write_row(&f, t->feature[gpu], w.feature, err));
    for (int h = 0; h < t->workload.hops; h++) TRY(write_row(&f, visits[h], w.visits, err));
    recording_set_rows(t, gpu, t->kept[gpu].data, w);
done:
    mem_free(f.part);
    return st;
}
