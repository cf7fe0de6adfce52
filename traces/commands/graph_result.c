#include "traces/commands/graph_result.h"

enum st graph_result_print(struct call *call, const struct graph_summary *s, struct err *err)
{
    if (!call->common.json) graph_summary_print(s, call->out);
    return call_finish(call, graph_summary_document(s), err);
}
