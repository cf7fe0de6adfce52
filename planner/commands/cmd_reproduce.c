/* hotset reproduce - regenerates figures and tables of the papers, and says which of their claims hold. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/claims/reproduce.h"
#include "planner/options/input_options.h"
#include "reports/claims/claims_page.h"
#include "reports/formats/gnuplot.h"

struct reproduce_args {
    const char *output, *only, *graph, *format, *change;
    double scale;
    int64_t seeds;
    bool list;
};

enum { MOST = PAPER_FIGURES_MAX };

static enum st reproduce_choose(const struct paper_figures *all, const char *only, const struct paper_figure **list,
                                int *count, struct err *err)
{
    char copy[2048], *part[MOST];
    if (!only) {
        for (; *count < all->count; ++*count) list[*count] = &all->figure[*count];
        return ST_OK;
    }
    if (strlen(only) >= sizeof copy) return err_set(err, ST_USAGE, "--only: the list is too long");
    strcpy(copy, only);
    int n = text_split(copy, ',', part, MOST);
    if (n < 0) return err_set(err, ST_USAGE, "--only: more than %d figures", MOST);
    for (int i = 0; i < n; i++, ++*count) PASS(paper_figure_find(all, part[i], &list[*count], err));
    return ST_OK;
}

static doc *claims_of(const struct paper_figure *figure)
{
    doc *all = doc_array();
    for (int i = 0; i < figure->claims; i++) {
        static const char *const keys[] = {"quote", "statement", "test", "why", "again", NULL};
        doc *d = doc_object();
        paper_figure_put(d, figure->claim[i], keys);
        doc_append(all, d);
    }
    return all;
}

static enum st list_print(struct call *call, const struct paper_figure *const *list, int count, struct err *err)
{
    static const char *const headers[] = {"name", "what it shows", "of", ">claims", NULL};
    doc *d = doc_object(), *all = doc_array();
    struct table *t = table_new(headers);
    DOC_PUT(d, IS("schema", "list/1"), IS("claims", all));
    for (int i = 0; i < count; i++) {
        const struct paper_figure *figure = list[i];
        doc *one = doc_object();
        table_add(t, "%s", figure->name);
        table_add(t, "%s", figure->title);
        table_add(t, "%s, %s", figure->paper, figure->place);
        table_add(t, figure->missing ? "%d, not measured" : "%d", figure->claims);
        DOC_PUT(one, IS("name", figure->name), IS("summary", figure->title), IS("paper", figure->paper),
                IS("place", figure->place), IS("states", claims_of(figure)));
        doc_append(all, one);
    }
    if (call_prints(call)) table_print(t, call->out);
    table_free(t);
    return call_finish(call, d, err);
}

static enum st run_all(struct call *call, const struct reproduce_args *a, const struct paper_figure *const *list,
                       int count, const char *folder, doc **out, struct err *err)
{
    OWNED_BY(repro_close) struct repro l = {0};
    char path[PATH_BYTES], time[UNIT_TEXT];
    PASS(path_join(path, folder, "figures", err));
    if (mkdir(path, 0777) != 0)
        return err_set(err, ST_LIMIT, "%s: the folder cannot be created (%s)", path, strerror(errno));
    PASS(repro_open(&l, call, folder, a->graph, a->change, a->scale, (int)a->seeds, err));
    call_say(call, "%d figures and tables at scale %g, %d seed%s; about %s on two cores%s", count, a->scale,
             (int)a->seeds, a->seeds == 1 ? "" : "s",
             units_seconds(time, (double)a->seeds * reproduce_estimate(list, count, a->scale)),
             a->graph ? ", plus the time for the given graphs" : "");
    PASS(reproduce_run(&l, list, count, folder, call, out, err));
    call->stages = l.call.stages;
    call->common.device = l.call.common.device;
    return ST_OK;
}

static enum st run_reproduce(struct call *call, struct err *err)
{
    const struct reproduce_args *a = call->args;
    const struct paper_figure *list[MOST];
    struct paper_figures *all = NULL;
    ON_HEAP(struct output, to);
    doc *claims = NULL;
    int count = 0;
    enum st st;
    TRY(paper_figures_open(&all, err));
    TRY(reproduce_choose(all, a->only, list, &count, err));
    if (a->list) {
        st = list_print(call, list, count, err);
        goto done;
    }
    if (!a->output)
        FAIL(ST_USAGE, "reproduce: -o DIR is missing, the folder for figures, claims.json and index.html ('hotset "
                       "reproduce --list' shows the figures)");
    TRY(gnuplot_check(err));
    TRY(output_directory(to, a->output, err));
    TRY(run_all(call, a, list, count, to->temporary, &claims, err));
    stage_begin(&call->stages, "page");
    TRY(claims_report(to->temporary, !strcmp(a->format, "pdf"), err));
    stage_end(&call->stages);
    TRY(output_commit(to, err));
    if (call_prints(call)) {
        reproduce_print(claims, call->out);
        fprintf(call->out, "page: %s/index.html    numbers: %s/claims.json, %s/figures\n", a->output, a->output,
                a->output);
    }
    TRY(call_finish(call, TAKE(claims), err));
done:
    doc_free(claims);
    paper_figures_free(all);
    output_abort(to);
    return st;
}

static const struct param params[] = {
    OPTION_FOLDER(struct reproduce_args, output, "DIR", NULL),
    OPTION_ONLY(struct reproduce_args, only),
    OPTION_REAL("scale", 0, struct reproduce_args, scale, "S", "1", 0, 0,
                "Size of the stand-ins: S times 1.5 million arcs each, at most the published size."),
    OPTION_RENAMED("seeds", "random-seeds"),
    OPTION_INTEGER("random-seeds", 0, struct reproduce_args, seeds, "N", "3", 1, SEEDS_MOST,
                   "Measure with N seeds, from --seed on: each claim is judged with every seed; medians are drawn, "
                   "with ranges."),
    OPTION_PATH("graph", 'g', struct reproduce_args, graph, "NAME=DIR,..", NULL, PATH_READ,
                "Graph directories to use instead of stand-ins, unscaled; 'hotset list datasets' shows the names."),
    OPTION_TEXT("change", 0, struct reproduce_args, change, "TARGET:KEY=VALUE,..", NULL,
                "Change what a stand-in has (keys kind, mixing, gamma, communities, span of the training vertices, a "
                "of rmat; vertices, edges: factors), or a number of a server's file, to see what a verdict depends "
                "on."),
    OPTION_FORMAT(struct reproduce_args, format),
    OPTION_FLAG("list", struct reproduce_args, list, "List the figures and tables."),
    {0},
};

static const char about[] = "For each figure or table of a paper: generates stand-ins for its data sets (synthetic\n"
                            "graphs with the same average degree, feature size and training share; vertices, arcs,\n"
                            "mini-batches and memory smaller by one factor), plans and simulates what the figure\n"
                            "compares, draws it, and compares the paper's claim with the number found here: holds,\n"
                            "does not hold, or not measured. Thresholds are stated with each claim and are not\n"
                            "tuned. Figures are measured with several seeds. A claim that fails here may hold on\n"
                            "the paper's own graph, which --graph takes, or with one property of the stand-in\n"
                            "changed (--change): the command that shows this stands with the claim.\n\n"
                            "DIR/index.html shows all figures; DIR/claims.json and DIR/figures/*.json have the\n"
                            "numbers, DIR/graphs the stand-ins.";

static const char examples[] = "  hotset lab reproduce -o repro                                  # everything: about a "
                               "minute on two cores\n"
                               "  hotset lab reproduce --only legion-fig2,pagraph-fig11 -o repro # two of them\n"
                               "  hotset lab reproduce --graph products=G -o repro               # the real Products "
                               "where "
                               "it is used";

extern const struct command cmd_reproduce;
const struct command cmd_reproduce = {
    .group = "lab",
    .name = "reproduce",
    .summary = "regenerate figures of papers on synthetic graphs and check the papers' claims",
    .arguments = "-o DIR [options]",
    .about = about,
    .examples = examples,
    .params = params,
    .usual = "output only scale random-seeds graph change list",
    .args_size = sizeof(struct reproduce_args),
    .run = run_reproduce,
};
