#include "planner/decisions/size_error.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/validation/validation_run.h"
#include "simulator/movement/epoch_time.h"

/* Benchmarks of single links, and of loads from the host by SMs, are no stage of an epoch: shipped ones judge each
 * other, one's own the transfer. */
enum {
    KIND_RGAT = -1, /* whole steps of that model; points of this kind and the next are of no kind that others share, */
    KIND_PRODUCTS = -2, /* and each was predicted from the others of its case */
    KIND_RUN = -3,      /* whole runs, likewise */
    KIND_LINKS = ERROR_KINDS,
    KIND_LOADS
};
static const char *const kinds[ERROR_KINDS + 2] = {"sample",  "load",  "transfer", "propagate", "storage",
                                                   "network", "epoch", "links",    "loads"};
const char *size_error_kind_name(int kind) { return kinds[kind]; }

double size_error_of_stage(const struct size_errors *e, enum stage_name stage)
{
    for (int k = 0; k < ERROR_KINDS; k++)
        if (!strcmp(size_error_kind_name(k), stage_word(stage))) return e->kind[k].half;
    return 0;
}

/* What a model's cases say something about, and what was timed. */
static const struct model_kind {
    const char *model;
    int kind;
    const char *timed;
} of_model[] = {{"sampling", ERROR_SAMPLE, "sampling"},
                {"training", ERROR_PROPAGATE, "step"},
                {"shared-reads", ERROR_TRANSFER, "gather by SM"},
                {"gather-cpu", ERROR_LOAD, "CPU gather"},
                {"gather-host", KIND_LOADS, "gather by SM"},
                {"gather-peers", KIND_LINKS, "gather by SM"},
                {"two-limits", KIND_LINKS, "NCCL"},
                {"line", KIND_LINKS, "copy"},
                {"transfer-and-compute", ERROR_TRANSFER, "step"},
                {"both-ways", KIND_LINKS, "copy"},
                {"ssd-reads", ERROR_STORAGE, "SSD"},
                {"ssd-array", ERROR_STORAGE, "SSD"},
                {"pipelined-stages", ERROR_EPOCH, "step"},
                {"rgat-step", KIND_RGAT, "step"},
                {"products", KIND_PRODUCTS, "product"},
                {"whole-run", KIND_RUN, "whole run"},
                {NULL, ERROR_EPOCH, "step"}};

static const struct model_kind *kind_of(const struct validation_case *c)
{
    static const struct model_kind drives = {NULL, ERROR_STORAGE, "SSD"};
    const struct model_kind *m = of_model;
    while (m->model && strcmp(m->model, c->model->name)) m++;
    /* numbers that were predicted elsewhere: shipped are those of SSDs, one's own are of epochs */
    return m->model || !strstr(c->name, "graphbolt") ? m : &drives;
}

/* The errors of one case. */
struct errors {
    const struct validation_case *c;
    int kind, count;
    double off[CASE_POINTS_MAX]; /* NaN: not predicted */
    double shortest;             /* measured seconds of an iteration of training, at least; INFINITY: not training */
};

/* With the profile's constants of computing; where the profile has none, as the case fits it. */
static double as_planned(const struct validation_case *c, const struct validation_point *p)
{
    if (strcmp(c->model->name, "training") || !p->server || !(p->server->gpu[0].efficiency > 0)) return p->predicted;
    const struct server_gpu *g = &p->server->gpu[0];
    const double constants[MODEL_PARAMETERS_MAX] = {g->efficiency, g->compute_efficiency, g->layer_seconds};
    return c->model->predict(p->server, p->value, constants);
}

static void errors_of(struct validation_case *c, struct errors *out)
{
    validation_run(c);
    out->c = c;
    out->kind = kind_of(c)->kind;
    out->count = 0;
    out->shortest = INFINITY;
    for (int i = 0; i < c->points; i++) {
        if (!strcmp(c->model->name, "training")) /* whose first value are the epoch's mini-batches */
            out->shortest = fmin(out->shortest, c->point[i].measured / c->point[i].value[0].v[0]);
        double planned = as_planned(c, &c->point[i]);
        bool fitted = c->point[i].use == POINT_FIT && planned == c->point[i].predicted;
        double off = log(c->point[i].measured / planned);
        if (!fitted && isfinite(off)) out->off[out->count++] = off;
    }
}

/* Cases that were measured in one experiment: what one knows, the other does. */
static bool same_points(const struct validation_case *a, const struct validation_case *b)
{
    int same = 0;
    for (int i = 0; i < a->points; i++)
        for (int k = 0; k < b->points; k++) same += a->point[i].measured == b->point[k].measured;
    return a == b || (same && !strcmp(a->unit, b->unit) && !strcmp(a->model->name, b->model->name));
}

