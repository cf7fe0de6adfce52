#include "traces/formats/types_flat.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "traces/builder/columns.h"
#include "traces/builder/graph_text.h"

struct reading {
    const struct types_import_options *o;
    struct types_source *out;
    struct types_edges *edges;
    struct name_table *names;
    struct columns columns; /* mark 0: not decided yet */
    int fields, last;       /* last: the relation of the line before */
};

static enum st refuse(const char *path, uint64_t number, const char *line, const char *what, struct err *err)
{
    return err_set(err, ST_INPUT, "%s: line %" PRIu64 " ('%.60s%s') has %s", path, number, line,
                   strlen(line) > 60 ? ".." : "", what);
}

/* A column's text into out[GRAPH_NAME_BYTES]; a column that there is none of gives `usual`. */
static enum st take_word(const struct reading *r, const char *path, uint64_t number, const char *line,
                         enum column_role role, const char *usual, char *out, struct err *err)
{
    char room[NAME_BYTES_MOST + 1];
    size_t length = strlen(usual);
    const char *word = !r->columns.at[role] ? usual
                                            : columns_name(line, r->columns.mark, r->columns.at[role], room, &length);
    if (!word || !length)
        return refuse(path, number, line, "an empty field where a relation or a type is expected", err);
    if (length >= GRAPH_NAME_BYTES)
        return refuse(path, number, line, "a relation or a type of more than 63 bytes; shorten it", err);
    snprintf(out, GRAPH_NAME_BYTES, "%.*s", (int)length, word);
    return ST_OK;
}

/* The vertex that a column names, within its type. */
static enum st take_end(struct reading *r, const char *path, uint64_t number, const char *line, enum column_role role,
                        const char *type, uint64_t *out, struct err *err)
{
    char room[NAME_BYTES_MOST + 1];
    size_t length;
    struct types_source_type *t;
    struct err why = {0};
    const char *name = columns_name(line, r->columns.mark, r->columns.at[role], room, &length);
    if (!name) return refuse(path, number, line, "too few fields", err);
    PASS(types_source_type(r->out, type, &t, err));
    const enum st st = name_table_add(&r->names[t - r->out->type], name, length, out, &why);
    return st == ST_OK ? ST_OK : err_set(err, st, "%s: line %" PRIu64 ": %s", path, number, why.text);
}

/* The number of the relation between two types, a new one for one that is new. */
static enum st relation_of(struct reading *r, const char *path, const char *source, const char *name,
                           const char *target, int *out, struct err *err)
{
    struct types_source_relation *made;
    for (int k = 0; k < r->out->relations; k++) {
        const int i = (r->last + k) % r->out->relations;
        const struct types_source_relation *x = &r->out->relation[i];
        if (strcmp(x->name, name) || strcmp(x->source, source) || strcmp(x->target, target)) continue;
        *out = r->last = i;
        return ST_OK;
    }
    PASS(types_source_relation(r->out, source, name, target, &made, err));
    *out = r->last = (int)(made - r->out->relation);
    snprintf(r->edges[*out].path, PATH_BYTES, "%s", path);
    return ST_OK;
}

/* The first line says which columns there are. *header: it is one, and holds no edge. */
static enum st decide(struct reading *r, const char *path, const char *line, bool *header, struct err *err)
{
    const char mark = columns_name_mark(line);
    *header = columns_known(line, mark);
    for (int i = 0; i < COLUMN_ROLES; i++) {
        const char *word = r->o->columns.word[i];
        *header |= word && strspn(word, "0123456789") != strlen(word);
    }
    PASS(columns_decide(path, *header ? line : NULL, &r->o->columns, false, false, &r->columns, err));
    r->columns.mark = mark;
    r->fields = columns_count(line, mark);
    for (int i = 0; i < COLUMN_ROLES; i++)
        if (r->columns.at[i] > r->fields)
            return err_set(err, ST_USAGE, "%s: line 1 ('%.80s') has %d fields, and column %d is asked for", path, line,
                           r->fields, r->columns.at[i]);
    return ST_OK;
}

static enum st take_line(void *self, const char *path, uint64_t number, char *line, struct err *err)
{
    struct reading *r = self;
    char source[GRAPH_NAME_BYTES], name[GRAPH_NAME_BYTES], target[GRAPH_NAME_BYTES];
    uint64_t u, v;
    int relation;
    enum st st = ST_OK;
    if (!line[strspn(line, " \t\r")] || (!r->columns.mark && *line == '#')) return ST_OK;
    if (!r->columns.mark) {
        bool header;
        PASS(decide(r, path, line, &header, err));
        if (header) return ST_OK;
    }
    if (columns_count(line, r->columns.mark) != r->fields)
        return refuse(path, number, line, "another number of fields than the lines before it", err);
    PASS(take_word(r, path, number, line, COLUMN_SOURCE_TYPE, "node", source, err));
    PASS(take_word(r, path, number, line, COLUMN_RELATION, "", name, err));
    PASS(take_word(r, path, number, line, COLUMN_TARGET_TYPE, "node", target, err));
    PASS(take_end(r, path, number, line, COLUMN_SOURCE, source, &u, err));
    PASS(take_end(r, path, number, line, COLUMN_TARGET, target, &v, err));
    PASS(relation_of(r, path, source, name, target, &relation, err));
    struct types_edges *e = &r->edges[relation];
    if ((e->count & (e->count - 1)) == 0) GROW(e->list, e->count ? 4 * e->count : 2, "edges");
    e->list[2 * e->count] = (uint32_t)u;
    e->list[2 * e->count++ + 1] = (uint32_t)v;
done:
    return st;
}

enum st types_flat_read(const struct types_import_options *o, struct types_source *out, struct types_edges **edges,
                        struct name_table *names, struct err *err)
{
    struct reading r = {.o = o, .out = out, .names = names};
    MAKE(*edges, GRAPH_RELATIONS_MAX, "edges");
    r.edges = *edges;
    PASS(text_each_line(o->path, take_line, &r, err));
    for (int t = 0; t < out->types; t++) {
        struct types_source_type *x = &out->type[t];
        x->count = names[t].count;
        x->proven = true;
        x->dim = o->feature_dim;
        if (x->dim) snprintf(x->element, sizeof x->element, "%s", o->feature_type ? o->feature_type : "f32");
    }
    return ST_OK;
}
