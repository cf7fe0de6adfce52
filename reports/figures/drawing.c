/* drawing.c - filling a description; see drawing.h. */
#include "reports/figures/drawing.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text_stream.h"

static size_t keep(struct drawing *d, const char *format, va_list list)
{
    size_t at;
    int written;
    if (!d->texts && d->st == ST_OK) {
        d->texts = text_stream(&d->text, &d->bytes);
        if (!d->texts) d->st = err_set(&d->err, ST_LIMIT, "memory is out for the texts of a figure");
        else fputc('\0', d->texts);
        d->used = 1;
    }
    if (d->st != ST_OK) return 0;
    at = d->used;
    written = vfprintf(d->texts, format, list);
    fputc('\0', d->texts);
    if (written < 0) d->st = err_set(&d->err, ST_LIMIT, "memory is out for the texts of a figure");
    else d->used += (size_t)written + 1;
    return at;
}

size_t drawing_say(struct drawing *d, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t at = keep(d, format, list);
    va_end(list);
    return at;
}

const char *drawing_said(const struct drawing *d, size_t text) { return text ? d->text + text : ""; }

static size_t copy(struct drawing *d, const char *text) { return text && *text ? drawing_say(d, "%s", text) : 0; }

/* Whether the list whose pointer lies at `list` has room for one more behind `count`; it grows by doubling. */
static bool has_room(struct drawing *d, void *list, int count, size_t size)
{
    void *block;
    if (d->st != ST_OK || (count & (count - 1))) return d->st == ST_OK;
    memcpy(&block, list, sizeof block);
    block = mem_resize(block, count ? 2 * (uint64_t)count : 1, size, "a figure", &d->err);
    if (!block) d->st = d->err.code;
    else memcpy(list, &block, sizeof block);
    return block;
}

void drawing_panel(struct drawing *d, const char *title, const struct drawing_axis *x, const struct drawing_axis *y)
{
    if (!has_room(d, &d->panels, d->panel_count, sizeof *d->panels)) return;
    d->panels[d->panel_count++] = (struct drawing_panel){.title = copy(d, title),
                                                         .axis = {*x, *y},
                                                         .axis_title = {copy(d, x->title), copy(d, y->title)},
                                                         .first = d->series_count,
                                                         .tick_first = d->tick_count,
                                                         .mark_first = d->mark_count};
}

void drawing_tick(struct drawing *d, int axis, double at, const char *text)
{
    if (!has_room(d, &d->ticks, d->tick_count, sizeof *d->ticks)) return;
    d->ticks[d->tick_count++] = (struct drawing_tick){axis, at, copy(d, text)};
}

void drawing_mark(struct drawing *d, int axis, double at, double wide, unsigned colour, const char *name)
{
    if (isnan(at) || !has_room(d, &d->marks, d->mark_count, sizeof *d->marks)) return;
    d->marks[d->mark_count++] = (struct drawing_mark){axis, at, wide, colour, copy(d, name)};
}

void drawing_series(struct drawing *d, const struct drawing_series *series)
{
    if (!has_room(d, &d->series, d->series_count, sizeof *d->series)) return;
    struct drawing_series *s = &d->series[d->series_count++];
    *s = *series;
    s->first = d->point_count;
    s->said = copy(d, series->name);
    s->end_said = copy(d, series->end);
    d->panels[d->panel_count - 1].count++;
}

void drawing_bars(struct drawing *d, const char *name, unsigned colour, int flags)
{
    drawing_series(d, &(struct drawing_series){.name = name, .colour = colour, .shape = DRAWING_BARS, .flags = flags});
}

void drawing_caption(struct drawing *d, const char *format, ...)
{
    const size_t used = strlen(d->caption);
    va_list list;
    va_start(list, format);
    vsnprintf(d->caption + used, sizeof d->caption - used, format, list);
    va_end(list);
}

struct drawing_point *drawing_point(struct drawing *d, double x, double y, const char *format, ...)
{
    if (!has_room(d, &d->points, d->point_count, sizeof *d->points)) return &d->none;
    struct drawing_point *p = &d->points[d->point_count++];
    *p = (struct drawing_point){.x = x, .y = y, .low = NAN, .high = NAN};
    d->series[d->series_count - 1].count++;
    if (!format) return p;
    va_list list;
    va_start(list, format);
    p->says = keep(d, format, list);
    va_end(list);
    return p;
}

void drawing_release(struct drawing *d)
{
    if (d->texts) fclose(d->texts);
    free(d->text);
    mem_free(d->panels);
    mem_free(d->series);
    mem_free(d->points);
    mem_free(d->ticks);
    mem_free(d->marks);
    *d = (struct drawing){0};
}
