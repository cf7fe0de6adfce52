/* hotset size - what should we buy? The smallest budget, number of GPUs or server that meets targets, and the curves
 * behind the answer. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/commands/asked_what_if.h"
#include "planner/commands/elsewhere.h"
#include "planner/places/memory_args.h"
#include "planner/engine/thin.h"
#include "planner/decisions/size_ask.h"
#include "planner/decisions/size_batch.h"
#include "planner/decisions/size_document.h"
#include "planner/commands/like.h"
#include "planner/decisions/size_holds.h"
#include "planner/decisions/size_premises.h"
#include "planner/decisions/size_inference.h"
#include "planner/decisions/size_kept.h"
#include "planner/decisions/size_part.h"
#include "planner/decisions/size_print.h"
#include "planner/decisions/size_stand_in.h"
#include "planner/decisions/size_training.h"
#include "planner/decisions/size_variants.h"
#include "planner/options/cached_types.h"
#include "planner/options/input_options.h"
#include "planner/options/job_array_script.h"
#include "planner/options/option_uses.h"
#include "traces/graph/graph_element.h"
#include "traces/synth/synth_options.h"

struct size_args {
    const char *graph, *like, *target, *policy, *vary, *output, *second_job, *most, *best, *cache_type, *reverse,
        *repeated;
    double scale, train_share;
    int64_t steps, repeats, id_bytes, copies;
    struct int_list nodes;
    bool explain_budget, explain, what_if;
    struct job_array_args array;
    struct size_training_args training;
    struct size_lists lists;
    struct workload_args workload;
    struct study_args study;
    struct inference_args inference;
};

/* What the steps share. */
struct sizing {
    const struct size_args *a;
    struct size_question q;
    struct size_vary vary;
    struct size_lists lists;
    struct size_variants variants;
    struct stand_in stand_in; /* of --stand-in; its graph is what is planned */
    struct graph given;       /* of --graph */
    struct size_graph graph;
    double scale;             /* of --stand-in */
    const char *element;      /* of a stand-in with several types, for all of them; NULL: the data set's, or a list */
    struct graph typed[5];    /* the stand-in, where it has several types, by bytes of an element of all of them */
    struct size_curve *curve; /* [variants.count] */
    struct size_repeat repeat[SIZE_REPEATS_MAX];
    struct job_array_task task;   /* of an array; parts 0: all curves are run here */
    char file[PATH_BYTES];        /* that is written; "" none */
    struct checkpoint checkpoint; /* keeps finished curves beside it */
    bool answered;                /* the document is written, so they are not needed any more */
};

