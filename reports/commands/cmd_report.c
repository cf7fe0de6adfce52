/* cmd_report.c - hotset report R.json.. -o DIR. */
#include "base/cmd.h"
#include "base/doc.h"
#include "base/file.h"
#include "reports/report.h"

struct report_args {
    const char *output, *title;
};

static const struct param params[] = {OPTION_OUTPUT(struct report_args, output, "DIR", NULL,
                                                    "Folder to write: index.html, plots and data; an existing report "
                                                    "is replaced."),
                                      OPTION_TEXT("title", 0, struct report_args, title, "TEXT", NULL,
                                                  "Heading of the page."),
                                      {0}};

static enum st run(struct call *call, struct err *err)
{
    enum st st;
    const struct report_args *args = call->args;
    doc *result = NULL;
    char index[PATH_BYTES];
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
    .stage = COMMAND_HAND_OVER,
    .rank = 2,
    .summary = "draw results: plots, CSV and one self-contained page",
    .arguments = "R.json.. -o DIR",
    .about = "Reads what hotset compare and hotset simulate wrote (R.json) and plan folders, and draws them\n"
             "together: transactions and hit rates by policy and budget, where each GPU's reads were served, who\n"
             "read from whom, the split between topology and features, and how far predictions were off.\n"
             "Open DIR/index.html in a browser or print it; nothing in it needs a network. Every figure is also\n"
             "an SVG and a PNG, with its numbers as CSV and its gnuplot script. Runs that did not fit or are not\n"
             "supported are listed with their reason. Answers of hotset size get a page of their own: the answer in\n"
             "one sentence, what memory buys, the choices, the frontiers, what the epoch waits for, and maps.\n"
             "What hotset execute measured gets one, too: measured beside predicted, time by stage, and both against "
             "alpha.\n"
             "Needs gnuplot 5.4 or later.",
    .examples = "hotset report R.json -o report                     # one comparison\n"
                "hotset report monday.json tuesday.json -o report   # several, on one page\n"
                "hotset report plan-5 --title 'Plan for May' -o page  # one plan",
    .params = params,
    .needs = "output",
    .args_size = sizeof(struct report_args),
    .words_low = 1,
    .words_high = 1000,
    .run = run,
};
