#include "hwprofiles/commands/server_result.h"

#include "hwprofiles/show/server_print.h"

enum st server_result_print(struct call *call, const struct server *s, bool explain, struct err *err)
{
    if (call->common.json) return call_finish(call, doc_copy(s->document), err);
    server_print(s, explain, call->out);
    return call_finish(call, NULL, err);
}
