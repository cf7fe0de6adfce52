/* hotset what-if - which inputs would change the answer, and where it flips. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cmd.h"
#include "base/file.h"
#include "base/made_by.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/commands/asked.h"
#include "planner/commands/settings.h"
#include "planner/decisions/size_target.h"
#include "planner/decisions/what_if_plan.h"
#include "planner/decisions/size_holds.h"
#include "planner/options/options.h"
#include "simulator/plan/plan_server.h"
#include "planner/options/resume.h"

extern const struct command cmd_plan;

struct word {
    char text[PATH_BYTES + 80];
};

/* Whether the row is given, and an option of plan. */
static bool passes(const struct call *call, const struct param *p)
{
    const struct param *of = cmd_plan.params;
    if (param_is_alias(p) || !strcmp(p->name, "output") || made_by_prints(p->name) || !call_given(call, p->name))
        return false;
    while (of->name && strcmp(of->name, p->name)) of++;
    return of->name;
}

static enum st add_words(const struct call *call, struct word *word, char **words, int *count, struct err *err)
{
    OWNED_NEW(struct word, value, 1, "an option");
    for (const struct param *p = call->params; p && p->name; p++) {
        if (!passes(call, p)) continue;
        resume_option_value(p, call->args, value->text, PATH_BYTES);
        bool flag = p->kind == PARAM_FLAG;
        snprintf(word[*count].text, sizeof word->text, "--%s%.70s", flag && *value->text != '1' ? "no-" : "", p->name);
        words[*count] = word[*count].text;
        ++*count;
        if (flag) continue;
        word[*count] = *value;
        words[*count] = word[*count].text;
        ++*count;
    }
    return ST_OK;
}

/* Asked with the options of `plan` instead of a plan: it is made first. ST_USAGE without a graph and a server. */
static enum st plan_first(const struct call *call, struct asked_plan *out, struct err *err)
{
    enum { MOST = 2 * PARAM_ROWS_MAX };
    char *words[MOST];
    int count = 0;
    if (!call_given(call, "graph") || !call_given(call, "server"))
        return err_set(err, ST_USAGE,
                       "a plan is missing; name one, or a graph and a server to plan for first (--graph G --server S)");
    OWNED_NEW(struct word, word, MOST, "the options of a plan");
    PASS(add_words(call, word, words, &count, err));
    return asked_plan_make(call, count, words, out, err);
}

/* Refuses options that say what is planned, beside a plan that is there. own: names of those that mean something else
 * too, NULL-ended. ST_USAGE names the first. */
static enum st refuse_planning(const struct call *call, const char *const *own, struct err *err)
{
    for (const struct param *p = call->params; p && p->name; p++) {
        bool both = false;
        for (int i = 0; own[i]; i++) both |= !strcmp(own[i], p->name);
        if (!both && passes(call, p))
            return err_set(err, ST_USAGE, "--%s: says what is planned, and %s is planned; leave one of them out",
                           p->name, call->words[0]);
    }
    return ST_OK;
}

struct what_if_args {
    const char *graph, *vary, *within, *cases, *output, *server, *budget, *policy;
    int64_t epochs;
    bool explain;
    struct workload_args workload;
    struct study_args study;
};

/* All that a question takes. */
struct question {
    struct what_if what;
    struct size_errors errors;
    struct graph graph;
    struct what_if_plans plans;
    struct what_if_sizes sizes;
    struct asked_plan asked; /* without a plan: one that was made */
};

static enum st read_within(const char *text, double *out, struct err *err)
{
    char target[80];
    struct size_target t[SIZE_TARGETS_MAX];
    int count = 0;
    *out = NAN;
    if (!text) return ST_OK;
    snprintf(target, sizeof target, "epoch-time<=%.60s", text);
    if (size_targets(target, t, &count, err) != ST_OK || count != 1) {
        err_clear(err);
        return err_set(err, ST_USAGE, "--epoch-within: '%.40s' is no time; write a number with its unit, as 500ms",
                       text);
    }
    *out = t[0].value;
    return ST_OK;
}

static const char *word_of(const struct call *call, int i, const struct question *question)
{
    return call->word_count ? call->words[i] : question->asked.path;
}

/* What the plan's own epochs were drawn and timed with, where the command line does not say otherwise. */
static enum st take_settings(const struct call *call, int i, struct question *question, struct err *err)
{
    const struct what_if_args *a = call->args;
    struct plan *p = &question->plans.plan[i];
    const struct epoch_args timing = settings_timing(call, &a->study.timing, p);
    const char *epochs = settings_text(p, "simulate-epochs"), *seed = settings_text(p, "simulate-seed");
    int64_t stated = epochs ? strtoll(epochs, NULL, 10) : 0;
    question->plans.epochs[i] = (uint64_t)(a->epochs ? a->epochs : stated > 0 ? stated : 0);
    question->plans.seed[i] = seed ? strtoull(seed, NULL, 10) : study_held_out_seed(p->workload.seed);
    PASS(epoch_args_read(&timing, &question->plans.timing[i], err));
    epoch_args_share(&question->plans.timing[i], &question->graph, p);
    return ST_OK;
}

