/* hotset demo - the whole main job on a generated graph: make the graph, compare every policy, write a plan, draw a
 * page. */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/results/compare.h"
#include "planner/options/input_options.h"
#include "planner/results/plan_answer.h"
#include "planner/results/plan_print.h"
#include "planner/results/results_document.h"
#include "planner/decisions/ties.h"
#include "planner/results/results_print.h"
#include "reports/formats/gnuplot.h"
#include "reports/report.h"
#include "reports/results/results_answer.h"
#include "traces/synth/synth.h"
#include "traces/synth/synth_options.h"
#include "simulator/movement/simulated.h"

struct demo_args {
    const char *output, *server, *policy, *budget, *plan_budget;
    int64_t vertices, edges, batch;
};

/* What the steps share. */
struct demo {
    struct call *call;
    const struct demo_args *a;
    char graph[PATH_BYTES], plan[PATH_BYTES], results[PATH_BYTES], page[PATH_BYTES];
    struct workload workload;
    struct study_args study;
    struct site *site;
};

static bool is_ours(const char *name)
{
    static const char *const ours[] = {".", "..", "graph", "plan", "results.json", "page"};
    bool found = false;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) found |= !strcmp(name, ours[i]);
    return found;
}

/* The folder may be new, empty, or hold what a demo writes and nothing else; a demo that was ended midway may be run
 * again. */
static enum st check_folder(const char *path, struct err *err)
{
    enum st st = ST_OK;
    char inside[PATH_BYTES];
    DIR *f = opendir(path);
    if (!f)
        return errno == ENOENT ? ST_OK
                               : err_set(err, ST_INPUT, "%s: cannot be read as a folder (%s); choose another -o", path,
                                         strerror(errno));
    for (struct dirent *e; (e = readdir(f));)
        if (!is_ours(e->d_name))
            FAIL(ST_INPUT, "%s: holds '%.100s', which is not from a demo; choose another -o, or empty the folder", path,
                 e->d_name);
    TRY(path_join(inside, path, "graph", err));
    TRY(output_check(inside, NULL, err));
    TRY(path_join(inside, path, "plan", err));
    TRY(output_check(inside, NULL, err));
    TRY(path_join(inside, path, "page", err));
    TRY(output_check(inside, NULL, err));
done:
    closedir(f);
    return st;
}

static enum st set_up(struct demo *d, struct err *err)
{
    const struct demo_args *a = d->a;
    struct int_list fanout = {2, {25, 10}, NULL};
    PASS(check_folder(a->output, err));
    PASS(gnuplot_check(err));
    if (mkdir(a->output, 0777) != 0 && errno != EEXIST)
        return err_set(err, ST_INPUT, "%s: cannot be made (%s); choose another -o", a->output, strerror(errno));
    PASS(path_join(d->graph, a->output, "graph", err));
    PASS(path_join(d->plan, a->output, "plan", err));
    PASS(path_join(d->results, a->output, "results.json", err));
    PASS(path_join(d->page, a->output, "page", err));
    PASS(workload_make(NULL, &fanout, NULL, a->batch, "new", (uint64_t)d->call->common.seed, &d->workload, err));
    d->study = (struct study_args){.partition = "auto",
                                   .presample_epochs = 4,
                                   .simulate_epochs = -1,
                                   .simulate_seed = -1,
                                   .timing = {.model = "sage", .schedule = "pipelined", .hidden = 256, .classes = 64}};
    return ST_OK;
}

static enum st make_graph(struct demo *d, struct err *err)
{
    enum st st;
    struct synth_options o;
    char n[UNIT_TEXT], m[UNIT_TEXT];
    synth_defaults(&o);
    o.vertices = (uint64_t)d->a->vertices;
    o.edges = (uint64_t)d->a->edges;
    o.seed = (uint64_t)d->call->common.seed;
    call_say(d->call, "1/4 generating a community graph of %s vertices and about %s arcs in %s",
             units_count(n, o.vertices), units_count(m, o.edges), d->graph);
    stage_begin(&d->call->stages, "graph");
    st = synth_graph(&o, d->graph, d->call->threads, call_progress(d->call), NULL, err);
    stage_end(&d->call->stages);
    return st;
}

static enum st compare_policies(struct demo *d, struct err *err)
{
    struct site *site = d->site;
    doc *rows;
    OWNED_DOC doc *all = results_document(site->graph, &site->workload, (uint64_t)d->study.presample_epochs, &rows);
    OWNED_NEW(struct comparison, c, 1, "a comparison");
    PASS(budget_list(d->a->budget, false, "--budget", c->budget, &c->budgets, err));
    PASS(comparison_policies(c, site->graph, d->a->policy, err));
    call_say(d->call, "2/4 comparing %d policies at %d budgets per GPU on %s", c->policies, c->budgets, d->a->server);
    PASS(comparison_server(c, site, &d->study, d->a->server, rows, err));
    PASS(ties_put(all, err));
    results_say(all);
    PASS(doc_save(all, d->results, err));
    if (call_prints(d->call)) results_print(rows, false, false, d->call->out);
    return ST_OK;
}

