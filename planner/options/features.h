/* features.h - feature rows of a user, as NumPy matrices, one per table of rows (traces/graph/rows.h): row v of one
 * belongs to row v of the table. A plain graph has one, of its vertices. */
#ifndef PLANNER_OPTIONS_FEATURES_H
#define PLANNER_OPTIONS_FEATURES_H

#include "base/npy.h"
#include "traces/graph/rows.h"

/* Maps a .npy file of shape (rows, elements) of a table; the type of its elements is the caller's to check. *out: to be
 * released. ST_INPUT for another shape, with what to type. */
enum st features_map(const char *path, const struct graph *g, int table, struct npy *out, struct err *err) MUST_USE;

/* What follows is about the words of options. */

/* Table of the features of the type, or of the edges of the relation, called that; -1: none. g is not plain. */
int features_table(const struct graph *g, const char *name);
enum { FEATURES_WORDS = 4096 };
/* Splits "a=b,c=d" into names and values, [GRAPH_TABLES_MAX] each, that point into copy, [FEATURES_WORDS]. *count:
 * pairs. ST_USAGE for a part without '='. option: for messages. */
enum st features_pairs(const char *option, const char *words, char *copy, char **name, char **value, int *count,
                       struct err *err) MUST_USE;
/* Calls take(file, table, to, err) for every file of --features: FILE of a plain graph, else "paper=FILE,author=FILE".
 * ST_USAGE for an unknown name; errors of take. */
enum st features_each(const struct graph *g, const char *words,
                      enum st (*take)(const char *, int, void *, struct err *), void *to, struct err *err) MUST_USE;

#endif
