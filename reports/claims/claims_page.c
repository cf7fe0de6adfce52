/* claims_page.c - draws the figures of a claims/1 document and writes its page; see claims.h. */
#include "reports/claims/claims_page.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "reports/claims/drawing.h"
#include "reports/formats/gnuplot.h"
#include "reports/formats/html.h"

enum { PAPER_FIGURES_MOST = 256 };

static const char *text_of(const doc *d, const char *key) { return doc_text_value(doc_get(d, key), ""); }

/* ---- figures ---- */

static enum st draw_one(const char *folder, const char *figure, char script[160], struct err *err)
{
    enum st st;
    char path[PATH_BYTES];
    struct drawing *d = NULL;
    NEW(d, 1, "a figure");
    TRY(path_join(path, folder, figure, err));
    TRY(drawing_load(path, d, err));
    TRY(drawing_write(d, folder, err));
    snprintf(script, 160, "figures/%s.gp", d->name);
done:
    if (d) drawing_release(d);
    mem_free(d);
    return st;
}

static enum st draw_all(const char *folder, const doc *exhibits, struct err *err)
{
    enum st st = ST_OK;
    char(*script)[160] = NULL;
    const char **list = NULL;
    int n = 0;
    NEW(script, doc_size(exhibits), "names of scripts");
    NEW(list, doc_size(exhibits), "names of scripts");
    for (uint64_t i = 0; i < doc_size(exhibits); i++) {
        const char *figure = text_of(doc_at(exhibits, i), "figure");
        if (!*figure) continue;
        TRY(draw_one(folder, figure, script[n], err));
        list[n] = script[n];
        n++;
    }
    TRY(gnuplot_run_at(folder, list, n, err));
done:
    mem_free(script);
    mem_free(list);
    return st;
}

/* ---- the page ---- */

static void element(FILE *to, const char *open, const char *text, const char *close)
{
    fputs(open, to);
    html_text(to, text);
    fputs(close, to);
}

static void verdict_cell(FILE *to, const doc *claim)
{
    const char *verdict = text_of(claim, "verdict");
    fprintf(to, "<td class=\"left %s\">",
            !strcmp(verdict, "holds")          ? "best"
            : !strcmp(verdict, "not measured") ? "soft"
                                               : "off");
    html_text(to, verdict);
    fputs("</td>", to);
}

static void counts_write(FILE *to, const doc *counts)
{
    fprintf(to, "<p class=\"lead\"><b>%lld claims hold, %lld do not hold, %lld were not measured.</b></p>\n",
            (long long)doc_integer_value(doc_get(counts, "holds"), 0),
            (long long)doc_integer_value(doc_get(counts, "does_not_hold"), 0),
            (long long)doc_integer_value(doc_get(counts, "not_measured"), 0));
}

static void intro_write(FILE *to, const doc *d)
{
    fputs("<header>\n<h1>Which of the papers\xE2\x80\x99 claims hold</h1>\n", to);
    counts_write(to, doc_get(d, "counts"));
    fprintf(to,
            "<p>Each claim is set beside what hotset simulates. Unless a graph was given, a generated stand-in takes "
            "the place of the paper\xE2\x80\x99s data set: its average degree, "
            "feature size and training share are the paper\xE2\x80\x99s; vertices, arcs, mini-batches and memory are "
            "smaller by one factor, which is stated with each figure. Nothing is "
            "tuned to make a claim hold: each threshold stands in the column \xE2\x80\x9Cwhat was checked\xE2\x80\x9D. "
            "A claim that does not hold "
            "here may hold on the paper\xE2\x80\x99s own graph; "
            "--graph takes it.</p>\n<p class=\"note\">Scale %g; planning seed %lld; all numbers are of epochs of seed "
            "%lld, which planning never saw. Numbers: "
            "<a href=\"claims.json\">claims.json</a>.</p>\n</header>\n",
            doc_real_value(doc_get(d, "scale"), NAN), (long long)doc_integer_value(doc_get(d, "seed"), 0),
            (long long)doc_integer_value(doc_get(d, "simulate_seed"), 0));
}

