/* Memory that runs out anywhere: for every k, the k-th allocation fails. Each job must then say ST_LIMIT, give
 * everything back and leave no file behind; and succeed once k is beyond its last allocation. */
#include "tests/unit/unit.h"
#include <omp.h>
#include "base/file.h"
#include "base/mem.h"
#include "hwprofiles/formats/server_import.h"
#include "hwprofiles/model/server.h"
#include "planner/exports/export.h"
#include "planner/running/observed_compare.h"
#include "planner/running/refresh.h"
#include "planner/engine/study.h"
#include "simulator/replay/batches.h"
#include "simulator/execute/execute_doc.h"
#include "simulator/movement/simulated.h"
#include "traces/builder/relabel.h"
#include "traces/formats/graph_import.h"

static struct err err;
static struct graph graph;
static struct graph_sets sets;
static struct server server;
static struct workload workload = {.hops = 2, .fanout = {2, 2}, .batch = 4, .seed = 7};
static char graph_path[300], plan_path[300], trace_path[300], edges_path[300], labels_path[300], valid_path[300],
    server_path[300];

#ifdef __SANITIZE_ADDRESS__
enum { STRIDE = 17 }; /* one run in so many: each takes twenty times as long */
#else
enum { STRIDE = 1 };
#endif
enum { MANY = 20000 };

/* Runs `job` with one k in `stride`, from 1 on; under the address sanitizer with fewer. */
static void some_k(const char *name, enum st (*job)(void), const char *output, uint64_t stride)
{
    uint64_t k = 1;
    for (; k < MANY; k += stride * STRIDE * test_step(37)) {
        uint64_t before = mem_in_use();
        err_clear(&err);
        mem_fail_at(k);
        enum st st = job();
        mem_fail_at(0);
        if (mem_in_use() != before)
            fail_msg("%s, allocation %d: %d bytes are still held", name, (int)k, (int)(mem_in_use() - before));
        if (st == ST_OK) break;
        if (st != ST_LIMIT || err.code != ST_LIMIT || !strstr(err.text, "memory"))
            fail_msg("%s, allocation %d: code %d: %s", name, (int)k, st, err.text);
        if (output && file_exists(output)) fail_msg("%s, allocation %d: %s was left behind", name, (int)k, output);
    }
    assert_true(k > 1 && k < MANY);
    if (output) assert_true(file_exists(output));
    print_message("# %s: %d allocations\n", name, (int)k - 1);
}

static void every_k(const char *name, enum st (*job)(void), const char *output) { some_k(name, job, output, 1); }

static enum st job_import(void)
{
    char *sources[] = {edges_path};
    struct import_options o = {.sources = sources,
                               .source_count = 1,
                               .labels = labels_path,
                               .valid = valid_path,
                               .train_share = 0.5,
                               .seed = 1,
                               .feature_dim = 12,
                               .feature_type = "f32",
                               .threads = 1};
    return graph_import(&o, graph_path, NULL, &err);
}

static enum st job_open(void)
{
    struct graph g = {0};
    struct graph_sets s = {0};
    enum st st = graph_open(graph_path, 1, &g, &err);
    if (st == ST_OK) st = graph_sets_open(&g, 1, &s, &err);
    graph_sets_close(&s);
    graph_close(&g);
    return st;
}

static char relabelled_path[300];

