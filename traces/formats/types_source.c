#include "traces/formats/types_source.h"

#include <string.h>

#include "base/mem.h"
#include "base/precision.h"

void types_source_free(struct types_source *s)
{
    mem_free(s->type);
    mem_free(s->relation);
    memset(s, 0, sizeof *s);
}

enum st types_source_type(struct types_source *s, const char *name, struct types_source_type **out, struct err *err)
{
    if (strlen(name) >= GRAPH_NAME_BYTES) return err_set(err, ST_INPUT, "the type name '%.70s..' is too long", name);
    for (int t = 0; t < s->types; t++)
        if (!strcmp(s->type[t].name, name)) {
            *out = &s->type[t];
            return ST_OK;
        }
    if (s->types == GRAPH_TYPES_MAX)
        return err_set(err, ST_INPUT, "there are more than %d node types", GRAPH_TYPES_MAX);
    if (!s->type) MAKE(s->type, GRAPH_TYPES_MAX, "node types");
    *out = &s->type[s->types++];
    snprintf((*out)->name, sizeof(*out)->name, "%s", name);
    return ST_OK;
}

enum st types_source_relation(struct types_source *s, const char *source, const char *name, const char *target,
                              struct types_source_relation **out, struct err *err)
{
    const char *const names[3] = {source, name, target};
    for (int i = 0; i < 3; i++)
        if (strlen(names[i]) >= GRAPH_NAME_BYTES)
            return err_set(err, ST_INPUT, "the name '%.70s..' is too long", names[i]);
    if (s->relations == GRAPH_RELATIONS_MAX)
        return err_set(err, ST_INPUT, "there are more than %d relations", GRAPH_RELATIONS_MAX);
    if (!s->relation) MAKE(s->relation, GRAPH_RELATIONS_MAX, "relations");
    *out = &s->relation[s->relations++];
    snprintf((*out)->source, GRAPH_NAME_BYTES, "%s", source);
    snprintf((*out)->name, GRAPH_NAME_BYTES, "%s", name);
    snprintf((*out)->target, GRAPH_NAME_BYTES, "%s", target);
    return ST_OK;
}

bool types_source_triple(const char *text, const char *separator, char out[3][GRAPH_NAME_BYTES])
{
    size_t width = strlen(separator);
    for (int i = 0; i < 3; i++) {
        const char *end = i < 2 ? strstr(text, separator) : text + strlen(text);
        if (!end || end == text || (size_t)(end - text) >= GRAPH_NAME_BYTES) return false;
        memcpy(out[i], text, (size_t)(end - text));
        out[i][end - text] = '\0';
        text = i < 2 ? end + width : end;
    }
    return !strstr(out[2], separator);
}

enum st types_source_features(struct types_source_type *t, const char *path, struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    PASS(npy_map(path, &a, err));
    if (a.dims != 2 || !a.shape[0] || !a.shape[1] || !*precision_word(a.type))
        return err_set(err, ST_INPUT,
                       "%s: has %d dimensions and elements of type %s; expected rows of numbers, (vertices, elements)",
                       path, a.dims, a.type);
    if (t->count && t->count != a.shape[0])
        return err_set(err, ST_INPUT, "%s: has %llu rows, but type %s has %llu vertices", path,
                       (unsigned long long)a.shape[0], t->name, (unsigned long long)t->count);
    t->count = a.shape[0];
    t->proven = true;
    t->dim = a.shape[1];
    snprintf(t->element, sizeof t->element, "%s", precision_word(a.type));
    return ST_OK;
}
