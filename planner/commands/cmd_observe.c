/* hotset observe - what a running job read, beside what its plan predicts. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/terminal.h"
#include "planner/running/observed_compare.h"
#include "planner/running/observed_timeline.h"
#include "planner/results/memories_print.h"
#include "planner/options/options.h"
#include "planner/engine/study.h"
#include "simulator/timeline/timeline_args.h"
#include "reports/tables/tables.h"

/* ---- a job beside its plan: the document observation/1, and the same for people ---- */

/* ---- the document ---- */

static doc *comparison_document(const struct observed_difference *c)
{
    return DOC(IS("observed", c->known ? doc_real(c->observed) : doc_null()),
               IS("simulated", c->known ? doc_real(c->simulated) : doc_null()),
               IS("difference", c->known ? doc_real(c->observed - c->simulated) : doc_null()),
               IS("noise", c->known ? doc_real(c->noise) : doc_null()), IS("differs", c->differs));
}

/* Seconds of a stage per epoch by the model, from the simulation that the plan states; NaN when it is not there. */
static double model_seconds(const doc *time, int id, const char *stage)
{
    const doc *gpus = doc_get(time, "gpus");
    double iterations = doc_number(time, "iterations");
    if (!strcmp(stage, "load")) return iterations * doc_number(doc_get(time, "stages"), stage);
    for (uint64_t i = 0; i < doc_size(gpus); i++)
        if (doc_integer_value(doc_get(doc_at(gpus, i), "id"), -1) == id)
            return iterations * doc_number(doc_at(gpus, i), stage);
    return NAN;
}

static doc *seconds_document(const struct observed *o, const struct observed_gpu *gpu, const doc *time, int id)
{
    doc *list = doc_array();
    for (int i = 0; i < o->stages; i++) {
        doc_append(list, DOC(IS("stage", o->stage[i]), IS("observed", gpu->seconds[i] / (double)gpu->epochs),
                             IS("model", model_seconds(time, id, o->stage[i]))));
    }
    return list;
}

/* k: [parts][gpus]. */
static doc *gpu_document(const struct observed *o, const struct compared *c, const struct plan *p, const doc *time,
                         const struct graph *graph, int k)
{
    char label[GRAPH_LABEL_BYTES];
    const struct observed_gpu *gpu = &o->gpu[k];
    const int id = p->assignment.id[k % o->gpus];
    doc *d = doc_object(), *rows = doc_object(), *bytes = doc_object();
    doc_put(d, "id", doc_integer(id));
    if (!graph_plain(graph))
        doc_put(d, "table", doc_text(graph_table_label(graph, observed_table(graph, k / o->gpus), label)));
    DOC_PUT(d, IS("epochs", gpu->epochs), IS("batches", gpu->batches));
    for (int i = 0; i < PLACES; i++) {
        doc_put(rows, place_word((enum served_by)i), comparison_document(&c->place[k][i]));
        doc_put(bytes, place_word((enum served_by)i), doc_integer((int64_t)gpu->bytes[i]));
    }
    DOC_PUT(d, IS("rows_per_batch", rows), IS("bytes", bytes),
            IS("seconds_per_epoch", seconds_document(o, gpu, time, id)));
    return d;
}

/* What was observed, simulated and predicted. time: epoch_time of the simulation that the plan states. Owned by the
 * caller; NULL members where something is not known. */
static doc *observe_document(const struct observed *o, const struct compared *c, const struct plan *p, const doc *time,
                             const struct graph *graph)
{
    doc *d = doc_object(), *gpus = doc_array(), *how = doc_object();
    int differ = c->hit.differs;
    for (int k = 0; k < o->parts * o->gpus; k++) {
        if (!o->gpu[k].batches) continue;
        for (int i = 0; i < PLACES; i++) differ += c->place[k][i].differs;
        doc_append(gpus, gpu_document(o, c, p, time, graph, k));
    }
    DOC_PUT(d, IS("schema", "observation/1"), IS("policy", p->policy), IS("server", p->server_name));
    DOC_PUT(how, IS("simulated_epochs", c->epochs), IS("comparisons", c->comparisons), IS("student_t", c->t));
    doc_put(d, "noise", how);
    doc *hit = comparison_document(&c->hit);
    doc_put(hit, "predicted", doc_real(p->predicted_feature_hit));
    DOC_PUT(d, IS("feature_hit_rate", hit), IS("all_gpus", c->all_gpus), IS("differ", differ), IS("gpus", gpus));
    return d;
}

