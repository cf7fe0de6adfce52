#include "reports/results/results_answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "reports/formats/style.h"

enum { EQUALS_MOST = 64, GROUP_MOST = 256, SENTENCES_BYTES = 12288 };

static const char *policy_of(const doc *row) { return doc_text_value(doc_get(row, "policy"), "?"); }

static const doc *shown_of(const doc *row)
{
    const doc *sim = doc_get(row, "simulated");
    return doc_is_object(sim) ? sim : doc_get(row, "predicted");
}

/* What rows are ranked by: seconds of reads with memories, else transactions of the simulation, or of the prediction;
 * infinite without a result. */
static double rank_of(const doc *row)
{
    double reads = doc_number(doc_get(doc_get(row, "simulated"), "memories"), "seconds");
    return isnan(reads) ? doc_real_value(doc_get(shown_of(row), "total_transactions"), INFINITY) : reads;
}

static bool good(const doc *row) { return isfinite(rank_of(row)); }

/* A row says where its policy comes from; before 0.2.0 rows did not. */
static bool ours(const doc *row)
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

static bool others(const doc *row) { return good(row) && !ours(row) && !saw(row); }

/* How far its GPUs read: each reach includes those before. */
static int far_of(const doc *row)
{
    static const char *const reach[] = {"own", "direct", "forward", "p2p"};
    const char *mine = doc_text_value(doc_get(row, "reach"), "own");
    for (int i = 0; i < 4; i++)
        if (!strcmp(mine, reach[i])) return i;
    return 0;
}

int results_bare(const char *policy)
{
    const char *reach = strstr(policy, " --reach ");
    return (int)(reach ? (size_t)(reach - policy) : strlen(policy));
}