static enum st open_plan(struct call *call, int i, struct question *question, struct err *err)
{
    const struct what_if_args *a = call->args;
    struct plan *p = &question->plans.plan[i];
    if (!i) PASS(options_plan(word_of(call, 0, question), a->graph, call->threads, &question->graph, p, err));
    else PASS(plan_load(call->words[i], &question->graph, p, err));
    question->plans.count = i + 1;
    PASS(workload_attach(&p->workload, &question->graph, err));
    if (*p->cache)
        return err_set(err, ST_NO,
                       "%s: its features are in a dynamic cache, whose hits have no what-if; ask of a static plan",
                       call->word_count ? call->words[i] : "the plan that the options ask for");
    MAKE(question->plans.server[i], 1, "a server");
    PASS(plan_server_load(p, NULL, question->plans.server[i], err));
    PASS(take_settings(call, i, question, err));
    snprintf(question->what.subject[i], sizeof question->what.subject[i], "%.90s",
             call->word_count ? call->words[i] : "the plan");
    return ST_OK;
}

static enum st ask_plans(struct call *call, struct question *question, struct err *err)
{
    const struct what_if_args *a = call->args;
    question->plans.call = call;
    question->plans.graph = &question->graph;
    PASS(read_within(a->within, &question->plans.within, err));
    PASS(options_kernels(call, &question->plans.kernels, err));
    int count = call->word_count ? call->word_count : 1;
    MAKE(question->plans.plan, count, "plans");
    MAKE(question->plans.server, count, "servers");
    MAKE(question->plans.timing, count, "time models");
    MAKE(question->plans.epochs, count, "epochs");
    MAKE(question->plans.seed, count, "seeds");
    for (int i = 0; i < count; i++) PASS(open_plan(call, i, question, err));
    return what_if_plans_begin(&question->plans, &question->errors, &question->what, err);
}

/* What says how a plan is timed; a plan that is given has all else that could be asked for, and a document this, too.
 */
static const char *const of_plans[] = {"graph",     "model",       "precision",    "hidden",
                                       "classes",   "schedule",    "prefetch",     "unoverlapped",
                                       "cpu-share", "calibration", "epoch-within", "epochs",
                                       NULL};

static enum st ask_size(struct call *call, struct question *question, struct err *err)
{
    if (call->word_count > 1)
        return err_set(err, ST_USAGE, "%s: is a document of hotset size; ask of one at a time", call->words[0]);
    for (int i = 0; of_plans[i]; i++)
        if (call_given(call, of_plans[i]))
            return err_set(err, ST_USAGE, "--%s: is for plans; %s states its own targets and epochs", of_plans[i],
                           call->words[0]);
    return what_if_sizes_begin(call->words[0], &question->errors, call_given(call, "case"), &question->sizes,
                               &question->what, err);
}

static void release(struct question *question)
{
    what_if_plans_end(&question->plans);
    what_if_sizes_end(&question->sizes);
    for (int i = 0; i < question->plans.count; i++) {
        if (question->plans.server[i]) server_release(question->plans.server[i]);
        mem_free(question->plans.server[i]);
        plan_release(&question->plans.plan[i]);
    }
    mem_free(question->plans.server);
    mem_free(question->plans.timing);
    mem_free(question->plans.epochs);
    mem_free(question->plans.seed);
    mem_free(question->plans.plan);
    graph_close(&question->graph);
    asked_plan_release(&question->asked);
}

/* Those of the plan, or of the document, that is asked of. */
static enum st state_premises(struct call *call, const struct question *question, doc *to, struct err *err)
{
    const struct what_if_args *a = call->args;
    const doc *of = question->plans.count ? question->plans.plan[0].notes : question->sizes.document;
    OWNED_NEW(struct premises, premises, 1, "premises");
    if (!doc_get(of, "premises")) return ST_OK; /* of an older hotset */
    doc_put(to, "premises", doc_copy(doc_get(of, "premises")));
    PASS(premises_read(doc_get(of, "premises"), call->words ? call->words[0] : "plan.json", premises, err));
    return premises_end(call, premises, a->study.strict, err);
}

