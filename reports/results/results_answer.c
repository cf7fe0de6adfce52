#include "reports/results/results_answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "reports/formats/style.h"

enum { EQUALS_MOST = 64, GROUP_MOST = 256, SENTENCES_BYTES = 12000 };

static const char *policy_of(const doc *row) { return doc_text_value(doc_get(row, "policy"), "?"); }

static const doc *shown_of(const doc *row)
{
    const doc *sim = doc_get(row, "simulated");
    return doc_is_object(sim) ? sim : doc_get(row, "predicted");
}

/* What rows are ranked by where no epoch is known, and among equal ones: seconds of reads with memories, else
 * transactions of the simulation, or of the prediction; infinite without a result. */
static double rank_of(const doc *row)
{
    double reads = doc_number(doc_get(doc_get(row, "simulated"), "memories"), "seconds");
    return isnan(reads) ? doc_real_value(doc_get(shown_of(row), "total_transactions"), INFINITY) : reads;
}

static bool good(const doc *row) { return isfinite(rank_of(row)); }

double results_reads(const doc *row) { return rank_of(row); }

double results_seconds(const doc *row)
{
    char text[32];
    double v = doc_number(doc_path(row, "simulated.epoch_time"), "seconds");
    /* as far as every document has it: what is read again is sorted alike */
    snprintf(text, sizeof text, "%.6g", v);
    return isfinite(v) && good(row) ? strtod(text, NULL) : INFINITY;
}

bool results_more_memory(const doc *row)
{
    return doc_number(row, "sampler_held_bytes") > doc_number(row, "budget_bytes");
}

/* A row says where its policy comes from; before 0.2.0 rows did not. */
bool results_ours(const doc *row)
{
    const char *source = doc_text_value(doc_get(row, "source"), NULL);
    return source ? text_starts(source, "this project") : style_look(policy_of(row)).family == FAMILY_OURS;
}

/* Whether it planned from the epochs that it is judged by. */
static bool saw(const doc *row)
{
    return style_is_yardstick(policy_of(row)) ||
           doc_bool_value(doc_get(doc_get(row, "predicted"), "saw_the_evaluated_epochs"), false);
}

static bool others(const doc *row) { return good(row) && !results_ours(row) && !saw(row); }

static const char *const reach[RESULTS_ACCESSES] = {"own", "direct", "forward", "p2p"};

/* How far its GPUs read: each reach includes those before. */
static int far_of(const doc *row)
{
    const char *mine = doc_text_value(doc_get(row, "reach"), "own");
    for (int i = 0; i < RESULTS_ACCESSES; i++)
        if (!strcmp(mine, reach[i])) return i;
    return 0;
}

int results_bare(const char *policy)
{
    const char *far = strstr(policy, " --reach "); /* as documents name it */
    return (int)(far ? (size_t)(far - policy) : strlen(policy));
}

void results_sort(const doc **rows, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++)
        for (uint64_t at = i; at > 0; at--) {
            const doc *before = rows[at - 1];
            double a = results_seconds(before), b = results_seconds(rows[at]);
            if (a == b) a = rank_of(before), b = rank_of(rows[at]);
            if (a < b || (a == b && strcmp(policy_of(before), policy_of(rows[at])) <= 0)) break;
            rows[at - 1] = rows[at];
            rows[at] = before;
        }
}

bool results_same_group(const doc *a, const doc *b)
{
    static const char *const keys[] = {"server", "graph", "budget", "budget_per"};
    bool same = true;
    for (int i = 0; i < 4; i++)
        same &= !strcmp(doc_text_value(doc_get(a, keys[i]), ""), doc_text_value(doc_get(b, keys[i]), ""));
    return same;
}

/* hotset with its default options, at whatever reach. */
static bool is_default(const doc *row)
{
    return good(row) && results_bare(policy_of(row)) == 6 && !strncmp(policy_of(row), "hotset", 6);
}

static const doc *find(const doc *const *order, uint64_t count, const char *policy)
{
    for (uint64_t i = 0; i < count; i++)
        if (!strcmp(policy_of(order[i]), policy) && good(order[i])) return order[i];
    return NULL;
}

