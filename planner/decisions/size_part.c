#include "planner/decisions/size_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

/* As it is, to the last bit. */
static doc *exact(double v)
{
    char text[40];
    if (isnan(v)) return doc_null();
    snprintf(text, sizeof text, "%a", v);
    return doc_text(text);
}

static doc *exact_list(const double *v, int count)
{
    doc *d = doc_array();
    for (int i = 0; i < count; i++) doc_append(d, exact(v[i]));
    return d;
}

static doc *point_row(const struct size_point *p)
{
    return DOC(IS("budget_bytes", p->budget), IS("values", exact_list(p->value, SIZE_METRICS)),
               IS("stages", exact_list(p->stage, EPOCH_STAGES)),
               IS("more", exact_list((const double[]){p->iterations, p->noise, p->storage, p->ssd_reads}, 4)),
               IS("bottleneck", p->bottleneck), IS("limited_by", p->limited_by), IS("inner", p->inner));
}

doc *size_part_row(const struct size_curve *c)
{
    doc *d = doc_object(), *points = doc_array(), *unknown = doc_array();
    for (int i = 0; i < c->count; i++) doc_append(points, point_row(&c->point[i]));
    for (int i = 0; i < c->unknowns; i++) doc_append(unknown, doc_text(c->unknown[i]));
    DOC_PUT(d, IS("step_bytes", c->step), IS("points", points));
    doc_put(d, "ssd", point_row(&c->ssd));
    DOC_PUT(d, IS("ssd_lacks", c->ssd_lacks), IS("unknown", unknown));
    return d;
}

static doc *refused_row(const char *sentence)
{
    doc *d = doc_object();
    doc_put(d, "refused", doc_text(sentence));
    return d;
}

/* ---- reading ---- */

static enum st read_exact(const doc *list, int count, const char *where, double *out, struct err *err)
{
    if (doc_size(list) != (uint64_t)count)
        return err_set(err, ST_INPUT, "%s: %llu values, expected %d; run the task again", where,
                       (unsigned long long)doc_size(list), count);
    for (int i = 0; i < count; i++) {
        const doc *d = doc_at(list, (uint64_t)i);
        const char *text = doc_text_value(d, "");
        char *end = NULL;
        out[i] = doc_is_null(d) ? NAN : strtod(text, &end);
        if (end && (end == text || *end))
            return err_set(err, ST_INPUT, "%s: '%.40s' is no number; run the task again", where, text);
    }
    return ST_OK;
}

static enum st read_word(const doc *row, const char *key, const char *where, char *out, size_t room, struct err *err)
{
    const char *text;
    PASS(doc_need_text(row, key, where, &text, err));
    if (strlen(text) >= room)
        return err_set(err, ST_INPUT, "%s: %s '%.60s' is too long; run the task again", where, key, text);
    snprintf(out, room, "%s", text);
    return ST_OK;
}

static enum st read_point(const doc *row, const char *where, struct size_point *p, struct err *err)
{
    int64_t budget;
    doc *values, *stages, *more;
    double rest[4];
    PASS(doc_need_integer(row, "budget_bytes", 0, INT64_MAX, where, &budget, err));
    PASS(doc_need_array(row, "values", where, &values, err));
    PASS(doc_need_array(row, "stages", where, &stages, err));
    PASS(doc_need_array(row, "more", where, &more, err));
    PASS(read_exact(more, 4, where, rest, err));
    p->iterations = rest[0];
    p->noise = rest[1];
    p->storage = rest[2];
    p->ssd_reads = rest[3];
    PASS(read_exact(values, SIZE_METRICS, where, p->value, err));
    PASS(read_exact(stages, EPOCH_STAGES, where, p->stage, err));
    PASS(read_word(row, "bottleneck", where, p->bottleneck, sizeof p->bottleneck, err));
    PASS(read_word(row, "limited_by", where, p->limited_by, sizeof p->limited_by, err));
    p->budget = (uint64_t)budget;
    p->inner = doc_bool_value(doc_get(row, "inner"), false);
    return ST_OK;
}

