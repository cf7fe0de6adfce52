/* graph_format.h - what a graph format is: one file in formats/, one descriptor `graph_format_<file>`, listed by the
 * Makefile. */
#ifndef TRACES_FORMATS_GRAPH_FORMAT_H
#define TRACES_FORMATS_GRAPH_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/status.h"

struct builder;

/* What a probe may look at. */
struct format_probe {
    const char *path;
    bool directory;
    const unsigned char *head; /* first bytes, decompressed when the file is gzip; NULL for directories */
    size_t head_bytes;
    bool gzip;
};

struct graph_format {
    const char *name, *summary;
    /* 0 (not this format) .. 100; a suffix only breaks ties between contents that look alike. */
    int (*probe)(const struct format_probe *p);
    /* Streams vertices and arcs into the builder, which checks ids, counts, order and limits. */
    enum st (*read)(const char *path, struct builder *to, struct err *err);
};

extern const struct graph_format *const graph_formats_registered[]; /* NULL-ended */

#endif
