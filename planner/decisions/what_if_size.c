#include "planner/decisions/what_if_size.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/decisions/size_option.h"
#include "reports/sizing/sizing.h"
#include "simulator/movement/epoch_time.h"

/* What an input moves, beside a stage of an iteration. */
enum { MOVES_BATCHES = WHAT_IF_STAGES, MOVES_PRICE, MOVES_EPOCH };

/* The inputs. What one premise states for several options (by) moves these together. */
static const struct input_row {
    const char *name, *what;
    int kind, moves;
    enum what_if_by by;
    bool stage_error; /* in the error of whole epochs, where these were measured */
} rows[] = {{"sampling", "sampled edges/s", ERROR_SAMPLE, STAGE_SAMPLE, BY_GPU, true},
            {"host-memory", "rate at which the CPU gathers rows", ERROR_LOAD, STAGE_LOAD, BY_SERVER, true},
            {"link", "rate of the link that binds the transfer (PCIe, NVLink)", ERROR_TRANSFER, STAGE_TRANSFER,
             BY_SERVER, true},
            {"compute", "rate of GPU compute", ERROR_PROPAGATE, STAGE_PROPAGATE, BY_GPU, true},
            {"products", "rate of products that nobody measured", ERROR_KINDS, STAGE_PROPAGATE, BY_GPU, true},
            {"network", "rate of the network between servers", ERROR_NETWORK, STAGE_NETWORK, BY_SERVER, true},
            {"drive", "rate of the SSDs", ERROR_STORAGE, STAGE_STORAGE, BY_NOTHING, false},
            {"epoch", "how stages add up to an epoch, as a rate", ERROR_EPOCH, MOVES_EPOCH, BY_NOTHING, false},
            {"batches", "training share: as many mini-batches more", -1, MOVES_BATCHES, BY_NOTHING, false},
            {"price", "price per hour of the answer alone", -1, MOVES_PRICE, BY_NOTHING, false}};

static bool applies(const struct what_if_option *o, const struct what_if_moved_input *m)
{
    return (!*m->key || !strcmp(o->key[m->by], m->key)) && (m->kind != ERROR_KINDS || o->products_assumed);
}

/* Whether the row says anything of the option. */
static bool concerns(const struct what_if_option *o, const struct input_row *row)
{
    if (row->kind == ERROR_KINDS && !o->products_assumed) return false;
    return row->moves >= WHAT_IF_STAGES || o->stage[row->moves] > 0 ||
           (row->moves == STAGE_NETWORK && o->gradients > 0);
}

static void add_input(struct what_if_sizes *s, const struct input_row *row, enum what_if_by by, const char *key,
                      struct what_if *w)
{
    if (w->inputs == WHAT_IF_INPUTS) return;
    struct what_if_moved_input *m = &s->moved[w->inputs];
    struct what_if_input input = {.kind = row->kind, .now = NAN, .unit = ""};
    *m = (struct what_if_moved_input){.by = by, .moves = row->moves, .kind = row->kind};
    snprintf(m->key, sizeof m->key, "%s", key);
    snprintf(m->name, sizeof m->name, "%s%s%s", row->name, *key ? ":" : "", key);
    snprintf(m->what, sizeof m->what, "%s, of %s", row->what, *key ? key : "all servers");
    for (int i = 0; i < s->count; i++)
        if (*key && row->kind == ERROR_PROPAGATE && applies(&s->option[i], m) && s->option[i].efficiency > 0) {
            input.now = s->option[i].efficiency;
            input.unit = "efficiency";
        }
    input.name = m->name;
    input.what = by == BY_NOTHING && row->moves >= WHAT_IF_STAGES ? row->what : m->what;
    what_if_add(w, &s->errors, input);
}

