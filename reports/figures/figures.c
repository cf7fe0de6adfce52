/* figures.c - files of figures; see studio.h. */
#include "reports/figures/figures.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "base/mem.h"
#include "reports/formats/gnuplot.h"

enum st figures_file(const struct figures *s, const char *name, FILE **out, struct err *err)
{
    enum st st;
    char path[PATH_BYTES];
    TRY(path_join(path, s->folder, name, err));
    *out = fopen(path, "wb");
    if (!*out)
        FAIL(ST_LIMIT, "%s: the file could not be made (%s); free disk space or give another output folder", path,
             strerror(errno));
done:
    return st;
}

enum st figures_file_close(FILE **file, const char *name, struct err *err)
{
    enum st st = ST_OK;
    FILE *f = *file;
    bool bad;
    *file = NULL;
    if (!f) goto done;
    bad = ferror(f);
    bad = fclose(f) || bad;
    if (bad)
        FAIL(ST_LIMIT, "%s: the file could not be written whole; free disk space or give another output folder", name);
done:
    return st;
}

static void title_write(struct figures *s, const struct figure *f)
{
    char position[80];
    fputs("unset label\n", s->script);
    if (s->titled) return;
    s->titled = true;
    snprintf(position, sizeof position, "screen %.5f, screen %.5f", 14.0 / f->width, 1 - 20.0 / f->height);
    gnuplot_label(s->script, f->title, position, "left front font title_font tc rgb '#111111'");
}

enum st figures_open(struct figures *s, const struct grid *grid, const char *what, const char *title, int width,
                     int height, struct err *err)
{
    enum st st;
    struct figure *f;
    char path[320], graph[STYLE_NAME], server[STYLE_NAME];
    GROW(s->list, s->count + 1, "figures");
    f = &s->list[s->count++];
    *f = (struct figure){.grid = s->grid, .width = width, .height = height};
    snprintf(f->name, sizeof f->name, "%s-%s", grid->slug, what);
    snprintf(f->title, sizeof f->title, "%s (%s on %s)", title, style_cut(graph, grid->graph, 28),
             style_cut(server, grid->server, 28));
    snprintf(path, sizeof path, "plots/%s.gp", f->name);
    TRY(figures_file(s, path, &s->script, err));
    snprintf(path, sizeof path, "data/%s.csv", f->name);
    TRY(figures_file(s, path, &s->data.to, err));
    s->data.cells = 0;
    gnuplot_begin(s->script, f->name, width, height);
    fputs("unset key\nset multiplot\n", s->script);
    s->titled = false;
done:
    return st;
}

void figures_caption(struct figures *s, const char *format, ...)
{
    struct figure *f = &s->list[s->count - 1];
    size_t used = strlen(f->caption);
    va_list list;
    va_start(list, format);
    vsnprintf(f->caption + used, sizeof f->caption - used, format, list);
    va_end(list);
}

enum st figures_close(struct figures *s, struct err *err)
{
    enum st st;
    fputs("unset multiplot\n", s->script);
    gnuplot_end(s->script);
    TRY(figures_file_close(&s->script, s->list[s->count - 1].name, err));
    TRY(figures_file_close(&s->data.to, s->list[s->count - 1].name, err));
done:
    return st;
}

void figures_release(struct figures *s)
{
    if (s->script) fclose(s->script);
    if (s->data.to) fclose(s->data.to);
    mem_free(s->list);
    *s = (struct figures){0};
}

void figures_panel(struct figures *s, const struct box *b)
{
    const struct figure *f = &s->list[s->count - 1];
    title_write(s, f);
    fprintf(s->script,
            "set lmargin at screen %.5f\nset rmargin at screen %.5f\nset bmargin at screen %.5f\nset tmargin at screen "
            "%.5f\n"
            "unset logscale\nunset arrow\nset border 3 lc rgb '#999999' lw 0.8\nset tics nomirror out scale 0.5 "
            "textcolor rgb '#444444'\nset xtics "
            "offset 0,0.35\n"
            "set grid ytics lc rgb '#e4e4e4' lt 1 lw 0.8\nset grid noxtics\nset style fill solid 1.0 noborder\n",
            b->left / f->width, b->right / f->width, b->bottom / f->height, b->top / f->height);
}

void figures_heading(const struct figures *s, const struct box *b, const char *text)
{
    const struct figure *f = &s->list[s->count - 1];
    char position[80];
    snprintf(position, sizeof position, "screen %.5f, screen %.5f", b->left / f->width, (b->top + 15) / f->height);
    gnuplot_label(s->script, text, position, "left tc rgb '#111111'");
}

void figures_axis_title(const struct figures *s, const struct box *b, int away, const char *text)
{
    const struct figure *f = &s->list[s->count - 1];
    char position[80];
    snprintf(position, sizeof position, "screen %.5f, screen %.5f", (b->left - away) / f->width,
             (b->bottom + b->top) / 2 / f->height);
    gnuplot_label(s->script, text, position, "center rotate by 90 tc rgb '#444444'");
}

void figures_axis_below(const struct figures *s, const struct box *b, const char *text)
{
    const struct figure *f = &s->list[s->count - 1];
    char position[80];
    snprintf(position, sizeof position, "screen %.5f, screen %.5f", (b->left + b->right) / 2 / f->width,
             (b->bottom - 40) / f->height);
    gnuplot_label(s->script, text, position, "center tc rgb '#444444'");
}

const char *figures_budget(const struct grid *grid, int budget, char out[160])
{
    const struct budget *b = &grid->budgets[budget];
    char bytes[STYLE_TEXT], share[STYLE_TEXT] = "";
    snprintf(out, 160, "%s%s", b->label, b->per);
    if (!isnan(b->share)) snprintf(share, sizeof share, "%.3g %% of the graph per clique", 100 * b->share);
    if (!isnan(b->bytes) || *share)
        snprintf(out, 160, "%s%s (%s%s%s)", b->label, b->per, isnan(b->bytes) ? "" : style_bytes(bytes, b->bytes),
                 isnan(b->bytes) ? ""
                 : *share        ? " per GPU, "
                                 : " per GPU",
                 share);
    return out;
}

enum st figures_plot(const struct figures *s, int portion, struct progress *bar, struct err *err)
{
    enum st st = ST_OK;
    const char **names = NULL;
    NEW(names, s->count + 1, "names of figures");
    bar->total = (uint64_t)s->count;
    for (int i = 0; i < s->count; i++) names[i] = s->list[i].name;
    for (int at = 0; at < s->count; at += portion) {
        int here = s->count - at < portion ? s->count - at : portion;
        TRY(gnuplot_run(s->folder, names + at, here, err));
        progress_set(bar, (uint64_t)(at + here));
    }
done:
    mem_free(names);
    return st;
}

void figures_number(struct grid *grid, int number)
{
    char slug[sizeof grid->slug];
    snprintf(slug, sizeof slug, "%d-%.90s", number, grid->slug);
    memcpy(grid->slug, slug, sizeof slug);
}
