/* claims_page.c - draws the figures of a claims/1 document and writes its page; see claims_page.h. */
#include "reports/claims/claims_page.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "reports/claims/claims_figure.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/shell/page.h"

enum { EXHIBITS_MOST = 256 };

/* What the page is of. */
struct claims {
    const char *folder;
    doc *document, *exhibits; /* a section per exhibit: a figure or table of a paper, and what it claims */
};

/* ---- tables ---- */

static void verdict_cell(FILE *to, const doc *claim)
{
    const char *verdict = document_text(claim, "verdict");
    const doc *seeds = doc_get(claim, "seeds");
    long long holds = doc_integer_value(doc_get(seeds, "holds"), 0), of = doc_integer_value(doc_get(seeds, "of"), 0);
    fprintf(to, "<td class=\"left %s\">",
            !strncmp(verdict, "holds", 5)      ? "best"
            : !strcmp(verdict, "not measured") ? "soft"
                                               : "off");
    html_text(to, verdict);
    if (of > 1) fprintf(to, "<br><small>%lld of %lld seeds</small>", holds, of);
    fputs("</td>", to);
}

static void ours_cell(FILE *to, const doc *claim)
{
    const char *ours = document_text(claim, "ours"), *reason = document_text(claim, "reason"),
               *again = document_text(claim, "again");
    fputs("<td class=\"long\">", to);
    html_text(to, ours);
    if (*ours && *reason) fputs(". ", to);
    if (*reason) html_element(to, "<span class=\"soft\">", reason, "</span>");
    if (*again) html_element(to, "<br><b>Why, by experiment.</b> <small class=\"code\">", again, "</small>");
    fputs("</td>", to);
}

static void summary_rows(FILE *to, const doc *exhibit)
{
    const doc *claims = doc_get(exhibit, "claims");
    for (uint64_t i = 0; i < doc_size(claims); i++) {
        html_element(to, "<tr><td class=\"left\"><a href=\"#", document_text(exhibit, "name"), "\">");
        html_element(to, "", document_text(exhibit, "name"), "</a></td>");
        html_element(to, "<td class=\"long\">", document_text(doc_at(claims, i), "statement"), "</td>");
        verdict_cell(to, doc_at(claims, i));
        ours_cell(to, doc_at(claims, i));
        fputs("</tr>\n", to);
    }
}

/* One table per paper with every claim, its verdict and our numbers. */
static void summary_write(FILE *to, const doc *exhibits)
{
    static const struct html_column columns[] = {{"figure", NULL, true},
                                                 {"the paper says", NULL, true},
                                                 {"verdict", NULL, true},
                                                 {"our numbers", NULL, true},
                                                 {0}};
    for (uint64_t i = 0, next; i < doc_size(exhibits); i = next) {
        const char *paper = document_text(doc_at(exhibits, i), "paper");
        html_table_begin(to, paper, columns);
        for (next = i; next < doc_size(exhibits) && !strcmp(document_text(doc_at(exhibits, next), "paper"), paper);)
            summary_rows(to, doc_at(exhibits, next++));
        html_table_end(to);
    }
}

/* The claims of one exhibit with what was checked. */
static void checks_write(FILE *to, const doc *exhibit)
{
    static const struct html_column columns[] = {{"the paper says", NULL, true},
                                                 {"what was checked", NULL, true},
                                                 {"our numbers", NULL, true},
                                                 {"verdict", NULL, true},
                                                 {0}};
    const doc *claims = doc_get(exhibit, "claims");
    html_table_begin(to, NULL, columns);
    for (uint64_t i = 0; i < doc_size(claims); i++) {
        const doc *claim = doc_at(claims, i);
        html_element(to, "<tr><td class=\"long\">", document_text(claim, "statement"), "");
        if (*document_text(claim, "quote"))
            html_element(to, "<br><small>\xE2\x80\x9C", document_text(claim, "quote"), "\xE2\x80\x9D</small>");
        fputs("</td>", to);
        html_element(to, "<td class=\"long\">", document_text(claim, "test"), "");
        if (*document_text(claim, "why")) html_element(to, "<br><small>", document_text(claim, "why"), "</small>");
        fputs("</td>", to);
        ours_cell(to, claim);
        verdict_cell(to, claim);
        fputs("</tr>\n", to);
    }
    html_table_end(to);
}

/* ---- the page ---- */

static void counts_write(FILE *to, const doc *counts)
{
    fprintf(to, "<p class=\"lead\"><b>Claims that hold: %lld; that do not hold: %lld; not measured: %lld.</b></p>\n",
            (long long)doc_integer_value(doc_get(counts, "holds"), 0),
            (long long)doc_integer_value(doc_get(counts, "does_not_hold"), 0),
            (long long)doc_integer_value(doc_get(counts, "not_measured"), 0));
}