void results_sort(const doc **rows, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++)
        for (uint64_t at = i; at > 0; at--) {
            const doc *before = rows[at - 1];
            double a = rank_of(before), b = rank_of(rows[at]);
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

/* The best system of others that reads no farther than `own`. */
static const doc *rival_of(const doc *const *order, uint64_t count, const doc *own)
{
    for (uint64_t i = 0; i < count; i++)
        if (others(order[i]) && far_of(order[i]) <= far_of(own)) return order[i];
    return NULL;
}

/* "35.2 % fewer transactions than legion". what: " transactions", " time of reads", or nothing. */
static void add_against(char out[ANSWER_SENTENCE], const doc *row, const doc *other, const char *what, bool time)
{
    double less = rank_of(row), more = rank_of(other);
    const char *least = time ? "less" : "fewer", *most = time ? "much" : "many";
    if (less == more) text_append(out, ANSWER_SENTENCE, "as %s%s as %s", most, what, policy_of(other));
    else if (more > 0)
        text_append(out, ANSWER_SENTENCE, "%.1f %% %s%s than %s", fabs(100 * (1 - less / more)),
                    less > more ? "more" : least, what, policy_of(other));
    else text_append(out, ANSWER_SENTENCE, "more%s than %s, which needs none", what, policy_of(other));
}

/* Seconds of an epoch; NaN: not known. */
static double epoch_of(const doc *row)
{
    return doc_number(doc_get(doc_get(row, "simulated"), "epoch_time"), "seconds");
}

/* " (epochs 3.5 % shorter)", where both rows have a time; "yet" where it speaks against the transactions. */
static void add_epochs(char out[ANSWER_SENTENCE], const doc *row, const doc *other)
{
    double change = 100 * (epoch_of(row) / epoch_of(other) - 1);
    if (!isfinite(change)) return;
    if (fabs(change) < 0.05) text_append(out, ANSWER_SENTENCE, " (epochs as long)");
    else
        text_append(out, ANSWER_SENTENCE, " (%sepochs %.1f %% %s)",
                    (rank_of(row) - rank_of(other)) * change < 0 ? "yet " : "", fabs(change),
                    change < 0 ? "shorter" : "longer");
}

/* Whether the simulated epochs of two rows leave open which is better. */
static bool overlap(const doc *row, const doc *other)
{
    const doc *a = doc_get(shown_of(row), "total_interval"), *b = doc_get(shown_of(other), "total_interval");
    return doc_real_value(doc_at(a, 1), NAN) >= doc_real_value(doc_at(b, 0), NAN) &&
           doc_real_value(doc_at(b, 1), NAN) >= doc_real_value(doc_at(a, 0), NAN);
}

/* What stands behind a rival's name. where: "in reach", "there". */
static void add_rival(char out[ANSWER_SENTENCE], const doc *row, const doc *rival, const char *where)
{
    text_append(out, ANSWER_SENTENCE, ", the best other %s", where);
    if (overlap(row, rival) && rank_of(row) != rank_of(rival))
        text_append(out, ANSWER_SENTENCE, " (confidence intervals overlap: perhaps noise)");
    add_epochs(out, row, rival);
}

/* The other system within the same reach whose epoch is shortest, in a line of its own: the sentence before ranks by
 * transactions. From 1 % on. */
static void add_shorter(const doc *const *order, uint64_t count, const doc *own, char out[ANSWER_SENTENCE])
{
    double mine = epoch_of(own), least = 0.99 * mine;
    const doc *best = NULL;
    for (uint64_t i = 0; i < count; i++)
        if (others(order[i]) && far_of(order[i]) <= far_of(own) && epoch_of(order[i]) < least) {
            best = order[i];
            least = epoch_of(best);
        }
    if (best)
        text_append(out, ANSWER_SENTENCE, "%s%s: epochs %.1f %% shorter than hotset's in reach", *out ? "\n" : "",
                    policy_of(best), 100 * (1 - least / mine));
}

/* Transactions that were predicted of a row with a deal, and parts made by the same method; NaN where that was not
 * tried. */
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
    if (ahead < 0.05)
        text_append(out, ANSWER_SENTENCE,
                    "\nall of it is who trains what (deal %s): under the deal of %s (%s), hotset "
                    "would not need fewer, by prediction",
                    text[0][0], policy_of(rival), text[1][0]);
    else
        text_append(out, ANSWER_SENTENCE,
                    "\nunder the deal of %s (%s), hotset would need %.1f %% fewer than it, by "
                    "prediction: the rest is who trains what (deal %s)",
                    policy_of(rival), text[1][0], ahead, text[0][0]);
}

/* What the other reaches are worth, a line each. */
static void add_reaches(const doc *const *order, uint64_t count, const doc *own, bool time, char out[ANSWER_SENTENCE])
{
    for (uint64_t i = 0; i < count; i++) {
        const doc *rival = rival_of(order, count, order[i]);
        if (!is_default(order[i]) || order[i] == own) continue;
        text_append(out, ANSWER_SENTENCE, "%s%s: ", *out ? "\n" : "", policy_of(order[i]));
        add_against(out, order[i], own, "", time);
        if (rival) text_append(out, ANSWER_SENTENCE, ", ");
        if (rival) add_against(out, order[i], rival, "", time);
        if (rival) add_rival(out, order[i], rival, "there");
    }
}

/* " (8 unseen epochs)": those that planning did not see. */
static void add_unseen(char out[ANSWER_SENTENCE], const doc *row)
{
    double epochs = doc_number(doc_get(row, "simulated"), "epochs");
    if (epochs >= 1) text_append(out, ANSWER_SENTENCE, " (%.0f unseen epoch%s)", epochs, epochs > 1 ? "s" : "");
}

double results_ahead(const doc *const *order, uint64_t count)
{
    const doc *own = find(order, count, "hotset"), *rival = own ? rival_of(order, count, own) : NULL;
    return rival && rank_of(rival) > 0 ? 1 - rank_of(own) / rank_of(rival) : NAN;
}

