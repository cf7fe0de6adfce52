/* server_subset.h - some GPUs of a server: what a job sees that was given a part of the machine. */
#ifndef HWPROFILES_MODEL_SERVER_SUBSET_H
#define HWPROFILES_MODEL_SERVER_SUBSET_H

#include "hwprofiles/model/server.h"

/* Splits "dgx-v100:4" or "dgx-v100:0+1+4+5" into the name (out[bytes]) and what stands behind the colon; NULL when
 * there is no such part. */
const char *server_subset_split(const char *source, char *out, unsigned long bytes);

/* Keeps the first N GPUs ("4"), or those with the listed ids ("0+1+4+5", each once). Links, cliques and document must
 * be completed again (server_finish). The name gets ":spec" appended. ST_INPUT when the server has no such GPUs. */
enum st server_subset(struct server *s, const char *spec, struct err *err) MUST_USE;

#endif
