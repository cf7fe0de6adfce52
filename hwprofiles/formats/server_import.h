/* server_import.h - a server from descriptions that other programs made. */
#ifndef HWPROFILES_FORMATS_SERVER_IMPORT_H
#define HWPROFILES_FORMATS_SERVER_IMPORT_H

#include <stddef.h>
#include "hwprofiles/model/server.h"

/* What the command line adds to a source that does not say it; zero or NULL: nothing. */
struct server_wants {
    uint64_t gpu_memory; /* bytes per GPU */
    int pcie_generation, pcie_width;
    const char *name;
};

/* Reads `count` sources of any registered format, told apart by content (or shipped profiles, by name), merges them
 * (merge.h) and completes the server. warning: text for the user, "" for none. ST_INPUT when no format knows a text
 * or two sources contradict each other. Release `out` with server_release. */
enum st server_import(const char *const *sources, int count, const struct server_wants *wants, struct server *out,
                      char *warning, size_t warning_size, struct err *err) MUST_USE;

#endif
