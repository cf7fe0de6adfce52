#include "planner/results/plan_answer.h"

#include <math.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/policies/policy.h"
#include "planner/results/results_document.h"
#include "simulator/movement/simulated.h"

enum { SENTENCE = 700, PAYS = 1 /* percent of an epoch */ };

/* The names of a list, with commas. */
static void names_of(const doc *list, char out[SENTENCE])
{
    *out = 0;
    for (uint64_t i = 0; i < doc_size(list); i++)
        text_append(out, SENTENCE, "%s%s", i ? ", " : "", doc_text_value(doc_at(list, i), "?"));
}

const char *plan_answer_doing(const char *stage)
{
    static const char *const words[][2] = {{"propagate", "computing"}, {"sample", "sampling"}, {"load", "loading"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(stage, words[i][0])) return words[i][1];
    return stage;
}

static void epoch_say(const char *takes, double seconds, const char *stage, const char *where, char out[SENTENCE])
{
    char time[UNIT_TEXT];
    text_append(out, SENTENCE, "An epoch %s %s; its longest stage is %s (%s).", takes, units_seconds(time, seconds),
                plan_answer_doing(stage), where);
}

/* What the cache saves of an epoch, where `without` is known, and what caching every row would. Seconds of an epoch:
 * with the cache, with nothing cached, and without any read. */
static void worth_say(double with, double without, double least, const char *stage, char out[SENTENCE])
{
    const double saved = 100 * (1 - with / without);
    const bool hides = saved < PAYS && strcmp(stage, "transfer") && strcmp(stage, "load");
    char time[UNIT_TEXT];
    if (without > with)
        text_append(out, SENTENCE, "\nThe same assignment with nothing cached takes %s: the cache saves %.1f %%%s.",
                    units_seconds(time, without), saved, hides ? ", as transfers hide behind other stages" : "");
    if (with > 0 && !isnan(least))
        text_append(out, SENTENCE, "\nCaching every row would save %s%.1f %% of the epoch.",
                    without > with ? "another " : "", 100 * (1 - least / with));
}

static void unknown_say(const struct epoch_timed *timed, const doc *objective, char out[SENTENCE])
{
    char names[SENTENCE];
    names_of(doc_get(objective, "unknown"), names);
    if (timed && !strcmp(timed->time.unknown[0], EPOCH_NO_SERVER)) {
        text_append(out, SENTENCE, "What an epoch takes is not known without the server: name it with --server.");
        return;
    }
    if (!*names && timed)
        for (int i = 0; i < timed->time.unknowns; i++)
            text_append(names, sizeof names, "%s%s", i ? ", " : "", timed->time.unknown[i]);
    if (!*names) return;
    text_append(out, SENTENCE, "What an epoch takes is not known: the server states no %s%s.", names,
                strstr(names, "host_memory_gbps") ? " (channels times their rate: plan with --host-memory-gbps)" : "");
    if (doc_size(doc_get(objective, "unknown")))
        text_append(out, SENTENCE, "\nThe plan has the fewest transactions instead of the shortest epoch.");
}

void plan_answer_interval(const struct epoch_interval *e, char out[PLAN_ANSWER_INTERVAL])
{
    char low[UNIT_TEXT], high[UNIT_TEXT];
    *out = '\0';
    if (!(e->high > 0)) return;
    snprintf(out, PLAN_ANSWER_INTERVAL, "\nIt may take %s to %s (90 %%%s).", units_seconds(low, e->low),
             units_seconds(high, e->high), e->shorter ? "; nothing as short was measured" : "");
}

static void time_say(const struct plan *p, const struct epoch_interval *interval, char out[SENTENCE])
{
    const struct epoch_timed *timed = p->simulated ? p->simulated->time : NULL;
    const doc *objective = doc_get(p->notes, "objective");
    const bool known = timed && !timed->time.unknowns && timed->time.bottleneck < ALL_STAGES;
    double expected = doc_number(objective, "epoch_seconds");
    char may[PLAN_ANSWER_INTERVAL];
    if (known) {
        const char *stage = stage_word(timed->time.bottleneck);
        epoch_say("takes", timed->seconds, stage, timed->time.limit[timed->time.bottleneck], out);
        plan_answer_interval(interval, may);
        text_append(out, SENTENCE, "%s", may);
        worth_say(timed->seconds, timed->without_cache,
                  p->simulated->sums.transactions.total ? epoch_timed_without_reads(timed) : NAN, stage, out);
    } else if (!p->simulated && p->places) {
        return; /* what planning expects of an epoch has no memories below the GPUs in it */
    } else if (!p->simulated && expected > 0) {
        epoch_say("is expected to take", expected, doc_text_value(doc_get(objective, "bottleneck"), "?"),
                  doc_text_value(doc_get(objective, "waits_for"), "?"), out);
        worth_say(expected, NAN, doc_number(objective, "epoch_seconds_without_reads"), "", out);
    } else unknown_say(timed, objective, out);
}

static void reads_say(const struct plan *p, char out[SENTENCE])
{
    const struct simulated *s = p->simulated;
    char count[UNIT_TEXT], rows[UNIT_TEXT], visits[UNIT_TEXT];
    if (!s && *p->cache) return;
    text_append(out, SENTENCE, "%s%s PCIe reads %s per epoch; GPUs serve %s of features, %s of topology.",
                *out ? "\n" : "", units_count(count, s ? s->sums.transactions.total : plan_predicted(p).total),
                s ? "remain" : "are expected",
                units_percent(rows, s ? simulated_hit(s->sums.rows) : p->predicted_feature_hit),
                units_percent(visits, s ? simulated_hit(s->sums.visits) : p->predicted_topology_hit));
}

/* How sure that is. */
static void sure_say(const struct plan *p, char out[SENTENCE])
{
    const struct simulated *s = p->simulated;
    char low[UNIT_TEXT], high[UNIT_TEXT], epochs[UNIT_TEXT];
    if (!s && p->interval_known && !*p->cache) {
        text_append(out, SENTENCE, "\nNothing was simulated; %s: %s to %s reads.",
                    p->interval_assumed ? "assumed interval" : "95 % interval",
                    units_count(low, (uint64_t)(p->predicted_low + 0.5)),
                    units_count(high, (uint64_t)(p->predicted_high + 0.5)));
        return;
    }
    if (!s || isnan(s->error)) return;
    if (!p->predicted_held_out) {
        text_append(out, SENTENCE, "\nThe policy knew these epochs in advance, which no runtime can.");
        return;
    }
    text_append(out, SENTENCE, "\nThe prediction was %.2f %% %s the mean of %s unseen epoch%s", fabs(100 * s->error),
                s->error < 0 ? "below" : "above", units_count(epochs, s->replay.epochs),
                s->replay.epochs == 1 ? "" : "s");
    if (s->replay.interval_known)
        text_append(out, SENTENCE, " (95 %%: %s to %s)", units_count(low, s->low), units_count(high, s->high));
    text_append(out, SENTENCE, ".");
    const double total = (double)s->sums.transactions.total;
    if (p->interval_known && (total < p->predicted_low || total > p->predicted_high))
        text_append(out, SENTENCE, "\nThat is outside of the interval that planning expected: %s to %s reads.",
                    units_count(low, (uint64_t)(p->predicted_low + 0.5)),
                    units_count(high, (uint64_t)(p->predicted_high + 0.5)));
}

/* Whether reads were predicted from the graph alone. */
static bool from_prior(const struct plan *p)
{
    bool found = false;
    for (const struct policy *const *at = policies_registered; *at; at++)
        found |= (*at)->needs_estimates && !strcmp((*at)->name, p->policy);
    return found && !strcmp(p->hotness, "vip");
}

void plan_answer_print(const struct plan *p, const struct epoch_interval *interval, bool explained, FILE *to)
{
    enum { ROOMY = 90 }; /* columns: a narrower terminal breaks other lines, and all should stay on one screen */
    static const struct epoch_interval untold = {0};
    char out[SENTENCE] = "";
    const int width = terminal_width(to);
    time_say(p, explained || !width || width >= ROOMY ? interval : &untold, out);
    reads_say(p, out);
    sure_say(p, out);
    if (doc_path(p->notes, "deal.too_large_to_try"))
        text_append(out, SENTENCE,
                    "\nother assignments were not tried, as the graph is large; --assignment HOW plans with another");
    if (from_prior(p)) text_append(out, SENTENCE, "\nnote: %s", results_prior_note);
    if (*out) terminal_print(to, "\n%s\n", out);
    if (!explained) terminal_print(to, "--explain adds stages, GPUs, what planning tried, and what columns mean\n");
}
