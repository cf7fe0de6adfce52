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

static void leave_server(struct site *site)
{
    study_nodes_end(&site->study);
    nodes_network_release(&site->network);
    server_release(&site->own_server);
    memset(&site->network, 0, sizeof site->network);
    memset(&site->own_server, 0, sizeof site->own_server);
    site->below = (struct memories_request){0};
}

void site_free(struct site **x)
{
    if (!*x) return;
    leave_server(*x);
    graph_close(&(*x)->own_graph);
    mem_free(*x);
}

enum st site_graph(struct site *site, const char *path, const char *cache_type, struct err *err)
{
    PASS(options_kernels(site->call, &site->kernels, err));
    PASS(options_graph(path, site->call->threads, &site->own_graph, err));
    return cache_type ? cached_types_set(cache_type, site->graph, err) : ST_OK;
}

enum st site_server(struct site *site, const struct memory_args *memory, const char *name, const char *reach,
                    struct err *err)
{
    leave_server(site);
    PASS(memory_args_server(site->call, memory, name, &site->own_server, &site->network, &site->below, &site->server,
                            err));
    return server_set_reach(site->server, reach_of(reach), err);
}

enum st site_workload_given(struct site *site, const struct workload *w, struct err *err)
{
    site->workload = *w;
    return workload_attach(&site->workload, site->graph, err);
}

enum st site_workload(struct site *site, const struct workload_args *a, struct err *err)
{
    struct workload w;
    PASS(options_workload(site->call, a, site->graph, &w, err));
    site->order_auto = options_order_auto(a);
    return site_workload_given(site, &w, err);
}

enum st site_sizes(struct site *site, const struct memory_args *memory, struct err *err)
{
    return site->below.nodes ? memory_args_sizes(memory, site->graph, &site->below, err) : ST_OK;
}

enum st site_options(struct site *site, const struct study_args *a, struct err *err)
{
    study_nodes_end(&site->study);
    PASS(study_options_make(site->call, a, site->graph, site->server, site->kernels, &site->workload, &site->options,
                            err));
    site->options.order_auto = site->order_auto;
    return ST_OK;
}

enum st site_begin(struct site *site, const char *parts, const struct given_lists *lists, struct err *err)
{
    PASS(study_memories_check(site->call, &site->below, site->graph, err));
    PASS(study_nodes_begin(&site->study, &site->options, &site->below, err));
    PASS(study_take_parts(&site->study.node[0].s, parts, err));
    return lists ? study_take_lists(&site->study.node[0].s, lists, err) : ST_OK;
}

/* GPUs that train, on all nodes. */
static int gpus_of(const struct site *site) { return site->server->gpus * (site->below.nodes ? site->below.nodes : 1); }

void site_say_workload(const struct site *site, const struct workload_args *a)
{
    if (a) options_say_workload(site->call, a);
    options_say_sampler(site->call, site->kernels, site->graph, &site->workload);
}

bool site_say_batch(const struct site *site)
{
    return options_say_batch(site->call, site->server->name, gpus_of(site), (double)site->graph->train_count,
                             &site->workload);
}
