/* comparison_page.c - the page of a comparison, from its documents on; see comparison.h. */
#include "reports/comparison/comparison.h"

#include <limits.h>
#include <string.h>

#include "reports/formats/html.h"
#include "base/mem.h"
#include "base/text.h"
#include "reports/formats/out_file.h"
#include "reports/plots/grid.h"
#include "reports/plots/plots.h"
#include "reports/results/results_answer.h"

/* Sections: one per grid, with its first policies; then an appendix per grid that has more. */
struct comparison {
    struct result_rows rows;
    struct grids grids;
    struct grid *shown;         /* owned: what each section shows */
    int appendix_of[GRIDS_MAX]; /* the grids of the appendices */
    int appendices;
    int left_out; /* policies that were not asked for */
};

/* The grid of an appendix; -1 for a section of the comparison itself. */
static int appendix_grid(const struct comparison *c, int section)
{
    return section < c->grids.count ? -1 : c->appendix_of[section - c->grids.count];
}

static int appendix_number(const struct comparison *c, int grid)
{
    for (int i = 0; i < c->appendices; i++)
        if (c->appendix_of[i] == grid) return i + 1;
    return 0;
}

static enum st sections_make(struct comparison *c, struct err *err)
{
    int grids = c->grids.count;
    MAKE(c->shown, 2 * grids, "sections of a page");
    for (int i = 0; i < grids; i++) {
        struct grid *appendix = &c->shown[grids + c->appendices];
        if (!grid_first(&c->grids.list[i], &c->shown[i])) continue;
        *appendix = c->grids.list[i];
        text_append(appendix->subject.slug, sizeof appendix->subject.slug, "-all");
        c->appendix_of[c->appendices++] = i;
    }
    return ST_OK;
}

static enum st data_write(const void *of, const char *folder, struct err *err)
{
    static const char name[] = "data/results.csv", types[] = "data/types.csv", tex[] = "data/results.tex";
    const struct comparison *c = of;
    FILE *to = NULL;
    PASS(out_file_open(folder, name, &to, err));
    results_csv_write(to, &c->rows);
    PASS(out_file_close(&to, name, err));
    PASS(out_file_open(folder, tex, &to, err));
    results_tex_write(to, &c->rows);
    PASS(out_file_close(&to, tex, err));
    if (!type_tables_any(&c->rows)) return ST_OK;
    PASS(out_file_open(folder, types, &to, err));
    type_tables_csv_write(to, &c->rows);
    return out_file_close(&to, types, err);
}

static enum st figures_write(const void *of, int section, struct figures *figures, struct err *err)
{
    enum { ALL = 8, APPENDIX = 4 }; /* in an appendix, only what is of every policy */
    static enum st (*const plots[ALL])(struct figures *, const struct grid *, struct err *) = {
        plot_epochs, plot_transactions, plot_hit_rates, plot_gpus, plot_types, plot_traffic, plot_alpha, plot_errors,
    };
    const struct comparison *c = of;
    const int count = appendix_grid(c, section) < 0 ? ALL : APPENDIX, before = figures->count;
    for (int i = 0; i < count; i++) {
        /* paper is short: of an appendix one figure, and of several grids the errors in their tables */
        figures->screen = count == APPENDIX ? figures->count > before : plots[i] == plot_errors && c->grids.count > 1;
        PASS(plots[i](figures, &c->shown[section], err));
    }
    figures->screen = false;
    return ST_OK;
}

/* "<open>GRAPH<between>SERVER<close>" */
static void subject_write(FILE *to, const struct grid *grid, int most, const char *between)
{
    char name[STYLE_NAME];
    html_text(to, style_cut(name, grid->subject.graph, most));
    html_element(to, between, style_cut(name, grid->subject.server, most), "");
}