static enum st job_relabel(void)
{
    static const uint32_t turned[16] = {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    struct graph_facts facts = {.name = "r",
                                .sample = "in",
                                .feature_dim = 12,
                                .feature_bytes = 4,
                                .feature_type = "f32",
                                .origin = "test",
                                .train_origin = "test",
                                .relabelled = "test"};
    struct graph g = {0};
    struct graph_sets s = {0};
    enum st st = graph_open(graph_path, 1, &g, &err);
    if (st == ST_OK) st = graph_sets_open(&g, 1, &s, &err);
    if (st == ST_OK) st = relabel_graph(&g, &s, turned, &facts, relabelled_path, 1, NULL, &err);
    graph_sets_close(&s);
    graph_close(&g);
    return st;
}

static enum st job_server(void)
{
    struct server s = {0};
    enum st st = server_load("siton", &s, &err);
    server_release(&s);
    return st;
}

static enum st job_server_import(void)
{
    struct server s = {0};
    const struct server_import_options wants = {0};
    char warning[1000];
    enum st st = server_import((const char *const[]){server_path}, 1, &wants, &s, warning, sizeof warning, &err);
    server_release(&s);
    return st;
}

static struct study_options options(void)
{
    return (struct study_options){.graph = &graph,
                                  .server = &server,
                                  .kernels = &kernels_cpu,
                                  .workload = workload,
                                  .presample_epochs = 2,
                                  .simulate_epochs = 2,
                                  .simulate_seed = 99,
                                  .partition = "auto",
                                  .threads = 1,
                                  .reservation = {.total = 0},
                                  .timing = {.setup = {.gnn = {GNN_SAGE, 16, 4},
                                                       .pipelined = true,
                                                       .cpu = {.threads = {1, 1, 1}}}}};
}

static enum st job_record(void)
{
    struct study s;
    struct study_recording *recording;
    struct study_options o = options();
    study_begin(&s, &o);
    struct recording_key key = {.kind = ASSIGNMENT_HIERARCHICAL, .method = "auto", .epochs = o.presample_epochs};
    enum st st = study_record(&s, &key, &recording, &err);
    if (st == ST_OK) st = trace_save(recording->trace, &graph, trace_path, &err);
    study_end(&s);
    return st;
}

static enum st job_load_trace(void)
{
    struct trace t = {0};
    enum st st = trace_load(trace_path, &graph, &t, &err);
    trace_release(&t);
    return st;
}

static char calibration_path[400];
static enum st job_calibration(void)
{
    struct calibration c;
    return calibration_load(calibration_path, &c, &err);
}

static const char *policy_name, *deal = "clique";
static enum st save(const struct plan *p, const char *path)
{
    OWNED_DOC doc *simulated = simulated_document(p, p->simulated, &graph, true);
    return plan_save(p, &graph, path, simulated, NULL, &err);
}

static enum st job_plan(void)
{
    struct study s;
    struct study_cell cell = {0};
    struct study_options o = options();
    o.deal = deal;
    study_begin(&s, &o);
    enum st st = policy_find(policy_name, &cell.policy, &err);
    if (st == ST_OK) st = budget_parse("600", false, "budget", &cell.budget, &err);
    if (st == ST_OK) st = study_plan_all(&s, &cell, 1, &err);
    if (st == ST_OK) st = study_simulate(&s, &cell, 1, &err);
    if (st == ST_OK && cell.verdict.status == POLICY_OK) st = save(&cell.plan, plan_path);
    study_cell_release(&cell);
    study_end(&s);
    return st;
}

static enum st job_batches(void)
{
    struct plan p = {0};
    doc *d = NULL;
    const int first[] = {0, 1};
    enum st st = plan_load(plan_path, &graph, &p, &err);
    struct replay_request q = {.graph = &graph,
                               .assignment = &p.assignment,
                               .workload = &p.workload,
                               .line_bytes = p.line_bytes,
                               .seed = 5,
                               .epochs = 3,
                               .threads = 1};
    if (st == ST_OK) st = batches_save(&q, first, 2, in_scratch("B"), &d, &err);
    doc_free(d);
    plan_release(&p);
    return st;
}

static enum st job_replay(void)
{
    struct plan p = {0};
    struct replay r = {0};
    const struct placement *x = &p.placement;
    enum st st = plan_load(plan_path, &graph, &p, &err);
    struct replay_request q = {.graph = &graph,
                               .assignment = &p.assignment,
                               .workload = &p.workload,
                               .line_bytes = p.line_bytes,
                               .seed = 5,
                               .epochs = 3,
                               .threads = 1};
    if (st == ST_OK) st = replay_run(&q, &x, 1, &r, &err);
    replay_release(&r);
    plan_release(&p);
    return st;
}

static enum st job_execute(void)
{
    struct plan p = {0};
    struct execution x = {0};
    struct workload w;
    doc *d = NULL;
    struct execute_rows *rows = NULL;
    int tables = 0;
    enum st st = plan_load(plan_path, &graph, &p, &err);
    if (st == ST_OK) st = execute_rows_list(&graph, 64, 0, &rows, &tables, &err);
    if (st == ST_OK) {
        w = p.workload;
        w.seed = 5;
        struct execute_request q = {.setup = {.plan = &p,
                                              .graph = &graph,
                                              .workload = &w,
                                              .epochs = 2,
                                              .rows = rows,
                                              .tables = tables,
                                              .threads = 1},
                                    .executor = &executor_cpu,
                                    .only = -1,
                                    .check = CHECK_ALL};
        st = execute_run(&q, &x, &err);
        if (st == ST_OK) d = execute_document(&q, &x, NULL);
    }
    doc_free(d);
    mem_free(rows);
    execution_release(&x);
    plan_release(&p);
    return st;
}

static char observed_path[400];
static const char observed_line[] = "{\"schema\": \"observed/1\", \"gpu\": 0, \"epoch\": 0, \"batches\": 2, \"rows\": "
                                    "{\"own\": 1, \"peer\": 2, \"host\": 3}, "
                                    "\"bytes\": {\"own\": 48, \"peer\": 96, \"host\": 144}, \"seconds\": {\"sample\": "
                                    "0.5}}\n";

static enum st job_observe(void)
{
    struct plan p = {0};
    struct observed seen = {0};
    struct compared c = {0};
    enum st st = plan_load(plan_path, &graph, &p, &err);
    struct replay_request q = {.graph = &graph,
                               .assignment = &p.assignment,
                               .workload = &p.workload,
                               .line_bytes = p.line_bytes,
                               .seed = 5,
                               .threads = 1};
    if (st == ST_OK) st = observed_read(observed_path, &p, &graph, &seen, &err);
    if (st == ST_OK) st = observed_compare(&seen, &p, &q, 2, &c, &err);
    observed_release(&seen);
    compared_release(&c);
    plan_release(&p);
    return st;
}

static char refreshed_path[300];

/* Makes the next plan from the recording, as hotset refresh does, and counts what moves. */
static enum st job_refresh(void)
{
    struct study s;
    struct trace t = {0};
    struct refresh_moves moves;
    struct study_options o = options();
    struct study_cell cell = {.policy = &refresh_policy, .options_given = true, .option = {10}};
    static struct plan before;
    memset(&before, 0, sizeof before);
    enum st st = plan_load(plan_path, &graph, &before, &err);
    if (st == ST_OK) st = trace_load(trace_path, &graph, &t, &err);
    o.given = &t;
    o.before = &before;
    o.presample_epochs = t.epochs;
    study_begin(&s, &o);
    if (st == ST_OK) st = budget_parse("600", false, "budget", &cell.budget, &err);
    if (st == ST_OK) st = study_plan_all(&s, &cell, 1, &err);
    if (st == ST_OK) st = study_simulate(&s, &cell, 1, &err);
    if (st == ST_OK) st = refresh_count(&before, &cell.plan, &graph, &server, &moves, &err);
    if (st == ST_OK) st = save(&cell.plan, refreshed_path);
    study_cell_release(&cell);
    study_end(&s);
    trace_release(&t);
    plan_release(&before);
    return st;
}

static const struct export_target *target;
static char export_path[300];

/* Simulates and writes; legion's runs take a recording. */
static enum st export_all(const struct plan *p, const struct trace *t, struct export_runs *r, struct export_folder *f)
{
    struct export_input in = {.graph = &graph,
                              .sets = &sets,
                              .plan = p,
                              .server = &server,
                              .kernels = &kernels_cpu,
                              .trace = t,
                              .hbm_gbps = 300,
                              .threads = 1};
    struct replay_request q = {.graph = &graph,
                               .assignment = &p->assignment,
                               .workload = &p->workload,
                               .line_bytes = p->line_bytes,
                               .seed = 5,
                               .epochs = 2,
                               .threads = 1};
    enum st st = target->check(&in, &err);
    if (st == ST_OK) st = export_runs_begin(r, p, &err);
    if (st == ST_OK) st = target->runs(&in, r, &err);
    if (st == ST_OK) st = export_runs_simulate(r, &q, &err);
    if (st == ST_OK) st = export_folder_begin(f, export_path, &err);
    if (st == ST_OK) st = target->write(&in, f, &err);
    if (st != ST_OK) return st;
    doc *d = doc_object();
    doc_put(d, "schema", doc_text("export/1"));
    doc_put(d, "files", doc_copy(f->files));
    st = export_folder_commit(f, d, &err);
    doc_free(d);
    return st;
}

static enum st job_export(void)
{
    struct plan p = {0};
    struct trace t = {0};
    struct export_runs r = {0};
    struct export_folder f = {0};
    enum st st = plan_load(plan_path, &graph, &p, &err);
    struct trace_options o = {.epochs = 2, .line_bytes = p.line_bytes, .threads = 1};
    if (st == ST_OK && target->needs_trace) st = trace_record(&graph, &p.assignment, &p.workload, &o, &t, &err);
    if (st == ST_OK) st = export_all(&p, target->needs_trace ? &t : NULL, &r, &f);
    export_runs_release(&r);
    export_folder_release(&f);
    trace_release(&t);
    plan_release(&p);
    return st;
}

/* Every target that there is. */
static void exporting(void **state)
{
    (void)state;
    GOOD(graph_sets_open(&graph, 1, &sets, &err));
    assert_true(sets.labels && sets.valid_count);
    for (const struct export_target *const *t = exports_registered; *t; t++) {
        char folder[60];
        target = *t;
        snprintf(folder, sizeof folder, "E-%s", target->name);
        snprintf(export_path, sizeof export_path, "%s", in_scratch(folder));
        some_k(target->name, job_export, export_path, strcmp(target->name, "npy") ? 5 : 1);
    }
}

static void graphs(void **state)
{
    (void)state;
    every_k("graph import", job_import, graph_path);
    every_k("graph open", job_open, NULL);
    snprintf(relabelled_path, sizeof relabelled_path, "%s", in_scratch("G2"));
    every_k("graph relabel", job_relabel, relabelled_path);
}

static void servers(void **state)
{
    (void)state;
    uint64_t before = mem_in_use();
    mem_fail_at(1); /* a profile may need none of our arrays at all */
    enum st st = job_server();
    mem_fail_at(0);
    if (st != ST_OK) every_k("server load", job_server, NULL);
    assert_int_equal(mem_in_use(), before);
    every_k("server import", job_server_import, NULL);
}

static void recording(void **state)
{
    (void)state;
    GOOD(graph_open(graph_path, 1, &graph, &err));
    GOOD(server_load("siton", &server, &err));
    every_k("trace record", job_record, trace_path);
    every_k("trace load", job_load_trace, NULL);
    const char text[] = "{\"schema\": \"calibration/1\", \"points\": [{\"model_seconds\": 1, \"measured_seconds\": "
                        "2}]}";
    snprintf(calibration_path, sizeof calibration_path, "%s", put_file("c.json", text, sizeof text - 1));
    every_k("calibration", job_calibration, NULL);
}

/* Every policy that there is, new ones too. */
static void planning(void **state)
{
    (void)state;
    for (const struct policy *const *p = policies_registered; *p; p++) {
        policy_name = (*p)->name;
        every_k(policy_name, job_plan, NULL);
    }
    policy_name = "hotset"; /* all deals, each with its partition: 0.1 s a run */
    deal = "auto";
    some_k("hotset, deal auto", job_plan, NULL, 11);
    deal = "clique";
    policy_name = "legion";
    GOOD(job_plan());
}

static void replaying(void **state)
{
    (void)state;
    every_k("simulate", job_replay, NULL);
    every_k("export mini-batches", job_batches, NULL);
    every_k("execute", job_execute, NULL);
    snprintf(observed_path, sizeof observed_path, "%s", put_file("job.jsonl", observed_line, sizeof observed_line - 1));
    every_k("observe", job_observe, NULL);
    snprintf(refreshed_path, sizeof refreshed_path, "%s", in_scratch("P2"));
    every_k("refresh", job_refresh, refreshed_path);
}

static int begin(void **state)
{
    static const char edges[] = "0 1\n0 2\n0 3\n1 0\n1 2\n2 0\n2 1\n2 3\n2 4\n3 0\n3 2\n4 2\n4 5\n4 6\n6 4\n6 5\n6 "
                                "7\n7 0\n7 6\n8 9\n9 10\n10 11\n11 8\n12 0\n13 1\n14 2\n15 3\n";
    static const char labels[] = "0\n1\n2\n0\n1\n2\n0\n1\n2\n0\n1\n2\n0\n1\n2\nnan\n";
    static const char topo[] = "\tGPU0\tGPU1\nGPU0\t X \tNV2\nGPU1\tNV2\t X \n";
    omp_set_num_threads(1); /* so that the k-th allocation is the same one every time */
    if (scratch_make(state)) return -1;
    snprintf(edges_path, sizeof edges_path, "%s", put_file("edges.txt", edges, sizeof edges - 1));
    snprintf(labels_path, sizeof labels_path, "%s", put_file("labels.txt", labels, sizeof labels - 1));
    snprintf(valid_path, sizeof valid_path, "%s", put_file("valid.txt", "3\n5\n", 4));
    snprintf(server_path, sizeof server_path, "%s", put_file("topo.txt", topo, sizeof topo - 1));
    snprintf(graph_path, sizeof graph_path, "%s", in_scratch("G"));
    snprintf(plan_path, sizeof plan_path, "%s", in_scratch("P"));
    snprintf(trace_path, sizeof trace_path, "%s", in_scratch("T"));
    return 0;
}

static int end(void **state)
{
    server_release(&server);
    graph_sets_close(&sets);
    graph_close(&graph);
    return mem_in_use() != 0 || scratch_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(graphs),    cmocka_unit_test(servers),
                                       cmocka_unit_test(recording), cmocka_unit_test(planning),
                                       cmocka_unit_test(replaying), cmocka_unit_test(exporting)};
    return cmocka_run_group_tests(tests, begin, end);
}
