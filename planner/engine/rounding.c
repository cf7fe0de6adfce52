#include "planner/engine/rounding.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/npy.h"
#include "base/rounded.h"
#include "base/terminal.h"
#include "base/units.h"
#include "base/columns.h"

enum { BANDS = 10 };

/* The held rows. */
struct rows {
    uint32_t *id, *order; /* [count]; order: positions in id, hottest first */
    uint64_t *gathers;    /* [count] of id */
    double *error;        /* [count] of id */
    uint64_t count;
};

static void rows_free(struct rows *r)
{
    mem_free(r->id);
    mem_free(r->order);
    mem_free(r->gathers);
    mem_free(r->error);
}

static enum st rank_rows(const struct rounding_input *in, struct rows *r, struct err *err)
{
    uint64_t k = 0;
    for (uint64_t v = 0; v < in->rows; v++) r->count += in->held[v] != 0;
    MAKE(r->id, r->count, "the rows that are held");
    MAKE(r->order, r->count, "the rows that are held");
    MAKE(r->gathers, r->count, "the rows that are held");
    MAKE(r->error, r->count, "the errors of rows");
    for (uint64_t v = 0; v < in->rows; v++) {
        if (!in->held[v]) continue;
        r->id[k] = (uint32_t)v;
        for (int g = 0; g < in->gpus; g++) r->gathers[k] += count_at(in->gathers[g], v);
        k++;
    }
    return in->kernels->sort_hottest(in->threads, r->gathers, r->count, r->order, err);
}

static enum st open_features(const char *file, uint64_t rows, uint64_t dim, struct npy *out, struct err *err)
{
    const uint64_t shape[2] = {rows, dim};
    PASS(npy_map(file, out, err));
    if (strcmp(out->type, "f4") && strcmp(out->type, "f2"))
        return err_set(err, ST_INPUT, "%s: has elements of type %s, expected float32 or float16 (f4, f2)", file,
                       out->type);
    return npy_expect(out, file, out->type, 2, shape, err);
}

enum st rounding_check(const char *file, uint64_t rows, uint64_t dim, struct err *err)
{
    struct npy features = {0};
    enum st st = open_features(file, rows, dim, &features, err);
    npy_release(&features);
    return st;
}

/* error: [count] of the rows id[0..count), or of all when id is NULL. */
static enum st measure_rounding(const struct rounding_input *in, const struct npy *features, const uint32_t *id,
                                uint64_t count, double *error, struct err *err)
{
    OWNED float *room = NULL;
    bool half = !strcmp(features->type, "f2");
    uint64_t each = half ? in->dim : 0;
    MAKE(room, each * (uint64_t)in->threads + 1, "rows of features");
#pragma omp parallel for num_threads(in->threads) schedule(static)
    for (int part = 0; part < in->threads; part++) {
        float *mine = room + each * (uint64_t)part;
        uint64_t from = count * (uint64_t)part / (uint64_t)in->threads,
                 to = count * (uint64_t)(part + 1) / (uint64_t)in->threads;
        for (uint64_t i = from; i < to; i++) {
            uint64_t at = (id ? id[i] : i) * in->dim;
            const float *row = (const float *)features->data + (half ? 0 : at);
            const uint16_t *bits = (const uint16_t *)features->data + (half ? at : 0);
            for (uint64_t k = 0; k < each; k++) mine[k] = rounded_half(bits[k]);
            error[i] = rounded_error(in->to, half ? mine : row, in->dim);
        }
    }
    for (uint64_t i = 0; i < count; i++)
        if (isnan(error[i]))
            return err_set(err, ST_INPUT,
                           "%s: row %llu has an element that is not finite, so rounding has no relative error",
                           in->file, (unsigned long long)(id ? id[i] : i));
    return ST_OK;
}

