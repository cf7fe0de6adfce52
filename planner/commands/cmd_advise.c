/* hotset advise - what each lever is worth on a graph and a server. */
#include <string.h>

#include "base/mem.h"
#include "planner/commands/asked_what_if.h"
#include "planner/commands/like.h"
#include "planner/decisions/advice.h"
#include "planner/decisions/inference_advice.h"
#include "planner/partition/partition_memo.h"
#include "planner/options/input_options.h"
#include "planner/options/option_uses.h"
#include "planner/options/site.h"

struct advise_args {
    const char *graph, *like, *server, *budget, *output, *cache_type, *lists;
    struct workload_args workload;
    struct study_args study;
    struct memory_args memory;
    struct inference_args inference;
    bool explain, what_if;
};

/* The options describe how the user trains today, as 'hotset plan' takes them. */
static void read_today(const struct advise_args *a, const struct graph *g, struct setting *out)
{
    *out = (struct setting){.deal = a->study.deal,
                            .order = a->workload.how.order,
                            .sampler = a->workload.how.sampler,
                            .frontier = a->workload.frontier,
                            .reach = a->study.reach ? reach_of(a->study.reach) : REACH_DIRECT,
                            .element = g->feature_bytes,
                            .cached = g->cached,
                            .own = a->lists,
                            .host = 1,
                            .drives = 1,
                            .batch = a->workload.batch,
                            .budget = 1};
}

/* A share of the graph's bytes is fixed in bytes, so that other feature types do not change it. */
static enum st read_budget(const char *text, const struct graph *g, struct budget *asked, struct budget *out,
                           struct err *err)
{
    *asked = *out = (struct budget){.kind = BUDGET_MEMORY, .text = "memory"};
    if (!text) return ST_OK;
    PASS(budget_parse(text, false, "--budget", asked, err));
    *out = *asked;
    out->bytes = budget_of_graph(out, g);
    out->kind = BUDGET_BYTES;
    return ST_OK;
}

/* The budget, and the lists that are today's; without a budget it is what they take. */
static enum st read_lists(const struct advise_args *a, const struct graph *g, struct server *s,
                          struct advice_base *base, struct given_lists *out, struct err *err)
{
    PASS(read_budget(a->budget, g, &base->asked, &base->budget, err));
    if (!a->lists) return ST_OK;
    if (base->below.nodes > 1)
        return err_set(err, ST_USAGE,
                       "--from-lists: is of one node; leave it out, or advise without --nodes and --cluster");
    PASS(given_lists_read(a->lists, g, s, out, err));
    base->lists = out;
    if (base->budget.kind == BUDGET_MEMORY)
        base->asked = base->budget = (struct budget){.kind = BUDGET_BYTES,
                                                     .bytes = given_lists_most(out, g),
                                                     .text = "lists"};
    return ST_OK;
}

/* What training takes, and whether the server can have today's budget. */
static enum st check_budget(struct call *call, const struct advise_args *a, struct advice_base *base, struct err *err)
{
    struct workload w;
    struct reservation r;
    PASS(options_workload(call, &a->workload, base->graph, &w, err));
    PASS(options_reservation(&a->study, base->graph, base->server, &w, &r, err));
    base->reserved = r.total;
    return options_budget(call, &base->budget, base->server, base->graph, &r, err);
}

/* Every setting is planned by policy hotset, but for lists that were made elsewhere, until a lever replaces them. */
static enum st check_uses(struct call *call, const struct advise_args *a, const struct given_lists *lists,
                          struct err *err)
{
    const struct policy *today = &given_lists_policy;
    const struct options_given given = {.call = call,
                                        .study = &a->study,
                                        .workload = &a->workload,
                                        .dealt = lists->part,
                                        .nodes = a->memory.nodes > 1 || a->memory.cluster};
    if (!a->lists) PASS(policy_find("hotset", &today, err));
    return option_uses_check(&given, &today, 1, err);
}

