/* figures.c - the files of figures; see figures.h. */
#define _GNU_SOURCE /* memmem */
#include "reports/figures/figures.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text_stream.h"
#include "reports/formats/colour.h"
#include "reports/formats/gnuplot.h"
#include "reports/formats/html.h"
#include "reports/formats/out_file.h"
#include "reports/formats/svg_dark.h"

/* How the names of a figure's scripts end: of the page's, and of a column's. */
#define PAGE ".gp"
#define COLUMN "-column.gp"

enum st figures_init(struct figures *figures, const char *folder, const char *plots, const char *data, struct err *err)
{
    *figures = (struct figures){.plots = plots, .data = data};
    if (strlen(folder) >= sizeof figures->folder)
        return err_set(err, ST_INPUT, "%.60s..: the path of the folder is too long", folder);
    strcpy(figures->folder, folder);
    return ST_OK;
}

void figures_release(struct figures *figures)
{
    if (figures->script) fclose(figures->script);
    if (figures->csv.to) fclose(figures->csv.to);
    if (figures->points) fclose(figures->points);
    free(figures->text);
    for (int i = 0; i < figures->count; i++) free(figures->list[i].points);
    mem_free(figures->list);
    *figures = (struct figures){0};
}

/* Opens a script of the last figure. ending: of its name; pdf: as gnuplot_begin takes it. */
static enum st script_begin(struct figures *figures, const char *ending, double pdf, struct err *err)
{
    const struct figure *f = figure_now(figures);
    char picture[320], script[340];
    snprintf(picture, sizeof picture, "%s/%s", figures->plots, f->name);
    snprintf(script, sizeof script, "%s%s", picture, ending);
    PASS(out_file_open(figures->folder, script, &figures->script, err));
    gnuplot_begin(figures->script, picture, script, pdf, f->csv, f->width, f->height);
    fputs("unset key\nset multiplot\n", figures->script);
    figures->titled = false;
    return ST_OK;
}

static enum st script_end(struct figures *figures, struct err *err)
{
    fputs("unset multiplot\n", figures->script);
    gnuplot_end(figures->script);
    return out_file_close(&figures->script, figure_now(figures)->name, err);
}

enum st figure_column_begin(struct figures *figures, int width, int height, struct figure_page *page, struct err *err)
{
    struct figure *f = &figures->list[figures->count - 1];
    *page = (struct figure_page){figures->script, f->width, f->height};
    f->width = width;
    f->height = height;
    enum st st = script_begin(figures, COLUMN, figures->pdf, err);
    if (st != ST_OK) figures->script = page->script; /* to be closed */
    return st;
}

enum st figure_column_end(struct figures *figures, const struct figure_page *page, struct err *err)
{
    struct figure *f = &figures->list[figures->count - 1];
    enum st st = script_end(figures, err);
    f->width = page->width;
    f->height = page->height;
    figures->script = page->script;
    return st;
}

enum st figure_begin(struct figures *figures, const char *name, const char *title, int width, int height,
                     struct err *err)
{
    enum st st;
    struct figure *f;
    GROW(figures->list, figures->count + 1, "figures");
    f = &figures->list[figures->count++];
    *f = (struct figure){.section = figures->section, .screen = figures->screen, .width = width, .height = height};
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->title, sizeof f->title, "%s", title);
    snprintf(f->csv, sizeof f->csv, "%s/%s.csv", figures->data, f->name);
    TRY(script_begin(figures, PAGE, figures->pdf < 0 ? PDF_AS_DRAWN : PDF_NONE, err));
    TRY(out_file_open(figures->folder, f->csv, &figures->csv.to, err));
    figures->csv.cells = 0;
done:
    return st;
}

enum st figure_begin_of(struct figures *figures, const struct figure_subject *subject, const char *what,
                        const char *title, int width, int height, struct err *err)
{
    char name[sizeof figures->list->name], whole[sizeof figures->list->title], graph[STYLE_NAME], server[STYLE_NAME];
    snprintf(name, sizeof name, "%s-%s", subject->slug, what);
    snprintf(whole, sizeof whole, *subject->server ? "%s (%s on %s)" : "%s (%s%s)", title,
             style_cut(graph, subject->graph, *subject->server ? 28 : 60), style_cut(server, subject->server, 28));
    return figure_begin(figures, name, whole, width, height, err);
}

void figure_caption(struct figures *figures, const char *format, ...)
{
    struct figure *f = &figures->list[figures->count - 1];
    size_t used = strlen(f->caption);
    va_list list;
    va_start(list, format);
    vsnprintf(f->caption + used, sizeof f->caption - used, format, list);
    va_end(list);
}

enum st figure_series(struct figures *figures, const char *name, unsigned colour, struct err *err)
{
    if (figures->points) fputs("</g>\n", figures->points);
    else figures->points = text_stream(&figures->text, &figures->bytes);
    if (!figures->points)
        return err_set(err, ST_LIMIT, "memory is out for the points of a figure; close other programs");
    fprintf(figures->points, "<g role=\"group\" style=\"--light:#%06X;--dark:#%06X\" aria-label=\"", colour,
            colour_dark(colour));
    html_element(figures->points, "", name, "\">");
    return ST_OK;
}

