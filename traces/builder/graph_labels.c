#include "traces/builder/graph_labels.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "traces/builder/builder_renumber.h"
#include "traces/builder/columns.h"
#include "traces/builder/graph_text.h"
#include "traces/builder/name_table.h"

/* A list of n labels, none set. */
static enum st graph_labels_begin(uint64_t n, struct label_list *out, struct err *err)
{
    MAKE(out->label, n, "labels");
    for (uint64_t v = 0; v < n; v++) out->label[v] = GRAPH_NO_LABEL;
    return ST_OK;
}

/* Gives vertex `id` of the source its class; ids that the graph does not have are passed over. */
static void give(struct label_list *l, const struct id_map *map, uint64_t id, int64_t class)
{
    uint64_t v = map->original ? renumber_find(map->original, map->n, (int64_t)id) : id;
    if (v < map->n) l->label[v] = class;
}

static void count(struct label_list *l, uint64_t n)
{
    for (uint64_t v = 0; v < n; v++) {
        if (l->label[v] < 0) continue;
        l->labelled++;
        if ((uint64_t)l->label[v] >= l->classes) l->classes = (uint64_t)l->label[v] + 1;
    }
}

static enum st wrong_number(const char *path, uint64_t labels, uint64_t n, struct err *err)
{
    return err_set(err, ST_INPUT,
                   "%s: has %" PRIu64 " labels, but the graph has %" PRIu64 " vertices; expected one for each, -1 for "
                   "none",
                   path, labels, n);
}

static enum st read_array(const char *path, const struct id_map *map, struct label_list *l, struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    int64_t class;
    char shape[200];
    PASS(npy_map(path, &a, err));
    if (a.dims != 1 && (a.dims != 2 || a.shape[1] != 1))
        return err_set(err, ST_INPUT, "%s: has shape %s; expected one class per vertex", path,
                       npy_shape_text(shape, a.dims, a.shape));
    if (!map->original && a.count != map->n) PASS(wrong_number(path, a.count, map->n, err));
    for (uint64_t i = 0; i < a.count; i++) {
        if (!source_label_at(&a, i, &class))
            return err_set(err, ST_INPUT, "%s: entry %" PRIu64 " is not the number of a class, 0 to %d", path, i,
                           CLASSES_MOST - 1);
        give(l, map, i, class);
    }
    return ST_OK;
}

/* One line as a class; *blank: there is nothing on it. */
static bool read_line(const char *line, uint64_t number, int64_t *class, bool *blank)
{
    const char *p = text_skip(line);
    double x;
    *blank = !*p || *p == '#' || *p == '%';
    if (*blank) return true;
    if (!text_real(&p, &x)) {
        *class = GRAPH_NO_LABEL;
        if (text_starts(p, "nan") || text_starts(p, "NaN")) return !*text_skip(p + 3);
        *blank = number == 1; /* a header */
        return *blank;
    }
    return !*text_skip(p) && source_label_of(x, class);
}

/* A line "name,class". *blank: it has no class but could be a header. */
static enum st read_named(const char *line, uint64_t number, const char *path, const struct id_map *map,
                          struct label_list *l, struct err *err)
{
    char room[NAME_BYTES_MOST + 1], word[64];
    size_t length = 0, size = 0;
    int64_t class;
    bool blank;
    const char mark = columns_name_mark(line), *name, *field;
    if (!*text_skip(line) || *line == '#') return ST_OK;
    name = columns_name(line, mark, 1, room, &length);
    field = columns_field(line, mark, 2, &size);
    snprintf(word, sizeof word, "%.*s", field && size < sizeof word ? (int)size : 0, field ? field : "");
    const uint64_t v = name ? name_table_find(map->names, name, length) : UINT64_MAX;
    if (!*word || !read_line(word, number, &class, &blank))
        return err_set(err, ST_INPUT,
                       "%s: line %" PRIu64 " is '%.60s'; expected the name of a vertex and the number of its class, 0 "
                       "to "
                       "%d, or -1 for none",
                       path, number, line, CLASSES_MOST - 1);
    if (blank) return ST_OK; /* a header */
    if (v == UINT64_MAX)
        return err_set(err, ST_INPUT, "%s: line %" PRIu64 " labels '%.60s', which the graph does not have", path,
                       number, line);
    l->label[v] = class;
    return ST_OK;
}

static enum st read_lines(const char *path, const struct id_map *map, struct label_list *l, struct err *err)
{
    OWNED_BY(text_lines_close) struct text_lines lines = {0};
    char *line;
    int64_t class;
    uint64_t labels = 0;
    bool blank;
    PASS(text_lines_open(path, &lines, err));
    for (;;) {
        PASS(text_lines_next(&lines, &line, NULL, err));
        if (!line) break;
        if (map->names) {
            PASS(read_named(line, lines.number, path, map, l, err));
            continue;
        }
        if (!read_line(line, lines.number, &class, &blank))
            return err_set(err, ST_INPUT,
                           "%s: line %" PRIu64 " is '%.40s'; expected the number of a class, 0 to %d, or -1 for none",
                           path, lines.number, line, CLASSES_MOST - 1);
        if (!blank) give(l, map, labels++, class);
    }
    if (!map->original && !map->names && labels != map->n) PASS(wrong_number(path, labels, map->n, err));
    return ST_OK;
}

enum st labels_from_file(const char *path, const struct id_map *map, struct label_list *out, struct err *err)
{
    struct label_list l = {0};
    bool npy;
    enum st st;
    TRY(source_is_npy(path, &npy, err));
    TRY(graph_labels_begin(map->n, &l, err));
    if (npy) TRY(read_array(path, map, &l, err));
    else TRY(read_lines(path, map, &l, err));
    count(&l, map->n);
    if (!l.labelled) FAIL(ST_INPUT, "%s: gives no vertex of the graph a class", path);
    *out = l;
    l.label = NULL;
done:
    mem_free(l.label);
    return st;
}

enum st labels_from_source(const struct source_sets *sets, const struct id_map *map, struct label_list *out,
                           char why[200], struct err *err)
{
    struct label_list l = {.classes = sets->classes};
    enum st st = ST_OK;
    *why = '\0';
    if (!sets->parts) return ST_OK;
    for (int i = 0; i < sets->parts; i++)
        if (!sets->labels[i].ids && !map->original && sets->labels[i].count != map->n) {
            snprintf(why, 200, "%s have %" PRIu64 " entries for %" PRIu64 " vertices, so that the graph has no labels",
                     sets->labels_what, sets->labels[i].count, map->n);
            return ST_OK;
        }
    TRY(graph_labels_begin(map->n, &l, err));
    for (int i = 0; i < sets->parts; i++) {
        const struct source_labels *p = &sets->labels[i];
        for (uint64_t k = 0; k < p->count; k++) give(&l, map, p->ids ? p->ids[k] : k, p->label[k]);
    }
    count(&l, map->n);
    if (!l.labelled) goto done;
    *out = l;
    l.label = NULL;
done:
    mem_free(l.label);
    return st;
}
