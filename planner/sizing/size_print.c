#include "planner/sizing/size_print.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "planner/sizing/size_sentence.h"

static void add_value(struct table *t, enum size_metric m, const doc *of)
{
    char text[UNIT_TEXT];
    table_add(t, "%s", size_value_text(m, doc_real_value(doc_get(of, size_metric_key(m)), NAN), text));
}

static uint64_t bytes_at(const doc *of, const char *key) { return (uint64_t)doc_integer_value(doc_get(of, key), 0); }

static void add_bytes(struct table *t, const doc *of, const char *key)
{
    char text[UNIT_TEXT];
    table_add(t, "%s", doc_is_null(doc_get(of, key)) ? "-" : units_bytes(text, bytes_at(of, key)));
}

static bool given_price(const doc *curve)
{
    return !strcmp(doc_text_value(doc_get(curve, "price_source"), ""), "--price");
}

/* One line per curve: what it can hold, what it needs. */
static void curves_print(const doc *of, FILE *to)
{
    static const char *const headers[] = {"what",         ">price/h",    ">memory", ">reserved", ">most cache",
                                          ">needs cache", ">of the GPU", ">knee",   NULL};
    const doc *curves = doc_get(of, "curves");
    struct table *t = table_new(headers);
    char text[UNIT_TEXT];
    for (uint64_t i = 0; i < doc_size(curves); i++) {
        const doc *c = doc_at(curves, i);
        double price = doc_real_value(doc_get(c, "price_per_hour"), NAN);
        table_add(t, "%s", doc_text_value(doc_get(c, "label"), "?"));
        if (isnan(price)) table_add(t, "not stated");
        else table_add(t, "%.2f%s", price, given_price(c) ? " (--price)" : "");
        add_bytes(t, c, "memory_bytes");
        table_add(t, "%s", units_bytes(text, bytes_at(doc_get(c, "reservation"), "total_bytes")));
        if (bytes_at(c, "missing_bytes")) table_add(t, "%s missing", units_bytes(text, bytes_at(c, "missing_bytes")));
        else table_add(t, "%s", units_bytes(text, bytes_at(c, "limit_bytes")));
        if (doc_bool_value(doc_get(c, "unsure"), false)) table_add(t, "not known");
        else add_bytes(t, c, "answer_budget_bytes");
        add_bytes(t, c, "answer_gpu_bytes");
        add_bytes(t, c, "knee_budget_bytes");
    }
    table_print(t, to);
    table_free(t);
    for (uint64_t i = 0; i < doc_size(curves); i++) {
        const doc *c = doc_at(curves, i), *unknown = doc_get(c, "unknown");
        if (!doc_size(unknown)) continue;
        fprintf(to, "%s: epoch times are not known, because the server's description lacks",
                doc_text_value(doc_get(c, "label"), "?"));
        for (uint64_t k = 0; k < doc_size(unknown); k++)
            fprintf(to, "%s %s", k ? "," : "", doc_text_value(doc_at(unknown, k), "?"));
        fputc('\n', to);
    }
}

/* The points of the curve that is shown. */
static void points_print(const doc *of, FILE *to)
{
    static const char *const headers[] = {"",       ">cache/GPU", ">feat. hits", ">topo. hits", ">transactions",
                                          ">epoch", ">cost",      "bottleneck",  NULL};
    const doc *list = doc_get(of, "candidates");
    int64_t shown = doc_integer_value(doc_get(of, "shown"), -1),
            answer = doc_integer_value(doc_get(doc_get(of, "answer"), "candidate"), -1),
            knee = doc_integer_value(doc_get(doc_get(of, "knee"), "candidate"), -1);
    struct table *t = table_new(headers);
    char text[UNIT_TEXT];
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *p = doc_at(list, i);
        if (doc_integer_value(doc_get(p, "curve"), -2) != shown) continue;
        table_add(t, "%s",
                  (int64_t)i == answer                                        ? "answer"
                  : (int64_t)i == knee                                        ? "knee"
                  : doc_bool_value(doc_get(p, "meets"), false) && answer >= 0 ? "meets"
                                                                              : "");
        table_add(t, "%s", units_bytes(text, bytes_at(p, "budget_bytes")));
        for (int m = 0; m < SIZE_METRICS; m++) add_value(t, (enum size_metric)m, p);
        if (doc_is_null(doc_get(p, "bottleneck"))) table_add(t, "-");
        else
            table_add(t, "%s: %s", doc_text_value(doc_get(p, "bottleneck"), "?"),
                      doc_text_value(doc_get(p, "limited_by"), "?"));
    }
    table_print(t, to);
    table_free(t);
}