/* On the server that the comparison left. */
static enum st write_plan(struct demo *d, struct err *err)
{
    enum st st;
    struct site *site = d->site;
    struct epoch_interval interval;
    OWNED_DOC doc *simulated = NULL;
    OWNED_NEW(struct study_cell, cell, 1, "a plan");
    TRY(policy_find("hotset", &cell->policy, err));
    TRY(budget_parse(d->a->plan_budget, false, "--plan-budget", &cell->budget, err));
    TRY(server_set_reach(site->server, reach_of(d->study.reach), err));
    TRY(site_options(site, &d->study, err));
    call_say(d->call, "3/4 planning %s per GPU with policy hotset, into %s", d->a->plan_budget, d->plan);
    TRY(site_begin(site, NULL, NULL, err));
    TRY(study_nodes_plan(&site->study, cell, 1, err));
    TRY(study_nodes_simulate(&site->study, cell, 1, err));
    simulated = simulated_document(&cell->plan, cell->plan.simulated, site->graph, true);
    TRY(epoch_interval_state(simulated, cell->plan.simulated ? cell->plan.simulated->time : NULL, site->server,
                             &interval, err));
    TRY(plan_save(&cell->plan, site->graph, d->plan, simulated, NULL, err));
    if (call_prints(d->call)) {
        fputc('\n', d->call->out);
        plan_print(&cell->plan, site->graph, false, d->call->out);
        plan_answer_print(&cell->plan, &interval, true, d->call->out);
    }
done:
    study_cell_release(cell);
    return st;
}

static enum st draw_page(struct demo *d, struct err *err)
{
    const char *input = d->results;
    call_say(d->call, "4/4 drawing the page %s", d->page);
    stage_begin(&d->call->stages, "page");
    enum st st = report_write(&input, 1, d->page,
                              &(struct report_options){.title = "hotset: a first comparison",
                                                       .quiet = d->call->common.quiet},
                              err);
    stage_end(&d->call->stages);
    return st;
}

static doc *summary(const struct demo *d)
{
    doc *s = doc_object();
    char page[PATH_BYTES + 16];
    snprintf(page, sizeof page, "%s/index.html", d->page);
    DOC_PUT(s, IS("schema", "demo/1"), IS("graph", d->graph), IS("results", d->results), IS("plan", d->plan),
            IS("page", page));
    return s;
}

/* What is used last is read first: a wrong unit is found before any work. */
static enum st check_budgets(const struct demo_args *a, struct err *err)
{
    struct budget list[BUDGET_LIST_MAX], last;
    int count;
    const struct graph rows = {.n = 2, .row_bytes = 512}; /* 128 floats, as in the graph that is generated */
    PASS(budget_list(a->budget, false, "--budget", list, &count, err));
    PASS(budget_parse(a->plan_budget, false, "--plan-budget", &last, err));
    for (int i = 0; i < count; i++) PASS(budget_check_unit(&list[i], "--budget", &rows, err));
    return budget_check_unit(&last, "--plan-budget", &rows, err);
}

static enum st demo_run(struct call *call, struct err *err)
{
    OWNED_SITE struct site *site = NULL;
    OWNED_NEW(struct demo, d, 1, "the demo");
    PASS(site_new(call, &site, err));
    d->call = call;
    d->a = call->args;
    d->site = site;
    PASS(options_kernels(call, &site->kernels, err));
    PASS(set_up(d, err));
    PASS(check_budgets(d->a, err));
    PASS(make_graph(d, err));
    PASS(site_graph(site, d->graph, NULL, err));
    PASS(site_workload_given(site, &d->workload, err));
    PASS(compare_policies(d, err));
    PASS(write_plan(d, err));
    PASS(draw_page(d, err));
    if (call_prints(call)) {
        fputc('\n', call->out);
        terminal_command(call->out, "what else would save: ",
                         "hotset advise --graph %s --server %s --batch %lld "
                         "--budget %s",
                         d->graph, d->a->server, (long long)d->a->batch, d->a->plan_budget);
        terminal_print(call->out, "plan: %s/plan.json; numbers: %s\npage: %s/index.html\n", d->plan, d->results,
                       d->page);
    }
    return call_finish(call, summary(d), err);
}

static const struct param params[] = {
    OPTION_FOLDER(struct demo_args, output, "DIR", "hotset-demo"),
    OPTION_SERVER(struct demo_args, server, "S", "dgx-v100", ""),
    OPTION_POLICY(struct demo_args, policy, "A,B", "all", ""),
    OPTION_BUDGET(struct demo_args, budget, "SIZE,..", "1%,2.5%,7.5%,10%,15%", ""),
    OPTION_TEXT("plan-budget", 0, struct demo_args, plan_budget, "SIZE", "7.5%",
                "Budget per GPU of the plan that is written."),
    OPTION_VERTICES(struct demo_args, vertices, "200000", ""),
    OPTION_EDGES(struct demo_args, edges, "4000000", 0, ""),
    OPTION_BATCH(struct demo_args, batch, "512"),
    {0},
};

static const char about[] = "Generates a community graph (200,000 vertices, about 4 million arcs, features of 128\n"
                            "floats), plans it for a DGX-V100 with every policy at five budgets, simulates all\n"
                            "plans on held-out epochs, prints a table per budget, and writes one plan directory and\n"
                            "one HTML page with plots. Fan-outs are 25,10.";

extern const struct command cmd_demo;
const struct command cmd_demo = {
    .name = "demo",
    .stage = COMMAND_DAILY,
    .rank = 1,
    .summary = "run the whole job on a generated graph: compare policies, write a plan, draw a page",
    .arguments = "[-o DIR] [options]",
    .about = about,
    .examples = "  hotset demo                                    # about a minute on two cores\n"
                "  hotset demo -o d --server siton --policy legion,quiver-plus",
    .params = params,
    .args_size = sizeof(struct demo_args),
    .run = demo_run,
};
