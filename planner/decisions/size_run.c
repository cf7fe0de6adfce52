#include "planner/decisions/size_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/student.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/decisions/size_option.h"

/* ---- the options ---- */

static struct size_range range_in(const doc *d)
{
    return (struct size_range){doc_number(d, "seconds"), doc_number(d, "low"), doc_number(d, "high")};
}

static void published_epochs(const doc *runs, struct size_run *out)
{
    const doc *points = doc_path(runs, "epochs.points");
    for (uint64_t i = 0; i < doc_size(points) && out->points < SIZE_RUN_POINTS; i++) {
        out->batch[out->points] = doc_real_value(doc_at(doc_at(points, i), 0), NAN);
        out->epochs[out->points++] = doc_real_value(doc_at(doc_at(points, i), 1), NAN);
    }
    out->half = log(doc_real_value(doc_path(runs, "epochs.factor"), NAN));
}

/* "16k" as 16384: mini-batches are powers of two. */
static enum st read_batch(char *text, const char *whole, double *out, struct err *err)
{
    const size_t length = strlen(text);
    const char unit = length ? text[length - 1] : '\0';
    const double factor = unit == 'k' ? 1024 : unit == 'M' ? 1024 * 1024 : 1;
    if (factor > 1) text[length - 1] = '\0';
    PASS(units_real(text, "--training-epochs", out, err));
    *out *= factor;
    if (*out >= 1 && *out <= 1e12) return ST_OK;
    return err_set(err, ST_USAGE,
                   "--training-epochs: '%.60s' has a global mini-batch of %g; expected 1 or more, as in 0.85@16k",
                   whole, *out);
}

static enum st read_epochs(const char *text, struct size_run *out, struct err *err)
{
    char copy[512], *part[SIZE_RUN_POINTS];
    if (strlen(text) >= sizeof copy) return err_set(err, ST_USAGE, "--training-epochs: the list is too long");
    strcpy(copy, text);
    out->points = text_split(copy, ',', part, SIZE_RUN_POINTS);
    if (out->points < 0) return err_set(err, ST_USAGE, "--training-epochs: more than %d points", SIZE_RUN_POINTS);
    for (int i = 0; i < out->points; i++) {
        char *at = strchr(part[i], '@');
        if (!at && out->points > 1)
            return err_set(err, ST_USAGE,
                           "--training-epochs: '%.60s' says epochs of no global mini-batch; write 0.85@16k,0.95@32k",
                           part[i]);
        if (at) *at++ = '\0';
        PASS(units_real(part[i], "--training-epochs", &out->epochs[i], err));
        if (!(out->epochs[i] > 0 && out->epochs[i] <= 1e6))
            return err_set(err, ST_USAGE,
                           "--training-epochs: %g is out of range; expected a number above 0 and up to 1000000",
                           out->epochs[i]);
        if (at) PASS(read_batch(at, text, &out->batch[i], err));
        if (i && !(out->batch[i] > out->batch[i - 1]))
            return err_set(err, ST_USAGE, "--training-epochs: '%.60s' does not name ascending global mini-batches",
                           text);
    }
    return ST_OK;
}

/* "20@0.1%" or "20@788379". */
static enum st read_evaluate(const char *text, struct size_run *out, struct err *err)
{
    static const char form[] = "--evaluate: '%.60s': write how often in an epoch, and on how many vertices or which "
                               "share "
                               "of all, as 20@788379 or 20@0.1%%";
    char copy[64];
    const char *at = strchr(text, '@');
    if (!at || strlen(text) >= sizeof copy) return err_set(err, ST_USAGE, form, text);
    snprintf(copy, sizeof copy, "%.*s", (int)(at - text), text);
    PASS(units_real(copy, "--evaluate", &out->evaluations, err));
    snprintf(copy, sizeof copy, "%s", at + 1);
    const size_t length = strlen(copy);
    const bool percent = length && copy[length - 1] == '%';
    if (percent) copy[length - 1] = '\0';
    PASS(units_real(copy, "--evaluate", &out->evaluated, err));
    if (percent) out->evaluated /= 100;
    if (!(out->evaluations > 0 && out->evaluations <= 1e6) || !(out->evaluated > 0 && out->evaluated <= 1e15) ||
        (percent && out->evaluated > 1))
        return err_set(err, ST_USAGE, form, text);
    return ST_OK;
}

