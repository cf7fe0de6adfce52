#include "planner/options/site.h"

#include <string.h>

#include "base/mem.h"
#include "planner/engine/study_deal.h"
#include "planner/options/cached_types.h"

enum st site_new(struct call *call, struct site **out, struct err *err)
{
    struct site *made;
    MAKE(made, 1, "what is planned for");
    made->call = call;
    made->graph = &made->own_graph;
    *out = made;
    return ST_OK;
}

static void leave_server(struct site *x)
{
    study_nodes_end(&x->study);
    nodes_network_release(&x->network);
    server_release(&x->own_server);
    memset(&x->network, 0, sizeof x->network);
    memset(&x->own_server, 0, sizeof x->own_server);
    x->below = (struct memories_request){0};
}

void site_free(struct site **x)
{
    if (!*x) return;
    leave_server(*x);
    graph_close(&(*x)->own_graph);
    mem_free(*x);
}

enum st site_graph(struct site *x, const char *path, const char *cache_type, struct err *err)
{
    PASS(options_kernels(x->call, &x->kernels, err));
    PASS(options_graph(path, x->call->threads, &x->own_graph, err));
    return cache_type ? cached_types_set(cache_type, x->graph, err) : ST_OK;
}

enum st site_server(struct site *x, const struct memory_args *memory, const char *name, const char *reach,
                    struct err *err)
{
    leave_server(x);
    PASS(memory_args_server(x->call, memory, name, &x->own_server, &x->network, &x->below, &x->server, err));
    return server_set_reach(x->server, reach_of(reach), err);
}

enum st site_workload_given(struct site *x, const struct workload *w, struct err *err)
{
    x->workload = *w;
    return workload_attach(&x->workload, x->graph, err);
}

enum st site_workload(struct site *x, const struct workload_args *a, struct err *err)
{
    struct workload w;
    PASS(options_workload(x->call, a, x->graph, &w, err));
    x->order_auto = options_order_auto(a);
    return site_workload_given(x, &w, err);
}

enum st site_sizes(struct site *x, const struct memory_args *memory, struct err *err)
{
    return x->below.nodes ? memory_args_sizes(memory, x->graph, &x->below, err) : ST_OK;
}

enum st site_options(struct site *x, const struct study_args *a, struct err *err)
{
    study_nodes_end(&x->study);
    PASS(study_options_make(x->call, a, x->graph, x->server, x->kernels, &x->workload, &x->options, err));
    x->options.order_auto = x->order_auto;
    return ST_OK;
}

enum st site_begin(struct site *x, const char *parts, const struct given_lists *lists, struct err *err)
{
    PASS(study_memories_check(x->call, &x->below, x->graph, err));
    PASS(study_nodes_begin(&x->study, &x->options, &x->below, err));
    PASS(study_take_parts(&x->study.node[0].s, parts, err));
    return lists ? study_take_lists(&x->study.node[0].s, lists, err) : ST_OK;
}

/* GPUs that train, on all nodes. */
static int gpus_of(const struct site *x) { return x->server->gpus * (x->below.nodes ? x->below.nodes : 1); }

void site_say_workload(const struct site *x, const struct workload_args *a)
{
    if (a) options_say_fanout(x->call, a);
    options_say_sampler(x->call, x->kernels, x->graph, &x->workload);
}

bool site_say_batch(const struct site *x)
{
    return options_say_batch(x->call, x->server->name, gpus_of(x), (double)x->graph->train_count, &x->workload);
}
