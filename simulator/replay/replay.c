#include "simulator/replay/replay.h"

#include <omp.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/machine.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/threads.h"
#include "base/units.h"
#include "kernels/tally.h"
#include "simulator/replay/replay_counts.h"
#include "simulator/replay/replay_interval.h"
#include "simulator/replay/replay_left.h"
#include "simulator/replay/replay_room.h"
#include "simulator/replay/replay_sample.h"
#include "simulator/replay/replay_tables.h"
#include "traces/sampling/seeds.h"

/* The mini-batches of a GPU are counted in this many groups; the variance between groups gives the interval. Where the
 * mini-batches of an epoch depend on each other, a group is a number of whole epochs. */
enum { GROUPS = 8 };

_Static_assert(HOPS_MAX <= (int)TALLY_HOPS_MAX && GPUS_MAX + 1 <= (int)TALLY_SOURCES_MAX, "a tally has all hops and "
                                                                                          "sources");

/* ---- one reader, one placement ---- */

/* Draws of hop h. Layer-wise samplers and labor count a vertex's draws over all hops together: they are split by the
 * fan-outs of the hops, and for labor by the mean draws of the hops. */
static uint64_t draws_of_hop(const struct workload *w, const struct tally_hops *hops, int h)
{
    uint64_t all = 0, part = workload_layer_wise(w) ? w->fanout[h] : hops->draws[h];
    if (!workload_counts_draws(w)) return hops->draws[h];
    for (int i = 0; i < w->hops; i++) all += workload_layer_wise(w) ? w->fanout[i] : hops->draws[i];
    return all ? (uint64_t)((unsigned __int128)hops->all_draws * part / all) : 0;
}

/* Adds the sums of a tally to the reader's. Its source 0, the host, is the last source here. */
static void add_tally(const struct tally_sums *t, int gpus, struct replay_gpu *to)
{
    for (int s = 0; s <= gpus; s++) {
        int source = s ? s - 1 : gpus;
        to->rows[source] += t->rows[s];
        to->visits[source] += t->visits[s];
        to->draws[source] += t->draws[s];
        to->degrees[source] += t->degrees[s];
        to->entries[source] += t->entries[s];
    }
    to->lines += t->lines;
    to->topology += t->topology;
    to->feature += t->feature;
}

static struct tally_problem tally_of(const struct replay_request *r, int gpus, int count, uint8_t *const *where)
{
    const struct workload *w = r->workload;
    return (struct tally_problem){.n = r->graph->n,
                                  .indptr = r->graph->indptr,
                                  .hops = w->hops,
                                  .fanout = w->fanout,
                                  .whole_rows = workload_entry_bytes(w),
                                  .row_bytes = r->graph->row_bytes,
                                  .line_bytes = r->line_bytes,
                                  .placements = count,
                                  .sources = gpus + 1,
                                  .where = (const uint8_t *const *)where};
}

/* Opens a tally on the request's backend, or on the CPU when the device has too little memory left. */
static enum st open_tally(const struct replay_request *r, const struct tally_problem *p, const struct tally **tally,
                          void **session, struct err *err)
{
    struct err full = {0};
    *tally = (r->kernels ? r->kernels : &kernels_cpu)->tally;
    enum st st = (*tally)->open(r->threads, p, session, &full);
    if (st == ST_OK) return st;
    if (st != ST_LIMIT || *tally == kernels_cpu.tally) return err_set(err, st, "%s", full.text);
    *tally = kernels_cpu.tally;
    return (*tally)->open(r->threads, p, session, err);
}

/* Counts of one group of mini-batches. */
static struct tally_counts group_of(const struct sample_counts *c, int hops)
{
    struct tally_counts t = {.feature = c->feature, .lines = c->lines, .draws = c->draws};
    for (int h = 0; h < hops; h++) t.visits[h] = c->visits[h];
    return t;
}

/* When GPUs do not sample, the topology transactions are those of the sampled blocks that are copied: 8 bytes per draw.
 */
static void apply_access(const struct placement *p, uint64_t line_bytes, int reader, struct replay_gpu *gpu)
{
    if (p->access == ACCESS_GPU) return;
    uint64_t visits = 0, draws = 0;
    for (int s = 0; s <= p->gpus; s++) {
        visits += gpu->visits[s];
        draws += gpu->draws[s];
        gpu->visits[s] = gpu->draws[s] = 0;
    }
    int source = p->access == ACCESS_CPU ? p->gpus : reader; /* samplers read their own memory */
    if (p->access == ACCESS_SAMPLERS)
        for (int i = 0; i < p->gpus; i++)
            if (p->topology[i].count) {
                source = i;
                break;
            }
    gpu->visits[source] = visits;
    gpu->draws[source] = draws;
    gpu->topology = (8 * draws + line_bytes - 1) / line_bytes;
}

