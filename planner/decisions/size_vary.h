/* size_vary.h - any two quantities of a size question as the axes of a map. */
#ifndef PLANNER_DECISIONS_SIZE_VARY_H
#define PLANNER_DECISIONS_SIZE_VARY_H

#include "planner/decisions/size.h"

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
    VARY_HOST,
    VARY_SSD,
    VARY_NIC,
    VARY_QUANTITIES
};
#define SIZE_VARY_WORDS                                                                                                \
    "budget, gpus, server, nvlink, feature-type, fanout, batch, grow, share, host-memory, ssd or nic-gbps"
struct size_vary {
    bool given;
    enum size_quantity axis[2];
}; /* x, y */
/* Reads "gpus,budget". ST_USAGE unless it names two different quantities. */
enum st size_vary_parse(const char *text, struct size_vary *out, struct err *err) MUST_USE;
/* Whether the quantity is one of the axes. */
bool size_varies(const struct size_vary *v, enum size_quantity of);

/* Writes every curve's label: its server, and what differs between the curves. */
void size_label_curves(struct size_curve *curves, int count);
/* "f32", "f16", "i8", "f64" by the bytes of a feature element; "" for other sizes. */
const char *size_element_name(uint64_t bytes);

/* {x{quantity, labels[]}, y{..}, metric, values[y][x]}: the best of all curves in a cell, at their largest budget
 * unless budget is an axis; null where there is none. NULL without --vary. The caller frees it. */
doc *size_vary_document(const struct size_question *q, const struct size_vary *v, const struct size_curve *curves,
                        int count);

#endif