static enum st ask(struct call *call, struct sizing *z, struct err *err)
{
    const struct size_args *a = z->a;
    z->q = (struct size_question){.call = call, .study = &a->study, .workload = &a->workload, .steps = (int)a->steps};
    PASS(job_array_check(call, &a->array, a->output, "a size question", &z->task, z->file, err));
    if (a->like && job_array_asked(&a->array))
        return err_set(err, ST_USAGE,
                       "--stand-in: stand-ins are small and their curves do not run in parts; leave --slurm-array, "
                       "--cells "
                       "and --merge-cells out");
    if (a->graph && a->like)
        return err_set(err, ST_USAGE, "--graph (a graph) and --stand-in (for one) exclude each other");
    if (a->study.simulate_epochs == 0)
        return err_set(err, ST_USAGE,
                       "--simulate-epochs: 0 simulates nothing, but size needs simulations; expected 1 or more, or -1");
    if (!(a->train_share >= 0 && a->train_share <= 1))
        return err_set(err, ST_USAGE, "--train-share: %g is out of range; expected a share above 0 and up to 1",
                       a->train_share);
    if (!(a->scale >= 0 && a->scale <= 1))
        return err_set(err, ST_USAGE, "--scale: %g is out of range; expected a number above 0 and up to 1", a->scale);
    if (a->scale > 0 && !a->like)
        return err_set(err, ST_USAGE, "--scale: is the size of a stand-in (--stand-in); a graph is taken as it is");
    PASS(stand_in_named(a->like, a->reverse, err));
    z->lists = a->lists;
    const char *types = a->lists.feature_type;
    if (a->like && stand_in_typed(a->like) && types && !strchr(types, ',')) { /* all of its types get it */
        if (strcmp(types, "f32") && strcmp(types, "f16") && strcmp(types, "i8"))
            return err_set(err, ST_USAGE,
                           "--feature-type: '%.40s' is not a type that %s can have; expected one of f32, f16, i8",
                           types, a->like);
        z->element = types;
        z->lists.feature_type = NULL;
    }
    z->scale = a->scale > 0 || !a->like ? a->scale : stand_in_scale(a->like);
    if (a->target) PASS(size_targets(a->target, z->q.target, &z->q.targets, err));
    if (a->vary) PASS(size_vary_parse(a->vary, &z->vary, err));
    PASS(size_ask_size(a->second_job, "--second-job", &z->q.second_job, err));
    if (a->id_bytes != 4 && a->id_bytes != 8)
        return err_set(err, ST_USAGE, "--id-bytes: %d is no size of an id; give 4 or 8", (int)a->id_bytes);
    z->q.id_bytes = (int)a->id_bytes;
    z->q.copies = (int)a->copies;
    z->q.nodes = a->nodes;
    z->q.like = a->like;
    z->q.cache_type = a->cache_type;
    PASS(size_training_ask(&a->training, a->inference.evaluate, &a->study, &z->q, err));
    PASS(size_ask_size(a->most, "--most", &z->q.most, err));
    PASS(policy_parse(a->policy, &z->q.policy, z->q.option, err));
    const struct options_given given = {.call = call, .study = &a->study, .workload = &a->workload};
    PASS(option_uses_check(&given, &z->q.policy, 1, err));
    if (*z->file) PASS(output_check(z->file, "size/1|size-part/1", err));
    PASS(options_kernels(call, &z->q.kernels, err));
    options_say_workload(call, &a->workload);
    return ST_OK;
}

static enum st open_graph(struct call *call, struct sizing *z, struct err *err)
{
    const struct size_args *a = z->a;
    if (a->like) {
        PASS(stand_in_make(call, a->like, z->scale, a->reverse, a->train_share, z->element, (uint64_t)call->common.seed,
                           &z->stand_in, err));
        z->graph = (struct size_graph){&z->stand_in.graph, 1 / z->scale, z->stand_in.trains, {NULL}};
        z->q.reversed = stand_in_reversed(a->like, z->graph.graph);
    } else {
        PASS(options_graph(a->graph, call->threads, &z->given, err));
        z->graph = (struct size_graph){&z->given, 1, 1, {NULL}};
    }
    if (!graph_plain(z->graph.graph) && call_given(call, "feature-type") && !a->like)
        return err_set(err, ST_USAGE, "--feature-type: %s has several types, each with an element of its own",
                       a->graph);
    if (a->cache_type) PASS(cached_types_set(a->cache_type, a->like ? &z->stand_in.graph : &z->given, err));
    return ST_OK;
}

/* The stand-in with every element that variants list, where it has several types. */
static enum st list_elements(struct sizing *z, struct err *err)
{
    const struct graph *g = z->graph.graph;
    for (int i = 0; i < z->variants.count && !graph_plain(g); i++) {
        uint64_t element = z->variants.list[i].element;
        if (!element || z->graph.as[element]) continue;
        PASS(graph_with_element(g, size_element_name(element), &z->typed[element], err));
        if (z->a->cache_type) PASS(cached_types_set(z->a->cache_type, &z->typed[element], err));
        z->graph.as[element] = &z->typed[element];
    }
    return ST_OK;
}

/* What follows from options and servers alone. */
static enum st begin_curves(struct sizing *z, struct err *err)
{
    if (!z->q.steps) z->q.steps = z->q.study->exact ? SIZE_EXACT_STEPS : SIZE_STEPS;
    MAKE(z->curve, z->variants.count, "curves");
    for (int i = 0; i < z->variants.count; i++)
        PASS(size_curve_begin(&z->q, &z->graph, &z->variants.list[i], &z->curve[i], err));
    size_label_curves(z->curve, z->variants.count);
    if (size_varies(&z->vary, VARY_BUDGET)) size_steps(&z->q, z->curve, z->variants.count);
    return ST_OK;
}

