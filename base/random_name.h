/* random_name.h - parts of file names that nobody can foresee.
 *
 * In a folder that others can write to, a temporary with a name known before could be a link that they have put there.
 */
#ifndef BASE_RANDOM_NAME_H
#define BASE_RANDOM_NAME_H

/* 64 random bits of the system as 16 hex digits and a NUL. */
void random_suffix(char out[17]);

#endif
