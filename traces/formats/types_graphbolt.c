/* types_graphbolt.c - data sets of DGL GraphBolt with several types: metadata.yaml, read line by line. Sections are
 * told by their indentation; an entry of a list ("- ") is one record, whose keys end at the next entry. */
#include <string.h>

#include "base/text.h"
#include "traces/builder/graph_text.h"
#include "traces/formats/types_source.h"

enum { DEPTH = 12, WORD = 512 };

/* One entry of a list: what its keys say. Nested lists (train_set's `data`) count to the entry around them. */
struct record {
    char type[WORD], path[WORD], format[WORD], domain[WORD], name[WORD];
    uint64_t num;
    bool has_num;
};

struct outline {
    struct {
        int indent;
        char key[64];
    } at[DEPTH];
    int depth;
    int entry; /* indentation of the open record; -1: none */
    char section[WORD];
    struct record r;
    const char *folder;
    struct types_source *out;
    int node_types, edge_types; /* entries that name a type */
    bool only_counting;
};

static const char *clean(char *value)
{
    value += strspn(value, " \t");
    char *hash = strstr(value, " #");
    if (hash) *hash = '\0';
    for (size_t end = strlen(value); end && strchr(" \t'\"\r", value[end - 1]); end--) value[end - 1] = '\0';
    return value + strspn(value, "'\"");
}

static enum st take_node(struct outline *o, const char *where, struct err *err)
{
    struct types_source_type *t;
    PASS(types_source_type(o->out, o->r.type, &t, err));
    if (!o->r.has_num) return err_set(err, ST_INPUT, "%s: node type '%.60s' has no num", where, o->r.type);
    t->count = o->r.num;
    return ST_OK;
}

static enum st take_edges(struct outline *o, const char *where, struct err *err)
{
    char triple[3][GRAPH_NAME_BYTES];
    struct types_source_relation *r;
    if (!types_source_triple(o->r.type, ":", triple))
        return err_set(err, ST_INPUT, "%s: the edge type '%.80s' is not source:name:target", where, o->r.type);
    if (strcmp(o->r.format, "csv") && strcmp(o->r.format, "numpy"))
        return err_set(err, ST_INPUT, "%s: edges of format '%.40s' are not read; expected numpy or csv", where,
                       o->r.format);
    PASS(types_source_relation(o->out, triple[0], triple[1], triple[2], &r, err));
    r->csv = !strcmp(o->r.format, "csv");
    return path_below(r->path, o->folder, o->r.path, where, err);
}

/* Rows of a node type named feat, or the only ones: their shape. */
static enum st take_feature(struct outline *o, const char *where, struct err *err)
{
    struct types_source_type *t;
    char path[PATH_BYTES];
    if (strcmp(o->r.domain, "node") || strcmp(o->r.format, "numpy") || !*o->r.type) return ST_OK;
    PASS(types_source_type(o->out, o->r.type, &t, err));
    if (t->dim && strcmp(o->r.name, "feat")) return ST_OK;
    PASS(path_below(path, o->folder, o->r.path, where, err));
    return types_source_features(t, path, err);
}

static enum st take_train(struct outline *o, const char *where, struct err *err)
{
    struct types_source_type *t;
    if (strcmp(o->r.format, "numpy") || !*o->r.path || !*o->r.type) return ST_OK;
    PASS(types_source_type(o->out, o->r.type, &t, err));
    return path_below(t->train, o->folder, o->r.path, where, err);
}

/* Ends the open record. */
static enum st take_record(struct outline *o, const char *where, struct err *err)
{
    enum st st = ST_OK;
    bool nodes = !strcmp(o->section, "graph.nodes"), edges = !strcmp(o->section, "graph.edges");
    if (o->entry < 0) return ST_OK;
    o->node_types += nodes && *o->r.type;
    o->edge_types += edges && *o->r.type;
    if (!o->only_counting) {
        if (nodes) st = take_node(o, where, err);
        else if (edges) st = take_edges(o, where, err);
        else if (!strcmp(o->section, "feature_data")) st = take_feature(o, where, err);
        else if (!strcmp(o->section, "train_set")) st = take_train(o, where, err);
    }
    o->entry = -1;
    memset(&o->r, 0, sizeof o->r);
    return st;
}