static enum st run_what_if(struct call *call, struct err *err)
{
    const struct what_if_args *a = call->args;
    enum st st;
    struct question *question = NULL;
    OWNED_DOC doc *d = NULL;
    NEW(question, 1, "a question");
    if (a->output) TRY(output_check(a->output, "what-if/1", err));
    TRY(size_errors_make(a->cases, false, &question->errors, NULL, err));
    for (int i = 0; i < call->word_count; i++)
        if (!file_exists(call->words[i]))
            FAIL(ST_INPUT,
                 "%s: does not exist, expected a plan directory ('hotset plan' makes one) or a document of 'hotset "
                 "size -o'; check the path",
                 call->words[i]);
    if (call->word_count) TRY(refuse_planning(call, of_plans, err));
    else TRY(plan_first(call, &question->asked, err));
    if (file_is_directory(word_of(call, 0, question))) TRY(ask_plans(call, question, err));
    else TRY(ask_size(call, question, err));
    TRY(what_if_vary(&question->what, a->vary, err));
    TRY(what_if_run(&question->what, &d, err));
    if (question->sizes.count) {
        doc *holds = NULL;
        TRY(size_holds(&question->sizes, d, (uint64_t)call->common.seed, &holds, err));
        doc_put(d, "holds", holds);
    }
    TRY(state_premises(call, question, d, err));
    if (a->output) TRY(doc_save(d, a->output, err));
    if (call_prints(call)) what_if_print(d, a->explain, call->out);
    TRY(call_finish(call, TAKE(d), err));
done:
    if (question) release(question);
    mem_free(question);
    return st;
}

static const struct param params[] = {
    OPTION_TEXT("vary", 0, struct what_if_args, vary, "X=A..B,..", NULL,
                "Move only these inputs; A..B are factors of what they are now, as link=0.5..2 [default: all, by what "
                "predictions are known to be off]."),
    OPTION_RENAMED("within", "epoch-within"),
    OPTION_TEXT("epoch-within", 0, struct what_if_args, within, "TIME", NULL,
                "An epoch of a plan must end within this time, as 500ms; whether it does is then the answer."),
    OPTION_CASE(struct what_if_args, cases),
    OPTION_GRAPH(struct what_if_args, graph, PLAN_GRAPH),
    OPTION_HELD_OUT_EPOCHS(struct what_if_args, epochs, NULL, 0,
                           " [default: as the plan states, else enough for 200 mini-batches (1 to 8)]"),
    OPTION_EXPLAIN(struct what_if_args, explain),
    OPTION_DOCUMENT(struct what_if_args, output, "W.json"),
    OPTION_GROUP("without a plan: what is planned first"),
    OPTION_SERVER(struct what_if_args, server, "S", NULL, ""),
    OPTION_BUDGET(struct what_if_args, budget, "SIZE", NULL, MEMORY_BUDGET),
    OPTION_POLICY(struct what_if_args, policy, "NAME", "hotset", ""),
    WORKLOAD_PARAMS(struct what_if_args, workload),
    STUDY_RECORD_PARAMS(struct what_if_args, study),
    {0},
};

static const char about[] =
    "Moves one input after the other through its range, the others as they are, and tells which would\n"
    "change the answer, and at which value: of one plan, what an epoch waits for (or whether it ends\n"
    "--epoch-within a time); of several plans of one graph, which is the fastest, so that assignments, splits,\n"
    "policies and servers stand against each other; of a document of 'hotset size', what to buy.\n\n"
    "Rates move by the 90 % interval of predictions of their kind in the cases of 'hotset lab validate';\n"
    "what is chosen (batch, fanout, number of mini-batches, price) from half to twice. --vary gives\n"
    "other ranges. Mini-batches are drawn again for batch and fanout; plans keep their lists. The table\n"
    "is a tornado: the widest input first. A flip is the value nearest to today's at which the answer\n"
    "is another one, bisected; batch and fanout are searched in half their range at a time. SSDs of\n"
    "plans are not moved; those of 'hotset size' are. A plan is timed as it was made (model, epochs, seed),\n"
    "where options do not say otherwise. Without a plan, the options of 'hotset plan' make one first,\n"
    "which is not kept.\n\n"
    "Of a document of 'hotset size' the constants of every GPU and server move by themselves, and together\n"
    "what one states for several (--vary compute: all; compute:A10G: one). Then 4,000 draws (--seed) of all\n"
    "that is not known, by the document's intervals, say in which share of them which server is best.";

static const char examples[] = "  hotset what-if P                                  # what moves an epoch, and what "
                               "would bind instead\n"
                               "  hotset what-if P Q --vary link=0.5..2,compute     # which of two plans, if the links "
                               "are slower\n"
                               "  hotset what-if --graph G --server siton --budget 5% --vary row=0.5..2  # before "
                               "there is a plan\n"
                               "  hotset size --graph G --server p3.16xlarge,p4d.24xlarge -o R.json && hotset what-if "
                               "R.json -o W.json";

extern const struct command cmd_what_if;
const struct command cmd_what_if = {
    .name = "what-if",
    .stage = COMMAND_FOLDED,
    .summary = "tell which inputs would change an answer, and where it flips",
    .arguments = "P..|R.json|--graph G --server S [--vary X=A..B,..] [-o W.json] [options]",
    .about = about,
    .examples = examples,
    .params = params,
    .usual = "vary epoch-within case explain graph epochs output server budget policy fanout batch model",
    .each_node = true,
    .args_size = sizeof(struct what_if_args),
    .words_low = 0,
    .words_high = 16,
    .run = run_what_if,
};
