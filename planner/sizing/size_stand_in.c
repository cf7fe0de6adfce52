#include "planner/sizing/size_stand_in.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/units.h"
#include "traces/synth/synth.h"

/* Measured with `graph synth like NAME --scale 0.1 (products), 0.01, 0.002 (uk-union)`, training shares as the papers'
 * (8, 1.1, 1.5, 1.3 %), three hops of 15, 10, 5, one epoch of pre-sampling. The stand-ins were set by the rates at 10
 * %; the worst is of the others (tests/BENCH.md, "Stand-ins against rates that did not set them"). */
static const struct stand_in_error known[] = {
    {"products", 0.10, 0.204, 0.206, "GNNLab, figure 10", 0, 0},
    {"papers100m", 0.10, 0.984, 0.988, "XGNN, cache_hit.dat", -0.162, 0.01},
    {"friendster", 0.10, 0.540, 0.519, "XGNN, cache_hit.dat", -0.137, 0.30},
    {"uk-union", 0.10, 0.615, 0.379, "XGNN, cache_hit.dat, of UK-2006", -0.241, 0.20},
};
enum { KNOWN = sizeof known / sizeof *known };

const struct stand_in_error *stand_in_known(const char *like)
{
    for (int i = 0; i < KNOWN; i++)
        if (!strcmp(like, known[i].like)) return &known[i];
    return NULL;
}

void stand_in_warning(const char *like, char *out, size_t bytes)
{
    const struct stand_in_error *e = stand_in_known(like);
    char worst[96] = "";
    if (e && e->worst < 0)
        snprintf(worst, sizeof worst, " Between 1 and 50 %% cached they are at most %.1f points too low (at %.0f %%).",
                 -100 * e->worst, 100 * e->worst_at);
    if (e)
        snprintf(out, bytes,
                 "Stand-ins for %s are known to be off: with %.0f %% of the vertices cached, %.1f %% of the feature "
                 "rows hit, where %.1f %% were measured on the data set (%s).%s",
                 like, 100 * e->cached, 100 * e->ours, 100 * e->published, e->source, worst);
    else
        snprintf(out, bytes,
                 "How far stand-ins for %s are off is not known; hit rates on stand-ins for other data sets are up to "
                 "24 "
                 "points off.",
                 like);
}

enum st stand_in_make(struct call *call, const char *like, double scale, double train_share, uint64_t seed,
                      struct stand_in *out, struct err *err)
{
    enum st st;
    struct synth_options o;
    struct stand_in *s = NULL;
    const char *base = getenv("TMPDIR");
    char target[PATH_BYTES], path[PATH_BYTES], name[96], n[UNIT_TEXT], m[UNIT_TEXT];
    NEW(s, 1, "a stand-in");
    synth_defaults(&o);
    TRY(synth_like(&o, like, scale, err));
    o.train_share = train_share;
    o.seed = seed;
    snprintf(name, sizeof name, "hotset-stand-in-%ld-%llu-%.9g", (long)getpid(), (unsigned long long)seed, scale);
    TRY(path_join(target, base && *base ? base : "/tmp", name, err));
    TRY(output_directory(&s->folder, target, "graph.json", err));
    TRY(path_join(path, s->folder.temporary, "graph", err));
    call_say(call, "generating a stand-in for %s: %s vertices, about %s arcs, seed %llu", like,
             units_count(n, o.vertices), units_count(m, o.edges), (unsigned long long)seed);
    TRY(synth_graph(&o, path, call->threads, call_progress(call), NULL, err));
    TRY(graph_open(path, call->threads, &s->graph, err));
    *out = *s;
    memset(s, 0, sizeof *s);
done:
    if (s) stand_in_release(s);
    mem_free(s);
    return st;
}

void stand_in_release(struct stand_in *s)
{
    graph_close(&s->graph);
    output_abort(&s->folder);
}
