/* graph_names.h - the names of vertices, where the source had names in place of numbers.
 *
 * Two arrays beside the others: name_offsets.npy (int64, [n + 1]) and name_bytes.npy (uint8); the name of vertex v is
 * bytes[offsets[v]:offsets[v + 1]], UTF-8 without a NUL, at least one byte and at most NAME_BYTES_MOST, each name once.
 * Of several types, type<t>_name_offsets.npy and type<t>_name_bytes.npy, by the ids within the type; a type may have
 * none. graph.json lists them: name_bytes, how many bytes there are. Planning reads none of it, so graph_open does not
 * either; files that graph.json does not list are not read. The fingerprint of a graph is not over names.
 */
#ifndef TRACES_GRAPH_GRAPH_NAMES_H
#define TRACES_GRAPH_GRAPH_NAMES_H

#include "traces/graph/graph.h"

enum { NAME_BYTES_MOST = 4096 };

struct graph_names {
    uint64_t count, total; /* names (0: there are none), and their bytes */
    const int64_t *offset; /* [count + 1] */
    const char *bytes;     /* [total] */
    struct npy arrays[2];  /* owners */
};

/* Maps the names of a type (0 for a plain graph); a type without names gives none. Close with graph_names_close.
 * ST_INPUT, with the file, when one is missing or has another shape, and for offsets that do not rise from 0 or names
 * that are none. */
enum st graph_names_open(const struct graph *g, int type, int threads, struct graph_names *out, struct err *err)
    MUST_USE;
void graph_names_close(struct graph_names *n); /* a zeroed struct is allowed */

/* The name of vertex v < count; *length: its bytes. It is not NUL-terminated. */
static inline const char *graph_name(const struct graph_names *n, uint64_t v, size_t *length)
{
    *length = (size_t)(n->offset[v + 1] - n->offset[v]);
    return n->bytes + n->offset[v];
}
/* The vertex of that name, UINT64_MAX when there is none. Looks at every name. */
uint64_t graph_names_find(const struct graph_names *n, const char *name, int threads);
/* Appends the name of vertex v to a text, " (alice)", where it has one; of a long name the begin. Control characters
 * are shown as \u001b. n may be NULL. */
enum { NAME_SHOWN = 100 };
void graph_name_append(const struct graph_names *n, uint64_t v, char *text, size_t size);

/* The file of an array of names: "name_offsets.npy", of several types "type0_name_offsets.npy" (type -1: a plain graph
 * of schema graph/1). what: "offsets" or "bytes". */
void graph_names_file(int type, const char *what, char out[48]);

#endif
