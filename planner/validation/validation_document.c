#include "planner/validation/validation_document.h"

#include <math.h>

/* What a point's error counts when the worst come first. */
static double badness(const struct validation_point *p) { return isnan(p->error) ? INFINITY : fabs(p->error); }

static doc *points_document(const struct validation_case *c)
{
    int order[CASE_POINTS_MAX];
    doc *all = doc_array();
    for (int i = 0; i < c->points; i++) {
        int at = i;
        for (; at && badness(&c->point[order[at - 1]]) < badness(&c->point[i]); at--) order[at] = order[at - 1];
        order[at] = i;
    }
    for (int i = 0; i < c->points; i++) {
        const struct validation_point *p = &c->point[order[i]];
        doc *one = doc_object();
        doc_put(one, "name", doc_text(p->name));
        doc_put(one, "use", doc_text(point_use_name(p->use)));
        doc_put(one, "server", doc_text(p->server ? p->server->name : NULL));
        doc_put(one, "measured", doc_real(p->measured));
        doc_put(one, "predicted", doc_real(p->predicted));
        doc_put(one, "error", doc_real(p->error));
        doc_put(one, "note", doc_text(p->note));
        doc_append(all, one);
    }
    return all;
}

static doc *parameters_document(const struct validation_case *c)
{
    doc *all = doc_array();
    for (int i = 0; i < c->parameters; i++) {
        doc *one = doc_object();
        doc_put(one, "name", doc_text(c->model->parameters[i].name));
        doc_put(one, "about", doc_text(c->model->parameters[i].about));
        doc_put(one, "value", doc_real(c->parameter[i]));
        doc_put(one, "fitted", doc_bool(c->fitted[i]));
        doc_append(all, one);
    }
    return all;
}

static doc *words_document(const doc *list)
{
    doc *all = doc_array();
    for (uint64_t i = 0; i < doc_size(list); i++) doc_append(all, doc_text(doc_text_value(doc_at(list, i), "")));
    return all;
}

static doc *case_document(const struct validation_case *c)
{
    struct validation_summary s = validation_summarise(c);
    doc *d = doc_object();
    doc_put(d, "name", doc_text(c->name));
    doc_put(d, "title", doc_text(c->title));
    doc_put(d, "source", doc_text(c->source));
    doc_put(d, "hardware", doc_text(c->hardware));
    doc_put(d, "known", words_document(c->known));
    doc_put(d, "assumed", words_document(c->assumed));
    doc_put(d, "reason", words_document(c->reason));
    doc_put(d, "model", doc_text(c->model->name));
    doc_put(d, "model_summary", doc_text(c->model->summary));
    doc_put(d, "quantity", doc_text(c->quantity));
    doc_put(d, "unit", doc_text(c->unit));
    doc_put(d, "tolerance", doc_real(c->tolerance));
    doc_put(d, "parameters", parameters_document(c));
    doc_put(d, "verdict", doc_text(validation_verdict_name(s.verdict)));
    doc_put(d, "points", doc_integer(c->points));
    doc_put(d, "points_fitted", doc_integer(s.fitted));
    doc_put(d, "within", doc_integer(s.within));
    doc_put(d, "worst", doc_real(s.worst));
    doc_put(d, "median", doc_real(s.median));
    doc_put(d, "worst_residual", doc_real(s.worst_residual));
    doc_put(d, "measured", points_document(c));
    return d;
}

doc *validation_document(const struct validation_case *cases, int count)
{
    doc *d = doc_object(), *all = doc_array(), *counts = doc_object();
    int verdicts[3] = {0}, order[CASES_MAX];
    validation_worst_first(cases, count, order);
    doc_put(d, "schema", doc_text("validation/1"));
    doc_put(d, "counts", counts);
    for (int i = 0; i < count; i++) {
        doc_append(all, case_document(&cases[order[i]]));
        verdicts[validation_summarise(&cases[i]).verdict]++;
    }
    doc_put(counts, "met", doc_integer(verdicts[CASE_MET]));
    doc_put(counts, "missed", doc_integer(verdicts[CASE_MISSED]));
    doc_put(counts, "not_known", doc_integer(verdicts[CASE_UNKNOWN]));
    doc_put(d, "cases", all);
    return d;
}
