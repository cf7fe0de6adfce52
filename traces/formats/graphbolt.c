/* graphbolt.c - data sets of DGL GraphBolt: a folder with metadata.yaml that names one list of edges (numpy (2, m), or
 * csv) and usually the ids and labels of training, validation and test sets (numpy). Only homogeneous graphs. The yaml
 * is read line by line: sections by indentation, a value after a colon. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "traces/builder/builder.h"
#include "traces/formats/graph_format.h"
#include "traces/builder/graph_text.h"

extern const struct graph_format graph_format_edge_list;

enum { DEPTH = 12, WORD = 512 };

/* An array that metadata.yaml names. */
struct named_array {
    char path[WORD], format[WORD];
};

/* What metadata.yaml states. Of each set the first two entries of `data`: seeds, and labels or something else. */
struct metadata {
    uint64_t vertices, classes;
    int edge_lists, node_types;
    struct named_array edges;
    struct set_entries {
        struct named_array array[2];
        char name[2][WORD];
        int data; /* the section that they stand in, by outline.data; 0: none yet */
    } set[VERTEX_SETS];
};

/* The document while it is read: the open sections, outermost first, and what was found. */
struct outline {
    struct {
        int indent;
        char key[64];
    } at[DEPTH];
    int depth;
    int data, entry; /* sections `data` so far; entries of the current one */
    struct metadata *found;
};

static bool inside(const struct outline *o, const char *key)
{
    for (int i = 0; i < o->depth; i++)
        if (!strcmp(o->at[i].key, key)) return true;
    return false;
}

/* Removes blanks, quotes and comments around a value. */
static char *clean(char *value)
{
    value += strspn(value, " \t");
    char *hash = strstr(value, " #");
    if (hash) *hash = '\0';
    for (size_t end = strlen(value); end && strchr(" \t'\"", value[end - 1]); end--) value[end - 1] = '\0';
    return value + strspn(value, "'\"");
}

/* A value below tasks. The first section `data` of each set counts. */
static void take_task(const struct outline *o, const char *key, const char *value, struct metadata *m)
{
    static const char *const sets[VERTEX_SETS] = {"train_set", "validation_set", "test_set"};
    const char *p = value;
    uint64_t classes;
    if (!strcmp(key, "num_classes") && !m->classes && text_take(&p, &classes) == TEXT_NUMBER && classes <= CLASSES_MOST)
        m->classes = classes;
    for (int i = 0; i < VERTEX_SETS; i++) {
        struct set_entries *s = &m->set[i];
        if (!inside(o, sets[i])) continue;
        int at = o->entry - 1;
        if (!s->data) s->data = o->data;
        if (s->data != o->data || at < 0 || at > 1) continue;
        if (!strcmp(key, "name")) snprintf(s->name[at], WORD, "%s", value);
        if (!strcmp(key, "format")) snprintf(s->array[at].format, WORD, "%s", value);
        if (!strcmp(key, "path")) snprintf(s->array[at].path, WORD, "%s", value);
    }
}

static enum st take_value(const struct outline *o, const char *key, const char *value, struct metadata *m,
                          const char *where, uint64_t line, struct err *err)
{
    bool graph = inside(o, "graph"), edges = graph && inside(o, "edges");
    if (graph && inside(o, "nodes") && !strcmp(key, "num")) {
        const char *p = value;
        enum text_kind kind = text_take(&p, &m->vertices);
        if (kind != TEXT_NUMBER) return text_error(kind, where, line, value, "a number of nodes", err);
        m->node_types++;
    }
    if (edges && !strcmp(key, "format")) snprintf(m->edges.format, WORD, "%s", value);
    if (edges && !strcmp(key, "path")) {
        snprintf(m->edges.path, WORD, "%s", value);
        m->edge_lists++;
    }
    if (inside(o, "tasks")) take_task(o, key, value, m);
    return ST_OK;
}

static enum st take_line(void *self, const char *where, uint64_t number, char *line, struct err *err)
{
    struct outline *o = self;
    int indent = (int)strspn(line, " ");
    char *text = line + indent, *colon;
    bool entry = text_starts(text, "- ");
    while (text_starts(text, "- ")) { /* a list's entry opens one level deeper */
        text += 2;
        indent += 2;
        while (*text == ' ') text++, indent++;
    }
    colon = strchr(text, ':');
    if (!*text || *text == '#' || !colon) return ST_OK;
    *colon = '\0';
    while (o->depth && o->at[o->depth - 1].indent >= indent) o->depth--;
    if (entry && o->depth && !strcmp(o->at[o->depth - 1].key, "data")) o->entry++;
    char *value = clean(colon + 1);
    if (*value && *value != '#') return take_value(o, text, value, o->found, where, number, err);
    if (o->depth == DEPTH)
        return err_set(err, ST_INPUT, "%s: line %" PRIu64 " is nested deeper than %d levels", where, number, DEPTH);
    o->at[o->depth].indent = indent;
    snprintf(o->at[o->depth++].key, sizeof o->at[0].key, "%s", text);
    if (!strcmp(text, "data")) {
        o->data++;
        o->entry = 0;
    }
    return ST_OK;
}

