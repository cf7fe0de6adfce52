/* bench.c - what hotset bench measured. */
#include "reports/tables/tables.h"

const struct column bench_columns[] = {COLUMN("case", "name", CELL_TEXT, .page = "operation"),
                                       COLUMN("on", "backend", CELL_TEXT, .flags = COLUMN_PAGE),
                                       COLUMN("median", "seconds", CELL_SECONDS),
                                       COLUMN("best", "best_seconds", CELL_SECONDS),
                                       COLUMN("rate", "per_second", CELL_RATE, .page = "per second"),
                                       COLUMN("of", "items", CELL_TEXT),
                                       COLUMN("limit", "limit_seconds", CELL_SECONDS, .unit = "by memory"),
                                       COLUMN("share of limit", "share_of_limit", CELL_PERCENT, .page = "share",
                                              .unit = "of the limit"),
                                       {0}};
