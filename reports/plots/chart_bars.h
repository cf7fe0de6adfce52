/* chart_bars.h - one bar per policy, for a grid with a single budget. */
#ifndef REPORTS_PLOTS_CHART_BARS_H
#define REPORTS_PLOTS_CHART_BARS_H

#include "reports/plots/chart_data.h"

/* Draws all panels of a chart side by side on a figure of width x height pixels. ST_LIMIT: memory is out. */
enum st chart_bars(const struct chart *c, int width, int height, struct err *err) MUST_USE;

#endif
