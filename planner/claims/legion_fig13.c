/* Legion, figure 13: the cost model's prediction against measured time, over the split of the cache. */
#include "planner/exhibit.h"

const struct exhibit exhibit_legion_fig13 = {
    .name = "legion-fig13", .title = "Predicted transactions and time over the split of the cache", .paper = "Legion (ATC'23)", .place = "figure 13, section 6.5",
    .missing = "It takes the time of an epoch, which needs a model of time or a server.",
    .claim = {{"The PCIe transactions that the cost model predicts follow the time of sampling and feature extraction over the size of the topology cache.",
               "the split with the fewest predicted transactions is within 5 % of the shortest time"}}};
