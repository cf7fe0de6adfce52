#include "planner/decisions/what_if_plan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "simulator/storage/places_replay.h"

/* ---- inputs ---- */

enum plan_input {
    IN_LINK,
    IN_ROW,
    IN_HOST,
    IN_MEMORY,
    IN_SAMPLING,
    IN_COMPUTE,
    IN_BATCH,
    IN_FANOUT,
    IN_BATCHES,
    IN_SSD
};

static double widest_link(const struct server *s)
{
    double most = 0;
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < s->gpus; b++) most = fmax(most, s->link_gbps[a][b]);
    return most > 0 ? most : NAN;
}

static bool has_drives(const struct what_if_plans *p, int i)
{
    return p->plan[i].places && p->plan[i].places->drives.count;
}

static double known(double v) { return v > 0 ? v : NAN; }

static void add_inputs(const struct what_if_plans *p, const struct size_errors *errors, struct what_if *w)
{
    const struct server *s = p->server[0];
    const struct workload *k = &p->plan[0].workload;
    const struct what_if_input list[] =
        {[IN_LINK] = {"link", "rate of NVLinks (of the widest)", "GB/s", ERROR_TRANSFER, false, widest_link(s)},
         [IN_ROW] = {"row", "rate of reads of the host over PCIe", "GB/s", ERROR_TRANSFER, false, known(s->pcie_gbps)},
         [IN_HOST] = {"host-memory", "rate of host memory", "GB/s", ERROR_LOAD, false, known(s->host_memory_gbps)},
         [IN_MEMORY] = {"gpu-memory", "rate of GPU memory", "GB/s", ERROR_PROPAGATE, false,
                        known(s->gpu[0].memory_gbps)},
         [IN_SAMPLING] = {"sampling", "rate of sampling", "edges/s", ERROR_SAMPLE, false,
                          known(s->gpu[0].sampling_edges)},
         [IN_COMPUTE] = {"compute", "peak of a GPU", "TFLOPS", ERROR_PROPAGATE, false, known(s->gpu[0].tflops)},
         [IN_BATCH] = {"batch", "training vertices per mini-batch and GPU", "", -1, true, (double)k->batch},
         [IN_FANOUT] = {"fanout", "neighbours per vertex, all hops (of the first)", "", -1, true,
                        k->hops && k->fanout[0] < FANOUT_ALL ? (double)k->fanout[0] : NAN},
         [IN_BATCHES] = {"batches", "training share: as many mini-batches more", "", -1, false, NAN}};
    struct what_if_input ssd = {.name = "ssd",
                                .what = "rate of the SSDs (of the first plan with some)",
                                .unit = "blocks/s",
                                .kind = ERROR_STORAGE};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) what_if_add(w, errors, list[i]);
    for (int i = p->count; i-- > 0;)
        if (has_drives(p, i)) ssd.now = known(1 / drives_seconds(&p->plan[i].places->drives, 1));
    if (ssd.now > 0) what_if_add(w, errors, ssd);
}

static void move_server(struct server *s, int input, double f)
{
    if (input == IN_LINK) {
        for (int a = 0; a < s->gpus; a++)
            for (int b = 0; b < s->gpus; b++) s->link_gbps[a][b] *= f;
        s->nvlink_requests *= f;
    } else if (input == IN_ROW) {
        s->pcie_gbps *= f;
        s->pcie_read.gbps *= f;
        s->pcie_read.requests *= f;
        s->pcie_copy_gbps *= f;
        for (int i = 0; i < s->pcie_rates; i++) s->pcie_rate[i].gbps *= f;
    } else if (input == IN_HOST) {
        s->host_memory_gbps *= f;
        s->cpu_gather.gbps *= f;
        s->cpu_gather.requests *= f;
    } else if (input == IN_SAMPLING) {
        s->cpu_sampling_edges *= f;
        for (int i = 0; i < s->cpu_sampling.threads; i++)
            for (int k = 0; k < s->cpu_sampling.batches; k++) s->cpu_sampling.edges[i][k] *= f;
    } else if (input == IN_COMPUTE) s->cpu_tflops *= f;
    for (int i = 0; i < s->gpus; i++) {
        if (input == IN_MEMORY) s->gpu[i].memory_gbps *= f;
        if (input == IN_SAMPLING) s->gpu[i].sampling_edges *= f;
        if (input == IN_COMPUTE) s->gpu[i].tflops *= f;
    }
}

static void move_workload(struct workload *w, int input, double f)
{
    if (input == IN_BATCH) w->batch = (uint64_t)fmax(1, floor((double)w->batch * f + 0.5));
    for (int h = 0; input == IN_FANOUT && h < w->hops; h++)
        if (w->fanout[h] < FANOUT_ALL) w->fanout[h] = (uint32_t)fmax(1, floor((double)w->fanout[h] * f + 0.5));
}

/* ---- values ---- */

