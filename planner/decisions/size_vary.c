#include "planner/decisions/size_vary.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"

enum { SIZE_LABEL = 96 };
static const char *const names[VARY_QUANTITIES] = {"budget",       "gpus",        "server", "nvlink",
                                                   "feature-type", "fanout",      "batch",  "grow",
                                                   "share",        "host-memory", "ssd",    "nic-gbps"};

enum st size_vary_parse(const char *text, struct size_vary *out, struct err *err)
{
    char copy[128], *part[2];
    struct size_vary v = {.given = true};
    if (strlen(text) >= sizeof copy) return err_set(err, ST_USAGE, "--vary: the list is too long");
    strcpy(copy, text);
    if (text_split(copy, ',', part, 2) != 2)
        return err_set(err, ST_USAGE,
                       "--vary: '%.60s' does not name two quantities; expected two of " SIZE_VARY_WORDS ", as in "
                       "gpus,budget",
                       text);
    for (int i = 0; i < 2; i++) {
        int k = 0;
        while (k < VARY_QUANTITIES && strcmp(part[i], names[k])) k++;
        if (k == VARY_QUANTITIES)
            return err_set(err, ST_USAGE, "--vary: '%.40s' cannot be varied; expected two of " SIZE_VARY_WORDS,
                           part[i]);
        v.axis[i] = (enum size_quantity)k;
    }
    if (v.axis[0] == v.axis[1])
        return err_set(err, ST_USAGE, "--vary: names %s twice; expected two different quantities", names[v.axis[0]]);
    *out = v;
    return ST_OK;
}

bool size_varies(const struct size_vary *v, enum size_quantity of)
{
    return v->given && (v->axis[0] == of || v->axis[1] == of);
}

const char *size_element_name(uint64_t bytes)
{
    return bytes == 4 ? "f32" : bytes == 2 ? "f16" : bytes == 1 ? "i8" : bytes == 8 ? "f64" : "";
}

static const char *fanout_text(const struct int_list *fanout, char out[SIZE_LABEL])
{
    *out = 0;
    for (int i = 0; i < fanout->count; i++)
        text_append(out, SIZE_LABEL, "%s%lld", i ? "," : "", (long long)fanout->value[i]);
    return out;
}

/* The profile without its number of GPUs, so that one server with 1, 2 and 4 of them is one server. */
static void whole_server(const struct size_curve *c, char out[SIZE_LABEL])
{
    snprintf(out, SIZE_LABEL, "%.90s", path_base(c->of.server));
}

/* The value of a quantity (not the budget) in words: "4 GPUs", "f16", "25,10". */
static const char *label_of(const struct size_curve *c, enum size_quantity of, char out[SIZE_LABEL])
{
    const struct size_beside *b = &c->of.beside;
    *out = 0;
    switch (of) {
    case VARY_GPUS: snprintf(out, SIZE_LABEL, c->gpus == 1 ? "%d GPU" : "%d GPUs", c->gpus); break;
    case VARY_SERVER: whole_server(c, out); break;
    case VARY_NVLINK: snprintf(out, SIZE_LABEL, c->of.nvlink ? "NVLink" : "no NVLink"); break;
    case VARY_FEATURE_TYPE: snprintf(out, SIZE_LABEL, "%s", size_element_name(c->of.element)); break;
    case VARY_FANOUT: fanout_text(&c->of.fanout, out); break;
    case VARY_BATCH: snprintf(out, SIZE_LABEL, "%lld", (long long)c->of.batch); break;
    case VARY_GROW: snprintf(out, SIZE_LABEL, "%.9g", c->of.grow); break;
    case VARY_SHARE: snprintf(out, SIZE_LABEL, "%g %%", 100 * c->of.share); break;
    case VARY_HOST:
        if (b->host_share > 0) snprintf(out, SIZE_LABEL, "%g %%", 100 * b->host_share);
        else if (b->host_memory) units_bytes(out, b->host_memory);
        break;
    case VARY_SSD:
        if (b->drives.count) snprintf(out, SIZE_LABEL, "%d x %s", b->drives.count, b->drives.name);
        break;
    case VARY_NIC: snprintf(out, SIZE_LABEL, "%g GB/s", b->nic_gbps); break;
    default: break;
    }
    return out;
}

void size_label_curves(struct size_curve *curves, int count)
{
    static const enum size_quantity named[] =
        {VARY_FEATURE_TYPE, VARY_FANOUT, VARY_BATCH, VARY_GROW,
         VARY_SHARE,        VARY_HOST,   VARY_SSD,   VARY_NIC}; /* servers name GPUs and NVLink themselves */
    static const char *const before[] = {"", "fan-out ", "batch ", "graph x ", "memory ", "host ", "", "network "};
    char text[SIZE_LABEL], first[SIZE_LABEL];
    for (int i = 0; i < count; i++) snprintf(curves[i].label, sizeof curves[i].label, "%s", curves[i].server);
    for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
        bool differs = false;
        for (int i = 1; i < count; i++)
            differs |= strcmp(label_of(&curves[i], named[k], text), label_of(&curves[0], named[k], first)) != 0;
        for (int i = 0; i < count && differs; i++)
            text_append(curves[i].label, sizeof curves[i].label, ", %s%s", before[k],
                        label_of(&curves[i], named[k], text));
    }
}

