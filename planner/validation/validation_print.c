#include "planner/validation/validation_print.h"

#include <math.h>
#include <string.h>

#include "base/table.h"
#include "planner/validation/validation_model.h"
#include "base/columns.h"

static void add_error(struct table *t, const doc *of, const char *key)
{
    double v = doc_number(of, key);
    if (isnan(v)) table_add(t, "-");
    else table_add(t, "%+.1f %%", 100 * v);
}

static const struct column cases_columns[] = {COLUMN("case", "name", CELL_TEXT),
                                              COLUMN("points", "points", CELL_COUNT),
                                              COLUMN("fitted", "points_fitted", CELL_COUNT),
                                              COLUMN("worst", "worst", CELL_PERCENT, .form = "%+.1f %%"),
                                              COLUMN("median", "median", CELL_PERCENT, .form = "%.1f %%"),
                                              COLUMN("tolerance", "tolerance", CELL_PERCENT, .form = "%.3g %%"),
                                              COLUMN("verdict", "verdict", CELL_TEXT),
                                              {0}};

static bool beyond(const doc *c, const doc *point)
{
    return !(fabs(doc_number(point, "error")) <= doc_real_value(doc_get(c, "tolerance"), 0));
}

/* Rows of the points of a case beyond its tolerance; returns how many were left out. */
static int missed_add(struct table *t, const doc *c, int each)
{
    const doc *points = doc_get(c, "measured");
    int added = 0, out = 0;
    for (uint64_t i = 0; i < doc_size(points); i++) {
        const doc *p = doc_at(points, i);
        if (!beyond(c, p)) continue;
        if (added++ >= each) {
            out++;
            continue;
        }
        table_add(t, "%s", doc_text_value(doc_get(c, "name"), ""));
        table_add(t, "%s", doc_text_value(doc_get(p, "name"), ""));
        table_add(t, "%.4g %s", doc_number(p, "measured"), doc_text_value(doc_get(c, "unit"), ""));
        double predicted = doc_number(p, "predicted");
        if (isnan(predicted)) table_add(t, "-");
        else table_add(t, "%.4g", predicted);
        add_error(t, p, "error");
        table_add(t, "%s", doc_text_value(doc_get(p, "use"), ""));
    }
    return out;
}

static void missed_print(const doc *cases, int each, FILE *to)
{
    static const char *const headers[] =
        {"beyond the tolerance", "point", ">measured", ">predicted", ">error", "use", NULL};
    struct table *t = table_new(headers);
    int out = 0, missed = 0;
    for (uint64_t i = 0; i < doc_size(cases); i++) {
        const doc *c = doc_at(cases, i);
        if (!strcmp(doc_text_value(doc_get(c, "verdict"), ""), "met")) continue;
        missed++;
        out += missed_add(t, c, each);
    }
    if (missed) {
        fputc('\n', to);
        table_print(t, to);
    }
    if (out) fprintf(to, "and %d more; --json and the page have all\n", out);
    table_free(t);
}

/* Why cases miss, one sentence a row. */
static void reasons_print(const doc *cases, FILE *to)
{
    static const char *const headers[] = {"missed", "why", NULL};
    struct table *t = table_new(headers);
    uint64_t rows = 0;
    for (uint64_t i = 0; i < doc_size(cases); i++) {
        const doc *c = doc_at(cases, i), *reason = doc_get(c, "reason");
        if (strcmp(doc_text_value(doc_get(c, "verdict"), ""), "missed")) continue;
        for (uint64_t k = 0; k < doc_size(reason); k++, rows++) {
            table_add(t, "%s", k ? "" : doc_text_value(doc_get(c, "name"), ""));
            table_add(t, "%s", doc_text_value(doc_at(reason, k), ""));
        }
    }
    if (rows) {
        fputc('\n', to);
        table_print(t, to);
    }
    table_free(t);
}

void validation_print(const doc *d, int each, FILE *to)
{
    const doc *cases = doc_get(d, "cases"), *counts = doc_get(d, "counts");
    columns_print(&(struct column_table){.columns = cases_columns, .rows = cases, .keep = "worst,verdict"}, to);
    missed_print(cases, each, to);
    reasons_print(cases, to);
    fprintf(to,
            "\ncases met: %lld; missed: %lld; not known: %lld. error = predicted / measured - 1; points of use 'fit' "
            "are residuals\n",
            (long long)doc_integer_value(doc_get(counts, "met"), 0),
            (long long)doc_integer_value(doc_get(counts, "missed"), 0),
            (long long)doc_integer_value(doc_get(counts, "not_known"), 0));
}

void validation_models_print(FILE *to)
{
    static const char *const headers[] = {"model", "kind", "name", "what it is", NULL};
    struct table *t = table_new(headers);
    for (int i = 0; validation_models_registered[i]; i++) {
        const struct validation_model *m = validation_models_registered[i];
        table_add(t, "%s", m->name);
        table_add(t, "predicts");
        table_add(t, "%s", m->unit ? m->unit : "any unit");
        table_add(t, "%s%s", m->summary, m->server ? "; needs a server" : "");
        for (int k = 0; m->inputs[k].name; k++) {
            table_add(t, "%s", m->name);
            table_add(t, m->inputs[k].list ? "inputs" : "input");
            table_add(t, "%s", m->inputs[k].name);
            table_add(t, "%s", m->inputs[k].about);
        }
        for (int k = 0; m->parameters[k].name; k++) {
            table_add(t, "%s", m->name);
            table_add(t, "parameter");
            table_add(t, "%s", m->parameters[k].name);
            if (isnan(m->parameters[k].usual)) table_add(t, "%s", m->parameters[k].about);
            else table_add(t, "%s; hotset has %g", m->parameters[k].about, m->parameters[k].usual);
        }
    }
    table_show(t, to);
}