/* ---- the pass ---- */

/* Mini-batches that are told apart. */
struct steps {
    uint64_t most;
    struct replay *out; /* [most] */
};

/* The pass of one reader over its groups of mini-batches. */
struct pass {
    const struct replay_request *r;
    struct sampler *s;
    struct replay_counts *k;
    const struct tally *tally;
    void *session;
    struct sampled *sampled; /* NULL: all rows are counted */
    bool on_device;          /* counts are summed on the device that drew them */
    bool ahead;              /* the device draws the next group while the host sums one */
    uint64_t tasks, groups;
    uint64_t unit;              /* mini-batches that must be in one group */
    struct tally_sums *tallied; /* [placements] of the group */
    struct tally_hops hops;
};

/* The first mini-batch of group j. */
static uint64_t group_begin(const struct pass *pass, uint64_t j)
{
    return pass->tasks / pass->unit * j / pass->groups * pass->unit;
}

/* Adds a group of a plain graph to the sums of every placement. */
static enum st tally_group(struct pass *pass, const struct sample_counts *c, const struct placement *const *p,
                           int placements, struct replay_gpu *const *sums, struct err *err)
{
    struct tally_counts group = group_of(c, pass->r->workload->hops);
    if (pass->sampled) return sampled_add(pass->sampled, c, &pass->hops, err);
    group.on_device = pass->on_device;
    memset(pass->tallied, 0, (size_t)placements * sizeof *pass->tallied);
    PASS(pass->tally->add(pass->session, &group, pass->tallied, &pass->hops, err));
    for (int i = 0; i < placements; i++) add_tally(&pass->tallied[i], p[i]->gpus, sums[i]);
    return ST_OK;
}

/* Draws group j unless it was drawn ahead, starts drawing the next one ahead, and adds group j. tables: of a graph that
 * is not plain, [placements]. */
static enum st count_group(struct pass *pass, const struct placement *const *p, int placements,
                           struct replay_gpu *const *sums, const struct tables_tally *tables, uint64_t j,
                           struct err *err)
{
    uint64_t from = group_begin(pass, j), to = group_begin(pass, j + 1);
    struct sample_counts lent = {0};
    if (!pass->on_device) replay_counts_clear(pass->k, pass->r->threads);
    if (!pass->ahead) sampler_run(pass->s, from, to, &pass->k->c);
    PASS(pass->on_device ? sampler_device_counts(pass->s, &lent, err) : sampler_collect(pass->s, &pass->k->c, err));
    if (pass->ahead && j + 1 < pass->groups) sampler_run(pass->s, to, group_begin(pass, j + 2), &pass->k->c);
    if (graph_plain(pass->r->graph))
        PASS(tally_group(pass, pass->on_device ? &lent : &pass->k->c, p, placements, sums, err));
    else
        for (int i = 0; i < placements; i++) tables_add(&tables[i], &pass->k->c, i ? NULL : &pass->hops);
    if (pass->on_device) PASS(sampler_clear_counts(pass->s, err));
    return ST_OK;
}

/* Finds who serves each row of reader g under every placement. where: [2 * count]. */
static void locate(const struct replay_request *r, int g, const struct placement *const *p, int count,
                   uint8_t *const *where)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(r->threads)
    for (int i = 0; i < count; i++) {
        placement_locate(p[i], g, p[i]->topology, replay_rows(r, true), where[2 * i]);
        placement_locate(p[i], g, p[i]->feature, replay_rows(r, false), where[2 * i + 1]);
    }
}

static void set_hops(const struct pass *pass, struct replay_gpu *to)
{
    for (int h = 0; h < pass->r->workload->hops; h++) {
        to->hop_visits[h] = pass->hops.visits[h];
        to->hop_draws[h] = draws_of_hop(pass->r->workload, &pass->hops, h);
    }
}

