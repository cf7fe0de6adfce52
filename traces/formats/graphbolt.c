/* graphbolt.c - data sets of DGL GraphBolt: a folder with metadata.yaml that names one list of edges (numpy (2, m), or
 * csv) and usually the ids of a training set (numpy). Only homogeneous graphs. The yaml is read line by line: sections
 * by indentation, a value after a colon. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "traces/builder/builder.h"
#include "traces/formats/graph_format.h"
#include "traces/builder/graph_text.h"

extern const struct graph_format graph_format_edge_list;

enum { DEPTH = 12, WORD = 512 };

/* What metadata.yaml states. */
struct metadata {
    uint64_t vertices;
    int edge_lists, node_types;
    char format[WORD], path[WORD], train[WORD], train_format[WORD];
};

/* The document while it is read: the open sections, outermost first, and what was found. */
struct outline {
    struct {
        int indent;
        char key[64];
    } at[DEPTH];
    int depth;
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

static enum st take_value(const struct outline *o, const char *key, const char *value, struct metadata *m,
                          const char *where, uint64_t line, struct err *err)
{
    bool graph = inside(o, "graph"), edges = graph && inside(o, "edges"),
         train = inside(o, "tasks") && inside(o, "train_set");
    if (graph && inside(o, "nodes") && !strcmp(key, "num")) {
        const char *p = value;
        enum text_kind kind = text_take(&p, &m->vertices);
        if (kind != TEXT_NUMBER) return text_error(kind, where, line, value, "a number of nodes", err);
        m->node_types++;
    }
    if (edges && !strcmp(key, "format")) snprintf(m->format, sizeof m->format, "%s", value);
    if (edges && !strcmp(key, "path")) {
        snprintf(m->path, sizeof m->path, "%s", value);
        m->edge_lists++;
    }
    if (train && !strcmp(key, "format") && !*m->train) snprintf(m->train_format, sizeof m->train_format, "%s", value);
    if (train && !strcmp(key, "path") && !*m->train) snprintf(m->train, sizeof m->train, "%s", value);
    return ST_OK;
}

static enum st take_line(void *self, const char *where, uint64_t number, char *line, struct err *err)
{
    struct outline *o = self;
    int indent = (int)strspn(line, " ");
    char *text = line + indent, *colon;
    while (text_starts(text, "- ")) { /* a list's entry opens one level deeper */
        text += 2;
        indent += 2;
        while (*text == ' ') text++, indent++;
    }
    colon = strchr(text, ':');
    if (!*text || *text == '#' || !colon) return ST_OK;
    *colon = '\0';
    while (o->depth && o->at[o->depth - 1].indent >= indent) o->depth--;
    char *value = clean(colon + 1);
    if (*value && *value != '#') return take_value(o, text, value, o->found, where, number, err);
    if (o->depth == DEPTH)
        return err_set(err, ST_INPUT, "%s: line %" PRIu64 " is nested deeper than %d levels", where, number, DEPTH);
    o->at[o->depth].indent = indent;
    snprintf(o->at[o->depth++].key, sizeof o->at[0].key, "%s", text);
    return ST_OK;
}

static enum st read_metadata(const char *path, struct metadata *m, struct err *err)
{
    struct outline o = {.found = m};
    enum st st;
    TRY(text_each_line(path, take_line, &o, err));
    if (m->edge_lists != 1 || m->node_types > 1)
        FAIL(ST_INPUT, "%s: names %d lists of edges and %d types of nodes; only graphs with one of each are read", path,
             m->edge_lists, m->node_types);
done:
    return st;
}

static enum st read_edges(const char *folder, const struct metadata *m, struct builder *to, struct err *err)
{
    char path[PATH_BYTES];
    struct npy pairs = {0};
    enum st st;
    TRY(path_join(path, folder, m->path, err));
    if (!strcmp(m->format, "csv")) return graph_format_edge_list.read(path, to, err);
    if (strcmp(m->format, "numpy"))
        FAIL(ST_INPUT, "%s/metadata.yaml: edges of format '%.40s' are not read; expected numpy or csv", folder,
             m->format);
    TRY(npy_map(path, &pairs, err));
    builder_source(to, folder, "entry");
    st = builder_pairs(to, &pairs, false, err);
    if (st != ST_OK && strncmp(err->text, folder, strlen(folder))) err_prefix(err, "%s: ", path);
done:
    npy_release(&pairs);
    return st;
}

static enum st read_train(const char *folder, const struct metadata *m, struct builder *to, struct err *err)
{
    char path[PATH_BYTES];
    struct npy ids = {0};
    enum st st;
    if (!*m->train || strcmp(m->train_format, "numpy")) return ST_OK;
    TRY(path_join(path, folder, m->train, err));
    TRY(npy_map(path, &ids, err));
    if (ids.dims != 1 || ids.type[0] == 'f')
        FAIL(ST_INPUT, "%s: has %d dimensions and type %s; expected one list of integer ids", path, ids.dims, ids.type);
    TRY(builder_train_array(to, &ids, "train_set of metadata.yaml", err));
done:
    npy_release(&ids);
    return st;
}

static int probe(const struct format_probe *p)
{
    char path[PATH_BYTES];
    struct err ignored;
    return p->directory && path_join(path, p->path, "metadata.yaml", &ignored) == ST_OK && file_exists(path) ? 95 : 0;
}

static enum st read_folder(const char *path, struct builder *to, struct err *err)
{
    char file[PATH_BYTES];
    struct metadata m = {.vertices = 0};
    enum st st;
    TRY(path_join(file, path, "metadata.yaml", err));
    TRY(read_metadata(file, &m, err));
    builder_source(to, path, "entry");
    if (m.node_types) TRY(builder_vertices(to, m.vertices, false, err));
    TRY(read_edges(path, &m, to, err));
    TRY(read_train(path, &m, to, err));
done:
    return st;
}

const struct graph_format graph_format_graphbolt = {
    .name = "graphbolt",
    .summary = "DGL GraphBolt folder: metadata.yaml with numpy or csv edges",
    .probe = probe,
    .read = read_folder,
};
