#include "planner/results/plan_print.h"

#include <math.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/policies/policy.h"
#include "planner/options/cached_types.h"
#include "planner/results/results_document.h"
#include "planner/results/results_print.h"
#include "planner/results/table_values.h"
#include "base/table.h"
#include "simulator/movement/simulated.h"

/* A kind that is there: edges have features in some graphs only. */
static bool has_kind(const struct graph *g, enum row_kind kind)
{
    bool any = false;
    for (int k = 0; k < graph_tables(g); k++) any |= graph_table(g, k).kind == kind && graph_table_there(g, k);
    return any;
}

/* What the GPUs of a clique hold, by kind. */
struct clique_holds {
    uint64_t budget, bytes[ROWS_KINDS], rows[ROWS_KINDS];
    char gpus[300];
};

static void clique_sum(const struct plan *p, const struct graph *g, int clique, struct clique_holds *out)
{
    int id[GPUS_MAX], count = 0;
    uint64_t bytes[GRAPH_TABLES_MAX], rows[GRAPH_TABLES_MAX];
    memset(out, 0, sizeof *out);
    for (int i = 0; i < p->assignment.gpus; i++) {
        if (p->assignment.clique_of[i] != clique) continue;
        id[count++] = p->assignment.id[i];
        out->budget += p->budget[i];
        (void)placement_held(&p->placement, i, g, bytes, rows);
        for (int k = 0; k < graph_tables(g); k++) {
            out->bytes[graph_table(g, k).kind] += bytes[k];
            out->rows[graph_table(g, k).kind] += rows[k];
        }
    }
    text_append_ids(out->gpus, sizeof out->gpus, id, count);
}

/* The share that the policy chose; of several types, where policies fill one order, what came of it. */
static double alpha_of(const struct plan *p, const struct graph *g, int clique, const struct clique_holds *holds)
{
    uint64_t all = 0;
    for (int k = 0; k < ROWS_KINDS; k++) all += holds->bytes[k];
    if (graph_plain(g)) return p->clique[clique].alpha;
    return all ? (double)holds->bytes[ROWS_TOPOLOGY] / (double)all : 0;
}

static void cliques_print(const struct plan *p, const struct graph *g, FILE *to)
{
    static const char *const bytes_of[] = {">topology", ">features", ">edge features"}, *const rows_of[] = {">rows of "
                                                                                                            "topology",
                                                                                                            ">rows of "
                                                                                                            "features",
                                                                                                            ">rows of "
                                                                                                            "edge "
                                                                                                            "features"};
    const int kinds = has_kind(g, ROWS_EDGE) ? ROWS_KINDS : ROWS_EDGE;
    const char *headers[4 + 2 * ROWS_KINDS + 1] = {"clique", "GPUs", ">clique budget", ">alpha"};
    char text[UNIT_TEXT];
    for (int k = 0; k < kinds; k++) {
        headers[4 + k] = bytes_of[k];
        headers[4 + kinds + k] = rows_of[k];
    }
    struct table *t = table_new(headers);
    for (int c = 0; c < p->assignment.cliques; c++) {
        struct clique_holds holds;
        clique_sum(p, g, c, &holds);
        table_add(t, "%d", c);
        table_add(t, "%s", holds.gpus);
        table_add_bytes(t, (double)holds.budget);
        table_add(t, "%.2f", alpha_of(p, g, c, &holds));
        for (int k = 0; k < kinds; k++) table_add_bytes(t, (double)holds.bytes[k]);
        for (int k = 0; k < kinds; k++) table_add(t, "%s", units_count(text, holds.rows[k]));
    }
    table_show(t, to);
}

/* Shares that own memory, peers and the host serve. */
static void add_served(struct table *t, const uint64_t reads[READ_SOURCES])
{
    const double all = (double)(reads[READ_OWN] + reads[READ_PEER] + reads[READ_HOST]);
    for (int k = 0; k < READ_SOURCES; k++)
        table_add(t, all > 0 ? "%.1f %%" : "-", all > 0 ? 100 * ((double)reads[k] / all) : 0);
}

static void gpus_print(const struct plan *p, const struct graph *g, FILE *to)
{
    static const char *const headers[] = {"GPU",   ">train", ">feature rows: own",
                                          ">peer", ">host",  ">topology visits: own",
                                          ">peer", ">host",  ">trans./epoch",
                                          NULL};
    struct table *t = table_new(headers);
    char text[UNIT_TEXT];
    for (int i = 0; i < p->assignment.gpus; i++) {
        const struct simulated_sums reads = simulated_reader(p->simulated, g, i);
        table_add(t, "%s", units_count(text, (uint64_t)p->assignment.id[i]));
        table_add(t, "%s", units_count(text, p->assignment.train_count[i]));
        add_served(t, reads.rows);
        add_served(t, reads.visits);
        table_add(t, "%s", units_count(text, reads.transactions.total));
    }
    table_keep(t, "trans./epoch,train");
    table_show(t, to);
}

