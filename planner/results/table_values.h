/* table_values.h - numbers of documents as cells of tables for people; "-" stands for a number that is not known. */
#ifndef PLANNER_RESULTS_TABLE_VALUES_H
#define PLANNER_RESULTS_TABLE_VALUES_H

#include "base/doc.h"
#include "base/table.h"

/* Adds "1,234"; "-" when v is no integer of 0 or more. v may be NULL. */
void table_count(struct table *t, const doc *v);
/* Adds bytes, as table_add_bytes; "-" likewise. */
void table_bytes(struct table *t, const doc *v);
/* Adds "12.34 %"; "-" for NaN. */
void table_percent(struct table *t, double share);

#endif
