#include "planner/decisions/size_sentence.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "planner/decisions/size_growth.h"
#include "planner/decisions/size_notes.h"

const char *size_seconds_text(double v, char out[UNIT_TEXT])
{
    return isnan(v) ? strcpy(out, "not known") : units_seconds(out, v);
}

const char *size_lacking_text(const char *constant, char out[SIZE_LACKING])
{
    const bool host = !strcmp(constant, "host_memory_gbps");
    snprintf(out, SIZE_LACKING, "%.60s%s", constant,
             host ? " (channels times their rate: --host-memory-gbps)" : " (in a file of yours: 'hotset server show')");
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

/* ---- numbers ---- */

/* Digits that a value with that interval deserves. */
static int digits_of(struct size_range v)
{
    double wide = v.low > 0 ? v.high / v.low : INFINITY;
    return wide > 1.5 || isnan(wide) ? 2 : wide > 1.02 ? 3 : 4;
}

/* The unit that a value of so many seconds is told in. */
static double seconds_unit(double v, const char **word)
{
    static const struct {
        double from, unit;
        const char *word;
    } units[] = {{48 * 3600, 86400, "d"}, {5400, 3600, "h"}, {300, 60, "min"}, {1, 1, "s"},
                 {1e-3, 1e-3, "ms"},      {0, 1e-6, "us"}};
    int i = 0;
    while (units[i].from > v) i++;
    *word = units[i].word;
    return units[i].unit;
}

/* v in `digits` digits, without an exponent down to 0.0001. */
static const char *rounded(double v, int digits, char out[UNIT_TEXT])
{
    int before = v > 0 ? (int)floor(log10(v)) + 1 : 1, after = digits - before;
    double step = pow(10, before - digits);
    if (before < -3) {
        snprintf(out, UNIT_TEXT, "%.*fe%d", digits - 1, v / pow(10, before - 1), before - 1);
        return out;
    }
    if (after < 0) snprintf(out, UNIT_TEXT, "%.0f", floor(v / step + 0.5) * step);
    else snprintf(out, UNIT_TEXT, "%.*f", after > 9 ? 9 : after, v);
    return out;
}

static bool counted_metric(enum size_metric m) { return m == SIZE_TRANSACTIONS || size_more_is_better(m); }

const char *size_range_text(enum size_metric m, const char *currency, struct size_range v, char out[UNIT_TEXT])
{
    const char *word = "";
    char text[UNIT_TEXT];
    int digits = digits_of(v);
    if (isnan(v.mid)) snprintf(out, UNIT_TEXT, "-");
    else if (counted_metric(m)) size_value_text(m, v.mid, out);
    else if (m == SIZE_COST) snprintf(out, UNIT_TEXT, "%s%s", currency, v.mid > 0 ? rounded(v.mid, digits, text) : "0");
    else if (m == SIZE_ENERGY) {
        double unit = units_energy(v.mid, &word);
        snprintf(out, UNIT_TEXT, "%s %s", rounded(v.mid / unit, 2, text), word);
    } else {
        double unit = seconds_unit(v.mid, &word);
        snprintf(out, UNIT_TEXT, "%s %s", rounded(v.mid / unit, digits, text), word);
    }
    return out;
}

const char *size_interval_text(enum size_metric m, const char *currency, struct size_range v, char out[2 * UNIT_TEXT])
{
    char a[UNIT_TEXT], b[UNIT_TEXT];
    const char *word = "";
    double unit = m == SIZE_SECONDS || m == SIZE_TRAINING ? seconds_unit(v.mid, &word) : 1;
    if (m == SIZE_ENERGY) unit = units_energy(v.mid, &word);
    if (isnan(v.low) || isnan(v.high)) snprintf(out, 2 * UNIT_TEXT, "-");
    else if (counted_metric(m))
        snprintf(out, 2 * UNIT_TEXT, "%s to %s", size_value_text(m, v.low, a), size_value_text(m, v.high, b));
    else
        snprintf(out, 2 * UNIT_TEXT, "%s%s to %s%s%s", m == SIZE_COST ? currency : "",
                 rounded(v.low / unit, digits_of(v), a), rounded(v.high / unit, digits_of(v), b), *word ? " " : "",
                 word);
    return out;
}

/* ---- choosing ---- */

double size_spread(const struct size_result *r)
{
    double low = INFINITY, high = 0;
    if (!r->repeats || r->shown < 0) return 0;
    for (int i = -1; i < r->repeats; i++) {
        const struct size_curve *c = i < 0 ? &r->curves[r->shown] : &r->repeat[i].curve;
        double best = c->count ? c->point[c->count - 1].best_seconds : NAN;
        low = fmin(low, best);
        high = fmax(high, best);
    }
    return low > 0 && high >= low && isfinite(low) ? log(high / low) / 2 : 0;
}

/* The option that stands for a configuration: the best, else the first that fits, else the first. */
static int standing_for(const struct size_option *option, int count, enum size_objective by)
{
    int best = size_best(option, count, option->grow, by, -1);
    for (int i = 0; i < count && best < 0; i++)
        if (option[i].fits) best = i;
    return best < 0 ? 0 : best;
}

static void mark_listed(struct size_result *r)
{
    enum { FEW = 20 };
    const int one[] = {r->chosen, r->runner_up};
    for (int i = 0; i < r->options; i++) r->option[i].listed = r->options <= FEW || r->option[i].front;
    for (int o = 0; o < BEST_OBJECTIVES; o++)
        if (r->best[o] >= 0) r->option[r->best[o]].listed = true;
    for (int i = 0; i < 2; i++)
        if (one[i] >= 0) r->option[one[i]].listed = true;
    for (int i = 0, n; i < r->options; i += n) {
        struct size_option *first = &r->option[i];
        for (n = 1; i + n < r->options && first[n].curve == first->curve; n++) {
        }
        first[standing_for(first, n, r->objective)].listed = true;
    }
}

void size_decide(struct size_result *r, const char *objective, double spread, struct size_option *option)
{
    r->option = option;
    r->options = size_options(r->q, r->curves, r->count, spread, option);
    r->grow = size_demand(r->curves, r->count);
    r->objective = size_objective_of(objective, option, r->options, r->grow);
    for (int o = 0; o < BEST_OBJECTIVES; o++)
        r->best[o] = size_best(option, r->options, r->grow, (enum size_objective)o, -1);
    r->chosen = r->best[r->objective];
    r->runner_up = r->chosen < 0 ? -1 : size_best(option, r->options, r->grow, r->objective, r->chosen);
    const struct size_option *o = r->chosen < 0 ? NULL : &option[r->chosen];
    /* the points of a curve, and so the least that meets, are of a host that holds all rows */
    r->answer = !o || !r->q->targets || o->below == BELOW_SSD || r->curves[o->curve].answer < 0 ? -1 : o->curve;
    r->shown = r->chosen < 0 ? size_shown(r->q, r->curves, r->count) : option[r->chosen].curve;
    mark_listed(r);
}

/* ---- words ---- */

static void add_targets(const struct size_question *q, char out[SIZE_SENTENCE])
{
    for (int i = 0; i < q->targets; i++) text_append(out, SIZE_SENTENCE, "%s %s", i ? " and" : "", q->target[i].text);
}

const char *size_verdict_text(const struct size_question *q, const struct size_option *o, char out[SIZE_SENTENCE])
{
    bool same = true, timed = false;
    *out = '\0';
    for (int i = 0; i < q->targets; i++) {
        same &= o->of_target[i] == o->verdict;
        timed |= q->target[i].metric == SIZE_SECONDS || q->target[i].metric == SIZE_TRAINING;
    }
    if (!o->fits || !q->targets || (same && timed)) return strcpy(out, size_verdict_word(o->verdict));
    for (int i = 0; i < q->targets; i++)
        text_append(out, SIZE_SENTENCE, "%s%s: %s", i ? "; " : "", size_metric_name(q->target[i].metric),
                    size_verdict_word(o->of_target[i]));
    return out;
}

/* The verdict, and of a time that no target asks for what is known of it: a hit rate that is sure says nothing of it.
 */
static void add_verdict(const struct size_question *q, const struct size_option *o, char out[SIZE_SENTENCE])
{
    char text[SIZE_SENTENCE], range[2 * UNIT_TEXT];
    const struct size_range *t = &o->value[SIZE_SECONDS];
    text_append(out, SIZE_SENTENCE, ", %s", size_verdict_text(q, o, text));
    if (!strchr(text, ':')) return;
    for (int i = 0; i < q->targets; i++)
        if (q->target[i].metric == SIZE_SECONDS || q->target[i].metric == SIZE_TRAINING) return;
    if (isnan(t->mid)) text_append(out, SIZE_SENTENCE, "; time: not known");
    else
        text_append(out, SIZE_SENTENCE, "; time: %s, %s", size_interval_text(SIZE_SECONDS, "", *t, range),
                    o->beyond ? "outside of what was validated" : "no target");
}

const char *size_option_line(const struct size_result *r, int option, char out[SIZE_SENTENCE])
{
    const struct size_option *o = &r->option[option];
    const struct size_curve *c = &r->curves[o->curve];
    char text[UNIT_TEXT];
    const bool whole = size_run_told(&r->q->run);
    *out = '\0';
    if (o->servers > 1) text_append(out, SIZE_SENTENCE, "%d x ", o->servers);
    text_append(out, SIZE_SENTENCE, "%s", c->label);
    if (c->of.grow != 1 && !strstr(c->label, "graph x ")) text_append(out, SIZE_SENTENCE, ", graph x %.9g", c->of.grow);
    text_append(out, SIZE_SENTENCE, ": ");
    const struct size_range *time = &o->value[whole ? SIZE_TRAINING : SIZE_SECONDS];
    if (isnan(time->mid))
        text_append(out, SIZE_SENTENCE, "%s of rows from GPUs",
                    size_range_text(SIZE_FEATURE_HIT, "", o->value[SIZE_FEATURE_HIT], text));
    else
        text_append(out, SIZE_SENTENCE, "%s%s", size_range_text(SIZE_TRAINING, "", *time, text),
                    whole ? "" : " per epoch");
    const struct size_range cost = o->value[SIZE_COST];
    text_append(out, SIZE_SENTENCE, ", %s",
                isnan(c->price)   ? "no price"
                : isnan(cost.mid) ? "cost not known"
                                  : size_range_text(SIZE_COST, c->priced.currency, cost, text));
    if (r->q->targets) add_verdict(r->q, o, out);
    return out;
}

/* Why a target of the curve has no value, and what to do. */
static void add_unknown(const struct size_question *q, const struct size_curve *c, char out[SIZE_SENTENCE])
{
    bool time = false, price = false;
    char lacking[SIZE_LACKING];
    for (int i = 0; i < q->targets; i++) {
        time |= q->target[i].metric == SIZE_SECONDS || (q->target[i].metric == SIZE_COST && !(c->price <= 0));
        price |= q->target[i].metric == SIZE_COST && isnan(c->price);
    }
    text_append(out, SIZE_SENTENCE, ":");
    for (int i = 0; i < c->unknowns && time; i++)
        text_append(out, SIZE_SENTENCE, "%s%s", i ? ", " : " its description lacks ",
                    size_lacking_text(c->unknown[i], lacking));
    if (price)
        text_append(out, SIZE_SENTENCE, "%s its price is not stated (price_per_hour in its file, or --price)",
                    time && c->unknowns ? ";" : "");
    text_append(out, SIZE_SENTENCE, "; state what is missing, or name another server.");
}

/* The first curve from `from` on that cannot be judged; count when there is none. */
static int next_unsure(const struct size_result *r, int from)
{
    while (from < r->count && !(r->curves[from].unsure && size_demanded(r, &r->curves[from]))) from++;
    return from;
}

static bool any_judged(const struct size_result *r)
{
    for (int i = 0; i < r->count; i++)
        if (r->curves[i].count && !r->curves[i].unsure && size_demanded(r, &r->curves[i])) return true;
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

/* ---- reasons ---- */

/* The kind whose cases say most about an option's interval: that of its longest stage. */
static const struct size_error *leading_error(const struct size_result *r, const struct size_option *o)
{
    const struct size_error *k = r->q->errors.kind;
    const struct size_point *p = size_option_point(&r->curves[o->curve], o);
    int longest = 0;
    for (int i = 1; i < EPOCH_STAGES; i++)
        if (p->stage[i] > p->stage[longest]) longest = i;
    if (!strcmp(o->binds, "SSD")) longest = ERROR_STORAGE;
    return k[ERROR_EPOCH].whole ? &k[ERROR_EPOCH] : &k[longest];
}

static void why_time(const struct size_result *r, const struct size_option *o, char out[SIZE_SENTENCE])
{
    char a[UNIT_TEXT], b[2 * UNIT_TEXT];
    struct size_range t = o->value[SIZE_SECONDS];
    if (isnan(t.mid)) {
        const struct size_curve *c = &r->curves[o->curve];
        char lacking[SIZE_LACKING];
        snprintf(out, SIZE_SENTENCE, "its epoch time is not known: its description lacks %s",
                 c->unknowns ? size_lacking_text(c->unknown[0], lacking) : "what its NICs carry (--nic-gbps)");
        return;
    }
    snprintf(out, SIZE_SENTENCE, "an epoch takes %s (90 %% interval %s), bound by %s",
             size_range_text(SIZE_SECONDS, "", t, a), size_interval_text(SIZE_SECONDS, "", t, b), o->binds);
}

static void why_interval(const struct size_result *r, const struct size_option *o, char out[SIZE_SENTENCE])
{
    const struct size_error *e = leading_error(r, o);
    char a[2 * UNIT_TEXT];
    if (isnan(o->value[SIZE_SECONDS].mid)) return;
    snprintf(out, SIZE_SENTENCE, "predictions of that kind were off by up to %.0f %%; the cases: %s%s",
             100 * (exp(e->half) - 1), e->cases, e->own ? "" : "; a measured case of yours (--case) narrows it");
    if (e->own)
        text_append(out, SIZE_SENTENCE, "; without your case the interval was %s",
                    size_interval_text(SIZE_SECONDS, "", o->shipped, a));
}

void size_reasons(const struct size_result *r, char out[SIZE_REASONS][SIZE_SENTENCE])
{
    char text[UNIT_TEXT], cached[300];
    for (int i = 0; i < SIZE_REASONS; i++) *out[i] = '\0';
    if (r->chosen < 0) return;
    const struct size_option *o = &r->option[r->chosen];
    const struct size_curve *c = &r->curves[o->curve];
    why_time(r, o, out[0]);
    const bool least = !r->q->targets && o->below != BELOW_SSD && !isnan(o->value[SIZE_SECONDS].mid);
    size_option_cached(c, o, least ? ", the least whose epoch is within 1 % of the shortest" : "", cached,
                       sizeof cached);
    snprintf(out[1], SIZE_SENTENCE, "cached: %s; host memory needs %s", cached, units_bytes(text, o->host_needs));
    if (c->host_memory) text_append(out[1], SIZE_SENTENCE, " of %s", units_bytes(text, c->host_memory));
    text_append(out[1], SIZE_SENTENCE,
                r->q->copies > 1 ? " (%d copies of the graph and its rows, ids of %d bytes)"
                                 : " (%d copy of the graph and its rows for all GPUs, ids of %d "
                                   "bytes)",
                r->q->copies, r->q->id_bytes);
    if (o->host_left)
        text_append(out[1], SIZE_SENTENCE, ", %s left to the page cache", units_bytes(text, o->host_left));
    if (o->fill > 0)
        text_append(out[1], SIZE_SENTENCE, "; filling the SSDs once takes %s", size_seconds_text(o->fill, text));
    if (r->q->second_job)
        text_append(out[1], SIZE_SENTENCE, "; a second job takes %s of a GPU", units_bytes(text, r->q->second_job));
    why_interval(r, o, out[2]);
}

/* The first option that does not fit, and what would make it. */
static void add_refused(const struct size_result *r, char out[SIZE_SENTENCE])
{
    for (int i = 0; i < r->options; i++) {
        const struct size_option *o = &r->option[i];
        if (o->fits || o->grow != r->grow) continue;
        text_append(out, SIZE_SENTENCE, " %s does not hold it (%s); what would: %s.", r->curves[o->curve].label,
                    o->lacks, *o->remedy ? o->remedy : "nothing that is known");
        return;
    }
}

/* Options without a price beside an answer by money. */
static void add_unpriced(const struct size_result *r, char out[SIZE_SENTENCE])
{
    char note[SIZE_SENTENCE];
    if (*size_note_unpriced(r, note)) text_append(out, SIZE_SENTENCE, " %c%s.", 'N', note + 1);
}

/* A value beside the one that a target asks for, in as many digits as tell them apart: "170.4 us" of 170us. */
static const char *missed_text(const struct size_target *t, double v, char out[UNIT_TEXT])
{
    char asked[UNIT_TEXT];
    if (t->metric == SIZE_SECONDS || t->metric == SIZE_TRAINING) units_seconds_apart(out, v, asked, t->value);
    else if (!size_more_is_better(t->metric)) size_value_text(t->metric, v, out);
    else
        for (int digits = 2; digits <= 6; digits++) {
            snprintf(asked, UNIT_TEXT, "%.*f %%", digits, 100 * t->value);
            snprintf(out, UNIT_TEXT, "%.*f %%", digits, 100 * v);
            if (strcmp(asked, out) != 0) break;
        }
    return out;
}

/* What comes nearest, when nothing meets. */
static void add_nearest(const struct size_result *r, char out[SIZE_SENTENCE])
{
    int best = -1;
    char text[UNIT_TEXT], range[2 * UNIT_TEXT];
    for (int i = 0; i < r->options; i++) {
        double v = r->option[i].value[r->primary].mid, b = best < 0 ? NAN : r->option[best].value[r->primary].mid;
        if (!r->option[i].fits || r->option[i].grow != r->grow || isnan(v)) continue;
        if (best < 0 || (size_more_is_better(r->primary) ? v > b : v < b)) best = i;
    }
    if (best < 0) return;
    const struct size_option *o = &r->option[best];
    text_append(out, SIZE_SENTENCE, " The closest is ");
    if (o->servers > 1) text_append(out, SIZE_SENTENCE, "%d x ", o->servers);
    const char *currency = r->curves[o->curve].priced.currency;
    struct size_range v = o->value[r->primary];
    text_append(out, SIZE_SENTENCE, "%s: %s %s", r->curves[o->curve].label, size_metric_name(r->primary),
                size_range_text(r->primary, currency, v, text));
    if (v.low < v.high) text_append(out, SIZE_SENTENCE, " (%s)", size_interval_text(r->primary, currency, v, range));
    text_append(out, SIZE_SENTENCE, ".");
    for (int i = 0; i < r->q->targets; i++) { /* what else it misses, and what its rounded number would not show */
        const struct size_target *t = &r->q->target[i];
        const double got = o->value[t->metric].mid;
        if (o->of_target[i] != VERDICT_NOT || isnan(got)) continue;
        if (t->metric == r->primary &&
            strcmp(size_value_text(t->metric, got, text), size_value_text(t->metric, t->value, range)) != 0)
            continue;
        text_append(out, SIZE_SENTENCE, " It misses %s with %s.", t->text, missed_text(t, got, text));
    }
}

/* An option that fits and cannot be judged; -1. */
static int first_unknown(const struct size_result *r)
{
    for (int i = 0; i < r->options; i++)
        if (r->option[i].grow == r->grow && r->option[i].fits && r->option[i].verdict == VERDICT_UNKNOWN) return i;
    return -1;
}

/* Whether an option would do, and only lacks what the answer is ranked by. */
static bool unranked(const struct size_result *r)
{
    bool any = false;
    for (int i = 0; i < r->options && r->chosen < 0; i++)
        any |= r->option[i].grow == r->grow && r->option[i].fits && r->option[i].verdict > VERDICT_NOT;
    return any;
}

static void none_sentence(const struct size_result *r, char out[SIZE_SENTENCE])
{
    bool fits = false;
    for (int i = 0; i < r->options; i++) fits |= r->option[i].grow == r->grow && r->option[i].fits;
    if (!fits) {
        text_append(out, SIZE_SENTENCE, "Nothing that was tried holds it.");
    } else if (next_unsure(r, 0) == r->count && first_unknown(r) >= 0) {
        const struct size_option *o = &r->option[first_unknown(r)];
        text_append(out, SIZE_SENTENCE, "It is not known whether %d x %s meets", o->servers, r->curves[o->curve].label);
        add_targets(r->q, out);
        text_append(out, SIZE_SENTENCE, ": %s.", o->lacks);
    } else if (unranked(r)) {
        bool money = r->objective == BEST_MONEY;
        text_append(out, SIZE_SENTENCE, "No %s known, so nothing is ranked by %s; --best time ranks what meets.",
                    money ? "price is" : "watts are", size_objective_word(r->objective));
        add_unpriced(r, out);
    } else if (size_unsure(r)) {
        add_unsure(r, out);
        if (any_judged(r)) text_append(out, SIZE_SENTENCE, " No combination that can be evaluated meets the targets.");
    } else {
        text_append(out, SIZE_SENTENCE, "No combination meets");
        add_targets(r->q, out);
        text_append(out, SIZE_SENTENCE, ".");
    }
    if (fits) add_nearest(r, out);
    add_refused(r, out);
}

bool size_unsure(const struct size_result *r)
{
    return unranked(r) || (r->q->targets && r->chosen < 0 && (next_unsure(r, 0) < r->count || first_unknown(r) >= 0));
}

void size_sentence(const struct size_result *r, char out[SIZE_SENTENCE])
{
    char reasons[SIZE_REASONS][SIZE_SENTENCE];
    *out = 0;
    if (r->chosen < 0) {
        none_sentence(r, out);
        return;
    }
    size_option_line(r, r->chosen, out);
    size_reasons(r, reasons);
    for (int i = 0; i < SIZE_REASONS; i++)
        if (*reasons[i]) text_append(out, SIZE_SENTENCE, "%s %s", i ? ";" : ".", reasons[i]);
    text_append(out, SIZE_SENTENCE, ".");
    add_unpriced(r, out);
    add_refused(r, out);
    if (next_unsure(r, 0) == r->count) return;
    text_append(out, SIZE_SENTENCE, " ");
    add_unsure(r, out);
}
