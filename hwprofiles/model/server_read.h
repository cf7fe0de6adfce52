/* server_read.h - the document server/1 (server_fields.h) -> struct server. server_finish.h makes the document again.
 */
#ifndef HWPROFILES_MODEL_SERVER_READ_H
#define HWPROFILES_MODEL_SERVER_READ_H

#include "hwprofiles/model/server.h"

/* Fills `out` (zeroed) from a document: everything but fingerprint and document, cliques included. where: the file's
 * name for messages. ST_INPUT, with file and key, for anything that is not as described above. */
enum st server_read(const doc *d, const char *where, struct server *out, struct err *err) MUST_USE;

#endif