static void next_print(const doc *of, FILE *to)
{
    const doc *n = doc_get(of, "next_gigabyte"), *k = doc_get(of, "knee");
    char a[UNIT_TEXT], b[UNIT_TEXT], c[UNIT_TEXT];
    double saved = -doc_real_value(doc_get(n, "epoch_seconds"), NAN),
           fewer = -doc_real_value(doc_get(n, "transactions"), NAN);
    if (doc_is_object(k))
        fprintf(to, "knee: %s per GPU (%s)\n", units_bytes(a, bytes_at(k, "budget_bytes")),
                doc_text_value(doc_get(k, "rule"), "?"));
    if (!doc_is_object(n)) return;
    fprintf(to, "another %s per GPU on top of %s: %+.2f points of feature hit rate, %s fewer transactions per epoch",
            units_bytes(a, bytes_at(n, "more_bytes")), units_bytes(b, bytes_at(n, "from_budget_bytes")),
            100 * doc_real_value(doc_get(n, "feature_hit_rate"), 0), units_count(c, fewer > 0 ? (uint64_t)fewer : 0));
    if (!isnan(saved)) fprintf(to, ", %s less time", size_seconds_text(saved > 0 ? saved : 0, c));
    fputc('\n', to);
}

static void range_print(const doc *u, enum size_metric m, FILE *to)
{
    const doc *range = doc_get(u, size_metric_key(m));
    double low = doc_real_value(doc_at(range, 0), NAN), high = doc_real_value(doc_at(range, 1), NAN);
    char a[UNIT_TEXT], b[UNIT_TEXT];
    if (!isnan(low))
        fprintf(to, "  %s %s to %s\n", size_metric_name(m), size_value_text(m, low, a), size_value_text(m, high, b));
}

static void uncertainty_print(const doc *of, FILE *to)
{
    const doc *u = doc_get(of, "uncertainty"), *need = doc_get(u, "answer_budget_bytes");
    char a[UNIT_TEXT], b[UNIT_TEXT];
    if (!doc_is_object(doc_get(of, "stand_in"))) return;
    fprintf(to, "\nthe graph is a stand-in: %s\n", doc_text_value(doc_get(doc_get(of, "stand_in"), "note"), ""));
    if (!doc_is_object(u)) return;
    fprintf(to, "over %llu stand-ins, at %s per GPU:\n", (unsigned long long)doc_size(doc_get(u, "stand_ins")),
            units_bytes(a, bytes_at(u, "budget_bytes")));
    for (int m = 0; m < SIZE_METRICS; m++) range_print(u, (enum size_metric)m, to);
    if (!doc_is_null(doc_at(need, 0)))
        fprintf(to, "  cache that meets the targets: %s to %s per GPU%s\n",
                units_bytes(a, (uint64_t)doc_real_value(doc_at(need, 0), 0)),
                units_bytes(b, (uint64_t)doc_real_value(doc_at(need, 1), 0)),
                doc_bool_value(doc_get(u, "all_meet"), true) ? "" : "; on some stand-ins nothing meets them");
}

static void map_print(const doc *of, FILE *to)
{
    const doc *map = doc_get(of, "vary"), *x = doc_get(map, "x"), *y = doc_get(map, "y"),
              *values = doc_get(map, "values");
    const doc *columns = doc_get(x, "labels"), *rows = doc_get(y, "labels");
    const char *metric = doc_text_value(doc_get(map, "metric"), "");
    int m = 0;
    char text[UNIT_TEXT];
    if (!doc_is_object(map)) return;
    while (m + 1 < SIZE_METRICS && strcmp(metric, size_metric_key((enum size_metric)m))) m++;
    fprintf(to, "\n%s by %s (rows) and %s, at %s:\n", size_metric_name((enum size_metric)m),
            doc_text_value(doc_get(y, "quantity"), "?"), doc_text_value(doc_get(x, "quantity"), "?"),
            doc_text_value(doc_get(map, "at"), "?"));
    for (uint64_t i = 0; i < doc_size(rows); i++)
        for (uint64_t k = 0; k < doc_size(columns); k++)
            fprintf(to, "%s%s%s%s", k ? "  " : doc_text_value(doc_at(rows, i), "?"), k ? "" : ":  ",
                    doc_text_value(doc_at(columns, k), "?"), ""),
                fprintf(to, " = %s%s",
                        size_value_text((enum size_metric)m, doc_real_value(doc_at(doc_at(values, i), k), NAN), text),
                        k + 1 == doc_size(columns) ? "\n" : "");
}

void size_print(const doc *of, FILE *to)
{
    fprintf(to, "%s\n\n", doc_text_value(doc_get(of, "sentence"), ""));
    curves_print(of, to);
    if (!doc_is_null(doc_get(of, "shown"))) {
        fputc('\n', to);
        points_print(of, to);
    }
    next_print(of, to);
    map_print(of, to);
    uncertainty_print(of, to);
    fprintf(to, "\nif an epoch takes longer than with less memory, use the plan for less memory (best_epoch_seconds in "
                "the document)\nhits: shares of feature rows and of topology visits served by the GPU itself or a "
                "peer; transactions: PCIe reads per epoch;\nall simulated on held-out epochs; epoch: modelled from the "
                "server's constants; cost: per epoch, in the currency of price_per_hour (of the whole server)\n");
}
