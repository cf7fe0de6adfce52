#include "planner/decisions/size_notes.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

#define SERVERS_TRIED "numbers of servers tried: "

static bool may_do(const struct size_result *r, const struct size_option *o)
{
    return o->grow == r->grow && o->fits && o->verdict != VERDICT_NOT;
}

/* Labels of the curves with a price, or without, of which an option may do; returns how many. */
static int add_labels(const struct size_result *r, bool priced, char *out, size_t bytes)
{
    int said = 0;
    for (int c = 0; c < r->count; c++) {
        bool any = false;
        for (int i = 0; i < r->options; i++) any |= r->option[i].curve == c && may_do(r, &r->option[i]);
        if (any && isnan(r->curves[c].price) != priced)
            text_append(out, bytes, "%s%s", said++ ? ", " : "", r->curves[c].label);
    }
    return said;
}

const char *size_note_unpriced(const struct size_result *r, char out[SIZE_SENTENCE])
{
    char without[400] = "", with[400] = "";
    *out = '\0';
    if (r->objective != BEST_MONEY || !add_labels(r, false, without, sizeof without)) return out;
    int priced = add_labels(r, true, with, sizeof with);
    text_append(out, SIZE_SENTENCE, "no price: %s, not ranked", without);
    if (priced) text_append(out, SIZE_SENTENCE, "; money could choose %s%s only", priced > 1 ? "among " : "", with);
    text_append(out, SIZE_SENTENCE, " (--price, 0 for servers of your own, or --prices; --best time ranks all)");
    return out;
}

/* "1, 2, 4": the numbers of servers that were tried. */
static int add_numbers(const struct size_result *r, char *out, size_t bytes)
{
    int most = 0, said = 0;
    for (int i = 0; i < r->options; i++) most = r->option[i].servers > most ? r->option[i].servers : most;
    for (int n = 1; n <= most; n++) {
        bool any = false;
        for (int i = 0; i < r->options; i++) any |= r->option[i].servers == n;
        if (any) text_append(out, bytes, "%s%d", said++ ? ", " : "", n);
    }
    return most;
}

/* The option of several servers that says most: the answer, else the fastest; -1. */
static int several(const struct size_result *r)
{
    int best = -1;
    if (r->chosen >= 0 && r->option[r->chosen].servers > 1) return r->chosen;
    for (int i = 0; i < r->options; i++) {
        const struct size_option *o = &r->option[i];
        double v = o->value[SIZE_SECONDS].mid;
        if (!o->fits || o->grow != r->grow || o->servers == 1 || isnan(v)) continue;
        if (best < 0 || v < r->option[best].value[SIZE_SECONDS].mid) best = i;
    }
    return best;
}

static void note_servers(const struct size_result *r, char out[SIZE_SENTENCE])
{
    char numbers[200] = "", bytes[UNIT_TEXT], each[UNIT_TEXT];
    *out = '\0';
    if (add_numbers(r, numbers, sizeof numbers) < 2) return;
    text_append(out, SIZE_SENTENCE, SERVERS_TRIED "%s", numbers);
    if (!r->q->nodes.count)
        text_append(out, SIZE_SENTENCE,
                    ", unasked, because a target is given and NICs are stated, or one does not hold the graph (--nodes "
                    "1 "
                    "tries one alone)");
    int at = several(r);
    if (at < 0) return;
    const struct size_option *o = &r->option[at];
    const struct size_curve *c = &r->curves[o->curve];
    if (!(c->nic_gbps > 0)) return;
    text_append(out, SIZE_SENTENCE,
                "; each of N trains an N-th of the mini-batches, and after each of them gradients of %s cross the "
                "network: %s of every iteration of %d x %s at %g GB/s, which nothing hides (none of the cases of "
                "validate measured it)",
                units_bytes(bytes, c->weights), size_seconds_text(o->gradients, each), o->servers, c->label,
                c->nic_gbps);
}

/* Options whose epochs have no time beside such that have one: they are never the answer. */
static void note_untimed(const struct size_result *r, char out[SIZE_SENTENCE])
{
    enum { NAMED = 3 };
    int said = 0, timed = 0;
    char lacking[SIZE_LACKING];
    *out = '\0';
    for (int i = 0; i < r->options; i++)
        timed += r->option[i].grow == r->grow && !isnan(r->option[i].value[SIZE_SECONDS].mid);
    for (int i = 0; i < r->options && timed; i++) {
        const struct size_option *o = &r->option[i];
        const struct size_curve *c = &r->curves[o->curve];
        if (!o->fits || o->grow != r->grow || !isnan(o->value[SIZE_SECONDS].mid) || ++said > NAMED) continue;
        text_append(out, SIZE_SENTENCE, "%s%d x %s (%s%s)",
                    said > 1 ? ", " : "not ranked, for their time is not known: ", o->servers, c->label,
                    c->unknowns ? "its description lacks " : "",
                    c->unknowns ? size_lacking_text(c->unknown[0], lacking)
                    : *o->lacks ? o->lacks
                                : "a constant of its server is not stated");
    }
    if (said > NAMED) text_append(out, SIZE_SENTENCE, " and %d more", said - NAMED);
}

