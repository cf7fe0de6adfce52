#include "planner/results/results_print.h"

#include <math.h>
#include <string.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/options/words.h"
#include "planner/results/memories_print.h"
#include "planner/results/results_document.h"
#include "reports/results/results_answer.h"
#include "base/columns.h"

/* ---- columns ---- */

/* Whether a row was simulated or predicted. */
static bool has_numbers(const doc *row)
{
    return doc_is_object(doc_get(row, "simulated")) || doc_is_object(doc_get(row, "predicted"));
}

/* The error of the prediction, marked where it says less: the policy saw the judged epochs, or only had a prior. */
static const char *error_text(const struct column_row *r, char out[COLUMN_TEXT])
{
    double error = doc_number(doc_get(r->row, "simulated"), "prediction_error");
    bool seen = !doc_is_null(doc_get(doc_get(r->row, "predicted"), "saw_the_evaluated_epochs"));
    if (isnan(error)) return NULL;
    if (seen) return "seen";
    snprintf(out, COLUMN_TEXT, "%s%+.2f %%", doc_get(r->row, "prediction_note") ? "prior " : "", 100 * error);
    return out;
}

/* What the memories below the GPUs serve. */
static const doc *memories_of(const doc *row) { return doc_get(doc_get(row, "simulated"), "memories"); }

/* Seconds of an epoch. */
static double epoch_of(const struct column_row *r)
{
    return doc_number(doc_get(doc_get(r->row, "simulated"), "epoch_time"), "seconds");
}

enum { GROUP_ROWS = 256, SHORT_WIDTH = 101 };

/* A group of rows as it is shown: rows that left the same are one line. */
struct group {
    const doc *all[GROUP_ROWS], *order[GROUP_ROWS]; /* sorted; [shown] of these */
    int line[GROUP_ROWS];                           /* where in order the line of a row of all begins; -1: none */
    uint64_t count, shown;
    const doc *best; /* NULL: none can be had */
    bool planned;    /* some row has numbers */
};

static bool hidden(const struct column_row *r) { return ((const struct group *)r->mine)->line[r->group] < 0; }

static const char *policy_text(const struct column_row *r, char out[COLUMN_TEXT])
{
    const struct group *g = r->mine;
    const doc *stands;
    results_merged(g->order, g->shown, (uint64_t)g->line[r->group], &stands, out, COLUMN_TEXT);
    return out;
}

/* How far GPUs read, or why there are no numbers. */
static const char *reach_text(const struct column_row *r, char out[COLUMN_TEXT])
{
    (void)out;
    return doc_text_value(doc_get(r->row, has_numbers(r->row) ? "reach" : "status"), NULL);
}

static const char *note_text(const struct column_row *r, char out[COLUMN_TEXT])
{
    const struct group *g = r->mine;
    const char *note = results_note(r->row, g ? g->best : NULL);
    (void)out;
    return *note ? note : NULL;
}

/* Where no row has numbers, there is no reach. */
static const char *deal_text(const struct column_row *r, char out[COLUMN_TEXT])
{
    const struct group *g = r->mine;
    if (!has_numbers(r->row)) return g && !g->planned ? reach_text(r, out) : NULL;
    return doc_text_value(doc_get(doc_get(r->row, "deal"), "chosen"), NULL);
}

static double below(const struct column_row *r, const char *kind)
{
    const doc *memories = memories_of(r->row);
    return memories_sum(memories, kind, "feature_lines") + memories_sum(memories, kind, "topology_lines");
}

static double across_lines(const struct column_row *r)
{
    return memories_sum(memories_of(r->row), "dram", "other_socket_lines");
}

static double dram_lines(const struct column_row *r)
{
    double across = across_lines(r);
    return below(r, "dram") - (isnan(across) ? 0 : across);
}

static double node_lines(const struct column_row *r) { return below(r, "node"); }
static bool crosses(const struct column_row *r) { return across_lines(r) > 0; }
static bool gains(const struct column_row *r) { return doc_is_object(doc_get(r->row, "gain")); }

static bool noted(const struct column_row *r)
{
    char text[COLUMN_TEXT];
    return note_text(r, text) != NULL;
}

