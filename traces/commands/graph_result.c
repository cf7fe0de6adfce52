#include "traces/commands/graph_result.h"

#include "base/doc.h"
#include "base/file.h"
#include "base/units.h"
#include "traces/builder/graph_info.h"

enum st graph_result_print(struct call *call, const struct graph_summary *s, struct err *err)
{
    if (!call->common.json) graph_summary_print(s, call->out);
    return call_finish(call, graph_summary_document(s), err);
}

enum st graph_result_types(struct call *call, const char *path, struct err *err)
{
    OWNED_BY(graph_close) struct graph g = {0};
    struct graph_info info;
    PASS(graph_open_any(path, call->threads, &g, err));
    PASS(graph_info_make(&g, false, call->threads, &info, err));
    if (!call->common.json) graph_info_print(&info, &g, call->out);
    PASS(call_finish(call, graph_info_document(&info, &g), err));
    call_say(call, "graph written to %s", path);
    return ST_OK;
}

void graph_say_replaced(const struct call *call, const char *path)
{
    char where[PATH_BYTES], vertices[UNIT_TEXT], arcs[UNIT_TEXT], size[2 * UNIT_TEXT + 32] = "several node types";
    struct err ignored = {0};
    doc *d = NULL;
    if (path_join(where, path, "graph.json", &ignored) != ST_OK || !file_exists(where) ||
        doc_load(where, NULL, &d, &ignored) != ST_OK)
        return;
    if (doc_is_integer(doc_get(d, "vertices")))
        snprintf(size, sizeof size, "%s vertices, %s arcs",
                 units_count(vertices, (uint64_t)doc_integer_value(doc_get(d, "vertices"), 0)),
                 units_count(arcs, (uint64_t)doc_integer_value(doc_get(d, "edges"), 0)));
    call_say(call, "%s: the graph there is replaced once this one is written: %s, %s, from %s", path,
             doc_text_value(doc_get(d, "name"), "?"), size, doc_text_value(doc_get(d, "origin"), "?"));
    doc_free(d);
}