/* The best system of others that reads no farther than `own`, and whose GPUs hold no more than the budget. */
static const doc *rival_of(const doc *const *order, uint64_t count, const doc *own)
{
    for (uint64_t i = 0; i < count; i++)
        if (others(order[i]) && far_of(order[i]) <= far_of(own) && !results_more_memory(order[i])) return order[i];
    return NULL;
}

static bool timed(const doc *row) { return isfinite(results_seconds(row)); }

/* Whether the epochs of two rows lie within the error of the seconds (planner/decisions/ties.h). */
static bool tied(const doc *row, const doc *other)
{
    const doc *ties = doc_get(row, "ties");
    for (uint64_t i = 0; i < doc_size(ties); i++)
        if (!strcmp(doc_text_value(doc_at(ties, i), ""), policy_of(other))) return true;
    return false;
}

/* Whether the simulated epochs of two rows leave open which reads less. */
static bool overlap(const doc *row, const doc *other)
{
    const doc *a = doc_get(shown_of(row), "total_interval"), *b = doc_get(shown_of(other), "total_interval");
    return doc_real_value(doc_at(a, 1), NAN) >= doc_real_value(doc_at(b, 0), NAN) &&
           doc_real_value(doc_at(b, 1), NAN) >= doc_real_value(doc_at(a, 0), NAN);
}

/* "legion", or "hotset (own memory)" where its name says how far it reads. */
static void add_name(char out[ANSWER_SENTENCE], const doc *row)
{
    text_append(out, ANSWER_SENTENCE, "%s", style_policy((char[STYLE_NAME]){0}, policy_of(row)));
}

/* "35.2 % fewer transactions". what: " transactions", " time of reads", or "" where that was said. */
static void add_reads(char out[ANSWER_SENTENCE], const doc *row, const doc *other, const char *what, bool time)
{
    double less = rank_of(row), more = rank_of(other);
    const char *least = time ? "less" : "fewer";
    if (less == more) text_append(out, ANSWER_SENTENCE, "as %s%s", time ? "much" : "many", what);
    else if (more > 0)
        text_append(out, ANSWER_SENTENCE, "%.1f %% %s%s", fabs(100 * (1 - less / more)), less > more ? "more" : least,
                    what);
    else text_append(out, ANSWER_SENTENCE, "more%s", what);
}

static const char *what_of(bool time) { return time ? " time of reads" : " transactions"; }

/* A row against another, by seconds where both have them, else by reads. who: what the other is, ", the best other". */
static void add_against(char out[ANSWER_SENTENCE], const doc *row, const doc *other, const char *who, bool time)
{
    double change = 100 * (results_seconds(row) / results_seconds(other) - 1);
    bool seconds = timed(row) && timed(other), tie = seconds && tied(row, other), alike = fabs(change) < 0.05;
    if (!seconds) {
        add_reads(out, row, other, timed(row) ? what_of(time) : "", time);
        text_append(out, ANSWER_SENTENCE, rank_of(row) == rank_of(other) ? " as " : " than ");
    } else if (tie) text_append(out, ANSWER_SENTENCE, "a tie with ");
    else if (alike) text_append(out, ANSWER_SENTENCE, "as long as ");
    else text_append(out, ANSWER_SENTENCE, "%.1f %% %s than ", fabs(change), change < 0 ? "less" : "more");
    add_name(out, other);
    if (!seconds && !rank_of(other) && rank_of(row)) text_append(out, ANSWER_SENTENCE, ", which needs none");
    text_append(out, ANSWER_SENTENCE, "%s", who);
    if (tie && !alike) text_append(out, ANSWER_SENTENCE, " (%.1f %% %s)", fabs(change), change < 0 ? "less" : "more");
    if (!seconds && overlap(row, other) && rank_of(row) != rank_of(other))
        text_append(out, ANSWER_SENTENCE, " (a tie: confidence intervals overlap)");
}

