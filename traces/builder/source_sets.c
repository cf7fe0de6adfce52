#include "traces/builder/source_sets.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

enum st source_sets_put(struct source_sets *s, enum vertex_set set, const uint64_t *ids, uint64_t count,
                        const char *what, struct err *err)
{
    struct source_set *to = &s->set[set];
    mem_free(to->ids);
    *to = (struct source_set){0};
    MAKE(to->ids, count, "vertices of a set");
    if (count) memcpy(to->ids, ids, count * sizeof *ids);
    to->count = count;
    snprintf(to->what, sizeof to->what, "%s", what);
    return ST_OK;
}

bool source_label_of(double x, int64_t *out)
{
    *out = GRAPH_NO_LABEL;
    if (x != x || x < 0) return true;
    if (x >= CLASSES_MOST) return false;
    *out = (int64_t)x;
    return !((double)*out < x); /* a fraction is no class */
}

bool source_label_at(const struct npy *labels, uint64_t i, int64_t *out)
{
    float narrow;
    double wide;
    bool ok;
    const char *at = (const char *)labels->data + i * labels->item;
    if (!strcmp(labels->type, "f4")) {
        memcpy(&narrow, at, sizeof narrow);
        return source_label_of((double)narrow, out);
    }
    if (!strcmp(labels->type, "f8")) {
        memcpy(&wide, at, sizeof wide);
        return source_label_of(wide, out);
    }
    int64_t x = npy_integer(labels, i, &ok);
    *out = x < 0 ? GRAPH_NO_LABEL : x;
    return ok && x < CLASSES_MOST;
}

static void drop_labels(struct source_sets *s)
{
    for (int i = 0; i < s->parts; i++) {
        mem_free(s->labels[i].ids);
        mem_free(s->labels[i].label);
    }
    memset(s->labels, 0, sizeof s->labels);
    s->parts = 0;
}

/* One number per vertex: (k) or (k, 1). */
static bool is_column(const struct npy *a) { return a->dims == 1 || (a->dims == 2 && a->shape[1] == 1); }

enum st source_sets_labels(struct source_sets *s, const struct npy *ids, const struct npy *labels, const char *what,
                           char why[200], struct err *err)
{
    struct source_labels part = {.count = labels->count};
    bool ok = true;
    char shape[200];
    enum st st = ST_OK;
    *why = '\0';
    if (s->parts == VERTEX_SETS || !labels->count) return ST_OK;
    if (!is_column(labels) || (ids && (ids->count != labels->count || ids->type[0] == 'f'))) {
        snprintf(why, 200, "%s have shape %.60s, not one class per vertex", what,
                 npy_shape_text(shape, labels->dims, labels->shape));
        drop_labels(s);
        return ST_OK;
    }
    NEW(part.label, labels->count, "labels");
    if (ids) NEW(part.ids, labels->count, "vertices with labels");
    for (uint64_t i = 0; i < labels->count; i++) {
        if (!source_label_at(labels, i, &part.label[i])) {
            snprintf(why, 200, "entry %" PRIu64 " of %s is not the number of a class", i, what);
            drop_labels(s);
            goto done;
        }
        if (ids) part.ids[i] = (uint64_t)npy_integer(ids, i, &ok);
    }
    s->labels[s->parts++] = part;
    part = (struct source_labels){0};
    snprintf(s->labels_what, sizeof s->labels_what, "%s", what);
done:
    mem_free(part.ids);
    mem_free(part.label);
    return st;
}

void source_sets_release(struct source_sets *s)
{
    for (int i = 0; i < VERTEX_SETS; i++) mem_free(s->set[i].ids);
    drop_labels(s);
    memset(s, 0, sizeof *s);
}
