/* diff.c - rows that one plan holds and another does not. */
#include "reports/tables/tables.h"

#define MOVES(of)                                                                                                      \
    COLUMN("before", of "before.rows", CELL_COUNT), COLUMN("after", of "after.rows", CELL_COUNT),                      \
        COLUMN("kept", of "kept.rows", CELL_COUNT),                                                                    \
        COLUMN("removed", of "removed.rows", CELL_COUNT, .flags = COLUMN_TERMINAL),                                    \
        COLUMN("moved out", of "moved_out.rows", CELL_COUNT, .flags = COLUMN_TERMINAL),                                \
        COLUMN("added", of "added.rows", CELL_COUNT),                                                                  \
        COLUMN("removed", of "removed.rows", CELL_COUNT, .flags = COLUMN_PAGE),                                        \
        COLUMN("moved in", of "moved_in.rows", CELL_COUNT),                                                            \
        COLUMN("moved out", of "moved_out.rows", CELL_COUNT, .flags = COLUMN_PAGE),                                    \
        COLUMN("bytes to load", of "added.bytes+" of "moved_in.bytes", CELL_BYTES, .flags = COLUMN_TERMINAL)
const struct column diff_features[] = {COLUMN("GPU", "id", CELL_COUNT), MOVES("feature."), {0}},
                    diff_topology[] = {COLUMN("GPU", "id", CELL_COUNT), MOVES("topology."), {0}},
                    diff_train[] = {COLUMN("GPU", "id", CELL_COUNT), MOVES("train."), {0}},
                    diff_types[] = {COLUMN("rows", "", CELL_ROWS), COLUMN("GPU", "^id", CELL_COUNT), MOVES(""), {0}},
                    diff_places[] = {COLUMN("below the GPUs", "name", CELL_TEXT),
                                     COLUMN("feature rows before", "feature.before", CELL_COUNT),
                                     COLUMN("after", "feature.after", CELL_COUNT),
                                     COLUMN("kept", "feature.kept", CELL_COUNT),
                                     COLUMN("topology rows before", "topology.before", CELL_COUNT),
                                     COLUMN("after", "topology.after", CELL_COUNT),
                                     COLUMN("kept", "topology.kept", CELL_COUNT),
                                     {0}};