/* ---- for people ---- */

/* Prints such a document. */
static void observe_print(const doc *d, FILE *to)
{
    const doc *hit = doc_get(d, "feature_hit_rate"), *how = doc_get(d, "noise");
    terminal_print(to,
                   "feature rows per mini-batch; the epochs were simulated %lld times, and noise is %.2f standard "
                   "errors\n",
                   (long long)doc_integer_value(doc_get(how, "simulated_epochs"), 0), doc_number(how, "student_t"));
    columns_show(observe_counts, doc_get(d, "gpus"), "rows_per_batch", to);
    char predicted[40] = "";
    if (doc_bool_value(doc_get(d, "all_gpus"), false) && isfinite(doc_number(hit, "predicted")))
        snprintf(predicted, sizeof predicted, ", predicted %.2f %%", 100 * doc_number(hit, "predicted"));
    terminal_print(to, "\nfeature hit rate%s: observed %.2f %%, simulated %.2f %% (noise ±%.2f points)%s%s\n",
                   doc_bool_value(doc_get(d, "all_gpus"), false) ? "" : " of the GPUs above",
                   100 * doc_number(hit, "observed"), 100 * doc_number(hit, "simulated"),
                   100 * doc_number(hit, "noise"), doc_bool_value(doc_get(hit, "differs"), false) ? ": differs" : "",
                   predicted);
    columns_print(&(struct column_table){.columns = observe_seconds,
                                         .rows = doc_get(d, "gpus"),
                                         .inner = "seconds_per_epoch",
                                         .before = "\n"},
                  to);
}

struct observe_args {
    const char *graph, *output;
    struct timeline_args timeline;
    int64_t epochs;
};

struct work {
    struct graph graph;
    struct plan plan;
    doc *stated; /* plan.json: its simulation has the model's seconds */
    struct observed observed;
    struct compared compared;
};

static enum st open_all(struct call *call, struct work *w, struct err *err)
{
    const struct observe_args *a = call->args;
    char path[PATH_BYTES];
    if (a->output) PASS(output_check(a->output, "observation/1", err));
    PASS(timeline_args_path(&a->timeline, a->output, err));
    PASS(options_plan(call->words[0], a->graph, call->threads, &w->graph, &w->plan, err));
    if (*w->plan.cache)
        return err_set(err, ST_NO,
                       "%s: its features are in a dynamic cache (%s), whose epochs are not alike; observe static plans",
                       call->words[0], w->plan.cache);
    PASS(path_join(path, call->words[0], "plan.json", err));
    PASS(doc_load(path, plan_schema(&w->graph), &w->stated, err));
    for (int i = 1; i < call->word_count; i++) {
        if (file_is_directory(call->words[i]))
            PASS(path_join(path, call->words[i], "observed.jsonl", err)); /* a recorder's */
        PASS(observed_read(file_is_directory(call->words[i]) ? path : call->words[i], &w->plan, &w->graph, &w->observed,
                           err));
    }
    return ST_OK;
}

static enum st compare(struct call *call, struct work *w, struct err *err)
{
    const struct observe_args *a = call->args;
    const struct plan *p = &w->plan;
    enum st st;
    uint64_t seed = call_given(call, "seed") ? (uint64_t)call->common.seed : study_held_out_seed(p->workload.seed);
    struct replay_request r = {.graph = &w->graph,
                               .assignment = &p->assignment,
                               .workload = &p->workload,
                               .line_bytes = p->line_bytes,
                               .seed = seed,
                               .threads = call->threads,
                               .progress = call_progress(call)};
    TRY(options_kernels(call, &r.kernels, err));
    options_say_sampler(call, r.kernels, &w->graph, &p->workload);
    stage_begin(&call->stages, "simulation");
    st = observed_compare(&w->observed, p, &r, (uint64_t)a->epochs, &w->compared, err);
    stage_end(&call->stages);
done:
    return st;
}

