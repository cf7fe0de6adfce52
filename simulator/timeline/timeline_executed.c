#include "simulator/timeline/timeline_executed.h"

#include <math.h>
#include <string.h>

/* Processes: of a GPU, and of it by the model. */
static int measured(int g) { return TIMELINE_GPUS + 2 * g; }
static int modelled(int g) { return TIMELINE_GPUS + 2 * g + 1; }

static const bool lanes_measured[GPU_LANES] = {true, true, true, true, true, false, true},
                  lanes_modelled[GPU_LANES] = {true, false, true, true, true, false, false};

static void name_gpu(struct timeline *t, const struct plan *p, int g, bool model, bool cpu_gathers)
{
    char name[64];
    snprintf(name, sizeof name, "GPU %d%s", p->assignment.id[g], model ? ", by the model" : "");
    timeline_gpu(t, model ? modelled(g) : measured(g), name, model ? lanes_modelled : lanes_measured, cpu_gathers);
}

/* One measured mini-batch; returns its seconds. */
static double write_measured(struct timeline *t, int g, uint64_t b, const struct execute_batch *of, double begin)
{
    static const enum timeline_gpu_lane lane[EXECUTE_STAGES] = {LANE_SAMPLE, LANE_LOOKUP, LANE_OWN, LANE_PEERS,
                                                                LANE_HOST};
    static const enum execute_tier tier[EXECUTE_STAGES] = {TIERS, TIERS, TIER_OWN, TIER_PEER, TIER_HOST};
    double now = begin;
    for (int s = 0; s < EXECUTE_STAGES; s++) {
        doc *d = doc_object();
        doc_put(d, "batch", doc_integer((int64_t)b));
        if (s == EXECUTE_SAMPLE) doc_put(d, "draws", doc_integer((int64_t)of->draws));
        if (tier[s] < TIERS) doc_put(d, "feature_rows", doc_integer((int64_t)of->rows[tier[s]]));
        if (tier[s] < TIERS) doc_put(d, "bytes", doc_integer((int64_t)of->bytes[tier[s]]));
        timeline_event(t, measured(g), lane[s], execute_stage_name((enum execute_stage)s), now, of->seconds[s], d);
        now += of->seconds[s];
    }
    return now - begin;
}

/* The same by the model, where sampling and then all places serve at once; returns its seconds. */
static double write_modelled(struct timeline *t, const struct timeline_model *m, int g, uint64_t b, double begin)
{
    static const enum timeline_gpu_lane lane[TRANSFER_PARTS] = {LANE_HOST, LANE_PEERS, LANE_OWN};
    static const char *const name[TRANSFER_PARTS] = {"gather_host", "gather_peer", "gather_own"};
    const struct epoch_time *e = &m->time[b];
    double sample = e->sample_cpu > 0 ? e->sample_cpu : e->gpu[STAGE_SAMPLE][g], longest = 0;
    timeline_event(t, modelled(g), LANE_SAMPLE, "sample", begin, sample, timeline_reads(m, b, g, LANE_SAMPLE));
    for (int i = 0; i < TRANSFER_PARTS; i++) {
        timeline_event(t, modelled(g), lane[i], name[i], begin + sample, e->part[i][g],
                       timeline_reads(m, b, g, lane[i]));
        longest = fmax(longest, e->part[i][g]);
    }
    return sample + longest;
}

/* Ends the file, which states *about; that is owned by the caller. */
static enum st finish(struct timeline *t, const struct plan *p, uint64_t batches, uint64_t all, double seconds,
                      bool model, doc **about, struct err *err)
{
    doc *d = DOC(IS("schema", "timeline/1"), IS("policy", p->policy), IS("server", p->server_name),
                 IS("batches", batches), IS("epoch_batches", all), IS("seconds", seconds), IS("model", model));
    enum st st = timeline_close(t, d, err);
    if (st == ST_OK) *about = d;
    else doc_free(d);
    return st;
}

