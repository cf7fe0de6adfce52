/* timeline_simulated.c - the pipeline of the model's stages over time (declared in timeline_model.h). */
#include <math.h>

#include "simulator/timeline/timeline_model.h"

/* Stages in their order. */
enum { SSD = STAGE_STORAGE, STAGES = ALL_STAGES };
#define NOTHING UINT64_MAX
static const int order[STAGES] = {STAGE_SAMPLE, STAGE_NETWORK, SSD, STAGE_LOAD, STAGE_TRANSFER, STAGE_PROPAGATE};

enum server_lane { LANE_CPU_SAMPLE, LANE_SSD, LANE_GATHER, LANE_MEMORY, LANE_CPU_TRAIN, LANE_SWITCHES };

struct pipeline {
    const struct timeline_model *m;
    struct timeline t;
    int depth[STAGES]; /* slots behind the first stage; -1: no mini-batch needs it */
    int deepest;
    uint64_t computed;                                     /* mini-batch that GPUs compute in the slot, or NOTHING */
    double begun[GPUS_MAX], done[GPUS_MAX], end[GPUS_MAX]; /* when each begins and is done, and all have synchronised */
};

static double seconds_of(const struct timeline_model *m, int stage, uint64_t b)
{
    return stage == SSD ? m->ssd[b] : m->time[b].stage[stage];
}

static void set_depths(struct pipeline *pipeline)
{
    int next = 0;
    for (int i = 0; i < STAGES; i++) {
        bool used = false;
        for (uint64_t b = 0; b < pipeline->m->count; b++) used |= seconds_of(pipeline->m, order[i], b) > 0;
        pipeline->depth[order[i]] = used ? next++ : -1;
        if (order[i] == STAGE_TRANSFER && used && pipeline->m->how.one_stage && pipeline->depth[STAGE_LOAD] >= 0)
            pipeline->depth[STAGE_TRANSFER] = --next - 1; /* loading and transfer share a slot */
    }
    pipeline->deepest = next - 1;
}

/* Whether a GPU is the first below its switch, which has others below. */
static bool leads_switch(const struct plan *p, int g)
{
    int below = 0;
    for (int b = 0; p->pcie_switch[g] >= 0 && b < p->assignment.gpus; b++) {
        if (p->pcie_switch[b] != p->pcie_switch[g]) continue;
        if (b < g) return false;
        below++;
    }
    return below > 1;
}

static bool any(const struct timeline_model *m, int stage)
{
    for (uint64_t b = 0; b < m->count; b++)
        if (seconds_of(m, stage, b) > 0) return true;
    return false;
}

static void name_lanes(struct pipeline *pipeline)
{
    const struct timeline_model *m = pipeline->m;
    const struct plan *p = m->plan;
    const struct epoch_time *first = &m->time[0];
    char name[64];
    timeline_process(&pipeline->t, TIMELINE_SERVER, p->server_name);
    if (first->sample_cpu > 0) timeline_lane(&pipeline->t, TIMELINE_SERVER, LANE_CPU_SAMPLE, "CPU: sampling");
    if (any(m, SSD)) timeline_lane(&pipeline->t, TIMELINE_SERVER, LANE_SSD, "SSDs");
    if (any(m, STAGE_LOAD)) timeline_lane(&pipeline->t, TIMELINE_SERVER, LANE_GATHER, "CPU: gathering");
    if (!m->cpu_gathers) timeline_lane(&pipeline->t, TIMELINE_SERVER, LANE_MEMORY, "host memory");
    if (first->train_cpu > 0) timeline_lane(&pipeline->t, TIMELINE_SERVER, LANE_CPU_TRAIN, "CPU: computing");
    for (int g = 0; g < p->assignment.gpus; g++) {
        if (!leads_switch(p, g)) continue;
        snprintf(name, sizeof name, "PCIe switch %d", p->pcie_switch[g]);
        timeline_lane(&pipeline->t, TIMELINE_SERVER, LANE_SWITCHES + p->pcie_switch[g], name);
    }
    for (int g = 0; g < p->assignment.gpus; g++) {
        static const bool used[GPU_LANES] = {true, false, true, true, true, true, true};
        snprintf(name, sizeof name, "GPU %d", p->assignment.id[g]);
        timeline_gpu(&pipeline->t, TIMELINE_GPUS + g, name, used, m->cpu_gathers);
    }
}

