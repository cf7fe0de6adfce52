/* size_vary.h - any two quantities of a size question as the axes of a map. */
#ifndef PLANNER_SIZING_SIZE_VARY_H
#define PLANNER_SIZING_SIZE_VARY_H

#include "planner/sizing/size.h"

enum size_quantity {
    VARY_BUDGET,
    VARY_GPUS,
    VARY_SERVER,
    VARY_NVLINK,
    VARY_FEATURE_TYPE,
    VARY_FANOUT,
    VARY_BATCH,
    VARY_GROW,
    VARY_SHARE,
    VARY_QUANTITIES
};
#define SIZE_VARY_WORDS "budget, gpus, server, nvlink, feature-type, fanout, batch, grow or share"
const char *size_quantity_name(enum size_quantity v);

struct size_vary {
    bool given;
    enum size_quantity axis[2];
}; /* x, y */
/* "gpus,budget". ST_USAGE for one, three or unknown ones. */
enum st size_vary_parse(const char *text, struct size_vary *out, struct err *err) MUST_USE;
bool size_varies(const struct size_vary *v, enum size_quantity of);

enum { SIZE_LABEL = 96 };
/* The value of a quantity (not the budget) in words: "4 GPUs", "f16", "25,10". */
const char *size_label(const struct size_curve *c, enum size_quantity of, char out[SIZE_LABEL]);
/* Writes every curve's label: its server, and that in which the curves differ. */
void size_label_curves(struct size_curve *curves, int count);
const char *size_element_name(uint64_t bytes); /* "f32", "f16", "i8"; "" for the graph's */
const char *size_fanout_text(const struct int_list *fanout, char out[SIZE_LABEL]); /* "25,10" */

/* {x{quantity, labels[]}, y{..}, metric, values[y][x]}: the best of all curves in a cell, at their largest budget
 * unless budget is an axis; null where there is none. NULL when nothing varies. */
doc *size_vary_document(const struct size_question *q, const struct size_vary *v, const struct size_curve *curves,
                        int count);

#endif
