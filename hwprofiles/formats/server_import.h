/* server_import.h - a server from descriptions that other programs wrote. */
#ifndef HWPROFILES_FORMATS_SERVER_IMPORT_H
#define HWPROFILES_FORMATS_SERVER_IMPORT_H

#include <stddef.h>
#include "hwprofiles/model/server.h"

/* What the user states for sources that do not; 0 or NULL: nothing. */
struct server_import_options {
    int gpu_memories;                     /* 1, or one for each GPU */
    uint64_t gpu_memory[SERVER_GPUS_MAX]; /* bytes, for GPUs whose memory is not known */
    int pcie_generation, pcie_width;      /* both or neither */
    int gpus;                             /* as many of the source's, or more like its last */
    int sockets;                          /* over which they are spread evenly; 0: as the source */
    uint64_t host_memory;                 /* bytes */
    double host_gbps;                     /* of that memory */
    const char *name; /* of the server, printable ASCII; NULL: the source's, else the first file's */
};

/* Reads sources[count], count >= 1: files of any registered format, told apart by content, or names of shipped
 * profiles. Several are merged (server_merge.h) and the result is completed; provenance says what came from where. out:
 * release with server_release. warning[warning_size]: a text for the user, "" for none. ST_INPUT when no format knows a
 * file or two sources contradict each other; ST_USAGE for a name that cannot be one. */
enum st server_import(const char *const *sources, int count, const struct server_import_options *options,
                      struct server *out, char *warning, size_t warning_size, struct err *err) MUST_USE;

#endif