/* One input for all servers, or where they differ in what states it, one for each. */
static void add_row(struct what_if_sizes *s, const struct input_row *row, struct what_if *w)
{
    const enum what_if_by by = row->kind == ERROR_EPOCH && s->errors.kind[ERROR_EPOCH].whole ? BY_GPU : row->by;
    const char *key[WHAT_IF_SUBJECTS];
    int keys = 0;
    if (row->stage_error && s->errors.kind[ERROR_EPOCH].whole) return;
    if (row->kind == ERROR_KINDS && (s->errors.kind[ERROR_PROPAGATE].own || !(s->errors.products.half > 0))) return;
    for (int i = 0; i < s->count && by != BY_NOTHING; i++) {
        int k = 0;
        while (k < keys && strcmp(key[k], s->option[i].key[by])) k++;
        if (k == keys && concerns(&s->option[i], row)) key[keys++] = s->option[i].key[by];
    }
    bool alike = true;
    for (int i = 0; i < s->count && by != BY_NOTHING; i++) alike &= !strcmp(s->option[i].key[by], s->option[0].key[by]);
    if (alike && (row->kind != ERROR_KINDS || keys)) add_input(s, row, by, "", w);
    for (int k = 0; k < keys && !alike; k++) add_input(s, row, by, key[k], w);
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

/* Seconds of an epoch with every input at its factor; stage: of an iteration then. */
static double moved_seconds(const struct what_if_sizes *s, const struct what_if_option *o, const double *factor,
                            double stage[WHAT_IF_STAGES], double *gradients)
{
    double whole = 1;
    memcpy(stage, o->stage, sizeof o->stage);
    *gradients = o->gradients;
    for (int i = 0; i < s->what->inputs; i++) {
        const struct what_if_moved_input *m = &s->moved[i];
        if (factor[i] == 1 || !applies(o, m)) continue;
        if (m->moves < WHAT_IF_STAGES) stage[m->moves] /= factor[i];
        if (m->moves == STAGE_NETWORK) *gradients /= factor[i];
        if (m->moves == MOVES_BATCHES) whole *= factor[i];
        if (m->moves == MOVES_EPOCH) whole /= factor[i];
    }
    return o->seconds * combine(s, stage, *gradients) / combine(s, o->stage, o->gradients) * whole;
}

static enum st value(void *of, int subject, int input, double factor, struct what_if_value *out, struct err *err)
{
    static const char *const binds[] = {"sampling", "host memory", "transfer", "GPU compute", "network", "SSD"};
    const struct what_if_sizes *s = of;
    double stage[WHAT_IF_STAGES], factors[WHAT_IF_INPUTS], gradients;
    int longest = 0;
    (void)err;
    for (int i = 0; i < WHAT_IF_INPUTS; i++) factors[i] = i == input ? factor : 1;
    out->seconds = moved_seconds(s, &s->option[subject], factors, stage, &gradients);
    for (int i = 0; i < WHAT_IF_STAGES; i++) longest = stage[i] > stage[longest] ? i : longest;
    if (stage[STAGE_PROPAGATE] + gradients > stage[longest])
        longest = gradients > stage[STAGE_PROPAGATE] ? STAGE_NETWORK : STAGE_PROPAGATE;
    snprintf(out->binds, sizeof out->binds, "%s", binds[longest]);
    return ST_OK;
}

static bool misses(double value, double most) { return value > most; /* NaN: no target, or not known */ }

/* Whether epochs of so many seconds are late, or the training that they make. */
static bool late(const struct what_if_sizes *s, const struct what_if_option *o, double seconds)
{
    return misses(seconds, s->most_seconds) || misses(seconds * o->epochs + o->fill, s->most_training);
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
        x[i] = weigh(s, &s->option[i], v[i].seconds,
                     input >= 0 && s->moved[input].moves == MOVES_PRICE && i == s->answer ? factor : 1);
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

int what_if_sizes_best(const struct what_if_sizes *s, const double *factor)
{
    double x[WHAT_IF_SUBJECTS], stage[WHAT_IF_STAGES], gradients, least = INFINITY;
    for (int i = 0; i < s->count; i++) {
        x[i] = weigh(s, &s->option[i], moved_seconds(s, &s->option[i], factor, stage, &gradients), 1);
        least = fmin(least, x[i]);
    }
    for (int i = 0; i < s->count && isfinite(least); i++)
        if (x[i] <= 1.01 * least) return i;
    return -1;
}

/* ---- reading ---- */

/* What times are off, as the document says. */
static void read_errors(const doc *intervals, struct size_errors *out)
{
    for (int k = 0; k <= ERROR_KINDS; k++) {
        const doc *e = doc_get(intervals, k < ERROR_KINDS ? size_error_kind_name(k) : "products");
        struct size_error *to = k < ERROR_KINDS ? &out->kind[k] : &out->products;
        *to = (struct size_error){.half = fmax(0, log(doc_real_value(doc_get(e, "factor"), 1))),
                                  .own = doc_bool_value(doc_get(e, "own"), false),
                                  .whole = doc_bool_value(doc_get(e, "whole"), false),
                                  .points = (int)doc_integer_value(doc_get(e, "points"), 0)};
        snprintf(to->cases, sizeof to->cases, "%.230s", doc_text_value(doc_get(e, "cases"), "?"));
    }
}

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
    static const char *const once[] = {"start_up_seconds", "loading_seconds", "evaluation_seconds"};
    struct what_if_option *option = &s->option[s->count];
    int64_t servers = doc_integer_value(doc_get(o, "servers"), 1), number = doc_integer_value(doc_get(o, "curve"), -1);
    const doc *curve = number < 0 ? NULL : doc_at(doc_get(s->document, "curves"), (uint64_t)number);
    snprintf(option->key[BY_GPU], sizeof option->key[0], "%.70s", doc_text_value(doc_get(curve, "gpu"), "?"));
    snprintf(option->key[BY_SERVER], sizeof option->key[0], "%.70s", doc_text_value(doc_get(curve, "server"), "?"));
    snprintf(option->label, sizeof option->label, "%.80s", doc_text_value(doc_get(o, "label"), "?"));
    option->products_assumed = doc_bool_value(doc_get(curve, "products_assumed"), false);
    option->efficiency = doc_real_value(doc_get(curve, "efficiency"), 0);
    option->seconds = doc_number(o, "epoch_seconds");
    const doc *run = doc_get(o, "run");
    option->epochs = doc_real_value(doc_get(run, "epochs"), doc_real_value(doc_get(s->document, "epochs"), 1));
    option->fill = doc_real_value(doc_get(o, "ssd_fill_seconds"), 0);
    for (int i = 0; i < 3; i++) option->fill += doc_real_value(doc_get(run, once[i]), 0);
    option->fill_cost = doc_real_value(doc_get(run ? run : o, run ? "once_cost" : "ssd_fill_cost"), 0);
    option->fill_energy = doc_real_value(doc_get(run ? run : o, run ? "once_kwh" : "ssd_fill_kwh"), 0);
    option->cost = (doc_number(o, "cost") - option->fill_cost) / option->seconds;
    option->energy = (doc_number(o, "energy_kwh") - option->fill_energy) / option->seconds;
    option->high = doc_real_value(doc_at(doc_get(o, "epoch_seconds_interval"), 1), NAN) / option->seconds;
    if (!doc_bool_value(doc_get(o, "validated"), true)) option->high *= SIZE_BEYOND_MARGIN;
    option->weight = !strcmp(objective, "money")    ? option->cost
                     : !strcmp(objective, "energy") ? option->energy
                                                    : option->epochs;
    option->fill_weight = !strcmp(objective, "money")    ? option->fill_cost
                          : !strcmp(objective, "energy") ? option->fill_energy
                                                         : option->fill;
    for (int i = 0; i < WHAT_IF_STAGES; i++) option->stage[i] = doc_number(doc_get(o, "stage_seconds"), keys[i]);
    option->gradients = doc_real_value(doc_get(doc_get(o, "stage_seconds"), "gradients"), 0);
    /* what its verdict rests on beside the time, which inputs do not move */
    const char *verdict = doc_text_value(doc_get(o, "verdict"), "");
    const bool in_time = isfinite(weigh(s, option, option->seconds, 1)),
               at_worst = !late(s, option, option->seconds * option->high);
    option->sure = strcmp(verdict, "probably") != 0 || !at_worst;
    if (!strcmp(verdict, "unknown") || (!strcmp(verdict, "not") && in_time)) return;
    bool fits = doc_bool_value(doc_get(o, "fits"), false), whole = !isnan(combine(s, option->stage, option->gradients));
    if (doc_real_value(doc_get(curve, "grow"), 1) != s->grow) return;
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

/* The future of the answer; without one the largest. */
static double future_of(const doc *document, int64_t answer)
{
    const doc *curves = doc_get(document, "curves"),
              *mine = answer < 0 ? NULL : doc_at(doc_get(document, "options"), (uint64_t)answer);
    const int64_t curve = doc_integer_value(doc_get(mine, "curve"), -1);
    double most = 0;
    if (curve >= 0) return doc_real_value(doc_get(doc_at(curves, (uint64_t)curve), "grow"), 1);
    for (uint64_t i = 0; i < doc_size(curves); i++)
        most = fmax(most, doc_real_value(doc_get(doc_at(curves, i), "grow"), 1));
    return most;
}

void what_if_sizes_read(const doc *document, const struct size_errors *errors, struct what_if_sizes *of,
                        struct what_if *out)
{
    const doc *options = doc_get(document, "options"), *decision = doc_get(document, "decision");
    const char *objective = doc_text_value(doc_get(decision, "objective"), "time");
    int64_t answer = doc_integer_value(doc_get(decision, "option"), -1);
    of->document = document;
    of->errors = *errors;
    of->unoverlapped = doc_number(document, "unoverlapped");
    of->answer = -1;
    of->grow = future_of(document, answer);
    read_targets(of);
    for (uint64_t i = 0; i < doc_size(options); i++)
        add_option(of, doc_at(options, i), objective, answer == (int64_t)i, out);
    of->handicap = handicap_of(of);
    out->of = of;
    out->subjects = of->count;
    out->value = value;
    out->decide = decide;
    of->what = out;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) add_row(of, &rows[i], out);
}

enum st what_if_sizes_begin(const char *path, const struct size_errors *errors, bool given, struct what_if_sizes *of,
                            struct what_if *out, struct err *err)
{
    OWNED_NEW(struct size_errors, stated, 1, "errors");
    PASS(doc_load(path, "size/1", &of->loaded, err));
    PASS(fields_read(sizing_fields, of->loaded, path, NULL, err));
    const doc *intervals = doc_get(of->loaded, "intervals");
    read_errors(intervals, stated);
    what_if_sizes_read(of->loaded, given || !intervals ? errors : stated, of, out);
    if (!of->count)
        return err_set(err, ST_INPUT,
                       "%s: none of its options has an epoch time and stages, which inputs move; ask 'hotset size' "
                       "again with servers that state their rates",
                       path);
    return ST_OK;
}

void what_if_sizes_end(struct what_if_sizes *of)
{
    doc_free(of->loaded);
    of->loaded = NULL;
}
