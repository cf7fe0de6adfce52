#include "planner/decisions/size.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/ranks.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/model/product_rate.h"
#include "hwprofiles/model/server_provenance.h"
#include "planner/decisions/size_room.h"
#include "planner/engine/thin.h"
#include "planner/places/memory_args.h"
#include "planner/options/cached_types.h"
#include "simulator/storage/storage.h"
#include "traces/graph/graph_union.h"
#include "traces/graph/rows.h"
#include "traces/sampling/seeds.h"
#include "simulator/movement/memories_read.h"
#include "simulator/movement/simulated.h"

/* ---- what a variant is ---- */

static enum st load_server(const struct size_question *q, const struct size_variant *v, struct server *out,
                           struct err *err)
{
    enum st st;
    char source[PATH_BYTES];
    if (v->gpus) snprintf(source, sizeof source, "%s:%d", v->server, v->gpus);
    else snprintf(source, sizeof source, "%s", v->server);
    TRY(server_load(source, out, err));
    server_host_rate_given(out, q->host_gbps);
    if (!v->nvlink) st = server_without_links(out, err);
    if (st == ST_OK) st = server_set_reach(out, reach_of(q->study->reach), err);
    if (st != ST_OK) server_release(out);
done:
    return st;
}

/* The graph with the variant's feature type; arrays are borrowed. ST_USAGE where GPUs would not hold it smaller. */
static enum st with_element(const struct size_question *q, const struct size_graph *g, uint64_t element,
                            struct graph *out, struct err *err)
{
    *out = element && g->as[element] ? *g->as[element] : *g->graph;
    if (!element || !graph_plain(out)) return ST_OK;
    out->feature_bytes = element;
    out->row_bytes = out->feature_dim * element;
    out->cached = PRECISION_HOST;
    return q->cache_type ? cached_types_set(q->cache_type, out, err) : ST_OK;
}

/* Bytes of all rows as GPUs hold them. */
static uint64_t cached_total(const struct graph *g)
{
    uint64_t sum = graph_total_bytes(g);
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        if (t.kind != ROWS_TOPOLOGY && graph_table_there(g, k)) sum -= t.count * (t.row_bytes - t.cached_bytes);
    }
    return sum;
}

static enum st workload_of(const struct size_question *q, const struct graph *g, const struct size_variant *v,
                           double factor, struct workload *out, struct err *err)
{
    struct workload_args a = *q->workload;
    double batch = (double)v->batch / factor;
    a.fanout = v->fanout;
    a.batch = batch < 1 ? 1 : (int64_t)(batch + 0.5);
    return options_workload(q->call, &a, g, out, err);
}

/* The reservation of training at full size. */
static enum st reserve(const struct size_question *q, const struct graph *g, double factor,
                       const struct size_variant *v, int gpus, struct reservation *out, struct err *err)
{
    struct graph view = *g;
    ON_HEAP(struct graph, full);
    *full = *g;
    struct workload w, small;
    struct reservation r;
    struct reservation_batch batch;
    full->n = (uint64_t)((double)g->n * factor + 0.5);
    PASS(workload_of(q, g, v, 1, &w, err));
    PASS(workload_of(q, g, v, factor, &small, err));
    if (q->study->reserve && strcmp(q->study->reserve, "pagraph")) reservation_estimate(full, &w, 1, gpus, &r);
    else {
        PASS(workload_attach(&small, &view, err));
        PASS(reservation_draw(&view, &small, (double)(w.batch * workload_seed_vertices(&w)), &batch, err));
        reservation_of_batch(full, &w, (uint64_t)q->study->timing.hidden, gpus, batch, &r);
    }
    if (q->study->reserve) PASS(reservation_given(q->study->reserve, &r, err));
    *out = r;
    return ST_OK;
}

/* Bytes of the largest row as a GPU holds it. */
static uint64_t largest_row(const struct graph *g, int threads)
{
    uint64_t most = 0;
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        if (!graph_table_there(g, k)) continue;
        const uint64_t rows = t.kind == ROWS_TOPOLOGY ? t.count : 1; /* those of features are alike */
#pragma omp parallel for num_threads(threads) reduction(max : most)
        for (uint64_t row = 0; row < rows; row++) {
            uint64_t bytes = row_table_bytes(g, &t, row);
            if (bytes > most) most = bytes;
        }
    }
    return most;
}

