#include "planner/decisions/what_if_size.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "planner/decisions/size_option.h"
#include "reports/sizing/sizing.h"
#include "simulator/movement/epoch_time.h"

/* Inputs: the rate behind each stage, then what scales an epoch, and the price of the answer alone. */
enum { IN_NETWORK = 4, IN_BATCHES = WHAT_IF_STAGES, IN_PRICE };

static void add_inputs(const struct size_errors *errors, struct what_if *w)
{
    static const struct what_if_input list[] =
        {{.name = "sampling", .what = "sampled edges/s, of all servers", .kind = ERROR_SAMPLE},
         {.name = "host-memory", .what = "rate at which the CPU gathers rows, of all servers", .kind = ERROR_LOAD},
         {.name = "link", .what = "rate of the link that binds the transfer (PCIe, NVLink)", .kind = ERROR_TRANSFER},
         {.name = "compute", .what = "rate of GPU compute, of all servers", .kind = ERROR_PROPAGATE},
         {.name = "network", .what = "rate of the network between servers", .kind = ERROR_NETWORK},
         {.name = "drive", .what = "rate of the SSDs", .kind = ERROR_STORAGE},
         {.name = "batches", .what = "training share: as many mini-batches more", .kind = -1},
         {.name = "price", .what = "price per hour of the answer alone", .kind = -1}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct what_if_input input = list[i];
        input.now = NAN;
        input.unit = "";
        what_if_add(w, errors, input);
    }
}

/* Of an iteration; gradients: seconds on top of propagate. */
static double combine(const struct what_if_sizes *s, const double *of, double gradients)
{
    double sum = 0, stage[WHAT_IF_STAGES];
    memcpy(stage, of, sizeof stage);
    stage[STAGE_PROPAGATE] += gradients;
    for (int i = 0; i < WHAT_IF_STAGES; i++) sum += stage[i];
    return isnan(s->unoverlapped) ? sum : epoch_pipelined(stage, WHAT_IF_STAGES, s->unoverlapped);
}

static enum st value(void *of, int subject, int input, double factor, struct what_if_value *out, struct err *err)
{
    static const char *const binds[] = {"sampling", "host memory", "transfer", "GPU compute", "network", "SSD"};
    const struct what_if_sizes *s = of;
    const struct what_if_option *o = &s->option[subject];
    double stage[WHAT_IF_STAGES];
    int longest = 0;
    (void)err;
    for (int i = 0; i < WHAT_IF_STAGES; i++) {
        stage[i] = o->stage[i] / (i == input ? factor : 1);
        longest = stage[i] > stage[longest] ? i : longest;
    }
    double gradients = o->gradients / (input == IN_NETWORK ? factor : 1);
    if (stage[STAGE_PROPAGATE] + gradients > stage[longest])
        longest = gradients > stage[STAGE_PROPAGATE] ? IN_NETWORK : STAGE_PROPAGATE;
    out->seconds = o->seconds * combine(s, stage, gradients) / combine(s, o->stage, o->gradients) *
                   (input == IN_BATCHES ? factor : 1);
    snprintf(out->binds, sizeof out->binds, "%s", binds[longest]);
    return ST_OK;
}

static bool misses(double value, double most) { return value > most; /* NaN: no target, or not known */ }

/* Whether epochs of so many seconds are late, or the training that they make. */
static bool late(const struct what_if_sizes *s, const struct what_if_option *o, double seconds)
{
    return misses(seconds, s->most_seconds) || misses(seconds * s->epochs + o->fill, s->most_training);
}

/* What the objective has at epochs of so many seconds; INFINITY where a target is missed. */
static double weigh(const struct what_if_sizes *s, const struct what_if_option *o, double seconds, double price)
{
    if (late(s, o, seconds) || misses((seconds * o->cost + o->fill_cost) * price, s->most_cost) ||
        misses(seconds * o->energy + o->fill_energy, s->most_energy))
        return INFINITY;
    return (seconds * o->weight + o->fill_weight) * (o->weight == o->cost ? price : 1);
}

