/* written.h - the list of what hotset wrote into a folder, and only that is ever replaced.
 *
 * Every folder that output.c puts in place holds a file ".hotset": in its first line the command that wrote the folder,
 * then its settings (made_by.h), a line each behind a tab, then a line per file, by name, "sub/file" for one in an
 * inner folder. A folder is replaced when nothing but these files is in it. Names of the list are compared with what is
 * there; nothing is removed by a name that only the list has.
 */
#ifndef BASE_WRITTEN_H
#define BASE_WRITTEN_H

#include <stdbool.h>
#include "base/status.h"

/* Writes the list of what is in the folder now. ST_LIMIT when memory or disk runs out. */
enum st written_save(const char *folder, const char *command, const char *settings, struct err *err) MUST_USE;

/* Whether a folder may be replaced. *files: how many files it would lose. ST_INPUT names what hotset did not write, or
 * without `force` what differs: the command that wrote it, or one of its settings. A folder of an earlier version
 * states no settings, and is replaced by the same command; an empty folder is good. */
enum st written_check(const char *folder, const char *command, const char *settings, bool force, int *files,
                      struct err *err) MUST_USE;

/* Removes what the list names, and the folders that are empty then; an empty folder without one, too. False: something
 * else is left in it. */
bool written_remove(const char *folder);

/* Files have their settings as an attribute, where the file system takes one. What nothing in it tells to be hotset's
 * is known by it. */
void written_mark(const char *file, const char *command, const char *settings);
bool written_marked(const char *file);
/* ST_INPUT when another command or other settings wrote the file; a copy and a file of an earlier version state none.
 */
enum st written_check_file(const char *file, const char *command, const char *settings, struct err *err) MUST_USE;

#endif