static doc *batch_only(uint64_t b)
{
    doc *d = doc_object();
    doc_put(d, "batch", doc_integer((int64_t)b));
    return d;
}

static void write_sample(struct pipeline *pipeline, uint64_t b, double begin)
{
    const struct epoch_time *e = &pipeline->m->time[b];
    timeline_event(&pipeline->t, TIMELINE_SERVER, LANE_CPU_SAMPLE, "sample", begin, e->sample_cpu, batch_only(b));
    for (int g = 0; g < pipeline->m->replay[b].gpus; g++) {
        bool samples = pipeline->m->sampler_gpus && pipeline->m->plan->placement.topology[g].count;
        timeline_event(&pipeline->t, TIMELINE_GPUS + g, LANE_SAMPLE, "sample", begin,
                       samples ? e->stage[STAGE_SAMPLE] : e->gpu[STAGE_SAMPLE][g],
                       timeline_reads(pipeline->m, b, g, LANE_SAMPLE));
    }
}

static void write_transfer(struct pipeline *pipeline, uint64_t b, double begin)
{
    static const struct {
        enum transfer_part part;
        enum timeline_gpu_lane lane;
        const char *name;
    } parts[] = {{PART_PCIE, LANE_HOST, "host"}, {PART_NVLINK, LANE_PEERS, "peers"}, {PART_MEMORY, LANE_OWN, "own"}};
    const struct epoch_time *e = &pipeline->m->time[b];
    const struct plan *p = pipeline->m->plan;
    timeline_event(&pipeline->t, TIMELINE_SERVER, LANE_MEMORY, "host memory", begin, e->host_memory, batch_only(b));
    for (int g = 0; g < p->assignment.gpus; g++) {
        for (int i = 0; i < TRANSFER_PARTS; i++)
            timeline_event(&pipeline->t, TIMELINE_GPUS + g, parts[i].lane, parts[i].name, begin,
                           e->part[parts[i].part][g], timeline_reads(pipeline->m, b, g, parts[i].lane));
        if (leads_switch(p, g))
            timeline_event(&pipeline->t, TIMELINE_SERVER, LANE_SWITCHES + p->pcie_switch[g], "switch", begin,
                           e->uplink[g], batch_only(b));
    }
}

static void write_propagate(struct pipeline *pipeline, uint64_t b, double begin)
{
    const struct epoch_time *e = &pipeline->m->time[b];
    double all = e->stage[STAGE_PROPAGATE] - e->sync; /* when the slowest is done */
    timeline_event(&pipeline->t, TIMELINE_SERVER, LANE_CPU_TRAIN, "compute", begin, e->train_cpu, batch_only(b));
    for (int g = 0; g < pipeline->m->plan->assignment.gpus; g++) {
        double own = e->gpu[STAGE_PROPAGATE][g];
        timeline_event(&pipeline->t, TIMELINE_GPUS + g, LANE_COMPUTE, "compute", begin, own, batch_only(b));
        timeline_event(&pipeline->t, TIMELINE_GPUS + g, LANE_COMPUTE, "synchronise", begin + all, e->sync,
                       batch_only(b));
        pipeline->begun[g] = begin;
        pipeline->done[g] = begin + own;
        pipeline->end[g] = begin + all + e->sync;
    }
    pipeline->computed = b;
}

static void write_stage(struct pipeline *pipeline, int stage, uint64_t b, double begin)
{
    const struct timeline_model *m = pipeline->m;
    if (stage == STAGE_SAMPLE) write_sample(pipeline, b, begin);
    if (stage == SSD) timeline_event(&pipeline->t, TIMELINE_SERVER, LANE_SSD, "read", begin, m->ssd[b], batch_only(b));
    if (stage == STAGE_LOAD)
        timeline_event(&pipeline->t, TIMELINE_SERVER, LANE_GATHER, "gather", begin, m->time[b].stage[STAGE_LOAD],
                       batch_only(b));
    if (stage == STAGE_TRANSFER) write_transfer(pipeline, b, begin);
    if (stage == STAGE_PROPAGATE) write_propagate(pipeline, b, begin);
}