static void cache_print(const struct plan *p, FILE *to)
{
    char low[UNIT_TEXT], high[UNIT_TEXT];
    uint64_t least = UINT64_MAX, most = 0;
    for (int g = 0; g < p->assignment.gpus; g++) {
        least = p->cache_rows[g] < least ? p->cache_rows[g] : least;
        most = p->cache_rows[g] > most ? p->cache_rows[g] : most;
    }
    char range[2 * UNIT_TEXT + 8] = "";
    if (most > least) snprintf(range, sizeof range, " to %s", units_count(high, most));
    terminal_print(to, "features: a dynamic cache (%s) per GPU, empty at first, of %s%s rows; there is no prediction\n",
                   p->cache, units_count(low, least), range);
}

static void add_totals(struct table *t, const char *name, double feature_hit, double topology_hit,
                       struct plan_totals totals)
{
    const uint64_t count[] = {totals.topology, totals.feature, totals.total};
    char text[UNIT_TEXT];
    table_add(t, "%s", name);
    table_percent(t, feature_hit);
    table_percent(t, topology_hit);
    for (int i = 0; i < 3; i++) table_add(t, "%s", units_count(text, count[i]));
}

static void totals_print(const struct plan *p, FILE *to)
{
    static const char *const headers[] =
        {"", ">feature hits", ">topology hits", ">topology trans.", ">feature trans.", ">all trans.", NULL};
    const struct simulated *s = p->simulated;
    struct table *t = table_new(headers);
    if (!*p->cache)
        add_totals(t, p->predicted_held_out ? "predicted" : "known in advance", p->predicted_feature_hit,
                   p->predicted_topology_hit, plan_predicted(p));
    if (s)
        add_totals(t, p->predicted_held_out ? "simulated, held out" : "simulated", simulated_hit(s->sums.rows),
                   simulated_hit(s->sums.visits), s->sums.transactions);
    table_keep(t, "all trans.,feature hits,topology hits");
    table_show(t, to);
}

/* How training vertices were shared out, what other deals would leave, and how even the work is. */
static void deal_print(const struct plan *p, FILE *to)
{
    const doc *deal = doc_get(p->notes, "deal"), *tried = doc_get(deal, "tried");
    const char *partition = doc_text_value(doc_get(deal, "partition"), "");
    char count[UNIT_TEXT], parts[80] = "", list[300] = "";
    bool timed = false;
    if (!doc_is_object(deal)) return;
    if (*partition && strcmp(partition, "none")) snprintf(parts, sizeof parts, " (parts by %.60s)", partition);
    terminal_print(to,
                   "assignment of training vertices: %s%s; the busiest GPU gathers %.2f times as many rows as the "
                   "mean\n",
                   doc_text_value(doc_get(deal, "chosen"), "?"), parts, doc_number(deal, "busiest_gathers"));
    for (uint64_t i = 0; i < doc_size(tried); i++) {
        const doc *one = doc_at(tried, i);
        double seconds = doc_number(one, "predicted_epoch_seconds");
        const char *by = doc_text_value(doc_get(one, "partition"), "");
        timed |= !isnan(seconds);
        text_append(list, sizeof list, "%s%s%s %s", i ? ", " : "", doc_text_value(doc_get(one, "deal"), "?"),
                    !strcmp(by, "reads-draws") ? " by draws" : "",
                    isnan(seconds)
                        ? units_count(count, (uint64_t)doc_integer_value(doc_get(one, "predicted_transactions"), 0))
                        : units_seconds(count, seconds));
    }
    double of_rows = doc_number(doc_at(tried, 0), "of_rows");
    if (of_rows < 1) snprintf(parts, sizeof parts, " and 1 in %.0f rows", 1 / of_rows);
    else *parts = '\0';
    if (*list)
        terminal_print(to, "assignments tried, with the %s predicted from one epoch%s: %s\n",
                       timed ? "epoch" : "transactions", parts, list);
}

