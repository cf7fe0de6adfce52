#include "planner/decisions/what_if.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/decisions/size_sentence.h"

/* ---- inputs ---- */

void what_if_add(struct what_if *w, const struct size_errors *errors, struct what_if_input input)
{
    if (w->inputs == WHAT_IF_INPUTS) return;
    input.low = 0.5;
    input.high = 2;
    snprintf(input.source, sizeof input.source, "chosen, not measured: half to twice");
    if (input.kind >= 0) {
        const bool products = input.kind == ERROR_KINDS;
        const struct size_error *e = products ? &errors->products : &errors->kind[input.kind];
        input.low = exp(-e->half);
        input.high = exp(e->half);
        snprintf(input.source, sizeof input.source, "hotset lab validate: 90 %% of predictions of %s, %d points of %s",
                 products ? "products" : size_error_kind_name(input.kind), e->points, e->cases);
    }
    w->input[w->inputs++] = input;
}

/* "compute" names "compute:A10G", too. */
static bool names(const char *asked, const char *name)
{
    size_t length = strlen(asked);
    return !strncmp(asked, name, length) && (!name[length] || name[length] == ':');
}

static enum st read_range(const char *text, struct what_if_input *input, struct err *err)
{
    char low[32];
    const char *dots = strstr(text, "..");
    if (!dots || dots - text >= (long)sizeof low)
        return err_set(err, ST_USAGE, "--vary: %s=%.40s is no range; write factors, as %s=0.5..2", input->name, text,
                       input->name);
    snprintf(low, sizeof low, "%.*s", (int)(dots - text), text);
    PASS(units_real(low, "--vary", &input->low, err));
    PASS(units_real(dots + 2, "--vary", &input->high, err));
    if (!(input->low > 0 && input->low <= 1 && input->high >= 1 && input->high <= 1000))
        return err_set(err, ST_USAGE, "--vary: %s=%.40s; expected factors around 1, from above 0 to 1000, as %s=0.5..2",
                       input->name, text, input->name);
    input->given = true;
    snprintf(input->source, sizeof input->source, "given with --vary");
    return ST_OK;
}

enum st what_if_vary(struct what_if *w, const char *text, struct err *err)
{
    char copy[1000], *part[WHAT_IF_INPUTS], known[1000] = "";
    bool named[WHAT_IF_INPUTS] = {false};
    if (!text) return ST_OK;
    for (int i = 0; i < w->inputs; i++) text_append(known, sizeof known, "%s%s", i ? ", " : "", w->input[i].name);
    if (strlen(text) >= sizeof copy) return err_set(err, ST_USAGE, "--vary: the list is too long");
    strcpy(copy, text);
    int count = text_split(copy, ',', part, WHAT_IF_INPUTS);
    if (count < 0) return err_set(err, ST_USAGE, "--vary: more than %d inputs", WHAT_IF_INPUTS);
    for (int k = 0; k < count; k++) {
        char *range = strchr(part[k], '=');
        bool any = false;
        if (range) *range++ = '\0';
        for (int i = 0; i < w->inputs; i++) {
            if (!names(part[k], w->input[i].name)) continue;
            if (range) PASS(read_range(range, &w->input[i], err));
            named[i] = any = true;
        }
        if (!any)
            return err_set(err, ST_USAGE, "--vary: '%.40s' is no input here; expected some of %s", part[k], known);
    }
    /* value() knows an input by its place: the order stays, the others are not moved */
    for (int i = 0; i < w->inputs; i++)
        if (!named[i]) w->input[i].low = w->input[i].high = 1;
    return ST_OK;
}

/* ---- moving one ---- */

struct outcome {
    double seconds; /* of the subject that is the answer with nothing moved */
    char decision[WHAT_IF_TEXT];
    int subject;
};

static enum st evaluate(struct what_if *w, int input, double factor, int of, struct outcome *out, struct err *err)
{
    struct what_if_value value[WHAT_IF_SUBJECTS];
    for (int i = 0; i < w->subjects; i++) PASS(w->value(w->of, i, input, factor, &value[i], err));
    out->subject = w->decide(w->of, input, factor, value, out->decision);
    int shown = of >= 0 ? of : out->subject >= 0 ? out->subject : 0;
    out->seconds = value[shown].seconds;
    return ST_OK;
}

