#include "planner/results/results_print.h"

#include <math.h>
#include <string.h>

#include "base/terminal.h"
#include "base/units.h"
#include "planner/results/memories_print.h"
#include "planner/results/results_document.h"
#include "planner/results/table_values.h"
#include "reports/results/results_answer.h"

static bool has_bound(const doc *row) { return doc_is_object(doc_get(row, "bound")); }

static bool has_time(const doc *row)
{
    return !doc_is_null(doc_get(doc_get(doc_get(row, "simulated"), "epoch_time"), "seconds"));
}

/* The error of the prediction, marked where it says less: the policy saw the judged epochs, or only had a prior. */
static void add_error(struct table *t, const doc *row)
{
    double error = doc_number(doc_get(row, "simulated"), "prediction_error");
    bool seen = !doc_is_null(doc_get(doc_get(row, "predicted"), "saw_the_evaluated_epochs"));
    if (isnan(error)) table_add(t, "-");
    else if (seen) table_add(t, "seen");
    else table_add(t, "%s%+.2f %%", doc_get(row, "prediction_note") ? "prior " : "", 100 * error);
}

/* What the memories below the GPUs serve. */
static const doc *memories_of(const doc *row) { return doc_get(doc_get(row, "simulated"), "memories"); }

/* Seconds of an epoch, with the reads of SSDs where there are any. */
static double epoch_of(const doc *row)
{
    double with = doc_number(doc_get(memories_of(row), "epoch"), "seconds");
    return isnan(with) ? doc_number(doc_get(doc_get(row, "simulated"), "epoch_time"), "seconds") : with;
}

enum { GROUP_ROWS = 256, SHORT_WIDTH = 100 };

/* Columns that only some comparisons have. */
struct extra {
    bool reaches, bounds, times, gains, errors, memories, sockets, nodes, ssd;
};

/* How far GPUs read; "-" without a plan. */
static const char *reach_at(const doc *row) { return doc_text_value(doc_get(row, "reach"), "-"); }

static struct extra extra_of(const doc *rows, uint64_t from, uint64_t to)
{
    struct extra x = {.bounds = false};
    for (uint64_t i = from; i < to; i++) {
        x.reaches |= strcmp(reach_at(doc_at(rows, i)), reach_at(doc_at(rows, from))) != 0;
        x.bounds |= has_bound(doc_at(rows, i));
        x.times |= has_time(doc_at(rows, i));
        x.gains |= doc_is_object(doc_get(doc_at(rows, i), "gain"));
        x.errors |= doc_is_object(doc_get(doc_at(rows, i), "expected_error"));
        const doc *below = memories_of(doc_at(rows, i));
        x.memories |= doc_is_object(below);
        x.sockets |= memories_sum(below, "dram", "other_socket_lines") > 0;
        x.nodes |= !isnan(memories_sum(below, "node", "seconds"));
        x.ssd |= doc_is_object(doc_get(below, "ssd"));
    }
    return x;
}

/* Transactions above those of a baseline, from the share that is saved. */
static void add_against(struct table *t, double gain)
{
    if (isnan(gain)) table_add(t, "-");
    else table_add(t, "%+.2f %%", fabs(gain) < 0.00005 ? 0 : -100 * gain); /* no "-0.00 %" */
}

static double lines_of(const doc *below, const char *kind)
{
    return memories_sum(below, kind, "feature_lines") + memories_sum(below, kind, "topology_lines");
}

static void add_memories(struct table *t, const doc *row, const struct extra *x)
{
    const doc *below = memories_of(row);
    double across = memories_sum(below, "dram", "other_socket_lines"), dram = lines_of(below, "dram");
    if (!x->memories) return;
    table_whole(t, dram - (isnan(across) ? 0 : across));
    if (x->sockets) table_whole(t, across);
    if (x->nodes) table_whole(t, lines_of(below, "node"));
    if (x->ssd) table_whole(t, doc_number(doc_get(below, "ssd"), "blocks"));
    table_add_seconds(t, doc_number(below, "seconds"));
}

static int extra_columns(const struct extra *x)
{
    return x->reaches + x->bounds + x->times + x->errors + 2 * x->gains + 2 * x->memories + x->sockets + x->nodes +
           x->ssd;
}

