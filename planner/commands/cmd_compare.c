/* hotset compare - policies x budgets x servers on the same recordings and the same held-out epochs. */
#include <string.h>

#include "base/mem.h"
#include "base/ranks.h"
#include "base/terminal.h"
#include "base/text.h"
#include "planner/commands/like.h"
#include "planner/decisions/ties.h"
#include "planner/options/cached_types.h"
#include "planner/results/compare.h"
#include "planner/results/compare_parts.h"
#include "planner/engine/given_lists.h"
#include "planner/inference/inference_commands.h"
#include "planner/options/input_options.h"
#include "planner/options/job_array_script.h"
#include "planner/results/results_document.h"
#include "planner/results/results_print.h"
#include "planner/results/results_tables.h"
#include "reports/results/results_answer.h"

struct compare_args {
    const char *graph, *like, *server, *policy, *hotness, *budget, *clique_budget, *output, *cache_type, *features,
        *lists;
    bool ablation, all, explain;
    struct job_array_args array;
    struct workload_args workload;
    struct study_args study;
    struct memory_args memory;
    struct inference_args inference;
};

enum { SERVERS_MAX = 32 };

static enum st compare_fill(const struct compare_args *a, const struct graph *g, struct comparison *c, struct err *err)
{
    if (a->budget && a->clique_budget)
        return err_set(err, ST_USAGE, "--budget (per GPU) and --clique-budget (per clique) exclude each other");
    if (a->clique_budget) PASS(budget_list(a->clique_budget, true, "--clique-budget", c->budget, &c->budgets, err));
    else PASS(budget_list(a->budget ? a->budget : "1%,2%,5%", false, "--budget", c->budget, &c->budgets, err));
    if (a->study.bound && (a->memory.nodes > 1 || a->memory.cluster))
        return err_set(err, ST_USAGE,
                       "--bound: is of one node; leave it out, or compare without --nodes and --cluster");
    c->lists = a->lists;
    if (a->lists && (a->ablation || a->hotness))
        return err_set(err, ST_USAGE, "--from-lists: the lists are as they are; leave --ablation and --hotness out");
    if (a->ablation && (a->policy || a->hotness))
        return err_set(err, ST_USAGE,
                       "--ablation names its own policies and metrics; leave --policy and --hotness out");
    PASS(comparison_policies(c, g,
                             a->ablation ? "legion,legion+density,legion+exact-split,hotset"
                             : a->policy ? a->policy
                                         : "all",
                             err));
    if (c->owns && (a->memory.nodes > 1 || a->memory.cluster))
        return err_set(err, ST_USAGE, "--policy: lists are of one node; leave %s out, or --nodes and --cluster",
                       c->own[0].name);
    if (a->hotness) PASS(comparison_hotness(c, a->hotness, !a->policy || !strcmp(a->policy, "all"), err));
    return ST_OK;
}

/* Under --hotness, 'all' means every policy that can take the metric: names the others. */
static void say_left_out(const struct call *call, const struct compare_args *a)
{
    char names[512] = "";
    struct err ignored = {0};
    if (!a->hotness || (a->policy && strcmp(a->policy, "all"))) return;
    for (const struct policy *const *p = policies_registered; *p; p++)
        if (policy_check_hotness(*p, a->hotness, &ignored) != ST_OK)
            text_append(names, sizeof names, "%s%s", *names ? ", " : "", (*p)->name);
    if (*names) call_say(call, "left out, because they cannot rank by %s: %s", a->hotness, names);
}

/* Drops names that are listed more than once; returns how many are left. */
static int drop_twins(const struct call *call, char **name, int count)
{
    int kept = 0;
    for (int i = 0, k; i < count; i++) {
        for (k = 0; k < kept && strcmp(name[k], name[i]);) k++;
        if (k < kept) call_say_twice(call, "server", name[i]);
        else name[kept++] = name[i];
    }
    return kept;
}

