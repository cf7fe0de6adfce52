#include "planner/decisions/size_growth.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

double size_demand(const struct size_curve *curves, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, curves[i].of.grow);
    return most;
}

/* The next larger future of the curves; INFINITY: there is none. */
static double next_future(const struct size_result *r, double from)
{
    double next = INFINITY;
    for (int i = 0; i < r->count; i++)
        if (r->curves[i].of.grow > from) next = fmin(next, r->curves[i].of.grow);
    return next;
}

/* A label without the future: "siton, i8" of "siton, i8, graph x 10". */
static void label_without(const struct size_curve *c, char out[sizeof c->label])
{
    const char *from = strstr(c->label, ", graph x ");
    snprintf(out, sizeof c->label, "%.*s%s", from ? (int)(from - c->label) : (int)sizeof c->label, c->label,
             from ? from + 2 + strcspn(from + 2, ",") : "");
}

/* What becomes of a server in one future: NULL, or why none of its options would do. */
static const char *why_not(const struct size_result *r, const char *label, double grow, char out[SIZE_SENTENCE])
{
    const struct size_option *held = NULL, *first = NULL;
    char own[sizeof r->curves->label], targets[SIZE_SENTENCE];
    for (int i = 0; i < r->options; i++) {
        const struct size_option *o = &r->option[i];
        label_without(&r->curves[o->curve], own);
        if (o->grow != grow || strcmp(own, label) != 0) continue;
        if (o->fits && o->verdict != VERDICT_NOT && o->verdict != VERDICT_UNKNOWN) return NULL;
        if (!first) first = o;
        if (o->fits && (!held || o->verdict == VERDICT_UNKNOWN)) held = o;
    }
    if (!held)
        snprintf(out, SIZE_SENTENCE, "it does not hold the graph (%s)", first && *first->lacks ? first->lacks : "?");
    else if (held->verdict == VERDICT_UNKNOWN) snprintf(out, SIZE_SENTENCE, "it is not known to meet the targets");
    else snprintf(out, SIZE_SENTENCE, "it misses the targets (%s)", size_verdict_text(r->q, held, targets));
    return out;
}

/* The first future in which the server of that curve would not do. */
static doc *stop_of(const struct size_result *r, const struct size_curve *c)
{
    char label[sizeof c->label], why[SIZE_SENTENCE], line[SIZE_SENTENCE];
    double grow = next_future(r, 0);
    label_without(c, label);
    while (isfinite(grow) && !why_not(r, label, grow, why)) grow = next_future(r, grow);
    if (isfinite(grow)) snprintf(line, sizeof line, "%s stops at graph x %.9g: %.900s", label, grow, why);
    else
        snprintf(line, sizeof line, "%s %s the graph in every future", label,
                 r->q->targets ? "meets the targets and holds" : "holds");
    return DOC(IS("label", label), IS("grow", isfinite(grow) ? doc_real(grow) : doc_null()),
               IS("why", isfinite(grow) ? why : NULL), IS("line", line));
}

static bool seen_before(const struct size_result *r, int curve)
{
    char own[sizeof r->curves->label], other[sizeof r->curves->label];
    label_without(&r->curves[curve], own);
    for (int i = 0; i < curve; i++) {
        label_without(&r->curves[i], other);
        if (!strcmp(own, other)) return true;
    }
    return false;
}

static doc *future_of(const struct size_result *r, double grow)
{
    char line[SIZE_SENTENCE], option[SIZE_SENTENCE];
    const int best = size_best(r->option, r->options, grow, r->objective, -1);
    bool fits = false;
    for (int i = 0; i < r->options; i++) fits |= r->option[i].grow == grow && r->option[i].fits;
    if (best >= 0) snprintf(line, sizeof line, "%.1100s", size_option_line(r, best, option));
    else
        snprintf(line, sizeof line, "graph x %.9g: nothing that was tried %s", grow,
                 !fits           ? "holds it"
                 : r->q->targets ? "is known to meet the targets"
                                 : "can be ranked");
    return DOC(IS("grow", grow), IS("option", doc_index(best)), IS("line", line));
}

void size_growth_put(const struct size_result *r, doc *decision)
{
    doc *futures = doc_array(), *stops = doc_array();
    const double first = next_future(r, 0);
    if (isfinite(next_future(r, first))) {
        for (double grow = first; isfinite(grow); grow = next_future(r, grow)) doc_append(futures, future_of(r, grow));
        for (int i = 0; i < r->count; i++)
            if (!seen_before(r, i)) doc_append(stops, stop_of(r, &r->curves[i]));
    }
    DOC_PUT(decision, IS("futures", futures), IS("stops", stops));
}
