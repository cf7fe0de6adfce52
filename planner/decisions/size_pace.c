#include "planner/decisions/size_pace.h"

#include <math.h>
#include <string.h>

#include "base/cmd.h"
#include "base/student.h"
#include "base/units.h"
#include "planner/decisions/size_error.h"

void size_pace_begin(struct size_pace *p, const struct call *call, int curves)
{
    *p = (struct size_pace){.call = call, .curves = curves, .began = clock_seconds()};
}

double size_pace_left(const struct size_pace *p, double now)
{
    enum { PLACED_LEAST = 3 };
    const struct study_told *t = &p->told;
    if (t->done < PLACED_LEAST) return p->done ? (p->curve_began - p->began) / p->done * (p->curves - p->done) : NAN;
    double each = (p->last - p->first) / (t->done - 1), before = p->first - p->curve_began,
           curve = 1.25 * before + each * t->total;
    return fmax(0, p->curve_began + curve - now) + curve * (p->curves - p->done - 1);
}

static void placed(void *of, int done, int total)
{
    enum { WAIT = 10 };
    struct size_pace *p = of;
    char left[UNIT_TEXT];
    p->last = clock_seconds();
    if (done == 1) p->first = p->last;
    double rest = size_pace_left(p, p->last), past = p->last - p->began;
    if (isnan(rest)) return;
    if (p->said || p->done || past < WAIT || progress_told()) return;
    p->said = true;
    call_say(p->call, "%d of %d placements%s%s are done, about %s left", done, total,
             p->label && *p->label ? " for " : "", p->label ? p->label : "", units_seconds(left, ceil(rest)));
}

/* "p4d.24xlarge: an epoch of 1.3 to 3.1 ms" and the tail. */
static void note_interval(const struct size_pace *p, double low, double high, const char *tail)
{
    char from[UNIT_TEXT], to[UNIT_TEXT], text[240];
    snprintf(text, sizeof text, "%s%san epoch takes %s to %s%s", p->label ? p->label : "",
             p->label && *p->label ? ": " : "", units_seconds(from, low), units_seconds(to, high), tail);
    progress_note(text);
}

static void expects(void *of, uint64_t budget, double seconds)
{
    struct size_pace *p = of;
    struct size_interval *i = &p->interval;
    if (i->told) return;
    if (!budget) i->none = fmin(isnan(i->none) ? seconds : i->none, seconds);
    if (budget >= i->most) i->all = fmin(isnan(i->all) ? seconds : i->all, seconds);
    if (isnan(i->none) || isnan(i->all)) return;
    i->told = true;
    note_interval(p, fmin(i->none, i->all) * i->times * exp(-i->off), fmax(i->none, i->all) * i->times * exp(i->off),
                  ", refining");
}

void size_pace_expect(struct size_pace *p, const struct size_errors *errors, uint64_t limit, double trains)
{
    double stage = 0;
    for (int k = 0; k < ERROR_NETWORK; k++) stage = fmax(stage, errors->kind[k].half);
    p->interval = (struct size_interval){.most = limit, .times = trains, .none = NAN, .all = NAN};
    p->interval.off = student_together(stage, errors->kind[ERROR_EPOCH].half);
    p->told.expects = expects;
}

void size_pace_found(const struct size_pace *p, double low, double high)
{
    if (!isnan(low) && !isnan(high)) note_interval(p, low, high, "");
}

void size_pace_curve(struct size_pace *p, const char *label)
{
    char left[UNIT_TEXT];
    p->curve_began = clock_seconds();
    p->done += p->label != NULL;
    p->label = label;
    p->told = (struct study_told){.placed = placed, .of = p};
    if (progress_told()) return;
    if (p->done)
        call_say(p->call, "%d/%d %s, about %s left", p->done + 1, p->curves, label,
                 units_seconds(left, ceil(size_pace_left(p, p->curve_began))));
    else if (p->curves > 1) call_say(p->call, "1/%d %s", p->curves, label);
}

void size_pace_among(struct size_pace *p, const char *label, int before, int count, int together)
{
    char left[UNIT_TEXT];
    p->curve_began = clock_seconds();
    p->label = label;
    p->told = (struct study_told){.placed = placed, .of = p};
    p->said = before > 0;                            /* the first one tells */
    p->curves = 1 + (count - 1 - before) / together; /* about as many follow each of those that run */
    if (progress_told()) return;
    const int ran = before - together + 1; /* at least */
    if (ran < 1) call_say(p->call, "%d/%d %s", before + 1, count, label);
    else
        call_say(p->call, "%d/%d %s, about %s left", before + 1, count, label,
                 units_seconds(left, ceil((p->curve_began - p->began) / ran * (count - before))));
}
