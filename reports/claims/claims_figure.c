/* claims_figure.c - figure/1 into a drawing; see claims_figure.h. */
#include "reports/claims/claims_figure.h"

#include <math.h>
#include <string.h>

#include "reports/formats/document.h"
#include "reports/formats/keys.h"

enum { PANELS = 8, SERIES = 24, POINTS = 128, CATEGORIES = 32, LOOKS = 10 /* before they repeat */ };

#define NEEDED .flags = FIELD_NEEDED
static const char *const kind_words[] = {"lines", "bars", "matrix", NULL};
static const struct field series_fields[] = {KEY_TEXT("name", "Of the series.", NEEDED),
                                             KEY_TEXT("source", "hotset, or paper: as it states.", NEEDED),
                                             KEY_LIST("points", NULL, "[x, y] each.", NEEDED, .most = POINTS),
                                             KEY_LIST("ranges", NULL, "[low, high] each."), FIELDS_OPEN},
                          panel_fields[] = {KEY_WORD("kind", kind_words, "How it is drawn.", NEEDED),
                                            KEY_TEXT("title", "Above it.", NEEDED),
                                            KEY_TEXT("x", "Its axis.", NEEDED),
                                            KEY_TEXT("y", "Its axis.", NEEDED),
                                            KEY_TEXTS("categories", "Names along x.", NEEDED, .most = CATEGORIES),
                                            KEY_LIST("series", series_fields, "What is drawn.", NEEDED, .most = SERIES),
                                            FIELDS_OPEN},
                          figure_fields[] = {KEY_TEXT("name", "Of its files.", NEEDED),
                                             KEY_TEXT("title", "Above all.", NEEDED),
                                             KEY_LIST("panels", panel_fields, "Side by side.", NEEDED, .least = 1,
                                                      .most = PANELS),
                                             FIELDS_OPEN};

/* What is being read. */
struct reading {
    const char *where;
    struct drawing *out;
    enum drawing_shape shape;
    const doc *categories;
    const char *panel, *name[SERIES]; /* of series, each once: its number is that of its look */
    int names;
};

/* ---- looks: a colour, a mark and a dash for lines, a hatching for bars, to be told apart in print ---- */

static int number_of(const struct reading *r, const char *name)
{
    int i = 0;
    while (i < r->names && strcmp(r->name[i], name)) i++;
    return i;
}

/* "paper, X" has the look of X, where there is one. */
static struct drawing_series look_of(struct reading *r, const char *name, bool stated)
{
    static const char prefix[] = "paper, ";
    static const unsigned colours[LOOKS] = {0xD55E00, 0x0072B2, 0x00805F, 0xAA4499, 0xB07A00,
                                            0x332288, 0x777777, 0x882255, 0x117733, 0x3F7F93};
    static const int solid[LOOKS] = {7, 5, 9, 11, 13, 2, 3, 1, 15, 7},
                     hollow[LOOKS] = {6, 4, 8, 10, 12, 6, 4, 8, 14, 6},
                     hatching[LOOKS] = {0, 4, 1, 5, 2, 6, 7, 4, 1, 5}; /* gnuplot's */
    int at = number_of(r, name);
    if (at == r->names && r->names < SERIES) r->name[r->names++] = name;
    if (!strncmp(name, prefix, strlen(prefix)) && number_of(r, name + strlen(prefix)) < r->names)
        at = number_of(r, name + strlen(prefix));
    const int look = at % LOOKS;
    return (struct drawing_series){.name = name,
                                   .colour = colours[look],
                                   .shape = stated && r->shape == DRAWING_LINE ? DRAWING_DOTS : r->shape,
                                   .flags = stated ? SERIES_HOLLOW : 0,
                                   .dash = look % 5,
                                   .mark = (stated ? hollow : solid)[look],
                                   .hatching = hatching[look],
                                   .width = r->shape == DRAWING_BARS ? 0.84 : 0,
                                   .size = stated ? 1.4 : 0.8};
}

/* ---- reading ---- */

static bool sane(double v) { return fabs(v) < 1e15; }

