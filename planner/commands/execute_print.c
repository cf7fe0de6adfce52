#include "planner/commands/execute_print.h"

#include <math.h>
#include <string.h>

#include "base/terminal.h"
#include "base/units.h"
#include "planner/results/table_values.h"
#include "base/columns.h"

static const char *batches(const struct column_row *r, char out[COLUMN_TEXT])
{
    snprintf(out, COLUMN_TEXT, "%.0f of %.0f", doc_number(r->row, "batches"), doc_number(r->row, "all_batches"));
    return out;
}

/* Who was read, and how fast the cache was filled. */
static const struct column reads_columns[] = {COLUMN("GPU", "id", CELL_COUNT, .flags = COLUMN_LEFT),
                                              COLUMN("mini-batches", NULL, CELL_FORM, .text = batches),
                                              COLUMN("filled", "fill.topology_bytes+fill.feature_bytes", CELL_BYTES),
                                              COLUMN("GB/s", "fill.gbps", CELL_NUMBER),
                                              COLUMN("rows own", "counted.feature_rows.local", CELL_COUNT),
                                              COLUMN("peer", "counted.feature_rows.peer", CELL_COUNT),
                                              COLUMN("host", "counted.feature_rows.host", CELL_COUNT),
                                              COLUMN("visits own", "counted.topology_visits.local", CELL_COUNT),
                                              COLUMN("peer", "counted.topology_visits.peer", CELL_COUNT),
                                              COLUMN("host", "counted.topology_visits.host", CELL_COUNT),
                                              COLUMN("as simulated", "equals_simulated", CELL_TEXT, .yes = "equal",
                                                     .no = "DIFFERS"),
                                              {0}};

static const struct column times_columns[] = {COLUMN("GPU", "id", CELL_COUNT, .flags = COLUMN_LEFT),
                                              COLUMN("sample", "stages.sample.median_seconds", CELL_SECONDS),
                                              COLUMN("look up", "stages.lookup.median_seconds", CELL_SECONDS),
                                              COLUMN("gather own", "stages.gather_own.median_seconds", CELL_SECONDS),
                                              COLUMN("GB/s", "stages.gather_own.gbps", CELL_NUMBER),
                                              COLUMN("peer", "stages.gather_peer.median_seconds", CELL_SECONDS),
                                              COLUMN("GB/s", "stages.gather_peer.gbps", CELL_NUMBER),
                                              COLUMN("host", "stages.gather_host.median_seconds", CELL_SECONDS),
                                              COLUMN("GB/s", "stages.gather_host.gbps", CELL_NUMBER),
                                              COLUMN("host p95", "stages.gather_host.p95_seconds", CELL_SECONDS),
                                              {0}};

static const struct column sweep_columns[] = {COLUMN("alpha", "alpha", CELL_FORM, .form = "%.2f"),
                                              COLUMN("predicted", "predicted.total_transactions", CELL_COUNT),
                                              COLUMN("simulated", "simulated.total_transactions", CELL_COUNT),
                                              COLUMN("counted", "counted.total_transactions", CELL_COUNT),
                                              COLUMN("measured", "measured.total_transactions", CELL_COUNT),
                                              COLUMN("gather host", "seconds.gather_host", CELL_SECONDS),
                                              COLUMN("all stages", "seconds.total", CELL_SECONDS),
                                              {0}};

static void totals_print(const doc *executed, FILE *to)
{
    static const char *const headers[] = {"transactions per epoch", ">topology", ">features", ">total",
                                          ">to predicted",          NULL};
    static const struct {
        const char *key, *name;
    } rows[] = {{"predicted", "predicted"},
                {"simulated", "simulated, held out"},
                {"counted", "counted"},
                {"measured", "measured"}};
    struct table *t = table_new(headers);
    const doc *totals = doc_get(executed, "totals");
    double predicted = doc_number(doc_get(totals, "predicted"), "total_transactions");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const doc *d = doc_get(totals, rows[i].key);
        double total = doc_number(d, "total_transactions");
        table_add(t, "%s", rows[i].name);
        table_count(t, doc_get(d, "topology_transactions"));
        table_count(t, doc_get(d, "feature_transactions"));
        table_count(t, doc_get(d, "total_transactions"));
        if (i && predicted > 0 && !isnan(total)) table_add(t, "%+.2f %%", 100 * (total / predicted - 1));
        else table_add(t, "-");
    }
    fputc('\n', to);
    table_show(t, to);
}

/* How it was measured, or why not: once, since it is the machine's. A CPU's has a note of its own. */
static void hows_print(const doc *executed, const doc *gpus, FILE *to)
{
    const doc *m = doc_get(doc_at(gpus, 0), "measured");
    const char *feature = doc_text_value(doc_get(m, "feature_how"), ""),
               *total = doc_text_value(doc_get(m, "total_how"), "");
    if (!*feature || !doc_bool_value(doc_get(doc_get(executed, "machine"), "pcie"), false)) return;
    terminal_print(to, "measured: features %s; in total %s.\n",
                   strcmp(feature, "timed") ? feature
                                            : "from the time of the host's rows, at the measured rate of such reads",
                   strcmp(total, "counters") ? total : "by the driver's PCIe counter of received bytes");
}

void execute_print(const doc *executed, FILE *to)
{
    const doc *gpus = doc_get(executed, "gpus"), *notes = doc_get(executed, "notes"),
              *machine = doc_get(executed, "machine");
    uint64_t verified = 0;
    terminal_print(to, "policy %s on %s, executed by %s: %lld epoch%s of seed %lld\n\n",
                   doc_text_value(doc_get(executed, "policy"), "?"),
                   doc_text_value(doc_get(doc_get(executed, "server"), "name"), "?"),
                   doc_text_value(doc_get(machine, "device"), "?"), (long long)doc_count(executed, "epochs"),
                   doc_count(executed, "epochs") == 1 ? "" : "s", (long long)doc_count(executed, "seed"));
    columns_show(reads_columns, gpus, NULL, to);
    terminal_print(to, "%s", "\ntime per mini-batch (median); GB/s over all mini-batches\n");
    columns_show(times_columns, gpus, NULL, to);
    totals_print(executed, to);
    fputc('\n', to);
    for (uint64_t i = 0; i < doc_size(gpus); i++) verified += doc_count(doc_at(gpus, i), "verified_rows");
    terminal_print(to, "%lld gathered rows were compared with their expected content; %lld differ.\n",
                   (long long)verified, (long long)doc_count(executed, "wrong_rows"));
    hows_print(executed, gpus, to);
    for (uint64_t i = 0; i < doc_size(notes); i++) terminal_print(to, "%s\n", doc_text_value(doc_at(notes, i), ""));
}

void execute_sweep_print(const doc *executed, FILE *to)
{
    const doc *sweep = doc_get(executed, "sweep"), *points = doc_get(sweep, "points"), *best = doc_get(sweep, "best");
    if (!doc_size(points)) return;
    terminal_print(to, "%s", "\ntransactions and time per epoch, by alpha (share of the budget for topology)\n");
    columns_show(sweep_columns, points, NULL, to);
    terminal_print(to,
                   "\nminimum predicted at alpha %.2f, %s at %.2f: %s one step (%.2f) apart; shortest time at %.2f.\n",
                   doc_number(best, "predicted"), doc_text_value(doc_get(best, "judged_by"), "?"),
                   doc_number(best, doc_text_value(doc_get(best, "judged_by"), "?")),
                   doc_bool_value(doc_get(best, "within_one_step"), false) ? "at most" : "more than",
                   doc_number(sweep, "step"), doc_number(best, "seconds"));
}
