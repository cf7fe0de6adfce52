#include "planner/commands/elsewhere.h"

static const char sizes_of_lists[] = "lists that were made elsewhere are of one size, and this command asks what other "
                                     "sizes give; 'hotset compare --from-lists' holds them against plans of their size";
const struct option_elsewhere size_elsewhere[] = {{.option = "from-lists", .why = sizes_of_lists}, {0}};

static const char dealt_anew[] = "this command cuts the graph anew for every window, by the method that 'hotset plan' "
                                 "takes unasked; --assignment says into which parts";

const struct option_elsewhere drift_elsewhere[] = {{.option = "parts", .why = dealt_anew},
                                                   {.option = "partition", .why = dealt_anew},
                                                   {.option = "from-lists",
                                                    .why = "each scheme chooses rows anew in every window; "
                                                           "'hotset plan --from-lists' takes those of one plan"},
                                                   {0}};
