/* leftovers.h - what runs left beside their target when they were killed by a signal that nobody can catch. */
#ifndef BASE_LEFTOVERS_H
#define BASE_LEFTOVERS_H

/* Removes the temporaries of a target whose process is gone and which nobody has locked. temporary: the caller's own,
 * "<folder>/.<name>.tmp-<process id>-<random>"; the others lie beside it. Links and what belongs to other users stay,
 * and so does what cannot be removed. */
void leftovers_remove(const char *target, const char *temporary);

#endif
