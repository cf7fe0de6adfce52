/* server_format.h - what a server format is: one file in formats/, one descriptor `server_format_<file>`, listed by
 * the Makefile. */
#ifndef HWPROFILES_FORMATS_SERVER_FORMAT_H
#define HWPROFILES_FORMATS_SERVER_FORMAT_H

#include <stddef.h>
#include "hwprofiles/model/server.h"

struct server_format {
    const char *name, *summary;
    /* How sure it is that the text is of this format: 0 (not) .. 100. text is NUL-terminated. */
    int (*probe)(const char *text, size_t bytes);
    /* Fills GPUs, links and places of `out` (zeroed; cliques are found by the caller). warning: [warning_size] text
     * for the user, "" for none. name: of the file, for messages. */
    enum st (*read)(const char *text, size_t bytes, const char *name, struct server *out, char *warning,
                    size_t warning_size, struct err *err);
};

extern const struct server_format *const server_formats_registered[]; /* NULL-ended */

#endif
