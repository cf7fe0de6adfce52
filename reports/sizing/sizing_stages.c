/* sizing_stages.c - the stages of an iteration by cache size; see sizing_plots.h. */
#include <math.h>
#include "reports/formats/gnuplot.h"
#include "reports/sizing/sizing_lines.h"
#include "reports/sizing/sizing_plots.h"

static const unsigned stage_colours[SIZING_STAGES] = {0xE0A100, 0x8C8C8C, 0x0B4F8A, 0x1B7A4B};

enum { GROUPS = 12 };
/* At most GROUPS points of the shown curve, the first, the last and the answer among them. */
static int chosen(const struct sizing *s, int out[GROUPS])
{
    const struct sizing_curve *c = &s->curves[s->shown];
    int n = 0, count = sizing_different(s, c), fit = count < GROUPS ? count : GROUPS;
    for (int i = 0; i < fit; i++) out[n++] = c->first + (fit > 1 ? i * (count - 1) / (fit - 1) : 0);
    for (int i = 0; s->answer >= c->first && s->answer < c->first + c->count && i < n;
         i++) { /* the nearest gives way */
        if (out[i] < s->answer) continue;
        if (out[i] > s->answer && i + 1 < n) out[i] = s->answer;
        break;
    }
    return n;
}

static void groups_write(struct figures *figures, const struct sizing *s, const int *list, int n)
{
    fputs("set xtics scale 0 (", figures->script);
    for (int i = 0; i < n; i++) {
        char text[STYLE_TEXT];
        gnuplot_tic(figures->script, style_bytes(text, s->points[list[i]].budget), i, i == 0);
    }
    fprintf(figures->script, ")\nset xrange [-0.6:%.1f]\nset boxwidth 0.18\n", n - 0.4);
    for (int i = 0; i < n; i++)
        if (list[i] == s->answer)
            fprintf(figures->script,
                    "set object rect from first %.2f, graph 0 to first %.2f, graph 1 behind fs solid 1.0 noborder fc "
                    "rgb '#EEF4FA'\n",
                    i - 0.45, i + 0.45);
}

enum st sizing_plot_stages(struct figures *figures, const struct sizing *s, struct err *err)
{
    enum { HEIGHT = 400 };
    int list[GROUPS], n = chosen(s, list);
    double most = NAN;
    struct figure_key keys[SIZING_STAGES];
    bool any[SIZING_STAGES] = {false};
    int shown[SIZING_STAGES], stages = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < SIZING_STAGES; k++) {
            most = fmax(most, s->points[list[i]].stage[k]);
            any[k] |= s->points[list[i]].stage[k] > 0;
        }
    for (int k = 0; k < SIZING_STAGES; k++)
        if (any[k]) shown[stages++] = k; /* no room for what nobody waits for */
    if (!stages) return ST_OK;
    PASS(figure_begin_of(figures, &s->subject, "bottleneck", "Time of an iteration by stage", SIZING_WIDTH, HEIGHT,
                         err));
    sizing_records_write(figures, s);
    struct box box = {SIZING_AXIS, SIZING_WIDTH - 20, 60, HEIGHT - 66};
    struct figure_axis y = figure_axis_make('y', QUANTITY_SECONDS, most);
    for (int k = 0; k < stages; k++) keys[k] = (struct figure_key){sizing_stages[shown[k]], stage_colours[shown[k]]};
    figure_panel(figures, &box);
    figure_legend(figures, SIZING_AXIS, 50, keys, stages);
    figure_axis_left(figures, &box, 72, "time of an iteration");
    figure_axis_below(figures, &box, "cache per GPU");
    figure_axis_write(figures->script, &y);
    groups_write(figures, s, list, n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < stages; k++)
            fprintf(figures->script, "%s'%s' skip 1 every ::%d::%d using (%.2f):%d with boxes lc rgb '#%06X'",
                    i || k ? ", \\\n  " : "plot ", figure_now(figures)->csv, list[i], list[i],
                    i + (k - (stages - 1) / 2.0) * 0.19, 10 + shown[k], stage_colours[shown[k]]);
    fputs("\nunset object\n", figures->script);
    const struct figure_places at = {box, figure_span(-0.6, n - 0.4), figure_axis_span(&y)};
    for (int k = 0; k < stages; k++) {
        PASS(figure_series(figures, keys[k].name, keys[k].colour, err));
        for (int i = 0; i < n; i++) {
            const double middle = i + (k - (stages - 1) / 2.0) * 0.19, v = s->points[list[i]].stage[shown[k]];
            char bytes[STYLE_TEXT], value[STYLE_TEXT];
            figure_bar(figures, &at, middle - 0.09, 0, middle + 0.09, v, "%s per GPU, %s: %s",
                       style_bytes(bytes, s->points[list[i]].budget), keys[k].name, style_seconds(value, v));
        }
    }
    figure_caption(figures, "One group per cache size (per GPU); the shaded group is the answer. In a pipelined "
                            "schedule, stages of different mini-batches overlap: an iteration takes as long as its "
                            "longest bar, and only a change of that stage changes the time. transfer: data over PCIe, "
                            "over NVLink and out of host memory. propagate: the computation of training.");
    return figure_end(figures, err);
}
