#include "planner/sizing/size_sentence.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

const char *size_seconds_text(double v, char out[UNIT_TEXT])
{
    snprintf(out, UNIT_TEXT,
             v < 1e-3 ? "%.3g us"
             : v < 1  ? "%.3g ms"
                      : "%.4g s",
             v < 1e-3 ? 1e6 * v
             : v < 1  ? 1e3 * v
                      : v);
    return out;
}

const char *size_about(char out[UNIT_TEXT], double v)
{
    if (v < 1e6) return units_count(out, (uint64_t)(v + 0.5));
    snprintf(out, UNIT_TEXT, v < 1e9 ? "%.3g M" : "%.3g G", v < 1e9 ? v / 1e6 : v / 1e9);
    return out;
}

const char *size_value_text(enum size_metric m, double v, char out[UNIT_TEXT])
{
    if (isnan(v)) snprintf(out, UNIT_TEXT, "-");
    else if (size_more_is_better(m)) snprintf(out, UNIT_TEXT, "%.2f %%", 100 * v);
    else if (m == SIZE_SECONDS) size_seconds_text(v, out);
    else if (m == SIZE_COST) snprintf(out, UNIT_TEXT, "%.3g", v);
    else units_count(out, (uint64_t)v);
    return out;
}

/* ---- the sentence ---- */

static void add_limit(const struct size_point *p, char out[SIZE_SENTENCE])
{
    if (*p->bottleneck) text_append(out, SIZE_SENTENCE, " The bottleneck is %s (%s).", p->bottleneck, p->limited_by);
}

static void add_values(const struct size_point *p, char out[SIZE_SENTENCE])
{
    char a[UNIT_TEXT], b[UNIT_TEXT], c[UNIT_TEXT];
    text_append(out, SIZE_SENTENCE,
                "%s of feature rows and %s of topology visits are served by GPUs, an epoch reads %s PCIe transactions",
                size_value_text(SIZE_FEATURE_HIT, p->value[SIZE_FEATURE_HIT], a),
                size_value_text(SIZE_TOPOLOGY_HIT, p->value[SIZE_TOPOLOGY_HIT], b),
                size_value_text(SIZE_TRANSACTIONS, p->value[SIZE_TRANSACTIONS], c));
    if (!isnan(p->value[SIZE_SECONDS]))
        text_append(out, SIZE_SENTENCE, " and takes %s", size_seconds_text(p->value[SIZE_SECONDS], a));
    if (!isnan(p->value[SIZE_COST]))
        text_append(out, SIZE_SENTENCE, ", at a cost of %.3g per epoch (in the currency of price_per_hour)",
                    p->value[SIZE_COST]);
    text_append(out, SIZE_SENTENCE, ".");
}

/* "p3.16xlarge:4 (4 GPUs in one NVLink clique)". */
static void add_machine(const struct size_curve *c, char out[SIZE_SENTENCE])
{
    text_append(out, SIZE_SENTENCE, "%s (%d GPU%s", c->label, c->gpus, c->gpus == 1 ? "" : "s");
    if (c->largest_clique > 1 && c->cliques == 1) text_append(out, SIZE_SENTENCE, " in one NVLink clique");
    else if (c->largest_clique > 1) text_append(out, SIZE_SENTENCE, " in %d NVLink cliques", c->cliques);
    text_append(out, SIZE_SENTENCE, ")");
}

static void add_targets(const struct size_question *q, char out[SIZE_SENTENCE])
{
    for (int i = 0; i < q->targets; i++) text_append(out, SIZE_SENTENCE, "%s %s", i ? " and" : "", q->target[i].text);
}

