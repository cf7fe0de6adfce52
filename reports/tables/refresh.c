/* refresh.c - what moves in a refresh. */
#include "reports/tables/tables.h"

const struct column refresh_gpus[] =
    {COLUMN("node", "node", CELL_COUNT, .flags = COLUMN_IF_ANY),
     COLUMN("GPU", "id", CELL_COUNT),
     COLUMN("features kept", "feature.kept", CELL_COUNT),
     COLUMN("to load", "feature.to_load", CELL_COUNT),
     COLUMN("dropped", "feature.dropped", CELL_COUNT, .flags = COLUMN_PAGE),
     COLUMN("topology kept", "topology.kept", CELL_COUNT),
     COLUMN("to load", "topology.to_load", CELL_COUNT),
     COLUMN("dropped", "topology.dropped", CELL_COUNT, .flags = COLUMN_PAGE),
     COLUMN("features from peers", "feature.from_peers", CELL_COUNT, .flags = COLUMN_PAGE),
     COLUMN("topology from peers", "topology.from_peers", CELL_COUNT, .flags = COLUMN_PAGE),
     COLUMN("bytes", "feature.bytes_to_load+topology.bytes_to_load", CELL_BYTES, .flags = COLUMN_TERMINAL),
     COLUMN("from peers", "feature.bytes_from_peers+topology.bytes_from_peers", CELL_BYTES, .flags = COLUMN_TERMINAL),
     COLUMN("from nodes", "feature.bytes_from_nodes+topology.bytes_from_nodes", CELL_BYTES,
            .flags = COLUMN_TERMINAL | COLUMN_IF_ANY),
     COLUMN("seconds", "seconds_to_load", CELL_SECONDS, .page = "loading"),
     {0}};

const struct column refresh_dram[] = {COLUMN("DRAM of", "node", CELL_FORM, .form = "node %.0f",
                                             .flags = COLUMN_LEFT | COLUMN_TERMINAL),
                                      COLUMN("node", "node", CELL_COUNT, .flags = COLUMN_PAGE),
                                      COLUMN("rows kept", "dram.kept", CELL_COUNT),
                                      COLUMN("to load", "dram.to_load", CELL_COUNT),
                                      COLUMN("dropped", "dram.dropped", CELL_COUNT),
                                      COLUMN("bytes", "dram.bytes_to_load", CELL_BYTES, .flags = COLUMN_TERMINAL),
                                      COLUMN("from nodes", "dram.bytes_from_nodes", CELL_BYTES,
                                             .flags = COLUMN_TERMINAL),
                                      COLUMN("from nodes", "dram.from_nodes", CELL_COUNT, .flags = COLUMN_PAGE),
                                      {0}};
