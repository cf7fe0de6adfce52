/* import_doubts.h - what is odd about a graph that was just imported: it may be meant, but often the file was read in
 * another way than its maker thought.
 */
#ifndef TRACES_COMMANDS_IMPORT_DOUBTS_H
#define TRACES_COMMANDS_IMPORT_DOUBTS_H

#include "base/cmd.h"
#include "traces/builder/graph_save.h"

/* Warns on stderr of what the format noted; of many vertices without arcs; of ids that count from 1; of arcs none of
 * which has its reverse. path: the graph directory; s: what graph_import stated about it. Takes a pass over the arcs
 * and a bit per vertex; nothing is done under --quiet. */
void import_say_doubts(const struct call *call, const char *path, const struct graph_summary *s);

#endif