/* The names of servers, without doubles; of a cluster file one that is not known. */
static enum st list_servers(const struct call *call, const struct compare_args *a, char text[2048], char **name,
                            int *count, struct err *err)
{
    *count = 1;
    name[0] = NULL;
    if (!a->server) return ST_OK;
    snprintf(text, 2048, "%s", a->server);
    *count = text_split(text, ',', name, SERVERS_MAX);
    if (*count < 0) return err_set(err, ST_USAGE, "--server: more than %d servers", SERVERS_MAX);
    *count = drop_twins(call, name, *count);
    return ST_OK;
}

/* The files of --from-lists for the GPUs of a server. */
static enum st add_lists(const struct compare_args *a, const struct graph *g, const char *name,
                         struct options_given *given, doc *inputs, struct err *err)
{
    enum st st;
    ON_HEAP(struct server, s);
    ON_HEAP(struct given_lists, lists);
    TRY(server_load(name, s, err));
    TRY(given_lists_read(a->lists, g, s, lists, err));
    given->dealt |= lists->part != NULL;
    given_lists_inputs(a->lists, g, s, inputs);
done:
    given_lists_release(lists);
    server_release(s);
    return st;
}

/* A server that cannot be read is refused before the first one is compared. inputs: gets what the servers state. */
static enum st check_servers(const struct compare_args *a, const struct graph *g, char *const *name, int count,
                             struct options_given *given, doc *inputs, struct err *err)
{
    enum st st = ST_OK;
    ON_HEAP(struct nodes_network, network);
    for (int i = 0; i < count && a->server; i++) TRY(resume_load_server(inputs, name[i], err));
    for (int i = 0; i < count && a->lists && a->server; i++) TRY(add_lists(a, g, name[i], given, inputs, err));
    if (!a->memory.cluster) return ST_OK;
    TRY(nodes_network_open(a->memory.cluster, network, err));
    resume_add_path(inputs, "cluster file", a->memory.cluster);
    TRY(resume_add_server(inputs, a->memory.cluster, &network->cluster.server, err));
done:
    nodes_network_release(network);
    return st;
}

/* How GPUs hold rows, and what the errors are. *error: owned by the caller; NULL: not measured. */
static enum st set_cached(const struct site *site, const struct compare_args *a, float **error, struct err *err)
{
    if (a->features && !a->cache_type)
        return err_set(err, ST_USAGE, "--features: needs --cache-type, whose errors it measures");
    if (a->features && graph_plain(site->graph))
        return err_set(err, ST_USAGE,
                       "--features: compares graphs with several types only; of one type, 'hotset plan' takes it");
    if (a->cache_type) PASS(cached_types_set(a->cache_type, site->graph, err));
    if (a->features) PASS(cached_types_errors(a->features, site->graph, site->call->threads, error, err));
    return ST_OK;
}

/* --job inference: there are no policies; orders and sizes of chunks are compared. */
static enum st run_inference(struct call *call, const struct compare_args *a, struct err *err)
{
    const struct inference_given given = {.args = &a->inference,
                                          .workload = &a->workload,
                                          .timing = &a->study.timing,
                                          .memory = &a->memory,
                                          .graph = a->graph,
                                          .partition = a->study.partition};
    if (!a->server)
        return err_set(err, ST_USAGE, "--cluster: inference is planned on one server; name it with --server");
    return inference_compare_run(call, &given, a->server, a->budget, a->output, err);
}

/* A comparison on its way from words to a table. */
struct comparing {
    const struct compare_args *a;
    struct comparison c;
    struct site *site;
    struct options_given given;
    float *error; /* of rows that GPUs hold rounded, where it is measured */
    char servers[2048], *name[SERVERS_MAX], file[PATH_BYTES];
    int count; /* of servers */
    struct checkpoint checkpoint;
    doc *inputs, *document, *rows; /* rows: of the document */
};

/* ---- parse ---- */

