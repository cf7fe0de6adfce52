/* sizing_map.c - two quantities against each other as a map of coloured cells with their values; see sizing_plots.h.
 */
#include <math.h>
#include <string.h>
#include "reports/figures/figure_places.h"
#include "reports/formats/colour.h"
#include "reports/formats/gnuplot.h"
#include "reports/sizing/sizing_plots.h"

enum {
    WIDTH = 980,
    LEFT = 150,
    RIGHT = 20,
    FOOT = 54,
    TURNED = 40,
    HEAD = 60,
    CELL_TALL = 30,
    ROWS_MOST = 40,
    COLUMNS_MOST = 16
};

struct map {
    const doc *x, *y, *values;
    int wide, tall;
    const char *metric;
    double low, high, target;
};

static double cell_of(const struct map *m, int x, int y)
{
    return doc_real_value(doc_at(doc_at(m->values, (uint64_t)y), (uint64_t)x), NAN);
}

static bool read_map(const struct sizing *s, struct map *m)
{
    const doc *v = doc_get(s->root, "vary");
    m->x = doc_get(v, "x");
    m->y = doc_get(v, "y");
    m->values = doc_get(v, "values");
    m->wide = (int)fmin((double)doc_size(doc_get(m->x, "labels")), COLUMNS_MOST);
    m->tall = (int)fmin((double)doc_size(doc_get(m->y, "labels")), ROWS_MOST);
    m->metric = doc_text_value(doc_get(v, "metric"), "transactions");
    m->target = sizing_target(s, m->metric);
    m->low = m->high = NAN;
    for (int y = 0; y < m->tall; y++)
        for (int x = 0; x < m->wide; x++) {
            m->low = fmin(m->low, cell_of(m, x, y));
            m->high = fmax(m->high, cell_of(m, x, y));
        }
    return !isnan(m->low);
}

/* What varies along an axis, in words; an unknown key stays as it is. */
static const char *quantity_name(const doc *axis)
{
    static const char *const names[][2] = {{"budget", "cache per GPU"}, {"gpus", "number of GPUs"}};
    const char *key = doc_text_value(doc_get(axis, "quantity"), "?");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(key, names[i][0])) return names[i][1];
    return key;
}

/* How good a value is among those of the map: from 0 (worst) to 1 (best). */
static double goodness(const struct map *m, double v)
{
    double at = m->high > m->low ? (v - m->low) / (m->high - m->low) : 1;
    return strstr(m->metric, "rate") || !(m->high > m->low) ? at : 1 - at;
}

/* The stronger, the better; never so strong that the dark number in the cell is not read well. */
static unsigned shade(double good) { return colour_mix(0xF1F5F9, 0x8CC0E3, good); }

static bool good_enough(const struct map *m, double v)
{
    return strstr(m->metric, "rate") ? v >= m->target : v <= m->target;
}

static void cell_write(FILE *to, const struct map *m, int x, int y)
{
    double v = cell_of(m, x, y);
    char text[STYLE_TEXT], position[80];
    snprintf(position, sizeof position, "first %d, first %d", x, m->tall - 1 - y);
    if (isnan(v)) {
        gnuplot_label(to, "\xE2\x80\x93", position, "center front tc rgb '#6B747C'");
        return;
    }
    fprintf(to,
            "set object rect from first %.2f, first %.2f to first %.2f, first %.2f behind fs solid 1.0 noborder fc rgb "
            "'#%06X'\n",
            x - 0.485, m->tall - 1 - y - 0.46, x + 0.485, m->tall - 1 - y + 0.46, shade(goodness(m, v)));
    if (good_enough(m, v))
        fprintf(to,
                "set object rect from first %.2f, first %.2f to first %.2f, first %.2f front fs empty border lc rgb "
                "'#A32638' lw 2\n",
                x - 0.47, m->tall - 1 - y - 0.42, x + 0.47, m->tall - 1 - y + 0.42);
    gnuplot_label(to, sizing_text(m->metric, v, text), position, "center front font small_font tc rgb '#16191D'");
}

/* Whether names below the cells would touch each other. */
static bool turned(const struct map *m, double cell)
{
    char text[STYLE_NAME];
    for (int i = 0; i < m->wide; i++)
        if (7.4 * style_length(style_cut(text, doc_text_value(doc_at(doc_get(m->x, "labels"), (uint64_t)i), "?"), 20)) >
            cell)
            return true;
    return false;
}

