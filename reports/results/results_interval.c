/* How far the seconds of an epoch may be off, in words. */
#include "reports/results/results_answer.h"

#include <math.h>

#include "base/text.h"
#include "base/units.h"

void results_interval_say(const doc *time, char *out, size_t size)
{
    const doc *ends = doc_get(time, "interval");
    const bool shorter = doc_bool_value(doc_get(time, "shorter_than_measured"), false);
    char low[UNIT_TEXT], high[UNIT_TEXT];
    if (doc_size(ends) != 2) return;
    text_append(out, size, "; its epoch may take %s to %s (90 %%%s)",
                units_seconds(low, doc_real_value(doc_at(ends, 0), NAN)),
                units_seconds(high, doc_real_value(doc_at(ends, 1), NAN)),
                shorter ? "; nothing as short was measured" : "");
}
