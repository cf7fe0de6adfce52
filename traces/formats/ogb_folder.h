/* ogb_folder.h - what the text and the binary folder of an OGB node data set have in common: files that may be zipped,
 * and split/<name>/{train,valid,test}.csv(.gz) with an id per line. */
#ifndef TRACES_FORMATS_OGB_FOLDER_H
#define TRACES_FORMATS_OGB_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include "base/file.h"
#include "base/status.h"

struct builder;

/* Gives the builder the sets of the first split in name order that has training ids; none: nothing is given. n:
 * vertices of the graph, which ids must be below. ST_INPUT, with file and line, for what is no id; ST_LIMIT for memory.
 */
enum st ogb_read_split(const char *folder, uint64_t n, struct builder *to, struct err *err) MUST_USE;

/* The elements of a row of a csv file (float32), from its first line. ST_INPUT for an empty one. */
enum st ogb_row_elements(const char *path, uint64_t *out, struct err *err) MUST_USE;

#endif