#define SHOWN(key) "simulated." key "|predicted." key
static const struct column columns[] =
    {COLUMN("policy", NULL, CELL_TEXT, .text = policy_text),
     COLUMN("peers", NULL, CELL_TEXT, .text = reach_text, .flags = COLUMN_IF_DIFFERS,
            .help = "peer access: " WORD_PEER_ACCESS "\n"),
     COLUMN("assignment", NULL, CELL_TEXT, .text = deal_text,
            .help = "assignment: " WORD_ASSIGNMENT "\n"
                    "feat., topo.: features, topology; all simulated on held-out epochs\n"),
     COLUMN("epoch", NULL, CELL_SECONDS, .number = epoch_of, .flags = COLUMN_IF_ANY,
            .help = "epoch: epoch time by HyScale-GNN's model, from the server's constants, with all stages\n"),
     COLUMN("feat. hits", SHOWN("feature_hit_rate"), CELL_PERCENT),
     COLUMN("topo. hits", SHOWN("topology_hit_rate"), CELL_PERCENT),
     COLUMN("topo. trans.", SHOWN("topology_transactions"), CELL_COUNT),
     COLUMN("feat. trans.", SHOWN("feature_transactions"), CELL_COUNT),
     COLUMN("all trans.", SHOWN("total_transactions"), CELL_COUNT),
     COLUMN("left of uncached", SHOWN("total_transactions") "/uncached_transactions", CELL_PERCENT, .form = "%.1f %%",
            .help = "left of uncached: share of what the same assignment reads with nothing cached\n"),
     COLUMN("prediction", NULL, CELL_FORM, .text = error_text,
            .help = "prediction: predicted / simulated - 1 (seen: the policy planned from these epochs)\n"),
     COLUMN("DRAM trans.", NULL, CELL_COUNT, .number = dram_lines, .flags = COLUMN_IF_ANY,
            .help = "DRAM, other sockets, other nodes: transactions that the memory of GPUs' own sockets, of other "
                    "sockets and of "
                    "other nodes serves; SSD blocks: read by mini-batches; reads: seconds of all reads below "
                    "GPUs, "
                    "per GPU, as if "
                    "none overlapped\n"),
     COLUMN("other sockets", NULL, CELL_COUNT, .number = across_lines, .when = crosses),
     COLUMN("other nodes", NULL, CELL_COUNT, .number = node_lines, .flags = COLUMN_IF_ANY),
     COLUMN("SSD blocks", "simulated.memories.ssd.blocks", CELL_COUNT, .flags = COLUMN_IF_ANY),
     COLUMN("reads", "simulated.memories.seconds", CELL_SECONDS, .flags = COLUMN_IF_ANY),
     COLUMN("gap", "bound.gap", CELL_PERCENT, .flags = COLUMN_IF_ANY,
            .help = "gap: expected transactions of the plan / proven lower bound for any placement with the same "
                    "assignment and "
                    "budgets - 1, both under the estimates\n"),
     COLUMN("error", "expected_error.mean", CELL_PERCENT, .flags = COLUMN_IF_ANY,
            .help = "error: expected mean relative error of the rows that GPUs serve rounded\n"),
     COLUMN("vs mean-row", "gain.mean-row", CELL_CHANGE, .times = -100, .when = gains,
            .help = "vs: all transactions, against those of a plan for which all feature rows have the mean size "
                    "(mean-row), and "
                    "of one that caches the features of one type only (single-type)\n"),
     COLUMN("vs single-type", "gain.single-type", CELL_CHANGE, .times = -100, .when = gains),
     COLUMN("note", NULL, CELL_TEXT, .text = note_text, .when = noted,
            .help = "note: ours: of this project; tie: epochs within the error of the seconds of the best; more "
                    "memory: "
                    "GPUs that "
                    "only sample hold more than the budget\n"),
     {0}};

/* ---- tables ---- */

