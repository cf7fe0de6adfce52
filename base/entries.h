/* entries.h - what is in a folder, read by system calls alone.
 *
 * opendir takes memory, so it cannot be used by a signal handler that interrupted malloc, nor where memory has run out.
 * These functions take none, and are safe in signal handlers. They know folders by open descriptors and follow no
 * links.
 */
#ifndef BASE_ENTRIES_H
#define BASE_ENTRIES_H

#include <stdbool.h>

/* Calls visit(folder, name, with) for every name but "." and "..", until none returns true in a whole round: visit says
 * whether it removed the entry, and removing an entry may move others. folder: open for reading. */
void entries_visit(int folder, bool (*visit)(int folder, const char *name, const void *with), const void *with);

/* Removes what is in an open folder, up to `depth` levels below it. */
void entries_empty(int folder, int depth);

/* Removes an entry of an open folder: a file, or a folder with what is in it, up to `depth` levels below. True when it
 * is gone. */
bool entries_remove(int folder, const char *name, int depth);

#endif