/* Where the decision first changes between 1 and `end`; *at NaN: nowhere on the grid. */
static enum st flip(struct what_if *w, int input, double end, const struct outcome *base, int of, double *at,
                    struct outcome *then, struct err *err)
{
    int grid = w->input[input].drawn ? 2 : WHAT_IF_GRID, halvings = w->input[input].drawn ? 4 : 24;
    double same = 0, other = NAN;
    struct outcome o;
    *at = NAN;
    for (int i = 1; i <= grid && isnan(other); i++) {
        PASS(evaluate(w, input, exp(log(end) * i / grid), of, &o, err));
        if (strcmp(o.decision, base->decision)) {
            other = log(end) * i / grid;
            *then = o;
        } else same = log(end) * i / grid;
    }
    for (int i = 0; i < halvings && !isnan(other); i++) {
        double middle = (same + other) / 2;
        PASS(evaluate(w, input, exp(middle), of, &o, err));
        if (strcmp(o.decision, base->decision)) {
            other = middle;
            *then = o;
        } else same = middle;
    }
    if (!isnan(other)) *at = exp(other);
    return ST_OK;
}

/* What a factor makes of an input, as a number and as people read it: "7.09 GB/s", "216 M edges/s", "16,000". */
static void put_value(doc *to, const struct what_if_input *input, double factor)
{
    double v = input->now * factor;
    char number[UNIT_TEXT], text[2 * UNIT_TEXT];
    doc_put(to, "value", doc_real(v));
    if (isnan(v)) return;
    if (v < 1000) snprintf(number, sizeof number, "%.3g", v);
    snprintf(text, sizeof text, "%s%s%s", v < 1000 ? number : size_about(number, v), *input->unit ? " " : "",
             input->unit);
    doc_put(to, "text", doc_text(text));
}

static enum st move(struct what_if *w, int i, const struct outcome *base, int of, doc *d, struct err *err)
{
    enum st st = ST_OK;
    const struct what_if_input *input = &w->input[i];
    const double end[2] = {input->low, input->high};
    static const char *const side[] = {"low", "high"};
    struct outcome o, then;
    double at;
    doc *flips = doc_array();
    DOC_PUT(d, IS("name", input->name), IS("what", input->what), IS("now", input->now), IS("unit", input->unit),
            IS("source", input->source));
    for (int k = 0; k < 2; k++) {
        doc *e = doc_object();
        doc_put(d, side[k], e);
        TRY(evaluate(w, i, end[k], of, &o, err));
        doc_put(e, "factor", doc_real(end[k]));
        put_value(e, input, end[k]);
        DOC_PUT(e, IS("epoch_seconds", o.seconds), IS("decision", o.decision));
        TRY(flip(w, i, end[k], base, of, &at, &then, err));
        if (isnan(at)) continue;
        doc *f = doc_object();
        doc_put(f, "factor", doc_real(at));
        put_value(f, input, at);
        DOC_PUT(f, IS("epoch_seconds", then.seconds), IS("decision", then.decision));
        doc_append(flips, f);
    }
done:
    doc_put(d, "flips", flips);
    return st;
}

static double swing(const doc *d)
{
    return fabs(doc_real_value(doc_get(doc_get(d, "high"), "epoch_seconds"), 0) -
                doc_real_value(doc_get(doc_get(d, "low"), "epoch_seconds"), 0));
}

/* Widest first; of equals those that come first stay first. */
static doc *sorted(doc *const *list, int count)
{
    doc *out = doc_array();
    bool used[WHAT_IF_INPUTS] = {false};
    for (int n = 0; n < count; n++) {
        int best = -1;
        for (int i = 0; i < count; i++)
            if (!used[i] && (best < 0 || swing(list[i]) > swing(list[best]))) best = i;
        used[best] = true;
        doc_append(out, list[best]);
    }
    return out;
}

enum st what_if_run(struct what_if *w, doc **out, struct err *err)
{
    enum st st = ST_OK;
    struct outcome base;
    doc *list[WHAT_IF_INPUTS], *d = doc_object(), *subjects = doc_array();
    int made = 0;
    DOC_PUT(d, IS("schema", "what-if/1"), IS("subjects", subjects));
    TRY(evaluate(w, -1, 1, -1, &base, err));
    for (int i = 0; i < w->subjects; i++) {
        struct what_if_value v;
        doc *s = doc_object();
        doc_append(subjects, s);
        TRY(w->value(w->of, i, -1, 1, &v, err));
        DOC_PUT(s, IS("name", w->subject[i]), IS("epoch_seconds", v.seconds), IS("binds", v.binds));
    }
    DOC_PUT(d, IS("decision", base.decision), IS("of", w->subject[base.subject >= 0 ? base.subject : 0]),
            IS("epoch_seconds", base.seconds));
    for (int i = 0; i < w->inputs; i++) {
        if (w->input[i].low == 1 && w->input[i].high == 1) continue;
        list[made] = doc_object();
        made++;
        TRY(move(w, i, &base, base.subject >= 0 ? base.subject : 0, list[made - 1], err));
    }
    doc_put(d, "inputs", sorted(list, made));
    *out = d;
    return ST_OK;
done:
    for (int i = 0; i < made; i++) doc_free(list[i]);
    doc_free(d);
    return st;
}
