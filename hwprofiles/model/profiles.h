/* profiles.h - the server profiles that are built into the binary; the table is written by the Makefile from
 * hwprofiles/servers. */
#ifndef HWPROFILES_MODEL_PROFILES_H
#define HWPROFILES_MODEL_PROFILES_H

struct profile {
    const char *name, *json;
};
extern const struct profile profiles_shipped[]; /* ends with a NULL name; sorted by name */

#endif
