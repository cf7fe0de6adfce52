/* results_tex.c - results.tex; see comparison.h. */
#include "reports/comparison/comparison.h"

#include <math.h>
#include <string.h>

/* A text so that LaTeX shows it as it is. */
static void text_write(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (strchr("&%$#_{}", *text)) fprintf(to, "\\%c", *text);
        else if (*text == '\\') fputs("\\textbackslash{}", to);
        else if (*text == '~') fputs("\\textasciitilde{}", to);
        else if (*text == '^') fputs("\\textasciicircum{}", to);
        else fputc(*text, to);
    }
}

/* A share as per cent, a dash where it is not known. */
static void share(FILE *to, double x)
{
    if (isnan(x)) fputs(" & --", to);
    else fprintf(to, " & %.1f", 100 * x);
}

static void count(FILE *to, double x)
{
    char digits[32];
    if (isnan(x)) {
        fputs(" & --", to);
        return;
    }
    snprintf(digits, sizeof digits, "%.0f", x);
    fputs(" & ", to);
    for (size_t i = 0, n = strlen(digits); i < n; i++) {
        fputc(digits[i], to);
        if (i + 1 < n && (n - i - 1) % 3 == 0) fputs("\\,", to);
    }
}

/* As milliseconds. */
static void seconds(FILE *to, double x)
{
    if (isfinite(x)) fprintf(to, " & %.4g", 1e3 * x);
    else fputs(" & --", to);
}

static void row_write(FILE *to, const struct result_row *r, bool named)
{
    char name[STYLE_NAME];
    if (named) text_write(to, r->budget ? r->budget : "");
    fputs(" & ", to);
    text_write(to, style_policy(name, r->policy));
    if (r->status != ROW_OK) fprintf(to, " & \\multicolumn{6}{l}{%s}", row_status_text(r));
    else {
        seconds(to, r->epoch_seconds);
        share(to, row_feature_hit(r));
        share(to, row_topology_hit(r));
        count(to, row_total(r));
        share(to, row_total(r) / r->uncached);
        share(to, row_error(r));
    }
    fputs(" \\\\\n", to);
}

static bool same(const char *a, const char *b) { return !strcmp(a ? a : "", b ? b : ""); }
static bool same_place(const struct result_row *a, const struct result_row *b)
{
    return same(a->graph, b->graph) && same(a->server, b->server);
}

/* The table of the graph and server of row `first`. */
static void table_write(FILE *to, const struct result_rows *rows, uint64_t first)
{
    const struct result_row *of = &rows->list[first], *before = NULL;
    fputs("\n\\begin{tabular}{llrrrrrr}\n\\toprule\n\\multicolumn{8}{l}{", to);
    text_write(to, of->graph);
    fputs(" on ", to);
    text_write(to, of->server);
    fputs("} \\\\\n\\midrule\nbudget & policy & epoch & features hit & topology hit & transactions & left of uncached "
          "& "
          "prediction "
          "error \\\\\n & & [ms] & [\\%] & [\\%] & per epoch & [\\%] & [\\%] \\\\\n",
          to);
    for (uint64_t i = first; i < rows->count; i++) {
        const struct result_row *r = &rows->list[i];
        if (r->replaced || !same_place(r, of)) continue;
        bool next = !before || !same(before->budget, r->budget);
        if (next) fputs("\\midrule\n", to);
        row_write(to, r, next);
        before = r;
    }
    fputs("\\bottomrule\n\\end{tabular}\n", to);
}

void results_tex_write(FILE *to, const struct result_rows *rows)
{
    fputs("% needs \\usepackage{booktabs}; entries of the policies' papers: hotset list bibtex\n", to);
    for (uint64_t i = 0; i < rows->count; i++) {
        bool seen = rows->list[i].replaced;
        for (uint64_t k = 0; k < i && !seen; k++)
            seen = !rows->list[k].replaced && same_place(&rows->list[k], &rows->list[i]);
        if (!seen) table_write(to, rows, i);
    }
}