static enum st read_points(const struct reading *r, const doc *series, const char *name, int row, struct err *err)
{
    const doc *points = doc_get(series, "points"), *ranges = doc_get(series, "ranges");
    const uint64_t count = doc_size(points), ranged = doc_size(ranges), categories = doc_size(r->categories);
    if (ranged && ranged != count)
        return err_set(err, ST_INPUT, "%s: series '%.60s' has %d points and %d ranges", r->where, name, (int)count,
                       (int)ranged);
    for (uint64_t i = 0; i < count; i++) {
        const doc *pair = doc_at(points, i), *range = doc_at(ranges, i);
        const double x = doc_real_value(doc_at(pair, 0), NAN), y = doc_real_value(doc_at(pair, 1), NAN),
                     low = doc_real_value(doc_at(range, 0), NAN), high = doc_real_value(doc_at(range, 1), NAN);
        char text[2][STYLE_TEXT];
        const char *at = style_tick(text[0], isnan(x) ? 0 : x);
        if (!doc_is_array(pair) || doc_size(pair) != 2 || !sane(x) || (!isnan(y) && !sane(y)))
            return err_set(err, ST_INPUT,
                           "%s: point %d of series '%.60s' is not [x, y] with numbers below 1e15 (y may be null)",
                           r->where, (int)i, name);
        if (ranged && (!doc_is_array(range) || doc_size(range) != 2 || low > y || high < y ||
                       (!isnan(low) && !sane(low)) || (!isnan(high) && !sane(high))))
            return err_set(err, ST_INPUT, "%s: range %d of series '%.60s' is not [low, high] around the point",
                           r->where, (int)i, name);
        if (r->shape != DRAWING_LINE && (x < 0 || x >= (double)categories || x != rint(x)))
            return err_set(err, ST_INPUT, "%s: series '%.60s' has x %g, which numbers none of the %d categories",
                           r->where, name, x, (int)categories);
        if (r->shape != DRAWING_LINE) at = doc_text_value(doc_at(r->categories, (uint64_t)x), "?");
        if (r->shape == DRAWING_CELLS) snprintf(text[1], sizeof text[1], y == 0 ? "0" : "%.4g", y);
        else style_tick(text[1], isnan(y) ? 0 : y);
        struct drawing_point *p = drawing_point(r->out, x, y, "%.80s, %.60s: %s", name, at, text[1]);
        p->low = low;
        p->high = high;
        if (r->shape == DRAWING_CELLS) {
            p->from = row;
            snprintf(text[1], sizeof text[1], categories > 7 ? "%.2f" : "%.3g", y);
            p->text = drawing_say(r->out, "%s", isnan(y) ? "-" : y == 0 ? "0" : text[1]);
        } else if (r->shape == DRAWING_BARS && isnan(y)) p->text = drawing_say(r->out, "\xC3\x97");
    }
    return ST_OK;
}

static enum st read_series(struct reading *r, const doc *list, struct err *err)
{
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *series = doc_at(list, i);
        const char *name = document_text(series, "name");
        const struct drawing_series look = look_of(r, name, !strcmp(document_text(series, "source"), "paper"));
        if (r->shape == DRAWING_CELLS) drawing_tick(r->out, AXIS_Y, (double)i, name);
        drawing_series(r->out,
                       r->shape != DRAWING_CELLS
                           ? &look
                           : &(struct drawing_series){.name = name, .colour = 0x8CC0E3, .shape = DRAWING_CELLS});
        PASS(read_points(r, series, name, (int)i, err));
    }
    return ST_OK;
}

/* Ticks of a line's panel: every x once, ascending. */
static void rule(struct drawing *d, const doc *series)
{
    double x[POINTS];
    int n = 0;
    for (uint64_t i = 0; i < doc_size(series); i++)
        for (uint64_t k = 0; k < doc_size(doc_get(doc_at(series, i), "points")); k++) {
            const double v = doc_real_value(doc_at(doc_at(doc_get(doc_at(series, i), "points"), k), 0), NAN);
            int at = 0;
            while (at < n && x[at] < v) at++;
            if (!sane(v) || (at < n && x[at] == v) || n == POINTS) continue;
            memmove(x + at + 1, x + at, (size_t)(n++ - at) * sizeof *x);
            x[at] = v;
        }
    for (int i = 0; i < n; i++) {
        char text[STYLE_TEXT];
        drawing_tick(d, AXIS_X, x[i], style_tick(text, x[i]));
    }
}

static enum st read_panel(struct reading *r, const doc *d, struct err *err)
{
    static const enum drawing_shape shapes[] = {DRAWING_LINE, DRAWING_BARS, DRAWING_CELLS};
    const doc *categories = doc_get(d, "categories"), *series = doc_get(d, "series");
    int k = 0;
    while (strcmp(document_text(d, "kind"), kind_words[k])) k++;
    r->panel = document_text(d, "title");
    r->shape = shapes[k];
    r->categories = categories;
    drawing_panel(r->out, r->panel,
                  &(struct drawing_axis){document_text(d, "x"), QUANTITY_COUNT, k ? AXIS_NAMES : AXIS_NEAR, 0, 0},
                  &(struct drawing_axis){document_text(d, "y"), QUANTITY_COUNT, k == 2 ? AXIS_NAMES : 0, 0, 0});
    for (uint64_t i = 0; i < doc_size(categories); i++)
        drawing_tick(r->out, AXIS_X, (double)i, doc_text_value(doc_at(categories, i), "?"));
    if (!k) rule(r->out, series);
    return read_series(r, series, err);
}

/* Names become files: letters, digits and dashes. */
static bool good_name(const char *name)
{
    return *name && strlen(name) < 80 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

enum st claims_figure_load(const char *path, doc **document, struct drawing *out, struct err *err)
{
    struct reading r = {.where = path, .out = out};
    PASS(doc_load(path, "figure/1", document, err));
    PASS(fields_read(figure_fields, *document, path, NULL, err));
    const doc *panels = doc_get(*document, "panels");
    const char *name = document_text(*document, "name");
    if (!good_name(name))
        return err_set(err, ST_INPUT, "%s: name is '%.60s'; expected at most 79 small letters, digits and dashes", path,
                       name);
    for (uint64_t i = 0; i < doc_size(panels); i++) PASS(read_panel(&r, doc_at(panels, i), err));
    out->untitled = true; /* the title stands in the heading and the caption, not in the picture */
    out->across = doc_size(panels) < 3 ? (int)doc_size(panels) : doc_size(panels) == 4 ? 2 : 3;
    if (r.shape == DRAWING_CELLS && doc_size(r.categories) > 6) out->across = 2;
    return ST_OK;
}
