#include "simulator/movement/epoch_document.h"

#include <math.h>
#include <string.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"

static doc *stages_of(const struct epoch_time *t)
{
    doc *d = doc_object();
    for (int i = 0; i < EPOCH_STAGES; i++) doc_put(d, stage_word((enum stage_name)i), doc_real(t->stage[i]));
    for (int i = EPOCH_STAGES; i < ALL_STAGES; i++)
        if (*t->limit[i]) doc_put(d, stage_word((enum stage_name)i), doc_real(t->stage[i]));
    doc_put(d, "sync", doc_real(t->sync));
    return d;
}

/* What each stage that takes time waits for. */
static doc *limits_of(const struct epoch_time *t)
{
    doc *d = doc_object();
    for (int i = 0; i < ALL_STAGES; i++)
        if (*t->limit[i]) doc_put(d, stage_word((enum stage_name)i), doc_text(t->limit[i]));
    return d;
}

static doc *gpus_of(const struct epoch_time *t, const int *ids, int gpus)
{
    static const enum stage_name own[] = {STAGE_SAMPLE, STAGE_TRANSFER, STAGE_PROPAGATE};
    doc *list = doc_array();
    for (int g = 0; g < gpus; g++) {
        doc *d = doc_object();
        doc_put(d, "id", doc_integer(ids[g]));
        for (int i = 0; i < 3; i++) doc_put(d, stage_word(own[i]), doc_real(t->gpu[own[i]][g]));
        doc_append(list, d);
    }
    return list;
}

doc *epoch_time_document(const struct epoch_timed *timed, const int *ids, int gpus)
{
    const struct epoch_time *t = &timed->time;
    const struct epoch_setup *how = &timed->how;
    doc *d = doc_object(), *unknown = doc_array();
    bool good = t->bottleneck < ALL_STAGES;
    for (int i = 0; i < t->unknowns; i++) doc_append(unknown, doc_text(t->unknown[i]));
    DOC_PUT(d, IS("seconds", timed->seconds), IS("model_seconds", t->seconds), IS("unknown", unknown));
    if (!t->unknowns) {
        DOC_PUT(d, IS("pipelined", how->pipelined),
                IS("unoverlapped", how->pipelined ? doc_real(how->unoverlapped) : doc_null()));
        if (how->one_stage) doc_put(d, "prefetch", doc_text("one-stage"));
        doc_put(d, "model", doc_text(gnn_name(how->gnn.kind)));
        if (how->mixed || how->tf32) doc_put(d, "precision", doc_text(how->mixed ? "mixed" : "tf32"));
        DOC_PUT(d, IS("hidden", how->gnn.hidden), IS("classes", how->gnn.classes), IS("cpu_share", how->cpu.share),
                IS("iterations", t->iterations), IS("execution_seconds", t->execution), IS("stages", stages_of(t)),
                IS("bottleneck", good ? stage_word(t->bottleneck) : NULL),
                IS("limited_by", good ? t->limit[t->bottleneck] : NULL), IS("mteps", t->mteps),
                IS("gpus", gpus_of(t, ids, gpus)), IS("limits", limits_of(t)));
        doc_put(d, "calibration", timed->calibrated ? calibration_document(&timed->calibration) : doc_null());
    }
    if (timed->without_cache != -1) doc_put(d, "without_cache_seconds", doc_real(timed->without_cache));
    return d;
}

/* ---- for people ---- */

static void unknown_print(const struct epoch_time *t, FILE *to)
{
    char names[600] = "";
    if (!strcmp(t->unknown[0], EPOCH_NO_SERVER)) {
        terminal_print(to, "epoch time: not known; name the server with --server\n");
        return;
    }
    for (int i = 0; i < t->unknowns; i++) text_append(names, sizeof names, "%s %s", i ? "," : "", t->unknown[i]);
    terminal_print(to, "epoch time: not known; the server's description lacks%s\n", names);
}

static void calibration_print(const struct calibration *c, FILE *to)
{
    char others[80] = "";
    if (!isnan(c->held_out_rms))
        snprintf(others, sizeof others, "; leave-one-out error %.1f %% RMS", 100 * c->held_out_rms);
    terminal_print(to, "calibration from %d points: %.4g s + %.4g x model; residual %.1f %% RMS, largest %+.1f %%%s\n",
                   c->points, c->a, c->b, 100 * c->rms, 100 * c->worst, others);
}

void epoch_timed_beside(struct epoch_timed *t, enum stage_name stage, double seconds, const char *limit)
{
    epoch_time_beside(&t->time, &t->how, stage, seconds, limit);
    t->seconds = t->calibrated ? calibration_apply(&t->calibration, t->time.seconds) : t->time.seconds;
    if (t->without_cache != -1 && seconds > 0) t->without_cache = NAN;
}

double epoch_timed_without(const struct epoch_timed *t, enum stage_name stage)
{
    struct epoch_timed bare = *t;
    epoch_timed_beside(&bare, stage, 0, "");
    return bare.seconds;
}

double epoch_timed_without_reads(const struct epoch_timed *t)
{
    static const enum stage_name reads[] = {STAGE_LOAD, STAGE_TRANSFER, STAGE_NETWORK, STAGE_STORAGE};
    struct epoch_timed bare = *t;
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) epoch_timed_beside(&bare, reads[i], 0, "");
    return bare.seconds;
}

void epoch_time_print(const struct epoch_timed *timed, FILE *to)
{
    static const char *const headers[] = {"stage", ">per iteration", ">of the longest", NULL};
    if (!timed) return;
    const struct epoch_time *t = &timed->time;
    const bool good = t->bottleneck < ALL_STAGES;
    char epoch[UNIT_TEXT], one[UNIT_TEXT];
    if (t->unknowns) {
        unknown_print(t, to);
        return;
    }
    terminal_print(to, "epoch time by the model: %s %s, %g iteration%s of %s; %s, %.4g million edges/s\n",
                   units_seconds(epoch, timed->seconds),
                   !timed->how.pipelined   ? "one stage after the other"
                   : !timed->how.one_stage ? "pipelined"
                                           : "pipelined, prefetched in one stage",
                   t->iterations, t->iterations == 1 ? "" : "s", units_seconds(one, t->execution),
                   gnn_name(timed->how.gnn.kind), t->mteps);
    terminal_print(to, "the longest stage is %s, limited by %s\n", good ? stage_word(t->bottleneck) : "?",
                   good ? t->limit[t->bottleneck] : "?");
    if (timed->calibrated) calibration_print(&timed->calibration, to);
    struct table *table = table_new(headers);
    for (int i = 0; i < ALL_STAGES; i++) {
        double v = t->stage[i];
        if (i >= EPOCH_STAGES && !*t->limit[i]) continue;
        table_add(table, "%s", stage_word((enum stage_name)i));
        table_add_seconds(table, v > 0 ? v : NAN);
        table_add(table, v > 0 ? "%.0f %%" : "-", good ? 100 * v / t->stage[t->bottleneck] : 0);
    }
    table_show(table, to);
}
