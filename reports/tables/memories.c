/* memories.c - the memories below the GPUs: tiers, sockets, storage and nodes. */
#include <stdio.h>

#include "reports/tables/tables.h"

static double of_first(const struct column_row *r)
{
    return doc_number(r->row, "simulated_seconds") / doc_number(doc_at(r->list, 0), "simulated_seconds");
}

const struct column memories_tier_ways[] =
    {COLUMN("planned", "way", CELL_TEXT),
     COLUMN("seconds/epoch", "simulated_seconds", CELL_SECONDS, .page = "seconds", .unit = "per epoch and GPU"),
     COLUMN("of one problem", NULL, CELL_PERCENT, .number = of_first, .form = "%.1f %%", .flags = COLUMN_TERMINAL),
     COLUMN("predicted", "predicted_seconds", CELL_SECONDS),
     COLUMN("prediction error", "prediction_error", CELL_PERCENT2, .form = "%+.2f %%"),
     {0}};

const struct column memories_tier_places[] =
    {COLUMN("memory", "=name", CELL_TEXT),
     COLUMN("room", "=capacity_bytes", CELL_BYTES),
     COLUMN("used", "used_bytes", CELL_BYTES),
     COLUMN("feature rows", "feature_rows", CELL_COUNT),
     COLUMN("topology rows", "topology_rows", CELL_COUNT),
     COLUMN("feature reads", "feature_reads", CELL_OF_ALL, .flags = COLUMN_TERMINAL),
     COLUMN("topology lines", "topology_lines", CELL_OF_ALL, .flags = COLUMN_TERMINAL),
     COLUMN("seconds", "seconds", CELL_OF_ALL, .flags = COLUMN_TERMINAL),
     COLUMN("feature reads", "feature_reads", CELL_COUNT, .unit = "per epoch", .flags = COLUMN_PAGE),
     COLUMN("topology lines", "topology_lines", CELL_COUNT, .unit = "per epoch", .flags = COLUMN_PAGE),
     COLUMN("time", "seconds", CELL_SECONDS, .unit = "of its reads", .flags = COLUMN_PAGE),
     {0}};

const struct column memories_socket_ways[] =
    {COLUMN("rows on sockets", "way", CELL_TEXT),
     COLUMN("DRAM used", "held_bytes", CELL_BYTES),
     COLUMN("read/epoch", "simulated.host_bytes", CELL_BYTES, .page = "read", .unit = "per epoch"),
     COLUMN("between sockets", "simulated.crossing_bytes", CELL_BYTES, .unit = "per epoch"),
     COLUMN("share", "simulated.crossing_share", CELL_PERCENT, .unit = "of what is read", .form = "%.1f %%"),
     COLUMN("prediction error", "prediction_error", CELL_PERCENT, .form = "%+.1f %%"),
     COLUMN("link time", "simulated.link_seconds", CELL_SECONDS, .flags = COLUMN_TERMINAL),
     COLUMN("DRAM time", "simulated.dram_seconds", CELL_SECONDS, .flags = COLUMN_TERMINAL),
     COLUMN("time", "simulated.seconds", CELL_SECONDS, .unit = "of the busiest link or DRAM", .flags = COLUMN_PAGE),
     {0}};

static const char *drives(const struct column_row *r, char out[COLUMN_TEXT])
{
    if (!doc_is_number(doc_get(r->row, "drives"))) return "-";
    snprintf(out, COLUMN_TEXT, "%.0f x %s", doc_number(r->row, "drives"), doc_text_value(doc_get(r->row, "name"), "?"));
    return out;
}

const struct column storage_sizes_columns[] =
    {COLUMN("host memory", "^host_memory_bytes", CELL_BYTES, .flags = COLUMN_ONCE),
     COLUMN("of all data", "^share", CELL_PERCENT, .flags = COLUMN_ONCE),
     COLUMN("DRAM hits", "^dram_hit_rate", CELL_PERCENT, .unit = "of what no GPU holds", .flags = COLUMN_ONCE),
     COLUMN("blocks/epoch", "^blocks", CELL_COUNT, .page = "blocks", .unit = "per epoch", .flags = COLUMN_ONCE),
     COLUMN("SSDs", NULL, CELL_TEXT, .text = drives, .flags = COLUMN_TERMINAL),
     COLUMN("SSDs", "drives", CELL_COUNT, .flags = COLUMN_PAGE),
     COLUMN("of the kind", "name", CELL_TEXT, .flags = COLUMN_PAGE),
     COLUMN("SSD time", "ssd_seconds", CELL_SECONDS, .unit = "per epoch"),
     COLUMN("epoch", "epoch_seconds", CELL_SECONDS),
     COLUMN("slower", "slower", CELL_PERCENT, .form = "%+.1f %%", .page = "longer", .unit = "than with all in DRAM"),
     {0}};
