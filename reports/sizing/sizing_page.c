/* sizing_page.c - the page of a size question: the answer first, then what it rests on; see sizing.h. */
#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "base/progress.h"
#include "reports/formats/gnuplot.h"
#include "reports/formats/html.h"
#include "reports/report.h"
#include "reports/sizing/sizing.h"

static void cell(FILE *to, const char *text)
{
    fputs("<td>", to);
    html_text(to, text);
    fputs("</td>", to);
}

static void bytes_cell(FILE *to, double v)
{
    char text[STYLE_TEXT];
    cell(to, isnan(v) ? "-" : style_bytes(text, v));
}

static double member(const doc *of, const char *key) { return doc_real_value(doc_get(of, key), NAN); }

/* ---- what the answer rests on ---- */

static void lines_write(FILE *to, const struct sizing *s)
{
    const doc *next = doc_get(s->root, "next_gigabyte"), *stand_in = doc_get(s->root, "stand_in"),
              *targets = doc_get(s->root, "targets");
    char a[STYLE_TEXT], b[STYLE_TEXT], c[STYLE_TEXT];
    fputs("<ul>\n", to);
    if (doc_size(targets)) {
        fputs("<li>Asked for: ", to);
        for (uint64_t i = 0; i < doc_size(targets); i++) {
            fputs(i ? ", " : "", to);
            html_text(to, doc_text_value(doc_get(doc_at(targets, i), "text"), "?"));
        }
        fputs(".</li>\n", to);
    }
    if (s->knee >= 0)
        fprintf(to, "<li>The curve turns at %s per GPU: beyond that, memory buys less than on average.</li>\n",
                style_bytes(a, s->points[s->knee].budget));
    if (doc_is_object(next)) {
        double saved = -member(next, "epoch_seconds");
        fprintf(to,
                "<li>Another %s per GPU on top of %s serves %.2f points more of the feature rows and saves %s PCIe "
                "transactions per epoch",
                style_bytes(a, member(next, "more_bytes")), style_bytes(b, member(next, "from_budget_bytes")),
                100 * member(next, "feature_hit_rate"), style_count(c, fmax(0, -member(next, "transactions"))));
        if (!isnan(saved)) fprintf(to, " and %s", sizing_seconds(fmax(0, saved), c));
        fputs(".</li>\n", to);
    }
    if (doc_is_object(stand_in)) {
        fprintf(to, "<li>The graph is a stand-in at %.4g of the size: ", member(stand_in, "scale"));
        html_text(to, doc_text_value(doc_get(stand_in, "note"), ""));
        fputs(".</li>\n", to);
    }
    fputs("</ul>\n", to);
}

