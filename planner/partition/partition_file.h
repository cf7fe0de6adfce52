/* partition_file.h - parts of a graph that another program found.
 *
 * Told apart by content: a NumPy array of n integers; text with one part number per line, line i for vertex i (METIS
 * and ParMETIS `.part.K`); or text with "vertex part" pairs, each vertex once, in any order (XtraPuLP and others).
 * Blank lines and lines that begin with # or % are skipped; text may be compressed.
 */
#ifndef PLANNER_PARTITION_PARTITION_FILE_H
#define PLANNER_PARTITION_PARTITION_FILE_H

#include <stdint.h>
#include "base/status.h"

/* part[n] gets numbers 0..parts-1. ST_INPUT, with the line or element, for another count, a part out of range, a
 * vertex that is missing or there twice, or what is no number. */
enum st partition_file_read(const char *path, uint64_t n, int parts, uint8_t *part, struct err *err) MUST_USE;

#endif
