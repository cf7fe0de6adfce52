#include "planner/commands/batches_export.h"

#include "base/units.h"
#include "simulator/replay/batches.h"

/* Positions of the GPUs to write. */
static enum st readers_of(const struct assignment *a, int64_t gpu, int readers[GPUS_MAX], int *count, struct err *err)
{
    *count = 0;
    for (int g = 0; g < a->gpus; g++)
        if (gpu < 0 || a->id[g] == gpu) readers[(*count)++] = g;
    return *count ? ST_OK : err_set(err, ST_USAGE, "--gpu %lld: the plan has no such GPU", (long long)gpu);
}

/* Says how much was written. */
static void say(struct call *call, const char *folder, const doc *d)
{
    char vertices[UNIT_TEXT], edges[UNIT_TEXT];
    uint64_t batches = 0, found = 0, drawn = 0;
    const doc *gpus = doc_get(d, "gpus");
    for (uint64_t i = 0; i < doc_size(gpus); i++) {
        const doc *one = doc_at(gpus, i);
        batches += (uint64_t)(doc_integer_value(doc_get(one, "batches"), 0) *
                              doc_integer_value(doc_get(d, "epochs"), 0));
        found += (uint64_t)doc_integer_value(doc_get(one, "vertices"), 0);
        drawn += (uint64_t)doc_integer_value(doc_get(one, "edges"), 0);
    }
    call_say(call, "%s: %llu mini-batches (GPUs: %llu) with %s vertices and %s edges", folder,
             (unsigned long long)batches, (unsigned long long)doc_size(gpus), units_count(vertices, found),
             units_count(edges, drawn));
}

enum st batches_export(struct call *call, const char *folder, int64_t gpu, const struct replay_request *r,
                       struct err *err)
{
    enum st st;
    int readers[GPUS_MAX], count;
    doc *d = NULL;
    TRY(readers_of(r->assignment, gpu, readers, &count, err));
    stage_begin(&call->stages, "mini-batches");
    st = batches_save(r, readers, count, folder, &d, err);
    stage_end(&call->stages);
    if (st != ST_OK) goto done;
    say(call, folder, d);
    TRY(call_finish(call, d, err));
done:
    return st;
}
