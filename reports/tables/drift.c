/* drift.c - what plans of other windows leave. */
#include "reports/tables/tables.h"

const struct column drift_columns[] =
    {COLUMN("rows", "scheme", CELL_TEXT),
     COLUMN("feature hits", "feature_hit_rate", CELL_PERCENT, .page = "hits", .unit = "features"),
     COLUMN("topo. hits", "topology_hit_rate", CELL_PERCENT, .page = "hits", .unit = "topology"),
     COLUMN("all trans.", "total_transactions", CELL_COUNT, .page = "transactions", .unit = "per epoch"),
     COLUMN("loaded", "bytes_loaded", CELL_BYTES, .unit = "all windows"),
     COLUMN("loading", "seconds_loading", CELL_SECONDS, .form = "%.3g ms", .times = 1e3),
     COLUMN("saved", "seconds_saved", CELL_SIGNED, .form = "%.3g ms", .times = 1e3, .unit = "loading deducted"),
     COLUMN("below GPUs", "memories.seconds", CELL_SECONDS, .form = "%.3g ms", .times = 1e3,
            .unit = "DRAM and SSDs, per epoch", .flags = COLUMN_IF_ANY),
     {0}};