/* What binds the epoch. Where it computes or samples the longest, reads cost only what stages do not hide of them. */
static void add_binds(char out[ANSWER_SENTENCE], const doc *row)
{
    static const char *const reads[] = {"load", "transfer", "network", "storage"};
    const doc *epoch = doc_path(row, "simulated.epoch_time");
    const char *stage = doc_text_value(doc_get(epoch, "bottleneck"), NULL),
               *what = doc_text_value(doc_get(epoch, "limited_by"), "?");
    bool piped = doc_bool_value(doc_get(epoch, "pipelined"), true), computes = stage && !strcmp(stage, "propagate");
    double gain = 0;
    if (!stage) return;
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
        gain += doc_real_value(doc_path(doc_get(epoch, "stages"), reads[i]), 0);
    gain *= (piped ? doc_real_value(doc_get(epoch, "unoverlapped"), 0) : 1) / doc_number(epoch, "execution_seconds");
    if (!piped)
        text_append(out, ANSWER_SENTENCE, "\nmost of it is %s (%s), reads are %.0f %%", stage, what, 100 * gain);
    else if (computes || !strcmp(stage, "sample")) {
        text_append(out, ANSWER_SENTENCE, "\n%s-bound (%s): caching more gains ", computes ? "compute" : "sampling",
                    what);
        if (gain < 0.01) text_append(out, ANSWER_SENTENCE, "nothing");
        else text_append(out, ANSWER_SENTENCE, "at most %.0f %%", 100 * gain);
    } else text_append(out, ANSWER_SENTENCE, "\nbound by %s (%s)", what, stage);
}

/* What an epoch takes with nothing cached: by the policy that caches nothing, else as the row's own deal would. */
static void add_uncached(char out[ANSWER_SENTENCE], const doc *const *order, uint64_t count, const doc *best)
{
    const doc *none = find(order, count, "dgl-uva");
    double own = doc_number(doc_path(best, "simulated.epoch_time"), "without_cache_seconds");
    double seconds = none ? results_seconds(none) : isnan(own) ? INFINITY : own;
    char text[UNIT_TEXT];
    if (none != best && timed(best) && isfinite(seconds))
        text_append(out, ANSWER_SENTENCE, "; %s: %s", none ? "nothing cached" : "its assignment uncached",
                    units_seconds(text, seconds));
}

/* Transactions predicted of a row with that deal and parts made alike; NaN where that was not tried. */
static double tried(const doc *row, const char *deal, const char *partition)
{
    const doc *list = doc_get(doc_get(row, "deal"), "tried");
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *x = doc_at(list, i);
        if (!strcmp(doc_text_value(doc_get(x, "deal"), ""), deal) &&
            !strcmp(doc_text_value(doc_get(x, "partition"), ""), partition))
            return doc_number(x, "predicted_transactions");
    }
    return NAN;
}

/* How much of hotset's lead is the deal alone, in a line of its own: it is held against its rival under the rival's
 * deal, by what was predicted when that was tried. */
static void add_deal(const doc *own, const doc *rival, char out[ANSWER_SENTENCE])
{
    const char *text[2][2];
    const doc *of[] = {doc_get(own, "deal"), doc_get(rival, "deal")};
    for (int i = 0; i < 2; i++) {
        text[i][0] = doc_text_value(doc_get(of[i], "chosen"), "");
        text[i][1] = doc_text_value(doc_get(of[i], "partition"), "");
    }
    double there = rank_of(own) * tried(own, text[1][0], text[1][1]) / tried(own, text[0][0], text[0][1]),
           ahead = 100 * (1 - there / rank_of(rival));
    bool same = !strcmp(text[0][0], text[1][0]) && !strcmp(text[0][1], text[1][1]);
    if (same || !isfinite(ahead) || rank_of(own) >= rank_of(rival)) return;
    text_append(out, ANSWER_SENTENCE, "\nwith %s's assignment (%s) hotset would read ", policy_of(rival), text[1][0]);
    if (ahead < 0.05) text_append(out, ANSWER_SENTENCE, "as many; its own (%s) saves all of it", text[0][0]);
    else text_append(out, ANSWER_SENTENCE, "%.1f %% fewer; its own (%s) saves the rest", ahead, text[0][0]);
}

/* By how much the best needs fewer reads, and how far its numbers can be believed: a line. other: NULL where the reads
 * were said. */
