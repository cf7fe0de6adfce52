/* hotset drift - how plans age while the training set changes, and what keeping up costs. */
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "planner/commands/elsewhere.h"
#include "planner/running/drift.h"
#include "planner/options/site.h"
#include "planner/running/refresh.h"

struct drift_args {
    const char *graph, *server, *budget, *move_budget, *cache_type, *output;
    int64_t windows, width, epochs;
    double share;
    struct workload_args workload;
    struct memory_args memory;
    struct study_args study;
};

static enum st set(struct call *call, const struct drift_args *a, const struct graph *g, struct drift_options *d,
                   struct err *err)
{
    struct budget move;
    PASS(budget_parse(a->budget, false, "--budget", &d->budget, err));
    PASS(budget_parse(a->move_budget, false, "--move-budget", &move, err));
    PASS(budget_check_unit(&move, "--move-budget", g, err));
    d->move_bytes = budget_of_graph(&move, g);
    d->share = a->share;
    d->epochs = (uint64_t)a->epochs;
    d->study.stages = NULL;
    d->study.progress = false;
    if (a->width && call_given(call, "windows"))
        return err_set(err, ST_USAGE, "--window-width: says how many windows there are; leave --windows out");
    PASS(drift_windows_make(g, (int)a->windows, a->width, &d->windows, err));
    if (d->windows.timed && call_given(call, "window-share"))
        return err_set(err, ST_USAGE,
                       "--window-share: belongs to graphs without times; windows of %s come from its times", g->path);
    return ST_OK;
}

/* What lies below the GPUs in every window. */
static enum st set_below(struct call *call, const struct memory_args *memory, const struct graph *g,
                         struct drift_options *d, struct err *err)
{
    if (!d->below.nodes) return ST_OK;
    PASS(memory_args_sizes(memory, g, &d->below, err));
    if (graph_plain(g)) call_say(call, "%s", drift_left_out);
    return study_memories_check(call, &d->below, g, err);
}

static enum st run_drift(struct call *call, struct err *err)
{
    const struct drift_args *a = call->args;
    OWNED_SITE struct site *site = NULL;
    OWNED_NEW(struct drift_options, d, 1, "options of windows");
    OWNED_DOC doc *result = NULL;
    if (!(a->share > 0 && a->share <= 1))
        return err_set(err, ST_USAGE, "--window-share: expected a share above 0 and up to 1");
    if (a->output) PASS(output_check(a->output, "drift/1", err));
    PASS(site_new(call, &site, err));
    PASS(site_graph(site, a->graph, a->cache_type, err));
    PASS(site_server(site, &a->memory, a->server, a->study.reach, err));
    PASS(site_workload(site, &a->workload, err));
    PASS(site_options(site, &a->study, err));
    site->options.order_auto = false;
    d->study = site->options;
    d->study.sampling = SAMPLES_GPU; /* rows of plans whose GPUs sample are exchanged (refresh_check) */
    d->below = site->below;
    PASS(set(call, a, site->graph, d, err));
    PASS(set_below(call, &a->memory, site->graph, d, err));
    PASS(options_budget(call, &d->budget, site->server, site->graph, &d->study.reservation, err));
    stage_begin(&call->stages, "drift");
    PASS(drift_run(d, &result, err));
    stage_end(&call->stages);
    if (call_prints(call)) drift_print(result, call->out);
    if (a->output) {
        PASS(doc_save(result, a->output, err));
        call_say(call, "results written to %s", a->output);
    }
    return call_finish(call, TAKE(result), err);
}

