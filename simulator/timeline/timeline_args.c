#include "simulator/timeline/timeline_args.h"

#include <math.h>
#include <string.h>

#include "base/terminal.h"

enum st timeline_args_path(const struct timeline_args *a, const char *output, struct err *err)
{
    if (!a->path) return ST_OK;
    if (output && !strcmp(a->path, output))
        return err_set(err, ST_USAGE, "--timeline: %s is what --output writes; name another file", a->path);
    return output_check(a->path, TIMELINE_BEGIN, err);
}

enum st timeline_args_check(const struct timeline_args *a, bool given, const char *output, const struct plan *p,
                            struct err *err)
{
    if (!a->path && given) return err_set(err, ST_USAGE, "--timeline-batches: only --timeline uses it; leave it out");
    if (!a->path) return ST_OK;
    if (*p->cache)
        return err_set(err, ST_NO,
                       "--timeline: policy %s holds features in the dynamic cache %s, and what it serves depends on "
                       "all mini-batches before; plan with fixed rows",
                       p->policy, p->cache);
    return timeline_args_path(a, output, err);
}

void timeline_print(const struct timeline_args *a, const doc *about, FILE *to)
{
    double seconds = doc_number(about, "seconds"), mean = doc_number(about, "mean_seconds");
    char beside[120] = "";
    if (mean > 0)
        snprintf(beside, sizeof beside, " (%.4g ms as mean ones%s)", 1e3 * mean,
                 doc_bool_value(doc_get(about, "pipelined"), false) ? ", without filling and draining the pipeline"
                                                                    : "");
    terminal_print(to,
                   "timeline: %s, %lld of %lld mini-batches per GPU in %.4g ms%s; Perfetto and chrome://tracing open "
                   "it\n",
                   a->path, (long long)doc_integer_value(doc_get(about, "batches"), 0),
                   (long long)doc_integer_value(doc_get(about, "epoch_batches"), 0), 1e3 * seconds, beside);
}
