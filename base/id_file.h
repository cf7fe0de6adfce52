/* id_file.h - files of ids in an output folder, listed with their checksums in the document beside them. */
#ifndef BASE_ID_FILE_H
#define BASE_ID_FILE_H

#include "base/doc.h"
#include "base/file.h"

/* Writes ids[count] as `name` (.npy, u4, one dimension) into the folder o, and appends {name, bytes, sha256} to the
 * array `files`. ST_LIMIT when disk or memory runs out. */
enum st id_file_save(const struct output *o, const char *name, const uint32_t *ids, uint64_t count, doc *files,
                     struct err *err) MUST_USE;

#endif
