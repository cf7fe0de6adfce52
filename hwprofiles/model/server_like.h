/* server_like.h - rates that a description does not state, taken from a profile of a machine like it. */
#ifndef HWPROFILES_MODEL_SERVER_LIKE_H
#define HWPROFILES_MODEL_SERVER_LIKE_H

#include "hwprofiles/model/server.h"

/* Fills what `s` does not state: rates and model of every GPU as of the profile's first, GB/s per NVLink, PCIe, host
 * memory and CPU, and with the rate of an uplink who shares it; without that no rate of PCIe. What it states stays, and
 * so do GPUs, links and their places. Each filled key gets an entry of
 * provenance of kind assumed that names the profile. *filled: how many keys. ST_LIMIT when memory is out. */
enum st server_fill_like(struct server *s, const struct server *profile, int *filled, struct err *err) MUST_USE;

/* What cannot be answered of this server, in a sentence: "epoch times (gpus[].tflops, ..), money (price_per_hour)".
 * "": everything can. */
void server_unanswered(const struct server *s, char *out, size_t bytes);

#endif
