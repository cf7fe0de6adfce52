#include "planner/commands/elsewhere.h"

static const char sizes_of_lists[] = "lists that were made elsewhere are of one size, and this command asks what other "
                                     "sizes give; 'hotset compare --from-lists' holds them against plans of their size";
static const char gpus_of_nodes[] = "this command counts which node has a row, not which of its GPUs; 'hotset plan "
                                    "--nodes' plans the GPUs of all nodes with it";

const struct option_elsewhere size_elsewhere[] = {{"from-lists", sizes_of_lists}, {0}};

const struct option_elsewhere nodes_elsewhere[] = {{"cache-type", gpus_of_nodes},
                                                   {"deal", gpus_of_nodes},
                                                   {"reach", gpus_of_nodes},
                                                   {"from-lists", gpus_of_nodes},
                                                   {"ssd", "this command counts rows that come over the network from "
                                                           "the DRAM of other nodes; 'hotset plan --nodes --ssd' plans "
                                                           "SSDs with them"},
                                                   {"one-node", NODES_SIZES},
                                                   {"host-memory", NODES_SIZES},
                                                   {"target", NODES_SIZES},
                                                   {"within", NODES_SIZES},
                                                   {0}};

static const char dealt_anew[] = "this command cuts the graph anew for every window, by the method that 'hotset plan' "
                                 "takes unasked; --deal says into which parts";

const struct option_elsewhere drift_elsewhere[] = {{"parts", dealt_anew},
                                                   {"partition", dealt_anew},
                                                   {"from-lists", "each scheme chooses rows anew in every window; "
                                                                  "'hotset plan --from-lists' takes those of one plan"},
                                                   {0}};