/* Where GPUs of a clique share what they hold, the smallest clique holds everything with its part each and the largest
 * row: as long as a row is left, the GPUs hold less than their parts together, so one has room for it. */
static void set_useful(const struct size_question *q, const struct server *s, const struct graph *g,
                       struct size_curve *c)
{
    int least = SERVER_GPUS_MAX;
    for (int i = 0; i < s->cliques; i++) least = s->clique_size[i] < least ? s->clique_size[i] : least;
    c->useful = c->cached;
    if (q->policy->assignment != ASSIGNMENT_HIERARCHICAL || least <= 1) return;
    uint64_t row = (uint64_t)((double)largest_row(g, q->call->threads) * c->factor + 1);
    c->useful = c->cached / (uint64_t)least + row < c->cached ? c->cached / (uint64_t)least + row : c->cached;
}

/* What is left of the smallest GPU; memory 0: not known, so all that is useful could be held. */
static void set_limit(const struct size_question *q, struct size_curve *c)
{
    uint64_t ours = (uint64_t)((double)c->memory * c->of.share), taken = q->second_job + c->reservation.total;
    c->limit = c->useful;
    if (c->memory && ours < taken) {
        c->missing = taken - ours;
        c->limit = 0;
    } else if (c->memory && ours - taken < c->limit) c->limit = ours - taken;
    if (q->most && c->limit > q->most) c->limit = q->most;
}

/* Where training leaves nothing: halves the mini-batch until it does. */
static enum st find_smaller(const struct size_question *q, const struct graph *g, const struct size_variant *v,
                            struct size_curve *c, struct err *err)
{
    struct size_variant half = *v;
    struct reservation r;
    uint64_t ours = (uint64_t)((double)c->memory * v->share);
    for (half.batch /= 2; c->missing && half.batch && !c->smaller; half.batch /= 2) {
        PASS(reserve(q, g, c->factor, &half, c->gpus, &r, err));
        if (ours >= q->second_job + r.total) c->smaller = half.batch;
    }
    return ST_OK;
}

static uint64_t term_of(const struct reservation *r, const char *name)
{
    for (int i = 0; i < r->terms; i++)
        if (!strcmp(r->term[i].name, name)) return r->term[i].bytes;
    return 0;
}

