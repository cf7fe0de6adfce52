/* own_files.h - files of a folder that is this user's own.
 *
 * The folder is known by its open descriptor, and names are of its files: nobody can put another folder in its place.
 * No link is followed, and no file of another user is opened or removed. where: the folder's name, for sentences.
 */
#ifndef BASE_OWN_FILES_H
#define BASE_OWN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include "base/doc.h"

/* Opens a file for reading; -1: there is none that is a file of this user. */
int own_files_open(int folder, const char *name, struct stat *about);
/* Removes a name, never what a link leads to. True when it is gone. */
bool own_files_remove(int folder, const char *name);
/* Writes to bytes [at, at + bytes) of the open file f. ST_LIMIT when it fails. */
enum st own_files_write(int f, const char *where, const char *name, uint64_t at, const char *data, uint64_t bytes,
                        struct err *err) MUST_USE;

/* Writes a document with its checksum (doc_seal.h), which d has then, too. Atomic, but not flushed to disk as by
 * doc_save. ST_LIMIT when disk or memory runs out. */
enum st own_files_save(int folder, const char *where, doc *d, const char *name, struct err *err) MUST_USE;
/* Reads it. ST_INPUT when it is not there or damaged; ST_LIMIT without memory. */
enum st own_files_load(int folder, const char *where, const char *name, doc **out, struct err *err) MUST_USE;
/* Whether a name is one that own_files_save gives a file until it is whole; then plain, of `room` bytes, is its later
 * name. */
bool own_files_temporary(const char *name, char *plain, size_t room);

#endif
