/* tier_print.c - tiers/1 for people (declared in tier_document.h). */
#include <math.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/units.h"
#include "planner/results/tier_document.h"

static void add_share(struct table *t, double part, double all)
{
    if (all > 0) table_add(t, "%.1f %%", 100 * part / all);
    else table_add(t, "-");
}

static double sum_of(const doc *list, const char *key)
{
    double sum = 0;
    for (uint64_t i = 0; i < doc_size(list); i++) sum += doc_number(doc_at(list, i), key);
    return sum;
}

static void places_print(const doc *places, const doc *way, FILE *to)
{
    static const char *const headers[] = {"memory",          ">room",          ">used",
                                          ">feature rows",   ">topology rows", ">feature reads",
                                          ">topology lines", ">seconds",       NULL};
    const doc *served = doc_get(way, "places");
    double features = sum_of(served, "feature_reads"), lines = sum_of(served, "topology_lines"),
           seconds = sum_of(served, "seconds");
    struct table *t = table_new(headers);
    for (uint64_t k = 0; k < doc_size(places); k++) {
        const doc *p = doc_at(places, k), *s = doc_at(served, k);
        char rows[UNIT_TEXT], lists[UNIT_TEXT];
        table_add(t, "%s", doc_text_value(doc_get(p, "name"), "?"));
        if (doc_is_null(doc_get(p, "capacity_bytes"))) table_add(t, "-");
        else table_add_bytes(t, doc_number(p, "capacity_bytes"));
        table_add_bytes(t, doc_number(s, "used_bytes"));
        table_add(t, "%s", units_count(rows, (uint64_t)doc_number(s, "feature_rows")));
        table_add(t, "%s", units_count(lists, (uint64_t)doc_number(s, "topology_rows")));
        add_share(t, doc_number(s, "feature_reads"), features);
        add_share(t, doc_number(s, "topology_lines"), lines);
        add_share(t, doc_number(s, "seconds"), seconds);
    }
    table_show(t, to);
}

static void ways_print(const doc *ways, FILE *to)
{
    static const char *const headers[] = {"planned",    ">seconds/epoch",    ">of one problem",
                                          ">predicted", ">prediction error", NULL};
    struct table *t = table_new(headers);
    double one = doc_number(doc_at(ways, MEMORIES_ONE), "simulated_seconds");
    for (uint64_t i = 0; i < doc_size(ways); i++) {
        const doc *w = doc_at(ways, i);
        double error = doc_number(w, "prediction_error");
        table_add(t, "%s", doc_text_value(doc_get(w, "way"), "?"));
        table_add_seconds(t, doc_number(w, "simulated_seconds"));
        add_share(t, doc_number(w, "simulated_seconds"), one);
        table_add_seconds(t, doc_number(w, "predicted_seconds"));
        if (isnan(error)) table_add(t, "-");
        else table_add(t, "%+.2f %%", 100 * error);
    }
    table_show(t, to);
}

void tier_print(const doc *d, FILE *to)
{
    long long nodes = (long long)doc_integer_value(doc_get(d, "nodes"), 1);
    const doc *ways = doc_get(d, "ways");
    double above = doc_number(d, "above_bound");
    terminal_print(to,
                   "%lld x %s, training vertices in parts by %s; what each memory holds, and serves of all reads:\n\n",
                   nodes, doc_text_value(doc_get(d, "server"), "?"),
                   doc_text_value(doc_get(doc_get(d, "partition"), "method"), "?"));
    places_print(doc_get(d, "places"), doc_at(ways, MEMORIES_ONE), to);
    fputc('\n', to);
    ways_print(ways, to);
    terminal_print(to, "seconds: of all reads of a held-out epoch, per GPU, as if none overlapped; tier by tier: GPUs "
                       "are filled first, then DRAM, each for its own readers; homes only: nothing is copied\n");
    if (isfinite(above))
        terminal_print(to, "one problem is at most %.2f %% above the best there is, by expected reads\n",
                       100 * fmax(0, above));
}
