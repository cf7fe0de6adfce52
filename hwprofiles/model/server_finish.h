/* server_finish.h - the last step of every way to make a server: struct server -> cliques, fingerprint and the document
 * server/1 (described in server_fields.h). */
#ifndef HWPROFILES_MODEL_SERVER_FINISH_H
#define HWPROFILES_MODEL_SERVER_FINISH_H

#include "hwprofiles/model/server.h"

/* Completes a server whose GPUs, links, switches and sockets are filled: sets line_bytes to 64 where it is 0 (and says
 * so in the provenance), finds the cliques, computes the fingerprint and builds s->document; an older document is
 * freed. source: a document whose provenance and price are copied (s->document itself is allowed), or NULL. ST_LIMIT
 * when memory is out. */
enum st server_finish(struct server *s, const doc *source, struct err *err) MUST_USE;

#endif