static enum st read_seconds(const char *text, double *out, struct err *err)
{
    char target[64];
    int count = 0;
    struct size_target of[SIZE_TARGETS_MAX];
    snprintf(target, sizeof target, "training-time<=%.40s", text);
    if (size_targets(target, of, &count, err) != ST_OK || count != 1) {
        err_clear(err);
        return err_set(err, ST_USAGE,
                       "--start-up: '%.40s' is no time; write published, or a number with its unit, as 30s", text);
    }
    *out = of[0].value;
    return ST_OK;
}

enum st size_run_read(const char *epochs, const char *evaluate, const char *start_up, double storage_gbps,
                      struct size_run *out, struct err *err)
{
    OWNED_DOC doc *runs = NULL;
    double seconds;
    *out = (struct size_run){.storage_gbps = storage_gbps, .start_up = {NAN, NAN, NAN}};
    PASS(size_data_open("runs", &runs, err));
    if (!strcmp(epochs, "mlperf")) published_epochs(runs, out);
    else PASS(read_epochs(epochs, out, err));
    if (evaluate) PASS(read_evaluate(evaluate, out, err));
    out->evaluation_half = log(doc_real_value(doc_path(runs, "evaluation.factor"), NAN));
    out->whole = evaluate || start_up || storage_gbps > 0;
    if (!out->whole) return ST_OK;
    out->loaded = !(storage_gbps > 0) && (!start_up || !strcmp(start_up, "published"));
    out->start_up = range_in(doc_get(runs, out->loaded ? "start_up" : "start_up_alone"));
    if (!start_up || !strcmp(start_up, "published")) return ST_OK;
    PASS(read_seconds(start_up, &seconds, err));
    out->start_up = (struct size_range){seconds, seconds, seconds};
    return ST_OK;
}

double size_run_epochs(const struct size_run *r, double global_batch, bool *outside)
{
    const int last = r->points - 1;
    int k = 1;
    const bool out = r->batch[0] > 0 && (global_batch < r->batch[0] || global_batch > r->batch[last]);
    if (outside) *outside = out;
    if (last == 0 || global_batch <= r->batch[0]) return r->epochs[0];
    if (global_batch >= r->batch[last]) return r->epochs[last];
    while (global_batch > r->batch[k]) k++;
    const double share = log(global_batch / r->batch[k - 1]) / log(r->batch[k] / r->batch[k - 1]);
    return r->epochs[k - 1] + share * (r->epochs[k] - r->epochs[k - 1]);
}

/* ---- the parts ---- */

const char *size_run_left_out(const struct size_run *r, int part)
{
    static const char *const names[SIZE_RUN_PARTS] = {"start-up", "loading", "evaluation"};
    const bool counted[SIZE_RUN_PARTS] = {!isnan(r->start_up.mid), r->loaded || r->storage_gbps > 0,
                                          r->evaluations > 0};
    return counted[part] ? "" : names[part];
}

double size_run_iteration(const struct size_question *q, const double *stage)
{
    double sum = 0;
    for (int i = 0; i < ALL_STAGES; i++) sum += stage[i];
    return isnan(q->unoverlapped) ? sum : epoch_pipelined(stage, ALL_STAGES, q->unoverlapped);
}

/* What the evaluations of an epoch take, in epochs of n servers. Nothing is exchanged after a forward pass. */
static double evaluation_share(const struct size_question *q, const struct size_curve *c, const double *stage,
                               double gradients, double n, double iterations)
{
    const struct size_run *r = &q->run;
    double forward[ALL_STAGES], trained[ALL_STAGES];
    if (!(r->evaluations > 0)) return 0;
    memcpy(forward, stage, sizeof forward);
    memcpy(trained, stage, sizeof trained);
    forward[STAGE_PROPAGATE] /= 3;
    trained[STAGE_PROPAGATE] += gradients;
    const double vertices = r->evaluated <= 1 ? r->evaluated * c->vertices : fmin(r->evaluated, c->vertices),
                 batches = ceil(vertices / ((double)c->of.batch * c->gpus * n));
    return r->evaluations * batches / (iterations / n) * size_run_iteration(q, forward) /
           size_run_iteration(q, trained);
}

/* Seconds in which every server has read what it keeps; SSDs are filled at the same time. */
static double loading_seconds(const struct size_question *q, const struct size_curve *c, int servers, bool split,
                              double fill)
{
    if (!(q->run.storage_gbps > 0)) return 0;
    const double rows = (double)(c->features / (uint64_t)q->copies),
                 bytes = (double)c->everything - (split ? rows - rows / servers : 0);
    return fmax(0, bytes / (1e9 * q->run.storage_gbps) - fill);
}

