#include "planner/study/refresh_reads.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

bool refresh_gains(const struct refresh_reads *reads, double gain)
{
    const double alike = 1e-3, was = reads[0].seconds, is = reads[1].seconds;
    return is < was * (1 - alike) || (!(is > was * (1 + alike)) && gain > 0);
}

static double *part_of(struct refresh_reads *r, const struct transfer *t, int resource)
{
    if (t->resource[resource].kind == TRANSFER_MEMORY) return &r->own;
    return transfer_between(t, resource) ? &r->peers : &r->host;
}

enum st refresh_reads_expect(const struct study *s, const struct study_cell *cell, int count, struct refresh_reads *out,
                             struct err *err)
{
    enum st st = ST_OK;
    const struct study_recording *r = cell->recording;
    const struct items items = {.graph = s->o.graph,
                                .estimates = r->estimates[RATE_CALIBRATED],
                                .threads = s->o.threads,
                                .trace = r->trace};
    struct transfer t = {0};
    double *seconds = NULL;
    int busiest;
    for (int i = 0; i < count; i++) out[i] = (struct refresh_reads){NAN, NAN, NAN, NAN, ""};
    st = transfer_make(s->o.server, &cell->plan.placement, &items, &t, err);
    if (st == ST_USAGE) { /* the server does not state a rate */
        err_clear(err);
        return ST_OK;
    }
    TRY(st);
    NEW(seconds, t.resources + 1, "times of links");
    for (int i = 0; i < count; i++) {
        out[i].own = out[i].peers = out[i].host = 0;
        TRY(transfer_cost(&t, &cell[i].plan.placement, seconds, &out[i].seconds, &busiest, err));
        transfer_name(&t, busiest, cell[i].plan.assignment.id, out[i].waits_for);
        for (int k = 0; k < t.resources; k++) {
            double *part = part_of(&out[i], &t, k);
            *part = fmax(*part, seconds[k]);
        }
    }
done:
    mem_free(seconds);
    transfer_release(&t);
    return st;
}
