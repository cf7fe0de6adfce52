/* execute.c - what an executed plan read, and how fast. */
#include <math.h>
#include <string.h>

#include "reports/tables/tables.h"

static const char *batches(const struct column_row *r, char out[COLUMN_TEXT])
{
    snprintf(out, COLUMN_TEXT, "%.0f of %.0f", doc_number(r->row, "batches"), doc_number(r->row, "all_batches"));
    return out;
}

/* Who was read, and how fast the cache was filled. */
const struct column execute_reads[] = {COLUMN("GPU", "id", CELL_COUNT, .flags = COLUMN_LEFT),
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

#define MEDIAN(name, stage) COLUMN(name, "stages." stage ".median_seconds", CELL_SECONDS, .unit = "median")
#define RATE(stage) COLUMN("GB/s", "stages." stage ".gbps", CELL_NUMBER, .flags = COLUMN_TERMINAL)
const struct column execute_times[] =
    {COLUMN("GPU", "id", CELL_COUNT, .flags = COLUMN_LEFT),
     COLUMN("mini-batches", NULL, CELL_FORM, .text = batches, .flags = COLUMN_PAGE),
     COLUMN("cache fill rate", "fill.gbps", CELL_FORM, .form = "%.3g GB/s", .flags = COLUMN_PAGE),
     MEDIAN("sample", "sample"),
     MEDIAN("look up", "lookup"),
     MEDIAN("gather own", "gather_own"),
     RATE("gather_own"),
     COLUMN("peer", "stages.gather_peer.median_seconds", CELL_SECONDS, .page = "gather peer", .unit = "median"),
     RATE("gather_peer"),
     COLUMN("host", "stages.gather_host.median_seconds", CELL_SECONDS, .page = "gather host", .unit = "median"),
     RATE("gather_host"),
     COLUMN("host p95", "stages.gather_host.p95_seconds", CELL_SECONDS, .flags = COLUMN_TERMINAL),
     COLUMN("host gather rate", "stages.gather_host.gbps", CELL_FORM, .form = "%.3g GB/s", .flags = COLUMN_PAGE),
     COLUMN("as simulated", "equals_simulated", CELL_TEXT, .yes = "equal", .no = "differs", .flags = COLUMN_PAGE),
     {0}};

bool execute_errors(const struct column_row *r) { return !strcmp(r->key, "errors"); }

static const char *kind(const struct column_row *r, char out[COLUMN_TEXT])
{
    (void)out;
    return strcmp(r->key, "simulated") ? r->key : "simulated, held out";
}

static double to_predicted(const struct column_row *r)
{
    double predicted = doc_number(doc_get(r->list, "predicted"), "total_transactions");
    return r->group && predicted > 0 ? doc_number(r->row, "total_transactions") / predicted - 1 : NAN;
}

const struct column execute_totals[] = {COLUMN("transactions per epoch", NULL, CELL_TEXT, .text = kind,
                                               .flags = COLUMN_TERMINAL),
                                        COLUMN("which", "@", CELL_TEXT, .flags = COLUMN_PAGE),
                                        COLUMN("topology", "topology_transactions", CELL_COUNT),
                                        COLUMN("features", "feature_transactions", CELL_COUNT),
                                        COLUMN("total", "total_transactions", CELL_COUNT),
                                        COLUMN("to predicted", NULL, CELL_FORM, .number = to_predicted,
                                               .form = "%+.2f %%", .times = 100, .page = "from predicted"),
                                        {0}};