/* Whether targets are met at the long end, too. */
static bool surely(const struct what_if_sizes *s, const struct what_if_option *o, double seconds)
{
    return o->sure && !late(s, o, seconds * o->high);
}

/* The option that 'hotset size' chooses (size_best), to the point where another has less: of those that surely meet the
 * targets, else of those that meet them, the one with least of the objective; how sure it is. size takes the first of
 * those within 1 %: what its answer has more than the least is no reason to turn (handicap). */
static int decide(void *of, int input, double factor, const struct what_if_value *v, char out[WHAT_IF_TEXT])
{
    const struct what_if_sizes *s = of;
    double x[WHAT_IF_SUBJECTS], least = INFINITY;
    bool sure = false;
    int best = -1;
    for (int i = 0; i < s->count; i++) {
        x[i] = weigh(s, &s->option[i], v[i].seconds, input == IN_PRICE && i == s->answer ? factor : 1);
        if (i == s->answer) x[i] /= s->handicap;
        sure |= isfinite(x[i]) && surely(s, &s->option[i], v[i].seconds);
    }
    for (int i = 0; i < s->count; i++)
        if (!sure || surely(s, &s->option[i], v[i].seconds)) least = fmin(least, x[i]);
    for (int i = s->count - 1; i >= 0; i--)
        if (isfinite(x[i]) && x[i] <= least * (1 + 1e-12) && (!sure || surely(s, &s->option[i], v[i].seconds)) &&
            (best < 0 || best != s->answer))
            best = i;
    if (best < 0) snprintf(out, WHAT_IF_TEXT, "none meets the targets");
    else if (isnan(s->most_seconds) && isnan(s->most_training))
        snprintf(out, WHAT_IF_TEXT, "%s", s->what->subject[best]);
    else
        snprintf(out, WHAT_IF_TEXT, "%s, %s", s->what->subject[best],
                 surely(s, &s->option[best], v[best].seconds) ? "surely in time" : "probably in time");
    return best;
}

/* ---- reading ---- */

static void read_targets(struct what_if_sizes *s)
{
    const doc *list = doc_get(s->document, "targets");
    s->most_seconds = s->most_training = s->most_cost = s->most_energy = NAN;
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const char *metric = doc_text_value(doc_get(doc_at(list, i), "metric"), "");
        double most = doc_number(doc_at(list, i), "value");
        if (!strcmp(metric, "epoch_seconds")) s->most_seconds = fmin(s->most_seconds, most);
        if (!strcmp(metric, "training_seconds")) s->most_training = fmin(s->most_training, most);
        if (!strcmp(metric, "cost_per_epoch")) s->most_cost = most;
        if (!strcmp(metric, "energy_per_epoch_kwh")) s->most_energy = most;
    }
}