/* ---- a Slurm array, and runs that continue ---- */

/* What curves depend on, stated by parts and by what is kept of an interrupted run. *out: the caller frees it. */
static enum st curve_inputs(const struct sizing *z, doc **out, struct err *err)
{
    OWNED_DOC doc *inputs = doc_object();
    for (int i = 0; i < z->variants.count; i++)
        if (!i || strcmp(z->variants.list[i].server, z->variants.list[i - 1].server))
            PASS(resume_load_server(inputs, z->variants.list[i].server, err));
    resume_add_path(inputs, "calibration file", z->a->study.timing.calibration);
    resume_add_path(inputs, "file of parts", z->a->study.parts);
    resume_add_path(inputs, "file of prices", z->a->training.prices);
    *out = TAKE(inputs);
    return ST_OK;
}

/* A task of an array writes its part; whether targets are met is said when all parts are put together. */
static enum st run_task(struct call *call, struct sizing *z, const doc *about, struct err *err)
{
    OWNED_DOC doc *rows = NULL;
    PASS(size_part_run(&z->q, &z->graph, z->curve, z->variants.count, &z->task, &rows, err));
    return job_array_save(call, z->file, SIZE_PART_SCHEMA, &z->task, about, rows, err);
}

/* Runs all curves, or those of a task, or takes them from the parts. */
static enum st fill_curves(struct call *call, struct sizing *z, struct err *err)
{
    const struct job_array_args *a = &z->a->array;
    OWNED_DOC doc *about = NULL, *inputs = NULL;
    const struct size_kept kept = {&z->checkpoint, "curve"};
    for (int i = 0; i < z->variants.count; i++)
        if (!z->task.parts || i % z->task.parts == z->task.part)
            size_say_curve(call, &z->curve[i], z->a->explain_budget);
    size_say_batch(&z->q, &z->graph, z->curve, z->variants.count);
    thin_say(call, size_rows_share(&z->q, z->graph.graph));
    PASS(curve_inputs(z, &inputs, err));
    if (!job_array_asked(a)) {
        const char *file = *z->file ? z->file : NULL;
        PASS(size_kept_open(call, &z->a->study.resume, file, z->graph.graph, inputs, &z->checkpoint, err));
        return size_curves_run(&z->q, &z->graph, &kept, z->curve, z->variants.count, err);
    }
    about = resume_about(call, z->graph.graph, inputs);
    if (a->cells) PASS(run_task(call, z, about, err));
    else PASS(size_part_merge(&z->q, z->a->output, (int)a->merge_cells, about, z->curve, z->variants.count, err));
    return ST_OK;
}

/* The shown curve on stand-ins of another seed, and of half the scale. */
static enum st run_repeats(struct call *call, struct sizing *z, const struct size_curve *shown, struct err *err)
{
    OWNED_BY(stand_in_release) struct stand_in s = {0};
    bool listed = stand_in_typed(z->a->like) && shown->of.element;
    const char *element = listed ? size_element_name(shown->of.element) : z->element;
    char name[32];
    const struct size_kept kept = {&z->checkpoint, name};
    for (int i = 0; i < z->a->repeats; i++) {
        struct size_repeat *r = &z->repeat[i];
        r->scale = i % 2 ? z->scale / 2 : z->scale;
        r->seed = (uint64_t)call->common.seed + (uint64_t)(i + 2) / 2 - (i % 2 ? 1 : 0);
        PASS(stand_in_make(call, z->a->like, r->scale, z->a->reverse, z->a->train_share, element, r->seed, &s, err));
        if (z->a->cache_type) PASS(cached_types_set(z->a->cache_type, &s.graph, err));
        snprintf(name, sizeof name, "repeat%d-", i);
        struct size_graph g = {&s.graph, 1 / r->scale, s.trains, {NULL}};
        PASS(size_curve_begin(&z->q, &g, &shown->of, &r->curve, err));
        PASS(size_curves_run(&z->q, &g, &kept, &r->curve, 1, err));
        stand_in_release(&s);
        memset(&s, 0, sizeof s);
    }
    return ST_OK;
}