static const struct param params[] = {
    OPTION_GRAPH(struct drift_args, graph, ""),
    OPTION_SERVER(struct drift_args, server, "S", NULL, ""),
    OPTION_BUDGET(struct drift_args, budget, "SIZE", "5%", ""),
    OPTION_INTEGER("windows", 0, struct drift_args, windows, "N", "20", 2, DRIFT_WINDOWS_MOST,
                   "Windows: of equally many arcs in the order of time, else of training vertices."),
    OPTION_INTEGER("window-width", 0, struct drift_args, width, "T", "0", 0, INT64_MAX,
                   "Windows of so much time instead, in the unit of the graph's times (86400: days, of seconds); 0: "
                   "none."),
    OPTION_RENAMED("epochs", "window-epochs"),
    OPTION_INTEGER("window-epochs", 0, struct drift_args, epochs, "N", "10", 1, REFRESH_EPOCHS_MOST,
                   "Epochs that a window trains: loaded rows must pay within them."),
    OPTION_MOVE_BUDGET(struct drift_args, move_budget, "1%", ""),
    OPTION_RENAMED("share", "window-share"),
    OPTION_REAL("window-share", 0, struct drift_args, share, "S", "0.25", 0, 0,
                "Share of the training vertices that a window trains, of graphs without times."),
    OPTION_CACHE_TYPE(struct drift_args, cache_type),
    OPTION_OUTPUT(struct drift_args, output, "R.json", NULL, "Document to write."),
    OPTION_GROUP("memory below the GPUs"),
    MEMORY_PARAMS(struct drift_args, memory),
    WORKLOAD_PARAMS(struct drift_args, workload),
    OPTION_GROUP("what is recorded, and who reads whose memory"),
    STUDY_EPOCHS_PARAMS(struct drift_args, study),
    OPTION_DEAL(struct drift_args, study.deal, "global", DEAL_WORDS, DEAL_AUTO),
    OPTION_REACH(struct drift_args, study.reach, POLICY_REACH),
    {0},
};

static const char about[] =
    "A graph with times (graph import --times) is cut into windows in the order of time; a window trains the\n"
    "training vertices whose rows got an arc in it. Without times, windows turn around the circle of\n"
    "training vertices. After a first window, each scheme serves a window with rows chosen from earlier\n"
    "ones: fixed (the plan of the first), refresh (refreshed within --move-budget), auto (refreshed where\n"
    "the seconds saved until the next refresh are more than those of loading), replan (planned anew), lru\n"
    "and sieve (dynamic caches of one type, which go on from window to window), oracle (the best plan that\n"
    "knows the window). Plans have the fewest transactions (plan --objective transactions --sampling gpu).\n"
    "Training vertices are dealt anew in every window (--assignment); parts go to GPUs where each plan holds what\n"
    "they read. saved: seconds of the epochs' transfer\n"
    "stage (links and memories by the server's rates, as in 'hotset refresh') against fixed,\n"
    "less loading. Samplers but the temporal ones that look backward draw arcs of later windows, too.\n"
    "--host-memory, --ssd, --nodes and --cluster also plan what lies below and beside the GPUs of every plan,\n"
    "as 'hotset plan' does; 'hotset refresh' says what refresh and auto do with DRAM. Documents state what\n"
    "DRAM, SSDs and other nodes serve in each window, and what moves into DRAM before; lru and sieve, which\n"
    "have no lists to plan memories for, are left out. Of several nodes every window is cut into a part per\n"
    "node, which goes to the node whose memories hold the most of what it reads; counts are sums over nodes,\n"
    "times those of the slowest.";

extern const struct command cmd_drift;
const struct command cmd_drift = {.group = "lab",
                                  .name = "drift",
                                  .summary = "how plans age while the training set changes, and what keeping up costs",
                                  .arguments = "--graph G --server S [options]",
                                  .params = params,
                                  .usual = "graph server budget windows window-epochs move-budget window-share "
                                           "host-memory ssd nodes "
                                           "nic-gbps sampler fanout "
                                           "batch output",
                                  .needs = "graph server|cluster",
                                  .elsewhere = drift_elsewhere,
                                  .args_size = sizeof(struct drift_args),
                                  .run = run_drift,
                                  .about = about,
                                  .examples = "hotset lab drift --graph messages --server dgx-v100:2 --sampler "
                                              "temporal "
                                              "--windows 20 -o D.json"};
