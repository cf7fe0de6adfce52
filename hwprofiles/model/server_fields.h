/* server_fields.h - the keys of the document server/1: the one list of them, by which server_read checks it and fills a
 * struct server, server_finish writes it, and `hotset list schemas server/1` describes it. null means unknown.
 *
 * A user writes at least schema, gpus[]{id} and, where there are links, nvlinks. Cliques that a file states are checked
 * against its links; its fingerprint is ignored and computed again. Constants of the time model are written only where
 * they are known, never guessed.
 */
#ifndef HWPROFILES_MODEL_SERVER_FIELDS_H
#define HWPROFILES_MODEL_SERVER_FIELDS_H

#include "base/fields.h"

/* Of a struct server. Their owners write schema, nvlinks, cliques, price_per_hour, ssd, provenance and
 * cpu_sampling.edges_per_second. */
extern const struct field server_fields[];
extern const struct field server_gpu_fields[];  /* those of gpus[], of a struct server_gpu */
extern const struct field server_pcie_fields[]; /* those of its `pcie`, of a struct server as well */

#endif
