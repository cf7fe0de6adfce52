#include "reports/figures/figure_axes.h"

#include <math.h>
#include <string.h>
#include "reports/formats/gnuplot.h"

struct sizing_axis sizing_axis_bytes(char axis, double most)
{
    static const char *const names[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
    struct sizing_axis a = {.axis = axis, .unit = 1};
    int i = 0;
    for (; i < 5 && most >= 1024 * a.unit; i++) a.unit *= 1024;
    snprintf(a.suffix, sizeof a.suffix, "%s", names[i]);
    a.range = layout_range(0, most > 0 ? most / a.unit : 1, false);
    return a;
}

struct sizing_axis sizing_axis_metric(char axis, const char *metric, double low, double high)
{
    struct sizing_axis a = {.axis = axis, .unit = 1, .metric = metric};
    bool rate = strstr(metric, "rate") != NULL;
    if (rate) low = 0, high = 1;
    a.range = layout_range(fmin(low, 0), high > 0 ? high : 1, false);
    return a;
}

void sizing_axis_write(FILE *to, const struct sizing_axis *a)
{
    const struct range *r = &a->range;
    double pad = a->axis == 'x' ? (r->high - r->low) * 0.02 : 0;
    fprintf(to, "set %ctics (", a->axis);
    for (int i = 0; i < r->count; i++) {
        char text[STYLE_TEXT];
        if (!a->metric) snprintf(text, sizeof text, "%.6g%s", r->tick[i], r->tick[i] == 0 ? "" : a->suffix);
        else if (strstr(a->metric, "rate")) snprintf(text, sizeof text, "%.4g %%", 100 * r->tick[i]);
        else if (!strcmp(a->metric, "transactions")) style_tick(text, r->tick[i]);
        else sizing_text(a->metric, r->tick[i], text);
        if (a->axis == 'x' && r->count > 6 && i % 2) *text = 0; /* they would touch */
        gnuplot_tic(to, text, r->tick[i], i == 0);
    }
    fprintf(to, ")\nset %crange [%.9g:%.9g]\n", a->axis, r->low - pad, r->high + pad);
}

void sizing_legend(struct figures *s, int left, int from_top, const struct sizing_key *keys, int count)
{
    const struct figure *f = &s->list[s->count - 1];
    double y = 1 - (double)from_top / f->height;
    int x = left;
    for (int i = 0; i < count; i++) {
        char position[80];
        fprintf(s->script,
                "set object rect from screen %.5f, screen %.5f to screen %.5f, screen %.5f fs solid 1.0 noborder fc "
                "rgb '#%06X'\n",
                (double)x / f->width, y - 5.0 / f->height, (x + 14.0) / f->width, y + 6.0 / f->height, keys[i].colour);
        snprintf(position, sizeof position, "screen %.5f, screen %.5f", (x + 20.0) / f->width, y);
        gnuplot_label(s->script, keys[i].name, position, "left tc rgb '#333333'");
        x += 40 + (int)(7.8 * style_length(keys[i].name));
    }
}

void sizing_mark(FILE *to, double at, const char *text, unsigned colour, bool right)
{
    char position[80];
    fprintf(to, "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead lc rgb '#%06X' lw 1.4 dt (5,3)\n", at,
            at, colour);
    snprintf(position, sizeof position, "first %.9g, graph 0.97", at);
    if (*text)
        gnuplot_label(to, text, position, "right rotate by 90 offset %s,0 font small_font tc rgb '#%06X'",
                      right ? "0.9" : "-0.8", colour);
}
