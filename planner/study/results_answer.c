#include "planner/study/results_answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/policies/policy.h"

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

/* The policy of a row without its options; NULL for a dynamic cache by itself. */
static const struct policy *registered(const doc *row)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(policy_of(row), ":"), policy_of(row));
    for (const struct policy *const *p = policies_registered; *p; p++)
        if (!strcmp((*p)->name, name)) return *p;
    return NULL;
}

static bool good(const doc *row) { return isfinite(results_rank(row)); }
static bool ours(const struct policy *p) { return p && text_starts(p->source, "this project"); }
static bool saw(const struct policy *p) { return p && p->saw_evaluation; }

/* How far a row's GPUs read, as a number that grows with it. */
static int far_of(const doc *row)
{
    const char *reach = doc_text_value(doc_get(row, "reach"), "own");
    return !strcmp(reach, "own") ? 0 : !strcmp(reach, "direct") ? 1 : 2;
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
    for (uint64_t i = 0; i < count; i++) {
        const struct policy *p = registered(order[i]);
        if (good(order[i]) && !ours(p) && !saw(p) && far_of(order[i]) <= far_of(own)) return order[i];
    }
    return NULL;
}

void results_sentence(const doc *const *order, uint64_t count, char out[ANSWER_SENTENCE])
{
    const doc *own = find(order, count, "hotset"), *rival = own ? rival_of(order, count, own) : NULL;
    *out = 0;
    if (!rival) return;
    bool time = doc_is_object(doc_get(doc_get(own, "simulated"), "memories"));
    double more = results_rank(rival), less = results_rank(own),
           gap = doc_real_value(doc_get(doc_get(own, "bound"), "gap"), NAN),
           error = doc_real_value(doc_get(doc_get(own, "simulated"), "prediction_error"), NAN);
    const char *what = time ? "time of reads" : "transactions", *word = time ? "less" : "fewer";
    if (less == more)
        text_append(out, ANSWER_SENTENCE, "hotset: as many %s as %s, the best of the others", what, policy_of(rival));
    else if (less < more)
        text_append(out, ANSWER_SENTENCE, "hotset: %.1f %% %s %s than %s, the best of the others that read as far",
                    100 * (1 - less / more), word, what, policy_of(rival));
    else
        text_append(out, ANSWER_SENTENCE, "%s: %.1f %% %s %s than hotset", policy_of(rival), 100 * (1 - more / less),
                    word, what);
    if (!isnan(gap)) text_append(out, ANSWER_SENTENCE, "; within %.1f %% of the best possible", 100 * gap);
    if (!isnan(error)) text_append(out, ANSWER_SENTENCE, "; predicted to %.1f %%", 100 * fabs(error));
}

/* Rows that always stand in the short table. */
static bool always(const doc *row)
{
    static const char *const names[] = {"hotset", "exact", "oracle", "dgl-uva", "mean-row", "single-type", "lists"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(policy_of(row), names[i])) return true;
    return false;
}

uint64_t results_choose(const doc **order, uint64_t count)
{
    uint64_t fixed = 0, kept = 0, others = 0;
    for (uint64_t i = 0; i < count; i++) fixed += good(order[i]) && always(order[i]);
    for (uint64_t i = 0; i < count; i++) {
        bool take = good(order[i]) && always(order[i]);
        if (!take && good(order[i]) && !ours(registered(order[i])) && fixed + others < ANSWER_ROWS) take = ++others;
        if (take) order[kept++] = order[i];
    }
    return kept;
}

/* Whether two rows are one result: every number that the table shows is the same. */
static bool same_result(const doc *a, const doc *b)
{
    static const char *const keys[] = {"feature_hit_rate", "topology_hit_rate", "topology_transactions",
                                       "feature_transactions", "total_transactions"};
    bool same = good(a) && good(b) && results_rank(a) == results_rank(b);
    for (size_t i = 0; same && i < sizeof keys / sizeof *keys; i++)
        same = doc_real_value(doc_get(shown_of(a), keys[i]), -1) == doc_real_value(doc_get(shown_of(b), keys[i]), -1);
    return same && doc_real_value(doc_get(a, "uncached_transactions"), -1) ==
                       doc_real_value(doc_get(b, "uncached_transactions"), -1);
}

uint64_t results_merged(const doc *const *order, uint64_t count, uint64_t at, char *out, size_t size)
{
    uint64_t n = 1;
    while (at + n < count && same_result(order[at], order[at + n])) n++;
    *out = 0;
    for (uint64_t i = n; i-- > 0;) text_append(out, size, "%s%s", policy_of(order[at + i]), i ? " = " : "");
    return n;
}
