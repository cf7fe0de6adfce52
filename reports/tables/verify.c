/* verify.c - what was checked of a plan. */
#include "reports/tables/tables.h"

const struct column verify_checks[] = {COLUMN("check", "check", CELL_TEXT),
                                       COLUMN("what", "what", CELL_LONG),
                                       COLUMN("result", "result", CELL_TEXT),
                                       {0}};