/* "Each GPU needs 5.1 GiB: 3.1 GiB reserved for training and 2 GiB of cache." */
static void add_memory(const struct size_question *q, const struct size_curve *c, uint64_t budget,
                       char out[SIZE_SENTENCE])
{
    char all[UNIT_TEXT], reserved[UNIT_TEXT], job[UNIT_TEXT], cache[UNIT_TEXT];
    text_append(out, SIZE_SENTENCE, " Each GPU needs %s of memory: %s reserved for training",
                units_bytes(all, size_gpu_bytes(q, c, budget)), units_bytes(reserved, c->reservation.total));
    if (q->second_job) text_append(out, SIZE_SENTENCE, ", %s of the second job", units_bytes(job, q->second_job));
    text_append(out, SIZE_SENTENCE, " and %s of cache.", units_bytes(cache, budget));
}

/* Why a target of the curve has no value, and what to do. */
static void add_unknown(const struct size_question *q, const struct size_curve *c, char out[SIZE_SENTENCE])
{
    bool time = false, price = false;
    for (int i = 0; i < q->targets; i++) {
        time |= q->target[i].metric == SIZE_SECONDS || (q->target[i].metric == SIZE_COST && !(c->price <= 0));
        price |= q->target[i].metric == SIZE_COST && isnan(c->price);
    }
    text_append(out, SIZE_SENTENCE, ":");
    for (int i = 0; i < c->unknowns && time; i++)
        text_append(out, SIZE_SENTENCE, "%s%s", i ? ", " : " its description lacks ", c->unknown[i]);
    if (price)
        text_append(out, SIZE_SENTENCE, "%s its price is not stated (price_per_hour in its file, or --price)",
                    time && c->unknowns ? ";" : "");
    text_append(out, SIZE_SENTENCE, "; state what is missing, or name another server.");
}

/* The first curve from `from` on that cannot be judged; count when there is none. */
static int next_unsure(const struct size_result *r, int from)
{
    while (from < r->count && !r->curves[from].unsure) from++;
    return from;
}

static bool any_judged(const struct size_result *r)
{
    for (int i = 0; i < r->count; i++)
        if (r->curves[i].count && !r->curves[i].unsure) return true;
    return false;
}

/* "siton", "siton and 2 more": combinations that cannot be judged. */
static void add_unsure(const struct size_result *r, char out[SIZE_SENTENCE])
{
    int first = next_unsure(r, 0), more = 0;
    for (int i = next_unsure(r, first + 1); i < r->count; i = next_unsure(r, i + 1)) more++;
    text_append(out, SIZE_SENTENCE, "It is not known whether %s", r->curves[first].label);
    if (more) text_append(out, SIZE_SENTENCE, " and %d more", more);
    text_append(out, SIZE_SENTENCE, more ? " meet" : " meets");
    add_targets(r->q, out);
    add_unknown(r->q, &r->curves[first], out);
}

/* Combinations that meet the targets but have no price, beside an answer that has one. */
static void add_unpriced(const struct size_result *r, char out[SIZE_SENTENCE])
{
    for (int i = 0; i < r->count && !isnan(r->curves[r->answer].price); i++) {
        if (r->curves[i].answer < 0 || !isnan(r->curves[i].price)) continue;
        text_append(out, SIZE_SENTENCE,
                    " %s meets them, too, but ranks behind because its price is not stated; give --price (0 for "
                    "a server of your own).",
                    r->curves[i].label);
        return;
    }
}

/* On how many stand-ins the answer holds, and with which cache it would on all of them. */
static void add_stand_ins(const struct size_result *r, uint64_t budget, char out[SIZE_SENTENCE])
{
    int hold = 1, none = 0;
    uint64_t most = budget;
    char text[UNIT_TEXT];
    if (!r->repeats || r->shown != r->answer) return;
    for (int i = 0; i < r->repeats; i++) {
        const struct size_curve *c = &r->repeat[i].curve;
        uint64_t needed = c->answer < 0 ? UINT64_MAX : c->point[c->answer].budget;
        hold += needed <= budget;
        none += c->answer < 0;
        if (c->answer >= 0 && needed > most) most = needed;
    }
    if (hold > r->repeats) {
        text_append(out, SIZE_SENTENCE, " on all %d stand-ins", hold);
        return;
    }
    text_append(out, SIZE_SENTENCE, " on %d of %d stand-ins", hold, r->repeats + 1);
    if (none) text_append(out, SIZE_SENTENCE, " (on %d nothing that was tried does)", none);
    else text_append(out, SIZE_SENTENCE, " (on all with %s)", units_bytes(text, most));
}

