#include "simulator/plan/place_kinds.h"

#include <stddef.h>

const struct place_kind_row place_kind_table[PLACE_KINDS] =
    {[PLACE_KIND_DRAM] = {"dram", "DRAM", "this DRAM holds", ROLE_HOME},
     [PLACE_KIND_NODE] = {"node", "other nodes", "this node reads from that one", ROLE_REMOTE},
     [PLACE_KIND_SSD] = {"ssd", "SSDs", NULL, ROLE_LAST}};
