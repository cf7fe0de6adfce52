#include "planner/results/table_values.h"

#include <math.h>

#include "base/units.h"

void table_count(struct table *t, const doc *v)
{
    char text[UNIT_TEXT];
    int64_t n = doc_integer_value(v, -1);
    table_add(t, "%s", n < 0 ? "-" : units_count(text, (uint64_t)n));
}

void table_bytes(struct table *t, const doc *v)
{
    int64_t n = doc_integer_value(v, -1);
    table_add_bytes(t, n < 0 ? NAN : (double)n);
}

void table_percent(struct table *t, double share)
{
    char text[UNIT_TEXT];
    table_add(t, "%s", isnan(share) ? "-" : units_percent(text, fabs(share) < 0.00005 ? 0 : share)); /* no "-0.00 %" */
}
