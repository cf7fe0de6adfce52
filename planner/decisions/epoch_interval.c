#include "planner/decisions/epoch_interval.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/student.h"
#include "hwprofiles/model/product_rate.h"

/* Whether nobody measured how fast a GPU of the server multiplies. */
static bool products_assumed(const struct server *s)
{
    bool assumed = false;
    for (int g = 0; g < s->gpus; g++) assumed |= *s->gpu[g].model && !server_product_rate(s->gpu[g].model).measured;
    return assumed;
}

static double iteration(const struct epoch_setup *how, const double *stage)
{
    double of[ALL_STAGES], sum = 0;
    memcpy(of, stage, sizeof of);
    for (int i = 0; i < ALL_STAGES; i++) sum += of[i];
    if (how->one_stage) {
        of[STAGE_TRANSFER] += of[STAGE_LOAD];
        of[STAGE_LOAD] = 0;
    }
    return how->pipelined ? epoch_pipelined(of, ALL_STAGES, how->unoverlapped) : sum;
}

/* Of errors: of a stage. */
static int kind_of(int stage)
{
    int k = 0;
    while (k < ERROR_KINDS && strcmp(size_error_kind_name(k), stage_word((enum stage_name)stage))) k++;
    return k;
}

static bool known(const struct epoch_timed *t, const struct server *s)
{
    return t && s && isfinite(t->seconds) && !t->calibrated && iteration(&t->how, t->time.stage) > 0;
}

static struct epoch_interval interval_of(const struct epoch_timed *t, const struct server *s,
                                         const struct size_errors *errors)
{
    struct epoch_interval out = {0};
    double stage[2][ALL_STAGES];
    const double now = iteration(&t->how, t->time.stage), whole = errors->kind[ERROR_EPOCH].half;
    for (int i = 0; i < ALL_STAGES; i++) {
        const int k = kind_of(i);
        double half = k < ERROR_KINDS ? errors->kind[k].half : 0;
        if (i == STAGE_PROPAGATE && products_assumed(s)) half = student_together(half, errors->products.half);
        for (int side = 0; side < 2; side++) stage[side][i] = t->time.stage[i] * exp(side ? half : -half);
    }
    for (int side = 0; side < 2; side++) {
        double off = fabs(log(iteration(&t->how, stage[side]) / now));
        *(side ? &out.high : &out.low) = t->seconds * exp((side ? 1 : -1) * sqrt(off * off + whole * whole));
    }
    out.shorter = isfinite(errors->shortest) && t->seconds / t->time.iterations < errors->shortest;
    return out;
}

struct epoch_interval epoch_interval_put(doc *time, const struct epoch_timed *t, const struct server *s,
                                         const struct size_errors *errors)
{
    struct epoch_interval e = {0};
    if (!time || !known(t, s)) return e;
    e = interval_of(t, s, errors);
    doc *ends = doc_array();
    doc_append(ends, doc_real(e.low));
    doc_append(ends, doc_real(e.high));
    DOC_PUT(time, IS("interval", ends), IS("shorter_than_measured", doc_bool(e.shorter)));
    return e;
}

enum st epoch_interval_state(doc *simulated, const struct epoch_timed *t, const struct server *s,
                             struct epoch_interval *out, struct err *err)
{
    *out = (struct epoch_interval){0};
    if (!known(t, s)) return ST_OK;
    OWNED_NEW(struct size_errors, errors, 1, "errors of stages");
    PASS(size_errors_make(NULL, t->how.gnn.kind == GNN_RGAT && t->how.mixed, errors, NULL, err));
    *out = epoch_interval_put(doc_get(simulated, "epoch_time"), t, s, errors);
    return ST_OK;
}
