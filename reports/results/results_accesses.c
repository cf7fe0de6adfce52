/* results_accesses.c - the small table of peer accesses, as texts; see results_answer.h. */
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "reports/results/results_answer.h"

/* "-23.1 %": a number against another; "-" where one is not known. */
static void change_text(char out[UNIT_TEXT], double mine, double other)
{
    if (isfinite(mine) && isfinite(other) && other > 0) snprintf(out, UNIT_TEXT, "%+.1f %%", 100 * (mine / other - 1));
    else snprintf(out, UNIT_TEXT, "-");
}

void results_access_text(const struct results_access *line, struct results_access_text *out)
{
    const doc *both[] = {line->own, line->rival};
    const bool seconds = isfinite(results_seconds(both[0])), reads = doc_is_object(doc_path(both[0], "simulated."
                                                                                                     "memories"));
    char *const value[] = {out->own, out->rival};
    for (int k = 0; k < 2; k++) {
        const double v = seconds ? results_seconds(both[k]) : results_reads(both[k]);
        if (!isfinite(v)) snprintf(value[k], UNIT_TEXT, "-");
        else if (seconds || reads) units_seconds(value[k], v);
        else units_count(value[k], (uint64_t)v);
    }
    out->policy = doc_text_value(doc_get(both[1], "policy"), "?");
    change_text(out->time, results_seconds(both[0]), results_seconds(both[1]));
    change_text(out->reads, results_reads(both[0]), results_reads(both[1]));
}