/* The order of training vertices, what other orders would leave, and how random mini-batches are. */
static void order_print(const struct plan *p, FILE *to)
{
    const doc *order = doc_get(p->notes, "order"), *tried = doc_get(order, "tried");
    const char *chosen = doc_text_value(doc_get(order, "chosen"), "?");
    char count[UNIT_TEXT];
    if (!doc_is_object(order) || (!strcmp(chosen, "shuffle") && !doc_size(tried))) return;
    fprintf(to,
            "order %s: on average the largest of %s communities has %.1f %% of a mini-batch; when shuffled, %.1f %%\n",
            chosen, units_count(count, (uint64_t)doc_integer_value(doc_get(order, "communities"), 0)),
            100 * doc_number(order, "largest_community"), 100 * doc_number(order, "largest_community_shuffled"));
    for (uint64_t i = 0; i < doc_size(tried); i++)
        fprintf(to, "%s%s %s", i ? ", " : "orders tried, with the transactions predicted from one epoch: ",
                doc_text_value(doc_get(doc_at(tried, i), "order"), "?"),
                units_count(count,
                            (uint64_t)doc_integer_value(doc_get(doc_at(tried, i), "predicted_transactions"), 0)));
    if (doc_size(tried)) fputc('\n', to);
}

/* The interval of the prediction; one that is assumed is called so, and not an interval of 95 %. */
static void interval_print(const struct plan *p, FILE *to)
{
    char low[UNIT_TEXT], high[UNIT_TEXT];
    if (!p->interval_known || *p->cache) return;
    terminal_print(to, "%s of the prediction: %s to %s transactions per epoch%s\n",
                   p->interval_assumed ? "assumed interval" : "95 % interval",
                   units_count(low, (uint64_t)(p->predicted_low + 0.5)),
                   units_count(high, (uint64_t)(p->predicted_high + 0.5)),
                   p->interval_assumed ? "; one recorded epoch shows no spread" : "");
}

static void verdict_print(const struct plan *p, FILE *to)
{
    const struct simulated *s = p->simulated;
    char low[UNIT_TEXT], high[UNIT_TEXT];
    double error = s->error;
    interval_print(p, to);
    if (!isnan(error))
        terminal_print(to, "prediction error: %+.2f %% of the simulated transactions (predicted / simulated - 1)\n",
                       100 * error);
    if (s->replay.interval_known)
        terminal_print(to, "95 %% interval of the simulated mean: %s to %s transactions per epoch\n",
                       units_count(low, s->low), units_count(high, s->high));
}

/* How HyScale's balance step shared the work out. */
static void cpu_print(const struct plan *p, FILE *to)
{
    const doc *cpu = doc_get(p->notes, "cpu"), *threads = doc_get(cpu, "threads"), *steps = doc_get(cpu, "steps");
    if (!doc_is_object(threads)) return;
    terminal_print(to,
                   "the CPU trains %.2f %% of every mini-batch, with %.0f %% of its threads sampling, %.0f %% loading "
                   "rows, %.0f %% training (balance step, %llu moves)\n",
                   100 * doc_real_value(doc_get(cpu, "share"), 0), 100 * doc_real_value(doc_get(threads, "sample"), 0),
                   100 * doc_real_value(doc_get(threads, "load"), 0),
                   100 * doc_real_value(doc_get(threads, "train"), 0),
                   (unsigned long long)(doc_size(steps) ? doc_size(steps) - 1 : 0));
    for (uint64_t i = 0; i < doc_size(steps); i++)
        fprintf(to, "  %-30s CPU %6.2f %%  %.4g ms\n", doc_text_value(doc_get(doc_at(steps, i), "what"), "?"),
                100 * doc_real_value(doc_get(doc_at(steps, i), "share"), 0),
                1e3 * doc_number(doc_at(steps, i), "execution_seconds"));
}

/* Who samples, and what others would take. */
static void sampling_print(const doc *d, FILE *to)
{
    const doc *tried = doc_get(d, "tried");
    char text[UNIT_TEXT], list[300] = "";
    for (uint64_t i = 0; i < doc_size(tried); i++) {
        const doc *one = doc_at(tried, i);
        double seconds = doc_number(one, "predicted_epoch_seconds");
        const char *rows = doc_text_value(doc_get(one, "rows_by"), NULL);
        text_append(list, sizeof list, "%s%s%s%s: ", i ? "; " : "", doc_text_value(doc_get(one, "sampling"), "?"),
                    rows ? ", rows by " : "", rows ? rows : "");
        if (!isnan(seconds)) text_append(list, sizeof list, "%s, ", units_seconds(text, seconds));
        text_append(list, sizeof list, "%s transactions",
                    units_count(text, (uint64_t)doc_integer_value(doc_get(one, "predicted_transactions"), 0)));
    }
    const char *chosen = doc_text_value(doc_get(d, "chosen"), doc_text_value(doc_get(d, "sampling"), "?"));
    if (doc_size(tried) > 1) terminal_print(to, "who samples: %s (per epoch: %s)\n", chosen, list);
}