static void add_trust(char out[ANSWER_SENTENCE], const doc *row, const doc *other, bool time)
{
    const doc *sim = doc_get(row, "simulated");
    double gap = doc_number(doc_get(row, "bound"), "gap"), error = doc_number(sim, "prediction_error"),
           epochs = doc_number(sim, "epochs");
    char says[ANSWER_SENTENCE] = "", reads[UNIT_TEXT];
    if (other) text_append(says, sizeof says, "; it needs ");
    if (other && !time && rank_of(other) <= 0 && rank_of(row) > 0)
        text_append(says, sizeof says, "%s transactions, %s none", units_count(reads, (uint64_t)rank_of(row)),
                    policy_of(other));
    else if (other) add_reads(says, row, other, what_of(time), time);
    if (!isnan(gap)) text_append(says, sizeof says, "; within %.1f %% of the best possible", 100 * gap);
    if (!isnan(error)) text_append(says, sizeof says, "; predicted to %.1f %%", 100 * fabs(error));
    if (!isnan(error) && epochs >= 1)
        text_append(says, sizeof says, " (%.0f unseen epoch%s)", epochs, epochs > 1 ? "s" : "");
    results_interval_say(doc_get(sim, "epoch_time"), says, sizeof says);
    if (!doc_is_object(sim)) text_append(says, sizeof says, "; predicted, not simulated");
    if (*says) text_append(out, ANSWER_SENTENCE, "\n%s", says + 2);
}

double results_ahead(const doc *const *order, uint64_t count, bool *seconds)
{
    const doc *own = find(order, count, "hotset"), *rival = own ? rival_of(order, count, own) : NULL;
    *seconds = rival && timed(own) && timed(rival);
    if (*seconds) return 1 - results_seconds(own) / results_seconds(rival);
    return rival && rank_of(rival) > 0 ? 1 - rank_of(own) / rank_of(rival) : NAN;
}

const doc *results_best(const doc *const *order, uint64_t count)
{
    const doc *best = NULL;
    for (uint64_t i = 0; i < count && !best; i++)
        if (good(order[i]) && !saw(order[i]) && !results_more_memory(order[i])) best = order[i];
    for (uint64_t i = 0; i < count && best; i++) /* of equals the default */
        if (is_default(order[i]) && far_of(order[i]) == far_of(best) && rank_of(order[i]) == rank_of(best) &&
            results_seconds(order[i]) == results_seconds(best))
            return order[i];
    return best;
}

const char *results_note(const doc *row, const doc *best)
{
    static const char *const notes[] = {"",
                                        "ours",
                                        "tie",
                                        "ours, tie",
                                        "more memory",
                                        "ours, more memory",
                                        "tie, more memory",
                                        "ours, tie, more memory"};
    bool tie = best && best != row && tied(row, best);
    return notes[good(row) * (results_ours(row) + 2 * tie + 4 * results_more_memory(row))];
}

/* Whom the best is held against: the best other where it is ours, the best of ours where it is not, else the next. */
static const doc *against_best(const doc *const *order, uint64_t count, const doc *best)
{
    const doc *list[GROUP_MOST], *found = NULL;
    for (int any = 0; any < 2 && !found; any++) {
        uint64_t n = 0;
        for (uint64_t i = 0; i < count && n < GROUP_MOST; i++)
            if (order[i] != best && (any || results_ours(order[i]) != results_ours(best))) list[n++] = order[i];
        found = results_best(list, n);
    }
    return found;
}

/* The answer: who is the best, by how much, how sure that is, and what binds. beside: a table says who the other is. */
static void add_best(const doc *const *order, uint64_t count, const doc *best, const doc *other, bool time, bool beside,
                     char out[ANSWER_SENTENCE])
{
    char text[UNIT_TEXT];
    const char *who = !other || results_ours(best) == results_ours(other) ? ", the next"
                      : !results_ours(best)                               ? ", the best of ours"
                      : beside                                            ? ""
                                                                          : ", the best other";
    add_name(out, best);
    if (!timed(best) && !time) units_count(text, (uint64_t)rank_of(best));
    else units_seconds(text, timed(best) ? results_seconds(best) : rank_of(best));
    text_append(out, ANSWER_SENTENCE, " %s%s, %s%s",
                timed(best) ? "has the shortest epoch"
                : time      ? "has the least"
                            : "leaves the fewest",
                timed(best) ? "" : what_of(time), text, other ? ": " : "");
    if (other) add_against(out, best, other, who, time);
    add_trust(out, best, other && timed(best) && timed(other) ? other : NULL, time);
    add_binds(out, best);
    add_uncached(out, order, count, best);
}

