/* comparison_page.c - the page of a comparison, from its documents on; see comparison_page.h. */
#include "reports/comparison/comparison_page.h"

#include "reports/comparison/comparison_summary.h"
#include "reports/comparison/comparison_tables.h"
#include "reports/comparison/method_notes.h"
#include "reports/comparison/results_csv.h"
#include "reports/formats/html.h"
#include "reports/formats/out_file.h"
#include "reports/plots/plots.h"

struct comparison {
    struct result_rows rows;
    struct grids grids;
};

static enum st data_write(const void *of, const char *folder, struct err *err)
{
    static const char name[] = "data/results.csv";
    const struct comparison *c = of;
    enum st st;
    FILE *to = NULL;
    TRY(out_file_open(folder, name, &to, err));
    results_csv_write(to, &c->rows);
    TRY(out_file_close(&to, name, err));
done:
    return st;
}

static enum st figures_write(const void *of, int section, struct figures *figures, struct err *err)
{
    static enum st (*const plots[])(struct figures *, const struct grid *, struct err *) = {
        plot_transactions, plot_hit_rates, plot_gpus, plot_traffic, plot_alpha, plot_errors,
    };
    const struct comparison *c = of;
    enum st st = ST_OK;
    for (size_t i = 0; i < sizeof plots / sizeof *plots; i++) TRY(plots[i](figures, &c->grids.list[section], err));
done:
    return st;
}

/* "<open>GRAPH<between>SERVER<close>" */
static void subject_write(FILE *to, const struct grid *grid, int most, const char *between)
{
    char name[STYLE_NAME];
    html_text(to, style_cut(name, grid->subject.graph, most));
    html_element(to, between, style_cut(name, grid->subject.server, most), "");
}

static void contents_write(FILE *to, const struct grids *grids)
{
    if (grids->count < 2) return;
    fputs("<nav aria-label=\"Contents\"><ul>\n", to);
    for (int i = 0; i < grids->count; i++) {
        fprintf(to, "<li><a href=\"#s%d\">", i + 1);
        subject_write(to, &grids->list[i], 60, " on ");
        fputs("</a></li>\n", to);
    }
    fputs("<li><a href=\"#about\">How the numbers were made</a></li>\n</ul></nav>\n", to);
}

static void lead_write(const void *of, FILE *to)
{
    enum { LEAD_GRIDS = 8 };
    const struct comparison *c = of;
    char text[SUMMARY_BYTES];
    bool one = c->grids.count == 1;
    fputs(one ? "<p class=\"lead\">" : "<ul class=\"lead\">\n", to);
    for (int i = 0; i < c->grids.count && i < LEAD_GRIDS; i++) {
        summary_grid(&c->grids.list[i], !one, text);
        html_element(to, one ? "" : "<li>", text, one ? "" : "</li>\n");
    }
    fputs(one ? "</p>\n" : "</ul>\n", to);
    summary_all(&c->rows, &c->grids, text);
    html_element(to, "<p class=\"note\">", text, "</p>\n");
    contents_write(to, &c->grids);
}

static enum st section_write(const void *of, int section, const struct figures *figures, FILE *to, struct err *err)
{
    const struct comparison *c = of;
    const struct grid *grid = &c->grids.list[section];
    enum st st;
    char text[SUMMARY_BYTES];
    fprintf(to, "<section class=\"subject\" id=\"s%d\">\n<h2>", section + 1);
    subject_write(to, grid, 100, " <small>on ");
    fputs("</small></h2>\n", to);
    if (c->grids.count > 1) {
        summary_grid(grid, false, text);
        html_element(to, "<p>", text, "</p>\n");
    }
    comparison_tables_write(to, grid);
    TRY(page_figures_write(to, figures, section, err));
    fputs("</section>\n", to);
done:
    return st;
}

static void notes_write(const void *of, FILE *to)
{
    const struct comparison *c = of;
    method_notes_write(to, &c->rows);
}

enum st comparison_report(const struct page_request *request, struct err *err)
{
    enum st st;
    struct comparison c = {0};
    TRY(result_rows_load(request->inputs, request->count, &c.rows, err));
    TRY(grids_make(&c.rows, &c.grids, err));
    TRY(page_write(&(struct page){.title = page_title(request, "Cache plans for GNN training, compared"),
                                  .of = &c,
                                  .sections = c.grids.count,
                                  .data = data_write,
                                  .draw = figures_write,
                                  .lead = lead_write,
                                  .section = section_write,
                                  .notes = notes_write},
                   request, err));
done:
    grids_release(&c.grids);
    result_rows_release(&c.rows);
    return st;
}