static enum st observe_run(struct call *call, struct err *err)
{
    const struct observe_args *a = call->args;
    enum st st;
    struct work *w = NULL;
    OWNED_DOC doc *d = NULL, *drawn = NULL;
    const doc *simulated, *time;
    NEW(w, 1, "counters");
    TRY(open_all(call, w, err));
    TRY(compare(call, w, err));
    simulated = doc_get(w->stated, "simulated");
    time = doc_get(simulated, "epoch_time");
    d = observe_document(&w->observed, &w->compared, &w->plan, time, &w->graph);
    if (a->timeline.path) TRY(observed_timeline(&w->observed, &w->plan, time, a->timeline.path, &drawn, err));
    if (drawn) doc_put(d, "timeline", doc_copy(drawn));
    if (call_prints(call)) observe_print(d, call->out);
    if (drawn && call_prints(call)) timeline_print(&a->timeline, drawn, call->out);
    memories_beside(call, &w->plan, simulated, "rows of the host above are those of all these places together", d);
    if (a->output) TRY(doc_save(d, a->output, err));
    int64_t differ = doc_integer_value(doc_get(d, "differ"), 0);
    TRY(call_finish(call, TAKE(d), err));
    if (differ)
        FAIL(ST_NO,
             "%lld of %d counts differ from the plan's simulation by more than noise; was the job run with this plan, "
             "its sampler and its fan-outs?",
             (long long)differ, w->compared.comparisons);
done:
    if (w) {
        observed_release(&w->observed);
        compared_release(&w->compared);
        plan_release(&w->plan);
        doc_free(w->stated);
        graph_close(&w->graph);
    }
    mem_free(w);
    return st;
}

static const struct param params[] = {
    OPTION_GRAPH(struct observe_args, graph, PLAN_GRAPH),
    OPTION_RENAMED("epochs", "noise-epochs"),
    OPTION_INTEGER("noise-epochs", 0, struct observe_args, epochs, "K", "8", 2, 10000,
                   "Epochs to simulate, each from a seed of its own; more of them tell smaller differences from "
                   "noise."),
    OPTION_WRITES("timeline", 0, struct observe_args, timeline.path, "T.json", NULL,
                  "Also write the job's mean mini-batch over time, beside the model's, for Perfetto."),
    OPTION_DOCUMENT(struct observe_args, output, "O.json"),
    {0},
};

static const char about[] =
    "A job that runs a plan appends a line per GPU and epoch to a file: rows and bytes that own memory,\n"
    "peers and the host served, and seconds per stage. hotset.pyg writes it (Planned(.., observe=FILE)),\n"
    "and so do hotset_observe of libhotset and hotset.observe in Python:\n"
    "  {\"schema\": \"observed/1\", \"gpu\": 0, \"epoch\": 0, \"batches\": 24, \"rows\": {\"own\": 9, \"peer\": 5,\n"
    "  \"host\": 2}, \"bytes\": {\"own\": 900, \"peer\": 500, \"host\": 200}, \"seconds\": {\"sample\": 0.2}}\n"
    "Of several types there is a line for each, named in \"table\": \"paper\" (edges: \"author-writes->paper\").\n"
    "The command simulates K epochs of the plan and compares, per GPU and place, the rows per mini-batch.\n"
    "Noise: the K epochs are independent and have a standard deviation s. The mean of a job with as many\n"
    "mini-batches as J epochs differs from theirs by t s sqrt(1/J + 1/K) at most, with Student's t for\n"
    "K - 1 degrees of freedom and 5 % divided by the number of comparisons: of 20 jobs that follow their\n"
    "plan, one is told of a difference. Larger ones have a cause: another sampler or fan-outs, lists\n"
    "filled wrongly, peers not read, or a graph that changed since (then see 'hotset refresh').\n"
    "Exit code 1: some count differs by more than noise.";

extern const struct command cmd_observe;
const struct command cmd_observe = {.name = "observe",
                                    .stage = COMMAND_JOB,
                                    .rank = 2,
                                    .summary = "compare what a running job read with its plan: what differs, and "
                                               "whether it is noise",
                                    .arguments = "P COUNTERS.jsonl.. [options]",
                                    .params = params,
                                    .usual = "graph noise-epochs timeline output",
                                    .each_node = true,
                                    .args_size = sizeof(struct observe_args),
                                    .words_low = 2,
                                    .words_high = 129,
                                    .run = observe_run,
                                    .about = about,
                                    .examples = "  hotset observe P job.jsonl\n"
                                                "  hotset observe P job.jsonl --timeline T.json    # a mini-batch over "
                                                "time, in Perfetto\n"
                                                "  hotset observe P job.jsonl --noise-epochs 32 --json   # finer, as a "
                                                "document"};