static enum st tell(struct call *call, const struct size_result *r, struct sizing *z, struct err *err)
{
    const struct size_args *a = z->a;
    char sentence[SIZE_SENTENCE];
    OWNED_NEW(struct premises, premises, 1, "premises");
    PASS(size_premises(call, r, &a->workload, &a->study, premises, err));
    PASS(premises_end(call, premises, a->study.strict, err));
    OWNED_DOC doc *d = size_document(r);
    doc_put(d, "premises", premises_document(premises));
    PASS(size_holds_put(d, &r->q->errors, (uint64_t)call->common.seed, a->what_if, err));
    if (a->output) PASS(doc_save(d, a->output, err));
    z->answered = true;
    if (a->array.merge_cells) job_array_remove(a->output, (int)a->array.merge_cells);
    if (call_prints(call)) size_print(d, a->explain, call->out);
    if (!asked_what_if_print(call, d, a->explain) && a->what_if)
        call_say(call, "no what-if: none of the options has an epoch time");
    PASS(call_finish(call, TAKE(d), err));
    size_sentence(r, sentence);
    if (size_unsure(r)) return err_set(err, ST_INPUT, "%.900s", sentence);
    if (r->chosen < 0) return err_set(err, ST_NO, "%.900s", sentence);
    return ST_OK;
}

/* Chooses between what can be bought, and says what was found. */
static enum st answer(struct call *call, struct sizing *z, struct err *err)
{
    int count = z->variants.count;
    struct size_result r = {.q = &z->q,
                            .vary = &z->vary,
                            .graph = z->graph.graph,
                            .trains = z->graph.trains,
                            .given = z->a->graph,
                            .like = z->a->like,
                            .scale = z->scale,
                            .curves = z->curve,
                            .count = count,
                            .primary = size_primary(&z->q, z->curve, count),
                            .repeat = z->repeat};
    OWNED_NEW(struct size_option, options, SIZE_OPTIONS_MAX, "options");
    size_decide(&r, z->a->best, 0, options);
    if (z->a->like && r.shown >= 0) {
        PASS(run_repeats(call, z, &z->curve[r.shown], err));
        r.repeats = (int)z->a->repeats;
        size_decide(&r, z->a->best, size_spread(&r), options);
    }
    return tell(call, &r, z, err);
}

/* --job inference: one pass of every server, with its best order and chunk size. */
static enum st run_inference(struct call *call, const struct size_args *a, struct err *err)
{
    static const char *const also[] = {"stand-in", "scale", "reverse-edges", "train-share", "target", NULL};
    const struct memory_args memory = {.memory = a->lists.host_memory, .ssd = a->lists.ssd, .nodes = 1};
    const struct size_inference size = {.given = {.args = &a->inference,
                                                  .workload = &a->workload,
                                                  .timing = &a->study.timing,
                                                  .memory = &memory,
                                                  .graph = a->graph,
                                                  .partition = a->study.partition,
                                                  .also = also},
                                        .servers = a->lists.server,
                                        .target = a->target,
                                        .like = a->like,
                                        .output = a->output,
                                        .reverse = a->reverse,
                                        .scale = a->scale,
                                        .train_share = a->train_share};
    return size_inference_run(call, &size, err);
}

