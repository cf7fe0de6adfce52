/* epoch_args.c - the options of the time model, and its result for a simulated plan (declared in epoch_args.h). */
#include "simulator/movement/epoch_args.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "simulator/movement/balance.h"

bool epoch_args_rgat(const struct epoch_args *a)
{
    return gnn_of(a->model) == GNN_RGAT && a->precision && !strcmp(a->precision, "mixed");
}

enum st epoch_args_read(const struct epoch_args *a, struct epoch_options *out, struct err *err)
{
    struct epoch_options t = {
        .setup = {.gnn = {gnn_of(a->model), (uint64_t)a->hidden, (uint64_t)a->classes}, .cpu = cpu_part_none()}};
    t.setup.pipelined = !a->schedule || !strcmp(a->schedule, "pipelined");
    t.setup.one_stage = a->prefetch && !strcmp(a->prefetch, "one-stage");
    t.share_given = a->cpu_share;
    if (a->cpu_share) PASS(units_real(a->cpu_share, "--cpu-share", &t.setup.cpu.share, err));
    if (!(t.setup.cpu.share >= 0 && t.setup.cpu.share <= 1))
        return err_set(err, ST_USAGE, "--cpu-share: %g is not a share; expected 0 (the GPUs train everything) to 1",
                       t.setup.cpu.share);
    t.setup.unoverlapped = EPOCH_UNOVERLAPPED;
    t.setup.tf32 = a->precision && !strcmp(a->precision, "tf32");
    t.setup.mixed = a->precision && !strcmp(a->precision, "mixed");
    if (t.setup.gnn.kind == GNN_RGAT) {
        t.setup.efficiency = RGAT_EFFICIENCY;
        t.setup.step_seconds = RGAT_STEP_SECONDS;
        t.setup.reads = RGAT_READS;
    }
    if (a->unoverlapped) PASS(units_real(a->unoverlapped, "--unoverlapped", &t.setup.unoverlapped, err));
    if (!(t.setup.unoverlapped >= 0 && t.setup.unoverlapped <= 1))
        return err_set(err, ST_USAGE,
                       "--unoverlapped: %g is not a share; expected 0 (the longest stage hides all others) to 1",
                       t.setup.unoverlapped);
    if (a->calibration) PASS(calibration_load(a->calibration, &t.calibration, err));
    t.calibrated = a->calibration;
    *out = t;
    return ST_OK;
}

void epoch_args_share(const struct epoch_options *o, const struct graph *graph, struct plan *p)
{
    const doc *stated = doc_get(p->notes, "cpu");
    if (o->share_given) plan_set_cpu_share(p, o->setup.cpu.share, graph);
    else if (stated) plan_set_cpu_share(p, balance_read(stated).share, graph);
}

struct epoch_setup epoch_setup_of(const struct epoch_options *o, const struct plan *p, const struct graph *graph)
{
    struct epoch_setup how = o->setup;
    const doc *stated = doc_get(p->notes, "cpu");
    if (stated && !o->share_given) how.cpu = balance_read(stated);
    else if (!o->share_given) how.cpu.share = p->cpu_share;
    how.relations = graph->relations;
    how.types = graph->types;
    return how;
}

enum st epoch_timed_make(const struct epoch_options *o, const struct server *server, const struct plan *p,
                         const struct replay *r, const struct graph *graph, struct epoch_timed **out, struct err *err)
{
    OWNED struct epoch_timed *t = NULL;
    if (!o->setup.gnn.hidden) return ST_OK;
    MAKE(t, 1, "the time model");
    t->how = epoch_setup_of(o, p, graph);
    t->calibrated = o->calibrated;
    t->calibration = o->calibration;
    t->without_cache = -1;
    if (server) {
        OWNED_NEW(struct epoch_load, load, 1, "the time model");
        OWNED_NEW(struct routes, routes, 1, "the time model");
        routes_find(&p->placement, p->links, p->assignment.id, routes);
        epoch_load_of(&p->placement, routes, p->pcie_switch, r, graph, &p->workload, p->line_bytes, load);
        if (t->how.enlarge > 0) epoch_load_enlarge(load, t->how.enlarge);
        epoch_time(load, server, &t->how, &t->time);
    } else {
        t->time =
            (struct epoch_time){.bottleneck = ALL_STAGES, .seconds = NAN, .unknowns = 1, .unknown = {EPOCH_NO_SERVER}};
    }
    t->seconds = t->calibrated ? calibration_apply(&t->calibration, t->time.seconds) : t->time.seconds;
    *out = TAKE(t);
    return ST_OK;
}
