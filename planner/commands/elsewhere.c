#include "planner/commands/elsewhere.h"

#define LISTS_FIXED                                                                                                    \
    "lists that were made elsewhere are of one size, and this command asks what other sizes give; 'hotset compare "     \
    "--from-lists' holds them against plans of the same size"
#define GPUS_ALONE                                                                                                     \
    "this command counts which node has a row, not which of its GPUs; 'hotset plan --nodes' plans the GPUs of all "     \
    "nodes with it"

const struct option_elsewhere size_elsewhere[] = {{"from-lists", LISTS_FIXED}, {0}};

const struct option_elsewhere tiers_elsewhere[] = {
    {"cache-type", "rows that GPUs hold rounded are smaller there than below, so GPUs and what lies below them are no "
                   "one problem; 'hotset plan --cache-type' plans one after the other"},
    {"from-lists", "lists that were made elsewhere say what GPUs hold, so GPUs and what lies below them are no one "
                   "problem; 'hotset plan --from-lists' plans what lies below"},
    {0}};

const struct option_elsewhere nodes_elsewhere[] = {{"cache-type", GPUS_ALONE},
                                                   {"deal", GPUS_ALONE},
                                                   {"reach", GPUS_ALONE},
                                                   {"from-lists", GPUS_ALONE},
                                                   {"ssd", "this command counts rows that come over the network from "
                                                           "the DRAM of other nodes; 'hotset plan --nodes --ssd' "
                                                           "plans SSDs with them"},
                                                   {0}};
