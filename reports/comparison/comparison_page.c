/* comparison_page.c - the order of index.html; see page.h. */
#include "reports/comparison/comparison_page.h"

#include <string.h>
#include "reports/formats/html.h"
#include "reports/comparison/comparison_summary.h"

static void paragraph(FILE *to, const char *kind, const char *text)
{
    fprintf(to, "<p%s>", kind);
    html_text(to, text);
    fputs("</p>\n", to);
}

static void contents_write(const struct page *p)
{
    FILE *to = p->to;
    if (p->grids->count < 2) return;
    fputs("<nav aria-label=\"Contents\"><ul>\n", to);
    for (int i = 0; i < p->grids->count; i++) {
        char graph[STYLE_NAME], server[STYLE_NAME];
        fprintf(to, "<li><a href=\"#s%d\">", i + 1);
        html_text(to, style_cut(graph, p->grids->list[i].graph, 60));
        fputs(" on ", to);
        html_text(to, style_cut(server, p->grids->list[i].server, 60));
        fputs("</a></li>\n", to);
    }
    fputs("<li><a href=\"#about\">How the numbers were made</a></li>\n</ul></nav>\n", to);
}

static void header_write(const struct page *p)
{
    enum { LEAD_SCENES = 8 };
    char text[SUMMARY_BYTES];
    bool one = p->grids->count == 1;
    fputs("<header>\n<h1>", p->to);
    html_text(p->to, p->title);
    fputs(one ? "</h1>\n<p class=\"lead\">" : "</h1>\n<ul class=\"lead\">\n", p->to);
    for (int i = 0; i < p->grids->count && i < LEAD_SCENES; i++) {
        summary_scene(&p->grids->list[i], !one, text);
        if (!one) fputs("<li>", p->to);
        html_text(p->to, text);
        if (!one) fputs("</li>\n", p->to);
    }
    fputs(one ? "</p>\n" : "</ul>\n", p->to);
    summary_all(p->rows, p->grids, text);
    paragraph(p->to, " class=\"note\"", text);
    contents_write(p);
    fputs("</header>\n", p->to);
}

static enum st figure_write(const struct page *p, int index, struct err *err)
{
    enum st st;
    const struct figure *f = &p->figures->list[index];
    char path[PATH_BYTES], name[300];
    snprintf(name, sizeof name, "plots/%s.svg", f->name);
    TRY(path_join(path, p->figures->folder, name, err));
    fputs("<figure>\n<div class=\"scroll\">", p->to);
    TRY(html_svg(p->to, path, index + 1, f->title, err));
    fputs("</div>\n<figcaption>", p->to);
    html_text(p->to, f->caption);
    fprintf(p->to,
            " <span class=\"files\"><a href=\"data/%s.csv\">Data</a>, <a href=\"plots/%s.png\">PNG</a>, <a "
            "href=\"plots/%s.gp\">script</a>.</span></figcaption>\n</figure>\n",
            f->name, f->name, f->name);
done:
    return st;
}

static enum st scene_write(const struct page *p, int index, struct err *err)
{
    enum st st = ST_OK;
    const struct grid *grid = &p->grids->list[index];
    char text[SUMMARY_BYTES], graph[STYLE_NAME], server[STYLE_NAME];
    fprintf(p->to, "<section class=\"scene\" id=\"s%d\">\n<h2>", index + 1);
    html_text(p->to, style_cut(graph, grid->graph, 100));
    fputs(" <small>on ", p->to);
    html_text(p->to, style_cut(server, grid->server, 100));
    fputs("</small></h2>\n", p->to);
    if (p->grids->count > 1) {
        summary_scene(grid, false, text);
        paragraph(p->to, "", text);
    }
    tables_write(p, grid);
    for (int i = 0; i < p->figures->count; i++)
        if (p->figures->list[i].grid == index) TRY(figure_write(p, i, err));
    fputs("</section>\n", p->to);
done:
    return st;
}

enum st page_write(struct page *p, struct err *err)
{
    enum st st;
    TRY(figures_file(p->figures, "index.html", &p->to, err));
    html_begin(p->to, p->title);
    header_write(p);
    for (int i = 0; i < p->grids->count; i++) TRY(scene_write(p, i, err));
    method_notes_write(p);
    html_end(p->to);
    TRY(figures_file_close(&p->to, "index.html", err));
done:
    if (p->to) fclose(p->to);
    p->to = NULL;
    return st;
}