static enum st parse(struct call *call, struct comparing *p, struct err *err)
{
    const struct compare_args *a = p->a;
    struct comparison *c = &p->c;
    p->given = (struct options_given){.call = call,
                                      .study = &a->study,
                                      .workload = &a->workload,
                                      .budget = true,
                                      .nodes = a->memory.nodes > 1 || a->memory.cluster,
                                      .clique_budget = a->clique_budget};
    PASS(inference_refuse(call, &a->inference, NULL, err));
    PASS(job_array_check(call, &a->array, a->output, "a comparison", &c->task, p->file, err));
    if (a->output && ranks_first()) PASS(output_check(p->file, "results/1|results-part/1", err));
    PASS(site_graph(p->site, a->graph, NULL, err));
    PASS(set_cached(p->site, a, &p->error, err));
    PASS(compare_fill(a, p->site->graph, c, err));
    say_left_out(call, a);
    comparison_drop_twins(call, c);
    c->measured = p->error;
    c->given = &p->given;
    c->memory = &a->memory;
    PASS(site_workload(p->site, &a->workload, err));
    site_say_workload(p->site, &a->workload);
    PASS(list_servers(call, a, p->servers, p->name, &p->count, err));
    p->inputs = doc_object();
    PASS(check_servers(a, p->site->graph, p->name, p->count, &p->given, p->inputs, err));
    PASS(option_uses_check(&p->given, c->policy, c->policies, err));
    resume_add_path(p->inputs, "calibration file", a->study.timing.calibration);
    resume_add_path(p->inputs, "file of parts", a->study.parts);
    for (int i = 0; i < c->owns; i++) resume_add_path(p->inputs, c->own[i].name, c->own[i].folder);
    return ST_OK;
}

/* ---- engine ---- */

/* Takes the rows of all servers from the parts of an array. */
static enum st merge(struct call *call, struct comparing *p, struct err *err)
{
    const int parts = (int)p->a->array.merge_cells;
    OWNED_DOC doc *about = resume_about(call, p->site->graph, p->inputs);
    for (int i = 0; i < p->count; i++) PASS(comparison_count(&p->c, p->site, &p->a->study, p->name[i], err));
    return compare_parts_merge(p->a->output, parts, p->c.before, about, p->rows, err);
}

/* Plans and simulates the cells of all servers. */
static enum st plan_all(struct call *call, struct comparing *p, struct err *err)
{
    struct comparison *c = &p->c;
    const struct compare_args *a = p->a;
    PASS(
        resume_open(call, &a->study.resume, *p->file ? p->file : NULL, p->site->graph, p->inputs, &p->checkpoint, err));
    c->checkpoint = a->output && ranks_first() ? &p->checkpoint : NULL;
    for (c->server = 0; c->server < p->count; c->server++) {
        int entered = progress_piece(p->count > 1 ? p->name[c->server] : "", c->server, p->count);
        PASS(comparison_server(c, p->site, &a->study, p->name[c->server], p->rows, err));
        progress_leave(entered);
    }
    return ST_OK;
}

static enum st engine(struct call *call, struct comparing *p, struct err *err)
{
    const struct site *site = p->site;
    p->document = results_document(site->graph, &site->workload, (uint64_t)p->a->study.presample_epochs, &p->rows);
    PASS(p->a->array.merge_cells ? merge(call, p, err) : plan_all(call, p, err));
    if (!graph_plain(site->graph) && !p->c.task.parts) results_tables_gain(p->rows);
    return ST_OK;
}

/* ---- results and show ---- */

/* What the rows rest on. */
static enum st state_premises(struct call *call, struct comparing *p, struct err *err)
{
    OWNED_NEW(struct premises, to, 1, "premises");
    premises_of_graph(to, p->site->graph);
    premises_of_workload(to, call, p->site->graph, &p->site->workload, NULL);
    premises_of_model(to, call, &p->a->study.timing, true);
    for (int i = 0; i < p->c.premises.count; i++) premises_add(to, &p->c.premises.list[i]);
    for (uint64_t i = 0; i < doc_size(p->rows); i++) premises_weigh_row(to, doc_at(p->rows, i));
    doc_put(p->document, "premises", premises_document(to));
    return premises_end(call, to, p->a->study.strict, err);
}