/* GPUs that only sample hold more than the budget: their plans are not compared at equal memory. */
static void samplers_print(const doc *row, bool explain, FILE *to)
{
    char held[UNIT_TEXT], budget[UNIT_TEXT], all[UNIT_TEXT], budgets[UNIT_TEXT], who[200];
    unsigned long long gpus = doc_size(doc_get(row, "sampler_gpus"));
    if (!results_more_memory(row)) return;
    snprintf(who, sizeof who, "%.60s at %.40s: %llu GPU%s only sample%s", doc_text_value(doc_get(row, "policy"), "?"),
             doc_text_value(doc_get(row, "budget"), "?"), gpus, gpus == 1 ? "" : "s", gpus == 1 ? "s" : "");
    units_bytes(all, doc_count(row, "held_bytes"));
    units_bytes(budgets, doc_count(row, "held_budget_bytes"));
    if (explain)
        terminal_print(to,
                       "%s and hold%s %s of topology%s; the budget, %s per GPU, bounds only the GPUs that train; all "
                       "GPUs hold %s, and their budgets are %s\n",
                       who, gpus == 1 ? "s" : "", units_bytes(held, doc_count(row, "sampler_held_bytes")),
                       gpus == 1 ? "" : " each", units_bytes(budget, doc_count(row, "budget_bytes")), all, budgets);
    else terminal_print(to, "%s; all hold %s, %s are budgeted\n", who, all, budgets);
}

/* What was left out, and how it can be seen. */
static void more_print(uint64_t left, bool explain, FILE *to)
{
    char text[96] = "";
    if (left)
        text_append(text, sizeof text, "--all shows %llu more policies and all columns", (unsigned long long)left);
    if (!explain) text_append(text, sizeof text, "%s--explain says what columns mean", left ? "; " : "");
    if (*text) terminal_say(to, TERMINAL_DIM, "%s\n", text);
}

/* hotset at each peer access, against the best other that reads no farther. */
static void accesses_print(const struct results_access *line, uint64_t count, FILE *to)
{
    struct table *t = table_new(
        (const char *const[]){"GPUs read", ">hotset", "best rival", ">", ">time", ">reads", NULL});
    table_bare(t);
    for (uint64_t i = 0; i < count; i++) {
        struct results_access_text text;
        results_access_text(&line[i], &text);
        const char *const cells[] = {line[i].reads, text.own, text.policy, text.rival, text.time, text.reads};
        for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) table_add(t, "%s", cells[k]);
    }
    table_show(t, to);
}

