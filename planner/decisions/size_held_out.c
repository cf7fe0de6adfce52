#include "planner/decisions/size_held_out.h"

#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "planner/decisions/size_error.h"

/* Sums over the cases that are alike. */
struct covered {
    const char *name;
    int cases;
    int64_t points, inside;
    double log_width; /* over points */
};

static void put_covered(doc *d, const struct covered *c)
{
    DOC_PUT(d, IS("points", c->points), IS("inside", c->inside),
            IS("coverage", c->points ? doc_real((double)c->inside / (double)c->points) : doc_null()),
            IS("width", c->points ? doc_real(exp(c->log_width / (double)c->points)) : doc_null()));
}

static void size_held_out_add(struct covered *c, const doc *one)
{
    int64_t points = doc_integer_value(doc_get(one, "points"), 0);
    c->cases++;
    c->points += points;
    c->inside += doc_integer_value(doc_get(one, "inside"), 0);
    if (points) c->log_width += (double)points * log(doc_number(one, "width"));
}

/* Cases by what their key says ("model", "timed"), in the order of the first of each. */
static doc *covered_by(const doc *cases, const char *key)
{
    doc *list = doc_array();
    for (uint64_t i = 0; i < doc_size(cases); i++) {
        struct covered c = {.name = doc_text_value(doc_get(doc_at(cases, i), key), "")};
        bool seen = false;
        for (uint64_t k = 0; k < doc_size(cases); k++) {
            if (strcmp(c.name, doc_text_value(doc_get(doc_at(cases, k), key), "")) != 0) continue;
            seen |= k < i;
            size_held_out_add(&c, doc_at(cases, k));
        }
        if (seen) continue;
        doc *d = DOC(IS(key, c.name), IS("cases", c.cases));
        put_covered(d, &c);
        doc_append(list, d);
    }
    return list;
}

enum st size_held_out_make(doc **out, struct err *err)
{
    struct size_held_out sum;
    struct covered all = {0};
    OWNED_DOC doc *d = NULL, *cases = doc_array();
    PASS(size_errors_held_out(&sum, cases, err));
    for (uint64_t i = 0; i < doc_size(cases); i++) size_held_out_add(&all, doc_at(cases, i));
    d = doc_object();
    doc_put(d, "schema", doc_text("held-out/1"));
    put_covered(d, &all);
    DOC_PUT(d, IS("kinds", covered_by(cases, "timed")), IS("models", covered_by(cases, "model")), IS("cases", cases));
    cases = NULL;
    if (!doc_whole(d)) return err_set(err, ST_LIMIT, "memory ran out while the results were written");
    *out = TAKE(d);
    return ST_OK;
}

/* ---- tables ---- */

#define COVERED                                                                                                        \
    COLUMN("points", "points", CELL_COUNT), COLUMN("inside", "inside", CELL_COUNT),                                    \
        COLUMN("coverage", "inside/points", CELL_PERCENT, .form = "%.0f %%"),                                          \
        COLUMN("high / low", "width", CELL_FORM, .form = "%.2f")
static const struct column
    timed[] = {COLUMN("timed", "timed", CELL_TEXT), COVERED, COLUMN("cases", "cases", CELL_COUNT), {0}},
    models[] = {COLUMN("model", "model", CELL_TEXT), COVERED, COLUMN("cases", "cases", CELL_COUNT), {0}},
    left_out[] = {COLUMN("case left out", "case", CELL_TEXT),
                  COVERED,
                  COLUMN("predicted by", "from", CELL_TEXT, .none = ""),
                  {0}};

void size_held_out_print(const doc *held_out, FILE *to)
{
    int64_t points = doc_integer_value(doc_get(held_out, "points"), 0),
            inside = doc_integer_value(doc_get(held_out, "inside"), 0);
    fprintf(to,
            "%lld of %lld points (%.1f %%) are inside the 90 %% interval that the other cases give; "
            "high / low is %.2f\n\n",
            (long long)inside, (long long)points, 100.0 * (double)inside / (double)points,
            doc_number(held_out, "width"));
    columns_show(timed, doc_get(held_out, "kinds"), NULL, to);
    fputs("no case times a network between servers\n\n", to);
    columns_show(models, doc_get(held_out, "models"), NULL, to);
    fputc('\n', to);
    columns_show(left_out, doc_get(held_out, "cases"), NULL, to);
}
