/* DSP, figure 10: epoch time over the split of the cache. */
#include "planner/exhibit.h"

const struct exhibit exhibit_dsp_fig10 = {
    .name = "dsp-fig10", .title = "Epoch time over the share of the cache for features", .paper = "DSP (PPoPP'23)", .place = "figure 10, section 7.3",
    .missing = "It takes the time of an epoch, which needs a model of time or a server.",
    .claim = {{"Epoch time first falls and then rises as the feature cache grows.", "the shortest time is at neither end"},
              {"The shortest epoch is where the whole topology fits: topology first.", "the largest feature share that leaves room for all topology is within 5 % of the best"}}};
