/* inference_plot.h - bytes that move, as groups of bars. */
#ifndef REPORTS_INFERENCE_INFERENCE_PLOT_H
#define REPORTS_INFERENCE_INFERENCE_PLOT_H

#include "reports/figures/figures.h"

enum { INFERENCE_BARS = 4, INFERENCE_GROUPS = 8 };

struct inference_group {
    char label[32];
    double bytes[INFERENCE_BARS]; /* NaN: not known */
};
struct inference_bars {
    const char *what, *title, *below, *caption; /* what: ends the figure's name */
    const char *names[INFERENCE_BARS];
    struct inference_group group[INFERENCE_GROUPS];
    int groups; /* >= 1 */
};

/* ST_LIMIT as figure_begin. */
enum st inference_plot(struct figures *figures, const struct figure_subject *subject, const struct inference_bars *b,
                       struct err *err) MUST_USE;

#endif
