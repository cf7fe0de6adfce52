/* executed_page.c - the page of executed plans; see reports/shell/page_kind.h. */
#include "reports/shell/answers.h"

#include <math.h>
#include <string.h>
#include "reports/executed/executed_plots.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"

static void totals_table(FILE *to, const struct executed *x)
{
    static const struct html_column columns[] = {{.name = "which"}, {.name = "topology"},       {.name = "features"},
                                                 {.name = "total"}, {.name = "from predicted"}, {0}};
    static const char *const keys[] = {"topology_transactions", "feature_transactions", "total_transactions"};
    double predicted = document_count(doc_get(x->totals, "predicted"), "total_transactions");
    char text[STYLE_TEXT];
    fputs("<h3>Transactions per epoch</h3>\n", to);
    html_table_begin(to, NULL, columns);
    for (int k = 0; k < EXECUTED_KINDS; k++) {
        const doc *d = doc_get(x->totals, executed_kinds[k]);
        double total = document_count(d, "total_transactions");
        fprintf(to, "<tr><th scope=\"row\">%s</th>", executed_kinds[k]);
        for (int i = 0; i < 3; i++) html_cell(to, style_count(text, document_count(d, keys[i])));
        snprintf(text, sizeof text, "%+.2f %%", 100 * (total / predicted - 1));
        html_cell(to, k && predicted > 0 && !isnan(total) ? text : "-");
        fputs("</tr>\n", to);
    }
    html_table_end(to);
}

static void gpus_table(FILE *to, const struct executed *x)
{
    enum { STAGES_FROM = 3, STAGES_END = STAGES_FROM + EXECUTED_STAGES };
    struct html_column columns[STAGES_END + 3] = {{.name = "GPU"},
                                                  {.name = "mini-batches"},
                                                  {.name = "cache fill rate"},
                                                  [STAGES_END] = {.name = "host gather rate"},
                                                  {"as simulated", NULL, true}};
    char text[STYLE_TEXT];
    for (int k = 0; k < EXECUTED_STAGES; k++)
        columns[STAGES_FROM + k] = (struct html_column){executed_stage_names[k], "median", false};
    fputs("<h3>Each GPU</h3>\n", to);
    html_table_begin(to, NULL, columns);
    for (uint64_t g = 0; g < doc_size(x->gpus); g++) {
        const doc *d = doc_at(x->gpus, g), *stages = doc_get(d, "stages"), *equal = doc_get(d, "equals_simulated");
        const double rates[] = {document_count(doc_get(d, "fill"), "gbps"),
                                document_count(doc_get(stages, "gather_host"), "gbps")};
        char rate[2][STYLE_TEXT], whole[3][STYLE_TEXT];
        for (int i = 0; i < 2; i++) snprintf(rate[i], sizeof rate[i], isnan(rates[i]) ? "-" : "%.3g GB/s", rates[i]);
        fprintf(to, "<tr><th scope=\"row\">%s</th><td>%s of %s</td>",
                style_form(whole[0], "%.0f", document_count(d, "id")),
                style_form(whole[1], "%.0f", document_count(d, "batches")),
                style_form(whole[2], "%.0f", document_count(d, "all_batches")));
        html_cell(to, rate[0]);
        for (int k = 0; k < EXECUTED_STAGES; k++)
            html_cell(to, style_seconds(text, document_count(doc_get(stages, executed_stages[k]), "median_seconds")));
        html_cell(to, rate[1]);
        fprintf(to, "<td class=\"left\">%s</td></tr>\n",
                doc_is_null(equal)             ? "-"
                : doc_bool_value(equal, false) ? "equal"
                                               : "differs");
    }
    html_table_end(to);
}

static void notes_list(FILE *to, const struct executed *x)
{
    const doc *notes = doc_get(x->root, "notes"), *measured = doc_get(doc_at(x->gpus, 0), "measured");
    const char *how[] = {doc_text_value(doc_get(measured, "feature_how"), NULL),
                         doc_text_value(doc_get(measured, "total_how"), NULL)};
    fputs("<h3>Notes</h3>\n<ul>\n", to);
    for (int i = 0; i < 2; i++) {
        if (!how[i] || (i && !strcmp(how[0] ? how[0] : "", how[1]))) continue;
        fprintf(to, "<li>%s: ", i ? "Measured total" : "Measured features");
        html_text(to, !strcmp(how[i], "timed") ? "from the time that rows of the host took, at the rate of timed reads "
                                                 "of such rows"
                      : !strcmp(how[i], "counters") ? "by the driver's counter of bytes received over PCIe"
                                                    : how[i]);
        fputs(".</li>\n", to);
    }
    for (uint64_t i = 0; i < doc_size(notes); i++)
        html_element(to, "<li>", doc_text_value(doc_at(notes, i), ""), "</li>\n");
    fputs("</ul>\n", to);
}

static enum st figures_write(struct figures *figures, const void *one, struct err *err)
{
    const struct executed *x = one;
    PASS(executed_plot_alpha(figures, x, err));
    PASS(executed_plot_transactions(figures, x, err));
    return executed_plot_stages(figures, x, err);
}

static double total_of(const struct executed *x, const char *kind)
{
    return document_count(doc_get(x->totals, kind), "total_transactions");
}

/* What was found, in a sentence: what the execution counted, and how far the prediction was off. */
static void answer_write(FILE *to, const void *one, const char *open)
{
    const struct executed *x = one;
    double counted = total_of(x, "counted"), measured = total_of(x, "measured"), predicted = total_of(x, "predicted"),
           known = isnan(measured) ? counted : measured;
    char text[STYLE_TEXT];
    if (isnan(known)) return;
    html_element(to, open, isnan(measured) ? "Counted while it ran: " : "Measured while it ran: ", "");
    fprintf(to, "%s PCIe transactions per epoch", style_count(text, known));
    if (predicted > 0) fprintf(to, ", %+.1f %% against the prediction", 100 * (known / predicted - 1));
    if (isnan(measured)) fputs(". This machine could not measure them", to);
    fputs(".</p>\n", to);
}

static void heading_write(FILE *to, const void *one)
{
    const struct executed *x = one;
    char text[STYLE_NAME];
    html_element(to, "", style_cut(text, x->policy, 60), "");
    html_element(to, " <small>", x->subject.graph, "");
    html_element(to, " on ", x->subject.server, "");
    html_element(to, ", executed by ", style_cut(text, x->device, 100), "</small>");
}

static void tables_write(FILE *to, const void *one)
{
    totals_table(to, one);
    gpus_table(to, one);
    notes_list(to, one);
}

static enum st load(const char *path, void *one, const void *with, struct err *err)
{
    (void)with;
    return executed_load(path, one, err);
}

static const struct answers page = {.title = "Executed cache plans",
                                    .bytes = sizeof(struct executed),
                                    .root = offsetof(struct executed, root),
                                    .subject = offsetof(struct executed, subject),
                                    .load = load,
                                    .draw = figures_write,
                                    .sentence = answer_write,
                                    .heading = heading_write,
                                    .tables = tables_write};

extern const struct page_kind page_kind_executed_page;
const struct page_kind page_kind_executed_page = {.schema = "executed/",
                                                  .what = "results of hotset execute",
                                                  .name = "executed",
                                                  .answers = &page};
