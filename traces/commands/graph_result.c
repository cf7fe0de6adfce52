#include "traces/commands/graph_result.h"

#include "traces/builder/graph_info.h"

enum st graph_result_print(struct call *call, const struct graph_summary *s, struct err *err)
{
    if (call_prints(call)) graph_summary_print(s, call->out);
    return call_finish(call, graph_summary_document(s), err);
}

enum st graph_result_types(struct call *call, const char *path, struct err *err)
{
    OWNED_BY(graph_close) struct graph g = {0};
    struct graph_info info;
    PASS(graph_open_any(path, call->threads, &g, err));
    PASS(graph_info_make(&g, false, call->threads, &info, err));
    if (call_prints(call)) graph_info_print(&info, &g, call->out);
    PASS(call_finish(call, graph_info_document(&info, &g), err));
    call_say(call, "graph written to %s", path);
    return ST_OK;
}