static void table_begin(FILE *to, const char *caption, const char *first)
{
    element(to, "<div class=\"scroll\"><table>\n<caption>", caption, "</caption>\n");
    fprintf(to,
            "<thead><tr><th class=\"left\">%s</th><th class=\"left\">the paper says</th><th "
            "class=\"left\">verdict</th><th class=\"left\">our numbers</th></tr></thead>\n<tbody>\n",
            first);
}

static void ours_cell(FILE *to, const doc *claim)
{
    const char *ours = text_of(claim, "ours"), *reason = text_of(claim, "reason");
    fputs("<td class=\"long\">", to);
    html_text(to, ours);
    if (*ours && *reason) fputs(". ", to);
    if (*reason) element(to, "<span class=\"soft\">", reason, "</span>");
    fputs("</td>", to);
}

static void summary_rows(FILE *to, const doc *exhibit)
{
    const doc *claims = doc_get(exhibit, "claims");
    for (uint64_t i = 0; i < doc_size(claims); i++) {
        fprintf(to, "<tr><td class=\"left\">");
        element(to, "<a href=\"#", text_of(exhibit, "name"), "\">");
        element(to, "", text_of(exhibit, "name"), "</a></td>");
        element(to, "<td class=\"long\">", text_of(doc_at(claims, i), "statement"), "</td>");
        verdict_cell(to, doc_at(claims, i));
        ours_cell(to, doc_at(claims, i));
        fputs("</tr>\n", to);
    }
}

static bool told_before(const doc *list, uint64_t i)
{
    for (uint64_t k = 0; k < i; k++)
        if (!strcmp(text_of(doc_at(list, k), "paper"), text_of(doc_at(list, i), "paper"))) return true;
    return false;
}

static void summary_write(FILE *to, const doc *exhibits)
{
    for (uint64_t i = 0; i < doc_size(exhibits); i++) {
        const char *paper = text_of(doc_at(exhibits, i), "paper");
        if (told_before(exhibits, i)) continue;
        table_begin(to, paper, "figure");
        for (uint64_t k = i; k < doc_size(exhibits); k++)
            if (!strcmp(text_of(doc_at(exhibits, k), "paper"), paper)) summary_rows(to, doc_at(exhibits, k));
        fputs("</tbody></table></div>\n", to);
    }
}

