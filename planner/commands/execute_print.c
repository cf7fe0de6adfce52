#include "planner/commands/execute_print.h"

#include <math.h>
#include <string.h>

#include "base/terminal.h"
#include "reports/tables/tables.h"

static const struct column sweep_columns[] = {COLUMN("alpha", "alpha", CELL_FORM, .form = "%.2f"),
                                              COLUMN("predicted", "predicted.total_transactions", CELL_COUNT),
                                              COLUMN("simulated", "simulated.total_transactions", CELL_COUNT),
                                              COLUMN("counted", "counted.total_transactions", CELL_COUNT),
                                              COLUMN("measured", "measured.total_transactions", CELL_COUNT),
                                              COLUMN("gather host", "seconds.gather_host", CELL_SECONDS),
                                              COLUMN("all stages", "seconds.total", CELL_SECONDS),
                                              {0}};

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
    columns_show(execute_reads, gpus, NULL, to);
    terminal_print(to, "%s", "\ntime per mini-batch (median); GB/s over all mini-batches\n");
    columns_show(execute_times, gpus, NULL, to);
    fputc('\n', to);
    columns_print(&(struct column_table){.columns = execute_totals,
                                         .rows = doc_get(executed, "totals"),
                                         .skip = execute_errors},
                  to);
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