/* ---- an interval from cases ---- */

struct weighed {
    double off, weight;
};

/* The magnitude that `share` of the weight does not exceed. list: sorted. */
static double quantile(struct weighed *list, int count, double share)
{
    double total = 0, sum = 0;
    for (int i = 1; i < count; i++)
        for (int k = i; k && list[k - 1].off > list[k].off; k--) {
            struct weighed t = list[k];
            list[k] = list[k - 1];
            list[k - 1] = t;
        }
    for (int i = 0; i < count; i++) total += list[i].weight;
    for (int i = 0; i < count; i++) {
        sum += list[i].weight;
        if (sum >= share * total * (1 - 1e-12)) return list[i].off;
    }
    return NAN;
}

/* The interval of a kind from all[0..cases) without those that share points with `without` (NULL: all of them). */
static enum st from_cases(const struct errors *all, int cases, int kind, const struct validation_case *without,
                          struct size_error *out, struct err *err)
{
    int taken = 0;
    *out = (struct size_error){.half = NAN};
    OWNED_NEW(struct weighed, list, CASES_MAX * CASE_POINTS_MAX, "errors of cases");
    for (int wide = 0; wide < 2 && !taken; wide++) {
        for (int i = 0; i < cases; i++) {
            /* loads from the host are what training runs waited for: few cases of loads have theirs beside */
            bool other = all[i].kind != kind && !(kind == KIND_LOADS && all[i].kind == ERROR_TRANSFER);
            if (!all[i].count || all[i].kind < 0 ||
                (other && (!wide || all[i].kind == ERROR_LOAD || all[i].kind == KIND_LOADS)) ||
                (without && same_points(all[i].c, without)))
                continue;
            for (int k = 0; k < all[i].count; k++)
                list[out->points++] = (struct weighed){fabs(all[i].off[k]), 1.0 / all[i].count};
            text_append(out->cases, sizeof out->cases, "%s%s", taken++ ? ", " : "", all[i].c->name);
        }
    }
    if (taken) out->half = fmax(quantile(list, out->points, 0.95) * sqrt(1 + 1.0 / taken), 0.02);
    return ST_OK;
}

/* The interval of one case whose points were each predicted from the others; without one of them (-1: all). */
static struct size_error from_others(const struct errors *e, int without)
{
    struct size_error out = {.whole = e->kind == KIND_RGAT};
    struct weighed list[CASE_POINTS_MAX];
    for (int k = 0; k < e->count; k++)
        if (k != without) list[out.points++] = (struct weighed){fabs(e->off[k]), 1};
    out.half = fmax(quantile(list, out.points, 0.95) * sqrt(1 + 1.0 / out.points), 0.02);
    snprintf(out.cases, sizeof out.cases, "%s%s", without < 0 ? "" : "other points of ", e->c->name);
    return out;
}

/* All shipped cases, run; those of R-GAT's steps and runs, whose fits take longer than all others together, only where
 * they are asked for (steps), else they have no points. cases, errors: [CASES_MAX], the caller's to release. */
static enum st load_shipped(struct validation_case *cases, struct errors *errors, bool steps, int *count,
                            struct err *err)
{
    for (*count = 0; validation_shipped[*count].name; ++*count) {
        const struct validation_shipped *s = &validation_shipped[*count];
        PASS(validation_case_parse(s->text, strlen(s->text), s->name, &cases[*count], err));
        errors[*count] = (struct errors){.c = &cases[*count],
                                         .kind = kind_of(&cases[*count])->kind,
                                         .shortest = INFINITY};
        const bool long_fit = errors[*count].kind == KIND_RGAT || errors[*count].kind == KIND_RUN;
        if (!long_fit || steps) errors_of(&cases[*count], &errors[*count]);
    }
    return ST_OK;
}

/* ---- one's own ---- */

