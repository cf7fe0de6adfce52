/* hotset report - draws results and plans. It is a command of this floor because it verifies the plans that it draws.
 */
#include <string.h>

#include "base/cmd.h"
#include "base/doc.h"
#include "base/file.h"
#include "base/mem.h"
#include "planner/inference/inference_file.h"
#include "planner/options/input_options.h"
#include "reports/report.h"
#include "simulator/lib/hotset.h"
#include "simulator/plan/plan.h"

struct report_args {
    const char *output, *title, *format, *policies, *labels;
    double width;
};

static const struct param params[] = {
    OPTION_FOLDER(struct report_args, output, "DIR", NULL),
    OPTION_TEXT("title", 0, struct report_args, title, "TEXT", NULL, "Heading of the page."),
    OPTION_FORMAT(struct report_args, format),
    OPTION_REAL("width", 0, struct report_args, width, "INCHES", NULL, 0, 100,
                "Width of the PDF of a figure, as of a column of a paper: text of 7 to 8 points, no title, at most six "
                "policies [default: as on the page]."),
    OPTION_TEXT("policies", 0, struct report_args, policies, "LIST", NULL,
                "Policies to show of a comparison, by the names in its tables, as hotset,legion [default: all]."),
    OPTION_TEXT("labels", 0, struct report_args, labels, "LIST", NULL,
                "What figures and tables call them, as hotset=Ours,legion=Legion [default: their names]."),
    {0},
};

/* The folder of the plan that an input names: the folder itself, or that of its plan.json; "" for other documents. */
static enum st plan_folder(const char *input, char out[PATH_BYTES], struct err *err)
{
    const char *name = path_base(input);
    *out = '\0';
    if (file_is_directory(input)) {
        PASS(path_join(out, input, "plan.json", err));
        snprintf(out, PATH_BYTES, "%s", file_exists(out) ? input : "");
        return ST_OK;
    }
    if (strcmp(name, "plan.json")) return ST_OK;
    if (strlen(input) >= PATH_BYTES) return err_set(err, ST_INPUT, "%.60s..: the path is too long", input);
    snprintf(out, PATH_BYTES, "%.*s", name == input ? 1 : (int)(name - input), name == input ? "." : input);
    return ST_OK;
}

/* A plan that 'hotset verify' rejects is not drawn: its numbers would be those of something that cannot be run. */
static enum st verify_plan(const struct call *call, const char *input, struct err *err)
{
    enum st st;
    char folder[PATH_BYTES];
    struct hotset_options o = HOTSET_OPTIONS_INIT;
    struct hotset_error e;
    hotset_plan *p = NULL;
    bool inference = false; /* has no lists of training to verify */
    TRY(plan_folder(input, folder, err));
    if (*folder) TRY(inference_is_plan(folder, &inference, err));
    if (!*folder || inference) return ST_OK;
    o.threads = call->threads;
    o.memory_limit = mem_limit();
    st = (enum st)hotset_open(folder, &o, &p, &e);
    if (st != ST_OK) st = err_set(err, st, "%s (a plan that 'hotset verify' rejects is not drawn)", e.text);
    hotset_close(p);
done:
    return st;
}

enum { COLUMN_MOST = 6 };

static int chosen_count(const char *list)
{
    int n = 1;
    for (; *list; list++) n += *list == ',';
    return n;
}

static enum st report_run(struct call *call, struct err *err)
{
    const struct report_args *args = call->args;
    doc *result = NULL;
    char index[PATH_BYTES];
    bool pdf = !strcmp(args->format, "pdf"), wide = call_given(call, "width");
    if (wide && !pdf) return err_set(err, ST_USAGE, "--width: is of PDFs; add --format pdf");
    if (wide && args->width < 2)
        return err_set(err, ST_USAGE, "--width: %g inches are too few to draw in; take 2 or more", args->width);
    if (wide && args->policies && chosen_count(args->policies) > COLUMN_MOST)
        return err_set(err, ST_USAGE,
                       "--width: in a column of a paper %d policies can be told apart; --policies has %d",
                       (int)COLUMN_MOST, chosen_count(args->policies));
    PASS(report_check(args->output, err));
    PASS(path_join(index, args->output, "index.html", err));
    for (int i = 0; i < call->word_count; i++) PASS(verify_plan(call, call->words[i], err));
    PASS(report_write((const char *const *)call->words, call->word_count, args->output,
                      &(struct report_options){.title = args->title,
                                               .policies = args->policies,
                                               .labels = args->labels,
                                               .pdf = !pdf   ? 0
                                                      : wide ? args->width
                                                             : -1,
                                               .quiet = !call_progress(call)},
                      err));
    if (call_prints(call)) fprintf(call->out, "%s\n", index);
    result = doc_object();
    DOC_PUT(result, IS("schema", "report/1"), IS("index", index));
    return call_finish(call, result, err);
}

extern const struct command cmd_report;
const struct command cmd_report = {
    .name = "report",
    .stage = COMMAND_DAILY,
    .rank = 11,
    .summary = "draw results: plots, CSV and one self-contained page",
    .arguments = "R.json.. -o DIR",
    .about = "Reads what hotset compare and hotset simulate wrote (R.json) and plan folders, and draws them\n"
             "together: transactions and hit rates by policy and budget, which memory served each GPU's reads, the\n"
             "traffic between GPUs, the split between topology and features, and how far predictions were off.\n"
             "Open DIR/index.html in a browser or print it; nothing in it needs a network. Every figure is also an\n"
             "SVG and a PNG, with its numbers as CSV and its gnuplot script. Runs that did not fit or are not\n"
             "supported are listed with their reason. Results of hotset size get a page of their own: the answer\n"
             "in one sentence, the effect of more memory, the candidates, the frontiers, the time of each stage,\n"
             "and maps.\n"
             "Answers of hotset advise get one, with the levers as a waterfall.\n"
             "Results of hotset execute get one, too: measured and predicted transactions, time by stage, and both\n"
             "against alpha. So do the documents (-o or --json) of hotset lab curve and drift, nodes, diff,\n"
             "explain, refresh, observe, verify, what-if, validate and bench, of hotset tiers, sockets and storage of "
             "older\n"
             "versions, and of 'hotset plan --job inference': the answer in a sentence, a figure, its tables.\n"
             "Documents of several kinds get a front page: a sentence for each, which links to its page.\n"
             "data/results.tex has the rows as LaTeX tables (booktabs); 'hotset list bibtex' the papers behind "
             "policies.\n"
             "Needs gnuplot 5.4 or later.",
    .examples = "hotset report R.json -o report                     # one comparison\n"
                "hotset report monday.json tuesday.json -o report   # several, on one page\n"
                "hotset report R.json size.json -o report           # a front page over both\n"
                "hotset report R.json -o fig --format pdf --width 3.3 --policies hotset,legion --labels hotset=Ours",
    .params = params,
    .usual = "output title format width policies labels",
    .needs = "output",
    .args_size = sizeof(struct report_args),
    .words_low = 1,
    .words_high = 1000,
    .run = report_run,
};
