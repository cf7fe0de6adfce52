#include "planner/commands/bench_print.h"

#include <math.h>
#include <string.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "reports/tables/tables.h"

/* "12.3 M/s" */
static const char *rate_text(char out[UNIT_TEXT], double per_second)
{
    static const char *const units[] = {"/s", "k/s", "M/s", "G/s"};
    int u = 0;
    while (per_second >= 9999.5 && u < 3) {
        per_second /= 1000;
        u++;
    }
    snprintf(out, UNIT_TEXT, per_second < 100 ? "%.1f %s" : "%.0f %s", per_second, units[u]);
    return out;
}

static void limits_print(const doc *limits, FILE *to)
{
    const doc *gathers = doc_get(limits, "gathers");
    char text[UNIT_TEXT], rate[UNIT_TEXT], line[600] = "";
    for (uint64_t i = 0; i < doc_size(gathers); i++)
        text_append(line, sizeof line, "%s %s from %s", i ? "," : "",
                    rate_text(rate, doc_real_value(doc_get(doc_at(gathers, i), "loads_per_second"), 0)),
                    units_bytes(text, (uint64_t)doc_integer_value(doc_get(doc_at(gathers, i), "span_bytes"), 0)));
    terminal_print(to, "memory: read %.1f GB/s, triad %.1f GB/s; random 4-byte loads%s\n\n",
                   doc_real_value(doc_get(limits, "read_gbps"), 0), doc_real_value(doc_get(limits, "triad_gbps"), 0),
                   line);
}

void bench_print(const doc *result, FILE *to)
{
    limits_print(doc_get(result, "limits"), to);
    columns_show(bench_columns, doc_get(result, "rows"), NULL, to);
}

void bench_against_print(const doc *result, const doc *old, FILE *to)
{
    static const char *const headers[] = {"case", ">before", ">now", ">speed-up", ">limit before", ">limit now", NULL};
    struct table *t = table_new(headers);
    const doc *rows = doc_get(result, "rows"), *before = doc_get(old, "rows");
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        const doc *r = doc_at(rows, i), *b = NULL;
        for (uint64_t j = 0; j < doc_size(before); j++)
            if (!strcmp(doc_text_value(doc_get(doc_at(before, j), "name"), ""),
                        doc_text_value(doc_get(r, "name"), "-")))
                b = doc_at(before, j);
        double was = doc_real_value(doc_get(b, "per_second"), 0), is = doc_real_value(doc_get(r, "per_second"), 0);
        table_add(t, "%s", doc_text_value(doc_get(r, "name"), ""));
        table_add_rate(t, was > 0 ? was : NAN);
        table_add_rate(t, is);
        if (was > 0) table_add(t, "%.2fx", is / was);
        else table_add(t, "-");
        table_add_seconds(t, doc_number(b, "limit_seconds"));
        table_add_seconds(t, doc_real_value(doc_get(r, "limit_seconds"), 0));
    }
    table_show(t, to);
}