static void note_verdict(const struct size_result *r, char out[SIZE_SENTENCE])
{
    static const char *const means[] = {"it is not known whether the targets are met", "the targets are missed",
                                        "the middle of the 90 % interval meets the targets, not all of it",
                                        "all of the 90 % interval meets the targets"};
    *out = '\0';
    if (r->chosen < 0 || !r->q->targets) return;
    enum size_verdict v = r->option[r->chosen].verdict;
    const struct size_option *o = &r->option[r->chosen];
    const bool grown = v == VERDICT_PROBABLY && r->curves[o->curve].of.grow > 1,
               beyond = v == VERDICT_PROBABLY && o->beyond;
    text_append(out, SIZE_SENTENCE, "%s: %s (", size_verdict_word(v),
                grown    ? "a grown graph would meet the targets if it is read as the sampled one is"
                : beyond ? "the middle meets the targets, but no case of validate reaches such times: then surely is a "
                           "tenth of the target, or a hit rate"
                         : means[v]);
    for (int i = 0; i < r->q->targets; i++)
        text_append(out, SIZE_SENTENCE, "%s%s %s", i ? ", " : "", r->q->target[i].text,
                    size_verdict_word(o->of_target[i]));
    text_append(out, SIZE_SENTENCE, "); that says nothing of whether another server is better");
}

/* How many times over an option meets all targets at its worst, where all are of time, money and energy or are surely
 * met; 1: not many times. */
static double times_over(const struct size_result *r, const struct size_option *o)
{
    double least = INFINITY;
    if (o->verdict != VERDICT_SURELY) return 1;
    for (int i = 0; i < r->q->targets; i++) {
        const struct size_target *t = &r->q->target[i];
        if (t->metric < SIZE_SECONDS) continue;
        least = fmin(least, t->value / o->value[t->metric].high);
    }
    return isfinite(least) ? least : 1;
}

/* Targets that are met many times over do not choose: what is smaller would do. */
static void note_anything(const struct size_result *r, char out[SIZE_SENTENCE])
{
    enum { MANY = 10 };
    char line[SIZE_SENTENCE], times[UNIT_TEXT];
    int small = -1, gpus = 0;
    *out = '\0';
    if (r->chosen < 0 || times_over(r, &r->option[r->chosen]) < MANY) return;
    for (int i = 0; i < r->options; i++) {
        const struct size_option *o = &r->option[i];
        int n = o->servers * r->curves[o->curve].gpus;
        if (!o->fits || o->grow != r->grow || times_over(r, o) < MANY || (small >= 0 && n >= gpus)) continue;
        small = i;
        gpus = n;
    }
    const struct size_option *mine = &r->option[r->chosen];
    text_append(out, SIZE_SENTENCE, "anything will do: the targets are met %s times over",
                size_about(times, floor(times_over(r, mine))));
    if (gpus < mine->servers * r->curves[mine->curve].gpus)
        text_append(out, SIZE_SENTENCE, "; a smaller one is %s", size_option_line(r, small, line));
    else if (gpus > 1) text_append(out, SIZE_SENTENCE, "; nothing smaller was tried, --gpus 1 tries it");
    else text_append(out, SIZE_SENTENCE, "; nothing smaller was tried than one GPU");
}

/* Whether the choice between the answer and the runner-up is one. */
static void note_choice(const struct size_result *r, char out[SIZE_SENTENCE])
{
    static const enum size_metric of[] = {SIZE_COST, SIZE_TRAINING, SIZE_ENERGY};
    enum size_metric m = of[r->objective];
    char a[2 * UNIT_TEXT], b[2 * UNIT_TEXT];
    *out = '\0';
    if (r->chosen < 0 || r->runner_up < 0) return;
    const struct size_option *x = &r->option[r->chosen], *y = &r->option[r->runner_up];
    const struct size_range v = x->value[m], w = y->value[m];
    if (isnan(v.high) || isnan(w.low)) return;
    const char *mine = r->curves[x->curve].priced.currency, *other = r->curves[y->curve].priced.currency;
    text_append(out, SIZE_SENTENCE, "the choice: %s of the answer %s, of the runner-up %s; ",
                size_objective_word(r->objective), size_interval_text(m, mine, v, a),
                size_interval_text(m, other, w, b));
    text_append(out, SIZE_SENTENCE,
                v.high < w.low ? "the intervals do not overlap"
                               : "the intervals overlap, so it is not sure which of the two is better");
}

