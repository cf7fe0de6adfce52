#include "planner/decisions/epoch_interval.h"

#include <math.h>

#include "base/mem.h"
#include "base/student.h"
#include "hwprofiles/model/product_rate.h"

static bool known(const struct epoch_timed *t, const struct server *s)
{
    return t && s && isfinite(t->seconds) && !t->calibrated && epoch_iteration(&t->how, t->time.stage) > 0;
}

static struct epoch_interval interval_of(const struct epoch_timed *t, const struct server *s,
                                         const struct size_errors *errors)
{
    struct epoch_interval out = {0};
    double stage[2][ALL_STAGES];
    const struct size_error *epoch = &errors->kind[ERROR_EPOCH];
    const double now = epoch_iteration(&t->how, t->time.stage), whole = epoch->half;
    for (int i = 0; i < ALL_STAGES; i++) {
        double half = epoch->whole ? 0 : size_error_of_stage(errors, (enum stage_name)i);
        if (!epoch->whole && i == STAGE_PROPAGATE && server_products_assumed(s))
            half = student_together(half, errors->products.half);
        for (int side = 0; side < 2; side++) stage[side][i] = t->time.stage[i] * exp(side ? half : -half);
    }
    for (int side = 0; side < 2; side++) {
        double off = fabs(log(epoch_iteration(&t->how, stage[side]) / now));
        *(side ? &out.high : &out.low) = t->seconds * exp((side ? 1 : -1) * sqrt(off * off + whole * whole));
    }
    out.shorter = !epoch->whole && isfinite(errors->shortest) && t->seconds / t->time.iterations < errors->shortest;
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

enum st epoch_errors_make(const struct epoch_timed *t, struct size_errors *out, struct err *err)
{
    if (!t) return ST_OK;
    return size_errors_make(NULL, t->how.gnn.kind == GNN_RGAT && t->how.mixed, out, NULL, err);
}

enum st epoch_interval_state(doc *simulated, const struct epoch_timed *t, const struct server *s,
                             struct epoch_interval *out, struct err *err)
{
    *out = (struct epoch_interval){0};
    if (!known(t, s)) return ST_OK;
    OWNED_NEW(struct size_errors, errors, 1, "errors of stages");
    PASS(epoch_errors_make(t, errors, err));
    *out = epoch_interval_put(doc_get(simulated, "epoch_time"), t, s, errors);
    return ST_OK;
}
