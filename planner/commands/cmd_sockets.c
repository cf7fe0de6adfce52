/* hotset sockets - which socket's DRAM holds which row, and what crosses the link between sockets. */
#include <string.h>

#include "base/mem.h"
#include "hwprofiles/model/server_places.h"
#include "planner/commands/storage_work.h"
#include "planner/places/memory_args.h"
#include "planner/places/socket_document.h"
#include "planner/options/input_options.h"

struct sockets_work {
    struct storage_work base;
    struct socket_request request;
    struct socket_plan layout;
    struct places_counts counts[SOCKET_WAYS];
    struct socket_result result;
};

/* Adds a socket's number to the ascending list. ST_NO when there are too many. */
static enum st add_socket(struct sockets_work *w, int number, struct err *err)
{
    int *list = w->request.number, n = w->request.sockets, at = n;
    for (int i = 0; i < n; i++)
        if (list[i] == number) return ST_OK;
    if (n == SOCKETS_MAX)
        return err_set(err, ST_NO, "%s has more than %d sockets; take a description by packages, not by NUMA nodes",
                       w->base.server.name, SOCKETS_MAX);
    for (; at > 0 && list[at - 1] > number; at--) list[at] = list[at - 1];
    list[at] = number;
    w->request.sockets++;
    return ST_OK;
}

/* The sockets that hold DRAM or have a GPU of the plan below them. */
static enum st find_sockets(struct sockets_work *w, struct err *err)
{
    const struct server *s = &w->base.server;
    const struct assignment *a = &w->base.plan.assignment;
    if (!w->base.server_known)
        return err_set(err, ST_USAGE,
                       "server %s of the plan is neither a file nor a shipped profile; give it with --server",
                       w->base.plan.server_name);
    for (int i = 0; i < s->places.numas; i++)
        if (s->places.numa[i].socket >= 0) PASS(add_socket(w, s->places.numa[i].socket, err));
    for (int g = 0; g < a->gpus; g++) {
        int at = server_position_of(s, a->id[g]), socket = at < 0 ? -1 : s->gpu[at].socket;
        if (at < 0)
            return err_set(err, ST_USAGE, "%s has no GPU %d, which the plan has; give the plan's server with --server",
                           s->name, a->id[g]);
        if (socket < 0)
            return err_set(err, ST_NO,
                           "%s does not state the socket of GPU %d; state it (\"socket\"), or import the server from "
                           "hwloc or NCCL",
                           s->name, a->id[g]);
        PASS(add_socket(w, socket, err));
    }
    if (w->request.sockets < 2)
        return err_set(err, ST_NO, "%s has one socket, so all of its DRAM is equally near; nothing is to be placed",
                       s->name);
    for (int g = 0; g < a->gpus; g++)
        for (int k = 0; k < w->request.sockets; k++)
            if (w->request.number[k] == s->gpu[server_position_of(s, a->id[g])].socket) w->request.socket_of[g] = k;
    return ST_OK;
}

/* --host-memory in equal parts; without it 90 % of what each socket has. */
static enum st find_capacities(const struct storage_args *a, struct sockets_work *w, struct err *err)
{
    uint64_t parts = (uint64_t)w->request.sockets;
    bool all = !a->memory;
    for (int s = 0; s < w->request.sockets; s++)
        all = all && places_socket_memory(&w->base.server.places, w->request.number[s]);
    if (!all) PASS(storage_work_memory(a->memory, &w->base, err));
    w->result.host_bytes = 0;
    for (int s = 0; s < w->request.sockets; s++) {
        w->request.capacity[s] = all ? places_socket_memory(&w->base.server.places, w->request.number[s]) / 10 * 9
                                     : w->base.result.host_bytes / parts;
        w->result.host_bytes += w->request.capacity[s];
    }
    return ST_OK;
}

static enum st lay_out(struct call *call, const struct kernels *k, struct sockets_work *w, struct err *err)
{
    struct replay_request held = storage_work_held_out(call, &w->base);
    w->request.reads = (struct place_source){.graph = &w->base.graph,
                                             .plan = &w->base.plan,
                                             .trace = &w->base.trace,
                                             .kernels = k,
                                             .threads = call->threads,
                                             .line_bytes = w->base.line_bytes};
    stage_begin(&call->stages, "rows on sockets");
    PASS(socket_plan_make(&w->request, &w->layout, err));
    stage_end(&call->stages);
    stage_begin(&call->stages, "simulation");
    PASS(places_replay(&held, &w->base.plan.placement, (const struct plan_places *const *)w->layout.way, SOCKET_WAYS,
                       w->counts, err));
    stage_end(&call->stages);
    w->result.epochs = held.epochs;
    w->result.seed = held.seed;
    return ST_OK;
}

