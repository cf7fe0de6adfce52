/* plan_path.c - what a plan directory is, before its graph is known (declared in plan.h). */
#include <stdio.h>
#include <string.h>

#include "base/doc_seal.h"
#include "base/file.h"
#include "base/folder.h"
#include "simulator/lib/plan_json.h"
#include "simulator/plan/plan.h"

enum st plan_has_types(const char *path, bool *several, struct err *err)
{
    char where[PATH_BYTES];
    struct err ignored = {0};
    *several = false;
    if (path_join(where, path, "plan.json", &ignored) != ST_OK) return ST_OK;
    return doc_has_schema(where, "plan/2", several, err);
}

enum st plan_graph_path(const char *path, char out[PATH_BYTES], struct err *err)
{
    char where[PATH_BYTES];
    bool several, inference;
    OWNED_DOC doc *d = NULL;
    PASS(folder_document(where, path, "plan.json", err));
    PASS(plan_has_types(path, &several, err));
    PASS(doc_has_schema(where, "inference/1", &inference, err));
    if (inference) PASS(doc_load_sealed(where, "inference/1", &d, NULL, err));
    else if (several) PASS(doc_load_sealed(where, "plan/2", &d, NULL, err));
    else PASS(plan_json_open(where, &d, NULL, err));
    const char *said = doc_text_value(doc_get(doc_get(d, "graph"), "path"), "");
    if (!*said || strlen(said) >= PATH_BYTES)
        return err_set(err, ST_INPUT, "%s: does not state where its graph is; name it with --graph", where);
    strcpy(out, said);
    if (file_exists(out)) return ST_OK;
    PASS(path_join(where, path, "graph", err)); /* Python's save() puts a temporary graph into the plan's folder */
    if (file_exists(where)) {
        strcpy(out, where);
        return ST_OK;
    }
    if (*out == '/') return ST_OK;
    char beside[PATH_BYTES], trimmed[PATH_BYTES];
    path = path_trim(path, trimmed);
    const char *name = path_base(path); /* the folder may have moved together with the graph */
    snprintf(beside, sizeof beside, "%.*s", (int)(name - path), path);
    PASS(path_join(where, *beside ? beside : ".", said, err));
    if (!file_exists(where)) { /* or the plan is one of several in a folder */
        PASS(path_join(out, *beside ? beside : ".", "..", err));
        PASS(path_join(where, out, said, err));
    }
    if (!file_exists(where))
        return err_set(err, ST_INPUT, "%s/plan.json: its graph was at %s, which does not exist; name it with --graph",
                       path, said);
    strcpy(out, where);
    return ST_OK;
}