static enum st size_run(struct call *call, struct err *err)
{
    struct sizing *z = NULL;
    enum st st;
    const struct size_args *args = call->args;
    if (inference_asked(&args->inference)) return run_inference(call, args, err);
    TRY(inference_refuse(call, &args->inference, "evaluate", err));
    NEW(z, 1, "a size question");
    z->a = args;
    TRY(ask(call, z, err));
    TRY(open_graph(call, z, err));
    TRY(size_variants_make(&z->lists, &z->vary, &z->a->workload, z->graph.graph->feature_bytes, &z->variants, err));
    if (*z->variants.left_out) call_say(call, "left out: %s", z->variants.left_out);
    if (z->variants.dropped)
        call_say(call, "%d combinations are listed more than once; each is taken once", z->variants.dropped);
    TRY(list_elements(z, err));
    TRY(begin_curves(z, err));
    if (z->a->array.slurm_array) { /* all was checked but for the curves themselves */
        job_array_script_print(call, "size", "a size question", (int)z->a->array.slurm_array, call->out);
        goto done;
    }
    TRY(fill_curves(call, z, err));
    if (!z->task.parts) TRY(answer(call, z, err));
done:
    if (z) {
        resume_close(call, &z->checkpoint, z->answered ? ST_OK : st);
        for (size_t i = 0; i < sizeof z->typed / sizeof *z->typed; i++) graph_element_release(&z->typed[i]);
        stand_in_release(&z->stand_in);
        size_prices_release(&z->q.prices);
        graph_close(&z->given);
        mem_free(z->curve);
    }
    mem_free(z);
    return st;
}

