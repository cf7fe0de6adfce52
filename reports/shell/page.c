/* page.c - what all pages share; see page.h. */
#include "reports/shell/page.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "base/file.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/text_stream.h"
#include "reports/formats/html.h"
#include "reports/formats/html_joined.h"

static const char plots_folder[] = "plots", data_folder[] = "data", page_file[] = "index.html";

const char *page_title(const struct page_request *request, const char *otherwise)
{
    return request->title && *request->title ? request->title : otherwise;
}

static enum st folder_make(const char *parent, const char *name, struct err *err)
{
    char path[PATH_BYTES];
    PASS(path_join(path, parent, name, err));
    if (mkdir(path, 0777))
        return err_set(err, ST_LIMIT,
                       "%s: the folder cannot be made (%s); free disk space or give another output folder", path,
                       strerror(errno));
    return ST_OK;
}

/* ---- index.html ---- */

static enum st figure_embed(FILE *to, const struct figures *figures, int index, struct err *err)
{
    const struct figure *f = &figures->list[index];
    char path[PATH_BYTES], name[320];
    snprintf(name, sizeof name, "%s/%s.svg", figures->plots, f->name);
    PASS(path_join(path, figures->folder, name, err));
    fprintf(to, "<figure%s>\n", f->screen ? " class=\"screen\"" : "");
    html_element(to, "<p class=\"name\">", f->title, "</p>\n<div class=\"scroll\"><div class=\"picture\">");
    PASS(html_svg(to, path, index + 1, f->title, err));
    if (f->points) {
        fprintf(to, "<svg class=\"over\" viewBox=\"0 0 %d %d\" role=\"group\" aria-label=\"Values: ", f->width,
                f->height);
        html_element(to, "", f->title, "\">");
        fprintf(to, "%s</svg>", f->points);
    }
    html_element(to, "</div></div>\n<figcaption>", f->caption, "");
    fprintf(to, " <span class=\"files\"><a href=\"%s\">Data</a>", f->csv);
    if (figures->json) fprintf(to, ", <a href=\"%s/%s.json\">JSON</a>", figures->data, f->name);
    if (figures->pdf) fprintf(to, ", <a href=\"%s/%s.pdf\">PDF</a>", figures->plots, f->name);
    fprintf(to, ", <a href=\"%s/%s.png\">PNG</a>, <a href=\"%s/%s.gp\">script</a>.</span></figcaption>\n</figure>\n",
            figures->plots, f->name, figures->plots, f->name);
    return ST_OK;
}

enum st page_figures_some(FILE *to, const struct figures *figures, int section, int first, int most, struct err *err)
{
    for (int i = 0, at = 0; i < figures->count; i++) {
        if (figures->list[i].section != section) continue;
        if (at >= first && at - first < most) PASS(figure_embed(to, figures, i, err));
        at++;
    }
    return ST_OK;
}

enum st page_figures_write(FILE *to, const struct figures *figures, int section, struct err *err)
{
    return page_figures_some(to, figures, section, 0, figures->count, err);
}

/* The lead, and a copy of it for whoever asked. */
static enum st lead_write(const struct page *page, FILE *to, struct err *err)
{
    size_t bytes = 0;
    FILE *copy = NULL;
    if (!page->lead) return ST_OK;
    page->lead(page->of, to);
    if (!page->told) return ST_OK;
    copy = text_stream(&page->told->answer, &bytes);
    if (copy) page->lead(page->of, copy);
    if (!copy || fclose(copy))
        return err_set(err, ST_LIMIT, "memory is out for the text of a page; close other programs");
    return ST_OK;
}

static enum st index_write(const struct page *page, const struct figures *figures, struct err *err)
{
    OWNED_BY(html_joined_release) struct html_joined text = {0};
    FILE *to = html_joined_open(&text);
    if (!to) return err_set(err, ST_LIMIT, "memory is out for the text of a page; close other programs");
    html_begin(to, page->title);
    if (page->up) fprintf(to, "<nav aria-label=\"Results\"><a href=\"%s\">All results</a></nav>\n", page->up);
    html_element(to, "<header>\n<h1>", page->title, "</h1>\n");
    PASS(lead_write(page, to, err));
    fputs("</header>\n", to);
    for (int i = 0; i < page->sections; i++) PASS(page->section(page->of, i, figures, to, err));
    if (page->notes) page->notes(page->of, to);
    html_end(to);
    return html_joined_save(&text, figures->folder, page_file, err);
}

/* ---- the order of work ---- */

static enum st all_write(const struct page *page, struct figures *figures, struct progress *bar, struct err *err)
{
    if (page->data) PASS(page->data(page->of, figures->folder, err));
    for (int i = 0; i < page->sections; i++) {
        figures->section = i;
        PASS(page->draw(page->of, i, figures, err));
    }
    PASS(figures_draw(figures, bar, err));
    return index_write(page, figures, err);
}

enum st page_write_into(const struct page *page, struct figures *figures, struct err *err)
{
    struct progress bar;
    progress_begin(&bar, "drawing", 0, false);
    enum st st = all_write(page, figures, &bar, err);
    progress_end(&bar);
    return st;
}

enum st page_write(const struct page *page, const struct page_request *request, struct err *err)
{
    enum st st;
    struct figures figures = {0};
    ON_HEAP(struct output, out);
    struct page own = *page;
    struct progress bar;
    own.up = request->up;
    own.told = request->told;
    progress_begin(&bar, "drawing", 0, !request->quiet);
    TRY(output_directory(out, request->out_dir, err));
    TRY(folder_make(out->temporary, plots_folder, err));
    TRY(folder_make(out->temporary, data_folder, err));
    TRY(figures_init(&figures, out->temporary, plots_folder, data_folder, err));
    figures.pdf = request->pdf;
    TRY(all_write(&own, &figures, &bar, err));
    TRY(output_commit(out, err));
    if (request->told && figures.count) {
        snprintf(request->told->picture, sizeof request->told->picture, "%s/%s.svg", plots_folder, figures.list->name);
        snprintf(request->told->title, sizeof request->told->title, "%s", figures.list->title);
    }
done:
    progress_end(&bar);
    figures_release(&figures);
    output_abort(out);
    return st;
}