enum st timeline_executed(const struct execution *run, uint64_t epochs, const struct plan *p,
                          const struct timeline_model *m, uint64_t most, const char *path, doc **about, struct err *err)
{
    OWNED_BY(timeline_release) struct timeline t = {0};
    uint64_t count = 0, all = 0;
    double begin = 0;
    PASS(timeline_open(&t, path, err));
    for (int g = 0; g < run->gpus; g++) {
        count = run->gpu[g].batches > count ? run->gpu[g].batches : count;
        all = run->gpu[g].all / epochs > all ? run->gpu[g].all / epochs : all;
        if (run->gpu[g].ran) name_gpu(&t, p, g, false, false);
        if (run->gpu[g].ran && m) name_gpu(&t, p, g, true, m->cpu_gathers);
    }
    if (count > most) count = most;
    if (count > all) count = all;
    if (m && count > m->count) count = m->count;
    for (uint64_t b = 0; b < count; b++) {
        double took[GPUS_MAX] = {0}, longest = 0;
        for (int g = 0; g < run->gpus; g++) {
            if (b >= run->gpu[g].batches || b >= run->gpu[g].all / epochs) continue;
            took[g] = write_measured(&t, g, b, &run->gpu[g].batch[b], begin);
            longest = fmax(longest, took[g]);
            if (m) longest = fmax(longest, write_modelled(&t, m, g, b, begin));
        }
        for (int g = 0; g < run->gpus; g++)
            if (run->gpu[g].ran)
                timeline_event(&t, measured(g), LANE_WAIT, "wait", begin + took[g], longest - took[g], NULL);
        begin += longest;
    }
    return finish(&t, p, count, all, begin, m != NULL, about, err);
}

/* ---- a running job ---- */

/* Lanes of a job's GPU are its stages, in the order in which it named them; of the model, those of `simulated`. */
static double write_job(struct timeline *t, const struct timeline_observed *of)
{
    double now = 0;
    for (int s = 0; s < of->stages; s++) {
        timeline_lane(t, measured(of->gpu), s, of->name[s]);
        timeline_event(t, measured(of->gpu), s, "mean mini-batch", now, of->seconds[s], NULL);
        now += of->seconds[s];
    }
    return now;
}

/* The stages of GPU g by the model, those of all GPUs where one has no time of its own; returns false when they are
 * not known. */
static bool write_job_model(struct timeline *t, const doc *time, int g)
{
    const doc *own = doc_at(doc_get(time, "gpus"), (uint64_t)g);
    double now = 0;
    for (int s = 0; s < EPOCH_STAGES; s++) {
        const char *word = stage_word((enum stage_name)s);
        double seconds = doc_real_value(doc_get(own, word), doc_real_value(doc_get(doc_get(time, "stages"), word), 0));
        if (!(seconds > 0)) continue;
        timeline_lane(t, modelled(g), s, word);
        timeline_event(t, modelled(g), s, "mean mini-batch", now, seconds, NULL);
        now += seconds;
    }
    return now > 0;
}

enum st timeline_job(const struct timeline_observed *of, int count, const struct plan *p, const doc *time,
                     const char *path, doc **about, struct err *err)
{
    OWNED_BY(timeline_release) struct timeline t = {0};
    char name[64];
    double longest = 0;
    bool model = false;
    PASS(timeline_open(&t, path, err));
    for (int i = 0; i < count; i++) {
        int g = of[i].gpu;
        snprintf(name, sizeof name, "GPU %d", p->assignment.id[g]);
        timeline_process(&t, measured(g), name);
        longest = fmax(longest, write_job(&t, &of[i]));
        if (!write_job_model(&t, time, g)) continue;
        model = true;
        snprintf(name, sizeof name, "GPU %d, by the model", p->assignment.id[g]);
        timeline_process(&t, modelled(g), name);
    }
    return finish(&t, p, 1, 1, longest, model, about, err);
}