/* ---- the map ---- */

/* Labels of one axis, in the order in which curves and budgets bring them. */
struct axis {
    int count;
    char label[SIZE_CURVES_MAX][SIZE_LABEL];
};

static int place_of(struct axis *a, const char *label)
{
    for (int i = 0; i < a->count; i++)
        if (!strcmp(a->label[i], label)) return i;
    if (a->count == SIZE_CURVES_MAX) return -1;
    snprintf(a->label[a->count], SIZE_LABEL, "%s", label);
    return a->count++;
}

static void fill_axis(const struct size_question *q, enum size_quantity of, const struct size_curve *curves, int count,
                      struct axis *out)
{
    char text[SIZE_LABEL];
    uint64_t most = 0;
    for (int i = 0; i < count; i++) {
        most = curves[i].limit > most ? curves[i].limit : most;
        if (of != VARY_BUDGET) place_of(out, label_of(&curves[i], of, text));
    }
    for (uint64_t b = 0; of == VARY_BUDGET && b < SIZE_POINTS_MAX && b * q->step <= most; b++)
        place_of(out, units_bytes(text, b * q->step));
}

static int position(const struct size_question *q, struct axis *a, enum size_quantity of, const struct size_curve *c,
                    uint64_t budget)
{
    char text[SIZE_LABEL];
    if (of != VARY_BUDGET) return place_of(a, label_of(c, of, text));
    return budget % q->step || budget / q->step >= (uint64_t)a->count ? -1 : (int)(budget / q->step);
}

/* The cells of a map while it is made. */
struct map {
    const struct size_vary *vary;
    struct axis *axis; /* 2 */
    enum size_metric metric;
    double *cell;
};

static void take_value(const struct size_question *q, struct map *map, const struct size_curve *c, uint64_t budget,
                       double value)
{
    int x = position(q, &map->axis[0], map->vary->axis[0], c, budget),
        y = position(q, &map->axis[1], map->vary->axis[1], c, budget);
    if (x < 0 || y < 0) return;
    double *to = &map->cell[y * map->axis[0].count + x];
    *to = size_more_is_better(map->metric) ? fmax(*to, value) : fmin(*to, value); /* fmax and fmin ignore NaN */
}

static void take_points(const struct size_question *q, struct map *map, const struct size_curve *c)
{
    bool budgets = size_varies(map->vary, VARY_BUDGET);
    for (int i = budgets ? 0 : c->count - 1; i >= 0 && i < c->count; i++)
        take_value(q, map, c, c->point[i].budget, c->point[i].value[map->metric]);
}

/* A budget larger than what holds everything serves as much as that: the last point stands for it, too, so that what is
 * left empty did not fit. */
static void take_beyond(const struct size_question *q, struct map *map, const struct size_curve *c)
{
    const struct axis *budgets = &map->axis[map->vary->axis[1] == VARY_BUDGET];
    if (!size_varies(map->vary, VARY_BUDGET) || !c->count || c->limit < c->useful) return;
    for (uint64_t b = 0; b < (uint64_t)budgets->count; b++)
        if (b * q->step > c->limit) take_value(q, map, c, b * q->step, c->point[c->count - 1].value[map->metric]);
}

static doc *axis_document(enum size_quantity of, const struct axis *a)
{
    doc *d = doc_object(), *labels = doc_array();
    for (int i = 0; i < a->count; i++) doc_append(labels, doc_text(a->label[i]));
    DOC_PUT(d, IS("quantity", names[of]), IS("labels", labels));
    return d;
}

doc *size_vary_document(const struct size_question *q, const struct size_vary *v, const struct size_curve *curves,
                        int count)
{
    struct err none = {0};
    enum size_metric m = size_primary(q, curves, count);
    OWNED struct axis *axis = v->given ? mem_array(2, sizeof *axis, "axes of a map", &none) : NULL;
    OWNED double *cell = NULL;
    doc *d = NULL;
    if (!axis) return NULL;
    for (int i = 0; i < 2; i++) fill_axis(q, v->axis[i], curves, count, &axis[i]);
    int wide = axis[0].count, tall = axis[1].count;
    cell = mem_array((uint64_t)wide * (uint64_t)tall, sizeof *cell, "cells of a map", &none);
    if (!cell) goto done;
    struct map map = {v, axis, m, cell};
    for (int i = 0; i < wide * tall; i++) cell[i] = NAN;
    for (int i = 0; i < count; i++) {
        take_points(q, &map, &curves[i]);
        take_beyond(q, &map, &curves[i]);
    }
    d = doc_object();
    doc *values = doc_array();
    for (int y = 0; y < tall; y++) {
        doc *row = doc_array();
        for (int x = 0; x < wide; x++) doc_append(row, doc_real(cell[y * wide + x]));
        doc_append(values, row);
    }
    doc_put(d, "x", axis_document(v->axis[0], &axis[0]));
    doc_put(d, "y", axis_document(v->axis[1], &axis[1]));
    DOC_PUT(d, IS("metric", size_metric_key(m)),
            IS("at", size_varies(v, VARY_BUDGET) ? "the budget of the axis" : "the largest budget of each"),
            IS("values", values));
done:
    return d;
}
