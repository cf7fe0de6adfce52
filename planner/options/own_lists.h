/* own_lists.h - policies of one's own: the word NAME=lists:DIR stands where a policy's name does.
 *
 * Lists of rows that another program chose (given_lists.h) are planned, simulated and printed as policy NAME. In a
 * comparison every cell may have lists of its own: those of DIR/<server>/<budget>, else of DIR/<server>, of
 * DIR/<budget>, of DIR, whichever folder is there first; <budget> is the word of --budget ("5%").
 */
#ifndef PLANNER_OPTIONS_OWN_LISTS_H
#define PLANNER_OPTIONS_OWN_LISTS_H

#include "base/file.h"
#include "planner/engine/given_lists.h"
#include "planner/engine/study_cell.h"

enum { OWN_LISTS_MOST = 16 };
struct own_lists {
    struct policy policy; /* given_lists_policy by another name; points into this struct, which must stay where it is */
    char name[48], folder[PATH_BYTES];
    bool deals; /* its folder's own train files say who trains what; else there must be none */
};

/* Whether the word is NAME=lists:DIR. */
bool own_lists_word(const char *word);
/* Reads such a word. ST_USAGE: the name is empty, too long, has other characters than letters, digits and "_-+." or is
 * that of a policy; there is no DIR. ST_INPUT: DIR is no folder. */
enum st own_lists_parse(const char *word, struct own_lists *out, struct err *err) MUST_USE;
/* The folder of the lists at a budget on a server: the most particular one that is there. ST_INPUT: too long a path. */
enum st own_lists_folder(const struct own_lists *own, const struct server *s, const struct budget *b,
                         char out[PATH_BYTES], struct err *err) MUST_USE;
/* Reads the lists of each of the cells whose policy is one of own[owns], and lets the cell have them. *out: [count],
 * owned by the caller (own_lists_free). Errors of given_lists_read; ST_INPUT for lists of training vertices, which a
 * comparison deals alike for all, but where it takes those. */
enum st own_lists_read(const struct own_lists *own, int owns, const struct graph *g, const struct server *s,
                       struct study_cell *cells, int count, struct given_lists **out, struct err *err) MUST_USE;
void own_lists_free(struct given_lists *lists, int count);

#endif
