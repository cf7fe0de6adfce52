/* folder.h - the folders that hotset writes and reads again: graphs, traces and plans.
 *
 * Each kind holds a document that names it: graph.json, trace.json, plan.json. Users mix them up, or name the document
 * itself. folder_document says what a path really is and what to type.
 */
#ifndef BASE_FOLDER_H
#define BASE_FOLDER_H

#include "base/file.h"
#include "base/status.h"

/* Path of the document `name` ("plan.json") in a folder of that kind, into out[PATH_BYTES]. ST_INPUT when the path does
 * not exist, is a file, or is a folder of another kind. */
enum st folder_document(char out[PATH_BYTES], const char *path, const char *name, struct err *err) MUST_USE;

#endif
