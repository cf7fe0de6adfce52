/* curve_plot.c - see curve_plot.h. */
#include "reports/curves/curve_plot.h"

#include <math.h>

#include "reports/figures/figure_places.h"
#include "reports/formats/document.h"

enum { WIDTH = 980, HEIGHT = 420, NAMES = 150 /* pixels right of the plot */, MARK_EVERY = 10 };
static const unsigned colours[CURVE_LINES_MOST] = {0x0B4F8A, 0xB5500A, 0x1B7A4B, 0x8E3A80,
                                                   0x000000, 0x3D7EA6, 0xA32638};
static const int dashes[CURVE_LINES_MOST] = {1, 2, 4, 3, 5, 1, 2}, marks[CURVE_LINES_MOST] = {7, 5, 9, 11, 13, 6, 4};

static int lines_of(const doc *part)
{
    uint64_t count = doc_size(doc_get(part, "lines"));
    return count < CURVE_LINES_MOST ? (int)count : CURVE_LINES_MOST;
}

/* A record per line and size, line by line. */
static void records(struct figures *figures, const doc *part)
{
    static const char *const headers[] = {"what", "cache [share of all rows]", "hit rate [share of reads]", NULL};
    csv_header(&figures->csv, headers);
    for (int i = 0; i < lines_of(part); i++) {
        const doc *line = doc_at(doc_get(part, "lines"), (uint64_t)i), *rate = doc_get(line, "hit_rate");
        uint64_t points = doc_size(rate);
        for (uint64_t k = 0; k < points; k++) {
            csv_name(&figures->csv, document_text(line, "name"));
            csv_number(&figures->csv, points > 1 ? (double)k / (double)(points - 1) : 0);
            csv_number(&figures->csv, doc_real_value(doc_at(rate, k), NAN));
            csv_end(&figures->csv);
        }
    }
}

/* Where a line ends, and its name. */
static struct figure_end_label end_of(const doc *line, int number)
{
    const doc *rate = doc_get(line, "hit_rate");
    uint64_t points = doc_size(rate), last = points;
    while (last > 1 && isnan(doc_real_value(doc_at(rate, last - 1), NAN))) last--;
    struct figure_end_label e = {.colour = colours[number], .x = NAN, .leader = last < points};
    snprintf(e.text, sizeof e.text, "%.40s", document_text(line, "name"));
    e.place = doc_real_value(doc_at(rate, last - 1), 0);
    if (last < points) e.x = (double)(last - 1) / (double)(points - 1);
    return e;
}

/* What the lines say at their marks. */
static enum st points_write(struct figures *figures, const doc *part, const struct figure_places *at, struct err *err)
{
    for (int i = 0; i < lines_of(part); i++) {
        const doc *line = doc_at(doc_get(part, "lines"), (uint64_t)i), *rate = doc_get(line, "hit_rate");
        uint64_t points = doc_size(rate);
        PASS(figure_series(figures, document_text(line, "name"), colours[i], err));
        for (uint64_t k = 0; k < points; k += MARK_EVERY) {
            double x = points > 1 ? (double)k / (double)(points - 1) : 0, y = doc_real_value(doc_at(rate, k), NAN);
            char share[STYLE_TEXT], hits[STYLE_TEXT];
            figure_dot(figures, at, x, y, "%.100s with %s of all rows: %s", document_text(line, "name"),
                       style_percent(share, x, 0), style_percent(hits, y, 1));
        }
    }
    return ST_OK;
}

enum st curve_plot(struct figures *figures, const struct figure_subject *subject, const doc *part, const char *what,
                   struct err *err)
{
    const struct box box = {84, WIDTH - NAMES, 60, HEIGHT - 46};
    struct figure_axis x = figure_axis_make('x', QUANTITY_RATE, 1), y = figure_axis_make('y', QUANTITY_RATE, 1);
    const struct figure_places at = figure_places_make(&box, &x, &y);
    struct figure_end_label ends[CURVE_LINES_MOST];
    uint64_t first = 0;
    char bytes[STYLE_TEXT];
    PASS(figure_begin_of(figures, subject, what, "Hit rate over cache size", WIDTH, HEIGHT, err));
    records(figures, part);
    figure_panel(figures, &box);
    figure_axis_left(figures, &box, 66, "hit rate (share of reads)");
    figure_axis_below(figures, &box, "cache (share of all rows)");
    figure_axis_write(figures->script, &x);
    figure_axis_write(figures->script, &y);
    for (int i = 0; i < lines_of(part); i++) ends[i] = end_of(doc_at(doc_get(part, "lines"), (uint64_t)i), i);
    figure_end_labels(figures, &box, ends, lines_of(part), 0);
    for (int i = 0; i < lines_of(part); i++) {
        uint64_t points = doc_size(doc_get(doc_at(doc_get(part, "lines"), (uint64_t)i), "hit_rate"));
        fprintf(figures->script,
                "%s'%s' skip 1 every ::%llu::%llu using 2:3 with linespoints lc rgb '#%06X' dt %d lw 2 pt %d ps 0.5 pi "
                "%d",
                i ? ", \\\n  " : "plot ", figure_now(figures)->csv, (unsigned long long)first,
                (unsigned long long)(first + points - 1), colours[i], dashes[i], marks[i], MARK_EVERY);
        first += points;
    }
    fputc('\n', figures->script);
    PASS(points_write(figures, part, &at, err));
    figure_caption(figures,
                   "Reads of %s rows, all %s together; all rows take %s. Rankings are filled beforehand, dynamic "
                   "caches start empty.",
                   document_text(part, "table"), "caches", style_bytes(bytes, document_number(part, "bytes")));
    return figure_end(figures, err);
}
