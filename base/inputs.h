/* inputs.h - what the process reads, so that it never writes over it.
 *
 * main notes the paths of the command line, folder_document those that documents name. output.c asks before it opens
 * an output. Files are told apart by device and inode, so links and other spellings of a path are the same file. Any
 * thread may call these functions.
 */
#ifndef BASE_INPUTS_H
#define BASE_INPUTS_H

#include <stdbool.h>
#include "base/file.h"
#include "base/status.h"

/* Notes a file or folder that is read; what does not exist is passed over. */
void inputs_note(const char *path);
/* Notes what an option's text names: the text itself, and the parts of "A,B", "NAME=PATH" and "S.json:4". files_only:
 * the text may also be a name of ours (a shipped server), so folders that happen to be called so do not count. */
void inputs_note_text(const char *text, bool files_only);

/* Where the sentence begins with a path that was named to be read and is not there: the path with the nearest name in
 * its folder, of the first few thousand. False: there is none. */
bool inputs_meant(const char *sentence, char out[PATH_BYTES]);

/* ST_INPUT when the target is an input, lies in a folder that is one, or is a folder with an input in it. */
enum st inputs_spare(const char *target, struct err *err) MUST_USE;

/* Forgets all; for tests. */
void inputs_forget(void);

#endif