void results_sentence(const doc *const *order, uint64_t count, char out[ANSWER_SENTENCE])
{
    const doc *own = find(order, count, "hotset"), *rival = own ? rival_of(order, count, own) : NULL;
    *out = 0;
    if (!own) return;
    bool time = doc_is_object(doc_get(doc_get(own, "simulated"), "memories"));
    double gap = doc_number(doc_get(own, "bound"), "gap"), error = doc_number(doc_get(own, "simulated"), "prediction_"
                                                                                                         "error");
    if (rival) {
        text_append(out, ANSWER_SENTENCE, "hotset: ");
        add_against(out, own, rival, time ? " time of reads" : " transactions", time);
        add_rival(out, own, rival, "in reach");
        if (!isnan(gap)) text_append(out, ANSWER_SENTENCE, "; within %.1f %% of the best possible", 100 * gap);
        if (!isnan(error)) text_append(out, ANSWER_SENTENCE, "; predicted to %.1f %%", 100 * fabs(error));
        if (!isnan(error)) add_unseen(out, own);
        if (!doc_is_object(doc_get(own, "simulated"))) text_append(out, ANSWER_SENTENCE, "; predicted, not simulated");
        if (!time) add_deal(own, rival, out);
    }
    add_shorter(order, count, own, out);
    add_reaches(order, count, own, time, out);
}

/* Whether two rows are one result: every number that the table shows is the same. */
static bool same_result(const doc *a, const doc *b)
{
    static const char *const keys[] = {"feature_hit_rate", "topology_hit_rate", "topology_transactions",
                                       "feature_transactions", "total_transactions"};
    bool same = good(a) && good(b) && far_of(a) == far_of(b) && rank_of(a) == rank_of(b);
    for (size_t i = 0; same && i < sizeof keys / sizeof *keys; i++)
        same = doc_real_value(doc_get(shown_of(a), keys[i]), -1) == doc_real_value(doc_get(shown_of(b), keys[i]), -1);
    return same && doc_real_value(doc_get(a, "uncached_transactions"), -1) ==
                       doc_real_value(doc_get(b, "uncached_transactions"), -1);
}

/* How much a row is wanted in the short table, 0 the most: hotset, the best other at each reach, plans that the user or
 * the types ask for, references, and the best of the rest; LEFT_OUT: rows of this project that only explain. */
enum { LEFT_OUT = 6 };
static int want_of(const doc *const *order, uint64_t at)
{
    static const char *const asked[] = {"lists", "mean-row", "single-type"}, *const bounds[] = {"exact", "oracle"};
    const doc *row = order[at];
    bool first = others(row);
    if (!good(row)) return LEFT_OUT;
    if (is_default(row)) return 0;
    for (uint64_t i = 0; i < at; i++) first &= !others(order[i]) || far_of(order[i]) != far_of(row);
    if (first) return 1;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (!strcmp(policy_of(row), asked[i])) return 2;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (!strcmp(policy_of(row), bounds[i])) return 3;
    if (!strcmp(policy_of(row), "dgl-uva")) return 4;
    return ours(row) ? LEFT_OUT : 5;
}

uint64_t results_choose(const doc **order, uint64_t count)
{
    enum { MOST = 256 };
    bool take[MOST] = {false};
    uint64_t kept = 0, lines = 0;
    if (count > MOST) count = MOST;
    for (int want = 0; want < LEFT_OUT; want++)
        for (uint64_t i = 0; i < count; i++) {
            if (want_of((const doc *const *)order, i) != want) continue;
            bool merged = (i > 0 && take[i - 1] && same_result(order[i - 1], order[i])) ||
                          (i + 1 < count && take[i + 1] && same_result(order[i], order[i + 1]));
            if (!merged && lines == ANSWER_ROWS) continue;
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

uint64_t results_names(const char *const *name, uint64_t count, bool reach, char *out, size_t size)
{
    uint64_t first = 0;
    for (uint64_t i = 1; i < count; i++)
        if (worth(name[i]) > worth(name[first])) first = i;
    snprintf(out, size, "%.*s", reach ? 60 : results_bare(name[first]), name[first]);
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
    results_sentence(order, count, said);
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