/* What it costs and draws, and what its host memory must hold. */
static enum st set_machine(const struct size_question *q, const struct server *s, const struct graph *g,
                           struct size_curve *c, struct err *err)
{
    struct workload w;
    const uint64_t gib = (uint64_t)1 << 30;
    uint64_t rows = graph_totals(g).feature + graph_totals(g).edge;
    PASS(workload_of(q, g, &c->of, c->factor, &w, err));
    c->priced = size_price_of(&q->prices, s);
    PASS(size_watts_of(s, q->power, &c->watts, err));
    c->owned = size_owned_of(&q->buy, &q->prices, s, &c->watts, &c->priced);
    c->price = c->priced.per_hour;
    c->host_memory = c->of.beside.host_memory ? c->of.beside.host_memory : s->host_memory_bytes;
    c->nic_gbps = c->of.beside.nic_gbps;
    c->cached = (uint64_t)((double)cached_total(g) * c->factor);
    for (int i = 0; i < s->places.nics && !(c->of.beside.nic_gbps > 0); i++) c->nic_gbps += s->places.nic[i].gbps;
    c->features = (uint64_t)((double)rows * c->factor);
    c->topology = c->everything - c->features + (uint64_t)((double)(q->id_bytes - 4) * (double)g->m * c->factor);
    c->features *= (uint64_t)q->copies;
    c->topology *= (uint64_t)q->copies;
    c->offsets = (uint64_t)((double)memory_args_offsets(g) * c->factor);
    c->topology_in_dram = !storage_knows_topology(&w);
    c->stored = c->topology_in_dram ? c->features
                                    : c->everything - (uint64_t)(8.0 * (double)graph_topology_rows(g) * c->factor);
    c->loader = SIZE_HOST_SYSTEM_GIB * gib +
                (uint64_t)c->gpus * (SIZE_HOST_PROCESS_GIB * gib + term_of(&c->reservation, "input rows"));
    if (c->of.beside.host_share > 0)
        c->host_memory = c->loader + (uint64_t)(c->of.beside.host_share * (double)c->everything + 0.5);
    c->vertices = (double)g->n * c->factor;
    c->row_bytes = g->row_bytes;
    c->element_bytes = g->feature_bytes;
    for (int t = 0; t < g->types; t++) {
        const struct graph_features *f = &g->type[t].features;
        if (f->row_bytes <= c->row_bytes) continue;
        c->row_bytes = f->row_bytes;
        c->element_bytes = f->row_bytes / f->dim;
    }
    const struct gnn gnn = {gnn_of(q->study->timing.model), (uint64_t)q->study->timing.hidden,
                            (uint64_t)q->study->timing.classes};
    c->weights = (uint64_t)gnn_gradient_bytes(&gnn, c->of.fanout.count, (double)(c->row_bytes / c->element_bytes),
                                              graph_plain(g) ? 1 : g->relations);
    snprintf(c->gpu, sizeof c->gpu, "%.70s", s->gpu[0].model);
    c->efficiency = s->gpu[0].efficiency;
    c->products_assumed = server_products_assumed(s);
    return ST_OK;
}

enum st size_curve_begin(const struct size_question *q, const struct size_graph *g, const struct size_variant *v,
                         struct size_curve *out, struct err *err)
{
    OWNED_SERVER struct server *s = NULL;
    struct graph t;
    memset(out, 0, sizeof *out);
    PASS(with_element(q, g, v->element, &t, err));
    MAKE(s, 1, "a server");
    PASS(load_server(q, v, s, err));
    out->of = *v;
    snprintf(out->server, sizeof out->server, "%s", s->name);
    out->gpus = s->gpus;
    out->cliques = s->cliques;
    out->memory = UINT64_MAX;
    for (int i = 0; i < s->cliques; i++)
        out->largest_clique = s->clique_size[i] > out->largest_clique ? s->clique_size[i] : out->largest_clique;
    for (int i = 0; i < s->gpus; i++)
        out->memory = s->gpu[i].memory_bytes < out->memory ? s->gpu[i].memory_bytes : out->memory;
    out->factor = g->factor * v->grow;
    out->trains = g->trains;
    size_shared_key(v, s, out->factor, out->key);
    out->everything = (uint64_t)((double)graph_total_bytes(&t) * out->factor);
    out->answer = -1;
    PASS(reserve(q, &t, out->factor, v, s->gpus, &out->reservation, err));
    PASS(set_machine(q, s, &t, out, err));
    set_useful(q, s, &t, out);
    set_limit(q, out);
    return find_smaller(q, &t, v, out, err);
}

static uint64_t step_of(const struct size_question *q, uint64_t limit)
{
    uint64_t step = (limit + (uint64_t)q->steps - 1) / (uint64_t)q->steps;
    return step ? step : 1;
}

void size_steps(struct size_question *q, const struct size_curve *curves, int count)
{
    uint64_t most = 0;
    for (int i = 0; i < count; i++) most = curves[i].limit > most ? curves[i].limit : most;
    q->step = step_of(q, most);
}

/* ---- running one ---- */

/* Whether the point meets the targets. */
static void weigh(const struct size_question *q, struct size_point *p)
{
    bool missed = false, unknown = false;
    const double epochs = p->value[SIZE_TRAINING] / p->value[SIZE_SECONDS]; /* the whole run in epochs */
    for (int i = 0; i < q->targets; i++) {
        double v = size_target_value(q->target[i].metric, p->value[q->target[i].metric], isnan(epochs) ? 1 : epochs);
        missed |= !isnan(v) && !size_meets(&q->target[i], v);
        unknown |= isnan(v);
    }
    p->meets = !missed && !unknown;
    p->unsure = !missed && unknown;
}