static void method_write(FILE *to, const doc *d)
{
    fprintf(to,
            "<p>Each claim is set beside what hotset simulates. Unless a graph was given, a generated stand-in "
            "replaces the paper\xE2\x80\x99s data set. Its average degree, feature size and training share are the "
            "paper\xE2\x80\x99s; vertices, arcs, mini-batches and memory are smaller by one factor, which each figure "
            "states. Nothing is tuned to make a claim hold: the column \xE2\x80\x9Cwhat was checked\xE2\x80\x9D states "
            "each threshold. A claim that does not hold here may hold on the paper\xE2\x80\x99s own graph, which "
            "hotset reproduce takes with --graph.</p>\n<p class=\"note\">Scale %g; %lld seeds, from %lld on. Each seed "
            "has its own stand-ins and samples; all numbers are of epochs of another seed (%lld for the first), which "
            "planning never saw. A claim holds when it holds with more than half of the seeds; numbers are medians, "
            "with their ranges in brackets. Numbers: <a href=\"claims.json\">claims.json</a>.</p>\n",
            document_number(d, "scale"), (long long)doc_integer_value(doc_get(d, "seeds"), 1),
            (long long)doc_integer_value(doc_get(d, "seed"), 0),
            (long long)doc_integer_value(doc_get(d, "simulate_seed"), 0));
}

static void lead_write(const void *of, FILE *to)
{
    const struct claims *c = of;
    counts_write(to, doc_get(c->document, "counts"));
    method_write(to, c->document);
    summary_write(to, c->exhibits);
}

static void graphs_write(FILE *to, const doc *graphs)
{
    char vertices[STYLE_TEXT], arcs[STYLE_TEXT];
    if (!doc_size(graphs)) return;
    fputs("<p class=\"note\">Graphs: ", to);
    for (uint64_t i = 0; i < doc_size(graphs); i++) {
        const doc *g = doc_at(graphs, i);
        double scale = document_number(g, "scale"), n = document_number(g, "vertices");
        html_element(to, i ? "; " : "", document_text(g, "name"), "");
        if (doc_bool_value(doc_get(g, "given"), false)) fputs(" as given", to);
        else fprintf(to, ", stand-in at 1/%.4g of the published size", 1 / scale);
        fprintf(to, " (%s vertices, %s arcs, %.3g %% training)", style_count(vertices, n),
                style_count(arcs, document_number(g, "edges")), 100 * document_number(g, "train_vertices") / n);
    }
    fputs(".</p>\n", to);
}

static enum st figure_write(const void *of, int section, struct figures *figures, struct err *err)
{
    const struct claims *c = of;
    const doc *exhibit = doc_at(c->exhibits, (uint64_t)section);
    OWNED_BY(drawing_release) struct drawing d = {0};
    OWNED_DOC doc *document = NULL;
    char path[PATH_BYTES];
    if (!*document_text(exhibit, "figure")) return ST_OK;
    PASS(path_join(path, c->folder, document_text(exhibit, "figure"), err));
    PASS(claims_figure_load(path, &document, &d, err));
    drawing_caption(&d,
                    "%s A hollow mark or bar is the paper\xE2\x80\x99s own number; whiskers are the range over the "
                    "seeds, "
                    "marks and bars the median.",
                    document_text(exhibit, "caption"));
    return drawing_write(&d, figures, NULL, document_text(document, "name"), document_text(document, "title"), err);
}

static enum st section_write(const void *of, int section, const struct figures *figures, FILE *to, struct err *err)
{
    const struct claims *c = of;
    const doc *exhibit = doc_at(c->exhibits, (uint64_t)section);
    html_element(to, "<section id=\"", document_text(exhibit, "name"), "\">\n");
    html_element(to, "<h2>", document_text(exhibit, "title"), "");
    html_element(to, " <small>", document_text(exhibit, "paper"), ", ");
    html_element(to, "", document_text(exhibit, "place"), "</small></h2>\n");
    checks_write(to, exhibit);
    PASS(page_figures_write(to, figures, section, err));
    if (*document_text(exhibit, "differs"))
        html_element(to, "<p><b>What differs from the paper.</b> ", document_text(exhibit, "differs"), "</p>\n");
    graphs_write(to, doc_get(exhibit, "graphs"));
    fputs("</section>\n", to);
    return ST_OK;
}

enum st claims_report(const char *folder, bool pdf, struct err *err)
{
    enum st st;
    char path[PATH_BYTES];
    struct claims c = {.folder = folder};
    struct figures figures = {0};
    TRY(path_join(path, folder, "claims.json", err));
    TRY(doc_load(path, "claims/1", &c.document, err));
    TRY(doc_need_array(c.document, "exhibits", path, &c.exhibits, err));
    if (doc_size(c.exhibits) > EXHIBITS_MOST)
        FAIL(ST_LIMIT, "%s: has %llu exhibits, and at most %d can be drawn", path,
             (unsigned long long)doc_size(c.exhibits), EXHIBITS_MOST);
    TRY(figures_init(&figures, folder, "figures", "figures", err));
    figures.json = true;
    figures.pdf = pdf ? -1 : 0;
    TRY(page_write_into(&(struct page){.title = "Which of the papers\xE2\x80\x99 claims hold",
                                       .of = &c,
                                       .sections = (int)doc_size(c.exhibits),
                                       .draw = figure_write,
                                       .lead = lead_write,
                                       .section = section_write},
                        &figures, err));
done:
    figures_release(&figures);
    doc_free(c.document);
    return st;
}