/* Rows before the best whose GPUs hold more than the budget, a line each: they are no rivals. */
static void add_more_memory(const doc *const *order, uint64_t count, const doc *best, char out[ANSWER_SENTENCE])
{
    char text[UNIT_TEXT];
    for (uint64_t i = 0; i < count && order[i] != best; i++) {
        double times = doc_number(order[i], "held_bytes") / doc_number(order[i], "held_budget_bytes");
        if (!results_more_memory(order[i]) || !good(order[i])) continue;
        text_append(out, ANSWER_SENTENCE, "\n%s: not at equal memory", policy_of(order[i]));
        if (isfinite(times)) text_append(out, ANSWER_SENTENCE, ", its GPUs hold %.1f times the budgets", times);
        if (timed(order[i]))
            text_append(out, ANSWER_SENTENCE, "; epochs of %s", units_seconds(text, results_seconds(order[i])));
    }
}

uint64_t results_accesses(const doc *const *order, uint64_t count, struct results_access out[RESULTS_ACCESSES])
{
    const doc *best = results_best(order, count), *other = best ? against_best(order, count, best) : NULL;
    uint64_t lines = 0;
    for (int far = 0; far < RESULTS_ACCESSES; far++)
        for (uint64_t i = 0; i < count; i++) {
            const doc *rival = is_default(order[i]) && far_of(order[i]) == far ? rival_of(order, count, order[i])
                                                                               : NULL;
            if (rival) out[lines++] = (struct results_access){style_access(reach[far]), order[i], rival};
            if (rival) break;
        }
    bool said = lines == 1 &&
                ((out[0].own == best && out[0].rival == other) || (out[0].own == other && out[0].rival == best));
    return said ? 0 : lines;
}

void results_sentence(const doc *const *order, uint64_t count, bool whole, char out[ANSWER_SENTENCE])
{
    const doc *own = find(order, count, "hotset"), *rival = own ? rival_of(order, count, own) : NULL,
              *best = results_best(order, count), *other = best ? against_best(order, count, best) : NULL;
    bool time = best && doc_is_object(doc_get(doc_get(best, "simulated"), "memories"));
    struct results_access access[RESULTS_ACCESSES];
    *out = 0;
    if (!best) return;
    add_best(order, count, best, other, time, !whole && results_accesses(order, count, access), out);
    if (whole && rival && !time) add_deal(own, rival, out);
    add_more_memory(order, count, best, out);
}

/* Whether two rows are one result: every number that the table shows is the same. */
static bool same_result(const doc *a, const doc *b)
{
    static const char *const keys[] = {"feature_hit_rate", "topology_hit_rate", "topology_transactions",
                                       "feature_transactions", "total_transactions"};
    bool same = good(a) && good(b) && far_of(a) == far_of(b) && rank_of(a) == rank_of(b) &&
                results_seconds(a) == results_seconds(b);
    for (size_t i = 0; same && i < sizeof keys / sizeof *keys; i++)
        same = doc_real_value(doc_get(shown_of(a), keys[i]), -1) == doc_real_value(doc_get(shown_of(b), keys[i]), -1);
    return same && doc_real_value(doc_get(a, "uncached_transactions"), -1) ==
                       doc_real_value(doc_get(b, "uncached_transactions"), -1);
}

/* How much a row is wanted in the short table, 0 the most: hotset and the rows that the answer names, the best other at
 * each reach, hotset at other reaches and nothing cached, plans that the user or the types ask for, references, and the
 * best of the rest; LEFT_OUT: rows of this project that only explain. */