static enum st read_unknown(const doc *row, const char *where, struct size_curve *c, struct err *err)
{
    doc *list;
    PASS(doc_need_array(row, "unknown", where, &list, err));
    if (doc_size(list) > UNKNOWNS_MAX)
        return err_set(err, ST_INPUT, "%s: more than %d unknown constants; run the task again", where, UNKNOWNS_MAX);
    c->unknowns = (int)doc_size(list);
    for (int i = 0; i < c->unknowns; i++)
        snprintf(c->unknown[i], sizeof c->unknown[0], "%s", doc_text_value(doc_at(list, (uint64_t)i), "?"));
    return ST_OK;
}

enum st size_part_curve(const struct size_question *q, const doc *row, const char *where, struct size_curve *c,
                        struct err *err)
{
    int64_t step;
    doc *points;
    const char *refused = doc_text_value(doc_get(row, "refused"), NULL);
    if (refused) return err_set(err, ST_NO, "%s", refused);
    PASS(doc_need_array(row, "points", where, &points, err));
    if (doc_size(points) > SIZE_POINTS_MAX || !doc_size(points) != !!c->missing)
        return err_set(err, ST_INPUT, "%s: %llu points, which this curve cannot have; run the task again", where,
                       (unsigned long long)doc_size(points));
    if (c->missing) return ST_OK;
    PASS(doc_need_integer(row, "step_bytes", 1, INT64_MAX, where, &step, err));
    c->step = (uint64_t)step;
    c->count = (int)doc_size(points);
    for (int i = 0; i < c->count; i++) {
        PASS(read_point(doc_at(points, (uint64_t)i), where, &c->point[i], err));
        if (i && c->point[i].budget <= c->point[i - 1].budget)
            return err_set(err, ST_INPUT, "%s: budgets do not ascend; run the task again", where);
    }
    PASS(read_point(doc_get(row, "ssd"), where, &c->ssd, err));
    PASS(read_word(row, "ssd_lacks", where, c->ssd_lacks, sizeof c->ssd_lacks, err));
    PASS(read_unknown(row, where, c, err));
    size_curve_finish(q, c);
    return ST_OK;
}

/* ---- tasks, and the job behind them ---- */

enum st size_part_run(const struct size_question *q, const struct size_graph *g, struct size_curve *curves, int count,
                      const struct job_array_task *task, doc **rows, struct err *err)
{
    enum st st = ST_OK;
    struct err refused = {0};
    OWNED_DOC doc *made = doc_array();
    OWNED_BY(size_shared_release) struct size_shared shared = {0};
    for (int i = task->part; i < count; i += task->parts) {
        if (refused.code == ST_OK) {
            call_say(q->call, "%d/%d %s", i + 1, count, curves[i].label);
            st = size_curve_run(q, g, &shared, &curves[i], err);
            if (st != ST_OK && st != ST_NO) goto done;
            if (st == ST_NO) {
                refused = *err;
                call_say(q->call, "%s", refused.text);
                err_clear(err);
            }
        }
        doc_append(made, job_array_row((uint64_t)i, NULL,
                                       refused.code == ST_OK ? size_part_row(&curves[i]) : refused_row(refused.text)));
    }
    st = ST_OK;
    *rows = TAKE(made);
done:
    return st;
}

enum st size_part_merge(const struct size_question *q, const char *output, int parts, const doc *about,
                        struct size_curve *curves, int count, struct err *err)
{
    OWNED_BY(job_array_release) struct job_array_parts p = {0};
    char where[PATH_BYTES + 40], path[PATH_BYTES];
    PASS(job_array_load(output, parts, SIZE_PART_SCHEMA, (uint64_t)count, about, &p, err));
    for (int i = 0; i < count; i++) {
        PASS(job_array_path(output, i % parts, parts, path, err));
        snprintf(where, sizeof where, "%s: curve %d", path, i);
        PASS(size_part_curve(q, doc_get(p.row[i], "row"), where, &curves[i], err));
    }
    return ST_OK;
}