static void write_wait(struct pipeline *pipeline, int g, double from, double to, const char *what, doc *args)
{
    doc_put(args, "for", doc_text(what));
    timeline_event(&pipeline->t, TIMELINE_GPUS + g, LANE_WAIT, "wait", from, to - from, args);
}

/* What no GPU computes of a slot, and what the slot, or a mini-batch in it, waits for. */
static void write_waits(struct pipeline *pipeline, double begin, double seconds, const char *why)
{
    const struct epoch_time *e = pipeline->computed == NOTHING ? NULL : &pipeline->m->time[pipeline->computed];
    for (int g = 0; g < pipeline->m->plan->assignment.gpus; g++) {
        write_wait(pipeline, g, begin, pipeline->begun[g], why, doc_object());
        if (e)
            write_wait(pipeline, g, pipeline->done[g], pipeline->end[g] - e->sync, e->limit[STAGE_PROPAGATE],
                       batch_only(pipeline->computed));
        write_wait(pipeline, g, pipeline->end[g], begin + seconds, why, doc_object());
    }
}

/* One slot: returns its seconds. `slot` is the number of the mini-batch in the first stage. */
static double write_slot(struct pipeline *pipeline, uint64_t slot, double begin)
{
    const struct timeline_model *m = pipeline->m;
    const char *why = "";
    double took[STAGES] = {0}, sum = 0, longest = 0;
    for (int g = 0; g < m->plan->assignment.gpus; g++) pipeline->begun[g] = pipeline->end[g] = begin;
    pipeline->computed = NOTHING;
    for (int i = 0; i < STAGES; i++) {
        int stage = order[i];
        uint64_t behind = m->how.pipelined && pipeline->depth[stage] > 0 ? (uint64_t)pipeline->depth[stage] : 0,
                 b = slot - behind;
        if (slot < behind || b >= m->count) continue;
        double seconds = seconds_of(m, stage, b), before = !m->how.pipelined ? sum
                                                           : stage == STAGE_TRANSFER && m->how.one_stage
                                                               ? took[STAGE_LOAD]
                                                               : 0;
        write_stage(pipeline, stage, b, begin + before);
        took[stage] = seconds;
        sum += seconds;
        if (seconds > longest) why = stage == SSD ? "SSDs" : m->time[b].limit[stage];
        longest = fmax(longest, seconds);
    }
    if (m->how.pipelined && m->how.one_stage) {
        took[STAGE_TRANSFER] += took[STAGE_LOAD];
        took[STAGE_LOAD] = 0;
    }
    double seconds = m->how.pipelined ? epoch_pipelined(took, STAGES, m->how.unoverlapped) : sum;
    write_waits(pipeline, begin, seconds, why);
    return seconds;
}

enum st timeline_simulated(const struct timeline_model *m, const char *path, doc **about, struct err *err)
{
    enum st st;
    struct pipeline pipeline = {.m = m};
    double now = 0;
    OWNED_DOC doc *d = doc_object();
    TRY(timeline_open(&pipeline.t, path, err));
    set_depths(&pipeline);
    if (m->count) name_lanes(&pipeline);
    for (uint64_t slot = 0; m->count && slot < m->count + (uint64_t)(m->how.pipelined ? pipeline.deepest : 0); slot++)
        now += write_slot(&pipeline, slot, now);
    DOC_PUT(d, IS("schema", "timeline/1"), IS("policy", m->plan->policy), IS("server", m->plan->server_name),
            IS("batches", m->count), IS("epoch_batches", m->epoch_batches), IS("pipelined", m->how.pipelined),
            IS("seconds", now), IS("mean_seconds", m->mean * (double)m->count));
    TRY(timeline_close(&pipeline.t, d, err));
    *about = TAKE(d);
done:
    timeline_release(&pipeline.t);
    return st;
}