/* The rows with ranks from..to, added up in that order. */
static doc *band_document(const struct rows *r, uint64_t from, uint64_t to, bool weighted)
{
    doc *d = doc_object();
    uint64_t gathers = 0, overflowed = 0;
    double sum = 0, worst = 0, read = 0, lost = 0;
    for (uint64_t k = from; k < to; k++) {
        uint64_t i = r->order[k];
        gathers += r->gathers[i];
        if (isinf(r->error[i])) {
            overflowed++;
            continue;
        }
        sum += r->error[i];
        worst = r->error[i] > worst ? r->error[i] : worst;
        read += (double)r->gathers[i];
        lost += (double)r->gathers[i] * r->error[i];
    }
    uint64_t finite = to - from - overflowed;
    DOC_PUT(d, IS("first", (int64_t)from + 1), IS("rows", to - from), IS("gathers", gathers),
            IS("mean", finite ? sum / (double)finite : (double)NAN), IS("worst", finite ? worst : (double)NAN));
    if (weighted) doc_put(d, "mean_of_gathers", doc_real(read > 0 ? lost / read : (double)NAN));
    doc_put(d, "overflowed", doc_integer((int64_t)overflowed));
    return d;
}

enum st rounding_measure(const struct rounding_input *in, doc **out, struct err *err)
{
    OWNED_BY(npy_release) struct npy features = {0};
    OWNED_BY(rows_free) struct rows r = {.count = 0};
    PASS(open_features(in->file, in->rows, in->dim, &features, err));
    PASS(rank_rows(in, &r, err));
    PASS(measure_rounding(in, &features, r.id, r.count, r.error, err));
    doc *d = doc_object(), *bands = doc_array();
    for (uint64_t b = 0; b < BANDS; b++) {
        uint64_t from = r.count * b / BANDS, to = r.count * (b + 1) / BANDS;
        if (to > from) doc_append(bands, band_document(&r, from, to, false));
    }
    DOC_PUT(d, IS("file", in->file), IS("element", precision_name(in->to)), IS("bands", bands));
    doc_put(d, "all", band_document(&r, 0, r.count, true));
    *out = d;
    return ST_OK;
}

enum st rounding_errors(const struct rounding_input *in, double *error, struct err *err)
{
    OWNED_BY(npy_release) struct npy features = {0};
    PASS(open_features(in->file, in->rows, in->dim, &features, err));
    return measure_rounding(in, &features, NULL, in->rows, error, err);
}

/* ---- the table ---- */

static const char *band(const struct column_row *r, char out[COLUMN_TEXT])
{
    char text[UNIT_TEXT];
    if (!doc_get(r->row, "first")) return "all";
    snprintf(out, COLUMN_TEXT, "from %s", units_count(text, doc_count(r->row, "first")));
    return out;
}

static const struct column bands_columns[] = {COLUMN("hottest rows first", NULL, CELL_TEXT, .text = band),
                                              COLUMN("rows", "rows", CELL_COUNT),
                                              COLUMN("recorded gathers", "gathers", CELL_COUNT),
                                              COLUMN("mean error", "mean", CELL_FORM, .form = "%.3g"),
                                              COLUMN("worst error", "worst", CELL_FORM, .form = "%.3g"),
                                              COLUMN("overflow", "overflowed", CELL_COUNT),
                                              {0}};

void rounding_print(const char *label, const doc *measured, FILE *to)
{
    const doc *bands = doc_get(measured, "bands"), *all = doc_get(measured, "all");
    const double mean = doc_real_value(doc_get(all, "mean_of_gathers"), (double)NAN);
    terminal_print(to, "\nrelative error of %s held as %s (what rounding changes / the row, L2 norms):\n", label,
                   doc_text_value(doc_get(measured, "element"), ""));
    columns_print(&(struct column_table){.columns = bands_columns, .rows = bands, .last = all}, to);
    if (isfinite(mean)) terminal_print(to, "mean error over gathers: %.3g\n", mean);
    else terminal_print(to, "no mini-batch gathers a row that is held so\n");
}
