#include "planner/commands/curve_print.h"

#include <math.h>
#include <string.h>

#include "base/terminal.h"
#include "base/units.h"
#include "planner/results/table_values.h"

/* Sizes that the table shows, in percent; those that are no size of the curve are left out. */
static const int shown[] = {1, 2, 5, 10, 20, 50, 100};
enum { SHOWN = sizeof shown / sizeof *shown };

static void add_knee(struct table *t, const doc *knee, const doc *price, double caches)
{
    table_percent(t, doc_number(knee, "share"));
    table_bytes(t, doc_get(knee, "bytes"));
    table_percent(t, doc_number(knee, "hit_rate"));
    double cost = doc_number(knee, "bytes") / (1 << 30) * doc_number(price, "per_gib_hour") * caches;
    if (doc_is_object(price)) table_add_real(t, cost);
}

/* Whether a line that is not exact has size `at` from sizes beside it. */
static bool between(const doc *l, uint64_t at)
{
    const doc *simulated = doc_get(l, "simulated");
    for (uint64_t i = 0; i < doc_size(simulated); i++)
        if (doc_integer_value(doc_at(simulated, i), -1) == (int64_t)at) return false;
    return simulated;
}

/* A share, marked where it lies between simulated sizes; returns whether it does. */
static bool add_rate(struct table *t, const doc *l, uint64_t at)
{
    char text[UNIT_TEXT];
    double rate = doc_real_value(doc_at(doc_get(l, "hit_rate"), at), NAN);
    bool marked = between(l, at);
    if (marked) table_add(t, "~%s", units_percent(text, rate));
    else table_percent(t, rate);
    return marked;
}

static bool add_line(struct table *t, const doc *l, uint64_t points)
{
    double bar = 0;
    bool marked = false;
    const doc *bars = doc_get(l, "bar");
    table_add(t, "%s", doc_text_value(doc_get(l, "name"), "?"));
    for (int i = 0; i < SHOWN; i++) {
        if ((uint64_t)shown[i] * points % 100) continue;
        marked |= add_rate(t, l, (uint64_t)shown[i] * points / 100);
    }
    for (uint64_t i = 0; i < doc_size(bars); i++) bar = fmax(bar, doc_real_value(doc_at(bars, i), 0));
    if (doc_bool_value(doc_get(l, "exact"), true)) table_add(t, "exact");
    else table_add(t, "+-%.2f", 100 * bar);
    return marked;
}

static void table_of(const doc *d, const doc *part, FILE *to)
{
    char head[SHOWN][16];
    const char *columns[SHOWN + 7] = {"hit rate at"};
    const doc *lines = doc_get(part, "lines"), *price = doc_get(d, "price");
    uint64_t points = doc_count(d, "points");
    int n = 1;
    bool marked = false;
    for (int i = 0; i < SHOWN; i++) {
        if ((uint64_t)shown[i] * points % 100) continue;
        snprintf(head[i], sizeof head[i], ">%d %%", shown[i]);
        columns[n++] = head[i];
    }
    columns[n++] = ">bar";
    columns[n++] = ">knee";
    columns[n++] = ">size";
    columns[n++] = ">hits";
    if (doc_is_object(price)) columns[n++] = ">per hour";
    struct table *t = table_new(columns);
    for (uint64_t i = 0; i < doc_size(lines); i++) {
        const doc *l = doc_at(lines, i);
        marked |= add_line(t, l, points);
        add_knee(t, doc_get(l, "knee"), price, (double)doc_count(part, "caches"));
    }
    table_keep(t, "knee,hits");
    table_print(t, to);
    if (marked) fputs("~: not simulated, lies between simulated sizes; its bar is wider\n", to);
    table_free(t);
}

static void heading(const doc *d, const doc *part, FILE *to)
{
    char requests[UNIT_TEXT], rows[UNIT_TEXT], bytes[UNIT_TEXT], distinct[UNIT_TEXT];
    const char *share = doc_text_value(doc_get(d, "share"), "gpu");
    uint64_t caches = doc_count(part, "caches");
    bool sized = strcmp(share, "file");
    terminal_print(to, "%s: %s requests for %s rows%s%s\n", doc_text_value(doc_get(part, "table"), "?"),
                   units_count(requests, doc_count(part, "requests")), units_count(rows, doc_count(part, "rows")),
                   sized ? ", " : "", sized ? units_bytes(bytes, doc_count(part, "bytes")) : "");
    fprintf(to, "%llu cache%s%s; %s distinct rows requested, summed over caches\n", (unsigned long long)caches,
            caches == 1 ? "" : "s",
            !strcmp(share, "gpu")      ? ", one per GPU"
            : !strcmp(share, "clique") ? ", one per clique"
                                       : "",
            units_count(distinct, doc_count(part, "distinct")));
}

void curve_print(const doc *d, FILE *to)
{
    const doc *parts = doc_get(d, "parts"), *price = doc_get(d, "price");
    for (uint64_t i = 0; i < doc_size(parts); i++) {
        const doc *part = doc_at(parts, i);
        if (strcmp(doc_text_value(doc_get(part, "unit"), ""), "all")) continue;
        if (i) fputc('\n', to);
        heading(d, part, to);
        table_of(d, part, to);
    }
    if (doc_is_object(price))
        terminal_print(to, "per hour: GPU memory of the knee's size in every cache, at %s%.3f per GiB and hour\n",
                       doc_text_value(doc_get(price, "currency"), ""), doc_number(price, "per_gib_hour"));
}
