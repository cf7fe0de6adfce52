#include "traces/workload.h"

#include <string.h>

enum st workload_make(const struct int_list *fanout, int64_t batch, const char *frontier, uint64_t seed, struct workload *out, struct err *err)
{
    struct workload w = {.hops = fanout->count, .batch = (uint64_t)batch, .frontier_all = !strcmp(frontier, "all"), .seed = seed};
    if (fanout->count < 1) return err_set(err, ST_USAGE, "--fanout: names no hop; write for example 25,10");
    if (batch < 1) return err_set(err, ST_USAGE, "--batch: must be at least 1");
    for (int h = 0; h < w.hops; h++) {
        if (fanout->value[h] < 1 || fanout->value[h] > FANOUT_MAX)
            return err_set(err, ST_USAGE, "--fanout: %lld is out of range, expected 1 to %d", (long long)fanout->value[h], FANOUT_MAX);
        w.fanout[h] = (uint32_t)fanout->value[h];
    }
    *out = w;
    return ST_OK;
}

void workload_put(const struct workload *w, doc *object)
{
    doc *fanout = doc_array();
    for (int h = 0; h < w->hops; h++) doc_append(fanout, doc_integer(w->fanout[h]));
    doc_put(object, "fanout", fanout);
    doc_put(object, "batch", doc_integer((int64_t)w->batch));
    doc_put(object, "frontier", doc_text(w->frontier_all ? "all" : "new"));
    doc_put(object, "sampler", doc_text("uniform"));
    doc_put(object, "seed", doc_integer((int64_t)w->seed));
}

enum st workload_read(const doc *object, const char *where, struct workload *out, struct err *err)
{
    enum st st;
    doc *list = NULL;
    const char *frontier = NULL, *sampler = doc_text_value(doc_get(object, "sampler"), "uniform");
    int64_t batch = 0, seed = 0;
    struct int_list fanout = {0};
    TRY(doc_need_array(object, "fanout", where, &list, err));
    TRY(doc_need_integer(object, "batch", 1, UINT32_MAX, where, &batch, err));
    TRY(doc_need_integer(object, "seed", 0, INT64_MAX, where, &seed, err));
    TRY(doc_need_text(object, "frontier", where, &frontier, err));
    if (strcmp(frontier, "new") && strcmp(frontier, "all")) FAIL(ST_INPUT, "%s: \"frontier\" is \"%.20s\", expected \"new\" or \"all\"", where, frontier);
    if (strcmp(sampler, "uniform")) FAIL(ST_INPUT, "%s: \"sampler\" is \"%.40s\"; this release samples uniformly only", where, sampler);
    if (doc_size(list) < 1 || doc_size(list) > HOPS_MAX) FAIL(ST_INPUT, "%s: \"fanout\" has %llu numbers, expected 1 to %d", where, (unsigned long long)doc_size(list), HOPS_MAX);
    fanout.count = (int)doc_size(list);
    for (int h = 0; h < fanout.count; h++) {
        fanout.value[h] = doc_integer_value(doc_at(list, (uint64_t)h), 0);
        if (fanout.value[h] < 1 || fanout.value[h] > FANOUT_MAX) FAIL(ST_INPUT, "%s: \"fanout\" number %d is not in 1..%d", where, h, FANOUT_MAX);
    }
    TRY(workload_make(&fanout, batch, frontier, (uint64_t)seed, out, err));
done:
    return st;
}