/* The section that the open keys stand for: the record's kind. */
static void set_section(struct outline *o)
{
    *o->section = '\0';
    for (int i = 0; i < o->depth; i++) {
        const char *key = o->at[i].key;
        if (!strcmp(key, "nodes") || !strcmp(key, "edges")) snprintf(o->section, sizeof o->section, "graph.%s", key);
        if (!strcmp(key, "feature_data") || !strcmp(key, "train_set"))
            snprintf(o->section, sizeof o->section, "%s", key);
        if (!strcmp(key, "validation_set") || !strcmp(key, "test_set")) *o->section = '\0';
    }
}

static enum st take_value(struct outline *o, const char *key, const char *value, const char *where, uint64_t line,
                          struct err *err)
{
    const struct {
        const char *key;
        char *to;
    } words[] = {{"type", o->r.type},
                 {"path", o->r.path},
                 {"format", o->r.format},
                 {"domain", o->r.domain},
                 {"name", o->r.name}};
    const char *p = value;
    enum text_kind kind;
    bool taken = !strcmp(o->section, "train_set") && *o->r.path; /* of several columns the first holds the seeds */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(key, words[i].key) && (!taken || !strcmp(key, "type"))) snprintf(words[i].to, WORD, "%s", value);
    if (strcmp(key, "num")) return ST_OK;
    kind = text_take(&p, &o->r.num);
    if (kind != TEXT_NUMBER) return text_error(kind, where, line, value, "a number of nodes", err);
    o->r.has_num = true;
    return ST_OK;
}

static enum st take_line(void *self, const char *where, uint64_t number, char *line, struct err *err)
{
    struct outline *o = self;
    int indent = (int)strspn(line, " ");
    char *text = line + indent, *colon;
    bool begins = false;
    while (text_starts(text, "- ")) {
        begins = true;
        text += 2;
        while (*text == ' ') text++;
    }
    colon = strchr(text, ':');
    if (!*text || *text == '#' || !colon) return ST_OK;
    if (o->entry >= 0 && (indent < o->entry || (begins && indent == o->entry) || (!begins && indent == o->entry)))
        PASS(take_record(o, where, err));
    while (o->depth && o->at[o->depth - 1].indent > indent) o->depth--;
    while (o->depth && !begins && o->at[o->depth - 1].indent == indent) o->depth--;
    set_section(o);
    if (begins && o->entry < 0 && *o->section) o->entry = indent;
    *colon = '\0';
    const char *value = clean(colon + 1);
    if (*value && *value != '#') {
        if (o->entry >= 0) PASS(take_value(o, text, value, where, number, err));
        return ST_OK;
    }
    if (begins || o->entry >= 0) return ST_OK; /* a list within a record */
    if (o->depth == DEPTH)
        return err_set(err, ST_INPUT, "%s: line %llu is nested deeper than %d levels", where,
                       (unsigned long long)number, DEPTH);
    o->at[o->depth].indent = indent;
    snprintf(o->at[o->depth++].key, sizeof o->at[0].key, "%s", text);
    return ST_OK;
}

static enum st read_yaml(const char *path, struct outline *o, struct err *err)
{
    char file[PATH_BYTES];
    o->entry = -1;
    o->folder = path;
    PASS(path_join(file, path, "metadata.yaml", err));
    PASS(text_each_line(file, take_line, o, err));
    return take_record(o, file, err);
}

static bool types_graphbolt_probe(const char *path)
{
    char file[PATH_BYTES];
    struct outline o = {.only_counting = true};
    struct err ignored = {0};
    return path_join(file, path, "metadata.yaml", &ignored) == ST_OK && file_exists(file) &&
           read_yaml(path, &o, &ignored) == ST_OK && (o.node_types > 1 || o.edge_types > 1);
}

static enum st read_folder(const char *path, struct types_source *out, struct err *err)
{
    struct outline o = {.out = out};
    return read_yaml(path, &o, err);
}

const struct types_format types_format_graphbolt = {"graphbolt",
                                                    "DGL GraphBolt folder: metadata.yaml with a type per list of nodes "
                                                    "and edges",
                                                    types_graphbolt_probe, read_folder};
