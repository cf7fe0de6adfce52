#include "planner/commands/dynamic_cache_print.h"

#include <math.h>
#include <string.h>

#include "base/terminal.h"
#include "base/columns.h"

/* The plan without another cache: its feature rows lie still. */
static const char *cache_text(const struct column_row *r, char out[COLUMN_TEXT])
{
    if (r->group) return doc_text_value(doc_get(doc_get(r->row, "dynamic"), "cache"), NULL);
    snprintf(out, COLUMN_TEXT, "(plan: %s)", doc_text_value(doc_get(r->row, "policy"), "?"));
    return out;
}

static double rows_of(const struct column_row *r)
{
    const doc *d = doc_get(r->row, "dynamic");
    return d ? doc_number(d, "rows") : (double)*(const uint64_t *)r->mine;
}

#define SPEED(path)                                                                                                    \
    COLUMN("M requests/s", path "requests_per_second", CELL_FORM, .form = "%.1f", .times = 1e-6, .flags = COLUMN_IF_ANY)
static const struct column caches[] = {COLUMN("cache", NULL, CELL_TEXT, .text = cache_text),
                                       COLUMN("rows", NULL, CELL_COUNT, .number = rows_of),
                                       COLUMN("feature hits", "simulated.feature_hit_rate", CELL_PERCENT),
                                       COLUMN("topology hits", "simulated.topology_hit_rate", CELL_PERCENT),
                                       COLUMN("feature trans./epoch", "simulated.feature_transactions", CELL_COUNT),
                                       COLUMN("all trans./epoch", "simulated.total_transactions", CELL_COUNT),
                                       COLUMN("rows written", "dynamic.replaced_rows", CELL_COUNT),
                                       COLUMN("bytes written", "dynamic.replaced_bytes", CELL_BYTES),
                                       SPEED("dynamic."), /* under --stamp only */
                                       {0}},
                           requested[] = {COLUMN("cache", "cache", CELL_TEXT),
                                          COLUMN("requests", "^requests", CELL_COUNT),
                                          COLUMN("misses", "misses", CELL_COUNT),
                                          COLUMN("miss ratio", "miss_ratio", CELL_PERCENT),
                                          COLUMN("rows written", "replaced_rows", CELL_COUNT),
                                          SPEED(""),
                                          {0}};

void dynamic_cache_print(const doc *rows, uint64_t held, FILE *to)
{
    const doc *first = doc_get(doc_at(rows, doc_size(rows) - 1), "dynamic");
    columns_print(&(struct column_table){.columns = caches,
                                         .rows = rows,
                                         .mine = &held,
                                         .keep = "all trans./epoch,feature hits"},
                  to);
    terminal_print(to,
                   "one cache per %s, empty at first; missed rows enter %s; rows and bytes written are sums over the "
                   "epochs\n",
                   doc_text_value(doc_get(first, "share"), "?"),
                   strcmp(doc_text_value(doc_get(first, "admission"), ""), "batch") ? "before the next request"
                                                                                    : "at the end of their mini-batch");
}

void dynamic_cache_requests_print(const doc *d, FILE *to)
{
    columns_print(&(struct column_table){.columns = requested, .rows = doc_get(d, "caches"), .of = d}, to);
}
