/* curve_document.c - a part as a member of the document curve/1 (declared in curve_part.h), and its knee. */
#include <math.h>

#include "simulator/curves/curve_part.h"

uint64_t curves_knee(const double *y, uint64_t count)
{
    uint64_t end = 0, best = 0;
    double most = 1e-9; /* a straight line has no knee */
    while (end < count && !isnan(y[end])) end++;
    if (end < 3) return 0;
    for (uint64_t i = 1; i + 1 < end; i++) {
        double above = y[i] - (y[0] + (y[end - 1] - y[0]) * (double)i / (double)(end - 1));
        if (above <= most) continue;
        most = above;
        best = i;
    }
    return best;
}

static doc *numbers(const double *of, uint64_t points, double requests)
{
    doc *list = doc_array();
    for (uint64_t i = 0; i <= points; i++) doc_append(list, doc_real(requests > 0 ? of[i] / requests : NAN));
    return list;
}

/* The sizes that every cache was simulated at; no rows and all rows need none. */
static doc *simulated(const struct curve *c, uint64_t points)
{
    doc *list = doc_array();
    for (uint64_t i = 0; i <= points; i++)
        if (!c->between[i]) doc_append(list, doc_integer((int64_t)i));
    return list;
}

static doc *knee_document(const struct curve_table *t, const struct curve *c, uint64_t points, double requests)
{
    uint64_t knee = curves_knee(c->hits, points + 1);
    if (!knee || !(requests > 0) || isnan(c->hits[points])) return doc_null(); /* a list that ends has none */
    return DOC(IS("share", (double)knee / (double)points),
               IS("bytes", doc_integer((int64_t)((unsigned __int128)t->all * knee / points))),
               IS("hit_rate", c->hits[knee] / requests));
}

doc *curve_part_document(const struct curve_request *r, const struct curve_table *t, const char *unit,
                         const struct curve_part *p)
{
    doc *d = doc_object(), *lines = doc_array();
    DOC_PUT(d, IS("unit", unit), IS("table", t->name), IS("caches", p->caches), IS("requests", p->requests),
            IS("distinct", p->distinct), IS("rows", t->count), IS("bytes", t->all), IS("lines", lines));
    for (int i = 0; i < r->lines; i++) {
        const struct curve *c = &p->line[i];
        if (!c->there) continue;
        doc *l = DOC(IS("name", r->line[i].name), IS("exact", c->exact), IS("groups", c->groups),
                     IS("hit_rate", numbers(c->hits, r->points, (double)p->requests)));
        if (!c->exact) doc_put(l, "bar", numbers(c->bar, r->points, (double)p->requests));
        if (!c->exact) doc_put(l, "simulated", simulated(c, r->points));
        doc_put(l, "knee", knee_document(t, c, r->points, (double)p->requests));
        doc_append(lines, l);
    }
    return d;
}