static void contents_write(FILE *to, const struct comparison *c)
{
    if (c->grids.count < 2 && !c->appendices) return;
    fputs("<nav aria-label=\"Contents\"><ul>\n", to);
    for (int i = 0; i < c->grids.count; i++) {
        fprintf(to, "<li><a href=\"#s%d\">", i + 1);
        subject_write(to, &c->grids.list[i], 60, " on ");
        fputs("</a></li>\n", to);
    }
    fputs("<li><a href=\"#about\">How the numbers were made</a></li>\n", to);
    if (c->appendices) fputs("<li><a href=\"#a1\">All policies</a></li>\n", to);
    fputs("</ul></nav>\n", to);
}

/* The answer's first line, in a paragraph. */
static void answer_write(FILE *to, const struct grid *grid, const char *open)
{
    char text[SUMMARY_BYTES];
    summary_answer(grid, text);
    text[strcspn(text, "\n")] = '\0';
    html_element(to, open, text, "</p>\n");
}

/* hotset at each peer access, against the best other that reads no farther: the terminal's small table. */
static void accesses_write(FILE *to, const struct grid *grid)
{
    static const struct html_column columns[] = {{.name = "GPUs read"},
                                                 {.name = "hotset"},
                                                 {.name = "best rival", .left = true},
                                                 {.name = "time"},
                                                 {.name = "reads"},
                                                 {0}};
    struct results_access line[RESULTS_ACCESSES];
    const uint64_t count = results_accesses(grid->group, (uint64_t)grid->group_count, line);
    char caption[300];
    if (!count) return;
    const struct grid_budget *budget = &grid->budgets[grid->middle];
    snprintf(caption, sizeof caption,
             "An epoch of hotset beside the best other policy whose GPUs read no farther, at a budget of %.60s%.60s; "
             "time "
             "and reads: hotset's against the rival's.",
             budget->label, budget->per);
    html_element(to, "<div class=\"scroll\"><table class=\"cards\">\n<caption>", caption, "</caption>\n");
    html_table_head(to, columns);
    fputs("<tbody>\n", to);
    for (uint64_t i = 0; i < count; i++) {
        struct results_access_text text;
        results_access_text(&line[i], &text);
        html_element(to, "<tr><th scope=\"row\">", line[i].reads, "</th>");
        html_element(to, "<td data-name=\"hotset\">", text.own, "</td>");
        html_element(to, "<td class=\"left\" data-name=\"best rival\">", text.policy, " ");
        html_element(to, "", text.rival, "</td>");
        html_element(to, "<td data-name=\"time\">", text.time, "</td>");
        html_element(to, "<td data-name=\"reads\">", text.reads, "</td></tr>\n");
    }
    html_table_end(to);
}

/* Its other lines in a list, the table of peer accesses, and what else there is to say: below the figure that shows it.
 */
static void answer_rest_write(FILE *to, const struct grid *grid)
{
    char text[SUMMARY_BYTES], *line, *next;
    summary_answer(grid, text);
    next = strchr(text, '\n');
    const bool any = next != NULL;
    if (any) fputs("<ul>\n", to);
    while (next) {
        line = next + 1;
        if ((next = strchr(line, '\n'))) *next = '\0';
        html_element(to, "<li>", line, "</li>\n");
    }
    if (any) fputs("</ul>\n", to);
    accesses_write(to, grid);
    summary_more(grid, text);
    if (*text) html_element(to, "<p>", text, "</p>\n");
}

static void lead_write(const void *of, FILE *to)
{
    enum { LEAD_GRIDS = 8 };
    const struct comparison *c = of;
    char text[SUMMARY_BYTES];
    bool one = c->grids.count == 1;
    if (one) answer_write(to, &c->grids.list[0], "<p class=\"lead\">");
    else fputs("<ul class=\"lead\">\n", to);
    for (int i = 0; !one && i < c->grids.count && i < LEAD_GRIDS; i++) {
        summary_answer(&c->grids.list[i], text);
        text[strcspn(text, "\n")] = '\0';
        html_element(to, "<li>", text, "</li>\n");
    }
    if (!one) fputs("</ul>\n", to);
    if (c->rows.count > 1) {
        summary_all(&c->rows, &c->grids, text);
        html_element(to, "<p class=\"note\">", text, "</p>\n");
    }
    if (c->left_out)
        fprintf(to, "<p class=\"note\">Only policies that --policies names are shown; %d more %s compared.</p>\n",
                c->left_out, c->left_out == 1 ? "was" : "were");
    contents_write(to, c);
}

