/* server_merge.h - two descriptions of one machine become one: what one leaves open the other fills in. */
#ifndef HWPROFILES_MODEL_SERVER_MERGE_H
#define HWPROFILES_MODEL_SERVER_MERGE_H

#include "hwprofiles/model/server.h"

/* Fills in what `into` leaves open and `from` knows, with the provenance of it; both come from server_finish. They must
 * describe the same machine: equal GPU ids, and nothing that both state may differ (links; memory by more than a tenth;
 * which GPUs share a switch or socket; PCIe and counts by more than 2 %). Otherwise ST_INPUT with a sentence that names
 * both, and `into` is unchanged. into_name, from_name: the files, for messages. */
enum st server_merge(struct server *into, const char *into_name, const struct server *from, const char *from_name,
                     struct err *err) MUST_USE;

#endif
