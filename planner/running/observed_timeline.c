#include "planner/running/observed_timeline.h"

#include "base/mem.h"
#include "simulator/timeline/timeline_executed.h"

/* Seconds of every stage of a mini-batch, lines of all parts of the rows together; returns their sum. */
static double mean_of(const struct observed *o, int g, double seconds[OBSERVED_STAGES])
{
    uint64_t batches = 0;
    double sum = 0;
    for (int k = 0; k < o->parts; k++) {
        const struct observed_gpu *gpu = &o->gpu[k * o->gpus + g];
        batches = gpu->batches > batches ? gpu->batches : batches;
        for (int s = 0; s < o->stages; s++) seconds[s] += gpu->seconds[s];
    }
    for (int s = 0; s < o->stages; s++) sum += seconds[s] = batches ? seconds[s] / (double)batches : 0;
    return sum;
}

enum st observed_timeline(const struct observed *o, const struct plan *p, const doc *time, const char *path,
                          doc **about, struct err *err)
{
    enum st st = ST_OK;
    OWNED struct timeline_observed *of = NULL;
    double(*seconds)[OBSERVED_STAGES] = NULL;
    const char *names[OBSERVED_STAGES];
    int count = 0;
    NEW(of, o->gpus, "a timeline");
    NEW(seconds, o->gpus, "a timeline");
    for (int s = 0; s < o->stages; s++) names[s] = o->stage[s];
    for (int g = 0; g < o->gpus; g++)
        if (mean_of(o, g, seconds[g]) > 0) of[count++] = (struct timeline_observed){g, o->stages, names, seconds[g]};
    if (!count)
        FAIL(ST_NO, "--timeline: the job stated no seconds; give hotset_observe those of its stages (\"seconds\": "
                    "{\"sample\": 0.2})");
    TRY(timeline_job(of, count, p, time, path, about, err));
done:
    mem_free(seconds);
    return st;
}
