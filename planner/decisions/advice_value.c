#include "planner/decisions/advice.h"

#include <math.h>
#include <stdio.h>

#include "base/progress.h"
#include "base/units.h"
#include "planner/engine/nodes_sum.h"

/* ---- what a setting leaves ---- */

void advice_value_read(const struct study_cell *cell, struct advice_value *out)
{
    struct nodes_sum sum;
    nodes_sum(cell, &sum);
    const bool below = sum.memories.places;
    out->transactions = (double)sum.sums.transactions.total;
    out->seconds = sum.time ? sum.time->seconds : NAN;
    out->reads = below ? sum.memories.seconds : NAN;
}

bool advice_by_epoch(const struct advice *a) { return !isnan(a->today.seconds); }

double advice_cost(const struct advice *a, const struct advice_value *v)
{
    const double cost = advice_by_epoch(a) ? v->seconds : isnan(a->today.reads) ? v->transactions : v->reads;
    return isnan(cost) ? INFINITY : cost;
}

void advice_value_note(const char *name, const struct advice_value *v)
{
    char seconds[UNIT_TEXT], count[UNIT_TEXT], text[160];
    if (isnan(v->seconds))
        snprintf(text, sizeof text, "%s: %s transactions per epoch", name,
                 units_count(count, (uint64_t)v->transactions));
    else snprintf(text, sizeof text, "%s: an epoch takes %s", name, units_seconds(seconds, v->seconds));
    progress_note(text);
}

bool advice_pays(const struct advice *a, const struct lever *l, const struct advice_value *now,
                 const struct advice_value *before)
{
    static const double WORTH = 0.99;
    return advice_cost(a, now) * l->epochs < WORTH * advice_cost(a, before);
}

/* Whether a goes before b: possible ones first, then those that a plan can carry out, then the least cost,
 * then the order of the table. */
static bool before(const struct advice *all, const struct advice_lever *a, const struct advice_lever *b)
{
    if (a->possible != b->possible) return a->possible;
    if (a->lever->alone != b->lever->alone) return b->lever->alone;
    const double x = advice_cost(all, &a->alone), y = advice_cost(all, &b->alone);
    if (x < y || x > y) return x < y;
    return a->lever < b->lever;
}

void advice_rank(struct advice *a)
{
    for (int i = 1; i < a->levers; i++)
        for (int j = i; j && before(a, &a->lever[j], &a->lever[j - 1]); j--) {
            struct advice_lever swap = a->lever[j];
            a->lever[j] = a->lever[j - 1];
            a->lever[j - 1] = swap;
        }
}
