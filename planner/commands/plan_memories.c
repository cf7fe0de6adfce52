#include "planner/commands/plan_memories.h"

#include "base/ranks.h"
#include "planner/study/nodes_plan.h"

enum st plan_memories_open(const struct call *call, const struct memory_args *a, const char *name, struct server *own,
                           struct nodes_network *network, struct memories_request *below, struct server **out,
                           struct err *err)
{
    enum st st = ST_OK;
    *out = a->cluster ? &network->cluster.server : own;
    if (!memory_args_given(call)) return server_load(name, own, err);
    if (ranks_count() > 1)
        FAIL(ST_USAGE, "memories below GPUs are planned by one process; start it without mpirun, or leave "
                       "--host-memory, --ssd and --nodes out");
    return memory_args_open(call, a, name, own, network, below, err);
done:
    return st;
}

struct memories plan_memories_of(const struct study_options *o, const struct memories_request *r)
{
    return (struct memories){.request = *r, .graph = o->graph, .kernels = o->kernels, .threads = o->threads};
}

enum st plan_memories_nodes(struct call *call, const char *output, const struct study_options *o,
                            const struct study_cell *cell, const struct memories_request *below, struct err *err)
{
    static const char *const of_one[] = {"trace", "from-lists", "for", "parts", "features", "scratch"};
    enum st st = ST_OK;
    struct study_nodes x = {0};
    struct memories m = plan_memories_of(o, below);
    doc *result = NULL;
    for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++)
        if (call_given(call, of_one[i]))
            FAIL(ST_USAGE, "--%s: is of one node; leave it out, or plan without --nodes and --cluster", of_one[i]);
    TRY(study_nodes_make(o, cell, below->nodes, o->partition, &x, err));
    TRY(nodes_plan_make(&x, &m, err));
    TRY(nodes_plan_save(&x, &m, output, &result, err));
    if (!call->common.json) nodes_plan_print(result, call->out);
    doc *d = result;
    result = NULL;
    TRY(call_finish(call, d, err));
    call_say(call, "a plan for each of %d nodes written to %s", below->nodes, output);
done:
    doc_free(result);
    memories_release(&m);
    study_nodes_release(&x);
    return st;
}