static void add_row(struct table *t, const char *name, const doc *row, const struct extra *x)
{
    const doc *sim = doc_get(row, "simulated"), *predicted = doc_get(row, "predicted"),
              *shown = doc_is_object(sim) ? sim : predicted;
    int64_t all = doc_integer_value(doc_get(row, "uncached_transactions"), 0),
            total = doc_integer_value(doc_get(shown, "total_transactions"), -1);
    table_add(t, "%s", name);
    if (!doc_is_object(shown)) {
        table_add(t, "%s", doc_text_value(doc_get(row, "status"), "?"));
        for (int i = 0; i < 7 + extra_columns(x); i++) table_add(t, "-");
        return;
    }
    if (x->reaches) table_add(t, "%s", reach_at(row));
    table_add(t, "%s", doc_text_value(doc_get(doc_get(row, "deal"), "chosen"), "-"));
    table_percent(t, doc_number(shown, "feature_hit_rate"));
    table_percent(t, doc_number(shown, "topology_hit_rate"));
    table_count(t, doc_get(shown, "topology_transactions"));
    table_count(t, doc_get(shown, "feature_transactions"));
    table_count(t, doc_get(shown, "total_transactions"));
    if (all && total >= 0) table_add(t, "%.1f %%", 100.0 * (double)total / (double)all);
    else table_add(t, "-");
    add_error(t, row);
    add_memories(t, row, x);
    if (x->times) table_add_seconds(t, epoch_of(row));
    if (x->bounds) table_percent(t, doc_number(doc_get(row, "bound"), "gap"));
    if (x->errors) table_percent(t, doc_number(doc_get(row, "expected_error"), "mean"));
    if (!x->gains) return;
    add_against(t, doc_number(doc_get(row, "gain"), "mean-row"));
    add_against(t, doc_number(doc_get(row, "gain"), "single-type"));
}

/* Returns how many rows were left out. */
static uint64_t group_print(const doc *rows, uint64_t from, uint64_t to, bool all, FILE *out)
{
    static const char *const plain[] = {"deal",          ">feat. hits", ">topo. hits",  ">topo. trans.",
                                        ">feat. trans.", ">all trans.", ">of uncached", ">prediction"};
    enum { PLAIN = sizeof plain / sizeof *plain };
    const char *headers[PLAIN + 14] = {"policy"};
    const doc *order[GROUP_ROWS], *first = doc_at(rows, from), *stands;
    uint64_t count = 0, shown, same;
    char sentence[ANSWER_SENTENCE], names[ANSWER_SENTENCE];
    char bytes[UNIT_TEXT];
    const struct extra x = extra_of(rows, from, to);
    int columns = 1;
    while (count < GROUP_ROWS && from + count < to) {
        order[count] = doc_at(rows, from + count);
        count++;
    }
    results_sort(order, count);
    shown = count;
    if (x.reaches) headers[columns++] = "reach";
    for (int i = 0; i < PLAIN; i++) headers[columns++] = plain[i];
    if (x.memories) headers[columns++] = ">DRAM trans.";
    if (x.sockets) headers[columns++] = ">other sockets";
    if (x.nodes) headers[columns++] = ">other nodes";
    if (x.ssd) headers[columns++] = ">SSD blocks";
    if (x.memories) headers[columns++] = ">reads";
    if (x.times) headers[columns++] = ">epoch";
    if (x.bounds) headers[columns++] = ">gap";
    if (x.errors) headers[columns++] = ">error";
    if (x.gains) headers[columns++] = ">vs mean-row";
    if (x.gains) headers[columns++] = ">vs single-type";
    terminal_print(out, "%s%s on %s, %s per %s (%s per GPU, %.2f %% of all bytes per clique)\n", from ? "\n" : "",
                   doc_text_value(doc_get(first, "graph"), "?"), doc_text_value(doc_get(first, "server"), "?"),
                   doc_text_value(doc_get(first, "budget"), "?"),
                   strcmp(doc_text_value(doc_get(first, "budget_per"), "gpu"), "gpu") ? "clique" : "GPU",
                   units_bytes(bytes, (uint64_t)doc_integer_value(doc_get(first, "budget_bytes"), 0)),
                   100 * doc_number(first, "budget_share"));
    results_sentence(order, count, sentence);
    if (*sentence) terminal_print(out, "%s\n", sentence);
    if (!all) shown = results_choose(order, count);
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < shown; i += same) {
        same = results_merged(order, shown, i, &stands, names, sizeof names);
        add_row(t, names, stands, &x);
    }
    table_keep(t, x.memories ? "reads,reach,epoch,SSD blocks,all trans.,other nodes,feat. hits"
                             : "all trans.,reach,epoch,feat. hits,prediction,of uncached,topo. hits,deal");
    if (!all) table_limit(t, SHORT_WIDTH, "--all");
    table_show(t, out);
    return count - shown;
}

