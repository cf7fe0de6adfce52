/* profiles.h - the server profiles that are built into the binary: the files of hwprofiles/servers as C strings. The
 * Makefile writes both tables (build/gen/profiles.c). */
#ifndef HWPROFILES_MODEL_PROFILES_H
#define HWPROFILES_MODEL_PROFILES_H

struct profile {
    const char *name, *json; /* file name without .json; the whole text */
};
extern const struct profile profiles_shipped[]; /* sorted by name; the last row has no name */
extern const char *const profiles_names[];      /* the same names; NULL-ended */

/* The same of hwprofiles/drives. */
extern const struct profile drives_shipped[];
extern const char *const drives_names[];

#endif
