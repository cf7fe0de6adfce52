#include "planner/running/refresh_reads.h"

#include <math.h>
#include <stdio.h>
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

/* The stage of a recording's reads. *known: false where the server does not state a rate. */
static enum st make(const struct study *s, const struct study_recording *r, const struct placement *p,
                    struct items *items, struct transfer *out, bool *known, struct err *err)
{
    *items = (struct items){.graph = s->o.graph,
                            .estimates = r->estimates[RATE_CALIBRATED],
                            .threads = s->o.threads,
                            .trace = r->trace};
    enum st st = transfer_make(s->o.server, p, items, out, err);
    *known = st == ST_OK;
    if (st != ST_USAGE) return st;
    err_clear(err);
    return ST_OK;
}

/* What lies below and beside the GPUs is waited for, too. x: NULL: one host. */
static void add_below(const struct plan_places *places, struct refresh_reads *r)
{
    if (!places) return;
    r->network = places->expected_network;
    r->ssd = places->expected_ssd;
    if (r->network > r->seconds) snprintf(r->waits_for, sizeof r->waits_for, "network");
    r->seconds = fmax(r->seconds, r->network);
    if (r->ssd > r->seconds) snprintf(r->waits_for, sizeof r->waits_for, "SSDs");
    r->seconds = fmax(r->seconds, r->ssd);
}

enum st refresh_reads_expect(const struct study *s, const struct study_cell *cell, int count, struct refresh_reads *out,
                             struct err *err)
{
    struct items items;
    OWNED_BY(transfer_release) struct transfer t = {0};
    int busiest;
    bool known;
    for (int i = 0; i < count; i++)
        out[i] = (struct refresh_reads){.seconds = NAN, .own = NAN, .peers = NAN, .host = NAN};
    PASS(make(s, cell->recording, &cell->plan.placement, &items, &t, &known, err));
    if (!known) return ST_OK;
    OWNED_NEW(double, seconds, t.resources + 1, "times of links");
    for (int i = 0; i < count; i++) {
        out[i].own = out[i].peers = out[i].host = 0;
        PASS(transfer_cost(&t, &cell[i].plan.placement, seconds, &out[i].seconds, &busiest, err));
        transfer_name(&t, busiest, cell[i].plan.assignment.id, out[i].waits_for);
        for (int k = 0; k < t.resources; k++) {
            double *part = part_of(&out[i], &t, k);
            *part = fmax(*part, seconds[k]);
        }
        add_below(cell[i].plan.places, &out[i]);
    }
    return ST_OK;
}

static bool same_peers(const struct placement *a, const struct placement *b)
{
    return !memcmp(a->peers, b->peers, sizeof a->peers) && !memcmp(a->peer, b->peer, sizeof a->peer);
}

/* Bytes per epoch by [reader][source][kind], of the host whole transactions. */
static void load(const struct transfer *t, const struct graph *graph, const struct replay *r, uint64_t *loads)
{
    for (int g = 0; g < t->gpus; g++)
        for (int source = 0; source <= t->gpus; source++) {
            const struct replay_gpu *gpu = &r->gpu[g];
            bool host = source == t->gpus;
            double rows = host ? (double)gpu->feature * t->line_bytes
                               : (double)replay_feature_bytes(gpu, graph, t->gpus, source),
                   visits = host ? (double)gpu->topology * t->line_bytes
                                 : 16 * (double)gpu->visits[source] + 4 * (double)gpu->draws[source];
            uint64_t *to = &loads[(g * (t->gpus + 1) + source) * 2];
            to[0] = (uint64_t)(rows / (double)r->epochs * 0x1p10);
            to[1] = (uint64_t)(visits / (double)r->epochs * 0x1p10);
        }
}

enum st refresh_reads_counted(const struct study *s, const struct study_recording *r, const struct placement *const *p,
                              const struct replay *counted, int count, double *seconds, struct err *err)
{
    enum st st = ST_OK;
    struct items items;
    OWNED_BY(transfer_release) struct transfer t = {0};
    OWNED uint64_t *loads = NULL;
    OWNED double *each = NULL;
    bool known = false;
    int busiest;
    for (int i = 0; i < count; i++) {
        seconds[i] = NAN;
        if (!i || !same_peers(p[i], p[i - 1])) {
            transfer_release(&t);
            TRY(make(s, r, p[i], &items, &t, &known, err));
            if (known) GROW(loads, TRANSFER_LOADS(&t), "loads of links");
            if (known) GROW(each, t.resources + 1, "times of links");
        }
        if (!known) continue;
        load(&t, s->o.graph, &counted[i], loads);
        seconds[i] = transfer_seconds(&t, loads, each, &busiest);
    }
done:
    return st;
}