static struct tables_tally tables_of(const struct replay_request *r, const struct placement *p, uint8_t *const *where,
                                     int g, struct replay *out)
{
    return (struct tables_tally){.graph = r->graph,
                                 .workload = r->workload,
                                 .placement = p,
                                 .topology = where[0],
                                 .feature = where[1],
                                 .line_bytes = r->line_bytes,
                                 .reader = g,
                                 .threads = r->threads,
                                 .sum = &out->gpu[g],
                                 .read = out->table + (size_t)g * (size_t)out->tables};
}

/* Counts every mini-batch of reader g alone, under one placement. to: the sums, cleared again after each of them. */
static enum st count_steps(struct pass *pass, const struct placement *p, int g, const struct tables_tally *tables,
                           const struct steps *steps, struct progress *bar, struct err *err)
{
    struct replay_gpu *to = tables->sum;
    for (uint64_t j = 0; j < pass->groups; j++) {
        struct replay *out = &steps->out[j];
        memset(&pass->hops, 0, sizeof pass->hops);
        PASS(count_group(pass, &p, 1, &to, tables, j, err));
        set_hops(pass, to);
        if (graph_plain(pass->r->graph)) apply_access(p, pass->r->line_bytes, g, to);
        to->batches = 1;
        out->gpu[g] = *to;
        memset(to, 0, sizeof *to);
        for (int k = 0; k < out->tables; k++) out->table[g * out->tables + k] = tables->read[k];
        if (out->tables) memset(tables->read, 0, (size_t)out->tables * sizeof *tables->read);
        progress_add(bar, 1);
    }
    return ST_OK;
}

/* What a pass replays, for whom, and where its sums go. */
struct readers {
    const struct placement *const *placement; /* [count] */
    int count;
    const struct steps *steps; /* NULL, or what is wanted instead of sums */
    struct replay *out;        /* [count] */
    struct spread *spreads;    /* [count][GPUS_MAX] */
    struct progress *bar;
};

/* Opens what sums counts: on the request's backend, of a sample on the CPU. */
static enum st open_sums(struct pass *pass, struct tally_problem *problem, uint8_t *const *where, int count,
                         struct sampled *sampled, struct err *err)
{
    problem->on_device = sampler_on_device(pass->s);
    if (pass->r->sample) {
        pass->tally = kernels_cpu.tally;
        pass->sampled = sampled;
        PASS(sampled_begin(pass->r, problem, where, count, sampled, err));
    } else if (graph_plain(pass->r->graph)) PASS(open_tally(pass->r, problem, &pass->tally, &pass->session, err));
    pass->on_device = problem->on_device && pass->tally != kernels_cpu.tally;
    pass->ahead = problem->on_device && !pass->on_device;
    return ST_OK;
}

/* Counts all groups, and how they spread. before: [count] zeros. */
static enum st count_groups(struct pass *pass, int g, const struct tables_tally *tables, struct replay_gpu *const *sums,
                            uint64_t *before, const struct readers *of, struct err *err)
{
    for (uint64_t j = 0; j < pass->groups; j++) {
        uint64_t batches = group_begin(pass, j + 1) - group_begin(pass, j);
        PASS(count_group(pass, of->placement, of->count, sums, tables, j, err));
        for (int i = 0; i < of->count; i++) {
            uint64_t now = pass->sampled ? sampled_transactions(pass->sampled, i)
                                         : sums[i]->feature + sums[i]->topology;
            spread_add(&of->spreads[i * GPUS_MAX + g],
                       (double)(now - before[i]) / (double)batches * ((double)pass->tasks / (double)pass->groups));
            before[i] = now;
        }
        progress_add(of->bar, batches);
    }
    return ST_OK;
}

/* The same where counts of all groups fit and the graph is small: they are added up as they are drawn, after each group
 * only transactions are looked at, and everything is summed once. */
static enum st count_together(struct pass *pass, const struct tally_problem *problem, int g,
                              struct replay_gpu *const *sums, uint64_t *before, const struct readers *of,
                              struct err *err)
{
    OWNED_NEW(uint64_t, now, of->count, "the simulator's sums");
    const struct tally_counts counts = group_of(&pass->k->c, pass->r->workload->hops);
    replay_counts_clear(pass->k, pass->r->threads);
    for (uint64_t j = 0; j < pass->groups; j++) {
        uint64_t from = group_begin(pass, j), to = group_begin(pass, j + 1);
        sampler_run(pass->s, from, to, &pass->k->c);
        replay_left(problem, &counts, pass->r->threads, now);
        for (int i = 0; i < of->count; i++) {
            spread_add(&of->spreads[i * GPUS_MAX + g], (double)(now[i] - before[i]) / (double)(to - from) *
                                                           ((double)pass->tasks / (double)pass->groups));
            before[i] = now[i];
        }
        progress_add(of->bar, to - from);
    }
    return tally_group(pass, &pass->k->c, of->placement, of->count, sums, err);
}

