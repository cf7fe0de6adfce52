/* types_info.h - graph_info.h of a graph that is not plain: per type and per relation. Private to traces/builder. */
#ifndef TRACES_BUILDER_TYPES_INFO_H
#define TRACES_BUILDER_TYPES_INFO_H

#include "traces/builder/graph_info.h"

/* A graph-info/2 document: the members of graph.json, row lengths per relation and bytes per kind. The caller frees
 * it. */
doc *types_info_document(const struct graph *g, enum fingerprint_check check);
/* The same as tables. */
void types_info_print(const struct graph *g, enum fingerprint_check check, FILE *to);

#endif
