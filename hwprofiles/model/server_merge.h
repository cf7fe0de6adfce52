/* server_merge.h - two descriptions of one machine become one: what one leaves open the other fills in. */
#ifndef HWPROFILES_MODEL_SERVER_MERGE_H
#define HWPROFILES_MODEL_SERVER_MERGE_H

#include "hwprofiles/model/server.h"

/* Adds to `into` (complete, see server_finish) what it leaves open and `from` says, with the lines of provenance that
 * go with it. Both must be the same machine: equal GPU ids, and nothing that both say may differ (links, memory
 * beyond a tenth, switches and sockets as groups of GPUs, PCIe, counts): otherwise ST_INPUT with a sentence that
 * names both, and `into` is unchanged. from_name, into_name: files, for messages and provenance. */
enum st server_merge(struct server *into, const char *into_name, const struct server *from, const char *from_name,
                     struct err *err) MUST_USE;

/* Puts the name of the file, without its folders, before every line of provenance, so that a merged server says which
 * file said what. */
void server_name_sources(struct server *s, const char *name);

#endif