static void stage_bound_print(const struct plan *p, FILE *to)
{
    char bound[UNIT_TEXT];
    if (p->bound.stage_known)
        terminal_print(to,
                       "lower bound of the transfer stage for any placement: %s per epoch; gap of this plan: %.2f %%\n",
                       units_seconds(bound, p->bound.stage), 100 * p->bound.stage_gap);
}

static void bound_print(const struct plan *p, FILE *to)
{
    char bound[UNIT_TEXT], text[900] = "";
    const struct plan_bound *b = &p->bound;
    if (!b->asked) return;
    if (!b->known) {
        terminal_print(to, "no bound: %s\n", b->reason);
        return;
    }
    text_append(text, sizeof text,
                "lower bound for any placement: %s transactions per epoch (proven, under the estimates)",
                units_count(bound, b->total.bound));
    if (!isnan(b->total.gap)) text_append(text, sizeof text, "; gap of this plan: %.4f %%", 100 * b->total.gap);
    if (b->slowest_known)
        text_append(text, sizeof text, "\nlower bound for the busiest PCIe switch: %s; gap of this plan: %.4f %%",
                    units_count(bound, b->slowest.bound), 100 * b->slowest.gap);
    terminal_print(to, "%s%s%s\n", text, b->reason ? "; " : "", b->reason ? b->reason : "");
}

/* Of several types: every table of rows. */
static void rows_print(const struct plan *p, const struct graph *rows, FILE *to)
{
    static const char *const headers[] =
        {"rows",      "kind", ">held", ">of", ">bytes", ">hit rate", ">predicted trans.", ">simulated trans.",
         ">uncached", NULL};
    struct table *t = table_new(headers);
    char text[UNIT_TEXT], label[GRAPH_LABEL_BYTES];
    uint64_t bytes[GRAPH_TABLES_MAX], count[GRAPH_TABLES_MAX];
    const struct simulated *of = p->simulated;
    placement_held_all(&p->placement, rows, bytes, count);
    for (int k = 0; k < rows->tables; k++) {
        if (!graph_table_there(rows, k)) continue;
        table_add(t, "%s", graph_table_label(rows, k, label));
        table_add(t, "%s", row_kind_name(rows->table[k].kind));
        table_add(t, "%s", units_count(text, count[k]));
        table_add(t, "%s", units_count(text, rows->table[k].count));
        table_add_bytes(t, (double)bytes[k]);
        const struct table_reads s = simulated_reads(&of, p->simulated != NULL, rows, k, ROWS_KINDS);
        table_percent(t, simulated_hit(s.reads));
        table_add(t, "%s", units_count(text, plan_expected_transactions(p, k)));
        table_add(t, "%s", p->simulated ? units_count(text, s.transactions) : "-");
        table_add(t, "%s", p->simulated ? units_count(text, s.uncached) : "-");
    }
    fputc('\n', to);
    table_show(t, to);
    fputc('\n', to);
}

/* What plans that know less of types leave. */
static void baselines_print(const struct plan *p, FILE *to)
{
    char a[UNIT_TEXT];
    for (int i = 0; i < p->baselines; i++) {
        const struct plan_baseline *one = &p->baseline[i];
        const double ratio = plan_baseline_ratio(p, one);
        char against[60] = "where this plan leaves none";
        if (ratio >= 0) snprintf(against, sizeof against, "%.3f times this plan's", ratio);
        terminal_print(to, "%s (%s): %s transactions, %s\n",
                       !strcmp(one->policy, "mean-row") ? "all types as one, rows of mean size"
                                                        : "caching one type only",
                       one->policy, units_count(a, one->transactions), against);
    }
}

/* What the columns mean, and what planning tried. */
static void planning_print(const struct plan *p, FILE *to)
{
    terminal_print(to, "\nalpha: share of the cache that topology has; the rest is features\n%s\n", RESULTS_LEGEND);
    sampling_print(doc_get(p->notes, "objective"), to);
    sampling_print(doc_get(p->notes, "sampling"), to);
    deal_print(p, to);
    order_print(p, to);
}

void plan_print(const struct plan *p, const struct graph *g, bool explain, FILE *to)
{
    cliques_print(p, g, to);
    if (graph_plain(g)) fputc('\n', to);
    else rows_print(p, g, to);
    cached_types_print_tables(g, to);
    if (*p->cache) cache_print(p, to);
    if (!*p->cache || p->simulated) totals_print(p, to);
    bound_print(p, to);
    stage_bound_print(p, to);
    baselines_print(p, to);
    if (!explain) return;
    planning_print(p, to);
    if (p->simulated) {
        verdict_print(p, to);
        cpu_print(p, to);
        epoch_time_print(p->simulated->time, to);
        fputc('\n', to);
        gpus_print(p, g, to);
    }
}