static void read_point(const struct size_question *q, const struct size_curve *c, const struct study_cell *cell,
                       struct size_point *p)
{
    const struct simulated *sim = cell->plan.simulated;
    const struct memories_read *below = sim->memories;
    struct epoch_timed bare = *sim->time; /* the drives come beside it with an error of their own */
    const struct epoch_time *time = &bare.time;
    epoch_timed_beside(&bare, STAGE_STORAGE, 0, "");
    p->value[SIZE_FEATURE_HIT] = simulated_hit(sim->sums.rows);
    p->value[SIZE_TOPOLOGY_HIT] = simulated_hit(sim->sums.visits);
    p->value[SIZE_TRANSACTIONS] = floor((double)sim->sums.transactions.total * c->factor * c->trains + 0.5);
    p->value[SIZE_SECONDS] = bare.seconds * c->trains;
    p->value[SIZE_COST] = c->price > 0 ? p->value[SIZE_SECONDS] * c->price / 3600 : c->price; /* 0, or not known */
    p->iterations = time->unknowns ? NAN : time->iterations * c->trains;
    p->noise = sim->low > 0 && sim->high > sim->low ? log((double)sim->high / (double)sim->low) / 2 : 0;
    for (int i = 0; i < EPOCH_STAGES; i++) p->stage[i] = time->unknowns ? NAN : time->stage[i];
    p->value[SIZE_TRAINING] = size_run_training(q, c, p);
    p->value[SIZE_ENERGY] = p->value[SIZE_SECONDS] * size_point_watts(c, p) / 3.6e6;
    p->ssd_reads = below ? below->blocks * c->factor * c->trains : 0;
    p->storage = below ? drives_seconds(&c->of.beside.drives, p->ssd_reads / p->iterations) : 0;
    const bool told = !time->unknowns && time->bottleneck < ALL_STAGES;
    snprintf(p->bottleneck, sizeof p->bottleneck, "%s", told ? stage_word(time->bottleneck) : "");
    snprintf(p->limited_by, sizeof p->limited_by, "%s", told ? time->limit[time->bottleneck] : "");
    weigh(q, p);
}

static void read_unknown(const struct study_cell *cell, struct size_curve *c)
{
    const struct epoch_time *time = &cell->plan.simulated->time->time;
    c->unknowns = time->unknowns;
    memcpy(c->unknown, time->unknown, sizeof c->unknown);
}

/* Plans and judges so many points of the curve. */
static enum st judge(const struct size_question *q, struct study_nodes *nodes, struct size_curve *c,
                     struct size_point *point, int count, struct err *err)
{
    enum st st;
    struct study_cell *cells = NULL;
    if (!count) return ST_OK;
    bool grid = point == c->point; /* first; with targets then what lies between its points */
    const double half = q->targets ? 0.6 : 1;
    int entered = progress_enter((struct progress_part){"", grid ? 0 : half, grid ? half : 1, 0, 0, 0});
    NEW(cells, count, "plans of a curve");
    for (int i = 0; i < count; i++) {
        cells[i].policy = q->policy;
        memcpy(cells[i].option, q->option, sizeof cells[i].option);
        cells[i].options_given = true;
        cells[i].budget = (struct budget){.kind = BUDGET_BYTES,
                                          .bytes = (uint64_t)((double)point[i].budget / c->factor)};
    }
    if (grid) TRY(study_memory_say(q->call, &nodes->node[0].s.o, cells, count, err));
    TRY(study_nodes_plan(nodes, cells, count, err));
    for (int i = 0; i < count; i++)
        if (cells[i].verdict.status != POLICY_OK)
            FAIL(cells[i].verdict.absent ? ST_MISSING : ST_NO, "policy %s on %s: %s", q->policy->name, c->server,
                 cells[i].verdict.reason);
    TRY(study_nodes_simulate(nodes, cells, count, err));
    for (int i = 0; i < count; i++) read_point(q, c, &cells[i], &point[i]);
    read_unknown(&cells[0], c);
done:
    progress_leave(entered);
    for (int i = 0; cells && i < count; i++) study_cell_release(&cells[i]);
    mem_free(cells);
    return st;
}