/* Adds the option, where its epochs have a time and the objective a value. */
static void add_option(struct what_if_sizes *s, const doc *o, const char *objective, bool answer, struct what_if *w)
{
    static const char *const keys[] = {"sample", "load", "transfer", "propagate", "network", "storage"};
    struct what_if_option *option = &s->option[s->count];
    int64_t servers = doc_integer_value(doc_get(o, "servers"), 1);
    option->seconds = doc_number(o, "epoch_seconds");
    option->fill_cost = doc_real_value(doc_get(o, "ssd_fill_cost"), 0);
    option->fill_energy = doc_real_value(doc_get(o, "ssd_fill_kwh"), 0);
    option->cost = (doc_number(o, "cost") - option->fill_cost) / option->seconds;
    option->energy = (doc_number(o, "energy_kwh") - option->fill_energy) / option->seconds;
    option->high = doc_real_value(doc_at(doc_get(o, "epoch_seconds_interval"), 1), NAN) / option->seconds;
    if (!doc_bool_value(doc_get(o, "validated"), true)) option->high *= SIZE_BEYOND_MARGIN;
    option->fill = doc_real_value(doc_get(o, "ssd_fill_seconds"), 0);
    option->weight = !strcmp(objective, "money") ? option->cost : !strcmp(objective, "energy") ? option->energy : 1;
    option->fill_weight = !strcmp(objective, "money")    ? option->fill_cost
                          : !strcmp(objective, "energy") ? option->fill_energy
                                                         : 0;
    for (int i = 0; i < WHAT_IF_STAGES; i++) option->stage[i] = doc_number(doc_get(o, "stage_seconds"), keys[i]);
    option->gradients = doc_real_value(doc_get(doc_get(o, "stage_seconds"), "gradients"), 0);
    /* what its verdict rests on beside the time, which inputs do not move */
    const char *verdict = doc_text_value(doc_get(o, "verdict"), "");
    const bool in_time = isfinite(weigh(s, option, option->seconds, 1)),
               at_worst = !late(s, option, option->seconds * option->high);
    option->sure = strcmp(verdict, "probably") != 0 || !at_worst;
    if (!strcmp(verdict, "unknown") || (!strcmp(verdict, "not") && in_time)) return;
    bool fits = doc_bool_value(doc_get(o, "fits"), false), whole = !isnan(combine(s, option->stage, option->gradients));
    if (!fits || isnan(option->weight) || isnan(option->seconds) || !whole) return;
    /* the last place is the answer's, wherever it stands in the list */
    if (s->count >= WHAT_IF_SUBJECTS - (s->answer < 0 && !answer)) return;
    if (answer) s->answer = s->count;
    snprintf(w->subject[s->count], sizeof w->subject[0], "%lld x %.80s", (long long)servers,
             doc_text_value(doc_get(o, "label"), "?"));
    s->count++;
}

/* What the answer has of the objective, over the least of those that are as sure: from 1 to 1.01. */
static double handicap_of(const struct what_if_sizes *s)
{
    const struct what_if_option *mine = s->answer < 0 ? NULL : &s->option[s->answer];
    double least = INFINITY, own = mine ? weigh(s, mine, mine->seconds, 1) : NAN;
    for (int i = 0; mine && i < s->count; i++)
        if (surely(s, &s->option[i], s->option[i].seconds) || !surely(s, mine, mine->seconds))
            least = fmin(least, weigh(s, &s->option[i], s->option[i].seconds, 1));
    return own > least && own <= 1.01 * least ? own / least : 1;
}

enum st what_if_sizes_begin(const char *path, const struct size_errors *errors, struct what_if_sizes *of,
                            struct what_if *out, struct err *err)
{
    PASS(doc_load(path, "size/1", &of->document, err));
    PASS(fields_read(sizing_fields, of->document, path, NULL, err));
    const doc *options = doc_get(of->document, "options"), *decision = doc_get(of->document, "decision");
    const char *objective = doc_text_value(doc_get(decision, "objective"), "time");
    int64_t answer = doc_integer_value(doc_get(decision, "option"), -1);
    of->unoverlapped = doc_number(of->document, "unoverlapped");
    of->epochs = doc_real_value(doc_get(of->document, "epochs"), 1);
    of->answer = -1;
    read_targets(of);
    for (uint64_t i = 0; i < doc_size(options); i++)
        add_option(of, doc_at(options, i), objective, answer == (int64_t)i, out);
    of->handicap = handicap_of(of);
    if (!of->count)
        return err_set(err, ST_INPUT,
                       "%s: none of its options has an epoch time and stages, which inputs move; ask 'hotset size' "
                       "again with servers that state their rates",
                       path);
    out->of = of;
    out->subjects = of->count;
    out->value = value;
    out->decide = decide;
    of->what = out;
    add_inputs(errors, out);
    return ST_OK;
}

void what_if_sizes_end(struct what_if_sizes *of)
{
    doc_free(of->document);
    of->document = NULL;
}
