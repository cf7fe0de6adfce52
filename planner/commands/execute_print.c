#include "planner/commands/execute_print.h"

#include <math.h>
#include <string.h>

#include "base/terminal.h"
#include "base/units.h"
#include "planner/results/table_values.h"

static const char *const stages[] = {"sample", "lookup", "gather_own", "gather_peer", "gather_host"};
enum { STAGE_COUNT = sizeof stages / sizeof *stages };

/* Who was read, and how fast the cache was filled. */
static void rows_print(const doc *gpus, FILE *to)
{
    static const char *const headers[] = {"GPU",   ">mini-batches", ">filled", ">GB/s", ">rows own",    ">peer",
                                          ">host", ">visits own",   ">peer",   ">host", "as simulated", NULL};
    static const char *const from[] = {"local", "peer", "host"};
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(gpus); i++) {
        const doc *g = doc_at(gpus, i), *fill = doc_get(g, "fill"), *counted = doc_get(g, "counted"),
                  *equal = doc_get(g, "equals_simulated");
        table_add(t, "%lld", (long long)doc_count(g, "id"));
        table_add(t, "%lld of %lld", (long long)doc_count(g, "batches"), (long long)doc_count(g, "all_batches"));
        table_add_bytes(t, (double)(doc_count(fill, "topology_bytes") + doc_count(fill, "feature_bytes")));
        table_add_real(t, doc_number(fill, "gbps"));
        for (int k = 0; k < 3; k++) table_count(t, doc_get(doc_get(counted, "feature_rows"), from[k]));
        for (int k = 0; k < 3; k++) table_count(t, doc_get(doc_get(counted, "topology_visits"), from[k]));
        table_add(t, "%s", doc_is_null(equal) ? "-" : doc_bool_value(equal, false) ? "equal" : "DIFFERS");
    }
    table_show(t, to);
}

static void times_print(const doc *gpus, FILE *to)
{
    static const char *const headers[] = {"GPU",   ">sample", ">look up", ">gather own", ">GB/s", ">peer",
                                          ">GB/s", ">host",   ">GB/s",    ">host p95",   NULL};
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(gpus); i++) {
        const doc *g = doc_at(gpus, i), *s = doc_get(g, "stages");
        table_add(t, "%lld", (long long)doc_count(g, "id"));
        for (int k = 0; k < STAGE_COUNT; k++) {
            table_add_seconds(t, doc_number(doc_get(s, stages[k]), "median_seconds"));
            if (k >= 2) table_add_real(t, doc_number(doc_get(s, stages[k]), "gbps"));
        }
        table_add_seconds(t, doc_number(doc_get(s, "gather_host"), "p95_seconds"));
    }
    terminal_print(to, "%s", "\ntime per mini-batch (median); GB/s over all mini-batches\n");
    table_show(t, to);
}

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
    rows_print(gpus, to);
    times_print(gpus, to);
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
    static const char *const headers[] = {">alpha",    ">predicted",   ">simulated",  ">counted",
                                          ">measured", ">gather host", ">all stages", NULL};
    static const char *const kinds[] = {"predicted", "simulated", "counted", "measured"};
    const doc *sweep = doc_get(executed, "sweep"), *points = doc_get(sweep, "points"), *best = doc_get(sweep, "best");
    if (!doc_size(points)) return;
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(points); i++) {
        const doc *p = doc_at(points, i);
        table_add(t, "%.2f", doc_number(p, "alpha"));
        for (int k = 0; k < 4; k++) table_count(t, doc_get(doc_get(p, kinds[k]), "total_transactions"));
        table_add_seconds(t, doc_number(doc_get(p, "seconds"), "gather_host"));
        table_add_seconds(t, doc_number(doc_get(p, "seconds"), "total"));
    }
    terminal_print(to, "%s", "\ntransactions and time per epoch, by alpha (share of the budget for topology)\n");
    table_show(t, to);
    terminal_print(to,
                   "\nminimum predicted at alpha %.2f, %s at %.2f: %s one step (%.2f) apart; shortest time at %.2f.\n",
                   doc_number(best, "predicted"), doc_text_value(doc_get(best, "judged_by"), "?"),
                   doc_number(best, doc_text_value(doc_get(best, "judged_by"), "?")),
                   doc_bool_value(doc_get(best, "within_one_step"), false) ? "at most" : "more than",
                   doc_number(sweep, "step"), doc_number(best, "seconds"));
}