static void fill_result(const struct call *call, struct sockets_work *w)
{
    const struct storage_args *a = call->args;
    struct socket_result *r = &w->result;
    r->plan_path = call->words[0];
    r->plan = &w->base.plan;
    r->graph = &w->base.graph;
    r->server = &w->base.server;
    r->request = &w->request;
    r->layout = &w->layout;
    r->counts = w->counts;
    for (int i = 0; i < SOCKET_WAYS; i++)
        if (!strcmp(a->order, socket_way_name((enum socket_way)i))) r->chosen = (enum socket_way)i;
}

static enum st run(struct call *call, struct err *err)
{
    const struct storage_args *a = call->args;
    enum st st;
    struct sockets_work *w = NULL;
    const struct kernels *k;
    OWNED_DOC doc *d = NULL;
    NEW(w, 1, "the sockets of a host");
    w->base.document = "sockets.json";
    w->base.most_percent = 100 * SOCKETS_MAX;
    TRY(storage_work_open(call, &w->base, err));
    w->base.line_bytes = w->base.plan.line_bytes;
    TRY(find_sockets(w, err));
    TRY(find_capacities(a, w, err));
    TRY(options_kernels(call, &k, err));
    TRY(storage_work_record(call, k, &w->base, err));
    TRY(lay_out(call, k, w, err));
    fill_result(call, w);
    d = socket_document(&w->result);
    if (a->output) TRY(socket_save(&w->result, a->output, d, err));
    if (!call->common.json) socket_print(d, call->out);
    if (a->output) call_say(call, "rows of each socket (%s) written to %s", a->order, a->output);
    TRY(call_finish(call, TAKE(d), err));
done:
    if (w) {
        socket_plan_release(&w->layout);
        storage_work_release(&w->base);
    }
    mem_free(w);
    return st;
}

static const struct param params[] = {
    OPTION_HOST_MEMORY(struct storage_args, memory, "SIZE", " [default: 90 % of the server's]"),
    OPTION_WORD("how", 0, struct storage_args, order, "WAY", "place", "interleave|replicate|place",
                "Which way --output writes."),
    OPTION_OUTPUT(struct storage_args, output, "S", NULL,
                  "Directory to write: sockets.json, and the rows that each socket holds."),
    OPTION_GRAPH(struct storage_args, graph, PLAN_GRAPH),
    OPTION_SERVER(struct storage_args, server, "S", NULL, PLAN_SERVER),
    OPTION_PRESAMPLE_EPOCHS(struct storage_args, presample_epochs, NULL, 0, PLAN_EPOCHS),
    OPTION_HELD_OUT_EPOCHS(struct storage_args, epochs, NULL, 0, MANY_EPOCHS),
    {0},
};

static const char about[] =
    "A host with two sockets has two memories: a GPU reads the DRAM of its own socket at once, that of\n"
    "the other over the link between them. This command takes a plan, records what its GPUs still ask\n"
    "the host for, and lays the rows of topology and features out in three ways: interleave (pages in\n"
    "turn, as numactl --interleave), replicate (the hottest rows on all sockets, the rest interleaved),\n"
    "and place (every row on the socket whose GPUs read it most, then copies in the room that is left).\n"
    "Held-out epochs count the bytes that cross, in lines of the server's cls bytes. Link times need\n"
    "\"socket_links\" in the server, DRAM times the rate of \"numa\" nodes or host_memory_gbps.\n"
    "--host-memory above 100% leaves room for copies. Rows are not split, so 100% is too little: up to\n"
    "one row per further socket must fit besides.";

extern const struct command cmd_sockets;
const struct command cmd_sockets = {.name = "sockets",
                                    .stage = COMMAND_PLAN,
                                    .rank = 10,
                                    .summary = "plan which socket's memory holds which row, and count what crosses "
                                               "between sockets",
                                    .arguments = "P [--host-memory SIZE] [-o S] [options]",
                                    .params = params,
                                    .usual = "host-memory how output graph server epochs",
                                    .each_node = true,
                                    .args_size = sizeof(struct storage_args),
                                    .words_low = 1,
                                    .words_high = 1,
                                    .run = run,
                                    .about = about,
                                    .examples = "  hotset sockets P                                # the three ways\n"
                                                "  hotset sockets P --host-memory 130% -o S        # copies in 30 % "
                                                "more\n"
                                                "  hotset sockets P --how replicate --server my.json -o S"};