/* Prices of the answer and the runner-up that are old or unconfirmed, where money decides. */
static void note_prices(const struct size_result *r, char out[SIZE_SENTENCE])
{
    const int one[] = {r->chosen, r->runner_up};
    const char *before = "";
    *out = '\0';
    if (r->objective != BEST_MONEY || r->chosen < 0) return;
    for (int i = 0; i < 2; i++) {
        const struct size_curve *c = one[i] < 0 ? NULL : &r->curves[r->option[one[i]].curve];
        if (!c || !*c->priced.doubt || !strcmp(before, c->server)) continue;
        text_append(out, SIZE_SENTENCE, "%s%s is %s", *out ? "; that of " : "the choice rests on prices: that of ",
                    c->server, c->priced.doubt);
        before = c->server;
    }
    if (*out) text_append(out, SIZE_SENTENCE, " (--prices FILE states today's)");
}

static void note_ssds(const struct size_result *r, char out[SIZE_SENTENCE])
{
    bool any = false;
    for (int i = 0; i < r->options; i++)
        any |= r->option[i].grow == r->grow && r->option[i].fits && r->option[i].below == BELOW_SSD;
    snprintf(out, SIZE_SENTENCE, "%s",
             any ? "with SSDs: an option is a plan of GPUs, DRAM and SSDs with the largest cache; the tables of "
                   "smaller caches are of hosts that hold all rows"
                 : "");
}

/* Mini-batches so small that what an iteration takes whatever its size, which the model leaves out, may be most of it.
 */
static void note_small(const struct size_result *r, char out[SIZE_SENTENCE])
{
    const struct size_errors *e = &r->q->errors;
    char mine[UNIT_TEXT], least[UNIT_TEXT];
    *out = '\0';
    if (r->chosen < 0 || !r->option[r->chosen].beyond) return;
    const struct size_option *o = &r->option[r->chosen];
    bool widened = false, tenfold = false; /* targets whose interval must meet them with a margin; one that does not */
    for (int i = 0; i < r->q->targets; i++) {
        const struct size_target *t = &r->q->target[i];
        widened |= t->metric >= SIZE_SECONDS;
        tenfold |= o->of_target[i] == VERDICT_PROBABLY && t->metric >= SIZE_SECONDS &&
                   size_meets(t, o->value[t->metric].high) && r->curves[o->curve].of.grow <= 1;
    }
    double each = o->value[SIZE_SECONDS].mid * o->servers / size_option_point(&r->curves[o->curve], o)->iterations;
    snprintf(out, SIZE_SENTENCE,
             "%san iteration of %s is shorter than any that training cases of validate measured (%s at least), so it "
             "may take longer than its interval says%s; what a layer takes whatever the mini-batch's size is not in "
             "it: "
             "a "
             "larger --batch, training_layer_seconds in the server's file, or a measured --case settles it",
             tenfold ? "probably, not surely: " : "", size_seconds_text(each, mine),
             size_seconds_text(e->shortest, least),
             widened ? ", and only a target that all of it meets tenfold is surely met" : "");
}

/* What owning the answer and the runner-up costs beside renting. */
static void note_owned(const struct size_result *r, char out[SIZE_SENTENCE])
{
    const int one[] = {r->chosen, r->runner_up};
    const char *before = "";
    *out = '\0';
    for (int i = 0; i < 2 && r->q->buy.given; i++) {
        const struct size_curve *c = one[i] < 0 ? NULL : &r->curves[r->option[one[i]].curve];
        if (!c || !strcmp(before, c->server)) continue;
        const struct size_owned *o = &c->owned;
        const char *sign = c->priced.currency;
        before = c->server;
        if (*out) text_append(out, SIZE_SENTENCE, "; ");
        if (isnan(o->purchase)) {
            text_append(out, SIZE_SENTENCE, "%s has no purchase price (--buy), so it is rented", c->server);
            continue;
        }
        text_append(out, SIZE_SENTENCE, "an hour of %s, bought, costs %s%.3g, %s%.3g of it electricity", c->server,
                    sign, o->per_hour, sign, o->electricity);
        if (isnan(o->rent)) text_append(out, SIZE_SENTENCE, "; no price of renting it is known");
        else text_append(out, SIZE_SENTENCE, "; rented %s%.3g", sign, o->rent);
        if (o->cheaper_from <= 1)
            text_append(out, SIZE_SENTENCE, ": owning is cheaper where it trains more than %.2g %% of the time",
                        100 * o->cheaper_from);
        else if (!isnan(o->rent)) text_append(out, SIZE_SENTENCE, ": renting is cheaper, however much it trains");
    }
}

