/* sizing_lines.c - records, lines and targets; see sizing_lines.h. */
#include "reports/sizing/sizing_lines.h"

#include <math.h>
#include <string.h>
#include "reports/formats/gnuplot.h"

const unsigned sizing_colours[SIZING_COLOURS] = {0x0B4F8A, 0xB5500A, 0x1B7A4B, 0x8E3A80, 0x9A6B00, 0x3D7EA6,
                                                 0xA32638, 0x5B6570, 0x6A4FB0, 0x2F6F73, 0x7A5230, 0x000000};

void sizing_records_write(struct figures *figures, const struct sizing *s)
{
    static const char *const headers[] = {"what",
                                          "cache per GPU [bytes]",
                                          "cache of all GPUs [bytes]",
                                          "feature hit rate [share of feature rows]",
                                          "topology hit rate [share of topology visits]",
                                          "transactions [PCIe reads per epoch]",
                                          "epoch time [s]",
                                          "best epoch time up to this budget [s]",
                                          "cost per epoch",
                                          "sample [s per iteration]",
                                          "load [s per iteration]",
                                          "transfer [s per iteration]",
                                          "propagate [s per iteration]",
                                          "meets",
                                          NULL};
    csv_header(&figures->csv, headers);
    for (int i = 0; i < s->count; i++) {
        const struct sizing_point *p = &s->points[i];
        const double values[] = {p->budget, p->all, p->hit, p->topology, p->transactions, p->seconds, p->best, p->cost};
        csv_name(&figures->csv, s->curves[p->curve].label);
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) csv_number(&figures->csv, values[k]);
        for (int k = 0; k < SIZING_STAGES; k++) csv_number(&figures->csv, p->stage[k]);
        csv_number(&figures->csv, p->meets);
        csv_end(&figures->csv);
    }
}

int sizing_column(const char *metric)
{
    static const struct {
        const char *key;
        int column;
    } columns[] = {{"feature_hit_rate", 4},
                   {"topology_hit_rate", 5},
                   {"transactions", 6},
                   {"epoch_seconds", 8},
                   {"cost_per_epoch", 9}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!strcmp(metric, columns[i].key)) return columns[i].column;
    return 6;
}

double sizing_highest(const struct sizing *s, int from, int count, const char *metric)
{
    double most = NAN;
    for (int i = from; i < from + count; i++) most = fmax(most, sizing_value(&s->points[i], metric));
    return most;
}

int sizing_different(const struct sizing *s, const struct sizing_curve *c)
{
    int n = c->count;
    while (n > 1) {
        const struct sizing_point *last = &s->points[c->first + n - 1], *before = last - 1;
        if (before->hit != last->hit || before->topology != last->topology || before->hit < 1 ||
            before->transactions != last->transactions || s->answer == c->first + n - 1 || s->knee == c->first + n - 1)
            break;
        n--;
    }
    return n;
}

void sizing_line_write(const struct figures *figures, const struct sizing_curve *c, const struct figure_axis *x,
                       int column, const char *stroke, int mark, bool first)
{
    fprintf(figures->script, "%s'%s' skip 1 every ::%d::%d using ($2/%.9g):%d with linespoints %s pt %d ps 0.45",
            first ? "plot " : ", \\\n  ", figure_now(figures)->csv, c->first, c->first + c->count - 1, x->unit, column,
            stroke, mark);
}

enum st sizing_points(struct figures *figures, const struct sizing *s, const struct sizing_curve *c, const char *metric,
                      const struct figure_key *key, const struct figure_places *at, const struct figure_axis *x,
                      struct err *err)
{
    PASS(figure_series(figures, key->name, key->colour, err));
    for (int i = c->first; i < c->first + c->count; i++) {
        char bytes[STYLE_TEXT], value[STYLE_TEXT];
        double v = sizing_value(&s->points[i], metric);
        figure_dot(figures, at, s->points[i].budget / x->unit, v, "%.80s, %s per GPU: %s %s", c->label,
                   style_bytes(bytes, s->points[i].budget), sizing_metric_name(metric), sizing_text(metric, v, value));
    }
    return ST_OK;
}

void sizing_ring_write(const struct figures *figures, double x, double y)
{
    fprintf(figures->script,
            "set object circle at first %.9g, first %.9g size screen 0.009 fs empty border lc rgb '#%06X' lw 2.4 "
            "front\n",
            x, y, (unsigned)SIZING_ANSWER);
}

bool sizing_target_line(const struct figures *figures, const struct sizing *s, const char *metric,
                        const struct range *y)
{
    double v = sizing_target(s, metric);
    if (isnan(v) || v < y->low || v > y->high) return false;
    fprintf(figures->script,
            "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead lc rgb '#A32638' lw 1.2 dt (2,2)\n", v,
            v);
    return true;
}

void sizing_target_caption(struct figures *figures, const struct sizing *s, const char *metric)
{
    char text[STYLE_TEXT];
    if (!isnan(sizing_target(s, metric)))
        figure_caption(figures, " The dotted red line is the target, %s.",
                       sizing_text(metric, sizing_target(s, metric), text));
}