static const struct param params[] = {
    OPTION_GRAPH(struct size_args, graph, ""),
    OPTION_TEXT("stand-in", 0, struct size_args, like, "NAME", NULL,
                "Data set that a stand-in takes the place of: a random graph with its published counts; 'hotset graph "
                "synth -h' lists them."),
    OPTION_LIKE(struct size_args, repeated),
    OPTION_REAL("scale", 0, struct size_args, scale, "S", "0", 0, 0,
                "Size of the stand-in relative to the data set. Budgets and mini-batches are scaled with it; printed "
                "numbers are for the full size. 0: about 250,000 vertices, or 5 million arcs."),
    OPTION_INTEGER("repeats", 0, struct size_args, repeats, "N", "2", 0, SIZE_REPEATS_MAX,
                   "Further stand-ins (another seed, half the scale, ..), for the spread of the answer."),
    OPTION_REVERSE_EDGES(struct size_args, reverse,
                         " [default: as the field's examples train the data set, 'hotset list datasets' says which; "
                         "of a stand-in]"),
    OPTION_TRAIN_SHARE(struct size_args, train_share, NULL,
                       " [default: the data set's own (papers100m 1.09 %); of a stand-in]"),
    OPTION_SERVER(struct size_args, lists.server, "S,S2", NULL, ""),
    OPTION_TEXT("target", 't', struct size_args, target, "LIST", NULL,
                "Targets that must all be met: hit-rate>=0.9, topology-hit-rate>=90%, transactions<=5M, "
                "epoch-time<=500ms, and of the whole training (--training-epochs) training-time<=24h, cost<=500, "
                "energy<=20kWh "
                "[default: none]."),
    OPTION_LIST("gpus", 0, struct size_args, lists.gpus, "LIST", NULL, 1, SERVER_GPUS_MAX,
                "GPU counts to try: the first N GPUs of each server [default: all]."),
    OPTION_WORD("nvlink", 0, struct size_args, lists.nvlink, "WAY", NULL, "with|without|both",
                "Plan with the servers' NVLinks, with NVLink disabled, or both [default: with]."),
    OPTION_TEXT("feature-type", 0, struct size_args, lists.feature_type, "LIST", NULL,
                "Element types of feature rows to try: f32, f16, i8 [default: the graph's]."),
    OPTION_CACHE_TYPE(struct size_args, cache_type),
    OPTION_TEXT("fanouts", 0, struct size_args, lists.fanouts, "LIST", NULL,
                "Fan-outs to try, separated by '/', as in 25,10/15,5 [default: --fanout]."),
    OPTION_TEXT("batches", 0, struct size_args, lists.batches, "LIST", NULL,
                "Mini-batch sizes per GPU to try; SERVER=N is of that server alone, as in 2048,dgx-b200=4096 "
                "[default: --batch]."),
    OPTION_TEXT("grow", 0, struct size_args, lists.grow, "LIST", NULL,
                "Futures of the graph: how many times as large it will be (vertices, arcs, training vertices). The "
                "answer is of the largest; each has its own, and where servers stop is named [default: 1]."),
    OPTION_RENAMED("share", "memory-share"),
    OPTION_TEXT("memory-share", 0, struct size_args, lists.share, "LIST", NULL,
                "Shares of every GPU's memory that this job may use, to try [default: 1]."),
    OPTION_TEXT("second-job", 0, struct size_args, second_job, "SIZE", NULL,
                "Memory that another training job takes on every GPU."),
    SIZE_TRAINING_PARAMS(struct size_args, training),
    OPTION_WORD("best", 0, struct size_args, best, "WHAT", NULL, SIZE_OBJECTIVE_WORDS,
                "What the answer has least of [default: money where prices are known, else time]."),
    OPTION_LIST("nodes", 0, struct size_args, nodes, "LIST", NULL, 1, 64,
                TRAINING_NODES(" [default: 1, where NICs are stated 2 and 4, and the fewest that hold the graph]")),
    OPTION_TEXT("host-memory", 0, struct size_args, lists.host_memory, "SIZE,..", NULL,
                "Memory of each server's host, to try; a share (60%) of topology and features is what holds these "
                "beside the "
                "system and the loader [default: what its description states]."),
    OPTION_INTEGER("id-bytes", 0, struct size_args, id_bytes, "N", "4", 4, 8,
                   "Bytes of a vertex id in host memory: 4, or 8 as PyG and DGL keep them unasked."),
    OPTION_INTEGER("copies", 0, struct size_args, copies, "N", "1", 1, 1024,
                   "Copies of graph and feature rows in the memory of a host: 1 where processes share them, as many as "
                   "GPUs where each process loads its own."),
    OPTION_SSD(struct size_args, lists.ssd, "DRIVES,..", " [default: none]"),
    OPTION_TEXT("nic-gbps", 0, struct size_args, lists.nic, "LIST", NULL,
                NODE_NIC(" [default: all its NICs together]")),
    OPTION_CASE(struct size_args, training.cases),
    OPTION_POLICY(struct size_args, policy, "NAME", "hotset", ""),
    OPTION_INTEGER("steps", 0, struct size_args, steps, "N", NULL, 1, 100,
                   "Budgets to try, from 0 to the largest that fits; below the first that meets the targets the grid "
                   "is 16 times as fine (8 with --exact) [default: 8; 16 with --exact]."),
    OPTION_TEXT("most", 0, struct size_args, most, "SIZE", NULL,
                "Largest cache per GPU to try [default: what the reservation leaves, or what holds everything]."),
    OPTION_TEXT("vary", 0, struct size_args, vary, "X,Y", NULL,
                "Print a map over two of " SIZE_VARY_WORDS "; those without a list of their own take a default list."),
    OPTION_EXPLAIN(struct size_args, explain),
    OPTION_WHAT_IF(struct size_args, what_if),
    OPTION_EXPLAIN_BUDGET(struct size_args, explain_budget),
    OPTION_DOCUMENT(struct size_args, output, "R.json"),
    JOB_ARRAY_PARAMS(struct size_args, array),
    WORKLOAD_PARAMS(struct size_args, workload),
    QUICK_STUDY_PARAMS(struct size_args, study),
    INFERENCE_PARAMS(struct size_args, inference),
    {0},
};