static void curves_table(FILE *to, const struct sizing *s)
{
    fputs("<h3>What was tried</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">what</th><th "
          "scope=\"col\">price<span>per hour</span></th><th scope=\"col\">GPU memory</th>"
          "<th scope=\"col\">reserved<span>for training</span></th><th scope=\"col\">most cache<span>per "
          "GPU</span></th><th scope=\"col\">needs<span>to meet the target</span></th>"
          "<th scope=\"col\">knee</th></tr></thead>\n<tbody>\n",
          to);
    for (int i = 0; i < s->curve_count; i++) {
        const struct sizing_curve *c = &s->curves[i];
        char text[STYLE_TEXT], label[STYLE_NAME];
        bool best = s->answer >= 0 && s->points[s->answer].curve == i;
        fputs("<tr><th scope=\"row\">", to);
        html_text(to, style_cut(label, c->label, 60));
        fputs("</th>", to);
        snprintf(text, sizeof text, isnan(c->price) ? "-" : "%.2f", c->price);
        cell(to, text);
        bytes_cell(to, c->memory);
        bytes_cell(to, member(doc_get(c->of, "reservation"), "total_bytes"));
        if (c->missing > 0) fprintf(to, "<td class=\"off\">%s missing</td>", style_bytes(text, c->missing));
        else bytes_cell(to, c->limit);
        fprintf(to, "<td%s>%s</td>", best ? " class=\"best\"" : "",
                isnan(c->needs) ? "-" : style_bytes(text, c->needs));
        bytes_cell(to, c->knee);
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table></div>\n", to);
}

/* The points of the shown curve. */
static void points_table(FILE *to, const struct sizing *s)
{
    static const char *const metrics[] = {"feature_hit_rate", "topology_hit_rate", "transactions", "epoch_seconds",
                                          "cost_per_epoch"};
    char text[STYLE_TEXT], label[STYLE_NAME];
    if (s->shown < 0) return;
    const struct sizing_curve *c = &s->curves[s->shown];
    fputs("<h3>", to);
    html_text(to, style_cut(label, c->label, 80));
    fputs("</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">cache<span>per GPU</span></th><th "
          "scope=\"col\">feature hits<span>of rows</span></th><th scope=\"col\">topology hits<span>of "
          "visits</span></th>"
          "<th scope=\"col\">transactions<span>per epoch</span></th><th scope=\"col\">epoch<span>best up to "
          "here</span></th><th scope=\"col\">cost<span>per epoch</span></th><th scope=\"col\" "
          "class=\"left\">bottleneck</th></tr></thead>\n<tbody>\n",
          to);
    for (int i = c->first; i < c->first + c->count; i++) {
        const struct sizing_point *p = &s->points[i];
        fprintf(to, "<tr%s><th scope=\"row\">%s%s</th>", i == s->answer ? " class=\"best\"" : "",
                style_bytes(text, p->budget),
                i == s->answer ? " (answer)"
                : i == s->knee ? " (knee)"
                               : "");
        for (size_t k = 0; k < sizeof metrics / sizeof *metrics; k++)
            cell(to, sizing_text(metrics[k], sizing_value(p, metrics[k]), text));
        fputs("<td class=\"left\">", to);
        html_text(to, p->bottleneck ? p->bottleneck : "-");
        if (p->limited_by) {
            fputs(": ", to);
            html_text(to, p->limited_by);
        }
        fputs("</td></tr>\n", to);
    }
    fputs("</tbody></table></div>\n", to);
}

/* The memory that training takes, term by term. */
static void reservation_table(FILE *to, const struct sizing *s)
{
    char text[STYLE_TEXT];
    int at = s->shown < 0 ? 0 : s->shown;
    const doc *r = doc_get(s->curves[at].of, "reservation"), *terms = doc_get(r, "terms");
    if (!doc_size(terms)) return;
    fputs("<h3>GPU memory that training takes</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th "
          "scope=\"col\">term</th><th scope=\"col\">bytes</th><th scope=\"col\" "
          "class=\"left\">formula</th></tr></thead>\n<tbody>\n",
          to);
    for (uint64_t i = 0; i < doc_size(terms); i++) {
        const doc *t = doc_at(terms, i);
        fputs("<tr><th scope=\"row\">", to);
        html_text(to, doc_text_value(doc_get(t, "name"), "?"));
        fprintf(to, "</th><td>%s</td><td class=\"long\">", style_bytes(text, member(t, "bytes")));
        html_text(to, doc_text_value(doc_get(t, "formula"), ""));
        fputs("</td></tr>\n", to);
    }
    fprintf(to, "<tr><th scope=\"row\">all</th><td>%s</td><td></td></tr>\n</tbody></table></div>\n",
            style_bytes(text, member(r, "total_bytes")));
}

static void uncertainty_table(FILE *to, const struct sizing *s)
{
    static const char *const metrics[] = {"feature_hit_rate", "topology_hit_rate", "transactions", "epoch_seconds",
                                          "cost_per_epoch"};
    const doc *u = doc_get(s->root, "uncertainty"), *list = doc_get(u, "stand_ins");
    char text[STYLE_TEXT];
    if (!doc_size(list)) return;
    fprintf(to,
            "<h3>How far stand-ins spread</h3>\n<div class=\"scroll\"><table>\n<caption>At %s of cache per "
            "GPU.</caption>\n<thead><tr><th scope=\"col\">scale, seed</th>",
            style_bytes(text, member(u, "budget_bytes")));
    for (size_t k = 0; k < sizeof metrics / sizeof *metrics; k++)
        fprintf(to, "<th scope=\"col\">%s</th>", sizing_metric_name(metrics[k]));
    fputs("<th scope=\"col\">needs<span>to meet the target</span></th></tr></thead>\n<tbody>\n", to);
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *d = doc_at(list, i);
        fprintf(to, "<tr><th scope=\"row\">%.4g, %.9g</th>", member(d, "scale"), member(d, "seed"));
        for (size_t k = 0; k < sizeof metrics / sizeof *metrics; k++)
            cell(to, sizing_text(metrics[k], member(d, metrics[k]), text));
        bytes_cell(to, member(d, "answer_budget_bytes"));
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table></div>\n", to);
}

static void unknown_list(FILE *to, const struct sizing *s)
{
    for (int i = 0; i < s->curve_count; i++) {
        const doc *unknown = doc_get(s->curves[i].of, "unknown");
        if (!doc_size(unknown)) continue;
        fputs("<p class=\"note\">", to);
        html_text(to, s->curves[i].label);
        fputs(": epoch times are not known, because its description lacks ", to);
        for (uint64_t k = 0; k < doc_size(unknown); k++) {
            fputs(k ? ", " : "", to);
            html_text(to, doc_text_value(doc_at(unknown, k), "?"));
        }
        fputs(".</p>\n", to);
    }
}

static void rules_list(FILE *to, const struct sizing *s)
{
    const doc *rules = doc_get(s->root, "rules");
    fputs("<h3>Rules</h3>\n<dl>\n", to);
    for (const char *key = doc_next_key(rules, NULL); key; key = doc_next_key(rules, key)) {
        fputs("<dt>", to);
        html_text(to, key);
        fputs("</dt><dd>", to);
        html_text(to, doc_text_value(doc_get(rules, key), ""));
        fputs("</dd>\n", to);
    }
    fputs("<dt>held-out</dt><dd>Every number was simulated on epochs whose seed planning never saw. Epoch times are a "
          "model's, from constants of the server's description.</dd>\n</dl>\n",
          to);
}

/* ---- the page ---- */

static enum st figures_write(FILE *to, const struct figures *figures, int index, struct err *err)
{
    enum st st = ST_OK;
    for (int i = 0; i < figures->count; i++) {
        const struct figure *f = &figures->list[i];
        char path[PATH_BYTES], name[300];
        if (f->grid != index) continue;
        snprintf(name, sizeof name, "plots/%s.svg", f->name);
        TRY(path_join(path, figures->folder, name, err));
        fputs("<figure>\n<div class=\"scroll\">", to);
        TRY(html_svg(to, path, i + 1, f->title, err));
        fputs("</div>\n<figcaption>", to);
        html_text(to, f->caption);
        fprintf(to,
                " <span class=\"files\"><a href=\"data/%s.csv\">Data</a>, <a href=\"plots/%s.png\">PNG</a>, <a "
                "href=\"plots/%s.gp\">script</a>.</span></figcaption>\n</figure>\n",
                f->name, f->name, f->name);
    }
done:
    return st;
}

static enum st section_write(FILE *to, const struct figures *figures, const struct sizing *s, int index, bool lead,
                             struct err *err)
{
    enum st st;
    char graph[STYLE_NAME];
    if (!lead) {
        fprintf(to, "<section class=\"scene\" id=\"s%d\">\n<h2>", index + 1);
        html_text(to, style_cut(graph, s->graph, 100));
        fputs(" <small>", to);
        html_text(to, s->name);
        fputs("</small></h2>\n<p>", to);
        html_text(to, s->sentence);
        fputs("</p>\n", to);
    } else fputs("<section>\n", to);
    lines_write(to, s);
    TRY(figures_write(to, figures, index, err));
    curves_table(to, s);
    unknown_list(to, s);
    points_table(to, s);
    uncertainty_table(to, s);
    reservation_table(to, s);
    fputs("</section>\n", to);
done:
    return st;
}

enum st sizing_page(const struct figures *figures, const struct sizing *list, int count, const char *title,
                    struct err *err)
{
    enum st st;
    FILE *to = NULL;
    TRY(figures_file(figures, "index.html", &to, err));
    html_begin(to, title);
    fputs("<header>\n<h1>", to);
    html_text(to, title);
    fputs("</h1>\n", to);
    if (count == 1) {
        fputs("<p class=\"lead\">", to);
        html_text(to, list[0].sentence);
        fputs("</p>\n", to);
    }
    fputs("</header>\n", to);
    for (int i = 0; i < count; i++) TRY(section_write(to, figures, &list[i], i, count == 1, err));
    fputs("<section class=\"about\">\n", to);
    rules_list(to, &list[0]);
    fputs("</section>\n", to);
    html_end(to);
    TRY(figures_file_close(&to, "index.html", err));
done:
    if (to) fclose(to);
    return st;
}

enum st sizing_report(const char *const *inputs, int count, const char *out_dir, const char *title, bool quiet,
                      struct err *err)
{
    enum st st;
    struct sizing *list = NULL;
    struct figures figures = {0};
    struct output out = {0};
    struct progress bar;
    progress_begin(&bar, "drawing", 0, !quiet);
    NEW(list, count, "answers");
    for (int i = 0; i < count; i++) TRY(sizing_load(inputs[i], &list[i], err));
    for (int i = 0; i < count && count > 1; i++) figures_number(list[i].grid, i + 1); /* they may be of one graph */
    TRY(output_directory(&out, out_dir, "index.html", err));
    memcpy(figures.folder, out.temporary, sizeof figures.folder);
    TRY(report_folders(&figures, err));
    for (figures.grid = 0; figures.grid < count; figures.grid++) TRY(sizing_draw(&figures, &list[figures.grid], err));
    TRY(figures_plot(&figures, 4, &bar, err));
    TRY(sizing_page(&figures, list, count, title && *title ? title : "What to buy for GNN training", err));
    TRY(output_commit(&out, err));
done:
    progress_end(&bar);
    figures_release(&figures);
    output_abort(&out);
    for (int i = 0; list && i < count; i++) sizing_release(&list[i]);
    mem_free(list);
    return st;
}
