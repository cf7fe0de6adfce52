#include "simulator/lib/plan_json.h"

#include <string.h>

#include "base/doc_seal.h"

enum st plan_json_open(const char *where, doc **out, bool *sealed, struct err *err)
{
    bool nodes = false;
    PASS(doc_has_schema(where, "plan-nodes/1", &nodes, err));
    if (nodes)
        return err_set(err, ST_INPUT,
                       "%s: is a plan of several nodes; name the plan of one of them, node0 in the same folder and so "
                       "on",
                       where);
    return doc_load_sealed(where, "plan/1", out, sealed, err);
}

const doc *plan_json_file(const doc *plan, const char *name)
{
    const doc *files = doc_get(plan, "files");
    for (uint64_t i = 0; i < doc_size(files); i++)
        if (!strcmp(doc_text_value(doc_get(doc_at(files, i), "name"), ""), name)) return doc_at(files, i);
    return NULL;
}

enum st plan_json_groups(const doc *gpus, const doc *cliques, const char *where, struct assignment *out,
                         struct err *err)
{
    doc *ids = doc_array(), *groups = doc_array();
    for (uint64_t i = 0; i < doc_size(gpus) && i <= GPUS_MAX; i++) /* one too many is enough to be refused */
        doc_append(ids, doc_integer(doc_integer_value(doc_get(doc_at(gpus, i), "id"), -1)));
    for (uint64_t i = 0; i < doc_size(cliques) && i <= GPUS_MAX; i++) {
        doc *list = doc_get(doc_at(cliques, i), "gpus");
        doc_append(groups, list ? doc_copy(list) : doc_array());
    }
    enum st st = assignment_read_groups(ids, groups, where, out, err);
    doc_free(ids);
    doc_free(groups);
    return st;
}
