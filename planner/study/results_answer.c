#include "planner/study/results_answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/policies/policy.h"
#include "planner/study/compare_reach.h"

static const char *policy_of(const doc *row) { return doc_text_value(doc_get(row, "policy"), "?"); }

static const doc *shown_of(const doc *row)
{
    const doc *sim = doc_get(row, "simulated");
    return doc_is_object(sim) ? sim : doc_get(row, "predicted");
}

double results_rank(const doc *row)
{
    double reads = doc_real_value(doc_get(doc_get(doc_get(row, "simulated"), "memories"), "seconds"), NAN);
    return isnan(reads) ? doc_real_value(doc_get(shown_of(row), "total_transactions"), INFINITY) : reads;
}

/* The policy of a row without its options and its reach; NULL for a dynamic cache by itself. */
static const struct policy *registered(const doc *row)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(policy_of(row), ": "), policy_of(row));
    for (const struct policy *const *p = policies_registered; *p; p++)
        if (!strcmp((*p)->name, name)) return *p;
    return NULL;
}

static bool good(const doc *row) { return isfinite(results_rank(row)); }
static bool ours(const struct policy *p) { return p && text_starts(p->source, "this project"); }
static bool saw(const struct policy *p) { return p && p->saw_evaluation; }

static bool others(const doc *row) { return good(row) && !ours(registered(row)) && !saw(registered(row)); }

static enum server_reach far_of(const doc *row) { return reach_of(doc_text_value(doc_get(row, "reach"), "own")); }

/* hotset with its default options, at whatever reach. */
static bool is_default(const doc *row)
{
    return good(row) && compare_reach_bare(policy_of(row)) == 6 && !strncmp(policy_of(row), "hotset", 6);
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
    double less = results_rank(row), more = results_rank(other);
    const char *least = time ? "less" : "fewer", *most = time ? "much" : "many";
    if (less == more) text_append(out, ANSWER_SENTENCE, "as %s%s as %s", most, what, policy_of(other));
    else if (more > 0)
        text_append(out, ANSWER_SENTENCE, "%.1f %% %s%s than %s", fabs(100 * (1 - less / more)),
                    less > more ? "more" : least, what, policy_of(other));
    else text_append(out, ANSWER_SENTENCE, "more%s than %s, which needs none", what, policy_of(other));
}

/* " (epochs 3.5 % shorter)", where both rows have a time; "yet" where it speaks against the transactions. */
static void add_epochs(char out[ANSWER_SENTENCE], const doc *row, const doc *other)
{
    double mine = doc_real_value(doc_get(doc_get(doc_get(row, "simulated"), "epoch_time"), "seconds"), NAN),
           theirs = doc_real_value(doc_get(doc_get(doc_get(other, "simulated"), "epoch_time"), "seconds"), NAN),
           change = 100 * (mine / theirs - 1);
    if (!isfinite(change)) return;
    if (fabs(change) < 0.05) text_append(out, ANSWER_SENTENCE, " (epochs as long)");
    else
        text_append(out, ANSWER_SENTENCE, " (%sepochs %.1f %% %s)",
                    (results_rank(row) - results_rank(other)) * change < 0 ? "yet " : "", fabs(change),
                    change < 0 ? "shorter" : "longer");
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
        if (rival) text_append(out, ANSWER_SENTENCE, ", the best other system there");
        if (rival) add_epochs(out, order[i], rival);
    }
}

void results_sentence(const doc *const *order, uint64_t count, char out[ANSWER_SENTENCE])
{
    const doc *own = find(order, count, "hotset"), *rival = own ? rival_of(order, count, own) : NULL;
    *out = 0;
    if (!own) return;
    bool time = doc_is_object(doc_get(doc_get(own, "simulated"), "memories"));
    double gap = doc_real_value(doc_get(doc_get(own, "bound"), "gap"), NAN),
           error = doc_real_value(doc_get(doc_get(own, "simulated"), "prediction_error"), NAN);
    if (rival) {
        text_append(out, ANSWER_SENTENCE, "hotset: ");
        add_against(out, own, rival, time ? " time of reads" : " transactions", time);
        text_append(out, ANSWER_SENTENCE, ", the best other system within its reach");
        add_epochs(out, own, rival);
        if (!isnan(gap)) text_append(out, ANSWER_SENTENCE, "; within %.1f %% of the best possible", 100 * gap);
        if (!isnan(error)) text_append(out, ANSWER_SENTENCE, "; predicted to %.1f %%", 100 * fabs(error));
    }
    add_reaches(order, count, own, time, out);
}

/* Whether two rows are one result: every number that the table shows is the same. */
static bool same_result(const doc *a, const doc *b)
{
    static const char *const keys[] = {"feature_hit_rate", "topology_hit_rate", "topology_transactions",
                                       "feature_transactions", "total_transactions"};
    bool same = good(a) && good(b) && far_of(a) == far_of(b) && results_rank(a) == results_rank(b);
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
    return ours(registered(row)) ? LEFT_OUT : 5;
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

uint64_t results_merged(const doc *const *order, uint64_t count, uint64_t at, char *out, size_t size)
{
    uint64_t n = 1;
    while (at + n < count && same_result(order[at], order[at + n])) n++;
    *out = 0;
    for (uint64_t i = n; i-- > 0;)
        text_append(out, size, "%.*s%s", compare_reach_bare(policy_of(order[at + i])), policy_of(order[at + i]),
                    i ? " = " : "");
    return n;
}