/* Whether it is: drawn by the CPU, and counted there. */
static bool counts_together(const struct pass *pass)
{
    struct err ignored;
    return graph_plain(pass->r->graph) && pass->r->graph->n <= REPLAY_LEFT_ROWS && pass->tally == kernels_cpu.tally &&
           !pass->sampled && !pass->on_device && !pass->ahead && pass->groups > 1 &&
           sampler_fits(pass->s, pass->tasks, &ignored) == ST_OK;
}

/* Completes the reader's sums of every placement. */
static void finish_sums(struct pass *pass, int g, struct replay_gpu *const *sums, const struct readers *of)
{
    for (int i = 0; i < of->count; i++) {
        if (pass->sampled) {
            of->spreads[i * GPUS_MAX + g].sampled = sampled_finish(pass->sampled, i, pass->tallied);
            add_tally(pass->tallied, of->placement[i]->gpus, sums[i]);
        }
        sums[i]->batches = pass->tasks;
        set_hops(pass, sums[i]);
        if (graph_plain(pass->r->graph)) apply_access(of->placement[i], pass->r->line_bytes, g, sums[i]);
    }
}

/* Replays one reader for all placements. */
static enum st run_gpu(struct replay_room *room, int g, const struct readers *of, struct err *err)
{
    enum st st = ST_OK;
    const struct replay_request *r = &room->r;
    const struct placement *const *p = of->placement;
    const struct steps *steps = of->steps;
    struct sampler *s = room->s;
    struct replay_counts *k = &room->k;
    struct pass pass = {.r = r, .s = s, .k = k, .tally = (r->kernels ? r->kernels : &kernels_cpu)->tally};
    uint8_t *const *where = room->where;
    const int count = of->count;
    struct replay_gpu **sums = NULL;
    OWNED struct tables_tally *tables = NULL;
    OWNED uint64_t *before = NULL;
    OWNED_BY(sampled_end) struct sampled sampled = {0};
    struct tally_problem problem = tally_of(r, p[0]->gpus, count, where);
    TRY(sampler_gpu(s, r->assignment->id[g], assignment_seeds(r->assignment, g), r->assignment->train_count[g],
                    r->epochs, err));
    NEW(sums, count, "sums");
    NEW(before, count, "sums");
    NEW(pass.tallied, count, "the simulator's sums");
    uint64_t tasks = sampler_batches(s) * r->epochs, groups = GROUPS;
    if (steps) groups = tasks = tasks < steps->most ? tasks : steps->most;
    pass.tasks = tasks;
    pass.unit = !steps && workload_batches_depend(r->workload) && tasks ? sampler_batches(s) : 1;
    pass.groups = tasks / pass.unit < groups ? tasks / pass.unit : groups;
    TRY(sampler_fits(s, steps ? 1 : (tasks / pass.unit / GROUPS + 1) * pass.unit,
                     err)); /* counts are kept for one group */
    NEW(tables, count, "sums");
    locate(r, g, p, count, where);
    for (int i = 0; i < count; i++) {
        sums[i] = &of->out[i].gpu[g];
        tables[i] = tables_of(r, p[i], where + (ptrdiff_t)2 * i, g, &of->out[i]);
    }
    TRY(open_sums(&pass, &problem, where, count, &sampled, err));
    if (pass.ahead && pass.groups) sampler_run(s, 0, group_begin(&pass, 1), &k->c);
    if (steps) {
        st = count_steps(&pass, p[0], g, tables, steps, of->bar, err);
        goto done;
    }
    TRY(counts_together(&pass) ? count_together(&pass, &problem, g, sums, before, of, err)
                               : count_groups(&pass, g, tables, sums, before, of, err));
    finish_sums(&pass, g, sums, of);
done:
    mem_free(sums);
    mem_free(pass.tallied);
    pass.tally->close(pass.session);
    return st;
}

bool replay_own_reader(int g) { return g % ranks_count() == ranks_number(); }