/* What --grow takes for granted. */
static void note_growth(const struct size_result *r, char out[SIZE_SENTENCE])
{
    char bytes[UNIT_TEXT];
    const struct size_curve *c = r->shown < 0 ? NULL : &r->curves[r->shown];
    *out = '\0';
    if (!c || c->of.grow <= 1) return;
    snprintf(out, SIZE_SENTENCE,
             "a graph %g times as large (%s of rows and topology) is taken to be read as the one that was sampled is; "
             "how far that is off is not known, so no target is surely met, and the plan is of that graph, G",
             c->of.grow, units_bytes(bytes, c->everything));
}

/* "23 s (10 to 127 s)" behind `what`, where the part takes any. */
static void add_part(const char *what, struct size_range v, char out[SIZE_SENTENCE])
{
    char a[UNIT_TEXT], b[2 * UNIT_TEXT];
    if (!(v.mid > 0)) return;
    text_append(out, SIZE_SENTENCE, ", %s %s", what, size_range_text(SIZE_TRAINING, "", v, a));
    if (v.high > v.low) text_append(out, SIZE_SENTENCE, " (%s)", size_interval_text(SIZE_TRAINING, "", v, b));
}

/* What is in the time, the money and the energy of the answer, and what is not. */
static void note_run(const struct size_result *r, char out[SIZE_SENTENCE])
{
    const struct size_run *run = &r->q->run;
    const struct size_option *o = r->chosen < 0 ? NULL : &r->option[r->chosen];
    int left = 0;
    *out = '\0';
    if (!o || !size_run_told(run) || isnan(o->value[SIZE_TRAINING].mid)) return;
    text_append(out, SIZE_SENTENCE, run->whole ? "the whole run" : "the time is of the steps alone");
    if (run->whole || o->fill > 0) {
        add_part(run->loaded ? "start-up and loading as published" : "start-up", o->run.start_up, out);
        add_part("loading", o->run.loading, out);
        add_part("filling SSDs", (struct size_range){o->fill, o->fill, o->fill}, out);
        add_part("steps", o->run.steps, out);
        add_part("evaluation", o->run.evaluation, out);
    }
    for (int i = 0; i < SIZE_RUN_PARTS; i++)
        if (*size_run_left_out(run, i))
            text_append(out, SIZE_SENTENCE, "%s%s", left++ ? ", " : "; without ", size_run_left_out(run, i));
    if (left) text_append(out, SIZE_SENTENCE, " (--start-up, --storage-gbps, --evaluate)");
    if (run->points > 1 || run->batch[0] > 0)
        text_append(out, SIZE_SENTENCE, "; a global mini-batch of %lld needs %.3g epochs%s",
                    (long long)r->curves[o->curve].of.batch * r->curves[o->curve].gpus * o->servers, o->run.epochs,
                    o->run.outside ? ", those of the nearest that --training-epochs knows" : "");
}

bool size_note_matters(const char *note)
{
    for (enum size_verdict v = VERDICT_UNKNOWN; v <= VERDICT_SURELY; v++) {
        const char *word = size_verdict_word(v);
        if (text_starts(note, word) && note[strlen(word)] == ':') return false;
    }
    return !text_starts(note, SERVERS_TRIED);
}

doc *size_notes(const struct size_result *r)
{
    enum { NOTES = 12 };
    char text[NOTES][SIZE_SENTENCE];
    doc *list = doc_array();
    note_anything(r, text[0]);
    note_verdict(r, text[1]);
    note_choice(r, text[2]);
    size_note_unpriced(r, text[3]);
    note_servers(r, text[4]);
    note_ssds(r, text[5]);
    note_growth(r, text[6]);
    note_small(r, text[7]);
    note_untimed(r, text[8]);
    note_prices(r, text[9]);
    note_run(r, text[10]);
    note_owned(r, text[11]);
    for (int i = 0; i < NOTES; i++)
        if (*text[i]) doc_append(list, doc_text(text[i]));
    return list;
}
