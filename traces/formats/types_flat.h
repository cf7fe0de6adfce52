/* types_flat.h - a graph of several types from one text with an edge per line: columns of source, relation and target,
 * and perhaps of the types of both ends (knowledge graphs). Private to traces/formats. */
#ifndef TRACES_FORMATS_TYPES_FLAT_H
#define TRACES_FORMATS_TYPES_FLAT_H

#include "traces/builder/name_table.h"
#include "traces/formats/types_edges.h"
#include "traces/formats/types_import.h"

/* Reads o->path by o->columns. Every (type of the source, relation, type of the target) is a relation, in the order in
 * which they first come; ends without a column of types are of type "node". Ids are names within their type. *edges:
 * [out->relations], owned, each to be closed; names: [GRAPH_TYPES_MAX] zeroed, to be released. ST_INPUT, with the line,
 * for what is no edge; ST_USAGE for a column that is not there; ST_LIMIT for memory. */
enum st types_flat_read(const struct types_import_options *o, struct types_source *out, struct types_edges **edges,
                        struct name_table *names, struct err *err) MUST_USE;

#endif