/* Gives what the rank of a reader counted for it to all ranks. */
static enum st give_reader(int g, int count, struct replay *out, struct spread *spreads, struct err *err)
{
    int owner = g % ranks_count();
    for (int i = 0; i < count; i++) {
        PASS(ranks_give(owner, &out[i].gpu[g], sizeof out[i].gpu[g], err));
        PASS(ranks_give(owner, out[i].table + (size_t)g * (size_t)out[i].tables,
                        (size_t)out[i].tables * sizeof *out[i].table, err));
        PASS(ranks_give(owner, &spreads[i * GPUS_MAX + g], sizeof *spreads, err));
    }
    return ST_OK;
}

static uint64_t count_tasks(const struct replay_request *r, const struct steps *steps)
{
    uint64_t tasks = 0;
    const struct assignment *a = r->assignment;
    for (int g = 0; g < a->gpus; g++) {
        uint64_t of = seeds_batches(r->workload, r->graph, a->train[g], a->train_count[g]) * r->epochs;
        if (steps) tasks += of < steps->most ? of : steps->most;
        else if (replay_own_reader(g)) tasks += of;
    }
    return tasks;
}

static enum st replay_new(const struct replay_request *r, struct replay *out, struct err *err)
{
    int tables = r->graph->tables;
    *out = (struct replay){.epochs = r->epochs, .seed = r->seed, .gpus = r->assignment->gpus, .tables = tables};
    MAKE(out->gpu, out->gpus, "the simulator's sums");
    if (tables) MAKE(out->table, (uint64_t)out->gpus * (uint64_t)tables, "the simulator's sums");
    return ST_OK;
}

/* ---- readers side by side ---- */

struct replaying {
    const struct replay_rooms *rooms;
    const struct readers *readers;
};

static enum st replay_reader(void *of, int room, int g, struct err *err)
{
    const struct replaying *p = of;
    return p->readers->steps || replay_own_reader(g) ? run_gpu(&p->rooms->room[room], g, p->readers, err) : ST_OK;
}

/* One pass for sums of all placements, or for the steps of one. */
static enum st replay_pass(const struct replay_request *r, const struct placement *const *placements, int count,
                           const struct steps *steps, struct replay *out, struct err *err)
{
    enum st st = ST_OK;
    struct workload w = *r->workload;
    struct replay_request own = *r;
    OWNED_BY(replay_rooms_free) struct replay_rooms rooms = {0};
    OWNED struct spread *spreads = NULL;
    struct progress bar;
    const int gpus = r->assignment->gpus;
    w.seed = r->seed;
    own.workload = &w;
    progress_begin(&bar, "simulating", count_tasks(r, steps), r->progress);
    NEW(spreads, (uint64_t)count * GPUS_MAX, "the simulator's sums");
    for (int i = 0; i < count; i++) TRY(replay_new(r, &out[i], err));
    TRY(replay_rooms_new(&own, count, &rooms, err));
    mem_trim(machine_memory() / 8);
    const struct readers readers = {placements, count, steps, out, spreads, &bar};
    TRY(threads_share(rooms.count, gpus, replay_reader, &(struct replaying){&rooms, &readers}, err));
    for (int g = 0; g < gpus && !steps; g++) TRY(give_reader(g, count, out, spreads, err));
    for (int i = 0; i < count && !steps; i++) {
        replay_interval(spreads + (size_t)i * GPUS_MAX, r->assignment, &out[i]);
        if (placements[i]->access != ACCESS_GPU)
            out[i].interval_known = false; /* the groups counted reads that do not happen */
    }
done:
    progress_end(&bar);
    return st;
}

enum st replay_run(const struct replay_request *r, const struct placement *const *placements, int count,
                   struct replay *out, struct err *err)
{
    return replay_pass(r, placements, count, NULL, out, err);
}

enum st replay_batches(const struct replay_request *r, const struct placement *p, uint64_t most, struct replay *out,
                       uint64_t *count, struct err *err)
{
    struct replay_request one = *r;
    OWNED_BY(replay_release) struct replay sums = {0};
    uint64_t longest = 0;
    const struct assignment *a = r->assignment;
    one.epochs = 1;
    for (int g = 0; g < a->gpus; g++) {
        uint64_t of = seeds_batches(r->workload, r->graph, a->train[g], a->train_count[g]);
        longest = of > longest ? of : longest;
    }
    *count = longest < most ? longest : most;
    for (uint64_t j = 0; j < *count; j++) PASS(replay_new(&one, &out[j], err));
    return replay_pass(&one, &p, 1, &(struct steps){*count, out}, &sums, err);
}
