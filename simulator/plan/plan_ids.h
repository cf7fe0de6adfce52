/* plan_ids.h - one list of ids of a plan directory, as a file that plan.json describes, and its bytes. */
#ifndef SIMULATOR_PLAN_PLAN_IDS_H
#define SIMULATOR_PLAN_PLAN_IDS_H

#include "base/doc.h"
#include "base/npy.h"
#include "simulator/replay/placement.h"

/* Maps folder/name, of `count` ids; stated: the name of its file in the document d ("": none), whose files[] have its
 * checksum. *out: to be released. ST_INPUT says what is wrong. */
enum st plan_ids_list(const char *folder, const doc *d, const char *name, const char *stated, uint64_t count,
                      struct npy *out, struct err *err) MUST_USE;
/* The same of a list that `about` describes: {file, count}. */
enum st plan_ids_map(const char *folder, const doc *d, const char *name, const doc *about, struct npy *out,
                     struct err *err) MUST_USE;
/* The same, appended to `rows`: each id, unchecked, and `first`. */
enum st plan_ids_append(const char *folder, const doc *d, const char *name, const doc *about, uint32_t first,
                        struct row_list *rows, struct err *err) MUST_USE;
/* The bytes that are stated for a list (-1: not stated) must be those of its rows. gpu: its id; rows: their kind;
 * where: the file, for messages. ST_INPUT. */
enum st plan_ids_bytes(int64_t stated, int gpu, const char *rows, uint64_t bytes, const char *where, struct err *err)
    MUST_USE;

#endif
