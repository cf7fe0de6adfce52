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
        doc_append(all, DOC(IS("name", p->name), IS("use", point_use_name(p->use)),
                            IS("server", p->server ? p->server->name : NULL), IS("measured", p->measured),
                            IS("predicted", p->predicted), IS("error", p->error), IS("note", p->note)));
    }
    return all;
}

static doc *parameters_document(const struct validation_case *c)
{
    doc *all = doc_array();
    for (int i = 0; i < c->parameters; i++) {
        doc_append(all, DOC(IS("name", c->model->parameters[i].name), IS("about", c->model->parameters[i].about),
                            IS("value", c->parameter[i]), IS("fitted", c->fitted[i])));
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
    return DOC(IS("name", c->name), IS("title", c->title), IS("source", c->source), IS("hardware", c->hardware),
               IS("known", words_document(c->known)), IS("assumed", words_document(c->assumed)),
               IS("reason", words_document(c->reason)), IS("model", c->model->name),
               IS("model_summary", c->model->summary), IS("quantity", c->quantity), IS("unit", c->unit),
               IS("tolerance", c->tolerance), IS("parameters", parameters_document(c)),
               IS("verdict", validation_verdict_name(s.verdict)), IS("points", c->points),
               IS("points_fitted", s.fitted), IS("within", s.within), IS("worst", s.worst), IS("median", s.median),
               IS("worst_residual", s.worst_residual), IS("measured", points_document(c)));
}

doc *validation_document(const struct validation_case *cases, int count)
{
    doc *d = doc_object(), *all = doc_array(), *counts = doc_object();
    int verdicts[3] = {0}, order[CASES_MAX];
    validation_worst_first(cases, count, order);
    DOC_PUT(d, IS("schema", "validation/1"), IS("counts", counts));
    for (int i = 0; i < count; i++) {
        doc_append(all, case_document(&cases[order[i]]));
        verdicts[validation_summarise(&cases[i]).verdict]++;
    }
    DOC_PUT(counts, IS("met", verdicts[CASE_MET]), IS("missed", verdicts[CASE_MISSED]),
            IS("not_known", verdicts[CASE_UNKNOWN]));
    doc_put(d, "cases", all);
    return d;
}
