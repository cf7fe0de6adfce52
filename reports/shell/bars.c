/* bars.c - see bars.h. */
#include "reports/shell/bars.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "reports/figures/drawing.h"

enum { MARK = 0xA32638 };

static const unsigned colours[BAR_SERIES] = {0x0B4F8A, 0xE69F00, 0x9FB3C8};

static const char *says(const struct bars *of, const struct bar *b, char out[STYLE_NAME])
{
    char text[2][STYLE_TEXT];
    if (*b->says) return b->says;
    style_quantity(text[0], of->quantity, b->from);
    style_quantity(text[1], of->quantity, b->value);
    const bool range = b->from > 0 && b->from < b->value;
    snprintf(out, STYLE_NAME, "%s%s%s", range ? text[0] : "", range ? " to " : "",
             isnan(b->value) ? "no number" : text[1]);
    return out;
}

/* Bar `number`; false: there are no more. */
static bool bar_read(const struct bars *of, const doc *root, int number, struct bar *b)
{
    *b = (struct bar){.value = -1};
    if (of->bar) of->bar(root, number, b);
    else {
        const doc *row = doc_at(doc_get(root, of->rows), (uint64_t)number);
        const double v = doc_real_value(doc_path(row, of->value), NAN);
        style_cut(b->name, doc_text_value(doc_path(row, of->name), ""), 60);
        b->value = v >= 0 && v < 1e300 ? v : NAN;
    }
    if (!*b->name && !(b->value >= 0)) return false;
    if (!*b->name) strcpy(b->name, "(no name)");
    if (b->value < 0) b->value = 0;
    return true;
}

/* The marks on bars, as a series of their own. */
static void marks_add(struct drawing *d, const struct bars *of, const doc *root)
{
    struct bar b;
    drawing_series(d, &(struct drawing_series){.shape = DRAWING_DOTS,
                                               .colour = MARK,
                                               .flags = SERIES_UNNAMED,
                                               .mark = 13,
                                               .size = 1.1});
    for (int i = 0; bar_read(of, root, i, &b); i++)
        for (int k = 0; k < b.marks; k++) drawing_point(d, b.mark[k], i, NULL);
}

enum st bars_draw(struct figures *figures, const doc *root, const struct figure_subject *subject, const struct bars *of,
                  struct err *err)
{
    OWNED_BY(drawing_release) struct drawing d = {0};
    struct bar b;
    int series = 1, numbers = 0, marks = 0;
    const double now = of->now ? of->now(root) : NAN;
    char text[STYLE_NAME], level[STYLE_TEXT];
    while (of->series[0] && of->series[series]) series++;
    drawing_panel(&d, NULL, &(struct drawing_axis){of->column, of->quantity, 0, 0, 0},
                  &(struct drawing_axis){.flags = AXIS_NAMES});
    for (int i = 0; bar_read(of, root, i, &b); i++) {
        numbers += !isnan(b.value);
        marks += b.marks;
        if (i % series == 0) drawing_tick(&d, AXIS_Y, i / series, b.name);
    }
    if (numbers < 2) return ST_OK; /* nothing is compared */
    snprintf(text, sizeof text, "now: %s", style_quantity(level, of->quantity, now));
    drawing_mark(&d, AXIS_X, now, 0, MARK, text);
    for (int s = 0; s < series; s++) {
        const char *name = series > 1 ? of->series[s] : of->column;
        drawing_bars(&d, name, colours[s], 0);
        for (int i = s; bar_read(of, root, i, &b); i += series) {
            const char *shown = says(of, &b, text);
            struct drawing_point *p = drawing_point(&d, b.value, i / series, "%s%s%s: %s", b.name,
                                                    series > 1 ? ", " : "", series > 1 ? name : "", shown);
            p->from = b.from;
            p->text = drawing_say(&d, "%s", shown);
        }
    }
    if (marks) marks_add(&d, of, root);
    drawing_caption(&d, "%s", of->caption);
    return drawing_write(&d, figures, subject, of->what, of->title, err);
}
