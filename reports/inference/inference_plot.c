/* inference_plot.c - see inference_plot.h. */
#include "reports/inference/inference_plot.h"

#include <math.h>

#include "reports/figures/figure_places.h"
#include "reports/formats/gnuplot.h"

enum { WIDTH = 980, HEIGHT = 380, AXIS = 84 };
static const unsigned colours[INFERENCE_BARS] = {0x0B4F8A, 0xB5500A, 0x1B7A4B, 0x6A4FB0};

static double records(struct figures *figures, const struct inference_bars *b)
{
    char header[INFERENCE_BARS][48];
    const char *headers[INFERENCE_BARS + 2] = {b->below};
    double most = 0;
    for (int k = 0; k < INFERENCE_BARS; k++) {
        snprintf(header[k], sizeof header[k], "%.30s [bytes]", b->names[k]);
        headers[k + 1] = header[k];
    }
    csv_header(&figures->csv, headers);
    for (int i = 0; i < b->groups; i++) {
        csv_name(&figures->csv, b->group[i].label);
        for (int k = 0; k < INFERENCE_BARS; k++) {
            csv_number(&figures->csv, b->group[i].bytes[k]);
            most = fmax(most, b->group[i].bytes[k]);
        }
        csv_end(&figures->csv);
    }
    return most;
}

static double place_of(int group, int bar) { return group + (bar - (INFERENCE_BARS - 1) / 2.0) * 0.2; }

static void bars_write(struct figures *figures, const struct inference_bars *b, double unit)
{
    fputs("set xtics scale 0 (", figures->script);
    for (int i = 0; i < b->groups; i++) gnuplot_tic(figures->script, b->group[i].label, i, i == 0);
    fprintf(figures->script, ")\nset xrange [-0.6:%.1f]\nset boxwidth 0.18\nplot ", b->groups - 0.4);
    for (int k = 0; k < INFERENCE_BARS; k++)
        fprintf(figures->script,
                "%s'%s' skip 1 every ::0::%d using ($0+%.2f):($%d/%.17g) with boxes fs solid 1.0 lc rgb '#%06X'",
                k ? ", \\\n  " : "", figure_now(figures)->csv, b->groups - 1, place_of(0, k), k + 2, unit, colours[k]);
    fputc('\n', figures->script);
}

enum st inference_plot(struct figures *figures, const struct figure_subject *subject, const struct inference_bars *b,
                       struct err *err)
{
    const struct box box = {AXIS, WIDTH - 20, 60, HEIGHT - 66};
    struct figure_key keys[INFERENCE_BARS];
    for (int k = 0; k < INFERENCE_BARS; k++) keys[k] = (struct figure_key){b->names[k], colours[k]};
    PASS(figure_begin_of(figures, subject, b->what, b->title, WIDTH, HEIGHT, err));
    struct figure_axis y = figure_axis_make('y', QUANTITY_BYTES, records(figures, b));
    figure_panel(figures, &box);
    figure_legend(figures, AXIS, 50, keys, INFERENCE_BARS);
    figure_axis_left(figures, &box, 72, "bytes of all GPUs");
    figure_axis_below(figures, &box, b->below);
    figure_axis_write(figures->script, &y);
    bars_write(figures, b, y.unit);
    const struct figure_places at = {box, figure_span(-0.6, b->groups - 0.4), figure_axis_span(&y)};
    for (int k = 0; k < INFERENCE_BARS; k++) {
        PASS(figure_series(figures, keys[k].name, keys[k].colour, err));
        for (int i = 0; i < b->groups; i++) {
            double v = b->group[i].bytes[k];
            char text[STYLE_TEXT];
            figure_bar(figures, &at, place_of(i, k) - 0.09, 0, place_of(i, k) + 0.09, v / y.unit, "%s, %s: %s",
                       b->group[i].label, keys[k].name, style_bytes(text, v));
        }
    }
    figure_caption(figures, "%s", b->caption);
    return figure_end(figures, err);
}
