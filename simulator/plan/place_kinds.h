/* place_kinds.h - the kinds of memories below the GPUs: a row each says in what they differ, and everyone asks it. How
 * to add one: planner/places/README.md. */
#ifndef SIMULATOR_PLAN_PLACE_KINDS_H
#define SIMULATOR_PLAN_PLACE_KINDS_H

enum place_kind { PLACE_KIND_DRAM, PLACE_KIND_NODE, PLACE_KIND_SSD, PLACE_KINDS };

/* What a memory is to the node that reads it. */
enum place_role {
    ROLE_HOME,   /* holds rows, and states how many bytes of them it has room for */
    ROLE_REMOTE, /* the homes of another node, over the network; its lists are the rows that are read there */
    ROLE_LAST    /* has all rows, and no lists; drives, read in whole blocks */
};

struct place_kind_row {
    const char *name; /* in documents, and of the files of its lists */
    const char *many; /* all of this kind together, for people */
    const char *list; /* "rows that .." its lists name; NULL: it has none */
    enum place_role role;
};
extern const struct place_kind_row place_kind_table[PLACE_KINDS];

#endif
