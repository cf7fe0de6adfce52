/* export_script.h - the script of an export: a file of scripts/ with the plan's constants.
 *
 * A script is written as it stands in scripts/, where it can be read and checked. Two things are put into it: in place
 * of a line `from NAME import *` the Makefile puts the text of scripts/NAME.py, so that what is exported is one file;
 * and the lines `NAME = VALUE` between `FOLDER = ..` and the first empty line get the plan's values. A constant that
 * the plan has no value for is left out, with its line.
 *
 * Values are documents. Keys of their objects stand as they are, so that numbers and tuples can be keys; what is a name
 * becomes a text of Python by export_script_of.
 */
#ifndef PLANNER_EXPORTS_EXPORT_SCRIPT_H
#define PLANNER_EXPORTS_EXPORT_SCRIPT_H

#include "planner/exports/export.h"

/* A script as it ships. */
struct export_script {
    const char *name, *text;
};
extern const struct export_script export_scripts[]; /* ends with a NULL name */

/* Sets what a constant says of type t: the constant itself of a plain graph, else its member of that type's name. Takes
 * value. */
void export_script_of(doc *values, const char *constant, const struct graph *g, int t, doc *value);
/* The list that a constant has for type t; a new one where it has none. Borrowed. */
doc *export_script_list(doc *values, const char *constant, const struct graph *g, int t);

/* Writes the script of that name. own: values of its own constants, NULL: it has none; those that scripts share
 * (CLIQUES, PEERS, TYPES, VERTICES, DIM, ELEMENT, FANOUT, BATCH, SEED, ORDER, BLOCKS) are added. what: a few words for
 * people. ST_LIMIT without memory or disk. */
enum st export_script_write(const struct export_input *in, struct export_folder *to, const char *name, const char *what,
                            const doc *own, struct err *err) MUST_USE;

#endif
