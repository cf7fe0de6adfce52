#include "planner/claims/figure_data.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

struct figure_data_panel *figure_data_panel(struct figure_data *data, enum figure_data_kind kind, const char *title,
                                            const char *x, const char *y)
{
    data->full |= data->count == FIGURE_DATA_PANELS;
    struct figure_data_panel *p =
        &data->panel[data->count < FIGURE_DATA_PANELS ? data->count++ : FIGURE_DATA_PANELS - 1];
    p->kind = kind;
    snprintf(p->title, sizeof p->title, "%s", title);
    snprintf(p->x, sizeof p->x, "%s", x);
    snprintf(p->y, sizeof p->y, "%s", y);
    return p;
}

struct figure_data_series *figure_data_series(struct figure_data *data, struct figure_data_panel *p, const char *name)
{
    for (int i = 0; i < p->count; i++)
        if (!strcmp(p->series[i].name, name)) return &p->series[i];
    data->full |= p->count == FIGURE_DATA_SERIES;
    struct figure_data_series *s = &p->series[p->count < FIGURE_DATA_SERIES ? p->count++ : FIGURE_DATA_SERIES - 1];
    snprintf(s->name, sizeof s->name, "%s", name);
    return s;
}

void figure_data_add(struct figure_data *data, struct figure_data_panel *p, const char *series, double x, double y)
{
    struct figure_data_series *s = figure_data_series(data, p, series);
    data->full |= s->count == FIGURE_DATA_POINTS;
    if (s->count == FIGURE_DATA_POINTS) return;
    s->x[s->count] = x;
    s->y[s->count++] = y;
}

void figure_data_state(struct figure_data *data, struct figure_data_panel *p, const char *series, double x, double y)
{
    figure_data_add(data, p, series, x, y);
    figure_data_series(data, p, series)->stated = true;
}

int figure_data_category(struct figure_data *data, struct figure_data_panel *p, const char *name)
{
    for (int i = 0; i < p->categories; i++)
        if (!strcmp(p->category[i], name)) return i;
    data->full |= p->categories == FIGURE_DATA_CATEGORIES;
    if (p->categories == FIGURE_DATA_CATEGORIES) return FIGURE_DATA_CATEGORIES - 1;
    snprintf(p->category[p->categories], sizeof p->category[0], "%s", name);
    return p->categories++;
}

/* ---- reading ---- */

const struct figure_data_series *figure_data_find(const struct figure_data *data, int panel, const char *series)
{
    if (panel < 0 || panel >= data->count) return NULL;
    for (int i = 0; i < data->panel[panel].count; i++)
        if (!strcmp(data->panel[panel].series[i].name, series)) return &data->panel[panel].series[i];
    return NULL;
}

double figure_data_at(const struct figure_data *data, int panel, const char *series, double x)
{
    const struct figure_data_series *s = figure_data_find(data, panel, series);
    for (int i = 0; s && i < s->count; i++)
        if (s->x[i] == x) return s->y[i];
    return NAN;
}

/* ---- documents ---- */

static doc *pair_of(double a, double b)
{
    doc *pair = doc_array();
    doc_append(pair, doc_real(a));
    doc_append(pair, doc_real(b));
    return pair;
}

static doc *series_document(const struct figure_data_series *s)
{
    doc *d = doc_object(), *points = doc_array(), *ranges = doc_array();
    DOC_PUT(d, IS("name", s->name), IS("source", s->stated ? "paper" : "hotset"));
    for (int i = 0; i < s->count; i++) {
        doc_append(points, pair_of(s->x[i], s->y[i]));
        if (s->ranged) doc_append(ranges, pair_of(s->low[i], s->high[i]));
    }
    DOC_PUT(d, IS("points", points), IS("ranges", ranges));
    return d;
}

doc *figure_data_document(const struct figure_data *data)
{
    static const char *const kinds[] = {"lines", "bars", "matrix"};
    doc *panels = doc_array();
    for (int i = 0; i < data->count; i++) {
        const struct figure_data_panel *p = &data->panel[i];
        doc *d = doc_object(), *categories = doc_array(), *series = doc_array();
        DOC_PUT(d, IS("kind", kinds[p->kind]), IS("title", p->title), IS("x", p->x), IS("y", p->y));
        for (int k = 0; k < p->categories; k++) doc_append(categories, doc_text(p->category[k]));
        doc_put(d, "categories", categories);
        for (int k = 0; k < p->count; k++) doc_append(series, series_document(&p->series[k]));
        doc_put(d, "series", series);
        doc_append(panels, d);
    }
    return panels;
}

/* ---- verdicts ---- */

const char *verdict_name(enum verdict v)
{
    static const char *const names[VERDICTS] = {"not measured", "holds", "does not hold", "holds on real graph"};
    return names[v];
}

enum verdict verdict_of(const char *words)
{
    int v = VERDICTS - 1; /* the longer of two names comes last */
    while (v > 0 && !text_starts(words, verdict_name((enum verdict)v))) v--;
    return (enum verdict)v;
}

void finding_compare(struct finding *given, const struct finding *stand_in)
{
    if (given->verdict == stand_in->verdict || given->verdict == VERDICT_NOT_MEASURED ||
        stand_in->verdict == VERDICT_NOT_MEASURED)
        return;
    if (given->verdict == VERDICT_HOLDS) given->verdict = VERDICT_HOLDS_GIVEN;
    text_append(given->reason, sizeof given->reason, "%sOn the stand-in it %s: %s.", *given->reason ? " " : "",
                verdict_name(stand_in->verdict), stand_in->ours);
}
