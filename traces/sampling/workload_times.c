#include "traces/sampling/workload_times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc_kinds.h"
#include "base/text.h"
#include "base/units.h"

static const double widest = 0x1p53; /* whole numbers up to here are exact */
static const char *const names[] = {"backward", "forward"};

/* Whether options and documents can repeat the window: it is whole, or nine digits say it. */
static bool repeatable(double window)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", window);
    double again = strtod(text, NULL);
    return !(window > floor(window)) || !(again < window || again > window);
}

static enum st read_window(const char *text, double *out, struct err *err)
{
    static const struct {
        const char *word;
        double seconds;
    } units[] = {{"min", 60}, {"s", 1}, {"h", 3600}, {"d", 86400}};
    char number[64];
    size_t length = strlen(text), tail = 0;
    double factor = 1;
    for (size_t i = 0; i < sizeof units / sizeof *units && !tail; i++) {
        size_t of = strlen(units[i].word);
        if (length <= of || strcmp(text + length - of, units[i].word)) continue;
        tail = of;
        factor = units[i].seconds;
    }
    snprintf(number, sizeof number, "%.*s", length < sizeof number ? (int)(length - tail) : 0, text);
    PASS(units_real(number, "--time-window (as 100 or 7d)", out, err));
    *out *= factor;
    if (!(*out > 0 && *out <= widest) || !repeatable(*out))
        return err_set(err, ST_USAGE,
                       "--time-window: %.40s is out of range, expected more than 0 and at most 2^53, of fractions nine "
                       "digits",
                       text);
    return ST_OK;
}

enum st workload_times_set(struct workload *w, const struct sampler_args *a, struct err *err)
{
    if (!workload_temporal(w) && (a->time_window || (a->time_direction && strcmp(a->time_direction, names[0]))))
        return err_set(err, ST_USAGE, "--%s: belongs to --sampler temporal or temporal-last; the sampler is %s",
                       a->time_window ? "time-window" : "time-direction", sampler_name(w->sampler));
    w->forward = a->time_direction && !strcmp(a->time_direction, names[1]);
    if (a->time_direction && !w->forward && strcmp(a->time_direction, names[0]))
        return err_set(err, ST_USAGE, "--time-direction: '%.40s' is not one of " TIME_DIRECTION_WORDS,
                       a->time_direction);
    return a->time_window ? read_window(a->time_window, &w->time_window, err) : ST_OK;
}

void workload_times_put(const struct workload *w, doc *object)
{
    bool whole = !(w->time_window > floor(w->time_window));
    if (!workload_temporal(w)) return;
    if (w->time_window > 0)
        doc_put(object, "time_window", whole ? doc_integer((int64_t)w->time_window) : doc_real(w->time_window));
    if (w->forward) doc_put(object, "time_direction", doc_text(names[1]));
}

enum st workload_times_read(const doc *object, const char *where, struct workload *w, struct err *err)
{
    const doc *window = doc_get(object, "time_window"), *direction = doc_get(object, "time_direction");
    const char *word = doc_text_value(direction, direction ? "" : names[0]);
    if ((window || direction) && !workload_temporal(w))
        return err_set(err, ST_INPUT, "%s: \"%s\" belongs to a temporal sampler, but \"sampler\" is \"%s\"", where,
                       window ? "time_window" : "time_direction", sampler_name(w->sampler));
    w->forward = !strcmp(word, names[1]);
    if (!w->forward && strcmp(word, names[0]))
        return err_set(err, ST_INPUT, "%s: \"time_direction\" is \"%.20s\", expected \"backward\" or \"forward\"",
                       where, word);
    w->time_window = window ? doc_real_value(window, -1) : 0;
    if (window && (!(w->time_window > 0 && w->time_window <= widest) || !repeatable(w->time_window)))
        return err_set(err, ST_INPUT, "%s: \"time_window\" must be a number above 0, at most 2^53", where);
    return ST_OK;
}

/* The window in the units in which the graph stores times. */
static double stored(const struct workload *w, const struct graph *g)
{
    return nearbyint(w->time_window / (g->time_unit > 0 ? g->time_unit : 1));
}

enum st workload_times_fit(const struct workload *w, const struct graph *g, struct err *err)
{
    if (!(w->time_window > 0) || !workload_temporal(w)) return ST_OK;
    if (stored(w, g) >= 1 && stored(w, g) < 0x1p62) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s: keeps times in steps of %g, and a time window of %g is %s; give --time-window in the unit of "
                   "the times that were imported",
                   g->path, g->time_unit > 0 ? g->time_unit : 1, w->time_window,
                   stored(w, g) < 1 ? "less than one" : "wider than all times");
}

int64_t workload_times_from(const struct workload *w, const struct graph *g, int64_t until)
{
    int64_t from;
    if (!(w->time_window > 0) || __builtin_sub_overflow(until, (int64_t)stored(w, g), &from)) return INT64_MIN;
    return from;
}