static double start_of(const struct size_run *r) { return isnan(r->start_up.mid) ? 0 : r->start_up.mid; }

double size_run_training(const struct size_question *q, const struct size_curve *c, const struct size_point *p)
{
    double stage[ALL_STAGES] = {0};
    const double epochs = size_run_epochs(&q->run, (double)c->of.batch * c->gpus, NULL);
    memcpy(stage, p->stage, sizeof p->stage);
    return p->value[SIZE_SECONDS] * epochs * (1 + evaluation_share(q, c, stage, 0, 1, p->iterations)) +
           start_of(&q->run) + loading_seconds(q, c, 1, false, 0);
}

static struct size_range widened(double mid, struct size_range of, double half)
{
    const double low = student_together(log(of.mid / of.low), half),
                 high = student_together(log(of.high / of.mid), half);
    return mid > 0 ? (struct size_range){mid, mid * exp(-low), mid * exp(high)} : (struct size_range){mid, mid, mid};
}

/* The sum of parts whose errors are independent. */
static struct size_range sum_of(const struct size_range *part, int count)
{
    struct size_range sum = {0};
    double low = 0, high = 0;
    for (int i = 0; i < count; i++) {
        sum.mid += part[i].mid;
        low = student_together(low, part[i].mid - part[i].low);
        high = student_together(high, part[i].high - part[i].mid);
    }
    sum.low = sum.mid - low;
    sum.high = sum.mid + high;
    return sum;
}

void size_run_fill(const struct size_question *q, const struct size_curve *c, struct size_range epoch_energy,
                   struct size_option *o)
{
    const struct size_run *r = &q->run;
    struct size_run_parts *parts = &o->run;
    const struct size_point *p = size_option_point(c, o);
    const struct size_range epoch = o->value[SIZE_SECONDS];
    const struct size_watts *w = &c->watts;
    const double n = o->servers, fill = isnan(o->fill) ? 0 : o->fill, price = n * c->price / 3600,
                 idle = (w->gpu_idle + w->host_busy) * n / 3.6e6,
                 share = evaluation_share(q, c, o->stage, o->gradients, n, p->iterations),
                 loading = loading_seconds(q, c, o->servers, o->below == BELOW_SPLIT, fill),
                 drives = o->below == BELOW_SSD ? c->of.beside.drives.count * w->drive_busy * n / 3.6e6 : 0;
    parts->epochs = size_run_epochs(r, (double)c->of.batch * c->gpus * n, &parts->outside);
    parts->steps = widened(epoch.mid * parts->epochs, epoch, r->half);
    parts->evaluation = widened(epoch.mid * parts->epochs * share, epoch,
                                student_together(r->half, r->evaluation_half));
    parts->loading = (struct size_range){loading, loading, loading};
    parts->start_up = start_of(r) > 0 ? r->start_up : (struct size_range){0};
    /* steps and evaluations are off together */
    const struct size_range busy = {parts->steps.mid + parts->evaluation.mid, parts->steps.low + parts->evaluation.low,
                                    parts->steps.high + parts->evaluation.high},
                            before[] = {busy, parts->loading, parts->start_up, {fill, fill, fill}};
    const struct size_range whole = sum_of(before, 4);
    o->value[SIZE_TRAINING] = whole;
    o->value[SIZE_COST] = c->price == 0 ? (struct size_range){0, 0, 0}
                                        : (struct size_range){whole.mid * price, whole.low * price, whole.high * price};
    o->fill_cost = c->price == 0 ? 0 : fill * price;
    o->fill_energy = fill > 0 ? fill * (idle + c->of.beside.drives.count * w->drive_busy * n / 3.6e6) : 0;
    const double once = o->fill_energy + loading * (idle + drives);
    o->value[SIZE_ENERGY] =
        (struct size_range){busy.mid * epoch_energy.mid / epoch.mid + once + idle * parts->start_up.mid,
                            busy.low * epoch_energy.low / epoch.low + once + idle * parts->start_up.low,
                            busy.high * epoch_energy.high / epoch.high + once + idle * parts->start_up.high};
    parts->once_cost = c->price == 0 ? 0 : (whole.mid - parts->steps.mid) * price;
    parts->once_energy = once + idle * parts->start_up.mid + parts->evaluation.mid * epoch_energy.mid / epoch.mid;
}