static int first_that_meets(const struct size_curve *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->point[i].meets) return i;
    return -1;
}

/* A finer grid of so many points below the first point that meets; they are sorted in. */
static enum st refine(const struct size_question *q, struct study_nodes *nodes, int points, struct size_curve *c,
                      struct err *err)
{
    int at = first_that_meets(c), inner = 0, old = c->count;
    struct size_point found[SIZE_INNER];
    if (at < 1 || !q->targets) return ST_OK;
    uint64_t low = c->point[at - 1].budget, high = c->point[at].budget;
    for (int i = 1; i <= points; i++) {
        uint64_t budget = low + (uint64_t)((unsigned __int128)(high - low) * (unsigned)i / (unsigned)(points + 1));
        if (budget <= (inner ? c->point[old + inner - 1].budget : low)) continue; /* less than a byte apart */
        c->point[old + inner++] = (struct size_point){.budget = budget, .inner = true};
    }
    PASS(judge(q, nodes, c, c->point + old, inner, err));
    memcpy(found, c->point + old, (size_t)inner * sizeof *found);
    memmove(c->point + at + inner, c->point + at, (size_t)(old - at) * sizeof *found);
    memcpy(c->point + at, found, (size_t)inner * sizeof *found);
    c->count = old + inner;
    return ST_OK;
}

void size_curve_finish(const struct size_question *q, struct size_curve *c)
{
    double best = NAN;
    for (int i = 0; i < c->count; i++) {
        weigh(q, &c->point[i]);
        best = fmin(best, c->point[i].value[SIZE_SECONDS]); /* ignores NaN */
        c->point[i].best_seconds = best;
    }
    c->answer = q->targets ? first_that_meets(c) : -1;
    for (int i = 0; i < c->count && c->answer < 0; i++) c->unsure |= c->point[i].unsure;
    c->simulated = true;
}

/* What the server's DRAM, at the graph's scale, and its SSDs hold below the largest cache. A policy whose plan has no
 * lists, or a server whose rates are not stated, has no such plan, but may hold the graph with more host memory. */
static enum st plan_ssds(const struct size_question *q, struct study_nodes *nodes, const struct graph *g,
                         struct size_curve *c, struct err *err)
{
    enum st st;
    const struct server *s = nodes->node[0].s.o.server;
    struct memories_request below = {.server = s, .nodes = 1, .drives = c->of.beside.drives};
    if (ranks_count() > 1)
        return err_set(err, ST_USAGE,
                       "memories below GPUs are planned by one process; start it without mpirun, or leave --ssd out");
    PASS(plan_places_reads(g, s->line_bytes, &below.kinds, below.read_bytes, err));
    below.offset_bytes = memory_args_offsets(g);
    below.host_bytes = (uint64_t)((double)(c->host_memory - c->loader) / c->factor);
    PASS(study_memories_check(q->call, &below, g, err));
    c->ssd = (struct size_point){.budget = c->point[c->count - 1].budget};
    nodes->below = &below;
    st = judge(q, nodes, c, &c->ssd, 1, err);
    nodes->below = NULL;
    if (st != ST_NO) return st;
    snprintf(c->ssd_lacks, sizeof c->ssd_lacks, "a plan with SSDs: %.170s", err->text);
    err_clear(err);
    return ST_OK;
}

static void make_grid(const struct size_question *q, struct size_curve *c)
{
    c->step = q->step ? q->step : step_of(q, c->limit);
    for (; c->count < SIZE_POINTS_MAX - SIZE_INNER - 1 && (uint64_t)c->count * c->step < c->limit; c->count++)
        c->point[c->count].budget = (uint64_t)c->count * c->step;
    c->point[c->count++].budget = c->limit;
}

double size_rows_share(const struct size_question *q, const struct graph *g)
{
    const struct study_options o = {.graph = g, .sampled = !q->study->exact};
    return thin_cell_share(&o, q->policy);
}