static enum st read_metadata(const char *path, struct metadata *m, struct err *err)
{
    struct outline o = {.found = m};
    PASS(text_each_line(path, take_line, &o, err));
    if (m->edge_lists != 1 || m->node_types > 1)
        return err_set(err, ST_INPUT,
                       "%s: names %d lists of edges and %d types of nodes; only graphs with one of each are read", path,
                       m->edge_lists, m->node_types);
    return ST_OK;
}

static enum st read_edges(const char *folder, const struct metadata *m, struct builder *to, struct err *err)
{
    char path[PATH_BYTES];
    struct npy pairs = {0};
    enum st st;
    TRY(path_below(path, folder, m->edges.path, folder, err));
    if (!strcmp(m->edges.format, "csv")) return graph_format_edge_list.read(path, to, err);
    if (strcmp(m->edges.format, "numpy"))
        FAIL(ST_INPUT, "%s/metadata.yaml: edges of format '%.40s' are not read; expected numpy or csv", folder,
             m->edges.format);
    TRY(npy_map(path, &pairs, err));
    builder_source(to, folder, "entry");
    st = builder_pairs(to, &pairs, false, err);
    if (st != ST_OK && strncmp(err->text, folder, strlen(folder))) err_prefix(err, "%s: ", path);
done:
    npy_release(&pairs);
    return st;
}

/* Of a set's first two entries the one with this name, else number `usual` if it has no name; -1: none. */
static int entry_of(const struct set_entries *s, const char *name, int usual)
{
    for (int i = 0; i < 2; i++)
        if (*s->array[i].path && !strcmp(s->name[i], name)) return i;
    return *s->array[usual].path && (!usual || !*s->name[usual]) ? usual : -1;
}

/* *there: the array is numpy, and its file exists; a file of seeds must. */
static enum st map_entry(const char *folder, const struct set_entries *s, int entry, bool seeds, struct npy *out,
                         bool *there, struct err *err)
{
    char path[PATH_BYTES];
    *there = false;
    if (entry < 0 || strcmp(s->array[entry].format, "numpy")) return ST_OK;
    PASS(path_below(path, folder, s->array[entry].path, folder, err));
    if (!seeds && !file_exists(path)) return ST_OK;
    PASS(npy_map(path, out, err));
    *there = true;
    if (seeds && (out->dims != 1 || out->type[0] == 'f'))
        return err_set(err, ST_INPUT, "%s: has %d dimensions and type %s; expected one list of integer ids", path,
                       out->dims, out->type);
    return ST_OK;
}

static enum st read_set(const char *folder, const struct metadata *m, enum vertex_set set, struct builder *to,
                        struct err *err)
{
    static const char *const what[VERTEX_SETS] = {"train_set of metadata.yaml", "validation_set of metadata.yaml",
                                                  "test_set of metadata.yaml"};
    const struct set_entries *s = &m->set[set];
    struct npy ids = {0}, labels = {0};
    bool seeds, labelled;
    enum st st;
    TRY(map_entry(folder, s, entry_of(s, "seeds", 0), true, &ids, &seeds, err));
    if (!seeds) goto done;
    TRY(builder_set_array(to, set, &ids, what[set], err));
    TRY(map_entry(folder, s, entry_of(s, "labels", 1), false, &labels, &labelled, err));
    if (labelled) TRY(builder_labels(to, &ids, &labels, "labels of metadata.yaml", err));
done:
    npy_release(&ids);
    npy_release(&labels);
    return st;
}

static int graphbolt_probe(const struct format_probe *p)
{
    char path[PATH_BYTES];
    struct err ignored;
    return p->directory && path_join(path, p->path, "metadata.yaml", &ignored) == ST_OK && file_exists(path) ? 95 : 0;
}

static enum st read_folder(const char *path, struct builder *to, struct err *err)
{
    char file[PATH_BYTES];
    ON_HEAP(struct metadata, m);
    PASS(path_join(file, path, "metadata.yaml", err));
    PASS(read_metadata(file, m, err));
    builder_source(to, path, "entry");
    if (m->node_types) PASS(builder_vertices(to, m->vertices, false, err));
    PASS(read_edges(path, m, to, err));
    for (int i = 0; i < VERTEX_SETS; i++) PASS(read_set(path, m, (enum vertex_set)i, to, err));
    builder_classes(to, m->classes);
    return ST_OK;
}

const struct graph_format graph_format_graphbolt = {
    .name = "graphbolt",
    .summary = "DGL GraphBolt folder: metadata.yaml with numpy or csv edges",
    .probe = graphbolt_probe,
    .read = read_folder,
};
