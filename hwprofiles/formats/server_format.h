/* server_format.h - what a server format is: one file in formats/ that defines `const struct server_format
 * server_format_<file>`. The Makefile lists them. */
#ifndef HWPROFILES_FORMATS_SERVER_FORMAT_H
#define HWPROFILES_FORMATS_SERVER_FORMAT_H

#include <stddef.h>
#include "hwprofiles/model/server.h"

struct server_format {
    const char *name, *summary; /* for hotset list formats */
    /* How sure it is that text[bytes] is of this format: 0 (it is not) .. 100. The text is NUL-terminated. */
    int (*probe)(const char *text, size_t bytes);
    /* Reads text[bytes] into *out (zeroed): GPUs, links, switches and sockets, then server_finish. name: of the file,
     * for messages. warning[warning_size]: a text for the user, "" for none. ST_INPUT, with file and line, for a text
     * that is cut or contradicts itself. */
    enum st (*read)(const char *text, size_t bytes, const char *name, struct server *out, char *warning,
                    size_t warning_size, struct err *err);
};

extern const struct server_format *const server_formats_registered[]; /* NULL-ended */

#endif
