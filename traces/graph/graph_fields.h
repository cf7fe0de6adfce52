/* graph_fields.h - the keys of graph.json: the one list of them, by which a graph is opened, what describes it is
 * written, and `hotset list schemas graph/1` explains them. Further keys are not looked at.
 */
#ifndef TRACES_GRAPH_GRAPH_FIELDS_H
#define TRACES_GRAPH_GRAPH_FIELDS_H

#include "base/fields.h"

/* Of a struct graph; train_count of a document that does not state it is UINT64_MAX. Their owners read sample,
 * feature_type, edge_times, vertex_times, types and relations. */
extern const struct field graph_fields_1[], graph_fields_2[];
/* The entries of types and relations: of a struct graph_type, and of a struct graph_relation without its ends. */
extern const struct field graph_type_fields[], graph_relation_fields[];

#endif
