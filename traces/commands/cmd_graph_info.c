/* hotset graph info - counts, degrees, bytes and fingerprint of a graph. */
#include <stddef.h>

#include "base/cmd.h"
#include "traces/builder/graph_info.h"
#include "traces/graph/graph.h"

struct info_args {
    bool verify;
};

static const struct param info_params[] = {
    OPTION_FLAG("verify", struct info_args, verify,
                "Compute the fingerprint again; exit code 1 when it differs. Fingerprints of other programs cannot be "
                "compared."),
    {0},
};

static enum st run_info(struct call *call, struct err *err)
{
    const struct info_args *a = call->args;
    OWNED_BY(graph_close) struct graph g = {0};
    struct graph_info info;
    stage_begin(&call->stages, "read");
    PASS(graph_open_unhashed(call->words[0], call->threads, &g, err));
    PASS(graph_info_make(&g, a->verify, call->threads, &info, err));
    stage_end(&call->stages);
    if (call_prints(call)) graph_info_print(&info, &g, call->out);
    PASS(call_finish(call, graph_info_document(&info, &g), err));
    if (info.check == CHECK_FOREIGN)
        call_say(call,
                 "%s: graph.json has no fingerprint computed by hotset, so there is nothing to compare; the arrays "
                 "give %s",
                 g.path, info.computed);
    if (info.check == CHECK_DIFFERS)
        return err_set(err, ST_NO,
                       "%s: the fingerprint in graph.json is %s, the arrays give %s; the graph was changed after it "
                       "was made",
                       g.path, g.fingerprint, info.computed);
    return ST_OK;
}

extern const struct command cmd_graph_info;
const struct command cmd_graph_info = {
    .group = "graph",
    .name = "info",
    .summary = "show counts, degrees, bytes and fingerprint of a graph",
    .arguments = "G",
    .about = "Row length: the number of neighbours that a vertex samples from. Times listed: the number of rows\n"
             "that contain a vertex; feature rows of vertices that are listed often are hot.",
    .examples = "hotset graph info demo\nhotset graph info demo --verify   # are the arrays still what was imported?",
    .params = info_params,
    .args_size = sizeof(struct info_args),
    .words_low = 1,
    .words_high = 1,
    .run = run_info,
};
