/* figures.c - the files of figures; see figures.h. */
#define _GNU_SOURCE /* memmem */
#include "reports/figures/figures.h"

#include <stdarg.h>
#include <string.h>
#include "base/mem.h"
#include "reports/formats/gnuplot.h"
#include "reports/formats/out_file.h"
#include "reports/formats/svg_dark.h"

enum st figures_init(struct figures *figures, const char *folder, const char *plots, const char *data, struct err *err)
{
    enum st st = ST_OK;
    *figures = (struct figures){.plots = plots, .data = data};
    if (strlen(folder) >= sizeof figures->folder) FAIL(ST_INPUT, "%.60s..: the path of the folder is too long", folder);
    strcpy(figures->folder, folder);
done:
    return st;
}

void figures_release(struct figures *figures)
{
    if (figures->script) fclose(figures->script);
    if (figures->csv.to) fclose(figures->csv.to);
    mem_free(figures->list);
    *figures = (struct figures){0};
}

enum st figure_begin(struct figures *figures, const char *name, const char *title, int width, int height,
                     struct err *err)
{
    enum st st;
    struct figure *f;
    char picture[320], script[340];
    GROW(figures->list, figures->count + 1, "figures");
    f = &figures->list[figures->count++];
    *f = (struct figure){.section = figures->section, .screen = figures->screen, .width = width, .height = height};
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->title, sizeof f->title, "%s", title);
    snprintf(f->csv, sizeof f->csv, "%s/%s.csv", figures->data, f->name);
    snprintf(picture, sizeof picture, "%s/%s", figures->plots, f->name);
    snprintf(script, sizeof script, "%s.gp", picture);
    TRY(out_file_open(figures->folder, script, &figures->script, err));
    TRY(out_file_open(figures->folder, f->csv, &figures->csv.to, err));
    figures->csv.cells = 0;
    gnuplot_begin(figures->script, picture, figures->pdf, f->csv, width, height);
    fputs("unset key\nset multiplot\n", figures->script);
    figures->titled = false;
done:
    return st;
}

enum st figure_begin_of(struct figures *figures, const struct figure_subject *subject, const char *what,
                        const char *title, int width, int height, struct err *err)
{
    char name[sizeof figures->list->name], whole[sizeof figures->list->title], graph[STYLE_NAME], server[STYLE_NAME];
    snprintf(name, sizeof name, "%s-%s", subject->slug, what);
    snprintf(whole, sizeof whole, "%s (%s on %s)", title, style_cut(graph, subject->graph, 28),
             style_cut(server, subject->server, 28));
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

enum st figure_end(struct figures *figures, struct err *err)
{
    enum st st;
    const char *name = figure_now(figures)->name;
    fputs("unset multiplot\n", figures->script);
    gnuplot_end(figures->script);
    TRY(out_file_close(&figures->script, name, err));
    TRY(out_file_close(&figures->csv.to, name, err));
done:
    return st;
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
    enum st st;
    char path[PATH_BYTES], name[320];
    snprintf(name, sizeof name, "%s/%s.svg", figures->plots, figures->list[index].name);
    TRY(path_join(path, figures->folder, name, err));
    TRY(svg_dark(path, err));
    if (figures->pdf) TRY(pdf_finish(figures, index, err));
done:
    return st;
}

enum st figures_draw(const struct figures *figures, struct progress *bar, struct err *err)
{
    enum { AT_ONCE = 12 }; /* few enough for the bar to move, enough to start gnuplot seldom */
    enum st st = ST_OK;
    char paths[AT_ONCE][300];
    const char *scripts[AT_ONCE];
    bar->total = (uint64_t)figures->count;
    for (int at = 0; at < figures->count; at += AT_ONCE) {
        int here = figures->count - at < AT_ONCE ? figures->count - at : AT_ONCE;
        for (int i = 0; i < here; i++) {
            snprintf(paths[i], sizeof paths[i], "%s/%s.gp", figures->plots, figures->list[at + i].name);
            scripts[i] = paths[i];
        }
        TRY(gnuplot_run(figures->folder, scripts, here, err));
        for (int i = 0; i < here; i++) TRY(picture_finish(figures, at + i, err));
        progress_set(bar, (uint64_t)(at + here));
    }
done:
    return st;
}
