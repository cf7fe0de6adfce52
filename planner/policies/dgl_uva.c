/* dgl-uva - nothing is cached, every GPU reads the host by zero copy (DGL 0.9 UVA): the baseline. */
#include "planner/policies/place.h"

static enum st dgl_uva_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                             struct err *err)
{
    (void)in, (void)verdict, (void)err;
    place_no_peers(plan);
    return ST_OK;
}

const struct policy policy_dgl_uva = {.name = "dgl-uva",
                                      .summary = "nothing cached, zero-copy reads of host memory",
                                      .source = "DGL 0.9 UVA",
                                      .hotness = "none",
                                      .assignment = ASSIGNMENT_GLOBAL,
                                      .any_deal = true,
                                      .own_memory = true,
                                      .reaches = REACHES_ALL,
                                      .place = dgl_uva_place};