/* What the advice rests on; which of it moves the seconds of which setting is not weighed. */
static enum st state_premises(struct call *call, const struct advise_args *a, const struct site *site, doc *to,
                              struct err *err)
{
    OWNED_NEW(struct premises, premises, 1, "premises");
    premises_of_graph(premises, site->graph);
    premises_of_workload(premises, call, site->graph, &site->workload, NULL);
    premises_of_model(premises, call, &a->study.timing, true);
    premises_of_reach(premises, call, site->server);
    premises_of_server(premises, site->server, a->server);
    doc_put(to, "premises", premises_document(premises));
    return premises_end(call, premises, a->study.strict, err);
}

static enum st tell(struct call *call, const struct advise_args *args, const struct site *site, const struct advice *a,
                    struct err *err)
{
    const char *output = args->output;
    OWNED_DOC doc *d = advice_document(a);
    PASS(state_premises(call, args, site, d, err));
    if (args->what_if) {
        doc *told = NULL;
        enum st st = asked_what_if_planned(call, a->base.graph_path, a->base.server_name, a->options,
                                           "the advised plan", &told, err);
        if (st == ST_OK) doc_put(d, "what_if", told);
        if (st != ST_OK && st != ST_NO) return st;
        if (st == ST_NO) call_say(call, "no what-if: %s", err->text); /* the advice stands without it */
        if (st == ST_NO) err_clear(err);
    }
    if (output) PASS(doc_save(d, output, err));
    if (call_prints(call)) advice_print(a, d, args->explain, call->out);
    asked_what_if_print(call, d, args->explain);
    return call_finish(call, TAKE(d), err);
}

/* --job inference: orders, sizes of chunks, a cache, f16. */
static enum st run_inference(struct call *call, const struct advise_args *a, struct err *err)
{
    struct budget budget = {.kind = BUDGET_MEMORY, .text = "memory"};
    if (!a->server)
        return err_set(err, ST_USAGE, "--cluster: inference is planned on one server; name it with --server");
    if (a->budget) PASS(budget_parse(a->budget, false, "--budget", &budget, err));
    const struct inference_given given = {.args = &a->inference,
                                          .workload = &a->workload,
                                          .timing = &a->study.timing,
                                          .memory = &a->memory,
                                          .graph = a->graph,
                                          .server = a->server,
                                          .partition = a->study.partition,
                                          .budget = &budget};
    return inference_advise_run(call, &given, a->output, err);
}

static enum st advise_run(struct call *call, struct err *err)
{
    const struct advise_args *a = call->args;
    OWNED_SITE struct site *site = NULL;
    struct advice *advice = NULL;
    ON_HEAP(struct partition_memo, memo);
    ON_HEAP(struct given_lists, lists);
    /* setting_options has them; a plan with a budget takes no reservation */
    const char *changed[] = {"graph",
                             "server",
                             "budget",
                             "batch",
                             "assignment",
                             "order",
                             "sampler",
                             "frontier",
                             "peer-access",
                             "output",
                             "host-memory",
                             "ssd",
                             "cache-type",
                             "from-lists",
                             "exact",
                             "what-if",
                             a->budget ? "reserve" : NULL,
                             NULL};
    char given[OPTIONS_TEXT] = "";
    struct advice_base base = {.given = given,
                               .workload = &a->workload,
                               .study = &a->study,
                               .memory = &a->memory,
                               .memo = memo};
    enum st st;
    if (inference_asked(&a->inference)) return run_inference(call, a, err);
    TRY(inference_refuse(call, &a->inference, NULL, err));
    if (a->what_if && (a->memory.nodes > 1 || a->memory.cluster))
        FAIL(ST_USAGE, "--what-if: asks of a plan of one node; leave it out, or advise without --nodes and --cluster");
    if (a->output) TRY(output_check(a->output, "advice/1", err));
    resume_given_text(call, changed, given, sizeof given);
    TRY(site_new(call, &site, err));
    TRY(site_graph(site, a->graph, a->cache_type, err));
    TRY(site_workload(site, &a->workload,
                      err)); /* shares of the graph's bytes are of rows with their weights or times */
    memo->graph = graph_connections(site->graph);
    TRY(site_server(site, &a->memory, a->server, NULL, err));
    base.cache_type = a->cache_type;
    base.kernels = site->kernels;
    TRY(read_lists(a, site->graph, site->server, &base, lists, err));
    TRY(check_uses(call, a, lists, err));
    read_today(a, site->graph, &base.today);
    base.graph = site->graph;
    base.graph_path = a->graph;
    base.server = site->server;
    base.server_name = a->server;
    TRY(check_budget(call, a, &base, err));
    TRY(site_sizes(site, &a->memory, err));
    base.below = site->below;
    TRY(study_memories_check(call, &base.below, site->graph, err));
    NEW(advice, 1, "advice");
    TRY(advice_make(call, &base, advice, err));
    TRY(tell(call, a, site, advice, err));
done:
    mem_free(advice);
    given_lists_release(lists);
    partition_memo_release(memo);
    return st;
}