/* Own cases of a kind correct it by their median, and what they leave is its interval. */
static void take_own(const struct errors *own, int cases, struct size_error *all)
{
    struct weighed list[CASE_POINTS_MAX];
    for (int kind = 0; kind < ERROR_KINDS; kind++) {
        struct size_error e = {.own = true, .whole = kind == ERROR_EPOCH};
        int taken = 0;
        for (int i = 0; i < cases; i++) {
            if (own[i].kind != kind || !own[i].count) continue;
            for (int k = 0; k < own[i].count && e.points < CASE_POINTS_MAX; k++)
                list[e.points++] = (struct weighed){own[i].off[k], 1.0 / own[i].count};
            text_append(e.cases, sizeof e.cases, "%s%s", taken++ ? ", " : "", own[i].c->name);
        }
        if (!taken) continue;
        e.bias = quantile(list, e.points, 0.5);
        for (int k = 0; k < e.points; k++) list[k].off = fabs(list[k].off - e.bias);
        e.half = fmax(quantile(list, e.points, 0.95) * sqrt(1 + 1.0 / e.points), 0.02);
        /* one point shows no spread: then the spread between cases of that kind remains, up to 25 % */
        if (e.points < 3) e.half = fmax(e.half, fmin(all[kind].half, 0.22));
        all[kind] = e;
    }
}

enum st size_errors_make(const char *own, bool rgat, struct size_errors *out, struct size_errors *shipped,
                         struct err *err)
{
    enum st st;
    struct validation_case *cases = NULL;
    OWNED struct errors *errors = NULL;
    int count = 0, mine = 0;
    char copy[2048], *part[CASES_MAX];
    memset(out, 0, sizeof *out);
    NEW(cases, 2 * CASES_MAX, "cases");
    NEW(errors, 2 * CASES_MAX, "errors of cases");
    TRY(load_shipped(cases, errors, rgat, &count, err));
    for (int k = 0; k < ERROR_KINDS; k++) TRY(from_cases(errors, count, k, NULL, &out->kind[k], err));
    for (int i = 0; i < count; i++) {
        if (errors[i].kind == KIND_RGAT && rgat) out->kind[ERROR_EPOCH] = from_others(&errors[i], -1);
        if (errors[i].kind == KIND_PRODUCTS) out->products = from_others(&errors[i], -1);
    }
    out->shortest = INFINITY;
    for (int i = 0; i < count; i++) out->shortest = fmin(out->shortest, errors[i].shortest);
    if (shipped) *shipped = *out;
    if (own && strlen(own) >= sizeof copy) FAIL(ST_USAGE, "--case: the list is too long");
    snprintf(copy, sizeof copy, "%s", own ? own : "");
    int files = own ? text_split(copy, ',', part, CASES_MAX) : 0;
    if (files < 0) FAIL(ST_USAGE, "--case: more than %d files", CASES_MAX);
    for (; mine < files; mine++) {
        TRY(validation_case_load(part[mine], &cases[count + mine], err));
        errors_of(&cases[count + mine], &errors[count + mine]);
        if (errors[count + mine].kind >= KIND_LINKS) errors[count + mine].kind = ERROR_TRANSFER;
    }
    take_own(errors + count, mine, out->kind);
done:
    for (int i = 0; cases && i < 2 * CASES_MAX; i++) validation_case_release(&cases[i]);
    mem_free(cases);
    return st;
}

/* ---- held out ---- */

enum st size_errors_held_out(struct size_held_out *out, doc *detail, struct err *err)
{
    enum st st;
    struct validation_case *cases = NULL;
    OWNED struct errors *errors = NULL;
    struct weighed width[CASES_MAX];
    struct size_error e;
    int count = 0;
    *out = (struct size_held_out){0};
    NEW(cases, CASES_MAX, "cases");
    NEW(errors, CASES_MAX, "errors of cases");
    TRY(load_shipped(cases, errors, true, &count, err));
    for (int i = 0; i < count; i++) {
        int inside = 0;
        bool alone = errors[i].kind < 0;
        if (!alone) TRY(from_cases(errors, count, errors[i].kind, &cases[i], &e, err));
        for (int k = 0; k < errors[i].count; k++) {
            if (alone) e = from_others(&errors[i], k);
            inside += fabs(errors[i].off[k]) <= e.half;
        }
        out->points += errors[i].count;
        out->inside += inside;
        width[i] = (struct weighed){exp(2 * e.half), errors[i].count};
        if (!detail) continue;
        doc_append(detail, DOC(IS("case", cases[i].name), IS("model", cases[i].model->name),
                               IS("kind", kinds[!alone                            ? errors[i].kind
                                                : errors[i].kind != KIND_PRODUCTS ? ERROR_EPOCH
                                                                                  : ERROR_PROPAGATE]),
                               IS("timed", kind_of(&cases[i])->timed), IS("points", errors[i].count),
                               IS("inside", inside), IS("width", width[i].off), IS("from", e.cases)));
    }
    out->width = quantile(width, count, 0.5);
done:
    for (int i = 0; cases && i < CASES_MAX; i++) validation_case_release(&cases[i]);
    mem_free(cases);
    return st;
}
