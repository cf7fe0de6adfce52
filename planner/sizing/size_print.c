/* size_print.c - the answer to a size question in words and tables (declared in size_doc.h). */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "planner/sizing/size_doc.h"

static const char *seconds(char out[UNIT_TEXT], double v)
{
    snprintf(out, UNIT_TEXT,
             v < 1e-3 ? "%.3g us"
             : v < 1  ? "%.3g ms"
                      : "%.4g s",
             v < 1e-3 ? 1e6 * v
             : v < 1  ? 1e3 * v
                      : v);
    return out;
}

static const char *value_text(enum size_metric m, double v, char out[UNIT_TEXT])
{
    if (isnan(v)) snprintf(out, UNIT_TEXT, "-");
    else if (size_more_is_better(m)) snprintf(out, UNIT_TEXT, "%.2f %%", 100 * v);
    else if (m == SIZE_SECONDS) seconds(out, v);
    else if (m == SIZE_COST) snprintf(out, UNIT_TEXT, "%.3g", v);
    else units_count(out, (uint64_t)v);
    return out;
}

/* ---- the sentence ---- */

static void add_limit(const struct size_point *p, char out[SIZE_SENTENCE])
{
    if (*p->bottleneck) text_append(out, SIZE_SENTENCE, " The bottleneck is %s (%s).", p->bottleneck, p->limited_by);
}

static void add_values(const struct size_point *p, char out[SIZE_SENTENCE])
{
    char a[UNIT_TEXT], b[UNIT_TEXT], c[UNIT_TEXT];
    text_append(out, SIZE_SENTENCE,
                "%s of feature rows and %s of topology visits are served by GPUs, an epoch reads %s PCIe transactions",
                value_text(SIZE_FEATURE_HIT, p->value[SIZE_FEATURE_HIT], a),
                value_text(SIZE_TOPOLOGY_HIT, p->value[SIZE_TOPOLOGY_HIT], b),
                value_text(SIZE_TRANSACTIONS, p->value[SIZE_TRANSACTIONS], c));
    if (!isnan(p->value[SIZE_SECONDS]))
        text_append(out, SIZE_SENTENCE, " and takes %s", seconds(a, p->value[SIZE_SECONDS]));
    if (!isnan(p->value[SIZE_COST]))
        text_append(out, SIZE_SENTENCE, ", at a cost of %.3g per epoch (in the currency of price_per_hour)",
                    p->value[SIZE_COST]);
    text_append(out, SIZE_SENTENCE, ".");
}

/* "p3.16xlarge:4 (4 GPUs in one NVLink clique)". */
static void add_machine(const struct size_curve *c, char out[SIZE_SENTENCE])
{
    text_append(out, SIZE_SENTENCE, "%s (%d GPU%s", c->label, c->gpus, c->gpus == 1 ? "" : "s");
    if (c->largest_clique > 1 && c->cliques == 1) text_append(out, SIZE_SENTENCE, " in one NVLink clique");
    else if (c->largest_clique > 1) text_append(out, SIZE_SENTENCE, " in %d NVLink cliques", c->cliques);
    text_append(out, SIZE_SENTENCE, ")");
}

static void add_targets(const struct size_question *q, char out[SIZE_SENTENCE])
{
    for (int i = 0; i < q->targets; i++) text_append(out, SIZE_SENTENCE, "%s %s", i ? " and" : "", q->target[i].text);
}

static void answer_sentence(const struct size_result *r, char out[SIZE_SENTENCE])
{
    const struct size_curve *c = &r->curves[r->answer];
    const struct size_point *p = &c->point[c->answer];
    char budget[UNIT_TEXT], step[UNIT_TEXT], less[UNIT_TEXT];
    add_machine(c, out);
    text_append(out, SIZE_SENTENCE, " with %s cached per GPU meets",
                p->budget ? units_bytes(budget, p->budget) : "nothing");
    add_targets(r->q, out);
    text_append(out, SIZE_SENTENCE, ": ");
    add_values(p, out);
    for (int i = 0; c->answer && i < r->q->targets; i++) { /* the target that the step below misses */
        const struct size_target *t = &r->q->target[i];
        if (size_meets(t, p[-1].value[t->metric])) continue;
        text_append(out, SIZE_SENTENCE, " One step (%s) less gives %s %s, which is not enough.",
                    units_bytes(step, p->budget - p[-1].budget), size_metric_name(t->metric),
                    value_text(t->metric, p[-1].value[t->metric], less));
        break;
    }
    add_limit(p, out);
}

