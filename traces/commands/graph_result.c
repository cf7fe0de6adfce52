#include "traces/commands/graph_result.h"

#include "traces/builder/graph_info.h"

enum st graph_result_print(struct call *call, const struct graph_summary *s, struct err *err)
{
    if (!call->common.json) graph_summary_print(s, call->out);
    return call_finish(call, graph_summary_document(s), err);
}

enum st graph_result_types(struct call *call, const char *path, struct err *err)
{
    struct graph g = {0};
    struct graph_info info;
    enum st st;
    TRY(graph_open_any(path, call->threads, &g, err));
    TRY(graph_info_make(&g, false, call->threads, &info, err));
    if (!call->common.json) graph_info_print(&info, &g, call->out);
    TRY(call_finish(call, graph_info_document(&info, &g), err));
    call_say(call, "graph written to %s", path);
done:
    graph_close(&g);
    return st;
}