static const char about[] =
    "Capacity planning: what to buy. Tries every server with every number of servers, GPU count, feature\n"
    "type, fan-out and so on that you list: does it hold the graph (GPU and host memory, SSDs), what is\n"
    "cached where, how long do an epoch and the training (--training-epochs) take, what do they cost and draw, and\n"
    "what binds. Each time has a 90 % interval from how far predictions were off in 'hotset lab validate'; a\n"
    "target's verdict is surely (all of the interval meets; tenfold, where no iteration as short was\n"
    "validated), probably (its middle does), not, or unknown (a number is missing). The answer has least\n"
    "money, time or energy (--best) among those of the best verdict; what has no price is not ranked by\n"
    "money. It is printed last, with reasons, the runner-up, when the choice holds, and the plan's command.\n"
    "What does not hold the graph is refused, with what would. Of more than 20 options, tables and pages\n"
    "have those that matter: not beaten in time, money and energy, and of every configuration the best\n"
    "number of servers; the document has all\n"
    "(options, with listed). Prices and watts are data with their date and source.\n\n"
    "With --ssd a host may be smaller than the graph, its topology included: GPUs, DRAM and SSDs are then\n"
    "planned as one problem, as 'hotset plan --host-memory, --ssd' does, with the largest cache that fits.\n\n"
    "The cache gets the GPU memory that training leaves: memory minus model, optimizer, activations,\n"
    "input rows, sampled blocks, workspace, context and a margin (--explain-budget prints every formula;\n"
    "--reserve gives a measured size or PaGraph's rule). A combination that does not fit is listed with\n"
    "the bytes that are missing.\n\n"
    "Of several futures (--grow 1,10,100) the answer is of the largest, never of a smaller one because it is\n"
    "cheaper; each has an answer of its own, and the first that a server does not hold, or misses in, is named.\n"
    "A training's time, money and energy are of its steps; --evaluate, --storage-gbps and --start-up add the rest of\n"
    "a run, by parts, and what is left out is said. --buy states what an hour costs that is bought, beside rent.\n\n"
    "The knee is the point of the curve beyond which more memory saves less than the average of the whole\n"
    "curve; --explain prints it, and what another GiB per GPU saves. Without a\n"
    "graph, --stand-in generates small random graphs with the published counts of a data set and states how\n"
    "far their results spread.\n"
    "Lists of --host-memory, --ssd and --nic-gbps find how much host memory, how many SSDs and which network\n"
    "are enough: of what meets the targets and costs the same (prices are of servers) the first is taken, so\n"
    "list what you would rather buy first.\n\n"
    "'--slurm-array N' prints a script that runs the combinations as N tasks of Slurm\n"
    "(planner/RANKS.md). Only the last job, which puts the parts together, answers.\n\n"
    "Exit code 1: no combination meets the targets. Exit code 3: none is known to meet them, and some\n"
    "cannot be evaluated, because their server's description lacks constants or a price.";

static const char examples[] = "  hotset size --graph G --server dgx-v100 --target 'hit-rate>=0.9'                # "
                               "how much cache?\n"
                               "hotset size --graph G --server p3.16xlarge,p4d.24xlarge --gpus 1,2,4,8 --target "
                               "'epoch-time<=2s' -o R.json\n"
                               "hotset size --stand-in papers100m --server dgx-v100 --target 'transactions<=100M'   # "
                               "before there is a graph\n"
                               "hotset size --stand-in igbh-full --server dgx-h100,p5.48xlarge --training-epochs 100 "
                               "--within 24h\n"
                               "hotset size --stand-in igbh-full --server dgx-h200 --training-epochs mlperf --evaluate "
                               "20@788379 "
                               "--storage-gbps 10   # a whole run\n"
                               "hotset size --graph G --server dgx-h100,p5.48xlarge --buy dgx-h100=300000 "
                               "--electricity "
                               "0.15   # buy or rent\n"
                               "hotset size --graph G --server siton --vary gpus,budget -o R.json               # a "
                               "map of two quantities\n"
                               "hotset size --graph G --server siton --grow 1,10,100 --target 'hit-rate>=0.8'   # of "
                               "x 100, and where it stops\n"
                               "hotset report R.json -o page                                                    # a "
                               "page with figures";

extern const struct command cmd_size;
const struct command cmd_size = {
    .name = "size",
    .stage = COMMAND_DAILY,
    .rank = 6,
    .summary = "decide which server, and how many, meet a target: time, money, energy",
    .arguments = "--graph G|--stand-in NAME --server S[,S2..] [--target T] [options]",
    .about = about,
    .examples = examples,
    .params = params,
    .usual = "graph stand-in server nodes training-epochs within target best gpus policy fanout batch model price case",
    .needs = "graph|stand-in server",
    .elsewhere = size_elsewhere,
    .args_size = sizeof(struct size_args),
    .run = size_run,
};