/* The table of a group, and the small one of peer accesses: false where there is none. answer: what it says. */
static bool group_print(const doc *rows, uint64_t from, uint64_t to, bool all, bool explain,
                        char answer[ANSWER_SENTENCE], FILE *out)
{
    struct group g = {.shown = 0};
    const doc *first = doc_at(rows, from), *stands;
    char names[ANSWER_SENTENCE], bytes[UNIT_TEXT];
    bool below_gpus = false, per_clique = strcmp(doc_text_value(doc_get(first, "budget_per"), "gpu"), "gpu") != 0;
    struct results_access access[RESULTS_ACCESSES];
    for (; g.count < GROUP_ROWS && from + g.count < to; g.count++) {
        g.order[g.count] = doc_at(rows, from + g.count);
        g.planned |= has_numbers(g.order[g.count]);
        below_gpus |= doc_is_object(memories_of(g.order[g.count]));
    }
    results_sort(g.order, g.count);
    memcpy(g.all, g.order, sizeof g.all);
    terminal_print(out, "%s%s on %s, %s per %s (%s%s; %.2f %% of all bytes per clique)\n", from ? "\n" : "",
                   doc_text_value(doc_get(first, "graph"), "?"), doc_text_value(doc_get(first, "server"), "?"),
                   doc_text_value(doc_get(first, "budget"), "?"), per_clique ? "clique" : "GPU",
                   units_bytes(bytes, (uint64_t)doc_integer_value(doc_get(first, "budget_bytes"), 0)),
                   per_clique ? " per GPU" : "", 100 * doc_number(first, "budget_share"));
    results_sentence(g.order, g.count, explain, answer);
    g.best = results_best(g.order, g.count);
    const uint64_t accesses = results_accesses(g.order, g.count, access);
    g.shown = all ? g.count : results_choose(g.order, g.count, accesses ? ANSWER_ROWS_BESIDE : ANSWER_ROWS);
    for (uint64_t k = 0; k < g.count; k++) g.line[k] = -1;
    for (uint64_t i = 0, k = 0, same; i < g.shown; i += same) {
        same = results_merged(g.order, g.shown, i, &stands, names, sizeof names);
        while (g.all[k] != stands) k++;
        g.line[k] = (int)i;
    }
    columns_print(&(struct column_table){.columns = columns,
                                         .picked = g.all,
                                         .picks = g.count,
                                         .mine = &g,
                                         .skip = hidden,
                                         .keep = below_gpus ? "epoch,reads,peers,note,SSD blocks,all "
                                                              "trans.,other nodes,feat. hits"
                                                            : "epoch,all trans.,peers,note,feat. hits,left of "
                                                              "uncached,prediction,topo. hits,assignment",
                                         .limit = all ? 0 : SHORT_WIDTH},
                  out);
    for (uint64_t k = 0; k < g.shown; k++) samplers_print(g.order[k], explain, out);
    if (!from) more_print(g.count - g.shown, explain, out);
    if (accesses) accesses_print(access, accesses, out);
    return accesses > 0;
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

/* What rows are sorted by, where that is wanted or is not seconds, and why it is not. */
static void sorted_print(const doc *rows, bool explain, FILE *to)
{
    const doc *without = NULL;
    bool seconds = false, below_gpus = false;
    char why[600] = "";
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        const doc *row = doc_at(rows, i);
        below_gpus |= doc_is_object(memories_of(row));
        seconds |= isfinite(results_seconds(row));
        if (has_numbers(row) && !isfinite(results_seconds(row)) && !without) without = row;
    }
    if (!explain && !without) return;
    terminal_print(to, "rows: the best first, by %s%s\n", seconds ? "seconds of an epoch, then by " : "",
                   below_gpus ? "seconds of reads" : "all transactions");
    if (!without) return;
    const doc *unknown = doc_path(without, "simulated.epoch_time.unknown");
    for (uint64_t i = 0; i < doc_size(unknown); i++) {
        if (!i) text_append(why, sizeof why, "server %s states no", doc_text_value(doc_get(without, "server"), "?"));
        text_append(why, sizeof why, "%s %s", i ? "," : "", doc_text_value(doc_at(unknown, i), "?"));
    }
    if (!*why)
        text_append(why, sizeof why,
                    doc_is_object(doc_get(without, "simulated")) ? "its cache changes while it trains"
                                                                 : "nothing was simulated");
    terminal_print(to, "the epoch of %s is not known in seconds: %s\n", doc_text_value(doc_get(without, "policy"), "?"),
                   why);
}

/* What the columns mean, where that is wanted, and what no prediction is. */
static void legend_print(const doc *rows, bool explain, FILE *to)
{
    bool prior = false;
    for (uint64_t i = 0; i < doc_size(rows); i++) prior |= doc_get(doc_at(rows, i), "prediction_note") != NULL;
    if (explain) {
        terminal_print(to, "\n%s\n", RESULTS_LEGEND);
        columns_help(&(struct column_table){.columns = columns + 1, .rows = rows}, to);
    }
    if (prior) terminal_print(to, "prior: %s\n", results_prior_note);
}

/* With several groups, each table is followed by its answer; the answer of a single one comes last. */
void results_print(const doc *rows, bool all, bool explain, FILE *to)
{
    char answer[ANSWER_SENTENCE] = "";
    bool several = false, beside = false;
    for (uint64_t i = 0, end; i < doc_size(rows); i = end) {
        for (end = i + 1; end < doc_size(rows) && results_same_group(doc_at(rows, i), doc_at(rows, end));) end++;
        several |= end - i < doc_size(rows);
        beside = group_print(rows, i, end, all, explain, answer, to);
        if (several && *answer) terminal_print(to, "%s\n", answer);
    }
    legend_print(rows, explain, to);
    sorted_print(rows, explain, to);
    if (all) reasons_print(rows, to);
    if (!several && *answer) terminal_print(to, "%s%s\n", beside && !explain ? "" : "\n", answer);
}