/* Turned names end below the middle of their cell. */
static void tics_write(FILE *to, char axis, const doc *of, int count, bool up, bool turn)
{
    fprintf(to, "set %ctics scale 0 (", axis);
    for (int i = 0; i < count; i++) {
        char text[STYLE_NAME];
        gnuplot_tic(to, style_cut(text, doc_text_value(doc_at(doc_get(of, "labels"), (uint64_t)i), "?"), 20),
                    up ? count - 1 - i : i, i == 0);
    }
    fprintf(to, ")%s\nset %crange [-0.55:%.2f]\n", turn ? " rotate by 30 right offset 0,-0.1" : "", axis, count - 0.45);
}

static void map_data(struct figures *figures, const struct map *m)
{
    csv_name(&figures->csv, doc_text_value(doc_get(m->y, "quantity"), "?"));
    csv_name(&figures->csv, doc_text_value(doc_get(m->x, "quantity"), "?"));
    csv_name(&figures->csv, m->metric);
    csv_end(&figures->csv);
    for (int y = 0; y < m->tall; y++)
        for (int x = 0; x < m->wide; x++) {
            csv_name(&figures->csv, doc_text_value(doc_at(doc_get(m->y, "labels"), (uint64_t)y), "?"));
            csv_name(&figures->csv, doc_text_value(doc_at(doc_get(m->x, "labels"), (uint64_t)x), "?"));
            csv_number(&figures->csv, cell_of(m, x, y));
            csv_end(&figures->csv);
        }
}

enum st sizing_plot_map(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                        struct err *err)
{
    struct map m;
    char title[STYLE_NAME], text[STYLE_TEXT];
    if (!read_map(s, &m)) return ST_OK;
    const char *x = quantity_name(m.x), *y = quantity_name(m.y);
    double wide = fmin(WIDTH - LEFT - RIGHT, 160.0 * m.wide);
    bool turn = turned(&m, wide / m.wide);
    int foot = FOOT + (turn ? TURNED : 0), height = HEAD + foot + CELL_TALL * m.tall;
    snprintf(title, sizeof title, "%s by %.40s and %.40s", sizing_metric_name(m.metric), y, x);
    title[0] = title[0] >= 'a' && title[0] <= 'z' ? (char)(title[0] - 32) : title[0];
    PASS(figure_begin_of(figures, subject, "map", title, WIDTH, height, err));
    map_data(figures, &m);
    struct box box = {LEFT, LEFT + wide, foot, height - HEAD};
    figure_panel(figures, &box);
    figure_axis_below(figures, &(struct box){box.left, box.right, box.bottom - (turn ? TURNED : 0), box.top}, x);
    figure_axis_left(figures, &box, 128, y);
    fputs("unset border\nunset grid\n", figures->script);
    tics_write(figures->script, 'x', m.x, m.wide, false, turn);
    tics_write(figures->script, 'y', m.y, m.tall, true, false);
    for (int i = 0; i < m.tall; i++)
        for (int k = 0; k < m.wide; k++) cell_write(figures->script, &m, k, i);
    fputs("plot NaN notitle\nunset object\n", figures->script);
    const struct figure_places at = {box, figure_span(-0.55, m.wide - 0.45), figure_span(-0.55, m.tall - 0.45)};
    PASS(figure_series(figures, sizing_metric_name(m.metric), 0x8CC0E3, err));
    for (int i = 0; i < m.tall; i++)
        for (int k = 0; k < m.wide; k++) {
            const double low = m.tall - 1 - i - 0.46, v = cell_of(&m, k, i);
            if (!isnan(v))
                figure_bar(figures, &at, k - 0.485, low, k + 0.485, low + 0.92, "%.60s, %.60s: %s",
                           doc_text_value(doc_at(doc_get(m.y, "labels"), (uint64_t)i), "?"),
                           doc_text_value(doc_at(doc_get(m.x, "labels"), (uint64_t)k), "?"),
                           sizing_text(m.metric, v, text));
        }
    figure_caption(figures,
                   "Each cell is the best candidate with both values, at %s. The stronger the colour, the "
                   "better.%s%s%s A dash: no candidate with both values fits.",
                   doc_text_value(doc_get(doc_get(s->root, "vary"), "at"), "the largest budget of each"),
                   isnan(m.target) ? "" : " Framed cells meet the target of ",
                   isnan(m.target) ? "" : sizing_text(m.metric, m.target, text), isnan(m.target) ? "" : ".");
    return figure_end(figures, err);
}
