/* graph_format.h - what a graph format is: one file in formats/ that defines `const struct graph_format
 * graph_format_<file>`. The Makefile lists them. */
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
    const unsigned char *head; /* the first bytes, unpacked when the file is compressed; empty for directories */
    size_t head_bytes;
    bool packed;
};

enum { FORMAT_DOUBTFUL = 10 }; /* a score with which a probe gives way to all that know the content */

struct graph_format {
    const char *name, *summary; /* for --format, and for hotset list formats */
    /* How sure it is that the source is of this format: 0 (it is not) .. 100. Content decides; a suffix only breaks
     * ties between contents that look alike. */
    int (*probe)(const struct format_probe *p);
    /* Streams vertices and arcs into the builder, which checks ids, counts, order and limits. ST_INPUT, with file and
     * place, for a source that is cut or contradicts itself. */
    enum st (*read)(const char *path, struct builder *to, struct err *err);
};

extern const struct graph_format *const graph_formats_registered[]; /* NULL-ended */

#endif
