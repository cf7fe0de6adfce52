/* torch_file.h - a one-dimensional tensor of int64 as a file for torch.load.
 *
 * The form is the one that torch.save wrote before version 1.6 and that every torch.load reads, also with weights_only:
 * five pickles (a number that marks such files, a protocol number, sizes of types, the tensor, the list of its
 * storages), then each storage as its number of elements and its bytes. It has no checksums, so it can be streamed.
 */
#ifndef PLANNER_EXPORTS_TORCH_FILE_H
#define PLANNER_EXPORTS_TORCH_FILE_H

#include "planner/exports/export_folder.h"

/* Writes ids[count] as such a file. what: a few words for people. ST_LIMIT without disk. */
enum st torch_file_ids(struct export_folder *to, const char *name, const char *what, const uint32_t *ids,
                       uint64_t count, struct err *err) MUST_USE;

#endif