/* The study that runs the curve on that graph and server, whose memory becomes the share that the curve has. */
static enum st options_of(const struct size_question *q, struct graph *g, struct server *server,
                          const struct size_curve *c, struct study_options *o, struct err *err)
{
    struct workload w;
    PASS(workload_of(q, g, &c->of, c->factor, &w, err));
    PASS(workload_attach(&w, g, err));
    PASS(study_options_make(q->call, q->study, g, server, q->kernels, &w, o, err));
    o->order_auto = options_order_auto(q->workload);
    o->no_mixture = o->no_interval = true; /* no plan is written that would state them */
    o->quick = o->sampled = !q->study->exact;
    o->timing.setup.enlarge = c->factor;
    o->timing.setup.step_seconds *= fmax(1,
                                         c->factor / (double)c->of.batch); /* a mini-batch here has one seed at least */
    o->reservation = c->reservation; /* for policies that use all the room of a GPU: at the graph's scale */
    o->reservation.total = (uint64_t)((double)(c->reservation.total + q->second_job) / c->factor);
    for (int i = 0; i < server->gpus; i++)
        server->gpu[i].memory_bytes = (uint64_t)((double)server->gpu[i].memory_bytes * c->of.share / c->factor);
    return ST_OK;
}

enum st size_curve_bytes(const struct size_question *q, const struct size_graph *g, const struct size_curve *c,
                         uint64_t *bytes, struct err *err)
{
    OWNED_SERVER struct server *server = NULL;
    struct graph t;
    struct study_options o;
    const int points = q->steps + 1;
    OWNED_NEW(struct study_cell, cells, points, "plans of a curve");
    PASS(with_element(q, g, c->of.element, &t, err));
    MAKE(server, 1, "a server");
    PASS(load_server(q, &c->of, server, err));
    PASS(options_of(q, &t, server, c, &o, err));
    for (int i = 0; i < points; i++) cells[i].policy = q->policy;
    const struct study_memory m = study_memory_estimate(&o, cells, points);
    *bytes = m.stage[m.peak].arrays;
    return ST_OK;
}

/* known: the points are there, and only the plan with SSDs is wanted. */
static enum st run_study(const struct size_question *q, struct size_shared *with, bool known, struct size_curve *c,
                         struct err *err)
{
    struct graph *g = with->graph;
    struct study_options o;
    PASS(options_of(q, g, with->server, c, &o, err));
    o.told = with->pace ? &with->pace->told : NULL;
    o.crew = with->crew;
    if (with->pace && !known)
        size_pace_expect(with->pace, &q->errors, (uint64_t)((double)c->limit / c->factor), c->trains);
    PASS(size_shared_begin(with, &o, err));
    if (!known) {
        PASS(judge(q, with->study, c, c->point, c->count, err));
        if (q->study->exact) PASS(refine(q, with->study, SIZE_INNER, c, err));
        for (int k = 0; k < 2 && !q->study->exact; k++) /* fewer plans, as fine as 15 points at once */
            PASS(refine(q, with->study, SIZE_INNER_TWICE, c, err));
    }
    if (size_room_needs_ssds(q, c)) PASS(plan_ssds(q, with->study, g, c, err));
    size_curve_finish(q, c);
    return ST_OK;
}

enum st size_curve_run(const struct size_question *q, const struct size_graph *g, struct size_shared *with,
                       struct size_curve *c, struct err *err)
{
    OWNED_SERVER struct server *server = NULL;
    struct graph t;
    const bool known = c->count > 0;
    if (c->missing) return ST_OK;
    if (known) size_curve_finish(q, c);
    if (known && !size_room_needs_ssds(q, c)) return ST_OK;
    PASS(with_element(q, g, c->of.element, &t, err));
    MAKE(server, 1, "a server");
    PASS(load_server(q, &c->of, server, err));
    PASS(size_shared_next(with, c->key, &t, server, err));
    server = NULL;
    if (!known) make_grid(q, c);
    return run_study(q, with, known, c, err);
}
