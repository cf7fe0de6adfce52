/* drift_plot.c - see drift_plot.h. */
#include "reports/drift/drift_plot.h"

#include <math.h>

#include "reports/figures/figure_places.h"
#include "reports/formats/document.h"

enum { WIDTH = 980, HEIGHT = 420, NAMES = 110 /* pixels right of the plot */ };
static const unsigned colours[DRIFT_SCHEMES_MOST] = {0x000000, 0xB5500A, 0x1B7A4B, 0x0B4F8A,
                                                     0x6B7280, 0x8E3A80, 0xA32638};
static const int dashes[DRIFT_SCHEMES_MOST] = {1, 2, 4, 1, 3, 5, 2},
                 marks[DRIFT_SCHEMES_MOST] = {7, 5, 9, 11, 13, 6, 4};

static int lines_of(const doc *schemes)
{
    uint64_t count = doc_size(schemes);
    return count < DRIFT_SCHEMES_MOST ? (int)count : DRIFT_SCHEMES_MOST;
}

/* Whether caches hold features: where all went to topology, its hit rate is drawn. */
static bool features_held(const doc *schemes)
{
    for (uint64_t i = 0; i < doc_size(schemes); i++)
        if (document_number(doc_at(schemes, i), "feature_hit_rate") > 0) return true;
    return false;
}

/* A record per scheme and window, scheme by scheme; *last: the highest window. */
static void records(struct figures *figures, const doc *schemes, const char *rate, double *last)
{
    static const char *const headers[] = {"scheme", "window", "hit rate [share of reads]", "transactions per epoch",
                                          NULL};
    csv_header(&figures->csv, headers);
    *last = 1;
    for (int i = 0; i < lines_of(schemes); i++) {
        const doc *x = doc_at(schemes, (uint64_t)i), *windows = doc_get(x, "windows");
        for (uint64_t k = 0; k < doc_size(windows); k++) {
            const doc *w = doc_at(windows, k);
            csv_name(&figures->csv, document_text(x, "scheme"));
            csv_number(&figures->csv, document_count(w, "window"));
            csv_number(&figures->csv, document_number(w, rate));
            csv_number(&figures->csv, document_count(w, "total_transactions"));
            csv_end(&figures->csv);
            *last = fmax(*last, document_count(w, "window"));
        }
    }
}

/* Where a scheme's line ends, and its name. */
static struct figure_end_label end_of(const doc *x, const char *rate, int number)
{
    const doc *windows = doc_get(x, "windows");
    double place = document_number(doc_at(windows, doc_size(windows) - 1), rate);
    struct figure_end_label e = {.colour = colours[number], .x = NAN, .place = isnan(place) ? 0 : place};
    snprintf(e.text, sizeof e.text, "%.40s", document_text(x, "scheme"));
    return e;
}

/* What the lines say window by window. */
static enum st points_write(struct figures *figures, const doc *schemes, const char *rate,
                            const struct figure_places *at, struct err *err)
{
    for (int i = 0; i < lines_of(schemes); i++) {
        const doc *x = doc_at(schemes, (uint64_t)i), *windows = doc_get(x, "windows");
        PASS(figure_series(figures, document_text(x, "scheme"), colours[i], err));
        for (uint64_t k = 0; k < doc_size(windows); k++) {
            double window = document_count(doc_at(windows, k), "window"), v = document_number(doc_at(windows, k), rate);
            char text[STYLE_TEXT];
            figure_dot(figures, at, window, v, "%.60s, window %.0f: %s", document_text(x, "scheme"), window,
                       style_percent(text, v, 1));
        }
    }
    return ST_OK;
}

enum st drift_plot(struct figures *figures, const struct figure_subject *subject, const doc *root, struct err *err)
{
    const struct box box = {84, WIDTH - NAMES, 60, HEIGHT - 46};
    const doc *schemes = doc_get(root, "schemes");
    const bool held = features_held(schemes);
    const char *rate = held ? "feature_hit_rate" : "topology_hit_rate";
    struct figure_axis y = figure_axis_make('y', QUANTITY_RATE, 1);
    struct figure_end_label ends[DRIFT_SCHEMES_MOST];
    uint64_t first = 0;
    double last;
    PASS(figure_begin_of(figures, subject, "drift", "Hit rate window by window", WIDTH, HEIGHT, err));
    records(figures, schemes, rate, &last);
    figure_panel(figures, &box);
    figure_axis_left(figures, &box, 66, "hit rate (share of reads)");
    figure_axis_below(figures, &box, "window");
    fprintf(figures->script, "set xrange [%g:%g]\nset xtics autofreq %g\n", last > 1 ? 1.0 : 0.0, last,
            ceil(last / 10));
    figure_axis_write(figures->script, &y);
    for (int i = 0; i < lines_of(schemes); i++) ends[i] = end_of(doc_at(schemes, (uint64_t)i), rate, i);
    figure_end_labels(figures, &box, ends, lines_of(schemes), 0);
    for (int i = 0; i < lines_of(schemes); i++) {
        uint64_t count = doc_size(doc_get(doc_at(schemes, (uint64_t)i), "windows"));
        fprintf(figures->script,
                "%s'%s' skip 1 every ::%llu::%llu using 2:3 with linespoints lc rgb '#%06X' dt %d lw 2 pt %d ps 0.5",
                i ? ", \\\n  " : "plot ", figure_now(figures)->csv, (unsigned long long)first,
                (unsigned long long)(first + count - 1), colours[i], dashes[i], marks[i]);
        first += count;
    }
    fputc('\n', figures->script);
    PASS(points_write(figures, schemes, rate,
                      &(struct figure_places){box, figure_span(last > 1 ? 1 : 0, last), figure_axis_span(&y)}, err));
    figure_caption(figures,
                   "Reads of %s rows that GPUs hold, on held-out epochs of each window. Window 0 made the first plan; "
                   "oracle knows the window that it serves.",
                   held ? "feature" : "topology");
    return figure_end(figures, err);
}