/* blocks: that the drives read; 0 without drives. */
static enum st replay(const struct what_if_plans *p, int i, const struct workload *w, struct replay *out,
                      double *blocks, struct err *err)
{
    OWNED struct memories_read *below = NULL;
    const struct plan *plan = &p->plan[i];
    const struct placement *const one[] = {&plan->placement};
    struct replay_request r = {.graph = p->graph,
                               .assignment = &plan->assignment,
                               .workload = w,
                               .line_bytes = plan->line_bytes,
                               .seed = p->seed[i],
                               .threads = p->call->threads,
                               .epochs = p->epochs[i] ? p->epochs[i]
                                                      : replay_default_epochs(p->graph, &plan->assignment, w),
                               .progress = false,
                               .kernels = p->kernels};
    PASS(replay_run(&r, one, 1, out, err));
    *blocks = 0;
    if (!has_drives(p, i)) return ST_OK;
    PASS(places_simulate(&r, plan, NULL, NULL, &below, err));
    *blocks = below->blocks;
    return ST_OK;
}

/* "transfer, limited by PCIe link of a GPU": without the number, which of several alike is no answer. */
static void binds_of(const struct epoch_time *time, char out[64])
{
    const bool good = !time->unknowns && time->bottleneck < ALL_STAGES;
    const char *by = good ? time->limit[time->bottleneck] : "";
    char limit[40];
    snprintf(limit, sizeof limit, "%.39s", by);
    size_t n = strlen(limit);
    while (n && (isdigit((unsigned char)limit[n - 1]) || limit[n - 1] == ' ')) limit[--n] = '\0';
    const char *of = strstr(limit, " of ") ? strstr(limit, " of ") + 4 : limit;
    snprintf(out, 64, "%.9s, limited by %.*s%s%.36s", good ? stage_word(time->bottleneck) : "?", (int)(of - limit),
             limit, by[n] ? "a " : "", of);
}

static enum st value(void *of, int i, int input, double factor, struct what_if_value *out, struct err *err)
{
    struct what_if_plans *p = of;
    enum st st = ST_OK;
    OWNED struct server *s = NULL;
    struct replay drawn = {0};
    double blocks = p->blocks[i];
    bool draws = input == IN_BATCH || input == IN_FANOUT;
    struct workload before = p->plan[i].workload;
    OWNED struct epoch_timed *timed = NULL;
    NEW(s, 1, "a server");
    *s = *p->server[i];
    move_server(s, input, factor);
    if (draws) move_workload(&p->plan[i].workload, input, factor);
    if (draws) TRY(replay(p, i, &p->plan[i].workload, &drawn, &blocks, err));
    TRY(epoch_timed_make(&p->timing[i], s, &p->plan[i], draws ? &drawn : &p->replay[i], p->graph, &timed, err));
    if (has_drives(p, i)) {
        const struct drives *drives = &p->plan[i].places->drives;
        epoch_timed_beside(timed, STAGE_STORAGE, drives_seconds(drives, blocks) / (input == IN_SSD ? factor : 1),
                           drives_limit(drives));
    }
    out->seconds = timed->seconds * (input == IN_BATCHES ? factor : 1);
    binds_of(&timed->time, out->binds);
    if (isnan(out->seconds))
        FAIL(ST_NO,
             "server %s: has no epoch times, because its description does not state %s; fill it in ('hotset server "
             "import --rates-of' takes it from a profile)",
             s->name, timed->time.unknowns ? timed->time.unknown[0] : "its rates");
done:
    p->plan[i].workload = before;
    if (draws) replay_release(&drawn);
    return st;
}

/* The plan with the shortest epoch; whether it is within the target; of one plan alone, what it waits for. */
static int decide(void *of, int input, double factor, const struct what_if_value *v, char out[WHAT_IF_TEXT])
{
    struct what_if_plans *p = of;
    int best = 0;
    (void)input, (void)factor;
    for (int i = 1; i < p->count; i++)
        if (v[i].seconds < v[best].seconds) best = i;
    bool meets = v[best].seconds <= p->within;
    if (p->count > 1 && !isnan(p->within))
        snprintf(out, WHAT_IF_TEXT, "%s is the fastest, and %s", p->what->subject[best], meets ? "is in time" : "late");
    else if (p->count > 1) snprintf(out, WHAT_IF_TEXT, "%s is the fastest", p->what->subject[best]);
    else if (!isnan(p->within)) snprintf(out, WHAT_IF_TEXT, "%s", meets ? "in time" : "late");
    else snprintf(out, WHAT_IF_TEXT, "the longest stage is %s", v[0].binds);
    return best;
}

enum st what_if_plans_begin(struct what_if_plans *of, const struct size_errors *errors, struct what_if *out,
                            struct err *err)
{
    struct what_if_value v;
    MAKE(of->replay, of->count, "replays of plans");
    MAKE(of->blocks, of->count, "replays of plans");
    for (int i = 0; i < of->count; i++) PASS(replay(of, i, &of->plan[i].workload, &of->replay[i], &of->blocks[i], err));
    out->of = of;
    out->subjects = of->count;
    out->value = value;
    out->decide = decide;
    of->what = out;
    add_inputs(of, errors, out);
    for (int i = 0; i < of->count; i++) PASS(value(of, i, -1, 1, &v, err));
    return ST_OK;
}

void what_if_plans_end(struct what_if_plans *of)
{
    for (int i = 0; of->replay && i < of->count; i++) replay_release(&of->replay[i]);
    mem_free(of->replay);
    mem_free(of->blocks);
}