void figure_point(const struct figures *figures, double x, double y, double wide, double tall, const char *at,
                  const char *text)
{
    fprintf(figures->points, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.4g\" height=\"%.4g\" rx=\"%.3g\"", x - wide / 2,
            figure_now(figures)->height - y - tall / 2, wide, tall, fmin(7, fmin(wide, tall) / 2));
    if (at) html_element(figures->points, " data-at=\"", at, "\"");
    html_element(figures->points, "><title>", text, "</title></rect>");
}

static enum st points_end(struct figures *figures, struct err *err)
{
    bool failed;
    if (!figures->points) return ST_OK;
    fputs("</g>", figures->points);
    failed = ferror(figures->points) != 0;
    failed |= fclose(figures->points) != 0;
    figures->points = NULL;
    figures->list[figures->count - 1].points = TAKE(figures->text);
    if (failed) return err_set(err, ST_LIMIT, "memory is out for the points of a figure; close other programs");
    return ST_OK;
}

enum st figure_end(struct figures *figures, struct err *err)
{
    PASS(script_end(figures, err));
    PASS(out_file_close(&figures->csv.to, figure_now(figures)->name, err));
    return points_end(figures, err);
}

const struct figure *figure_now(const struct figures *figures) { return &figures->list[figures->count - 1]; }

/* Gives the PDF that gnuplot drew a fixed date, so that equal figures are equal files. */
static enum st pdf_finish(const struct figures *figures, int index, struct err *err)
{
    static const char key[] = "/CreationDate (D:", date[] = "20000101000000";
    enum st st;
    char path[PATH_BYTES], name[320];
    struct mapping m = {0};
    FILE *to = NULL;
    snprintf(name, sizeof name, "%s/%s.pdf", figures->plots, figures->list[index].name);
    TRY(path_join(path, figures->folder, name, err));
    TRY(file_map(path, &m, err));
    const char *at = m.bytes ? memmem(m.base, m.bytes, key, strlen(key)) : NULL;
    size_t from = at ? (size_t)(at - (const char *)m.base) + strlen(key) : m.bytes;
    if (from + strlen(date) > m.bytes) goto done; /* a cairo that writes its date elsewhere */
    to = fopen(path, "r+b");
    if (!to || fseek(to, (long)from, SEEK_SET) || fputs(date, to) < 0)
        FAIL(ST_LIMIT, "%s: cannot be written; free disk space or give another output folder", path);
done:
    if (to && fclose(to) && st == ST_OK) st = err_set(err, ST_LIMIT, "%s: cannot be written; free disk space", path);
    file_unmap(&m);
    return st;
}

/* Gives the SVG that gnuplot drew its colours for dark screens. */
static enum st picture_finish(const struct figures *figures, int index, struct err *err)
{
    char path[PATH_BYTES], name[320];
    snprintf(name, sizeof name, "%s/%s.svg", figures->plots, figures->list[index].name);
    PASS(path_join(path, figures->folder, name, err));
    PASS(svg_dark(path, err));
    if (figures->pdf) PASS(pdf_finish(figures, index, err));
    return ST_OK;
}

enum st figures_draw(const struct figures *figures, struct progress *bar, struct err *err)
{
    enum { AT_ONCE = 12 }; /* few enough for the bar to move, enough to start gnuplot seldom */
    char paths[2 * AT_ONCE][300];
    const char *scripts[2 * AT_ONCE];
    const int each = figures->pdf > 0 ? 2 : 1;
    bar->total = (uint64_t)figures->count;
    for (int at = 0; at < figures->count; at += AT_ONCE) {
        int here = figures->count - at < AT_ONCE ? figures->count - at : AT_ONCE;
        for (int i = 0; i < each * here; i++) {
            snprintf(paths[i], sizeof paths[i], "%s/%s%s", figures->plots, figures->list[at + i / each].name,
                     i % each ? COLUMN : PAGE);
            scripts[i] = paths[i];
        }
        PASS(gnuplot_run(figures->folder, scripts, each * here, err));
        for (int i = 0; i < here; i++) PASS(picture_finish(figures, at + i, err));
        progress_set(bar, (uint64_t)(at + here));
    }
    return ST_OK;
}

/* ---- subjects ---- */

struct figure_subject figure_subject_make(const char *graph, const char *server, const char *second)
{
    struct figure_subject subject = {.graph = graph, .server = server};
    char first[STYLE_TEXT], last[STYLE_TEXT];
    snprintf(subject.slug, sizeof subject.slug, "%s-%s", style_slug(first, graph), style_slug(last, second));
    return subject;
}

void figure_subject_number(struct figure_subject *subject, int number)
{
    char slug[sizeof subject->slug];
    snprintf(slug, sizeof slug, "%d-%.90s", number, subject->slug);
    memcpy(subject->slug, slug, sizeof slug);
}