/* Which policies are shown, and where the others are. */
static void shown_note(FILE *to, const struct comparison *c, int section)
{
    int appendix = appendix_number(c, section);
    if (!appendix) return;
    fprintf(to,
            "<p class=\"note\">Shown are %d of %d policies: the best of each family (by who shares what is cached), "
            "then the next best. <a href=\"#a%d\">The appendix</a> has all of them.</p>\n",
            c->shown[section].policy_count, c->grids.list[section].policy_count, appendix);
}

static enum st section_write(const void *of, int section, const struct figures *figures, FILE *to, struct err *err)
{
    const struct comparison *c = of;
    const struct grid *grid = &c->shown[section];
    int appendix = appendix_grid(c, section) < 0 ? 0 : section - c->grids.count + 1;
    if (appendix == 1) method_notes_write(to, &c->rows); /* the appendices are the end of the page */
    fprintf(to, "<section class=\"subject\" id=\"%c%d\">\n<h2>%s", appendix ? 'a' : 's',
            appendix ? appendix : section + 1, appendix ? "All policies: " : "");
    subject_write(to, grid, 100, " <small>on ");
    fputs("</small></h2>\n", to);
    if (c->grids.count > 1 && !appendix) answer_write(to, &c->grids.list[section], "<p>");
    const int first = appendix || grid_is_plan(grid) ? 0 : 1; /* the figure that shows the answer */
    PASS(page_figures_some(to, figures, section, 0, first, err));
    if (!appendix) answer_rest_write(to, &c->grids.list[section]);
    if (grid_is_plan(grid)) {
        plan_facts_write(to, grid);
        type_tables_plan_write(to, grid);
    } else if (appendix) comparison_overview_write(to, grid);
    else comparison_tables_write(to, grid);
    if (!appendix) shown_note(to, c, section);
    PASS(page_figures_some(to, figures, section, first, INT_MAX, err));
    fputs("</section>\n", to);
    return ST_OK;
}

static void notes_write(const void *of, FILE *to)
{
    const struct comparison *c = of;
    if (!c->appendices) method_notes_write(to, &c->rows);
}

static enum st comparison_report(const struct page_request *request, struct err *err)
{
    enum st st;
    struct comparison c = {0};
    TRY(result_rows_load(request->inputs, request->count, &c.rows, err));
    if (request->policies) TRY(chosen_rows(&c.rows, request->policies, &c.left_out, err));
    TRY(grids_make(&c.rows, &c.grids, err));
    if (request->labels) TRY(chosen_labels(&c.grids, request->labels, err));
    TRY(sections_make(&c, err));
    TRY(page_write(&(struct page){.title = page_title(request, c.rows.count == 1 ? "A cache plan for GNN training"
                                                                                 : "Cache plans for GNN training, "
                                                                                   "compared"),
                                  .of = &c,
                                  .sections = c.grids.count + c.appendices,
                                  .data = data_write,
                                  .draw = figures_write,
                                  .lead = lead_write,
                                  .section = section_write,
                                  .notes = notes_write},
                   request, err));
done:
    mem_free(c.shown);
    grids_release(&c.grids);
    result_rows_release(&c.rows);
    return st;
}

const struct page_kind page_kind_comparison_page = {.schema = "results/",
                                                    .what = "results of hotset compare and hotset simulate",
                                                    .name = "comparison",
                                                    .report = comparison_report};
