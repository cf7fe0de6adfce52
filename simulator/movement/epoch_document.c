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
    doc_put(d, "sync", doc_real(t->sync));
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

doc *epoch_time_document(const struct epoch_time *t, const struct epoch_setup *how, const int *ids, int gpus,
                         const struct calibration *c)
{
    doc *d = doc_object(), *unknown = doc_array();
    bool good = t->bottleneck < EPOCH_STAGES;
    for (int i = 0; i < t->unknowns; i++) doc_append(unknown, doc_text(t->unknown[i]));
    doc_put(d, "seconds", doc_real(c ? calibration_apply(c, t->seconds) : t->seconds));
    doc_put(d, "model_seconds", doc_real(t->seconds));
    doc_put(d, "unknown", unknown);
    if (t->unknowns) return d;
    doc_put(d, "pipelined", doc_bool(how->pipelined));
    doc_put(d, "unoverlapped", how->pipelined ? doc_real(how->unoverlapped) : doc_null());
    if (how->one_stage) doc_put(d, "prefetch", doc_text("one-stage"));
    doc_put(d, "model", doc_text(gnn_name(how->gnn.kind)));
    if (how->mixed) doc_put(d, "precision", doc_text("mixed"));
    doc_put(d, "hidden", doc_integer((int64_t)how->gnn.hidden));
    doc_put(d, "classes", doc_integer((int64_t)how->gnn.classes));
    doc_put(d, "cpu_share", doc_real(how->cpu.share));
    doc_put(d, "iterations", doc_real(t->iterations));
    doc_put(d, "execution_seconds", doc_real(t->execution));
    doc_put(d, "stages", stages_of(t));
    doc_put(d, "bottleneck", doc_text(good ? stage_word(t->bottleneck) : NULL));
    doc_put(d, "limited_by", doc_text(good ? t->limit[t->bottleneck] : NULL));
    doc_put(d, "mteps", doc_real(t->mteps));
    doc_put(d, "gpus", gpus_of(t, ids, gpus));
    doc_put(d, "calibration", c ? calibration_document(c) : doc_null());
    return d;
}

/* ---- for people ---- */

static void unknown_print(const doc *list, FILE *to)
{
    char names[600] = "";
    if (!strcmp(doc_text_value(doc_at(list, 0), ""), EPOCH_NO_SERVER)) {
        terminal_print(to, "epoch time: not known; name the server with --server\n");
        return;
    }
    for (uint64_t i = 0; i < doc_size(list); i++)
        text_append(names, sizeof names, "%s %s", i ? "," : "", doc_text_value(doc_at(list, i), "?"));
    terminal_print(to, "epoch time: not known; the server's description lacks%s\n", names);
}

static void calibration_print(const doc *c, FILE *to)
{
    double held_out = doc_number(c, "held_out_rms");
    char others[80] = "";
    if (!isnan(held_out)) snprintf(others, sizeof others, "; leave-one-out error %.1f %% RMS", 100 * held_out);
    terminal_print(to,
                   "calibration from %lld points: %.4g s + %.4g x model; residual %.1f %% RMS, largest %+.1f %%%s\n",
                   (long long)doc_integer_value(doc_get(c, "points"), 0), doc_number(c, "a_seconds"),
                   doc_number(c, "b"), 100 * doc_number(c, "residual_rms"), 100 * doc_number(c, "residual_worst"),
                   others);
}

/* What the cache is worth in time, where that is known. */
static void worth_print(const doc *of, FILE *to)
{
    enum { PAYS = 1 }; /* percent */
    double with = doc_number(of, "seconds");
    double without = doc_number(of, "without_cache_seconds");
    double saved = 100 * (1 - with / without);
    char time[UNIT_TEXT];
    if (!(without > 0)) return;
    terminal_print(to, "without any cache: %s, so the cache saves %.1f %% of the epoch%s\n",
                   units_seconds(time, without), saved,
                   saved < PAYS ? "; it does not pay in time on this server, where transfers hide behind other stages"
                                : "");
}

struct epoch_with_stage epoch_document_with(const doc *of, double more)
{
    enum { STAGES = EPOCH_STAGES + 1 };
    double stage[STAGES], iterations = doc_number(of, "iterations"), sum = 0;
    for (int i = 0; i < EPOCH_STAGES; i++) {
        stage[i] = doc_number(doc_get(of, "stages"), stage_word((enum stage_name)i));
        sum += stage[i];
    }
    stage[EPOCH_STAGES] = more / iterations;
    if (!isfinite(sum + stage[EPOCH_STAGES])) return (struct epoch_with_stage){NAN, NAN};
    bool pipelined = doc_bool_value(doc_get(of, "pipelined"), true);
    double share = doc_real_value(doc_get(of, "unoverlapped"), EPOCH_UNOVERLAPPED);
    return (struct epoch_with_stage){.with = iterations * (pipelined ? epoch_pipelined(stage, STAGES, share)
                                                                     : sum + stage[EPOCH_STAGES]),
                                     .without = iterations *
                                                (pipelined ? epoch_pipelined(stage, EPOCH_STAGES, share) : sum)};
}

void epoch_time_print(const doc *of, FILE *to)
{
    static const char *const headers[] = {"stage", ">per iteration", ">of the longest", NULL};
    const doc *stages = doc_get(of, "stages");
    double longest = doc_number(stages, doc_text_value(doc_get(of, "bottleneck"), ""));
    if (!doc_is_object(of)) return;
    if (doc_size(doc_get(of, "unknown"))) {
        unknown_print(doc_get(of, "unknown"), to);
        return;
    }
    char epoch[UNIT_TEXT], one[UNIT_TEXT];
    double iterations = doc_number(of, "iterations");
    terminal_print(to, "epoch time by the model: %s %s, %g iteration%s of %s; %s, %.4g million edges/s\n",
                   units_seconds(epoch, doc_number(of, "seconds")),
                   doc_bool_value(doc_get(of, "pipelined"), false)
                       ? doc_is_null(doc_get(of, "prefetch")) ? "pipelined" : "pipelined, prefetched in one stage"
                       : "one stage after the other",
                   iterations, iterations == 1 ? "" : "s", units_seconds(one, doc_number(of, "execution_seconds")),
                   doc_text_value(doc_get(of, "model"), "?"), doc_number(of, "mteps"));
    terminal_print(to, "the longest stage is %s, limited by %s\n", doc_text_value(doc_get(of, "bottleneck"), "?"),
                   doc_text_value(doc_get(of, "limited_by"), "?"));
    worth_print(of, to);
    if (!doc_is_null(doc_get(of, "calibration"))) calibration_print(doc_get(of, "calibration"), to);
    struct table *t = table_new(headers);
    for (int i = 0; i < EPOCH_STAGES; i++) {
        double v = doc_number(stages, stage_word((enum stage_name)i));
        table_add(t, "%s", stage_word((enum stage_name)i));
        table_add_seconds(t, v > 0 ? v : NAN);
        table_add(t, v > 0 ? "%.0f %%" : "-", longest > 0 ? 100 * v / longest : 0);
    }
    table_show(t, to);
}