/* The options that make the best plan, of the first group in which 'hotset plan' would not make it unasked. */
static void say_plan(const doc *rows, FILE *to)
{
    const doc *order[256];
    for (uint64_t i = 0, count; i < doc_size(rows); i += count) {
        for (count = 0; i + count < doc_size(rows) && count < sizeof order / sizeof *order; count++) {
            if (!results_same_group(doc_at(rows, i), doc_at(rows, i + count))) break;
            order[count] = doc_at(rows, i + count);
        }
        results_sort(order, count);
        const doc *best = results_best(order, count);
        const char *name = doc_text_value(doc_get(best, "policy"), "");
        int bare = results_bare(name);
        if (!name[bare]) continue;
        terminal_print(to, "to plan it: 'hotset plan' with these options and --policy %.*s --peer-access %s -o P\n",
                       bare, name, doc_text_value(doc_get(best, "reach"), "?"));
        return;
    }
}

static void show(const struct comparing *p, FILE *to)
{
    const struct compare_args *a = p->a;
    bool named = a->policy && strcmp(a->policy, "all"); /* who names policies sees all of them */
    if (a->explain && !a->study.exact)
        terminal_print(to, "To be quick, compare tries assignments that were ever best, with some of the rows and at "
                           "some of many budgets, and copies of some rows alone; --exact tries all\n\n");
    results_print(p->rows, a->all || a->ablation || named, a->explain, to);
    say_plan(p->rows, to);
    if (graph_plain(p->site->graph)) return;
    cached_types_print_tables(p->site->graph, to);
    results_tables_print(p->rows, to);
}

static enum st tell(struct call *call, struct comparing *p, struct err *err)
{
    const struct compare_args *a = p->a;
    if (!ranks_first()) return ST_OK;
    if (p->c.task.parts) { /* a task of an array writes its part, and prints no table */
        OWNED_DOC doc *about = resume_about(call, p->site->graph, p->inputs);
        return job_array_save(call, p->file, COMPARE_PARTS_SCHEMA, &p->c.task, about, p->rows, err);
    }
    PASS(state_premises(call, p, err));
    PASS(ties_put(p->document, err));
    results_say(p->document);
    if (a->output) PASS(doc_save(p->document, p->file, err));
    if (a->array.merge_cells) job_array_remove(a->output, (int)a->array.merge_cells);
    if (call_prints(call)) show(p, call->out);
    return call_finish(call, TAKE(p->document), err);
}

static void release(struct comparing *p)
{
    doc_free(p->inputs);
    doc_free(p->document);
    mem_free(p->error);
    site_free(&p->site);
}

static enum st walk(struct call *call, struct comparing *p, struct err *err)
{
    PASS(parse(call, p, err));
    if (p->a->array.slurm_array) { /* all was checked but for the cells themselves */
        job_array_script_print(call, "compare", "a comparison", (int)p->a->array.slurm_array, call->out);
        return ST_OK;
    }
    PASS(engine(call, p, err));
    return tell(call, p, err);
}

static enum st compare_run(struct call *call, struct err *err)
{
    OWNED struct comparing *p = NULL;
    const struct compare_args *a = call->args;
    if (inference_asked(&a->inference)) return run_inference(call, a, err);
    MAKE(p, 1, "a comparison");
    p->a = a;
    enum st st = site_new(call, &p->site, err);
    if (st == ST_OK) st = walk(call, p, err);
    resume_close(call, &p->checkpoint, st);
    release(p);
    return st;
}

static const struct param params[] = {
    OPTION_GRAPH(struct compare_args, graph, ""),
    OPTION_SERVER(struct compare_args, server, "S,S2", NULL, ""),
    OPTION_POLICY(struct compare_args, policy, "A,B", NULL, POLICY_LISTS " [default: all]"),
    OPTION_HOTNESS(struct compare_args, hotness),
    OPTION_FLAG("ablation", struct compare_args, ablation,
                "Compare the steps from policy legion to policy hotset: density order, exact split, calibrated "
                "estimates (and NVLinks between cliques)."),
    OPTION_BUDGET(struct compare_args, budget, "SIZE,..", NULL, " [default: 1%,2%,5%]"),
    OPTION_CLIQUE_BUDGET(struct compare_args, clique_budget, "SIZE,.."),
    OPTION_FROM_LISTS(struct compare_args, lists, ""),
    OPTION_CACHE_TYPE(struct compare_args, cache_type),
    OPTION_ROUNDED_FEATURES(struct compare_args, features),
    OPTION_FLAG("all", struct compare_args, all,
                "Print every policy, not only those that answer the question. Documents always have all."),
    OPTION_EXPLAIN(struct compare_args, explain),
    OPTION_LIKE(struct compare_args, like),
    OPTION_DOCUMENT(struct compare_args, output, "R.json"),
    JOB_ARRAY_PARAMS(struct compare_args, array),
    WORKLOAD_PARAMS(struct compare_args, workload),
    QUICK_STUDY_PARAMS(struct compare_args, study),
    OPTION_GROUP("memory below the GPUs"),
    MEMORY_PARAMS(struct compare_args, memory),
    INFERENCE_PARAMS(struct compare_args, inference),
    {0},
};

