/* sizing_parts.c - what a training and host memory are made of, by option; see sizing_plots.h. */
#include <math.h>
#include <string.h>
#include "reports/formats/document.h"
#include "reports/sizing/sizing_lines.h"
#include "reports/sizing/sizing_plots.h"

enum { BARS = 40, ROW = 20, NAMES = 250, PARTS = 2 };
static const unsigned part_colours[PARTS] = {0x8C8C8C, 0x0B4F8A};

/* A figure of bars of two parts each. */
struct parts {
    const char *name, *title, *axis, *caption;
    struct figure_key key[PARTS];
    enum quantity quantity;
    const char *(*text_of)(char out[STYLE_TEXT], double v);
    int count;
    const doc *option[BARS];
    double part[BARS][PARTS], most;
};

/* Equal bars of one server, of which other GPUs or other numbers of it are asked about, are one. */
static void add(struct parts *p, const doc *o, double first, double second)
{
    const char *label = document_text(o, "label");
    if (isnan(first) || isnan(second) || p->count == BARS || !sizing_listed(o)) return;
    for (int i = 0; i < p->count; i++) {
        const char *other = document_text(p->option[i], "label");
        const size_t name = strcspn(label, ":,");
        if (p->part[i][0] == first && p->part[i][1] == second && strcspn(other, ":,") == name &&
            !strncmp(label, other, name))
            return;
    }
    p->part[p->count][0] = first;
    p->part[p->count][1] = second;
    p->option[p->count++] = o;
    p->most = fmax(p->most, first + second);
}

static enum st draw(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                    struct parts *p, struct err *err)
{
    const int height = 150 + ROW * p->count;
    char label[STYLE_NAME], text[STYLE_NAME + 20], value[STYLE_TEXT];
    struct box box = {NAMES, SIZING_WIDTH - 30, 66, height - 70};
    struct figure_axis x = figure_axis_make('x', p->quantity, p->most);
    if (!p->count) return ST_OK;
    for (int k = 0; k < PARTS; k++) p->key[k].colour = part_colours[k];
    PASS(figure_begin_of(figures, subject, p->name, p->title, SIZING_WIDTH, height, err));
    sizing_records_write(figures, s);
    figure_panel(figures, &box);
    figure_legend(figures, NAMES, 50, p->key, PARTS);
    figure_axis_below(figures, &box, p->axis);
    figure_axis_write(figures->script, &x);
    fprintf(figures->script, "set yrange [0:%d]\nunset ytics\n", p->count);
    const struct figure_places at = {box, figure_axis_span(&x), figure_span(0, p->count)};
    for (int k = 0; k < PARTS; k++) {
        PASS(figure_series(figures, p->key[k].name, p->key[k].colour, err));
        for (int i = 0; i < p->count; i++) {
            double y = p->count - i - 0.5, from = k ? p->part[i][0] / x.unit : 0, to = from + p->part[i][k] / x.unit;
            fprintf(figures->script, "set arrow from %.9g, %g to %.9g, %g nohead lc rgb '#%06X' lw 8\n", from, y, to, y,
                    p->key[k].colour);
            snprintf(text, sizeof text, "%.0f x %s", document_number(p->option[i], "servers"),
                     style_cut(label, doc_text_value(doc_get(p->option[i], "label"), "?"), 34));
            if (!k)
                figure_label(figures, NAMES - 10, box.bottom + (box.top - box.bottom) * y / p->count, text,
                             "right tc rgb '#111111'");
            figure_bar(figures, &at, from, y - 0.3, to, y + 0.3, "%s, %s: %s", text, p->key[k].name,
                       p->text_of(value, p->part[i][k]));
        }
    }
    fputs("plot NaN notitle\nunset object\n", figures->script);
    figure_caption(figures, "%s", p->caption);
    return figure_end(figures, err);
}

enum st sizing_plot_filling(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                            struct err *err)
{
    struct parts p = {.name = "filling",
                      .title = "Filling SSDs, then training",
                      .axis = "time of the training",
                      .caption = "The prediction, without its interval. SSDs are written once, before the first epoch; "
                                 "the time is part of the training, of its money and its energy.",
                      .key = {{.name = "filling SSDs"}, {.name = "epochs"}},
                      .quantity = QUANTITY_SECONDS,
                      .text_of = style_seconds};
    const doc *list = doc_get(s->root, "options");
    bool any = false;
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *o = doc_at(list, i);
        double fill = document_number(o, "ssd_fill_seconds");
        any |= fill > 0;
        add(&p, o, fill, document_number(o, "training_seconds") - fill);
    }
    return any ? draw(figures, s, subject, &p, err) : ST_OK;
}

enum st sizing_plot_host(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                         struct err *err)
{
    struct parts p = {.name = "host-memory",
                      .title = "Host memory of each server",
                      .axis = "host memory",
                      .caption = "Needed: topology, feature rows that lie on the host, the system, processes and the "
                                 "loader. The page cache may take what is left; training does not need it.",
                      .key = {{.name = "needed"}, {.name = "left to the page cache"}},
                      .quantity = QUANTITY_BYTES,
                      .text_of = style_bytes};
    const doc *list = doc_get(s->root, "options");
    bool any = false;
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *o = doc_at(list, i);
        any |= document_number(o, "ssd_fill_seconds") > 0;
        if (doc_bool_value(doc_get(o, "fits"), false))
            add(&p, o, document_number(o, "host_needs_bytes"), document_number(o, "host_left_bytes"));
    }
    return any ? draw(figures, s, subject, &p, err) : ST_OK;
}
