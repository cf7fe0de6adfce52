/* observe.c - what a job read, beside what its plan says. */
#include "reports/tables/tables.h"

const struct column observe_seconds[] = {COLUMN("GPU", "^id", CELL_COUNT),
                                         COLUMN("stage", "stage", CELL_TEXT),
                                         COLUMN("seconds per epoch", "observed", CELL_SECONDS, .page = "seen",
                                                .unit = "per epoch"),
                                         COLUMN("by the model", "model", CELL_SECONDS, .unit = "per epoch"),
                                         {0}};