/* The reason why nothing meets: no memory, unknown constants, or simply too much asked. */
static void none_sentence(const struct size_result *r, char out[SIZE_SENTENCE])
{
    char text[UNIT_TEXT], budget[UNIT_TEXT];
    if (r->shown < 0) {
        text_append(out, SIZE_SENTENCE, "Nothing fits: on %s a GPU lacks %s bytes before anything is left for a cache.",
                    r->curves[0].label, units_count(text, r->curves[0].missing));
        return;
    }
    const struct size_curve *c = &r->curves[r->shown];
    const struct size_point *p = &c->point[c->count - 1];
    if (r->q->targets) {
        text_append(out, SIZE_SENTENCE, "Nothing that was tried meets");
        add_targets(r->q, out);
        text_append(out, SIZE_SENTENCE, ". The nearest is ");
    }
    add_machine(c, out);
    text_append(out, SIZE_SENTENCE, " with %s cached per GPU: ", units_bytes(budget, p->budget));
    add_values(p, out);
    add_limit(p, out);
    if (c->unknowns && isnan(p->value[SIZE_SECONDS]))
        text_append(out, SIZE_SENTENCE, " Its epoch time is not known: the server's description lacks %s.",
                    c->unknown[0]);
    if (r->primary == SIZE_COST && isnan(c->price)) text_append(out, SIZE_SENTENCE, " Its price is not known.");
}

void size_sentence(const struct size_result *r, char out[SIZE_SENTENCE])
{
    *out = 0;
    if (r->answer >= 0) answer_sentence(r, out);
    else none_sentence(r, out);
}

/* ---- tables ---- */

static void add_value(struct table *t, enum size_metric m, const doc *of)
{
    char text[UNIT_TEXT];
    table_add(t, "%s", value_text(m, doc_real_value(doc_get(of, size_metric_key(m)), NAN), text));
}

static uint64_t bytes_at(const doc *of, const char *key) { return (uint64_t)doc_integer_value(doc_get(of, key), 0); }

/* One line per curve: what it can hold, what it needs. */
static void curves_print(const doc *of, FILE *to)
{
    static const char *const headers[] = {"what",        ">price/h", ">memory", ">reserved",
                                          ">most cache", ">needs",   ">knee",   NULL};
    const doc *curves = doc_get(of, "curves");
    struct table *t = table_new(headers);
    char text[UNIT_TEXT];
    for (uint64_t i = 0; i < doc_size(curves); i++) {
        const doc *c = doc_at(curves, i);
        double price = doc_real_value(doc_get(c, "price_per_hour"), NAN);
        table_add(t, "%s", doc_text_value(doc_get(c, "label"), "?"));
        if (isnan(price)) table_add(t, "-");
        else table_add(t, "%.2f", price);
        table_add(t, "%s",
                  doc_is_null(doc_get(c, "memory_bytes")) ? "-" : units_bytes(text, bytes_at(c, "memory_bytes")));
        table_add(t, "%s", units_bytes(text, bytes_at(doc_get(c, "reservation"), "total_bytes")));
        if (bytes_at(c, "missing_bytes")) table_add(t, "%s missing", units_bytes(text, bytes_at(c, "missing_bytes")));
        else table_add(t, "%s", units_bytes(text, bytes_at(c, "limit_bytes")));
        table_add(t, "%s",
                  doc_is_null(doc_get(c, "answer_budget_bytes")) ? "-"
                                                                 : units_bytes(text, bytes_at(c, "answer_budget_"
                                                                                                 "bytes")));
        table_add(t, "%s",
                  doc_is_null(doc_get(c, "knee_budget_bytes")) ? "-"
                                                               : units_bytes(text, bytes_at(c, "knee_budget_bytes")));
    }
    table_print(t, to);
    table_free(t);
    for (uint64_t i = 0; i < doc_size(curves); i++) {
        const doc *c = doc_at(curves, i), *unknown = doc_get(c, "unknown");
        if (!doc_size(unknown)) continue;
        fprintf(to, "%s: its epoch times are not known, because its description lacks",
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
    fprintf(to, "another %s per GPU on top of %s: %+.2f points of feature hit rate, %s transactions fewer per epoch",
            units_bytes(a, bytes_at(n, "more_bytes")), units_bytes(b, bytes_at(n, "from_budget_bytes")),
            100 * doc_real_value(doc_get(n, "feature_hit_rate"), 0), units_count(c, fewer > 0 ? (uint64_t)fewer : 0));
    if (!isnan(saved)) fprintf(to, ", %s saved", seconds(c, saved > 0 ? saved : 0));
    fputc('\n', to);
}

static void range_print(const doc *u, enum size_metric m, FILE *to)
{
    const doc *range = doc_get(u, size_metric_key(m));
    double low = doc_real_value(doc_at(range, 0), NAN), high = doc_real_value(doc_at(range, 1), NAN);
    char a[UNIT_TEXT], b[UNIT_TEXT];
    if (!isnan(low)) fprintf(to, "  %s %s to %s\n", size_metric_name(m), value_text(m, low, a), value_text(m, high, b));
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
                doc_bool_value(doc_get(u, "all_meet"), true) ? "" : "; on some of them nothing does");
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
                        value_text((enum size_metric)m, doc_real_value(doc_at(doc_at(values, i), k), NAN), text),
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
    fprintf(to, "\nan epoch that is longer than with less memory: the plan for less memory fits, too "
                "(best_epoch_seconds in the document)\n"
                "hits: shares of feature rows and of topology visits that the own or a peer GPU serves; transactions: "
                "PCIe reads per epoch;\n"
                "judged on held-out epochs; epoch times are by the model and the server's constants; cost: per epoch, "
                "in the currency of price_per_hour, which is of the whole server\n");
}
