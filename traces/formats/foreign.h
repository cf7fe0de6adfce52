/* foreign.h - files that hold graphs in forms that are not read here: told by their first bytes, and refused with the
 * shortest way in. */
#ifndef TRACES_FORMATS_FOREIGN_H
#define TRACES_FORMATS_FOREIGN_H

#include "traces/formats/graph_format.h"

/* Refuses a file that is known to be of a form that is not read: ST_INPUT, with what it is and the commands that make
 * of it what is read. ST_OK for others. archives: looks for those that are zip files, too, which a reader of archives
 * would take for its own; else for all but these. */
enum st foreign_refuse(const struct format_probe *p, bool archives, struct err *err) MUST_USE;

#endif
