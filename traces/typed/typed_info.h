/* typed_info.h - what a typed graph has: a document and a table, per type and per relation. */
#ifndef TRACES_TYPED_TYPED_INFO_H
#define TRACES_TYPED_TYPED_INFO_H

#include <stdio.h>
#include "traces/typed/typed_graph.h"

/* What --verify found. */
enum typed_check { TYPED_NOT_ASKED, TYPED_EQUAL, TYPED_DIFFERS, TYPED_FOREIGN };

/* Compares the fingerprint with the arrays. computed: what they give. ST_LIMIT without memory. */
enum st typed_verify(const struct typed_graph *g, int threads, enum typed_check *out, char computed[80],
                     struct err *err) MUST_USE;
/* A graph-info/2 document: the members of graph.json, row lengths per relation and bytes per kind. The caller frees
 * it. */
doc *typed_info_document(const struct typed_graph *g, enum typed_check check);
/* The same as tables. */
void typed_info_print(const struct typed_graph *g, enum typed_check check, FILE *to);

#endif