static const char about[] =
    "Makes and simulates one plan for every combination of policy, budget and server, in parallel.\n"
    "Policies that assign training vertices in the same way share one recording and the same held-out\n"
    "epochs. With -o, the same command continues an interrupted run.\n\n"
    "Of many policies the table has hotset, the best systems of papers that can run, the references\n"
    "(exact, oracle) and nothing cached; --all prints the others. 'a = b' are policies with one result.\n"
    "Rows are sorted by the seconds of an epoch, then by transactions; where the server states no rates\n"
    "for that, by transactions. Last come the best policy, by how much it is ahead of the best that is not\n"
    "ours, and what binds its epoch; --explain says more. Policies tie where the constants that the seconds\n"
    "rest on may be off by more than what parts them (planner/model/time.md).\n\n"
    "Among policies, cache:lru is a dynamic cache; mine=lists:DIR has its lists in DIR/5% for that budget,\n"
    "or in DIR for all. --from-lists adds policy lists; its train files, where there are some, say for all\n"
    "policies who trains what. With --features rows state the error to expect.\n\n"
    "Transactions are per epoch. 'left of uncached' is their share of what the same assignment of training\n"
    "vertices reads with nothing cached. 'prediction' is predicted / simulated - 1; it is marked 'seen'\n"
    "for policy oracle, which plans from the simulated epochs themselves. 'epoch' is the modelled epoch\n"
    "time, where the server states its constants; 'hotset simulate' on a plan shows its stages.\n\n"
    "--host-memory, --ssd, --nodes and --cluster also plan what lies below the GPUs of each plan, as 'hotset\n"
    "plan' does. Rows then state what DRAM, other sockets, other nodes and SSDs serve; equal epochs are\n"
    "ranked by the seconds of these reads. With several nodes a row is the sum over all of them.\n\n"
    "An interrupted run leaves R.json.partial. 'mpirun -n N hotset compare ..' shares the work over N processes, and\n"
    "'--slurm-array N' prints a script that does it as N tasks of Slurm (planner/RANKS.md). Rows\n"
    "of the document also state what moves per epoch (movement): bytes on the wire over PCIe, over all\n"
    "NVLinks and over the busiest one; 'hotset simulate P --movement' shows one plan link by link.";

static const char examples[] = "  hotset compare --graph G --server dgx-v100,siton --policy legion,quiver-plus,gnnlab "
                               "--budget 1%,2%,5% -o R.json\n"
                               "  hotset compare --graph G --server dgx-v100 --ablation --budget 5%,20%   # gain of "
                               "each step over legion\n"
                               "  hotset report R.json -o page     # plots and one HTML page";

extern const struct command cmd_compare;
const struct command cmd_compare = {
    .name = "compare",
    .stage = COMMAND_DAILY,
    .rank = 5,
    .summary = "plan many policies, budgets and servers, simulate them on the same held-out epochs",
    .arguments = "--graph G --server S[,S2..] [options]",
    .about = about,
    .examples = examples,
    .params = params,
    .usual = "graph server policy budget all output fanout batch sampler assignment peer-access hotness bound "
             "host-memory ssd "
             "nodes",
    .shares_work = true,
    .needs = "graph server|cluster",
    .args_size = sizeof(struct compare_args),
    .run = compare_run,
};
