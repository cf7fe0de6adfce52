/* cmd_report.c - hotset report R.json.. -o DIR. */
#include "base/cmd.h"
#include "base/doc.h"
#include "base/file.h"
#include "reports/report.h"

struct report_args {
    const char *output, *title;
};

static const struct param params[] = {{.name = "output",
                                       .letter = 'o',
                                       .kind = PARAM_TEXT,
                                       .offset = offsetof(struct report_args, output),
                                       .value = "DIR",
                                       .help = "Folder to write; an existing report is replaced."},
                                      {.name = "title",
                                       .kind = PARAM_TEXT,
                                       .offset = offsetof(struct report_args, title),
                                       .value = "TEXT",
                                       .help = "Heading of the page."},
                                      {0}};

static enum st run(struct call *call, struct err *err)
{
    enum st st;
    const struct report_args *args = call->args;
    doc *result = NULL;
    char index[PATH_BYTES];
    if (!args->output) FAIL(ST_USAGE, "report: no output folder is given; add -o DIR");
    TRY(path_join(index, args->output, "index.html", err));
    TRY(report_write((const char *const *)call->words, call->word_count, args->output, args->title,
                     !call_progress(call), err));
    if (!call->common.json) fprintf(call->out, "%s\n", index);
    result = doc_object();
    doc_put(result, "schema", doc_text("report/1"));
    doc_put(result, "index", doc_text(index));
    TRY(call_finish(call, result, err));
done:
    return st;
}

extern const struct command cmd_report;
const struct command cmd_report = {
    .name = "report",
    .summary = "draw results: plots, CSV and one self-contained page",
    .arguments = "R.json.. -o DIR",
    .about = "Draws result documents and writes a folder: index.html, every figure as SVG and PNG with its gnuplot\n"
             "script (plots), and the numbers as CSV (data). Open DIR/index.html in a browser or print it; the page\n"
             "needs no network. The kind of the documents decides which page is drawn:\n"
             "- hotset compare, hotset simulate (R.json) and plan folders: a comparison. Transactions and hit rates "
             "by\n"
             "policy and budget, where each GPU's reads are served, traffic between GPUs, the split between\n"
             "topology and features, prediction errors, and runs that gave no numbers with their reasons.\n"
             "- hotset size: capacity planning. The answer in one sentence, the effect of the cache size, all\n"
             "configurations, the frontier, the stages of an iteration, and maps.\n"
             "- hotset execute: measured beside predicted, time by stage, and both against alpha.\n"
             "Documents of different kinds need folders of their own. Needs gnuplot 5.4 or later.",
    .examples = "hotset report R.json -o report                     # one comparison\n"
                "hotset report monday.json tuesday.json -o report   # several documents on one page\n"
                "hotset report plan-5 --title 'Plan for May' -o page  # one plan",
    .params = params,
    .args_size = sizeof(struct report_args),
    .words_low = 1,
    .words_high = 1000,
    .run = run,
};
