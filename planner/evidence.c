#include "planner/evidence.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"

struct evidence_panel *evidence_panel(struct evidence *e, enum evidence_kind kind, const char *title, const char *x, const char *y)
{
    e->full |= e->count == EVIDENCE_PANELS;
    struct evidence_panel *p = &e->panel[e->count < EVIDENCE_PANELS ? e->count++ : EVIDENCE_PANELS - 1];
    p->kind = kind;
    snprintf(p->title, sizeof p->title, "%s", title);
    snprintf(p->x, sizeof p->x, "%s", x);
    snprintf(p->y, sizeof p->y, "%s", y);
    return p;
}

static struct evidence_series *series_of(struct evidence *e, struct evidence_panel *p, const char *name)
{
    for (int i = 0; i < p->count; i++)
        if (!strcmp(p->series[i].name, name)) return &p->series[i];
    e->full |= p->count == EVIDENCE_SERIES;
    struct evidence_series *s = &p->series[p->count < EVIDENCE_SERIES ? p->count++ : EVIDENCE_SERIES - 1];
    snprintf(s->name, sizeof s->name, "%s", name);
    return s;
}

void evidence_add(struct evidence *e, struct evidence_panel *p, const char *series, double x, double y)
{
    struct evidence_series *s = series_of(e, p, series);
    e->full |= s->count == EVIDENCE_POINTS;
    if (s->count == EVIDENCE_POINTS) return;
    s->x[s->count] = x;
    s->y[s->count++] = y;
}

void evidence_state(struct evidence *e, struct evidence_panel *p, const char *series, double x, double y)
{
    evidence_add(e, p, series, x, y);
    series_of(e, p, series)->stated = true;
}

int evidence_category(struct evidence *e, struct evidence_panel *p, const char *name)
{
    for (int i = 0; i < p->categories; i++)
        if (!strcmp(p->category[i], name)) return i;
    e->full |= p->categories == EVIDENCE_CATEGORIES;
    if (p->categories == EVIDENCE_CATEGORIES) return EVIDENCE_CATEGORIES - 1;
    snprintf(p->category[p->categories], sizeof p->category[0], "%s", name);
    return p->categories++;
}

/* ---- reading ---------------------------------------------------------------------------------------------------------------- */

const struct evidence_series *evidence_find(const struct evidence *e, int panel, const char *series)
{
    if (panel < 0 || panel >= e->count) return NULL;
    for (int i = 0; i < e->panel[panel].count; i++)
        if (!strcmp(e->panel[panel].series[i].name, series)) return &e->panel[panel].series[i];
    return NULL;
}

double evidence_at(const struct evidence *e, int panel, const char *series, double x)
{
    const struct evidence_series *s = evidence_find(e, panel, series);
    for (int i = 0; s && i < s->count; i++)
        if (s->x[i] == x) return s->y[i];
    return NAN;
}

double evidence_least(const struct evidence_series *s)
{
    double v = s && s->count ? s->y[0] : NAN;
    for (int i = 1; s && i < s->count; i++) v = isnan(s->y[i]) || isnan(v) ? NAN : fmin(v, s->y[i]);
    return v;
}

double evidence_most(const struct evidence_series *s)
{
    double v = s && s->count ? s->y[0] : NAN;
    for (int i = 1; s && i < s->count; i++) v = isnan(s->y[i]) || isnan(v) ? NAN : fmax(v, s->y[i]);
    return v;
}

double evidence_mean(const struct evidence_series *s)
{
    double sum = 0;
    for (int i = 0; s && i < s->count; i++) sum += s->y[i];
    return s && s->count ? sum / s->count : NAN;
}

bool evidence_falls(const struct evidence_series *s, double by)
{
    bool good = s != NULL;
    for (int i = 1; s && i < s->count; i++) good &= s->y[i] < (1 - by) * s->y[i - 1];
    return good;
}

bool evidence_rises(const struct evidence_series *s, double by)
{
    bool good = s != NULL;
    for (int i = 1; s && i < s->count; i++) good &= s->y[i] > (1 + by) * s->y[i - 1];
    return good;
}

const char *evidence_list(const struct evidence_series *s, int decimals, char out[EVIDENCE_TEXT])
{
    out[0] = '\0';
    for (int i = 0; s && i < s->count; i++) text_append(out, EVIDENCE_TEXT, "%s%.*f", i ? ", " : "", decimals, s->y[i]);
    return out;
}

/* ---- documents -------------------------------------------------------------------------------------------------------------- */

static doc *series_document(const struct evidence_series *s)
{
    doc *d = doc_object(), *points = doc_array();
    doc_put(d, "name", doc_text(s->name));
    doc_put(d, "source", doc_text(s->stated ? "paper" : "hotset"));
    for (int i = 0; i < s->count; i++) {
        doc *pair = doc_array();
        doc_append(pair, doc_real(s->x[i]));
        doc_append(pair, doc_real(s->y[i]));
        doc_append(points, pair);
    }
    doc_put(d, "points", points);
    return d;
}

doc *evidence_document(const struct evidence *e)
{
    static const char *const kinds[] = {"lines", "bars", "matrix"};
    doc *panels = doc_array();
    for (int i = 0; i < e->count; i++) {
        const struct evidence_panel *p = &e->panel[i];
        doc *d = doc_object(), *categories = doc_array(), *series = doc_array();
        doc_put(d, "kind", doc_text(kinds[p->kind]));
        doc_put(d, "title", doc_text(p->title));
        doc_put(d, "x", doc_text(p->x));
        doc_put(d, "y", doc_text(p->y));
        for (int k = 0; k < p->categories; k++) doc_append(categories, doc_text(p->category[k]));
        doc_put(d, "categories", categories);
        for (int k = 0; k < p->count; k++) doc_append(series, series_document(&p->series[k]));
        doc_put(d, "series", series);
        doc_append(panels, d);
    }
    return panels;
}

/* ---- verdicts --------------------------------------------------------------------------------------------------------------- */

const char *verdict_name(enum verdict v)
{
    static const char *const names[VERDICTS] = {"not measured", "holds", "does not hold"};
    return names[v];
}

void finding_set(struct finding *f, bool holds, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(f->ours, sizeof f->ours, format, list);
    va_end(list);
    f->verdict = holds ? VERDICT_HOLDS : VERDICT_FAILS;
}

void finding_missing(struct finding *f, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(f->reason, sizeof f->reason, format, list);
    va_end(list);
    f->verdict = VERDICT_NOT_MEASURED;
}

bool finding_known(struct finding *f, const double *values, int count)
{
    int missing = 0;
    for (int i = 0; i < count; i++) missing += isnan(values[i]);
    if (missing) finding_missing(f, "%d of the %d numbers that it takes could not be had on this stand-in", missing, count);
    return !missing;
}

void finding_because(struct finding *f, const char *format, ...)
{
    size_t used = strlen(f->reason);
    va_list list;
    va_start(list, format);
    vsnprintf(f->reason + used, sizeof f->reason - used, format, list);
    va_end(list);
}