/* Why some policies have no numbers: once per policy, with its first reason. */
static void reasons_print(const doc *rows, FILE *to)
{
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        const doc *row = doc_at(rows, i);
        const char *reason = doc_text_value(doc_get(row, "reason"), NULL),
                   *policy = doc_text_value(doc_get(row, "policy"), "?");
        bool printed = false;
        for (uint64_t k = 0; k < i; k++)
            printed |= doc_text_value(doc_get(doc_at(rows, k), "reason"), NULL) &&
                       !strcmp(doc_text_value(doc_get(doc_at(rows, k), "policy"), ""), policy);
        if (reason && !printed)
            terminal_print(to, "%s, %s at %s: %s\n", policy, doc_text_value(doc_get(row, "status"), "?"),
                           doc_text_value(doc_get(row, "budget"), "?"), reason);
    }
}

void results_print(const doc *rows, bool all, FILE *to)
{
    uint64_t left = 0, one;
    for (uint64_t i = 0, end; i < doc_size(rows); i = end) {
        for (end = i + 1; end < doc_size(rows) && results_same_group(doc_at(rows, i), doc_at(rows, end));) end++;
        one = group_print(rows, i, end, all, to);
        left = one > left ? one : left;
    }
    if (left) terminal_print(to, "\n%llu more policies: --all\n", (unsigned long long)left);
    const struct extra x = extra_of(rows, 0, doc_size(rows));
    terminal_print(to,
                   "\n"
                   "%s\n"
                   "rows: the best first, by %s\n"
                   "deal: how training vertices are assigned to GPUs (--deal)\n"
                   "feat., topo.: features, topology; all simulated on held-out epochs\n"
                   "of uncached: share of what the same deal reads with nothing cached\n"
                   "prediction: predicted / simulated - 1 (seen: the policy planned from these epochs)\n",
                   RESULTS_LEGEND, x.memories ? "seconds of reads" : "all transactions");
    if (x.memories)
        terminal_print(to, "DRAM, other sockets, other nodes: transactions that the memory of GPUs' own sockets, of "
                           "other sockets and of\n"
                           "     other nodes serves; SSD blocks: read by mini-batches; reads: seconds of all reads "
                           "below GPUs, per GPU, as if\n"
                           "     none overlapped; the best first\n");
    if (x.times) terminal_print(to, "epoch: epoch time by HyScale-GNN's model, from the server's constants\n");
    if (x.bounds)
        terminal_print(to, "gap: expected transactions of the plan / proven lower bound for any placement with the "
                           "same deal and\n"
                           "     budgets - 1, both under the estimates\n");
    if (x.errors) terminal_print(to, "error: expected mean relative error of the rows that GPUs serve rounded\n");
    if (x.gains)
        terminal_print(to, "vs: all transactions, against those of a plan for which all feature rows have the mean "
                           "size (mean-row), and\n"
                           "     of one that caches the features of one type only (single-type)\n");
    bool prior = false;
    for (uint64_t i = 0; i < doc_size(rows); i++) prior |= doc_get(doc_at(rows, i), "prediction_note") != NULL;
    if (prior) terminal_print(to, "prior: %s\n", results_prior_note);
    if (x.reaches)
        terminal_print(to, "reach: own memory, GPUs over direct NVLinks, or rows forwarded over several (--reach)\n");
    if (all) reasons_print(rows, to);
}