static const struct param params[] = {
    OPTION_GRAPH(struct advise_args, graph, ""),
    OPTION_SERVER(struct advise_args, server, "S", NULL, ""),
    OPTION_BUDGET(struct advise_args, budget, "SIZE", NULL, MEMORY_BUDGET),
    OPTION_LIKE(struct advise_args, like),
    OPTION_FROM_LISTS(struct advise_args, lists, LISTS_BUDGET),
    OPTION_CACHE_TYPE(struct advise_args, cache_type),
    OPTION_DOCUMENT(struct advise_args, output, "A.json"),
    WORKLOAD_PARAMS(struct advise_args, workload),
    STUDY_RECORD_PARAMS(struct advise_args, study),
    OPTION_EXACT(struct advise_args, study.exact),
    OPTION_EXPLAIN(struct advise_args, explain),
    OPTION_WHAT_IF(struct advise_args, what_if),
    OPTION_GROUP("memory below the GPUs"),
    MEMORY_PARAMS(struct advise_args, memory),
    INFERENCE_PARAMS(struct advise_args, inference),
    {0},
};

static const char about[] = "Options say how you train today, as 'hotset plan' takes them: assignment, order, peer "
                            "access, sampler, frontier,\n"
                            "batch, cache (--assignment clique: training vertices at random inside cliques). hotset "
                            "plans that, then pulls\n"
                            "one lever after the other: a planned assignment, a planned order, farther peer access, "
                            "twice the "
                            "cache, LABOR,\n"
                            "narrower features, larger mini-batches; with --host-memory or --ssd also more DRAM and "
                            "more SSDs. Every setting is planned by policy hotset and judged on the same\n"
                            "held-out epochs.\n"
                            "\n"
                            "The table ranks the levers alone, by the epoch where it is known; those in parentheses "
                            "ask for another import of the "
                            "graph. --explain adds\n"
                            "what each asks for. The others are put on top of each other, those that cannot change "
                            "accuracy first; one\n"
                            "that saves less than 1 % there is left out. The answer is last, with what each advised "
                            "lever asks for and\n"
                            "the command that carries it out: for your workload, with all that you gave.";

static const char examples[] = "  hotset advise --graph G --server dgx-v100 --budget 5%\n"
                               "  hotset advise --graph G --server pcie-8 --budget 5% --peer-access own -o A.json";

extern const struct command cmd_advise;
const struct command cmd_advise = {
    .name = "advise",
    .stage = COMMAND_DAILY,
    .rank = 7,
    .summary = "rank what would save most: assignment, order, peer access, cache, sampler, features",
    .arguments = "--graph G --server S [options]",
    .about = about,
    .examples = examples,
    .params = params,
    .usual = "graph server budget output fanout batch sampler model host-memory ssd nodes",
    .needs = "graph server|cluster",
    .args_size = sizeof(struct advise_args),
    .run = advise_run,
};
