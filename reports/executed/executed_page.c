/* executed_page.c - the page of executed plans; see executed.h. */
#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "base/progress.h"
#include "reports/executed/executed.h"
#include "reports/formats/gnuplot.h"
#include "reports/formats/html.h"
#include "reports/report.h"
#include "reports/sizing/sizing.h"

static void text_cell(FILE *to, const char *text)
{
    fputs("<td>", to);
    html_text(to, text);
    fputs("</td>", to);
}

static void totals_table(FILE *to, const struct executed *x)
{
    static const char *const keys[] = {"topology_transactions", "feature_transactions", "total_transactions"};
    double predicted = executed_number(doc_get(x->totals, "predicted"), "total_transactions");
    char text[STYLE_TEXT];
    fputs("<h3>Transactions per epoch</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\"></th><th "
          "scope=\"col\">topology</th><th scope=\"col\">features</th><th scope=\"col\">total</th>"
          "<th scope=\"col\">over predicted</th></tr></thead>\n<tbody>\n",
          to);
    for (int k = 0; k < EXECUTED_KINDS; k++) {
        const doc *d = doc_get(x->totals, executed_kinds[k]);
        double total = executed_number(d, "total_transactions");
        fprintf(to, "<tr><th scope=\"row\">%s</th>", executed_kinds[k]);
        for (int i = 0; i < 3; i++) text_cell(to, style_count(text, executed_number(d, keys[i])));
        snprintf(text, sizeof text, "%+.2f %%", 100 * (total / predicted - 1));
        text_cell(to, k && predicted > 0 && !isnan(total) ? text : "-");
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table></div>\n", to);
}

static void gpus_table(FILE *to, const struct executed *x)
{
    char text[STYLE_TEXT];
    fputs("<h3>Each GPU</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">GPU</th><th "
          "scope=\"col\">mini-batches</th><th scope=\"col\">cache filled at</th>",
          to);
    for (int k = 0; k < EXECUTED_STAGES; k++)
        fprintf(to, "<th scope=\"col\">%s<span>median</span></th>", executed_stage_names[k]);
    fputs("<th scope=\"col\">host rows at</th><th scope=\"col\" class=\"left\">as "
          "simulated</th></tr></thead>\n<tbody>\n",
          to);
    for (uint64_t g = 0; g < doc_size(x->gpus); g++) {
        const doc *d = doc_at(x->gpus, g), *stages = doc_get(d, "stages"), *equal = doc_get(d, "equals_simulated");
        const double rates[] = {executed_number(doc_get(d, "fill"), "gbps"),
                                executed_number(doc_get(stages, "gather_host"), "gbps")};
        char rate[2][STYLE_TEXT];
        for (int i = 0; i < 2; i++) snprintf(rate[i], sizeof rate[i], isnan(rates[i]) ? "-" : "%.3g GB/s", rates[i]);
        fprintf(to, "<tr><th scope=\"row\">%.0f</th><td>%.0f of %.0f</td>", executed_number(d, "id"),
                executed_number(d, "batches"), executed_number(d, "all_batches"));
        text_cell(to, rate[0]);
        for (int k = 0; k < EXECUTED_STAGES; k++)
            text_cell(to, sizing_seconds(executed_number(doc_get(stages, executed_stages[k]), "median_seconds"), text));
        text_cell(to, rate[1]);
        fprintf(to, "<td class=\"left\">%s</td></tr>\n",
                doc_is_null(equal)             ? "-"
                : doc_bool_value(equal, false) ? "equal"
                                               : "differs");
    }
    fputs("</tbody></table></div>\n", to);
}

static void notes_list(FILE *to, const struct executed *x)
{
    const doc *notes = doc_get(x->root, "notes"), *measured = doc_get(doc_at(x->gpus, 0), "measured");
    const char *how[] = {doc_text_value(doc_get(measured, "feature_how"), NULL),
                         doc_text_value(doc_get(measured, "total_how"), NULL)};
    fputs("<h3>What to know</h3>\n<ul>\n", to);
    for (int i = 0; i < 2; i++) {
        if (!how[i] || (i && !strcmp(how[0] ? how[0] : "", how[1]))) continue;
        fprintf(to, "<li>%s: ", i ? "Measured in total" : "Measured, features");
        html_text(to, !strcmp(how[i], "timed") ? "from the time that the host's rows took, at the rate of timed reads "
                                                 "of such rows"
                      : !strcmp(how[i], "counters") ? "by the driver's counter of bytes received over PCIe"
                                                    : how[i]);
        fputs(".</li>\n", to);
    }
    for (uint64_t i = 0; i < doc_size(notes); i++) {
        fputs("<li>", to);
        html_text(to, doc_text_value(doc_at(notes, i), ""));
        fputs("</li>\n", to);
    }
    fputs("</ul>\n", to);
}

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

static enum st page_of(const struct figures *figures, const struct executed *list, int count, const char *title,
                       struct err *err)
{
    enum st st;
    FILE *to = NULL;
    char text[STYLE_NAME];
    TRY(figures_file(figures, "index.html", &to, err));
    html_begin(to, title);
    fputs("<header>\n<h1>", to);
    html_text(to, title);
    fputs("</h1>\n</header>\n", to);
    for (int i = 0; i < count; i++) {
        const struct executed *x = &list[i];
        fprintf(to, "<section class=\"scene\" id=\"s%d\">\n<h2>", i + 1);
        html_text(to, style_cut(text, x->policy, 60));
        fputs(" <small>", to);
        html_text(to, x->grid->graph);
        fputs(" on ", to);
        html_text(to, x->grid->server);
        fputs(", executed by ", to);
        html_text(to, style_cut(text, x->device, 100));
        fputs("</small></h2>\n", to);
        TRY(figures_write(to, figures, i, err));
        totals_table(to, x);
        gpus_table(to, x);
        notes_list(to, x);
        fputs("</section>\n", to);
    }
    html_end(to);
    TRY(figures_file_close(&to, "index.html", err));
done:
    if (to) fclose(to);
    return st;
}

enum st executed_report(const char *const *inputs, int count, const char *out_dir, const char *title, bool quiet,
                        struct err *err)
{
    enum st st;
    struct executed *list = NULL;
    struct figures figures = {0};
    struct output out = {0};
    struct progress bar;
    progress_begin(&bar, "drawing", 0, !quiet);
    NEW(list, count, "executed plans");
    for (int i = 0; i < count; i++) TRY(executed_load(inputs[i], &list[i], err));
    for (int i = 0; i < count && count > 1; i++) figures_number(list[i].grid, i + 1); /* they may be of one graph */
    TRY(output_directory(&out, out_dir, "index.html", err));
    memcpy(figures.folder, out.temporary, sizeof figures.folder);
    TRY(report_folders(&figures, err));
    for (figures.grid = 0; figures.grid < count; figures.grid++) TRY(executed_draw(&figures, &list[figures.grid], err));
    TRY(figures_plot(&figures, 4, &bar, err));
    TRY(page_of(&figures, list, count, title && *title ? title : "Cache plans, executed", err));
    TRY(output_commit(&out, err));
done:
    progress_end(&bar);
    figures_release(&figures);
    output_abort(&out);
    for (int i = 0; list && i < count; i++) executed_release(&list[i]);
    mem_free(list);
    return st;
}
