/* words.h - what the words of answers and tables mean: `hotset help WORD`, and --explain where a column has one. */
#ifndef PLANNER_OPTIONS_WORDS_H
#define PLANNER_OPTIONS_WORDS_H

/* What --explain says, too. */
#define WORD_PEER_ACCESS                                                                                               \
    "which memories a GPU reads: its own; also those of NVLink neighbours (direct); also rows that GPUs forward over " \
    "several NVLinks (--peer-access)"
#define WORD_ASSIGNMENT "which GPU trains which training vertices (--assignment)"

struct word {
    const char *name, *others; /* others: names for the same, apart by '|'; or NULL */
    const char *means, *page;  /* page: the document that has more */
};

extern const struct word words[]; /* by name; ends with a row without one */

/* The word of that name, in upper or lower case, one or several, with '-' for blanks; NULL: there is none. */
const struct word *word_find(const char *name);

#endif