enum { LEFT_OUT = 6 };
static int want_of(const doc *const *order, uint64_t count, uint64_t at)
{
    static const char *const asked[] = {"lists", "mean-row", "single-type"}, *const bounds[] = {"exact", "oracle"};
    const doc *row = order[at], *best = results_best(order, count);
    bool first = others(row);
    if (!good(row)) return LEFT_OUT;
    if (results_bare(policy_of(row)) == (int)strlen(policy_of(row)) && is_default(row)) return 0;
    if (row == best || (best && row == against_best(order, count, best))) return 0;
    for (uint64_t i = 0; i < at; i++) /* one that holds more than the budget takes nobody's place */
        first &= !others(order[i]) || far_of(order[i]) != far_of(row) || results_more_memory(order[i]);
    if (first) return 1;
    if (is_default(row)) return 2;
    if (!strcmp(policy_of(row), "dgl-uva")) return 2;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (!strcmp(policy_of(row), asked[i])) return 3;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (!strcmp(policy_of(row), bounds[i])) return 4;
    return results_ours(row) ? LEFT_OUT : 5;
}

uint64_t results_choose(const doc **order, uint64_t count, uint64_t most)
{
    enum { MOST = 256 };
    bool take[MOST] = {false};
    uint64_t kept = 0, lines = 0;
    if (count > MOST) count = MOST;
    for (int want = 0; want < LEFT_OUT; want++)
        for (uint64_t i = 0; i < count; i++) {
            if (want_of((const doc *const *)order, count, i) != want) continue;
            bool merged = (i > 0 && take[i - 1] && same_result(order[i - 1], order[i])) ||
                          (i + 1 < count && take[i + 1] && same_result(order[i], order[i + 1]));
            if (!merged && lines == most) continue;
            lines += !merged;
            take[i] = true;
        }
    for (uint64_t i = 0; i < count; i++)
        if (take[i]) order[kept++] = order[i];
    return kept;
}

/* How much a policy is wanted as the one that stands for its equals. */
static int worth(const char *policy)
{
    return results_bare(policy) == 6 && text_starts(policy, "hotset") ? 2 : !style_is_yardstick(policy);
}

uint64_t results_names(const char *const *name, uint64_t count, bool access, char *out, size_t size)
{
    char text[STYLE_NAME];
    uint64_t first = 0;
    for (uint64_t i = 1; i < count; i++)
        if (worth(name[i]) > worth(name[first])) first = i;
    snprintf(out, size, "%.*s", access ? 60 : results_bare(name[first]),
             access ? style_policy(text, name[first]) : name[first]);
    for (uint64_t i = 0; i < count; i++)
        if (i != first) text_append(out, size, " = %.*s", results_bare(name[i]), name[i]);
    return first;
}

uint64_t results_merged(const doc *const *order, uint64_t count, uint64_t at, const doc **stands, char *out,
                        size_t size)
{
    const char *name[EQUALS_MOST] = {policy_of(order[at])};
    uint64_t n = 1;
    for (; n < EQUALS_MOST && at + n < count && same_result(order[at], order[at + n]); n++)
        name[n] = policy_of(order[at + n]);
    *stands = order[at + results_names(name, n, false, out, size)];
    return n;
}

/* rows [from, until): one group. */
static void add_group(const doc *rows, uint64_t from, uint64_t until, bool several, char *out, size_t size)
{
    const doc *order[GROUP_MOST], *first = doc_at(rows, from);
    char said[ANSWER_SENTENCE];
    uint64_t count = 0;
    for (uint64_t i = from; i < until && count < GROUP_MOST; i++) order[count++] = doc_at(rows, i);
    results_sort(order, count);
    results_sentence(order, count, true, said);
    if (!*said) return;
    text_append(out, size, "%s", *out ? "\n" : "");
    if (several)
        text_append(out, size, "%s on %s, %s per %s: ", doc_text_value(doc_get(first, "graph"), "?"),
                    doc_text_value(doc_get(first, "server"), "?"), doc_text_value(doc_get(first, "budget"), "?"),
                    strcmp(doc_text_value(doc_get(first, "budget_per"), "gpu"), "gpu") ? "clique" : "GPU");
    text_append(out, size, "%s", said);
}

void results_say(doc *results)
{
    const doc *rows = doc_get(results, "rows");
    char said[SENTENCES_BYTES] = "";
    for (uint64_t i = 0, end; i < doc_size(rows); i = end) {
        for (end = i + 1; end < doc_size(rows) && results_same_group(doc_at(rows, i), doc_at(rows, end));) end++;
        add_group(rows, i, end, end - i < doc_size(rows), said, sizeof said);
    }
    if (*said) doc_put(results, "sentence", doc_text(said));
}