static void checks_write(FILE *to, const doc *exhibit)
{
    const doc *claims = doc_get(exhibit, "claims");
    fputs("<div class=\"scroll\"><table>\n<thead><tr><th class=\"left\">the paper says</th><th class=\"left\">what was "
          "checked</th><th class=\"left\">our numbers</th>"
          "<th class=\"left\">verdict</th></tr></thead>\n<tbody>\n",
          to);
    for (uint64_t i = 0; i < doc_size(claims); i++) {
        element(to, "<tr><td class=\"long\">", text_of(doc_at(claims, i), "statement"), "</td>");
        element(to, "<td class=\"long\">", text_of(doc_at(claims, i), "test"), "</td>");
        ours_cell(to, doc_at(claims, i));
        verdict_cell(to, doc_at(claims, i));
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table></div>\n", to);
}

static void graphs_write(FILE *to, const doc *graphs)
{
    char vertices[STYLE_TEXT], arcs[STYLE_TEXT];
    if (!doc_size(graphs)) return;
    fputs("<p class=\"note\">Graphs: ", to);
    for (uint64_t i = 0; i < doc_size(graphs); i++) {
        const doc *g = doc_at(graphs, i);
        double scale = doc_real_value(doc_get(g, "scale"), NAN), n = doc_real_value(doc_get(g, "vertices"), NAN);
        element(to, i ? "; " : "", text_of(g, "name"), "");
        if (doc_bool_value(doc_get(g, "given"), false)) fputs(" as given", to);
        else fprintf(to, ", stand-in at 1/%.4g of the published size", 1 / scale);
        fprintf(to, " (%s vertices, %s arcs, %.3g %% training)", style_count(vertices, n),
                style_count(arcs, doc_real_value(doc_get(g, "edges"), NAN)),
                100 * doc_real_value(doc_get(g, "train_vertices"), NAN) / n);
    }
    fputs(".</p>\n", to);
}

static enum st picture_write(FILE *to, const char *folder, const doc *exhibit, int index, struct err *err)
{
    enum st st;
    char path[PATH_BYTES], name[160];
    snprintf(name, sizeof name, "figures/%.100s.svg", text_of(exhibit, "name"));
    TRY(path_join(path, folder, name, err));
    fputs("<figure>\n<div class=\"scroll\">", to);
    TRY(html_svg(to, path, index + 1, text_of(exhibit, "title"), err));
    element(to, "</div>\n<figcaption>", text_of(exhibit, "caption"), "");
    fputs(" A hollow mark or bar is the paper\xE2\x80\x99s own number. <span class=\"files\">", to);
    static const char *const files[] = {"csv", "json", "png", "gp"}, *const names[] = {"Data", "JSON", "PNG", "script"};
    for (int i = 0; i < 4; i++) {
        element(to, i ? ", <a href=\"figures/" : "<a href=\"figures/", text_of(exhibit, "name"), "");
        fprintf(to, ".%s\">%s</a>", files[i], names[i]);
    }
    fputs(".</span></figcaption>\n</figure>\n", to);
done:
    return st;
}

static enum st paper_figure_write(FILE *to, const char *folder, const doc *exhibit, int index, struct err *err)
{
    enum st st = ST_OK;
    element(to, "<section id=\"", text_of(exhibit, "name"), "\">\n<h2>");
    element(to, "", text_of(exhibit, "title"), " <small>");
    element(to, "", text_of(exhibit, "paper"), ", ");
    element(to, "", text_of(exhibit, "place"), "</small></h2>\n");
    checks_write(to, exhibit);
    if (*text_of(exhibit, "figure")) TRY(picture_write(to, folder, exhibit, index, err));
    if (*text_of(exhibit, "differs"))
        element(to, "<p><b>What differs from the paper.</b> ", text_of(exhibit, "differs"), "</p>\n");
    graphs_write(to, doc_get(exhibit, "graphs"));
    fputs("</section>\n", to);
done:
    return st;
}

static enum st page_write_claims(const char *folder, const doc *d, struct err *err)
{
    enum st st;
    struct figures s = {0};
    FILE *to = NULL;
    const doc *exhibits = doc_get(d, "exhibits");
    snprintf(s.folder, sizeof s.folder, "%s", folder);
    TRY(figures_file(&s, "index.html", &to, err));
    html_begin(to, "Which of the papers' claims hold");
    intro_write(to, d);
    summary_write(to, exhibits);
    for (uint64_t i = 0; i < doc_size(exhibits); i++)
        TRY(paper_figure_write(to, folder, doc_at(exhibits, i), (int)i, err));
    html_end(to);
    TRY(figures_file_close(&to, "index.html", err));
done:
    if (to) fclose(to);
    return st;
}

enum st claims_report(const char *folder, struct err *err)
{
    enum st st;
    char path[PATH_BYTES];
    doc *d = NULL, *exhibits;
    TRY(path_join(path, folder, "claims.json", err));
    TRY(doc_load(path, "claims/1", &d, err));
    TRY(doc_need_array(d, "exhibits", path, &exhibits, err));
    if (doc_size(exhibits) > PAPER_FIGURES_MOST)
        FAIL(ST_INPUT, "%s: has more than %d exhibits", path, PAPER_FIGURES_MOST);
    TRY(draw_all(folder, exhibits, err));
    TRY(page_write_claims(folder, d, err));
done:
    doc_free(d);
    return st;
}