static void answer_sentence(const struct size_result *r, char out[SIZE_SENTENCE])
{
    const struct size_curve *c = &r->curves[r->answer];
    const struct size_point *p = &c->point[c->answer];
    char budget[UNIT_TEXT], step[UNIT_TEXT], less[UNIT_TEXT];
    add_machine(c, out);
    text_append(out, SIZE_SENTENCE, " with %s cached per GPU meets",
                p->budget ? units_bytes(budget, p->budget) : "nothing");
    add_targets(r->q, out);
    add_stand_ins(r, p->budget, out);
    text_append(out, SIZE_SENTENCE, ": ");
    add_values(p, out);
    for (int i = 0; c->answer && i < r->q->targets; i++) { /* the target that the step below misses */
        const struct size_target *t = &r->q->target[i];
        if (size_meets(t, p[-1].value[t->metric])) continue;
        text_append(out, SIZE_SENTENCE, " One step (%s) less gives %s %s, which misses the target.",
                    units_bytes(step, p->budget - p[-1].budget), size_metric_name(t->metric),
                    size_value_text(t->metric, p[-1].value[t->metric], less));
        break;
    }
    add_memory(r->q, c, p->budget, out);
    add_limit(p, out);
    add_unpriced(r, out);
    if (next_unsure(r, 0) == r->count) return;
    text_append(out, SIZE_SENTENCE, " ");
    add_unsure(r, out);
}

/* The reason why nothing meets: no memory, unknown constants (then the answer is not known), or too much asked. */
static void none_sentence(const struct size_result *r, char out[SIZE_SENTENCE])
{
    char text[BYTES_TEXT], budget[UNIT_TEXT];
    if (r->shown < 0) {
        text_append(out, SIZE_SENTENCE, "Nothing fits: on %s a GPU lacks %s even without a cache.", r->curves[0].label,
                    units_bytes_exact(text, r->curves[0].missing));
        return;
    }
    const struct size_curve *c = &r->curves[r->shown];
    const struct size_point *p = &c->point[c->count - 1];
    bool unsure = r->q->targets && next_unsure(r, 0) < r->count;
    if (unsure) {
        add_unsure(r, out);
        if (any_judged(r))
            text_append(out, SIZE_SENTENCE,
                        " No combination that can be evaluated meets the "
                        "targets.");
        text_append(out, SIZE_SENTENCE, " With the largest cache that was tried: ");
    } else if (r->q->targets) {
        text_append(out, SIZE_SENTENCE, "No combination meets");
        add_targets(r->q, out);
        text_append(out, SIZE_SENTENCE, ". The closest is ");
    }
    add_machine(c, out);
    text_append(out, SIZE_SENTENCE, " with %s cached per GPU: ", units_bytes(budget, p->budget));
    add_values(p, out);
    add_memory(r->q, c, p->budget, out);
    add_limit(p, out);
    if (unsure) return;
    if (c->unknowns && isnan(p->value[SIZE_SECONDS]))
        text_append(out, SIZE_SENTENCE, " Its epoch time is not known: the server's description lacks %s.",
                    c->unknown[0]);
    if (r->primary == SIZE_COST && isnan(c->price)) text_append(out, SIZE_SENTENCE, " Its price is not known.");
}

bool size_unsure(const struct size_result *r)
{
    return r->q->targets && r->answer < 0 && r->shown >= 0 && next_unsure(r, 0) < r->count;
}

void size_sentence(const struct size_result *r, char out[SIZE_SENTENCE])
{
    *out = 0;
    if (r->answer >= 0) answer_sentence(r, out);
    else none_sentence(r, out);
}
