#include "planner/commands/dynamic_cache_print.h"

#include <math.h>
#include <string.h>

#include "base/terminal.h"
#include "base/units.h"
#include "planner/results/table_values.h"

/* The last column is there under --stamp only. */
static bool has_speed(const doc *of) { return doc_get(of, "requests_per_second"); }

static void add_speed(struct table *t, const doc *of)
{
    if (has_speed(of)) table_add(t, "%.1f", doc_number(of, "requests_per_second") / 1e6);
}

static void add_rates(struct table *t, const doc *simulated)
{
    table_percent(t, doc_number(simulated, "feature_hit_rate"));
    table_percent(t, doc_number(simulated, "topology_hit_rate"));
    table_count(t, doc_get(simulated, "feature_transactions"));
    table_count(t, doc_get(simulated, "total_transactions"));
}

/* The plan without another cache: its feature rows lie still. */
static void add_plan(struct table *t, const doc *row, uint64_t held)
{
    const doc *d = doc_get(row, "dynamic"), *s = doc_get(row, "simulated");
    char text[UNIT_TEXT];
    table_add(t, "(plan: %s)", doc_text_value(doc_get(row, "policy"), "?"));
    if (d) table_count(t, doc_get(d, "rows"));
    else table_add(t, "%s", units_count(text, held));
    add_rates(t, s);
    table_count(t, doc_get(d, "replaced_rows"));
    table_bytes(t, doc_get(d, "replaced_bytes"));
}

void dynamic_cache_print(const doc *rows, uint64_t held, FILE *to)
{
    const doc *first = doc_get(doc_at(rows, doc_size(rows) - 1), "dynamic");
    const char *const headers[] = {"cache",
                                   ">rows",
                                   ">feature hits",
                                   ">topology hits",
                                   ">feature trans./epoch",
                                   ">all trans./epoch",
                                   ">rows written",
                                   ">bytes written",
                                   has_speed(first) ? ">M requests/s" : NULL,
                                   NULL};
    struct table *t = table_new(headers);
    add_plan(t, doc_at(rows, 0), held);
    if (has_speed(first)) table_add(t, "-");
    for (uint64_t i = 1; i < doc_size(rows); i++) {
        const doc *d = doc_get(doc_at(rows, i), "dynamic"), *s = doc_get(doc_at(rows, i), "simulated");
        table_add(t, "%s", doc_text_value(doc_get(d, "cache"), "?"));
        table_count(t, doc_get(d, "rows"));
        add_rates(t, s);
        table_count(t, doc_get(d, "replaced_rows"));
        table_bytes(t, doc_get(d, "replaced_bytes"));
        add_speed(t, d);
    }
    table_keep(t, "all trans./epoch,feature hits");
    table_show(t, to);
    terminal_print(to,
                   "one cache per %s, empty at first; missed rows enter %s; rows and bytes written are sums over the "
                   "epochs\n",
                   doc_text_value(doc_get(first, "share"), "?"),
                   strcmp(doc_text_value(doc_get(first, "admission"), ""), "batch") ? "before the next request"
                                                                                    : "at the end of their mini-batch");
}

void dynamic_cache_requests_print(const doc *d, FILE *to)
{
    const doc *caches = doc_get(d, "caches");
    const char *const headers[] = {"cache",
                                   ">requests",
                                   ">misses",
                                   ">miss ratio",
                                   ">rows written",
                                   has_speed(doc_at(caches, 0)) ? ">M requests/s" : NULL,
                                   NULL};
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(caches); i++) {
        const doc *one = doc_at(caches, i);
        table_add(t, "%s", doc_text_value(doc_get(one, "cache"), "?"));
        table_count(t, doc_get(d, "requests"));
        table_count(t, doc_get(one, "misses"));
        table_percent(t, doc_number(one, "miss_ratio"));
        table_count(t, doc_get(one, "replaced_rows"));
        add_speed(t, one);
    }
    table_show(t, to);
}
